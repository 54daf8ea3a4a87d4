//! Bounds by region: every element keeps the bound of the last region that has it, and forged regions end in an error.

use crate::common::{
    self, profiles,
    seal::{seal_header, seal_metadata},
};
use fsz::{
    Bound, Codec, CompressOptions, DType, Dense, Element, Error, Layout, Mask, Place, Profile,
    Region, Stream,
    format::{FIXED_HEADER, at},
};
use ndarray::Axis;

const SHAPE: [u64; 3] = [13, 40, 51];

/// Waves with noise, missing values, a hole and infinities.
fn field<T: Element>() -> Vec<T> {
    let value = |i: u64| {
        let (x, y, z) = (i % 51, i / 51 % 40, i / 2040);
        let wave = 20.0 * (0.1 * x as f64).sin() + 3.0 * (0.2 * y as f64).cos() + z as f64;
        match i % 1009 {
            7 => f64::NAN,
            8 => 1e20,
            9 => f64::NEG_INFINITY,
            n => wave + 1e-3 * (n * 7919 % 1000) as f64,
        }
    };
    (0..SHAPE.iter().product()).map(|i| T::from_f64(value(i))).collect()
}

fn compress<T: Element>(data: &[T], shape: &[u64], options: &CompressOptions) -> Vec<u8> {
    common::compress(&Codec::cpu(), data, shape, options)
}

/// A tighter and a looser box, one of them over the other, and every third row of a part.
fn regions(bound: impl Fn(f64) -> Bound) -> Vec<Region> {
    let mask: Mask = (0..13 * 2040).map(|i| i / 51 % 3 == 0 && i % 51 > 20 && i > 9000).collect();
    vec![
        Region::in_box(&[2, 5, 3], &[8, 20, 40], bound(0.01)),
        Region::in_box(&[4, 0, 10], &[9, 15, 30], bound(5.0)),
        Region::where_set(mask, bound(0.002)),
    ]
}

fn options(outside: Bound, regions: Vec<Region>) -> CompressOptions {
    let options = CompressOptions::new(outside).missing(1e20);
    regions.into_iter().fold(options, CompressOptions::region)
}

/// The region that holds each element, one by one.
fn owners(regions: &[Region], shape: &[u64]) -> Vec<u8> {
    let holds = |place: &Place, i: u64| match place {
        Place::Mask(mask) => mask.runs().any(|run| run.contains(&i)),
        Place::Box { start, count } => {
            let mut rest = i;
            (0..shape.len()).rev().all(|axis| {
                let at = rest % shape[axis];
                rest /= shape[axis];
                (start[axis]..start[axis] + count[axis]).contains(&at)
            })
        }
        _ => panic!("a place that the test does not know"),
    };
    let owner = |i| regions.iter().rposition(|region| holds(&region.place, i));
    (0..shape.iter().product()).map(|i| owner(i).map_or(0, |number| number as u8 + 1)).collect()
}

