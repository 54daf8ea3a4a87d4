//! Layouts and predictors of boxes.

use crate::check::{check_profile, device, relative, same_field, same_stream};
use crate::common::{
    compress, every,
    inputs::{KINDS, Random, field, waves},
    pairs, some,
};
use fsz::{Bound, Codec, CompressOptions, Dense, Element, Layout, Profile};

/// Of large fields boxes in the same places choose the layout.
#[test]
fn layouts_of_large_fields() {
    let Some(codec) = device("large fields") else { return };
    for (shape, lines) in [([19, 661, 683], 1), ([1, 3, 2_860_000], 3), ([2200, 63, 65], 3)] {
        let shape = [shape[0], shape[1], (shape[2] / every() as u64).max(3)];
        // Of lines that have nothing to do with each other, some.
        let mut data: Vec<f32> = waves(&shape);
        let own = shape[2] as usize;
        data.chunks_mut(own).step_by(lines).enumerate().for_each(|(i, line)| {
            line.iter_mut().for_each(|d| *d += (i * i % 17) as f32);
        });
        for bound in [Bound::ValueRange(1e-2), Bound::ValueRange(1e-4)] {
            let options = CompressOptions::new(bound);
            let profile = Profile::Dense(Dense::new());
            check_profile("large fields", &codec, &data, &shape, &options, profile);
        }
    }
}

/// Shapes whose boxes are cut short in every way.
pub fn layouts() -> Vec<(Vec<u64>, Layout)> {
    let shapes: [(&[u64], Layout); 12] = [
        (&[4096], Layout::Line),
        (&[70_003], Layout::Line),
        (&[64, 64], Layout::Plane),
        (&[129, 200], Layout::Plane),
        (&[3, 97, 131], Layout::Plane),
        (&[5, 1, 65, 1, 66], Layout::Plane),
        (&[16, 16, 16], Layout::Brick),
        (&[17, 31, 33], Layout::Brick),
        (&[45, 30, 29], Layout::Brick),
        (&[18, 1, 47, 40], Layout::Brick),
        (&[3, 2, 15, 17, 33], Layout::Brick),
        (&[15, 63, 64], Layout::Brick),
    ];
    // Of as many chunks, and with boxes that are cut at the same sides; an emulated device takes 30 us an element.
    let smaller: [(&[u64], Layout); 12] = [
        (&[4096], Layout::Line),
        (&[37_003], Layout::Line),
        (&[64, 64], Layout::Plane),
        (&[129, 70], Layout::Plane),
        (&[3, 70, 67], Layout::Plane),
        (&[3, 1, 65, 1, 66], Layout::Plane),
        (&[16, 16, 16], Layout::Brick),
        (&[17, 31, 17], Layout::Brick),
        (&[33, 30, 17], Layout::Brick),
        (&[9, 1, 47, 20], Layout::Brick),
        (&[2, 2, 15, 17, 18], Layout::Brick),
        (&[15, 31, 48], Layout::Brick),
    ];
    let shapes = if every() == 1 { shapes } else { smaller };
    shapes.into_iter().map(|(shape, layout)| (shape.to_vec(), layout)).collect()
}

#[test]
fn every_layout_of_boxes() {
    let Some(codec) = device("every layout") else { return };
    let bounds = [
        Bound::ValueRange(1e-2),
        Bound::ValueRange(1e-4),
        Bound::Absolute(1e-6),
        relative(1e-1, 1e-2),
        relative(1e-2, 0.0),
        relative(1e-3, 1e-3),
        relative(1e-4, 0.0),
    ];
    for ((kind, bound), (shape, layout)) in some(pairs(&pairs(&KINDS, &bounds), &layouts())) {
        let n = shape.iter().product::<u64>() as usize;
        let options = CompressOptions::new(bound).missing(1e20);
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        let (single, double) = (field::<f32>(kind, n, 3), field::<f64>(kind, n, 3));
        check_profile(kind, &codec, &single, &shape, &options, profile);
        check_profile(kind, &codec, &double, &shape, &options, profile);
    }
}

/// A field that Lorenzo prediction suits: short runs of small steps, and boxes of one value each. `odd` of its
/// elements are no numbers, or far from all others.
fn steps<T: Element>(n: usize, odd: usize) -> Vec<T> {
    let mut random = Random::new(11);
    let mut at = 0.0;
    let mut data: Vec<T> = (0..n)
        .map(|i| {
            let flat = i / 4096 % 3 == 1;
            if !flat || i % 4096 == 0 {
                let jumps = random.below(12) == 0;
                at = if jumps {
                    random.below(10_001) as f64 - 5e3
                } else {
                    at + random.unit() - 0.5
                };
            }
            T::from_f64(at)
        })
        .collect();
    for k in 0..odd {
        let at = random.below(n);
        data[at] = T::from_f64([f64::NAN, 1e20, -3e7, f64::INFINITY][k % 4]);
    }
    data
}

fn lorenzo<T: Element>(codec: &Codec) {
    let shapes =
        [&[400_003][..], &[40, 4096], &[300, 1001], &[9, 192, 250], &[40, 67, 130], &[12, 8192]];
    let bounds = [Bound::Absolute(0.4), Bound::Absolute(1e-3), relative(1e-3, 0.4)];
    let cases = pairs(&pairs(&shapes, &bounds), &[0, 30]);
    for ((shape, bound), odd) in some(cases) {
        let data = steps::<T>(shape.iter().product::<u64>() as usize, odd);
        let options =
            CompressOptions::new(bound).missing(1e20).profile(Profile::Dense(Dense::new()));
        let stream = compress(&Codec::cpu(), &data, shape, &options);
        if odd == 0 && bound == Bound::Absolute(0.4) {
            // The numbers of the header are those of FORMAT.md.
            let predictor = stream[28];
            assert_eq!(predictor, 3, "{shape:?} is coded by Lorenzo prediction");
        }
        let what = format!("steps {} {shape:?} {bound:?} {odd}", T::DTYPE);
        same_stream(&what, &stream, &compress(codec, &data, shape, &options));
        same_field::<T>(&what, codec, &stream);
    }
}

#[test]
fn boxes_of_lorenzo_prediction() {
    let Some(codec) = device("boxes of Lorenzo prediction") else { return };
    lorenzo::<f32>(&codec);
    lorenzo::<f64>(&codec);
}

/// Exact boxes whose words differ by 2^31, of which no 32-bit number is the size: what changes is the sign alone.
fn signs_of_exact_values<T: Element>(codec: &Codec) {
    let values = |i: u64| T::from_f64([1e30, -1e30][(i / 19 % 2) as usize]);
    for n in [4096, 4000, 50_000] {
        let data: Vec<T> = (0..n).map(values).collect();
        let options =
            CompressOptions::new(Bound::Absolute(1e-3)).profile(Profile::Dense(Dense::new()));
        let stream = compress(&Codec::cpu(), &data, &[n], &options);
        assert!(stream.len() < size_of_val(&data[..]), "words of exact boxes are coded");
        let what = format!("signs {} {n}", T::DTYPE);
        same_stream(&what, &stream, &compress(codec, &data, &[n], &options));
        same_field::<T>(&what, codec, &stream);
    }
}

#[test]
fn exact_boxes_of_either_sign() {
    let Some(codec) = device("exact boxes of either sign") else { return };
    signs_of_exact_values::<f32>(&codec);
    signs_of_exact_values::<f64>(&codec);
}