fn check<T: Element + std::fmt::Debug>(options: &CompressOptions, all: &[Region], bound: Bound) {
    let data = field::<T>();
    let bytes = compress(&data, &SHAPE, options);
    let stream = Stream::open(&bytes).expect("opens");
    let codec = Codec::cpu();
    let whole = codec.decompress::<T>(&stream).expect("decodes");
    let expected = owners(all, &SHAPE);
    let mut owner = vec![9; data.len()];
    stream.regions_of_box(&[0; 3], &SHAPE, &mut owner).expect("inside");
    assert_eq!(owner, expected);
    for (index, &expected) in expected.iter().enumerate().step_by(7) {
        let own = all.iter().rposition(|region| region.place.contains(&SHAPE, index as u64));
        assert_eq!(own.map_or(0, |number| number + 1), usize::from(expected));
    }
    let mut some = [9; 3000];
    stream.regions_of_range(8000, &mut some).expect("inside");
    assert_eq!(some, expected[8000..11_000]);
    assert!(stream.regions_of_range(26_000, &mut some).is_err());

    // Each element keeps its own bound.
    let span = stream.certificate().max - stream.certificate().min;
    let (mut worst, mut counts) = ([0f64; 4], [0; 3]);
    for ((d, back), &owner) in data.iter().zip(&whole).zip(&owner) {
        let (d, b) = (d.to_f64(), back.to_f64());
        if !d.is_finite() || d == T::from_f64(1e20).to_f64() {
            assert_eq!(d.to_bits(), b.to_bits());
            counts[if d.is_nan() { 0 } else { usize::from(d.is_finite()) + 1 }] += 1;
            continue;
        }
        let asked = if owner == 0 { bound } else { all[usize::from(owner) - 1].bound };
        let limit = match asked {
            Bound::ValueRange(share) => share * span,
            bound => bound.of_element(d.abs(), bound.requested()),
        };
        let error = (d - b).abs();
        assert!(error <= limit, "{d} became {b} in {owner}");
        worst[usize::from(owner)] = worst[usize::from(owner)].max(error / limit);
    }
    // Loose where it may be, and a tighter region is no excuse for anything outside.
    assert!(worst.iter().all(|&worst| worst > 0.9), "{worst:?}");
    let found = stream.certificate();
    assert_eq!([found.nan, found.inf, found.missing], counts);
    let finite = data.iter().map(|d| d.to_f64()).filter(|d| d.is_finite() && *d < 1e19);
    let ends = finite.fold((f64::MAX, f64::MIN), |(a, b), d| (a.min(d), b.max(d)));
    assert_eq!((found.min, found.max), ends);

    // Parts are those of the whole.
    let bits = |values: &mut dyn Iterator<Item = &T>| -> Vec<u64> {
        values.map(|v| v.to_bits64()).collect()
    };
    for (axis, side) in SHAPE.into_iter().enumerate() {
        for index in [0, 3, 5, side - 1] {
            let slice = codec.decompress_slice::<T>(&stream, Axis(axis), index).expect("decodes");
            let of_whole = whole.index_axis(Axis(axis), index as usize);
            assert_eq!(bits(&mut slice.iter()), bits(&mut of_whole.iter()));
        }
    }
    let boxed = codec.decompress_box::<T>(&stream, &[3, 4, 9], &[5, 13, 20]).expect("decodes");
    let of_whole = whole.slice(ndarray::s![3..8, 4..17, 9..29]);
    assert_eq!(bits(&mut boxed.iter()), bits(&mut of_whole.iter()));
    let mut owner = vec![9; 5 * 13 * 20];
    stream.regions_of_box(&[3, 4, 9], &[5, 13, 20], &mut owner).expect("inside");
    let wide = ndarray::Array3::from_shape_vec([13, 40, 51], expected).expect("a shape");
    assert!(wide.slice(ndarray::s![3..8, 4..17, 9..29]).iter().eq(&owner));
    let (grid, whole) = (stream.grid(), whole.as_slice().expect("in C order"));
    for tiles in [0..1, grid.tiles() / 2..grid.tiles() / 2 + 3, 0..grid.tiles()] {
        let tiles = tiles.start..tiles.end.min(grid.tiles());
        let mut out = vec![T::default(); grid.len_of(tiles.clone()) as usize];
        codec.decompress_tiles_into(&stream, tiles.clone(), &mut out).expect("decodes");
        let runs = tiles.flat_map(|tile| grid.runs(tile));
        let of_whole = runs.flat_map(|(first, n)| &whole[first as usize..first as usize + n]);
        assert_eq!(bits(&mut out.iter()), bits(&mut { of_whole }));
    }
}

#[test]
fn each_element_keeps_the_bound_of_the_last_region_that_has_it() {
    let absolute: fn(f64) -> Bound = Bound::Absolute;
    let share: fn(f64) -> Bound = |e| Bound::ValueRange(e / 50.0);
    let relative: fn(f64) -> Bound = |e| Bound::Relative { eps: e / 20.0, floor: e / 20.0 };
    for (_, profile) in profiles() {
        for bound in [absolute, share, relative] {
            let all = regions(bound);
            let options = options(bound(0.1), all.clone()).profile(profile);
            check::<f32>(&options, &all, bound(0.1));
            check::<f64>(&options, &all, bound(0.1));
        }
    }
}

#[test]
fn a_region_that_does_not_fill_the_boxes_asked_for_has_others() {
    let bound = Bound::Absolute;
    for layout in Layout::ALL {
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        let mut all = regions(bound);
        all[1] = Region::in_box(&[7, 0, 0], &[1, 40, 51], bound(0.03));
        let options = options(bound(0.1), all.clone()).profile(profile);
        check::<f32>(&options, &all, bound(0.1));
        let bytes = compress(&field::<f32>(), &SHAPE, &options);
        let stream = Stream::open(&bytes).expect("opens");
        let of_region = |number| stream.region_stream(number).expect("a region");
        assert_eq!(stream.header().profile.layout_name(), layout.name());
        assert_eq!(of_region(0).header().profile.layout_name(), layout.name());
        assert_eq!(of_region(2).header().profile.layout_name(), "line");
    }
}

#[test]
fn kinds_of_bound_may_differ() {
    let mut all = regions(Bound::Absolute);
    all[0].bound = Bound::Relative { eps: 1e-3, floor: 1e-3 };
    all[1].bound = Bound::ValueRange(0.1);
    let options = options(Bound::Absolute(0.1), all.clone());
    check::<f32>(&options, &all, Bound::Absolute(0.1));
}

#[test]
fn a_stream_tells_its_regions() {
    let all = regions(Bound::Absolute);
    let bytes = compress(&field::<f32>(), &SHAPE, &options(Bound::Absolute(0.1), all.clone()));
    let stream = Stream::open(&bytes).expect("opens");
    assert!(stream.header().has_regions());
    assert_eq!(stream.header().bound, Bound::Absolute(0.1));
    let told: Vec<_> = stream.regions().iter().map(|r| (r.place.clone(), r.bound)).collect();
    let asked: Vec<_> = all.into_iter().map(|region| (region.place, region.bound)).collect();
    assert_eq!(told, asked);
    for (number, region) in stream.regions().iter().enumerate() {
        let own = stream.region_stream(number).expect("a region");
        assert_eq!(own.compressed_bytes(), region.compressed_bytes());
        assert_eq!(own.header().elements(), region.place.elements());
        assert!(region.certificate.max_abs_error <= region.absolute_bound);
    }
    assert!(stream.region_stream(3).is_err());
    assert!(stream.regions_of_box(&[0; 3], &SHAPE, &mut [0]).is_err());
    assert!(stream.regions_of_box(&[1, 0, 0], &SHAPE, &mut [0; 26520]).is_err());
}

#[test]
fn fields_of_any_shape_have_regions() {
    let codec = Codec::cpu();
    let tight = Bound::Absolute(1e-6);
    let cases: [(&[u64], Region); 6] = [
        (&[], Region::in_box(&[], &[], tight)),
        (&[0, 3], Region::in_box(&[0, 1], &[0, 2], tight)),
        (&[700], Region::in_box(&[300], &[0], tight)),
        (&[700], Region::where_set((0..700).map(|_| false).collect(), tight)),
        (&[700], Region::in_box(&[0], &[700], tight)),
        (&[1, 2, 3, 2, 1, 5, 2, 3], Region::in_box(&[0; 8], &[1, 1, 3, 2, 1, 3, 2, 2], tight)),
    ];
    for (_, profile) in profiles() {
        for (shape, region) in &cases {
            let n = shape.iter().product::<u64>();
            let data: Vec<f64> = (0..n).map(|i| (i as f64).sqrt()).collect();
            let options = options(Bound::Absolute(0.1), vec![region.clone()]).profile(profile);
            let bytes = compress(&data, shape, &options);
            let stream = Stream::open(&bytes).expect("opens");
            let back = codec.decompress::<f64>(&stream).expect("decodes");
            let owner = owners(std::slice::from_ref(region), shape);
            for ((d, b), owner) in data.iter().zip(&back).zip(owner) {
                assert!((d - b).abs() <= if owner == 0 { 0.1 } else { 1e-6 });
            }
        }
    }
}

#[test]
fn nothing_finite_outside_is_no_value_of_the_field() {
    let mut data = vec![f32::NAN; 600];
    data[100..200].fill(7.5);
    let region = Region::in_box(&[100], &[100], Bound::ValueRange(1e-3));
    let bytes = compress(&data, &[600], &options(Bound::ValueRange(1e-2), vec![region]));
    let stream = Stream::open(&bytes).expect("opens");
    let found = stream.certificate();
    assert_eq!((found.min, found.max, found.nan), (7.5, 7.5, 500));
    let back = Codec::cpu().decompress::<f32>(&stream).expect("decodes");
    assert!(data.iter().zip(&back).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn a_small_region_costs_about_its_own_bits() {
    let data = field::<f32>();
    let len = |options: CompressOptions| compress(&data, &SHAPE, &options).len();
    let loose = len(options(Bound::Absolute(0.5), vec![]));
    let tight = len(options(Bound::Absolute(1e-3), vec![]));
    let region = Region::in_box(&[4, 10, 10], &[4, 16, 20], Bound::Absolute(1e-3));
    let mixed = len(options(Bound::Absolute(0.5), vec![region]));
    let share = 4.0 * 16.0 * 20.0 / (13.0 * 40.0 * 51.0);
    let expected = loose as f64 + 1.5 * share * tight as f64;
    assert!((mixed as f64) < expected + 1000.0, "{mixed} of {loose} to {tight}");
}

#[test]
fn options_out_of_range_are_refused() {
    let inside = || Region::in_box(&[0, 0, 0], &[1, 1, 1], Bound::Absolute(0.1));
    let refused = |options: CompressOptions| {
        let mut out = vec![0; 1 << 20];
        let done = Codec::cpu().compress_into(&field::<f32>(), &SHAPE, &options, &mut out);
        matches!(done, Err(Error::InvalidArgument(_)))
    };
    let with = |region| options(Bound::Absolute(0.1), vec![region]);
    assert!(!refused(with(inside())));
    assert!(!refused(options(Bound::Absolute(0.1), vec![inside(); 16])));
    assert!(refused(options(Bound::Absolute(0.1), vec![inside(); 17])));
    for (start, count) in [([0, 0, 50], [1, 1, 2]), ([u64::MAX, 0, 0], [2, 1, 1])] {
        let region = Region::in_box(&start, &count, Bound::Absolute(0.1));
        assert!(with(region.clone()).max_compressed_len(&SHAPE, DType::F32).is_err());
        assert!(refused(with(region)));
    }
    assert!(refused(with(Region::in_box(&[0], &[1], Bound::Absolute(0.1)))));
    assert!(refused(with(Region::where_set([true].into_iter().collect(), Bound::Absolute(1.0)))));
    for bound in [Bound::Absolute(0.0), Bound::Psnr(60.0), Bound::Ratio(10.0), Bound::MaxBytes(9)] {
        assert!(refused(with(Region::in_box(&[0; 3], &[1; 3], bound))));
    }
    assert!(refused(options(Bound::Ratio(10.0), vec![inside()])));
    // Room for the field alone.
    let mut small = vec![0; 600];
    let data = [1f32; 100];
    let region = Region::in_box(&[0], &[100], Bound::Absolute(1e-9));
    let options = options(Bound::Absolute(0.1), vec![region]);
    assert!(Codec::cpu().compress_into(&data, &[100], &options, &mut small[..400]).is_err());
}

#[test]
fn a_header_has_room_for_what_it_says_of_regions() {
    let (data, shape) = ([1f32; 10], [1, 1, 1, 1, 1, 1, 1, 10]);
    let made = |name: usize| {
        let bound = Bound::Relative { eps: 0.1, floor: 0.0 };
        let region = Region::in_box(&[0; 8], &[1, 1, 1, 1, 1, 1, 1, 3], bound);
        let options = CompressOptions::new(bound).start(&[0; 8]).name(&"x".repeat(name));
        let options = [1.0, 2.0, 3.0, 4.0].into_iter().fold(options, CompressOptions::missing);
        let mut out = vec![0; 10_000];
        let len = Codec::cpu().compress_into(&data, &shape, &options.region(region), &mut out)?;
        Stream::open(&out[..len]).map(drop)
    };
    assert!(made(982).is_ok());
    assert!(matches!(made(983), Err(Error::InvalidArgument(_))));
}

/// A small stream with a box and a mask.
fn small() -> Vec<u8> {
    let data: Vec<f32> = (0..600).map(|i| (i as f32 * 0.05).sin()).collect();
    let mask = (0..600).map(|i| i % 50 > 44 || i == 3).collect();
    let regions = vec![
        Region::in_box(&[1, 20], &[3, 40], Bound::Absolute(1e-3)),
        Region::where_set(mask, Bound::Relative { eps: 1e-2, floor: 1e-4 }),
    ];
    compress(&data, &[6, 100], &options(Bound::Absolute(0.1), regions))
}

/// Everything that can be done with bytes; panics where that is neither a field nor a refusal.
fn refused(bytes: &[u8]) -> bool {
    match common::exercise(bytes) {
        Ok(done) => done.whole.is_err(),
        Err(Error::Corrupt(_) | Error::Truncated { .. } | Error::Unsupported(_)) => true,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn damage_is_an_error() {
    let stream = small();
    assert!(!refused(&stream));
    for len in 0..stream.len() {
        assert!(refused(&stream[..len]), "{len} bytes");
    }
    for at in 0..stream.len() {
        let mut flipped = stream.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(refused(&flipped), "byte {at}");
    }
}

#[test]
fn forged_regions_are_corrupt() {
    let stream = small();
    let opened = Stream::open(&stream).expect("opens");
    let regions = opened.sections().regions.clone();
    let table = regions.start as usize;
    // Every number of the table, with every checksum made right: nothing panics, and a refusal is what is meant.
    let sealed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut forged = stream.clone();
        change(&mut forged);
        seal_metadata(&mut forged);
        forged
    };
    for at in (table..table + 48 + 48 + 32).step_by(8) {
        for value in
            [0, 1, 2, 3, 17, 100, 600, u64::from(u32::MAX), 1 << 62, u64::MAX - 15, u64::MAX]
        {
            let forged = sealed(&|bytes| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()));
            if forged != stream {
                // A few counts, ends and boxes are as good as the true ones.
                let _ = refused(&forged);
            }
        }
    }
    let word = |at: usize, value: u64| {
        sealed(&move |bytes| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()))
    };
    // Regions: none, too many, of no kind; a stream too short and too long; outside of the field.
    let entry = table + 48;
    for (at, value) in [
        (table, 0),
        (table, 17),
        (table, 1 << 32 | 2),
        (table + 24, 601),
        (table + 24, u64::MAX),
        (entry, 2),
        (entry + 8, 0),
        (entry + 8, u64::MAX),
        (entry + 16, 4),
        (entry + 24, 61),
        (entry + 24, u64::MAX),
        (entry + 32, 4),
        (entry + 40, 39),
        (entry + 48, 0),
        (entry + 64, u64::MAX),
        (entry + 64, 14),
        (entry + 72, 0),
        (entry + 72, u64::MAX),
    ] {
        assert!(refused(&word(at, value)), "{value} at {}", at - table);
    }
    // The length in the header: of nothing, and of more than there is.
    let len_at = FIXED_HEADER + 8 * 2 + 8;
    assert_eq!(stream[len_at..len_at + 8], (regions.end - regions.start).to_le_bytes());
    for value in [0, 1, 64, u64::MAX, 1 << 40] {
        assert!(refused(&word(len_at, value)), "{value} bytes");
    }
    // Regions that the flags do not announce, and the other way round.
    let without = sealed(&|bytes| bytes[at::flags] &= !8);
    assert!(refused(&without));
}

/// A stream whose first region's stream is this one.
fn holding(own: &[u8]) -> Vec<u8> {
    let data = [1f32; 600];
    let region = Region::in_box(&[1, 20], &[3, 40], Bound::Absolute(1e-3));
    let stream = compress(&data, &[6, 100], &options(Bound::Absolute(0.1), vec![region]));
    let opened = Stream::open(&stream).expect("opens");
    let (regions, payload) = (opened.sections().regions.clone(), opened.sections().payload);
    let mut section = stream[regions.start as usize..regions.end as usize].to_vec();
    section[56..64].copy_from_slice(&(own.len() as u64).to_le_bytes());
    section.truncate(96);
    section.extend(own);
    let mut forged = stream[..regions.start as usize].to_vec();
    forged.extend(&section);
    forged.resize(forged.len().next_multiple_of(16), 0);
    forged.extend(&stream[payload as usize..]);
    let len = forged.len() as u64;
    forged[at::stream_len..][..8].copy_from_slice(&len.to_le_bytes());
    let len_at = FIXED_HEADER + 8 * 2 + 8;
    forged[len_at..len_at + 8].copy_from_slice(&(section.len() as u64).to_le_bytes());
    seal_metadata(&mut forged);
    forged
}

#[test]
fn a_region_has_an_ordinary_stream_of_its_shape() {
    let plain = CompressOptions::new(Bound::Absolute(1e-3));
    let shape = [3, 40];
    let good = compress(&[1f32; 120], &shape, &plain);
    assert!(!refused(&holding(&good)));
    let nested = Region::in_box(&[0, 0], &[3, 40], Bound::Absolute(1.0));
    let mut version = good.clone();
    version[8] = 2;
    seal_header(&mut version);
    for wrong in [
        compress(&[1f64; 120], &shape, &plain),
        compress(&[1f32; 120], &[40, 3], &plain),
        compress(&[1f32; 120], &[120], &plain),
        compress(&[1f32; 80], &[2, 40], &plain),
        compress(&[1f32; 120], &shape, &plain.clone().region(nested)),
        version,
        good[..good.len() - 4].to_vec(),
        [&good[..], &[0; 16]].concat(),
        Vec::new(),
    ] {
        assert!(refused(&holding(&wrong)));
    }
}

/// The streams of regions that lie over each other may together take more bytes than 64 bits count.
#[test]
fn room_that_no_number_tells_is_refused() {
    let shape = [1u64 << 58];
    let whole = || Region::in_box(&[0], &shape, Bound::Absolute(0.1));
    let most = |count: usize| {
        let regions = std::iter::repeat_with(whole).take(count).collect();
        options(Bound::Absolute(0.1), regions).max_compressed_len(&shape, DType::F64)
    };
    let one = most(1).expect("it fits");
    assert!(one > 2 << 61);
    for count in [8, 16] {
        assert!(matches!(most(count), Err(Error::InvalidArgument(_))), "{count} regions");
    }
}

#[test]
fn places_hold_no_element_that_a_field_does_not_have() {
    let inside = Place::Box { start: vec![1, 2], count: vec![2, 3] };
    assert!(inside.contains(&[4, 5], 7) && inside.contains(&[4, 5], 14));
    assert!(!inside.contains(&[4, 5], 6) && !inside.contains(&[4, 5], 15));
    let mask = Region::where_set([false, true, true].into_iter().collect(), Bound::Absolute(1.0));
    assert!(mask.place.contains(&[3], 1) && mask.place.contains(&[1, 3], 2));
    let shapes: [&[u64]; 8] =
        [&[], &[0], &[3], &[4, 4], &[u64::MAX, 2], &[4, 0], &[0, u64::MAX], &[4, 5, 1]];
    let far = Place::Box { start: vec![u64::MAX, 1], count: vec![2, u64::MAX] };
    for shape in shapes {
        assert!(!inside.contains(shape, 1) && !far.contains(shape, 1), "{shape:?}");
        assert!(!mask.place.contains(shape, 3), "{shape:?}");
    }
    assert!(!inside.contains(&[4, 5], 20) && !inside.contains(&[4, 5], u64::MAX));
}

/// More elements than one thread looks at alone.
#[test]
fn regions_of_many_elements_are_those_of_few() {
    let shape = [70, 100, 100];
    let data: Vec<f32> = (0..700_000).map(|i| (i as f32 * 1e-3).sin()).collect();
    let mask = Mask::of(&data, |&value| value > 0.5);
    let asked = [
        Region::in_box(&[3, 10, 0], &[60, 50, 90], Bound::Absolute(0.01)),
        Region::where_set(mask, Bound::Absolute(0.001)),
    ];
    let bytes = compress(&data, &shape, &options(Bound::Absolute(0.1), asked.to_vec()));
    let stream = Stream::open(&bytes).expect("opens");
    let (mut all, mut boxed) = (vec![9; 700_000], vec![9; 700_000]);
    stream.regions_of_range(0, &mut all).expect("inside");
    stream.regions_of_box(&[0; 3], &shape, &mut boxed).expect("inside");
    assert!(all == boxed);
    for (first, few) in (0..).step_by(999).zip(all.chunks(999)) {
        let mut own = vec![9; few.len()];
        stream.regions_of_range(first, &mut own).expect("inside");
        assert_eq!(own, few);
    }
    for number in 0..3u8 {
        assert!(all.contains(&number));
    }
}
