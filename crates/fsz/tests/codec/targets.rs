//! Targets: a PSNR, a ratio, a length resolve to an absolute bound that reaches them.

#![cfg(feature = "ndarray")]

use fsz::{Bound, Codec, CompressOptions, Dense, Element, Error, Profile, Stream};
use ndarray::ArrayViewD;

fn profiles() -> [Profile; 2] {
    [Profile::default(), Profile::Dense(Dense::new())]
}

/// A smooth field with noise, missing values and NaN.
fn field(shape: &[usize]) -> Vec<f32> {
    let n = shape.iter().product::<usize>();
    let row = *shape.last().unwrap();
    (0..n)
        .map(|i| {
            let (x, y) = ((i % row) as f32, (i / row) as f32);
            let noise = (i as u32).wrapping_mul(0x9E37_79B9) >> 20;
            match i % 997 {
                0 => -999.0,
                1 => f32::NAN,
                _ => (x * 0.05).sin() * (y * 0.011).cos() * 30.0 + noise as f32 * 1e-5,
            }
        })
        .collect()
}

fn compressed<T: Element>(
    codec: &Codec,
    shape: &[usize],
    values: &[T],
    options: &CompressOptions,
) -> fsz::Result<Stream<'static>> {
    codec.compress_with(ArrayViewD::from_shape(shape, values).unwrap(), options)
}

/// Range, and mean squared error, by the definition.
fn errors(stream: &Stream<'_>, values: &[f32]) -> (f64, f64) {
    let decoded = Codec::cpu().decompress::<f32>(stream).unwrap();
    let pairs = || values.iter().zip(&decoded).filter(|(d, _)| d.is_finite() && **d != -999.0);
    let ends = pairs().fold((f32::MAX, f32::MIN), |(a, b), (d, _)| (a.min(*d), b.max(*d)));
    let squares: f64 = pairs().map(|(d, near)| (f64::from(*d) - f64::from(*near)).powi(2)).sum();
    (f64::from(ends.1) - f64::from(ends.0), squares / pairs().count() as f64)
}

#[test]
fn a_psnr_is_a_lower_limit_and_its_error_is_recorded() {
    let shape = [60, 80, 90];
    let values = field(&shape);
    for profile in profiles() {
        for asked in [30.0, 60.0, 84.0, 100.0] {
            let options = CompressOptions::new(Bound::Psnr(asked)).missing(-999.0).profile(profile);
            let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
            let header = stream.header();
            let (range, error) = errors(&stream, &values);
            let psnr = 20.0 * (range / error.sqrt()).log10();
            assert!(psnr >= asked && psnr < asked + 0.5, "{profile:?}: {psnr} for {asked}");
            assert_eq!(header.bound, Bound::Psnr(asked));
            let recorded = header.mean_squared_error.expect("it was a PSNR");
            assert!((recorded / error - 1.0).abs() < 1e-9, "{recorded} for {error}");
            assert!(stream.certificate().max_abs_error <= header.absolute_bound);
        }
    }
}

#[test]
fn a_ratio_is_met() {
    let shape = [60, 80, 90];
    let values = field(&shape);
    for profile in profiles() {
        for asked in [3.0, 6.0, 12.0, 25.0] {
            let options =
                CompressOptions::new(Bound::Ratio(asked)).missing(-999.0).profile(profile);
            let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
            let miss = stream.compression_ratio() / asked - 1.0;
            assert!(miss.abs() < 0.03, "{profile:?}: {asked} missed by {miss}");
            assert_eq!(stream.missed_ratio(), None);
            assert_eq!(stream.header().bound, Bound::Ratio(asked));
            assert_eq!(stream.header().mean_squared_error, None);
        }
    }
}

/// Values of single precision as double: where the step becomes one that they are multiples of, the ratio rises by half
/// within a fiftieth of the bound.
#[test]
fn a_ratio_is_met_on_a_steep_rise() {
    let values: Vec<f64> =
        (0..100_000).map(|i| f64::from((f64::from(i) / 1e3).sin() as f32)).collect();
    for profile in profiles() {
        for asked in [4.0, 5.0] {
            let options = CompressOptions::new(Bound::Ratio(asked)).profile(profile);
            let stream = compressed(&Codec::cpu(), &[values.len()], &values, &options).unwrap();
            assert_eq!(stream.missed_ratio(), None, "{profile:?}: {}", stream.compression_ratio());
        }
    }
}

#[test]
fn a_length_holds_or_is_refused_with_the_smallest_one() {
    let shape = [60, 80, 90];
    let values = field(&shape);
    for profile in profiles() {
        for most in [40_000, 250_001, 1_000_000] {
            let options =
                CompressOptions::new(Bound::MaxBytes(most)).missing(-999.0).profile(profile);
            let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
            let len = stream.compressed_bytes();
            assert!(len <= most && len * 10 > most * 9, "{profile:?}: {len} for {most}");
        }
        let options = CompressOptions::new(Bound::MaxBytes(500)).profile(profile);
        let Err(Error::InvalidArgument(why)) = compressed(&Codec::cpu(), &shape, &values, &options)
        else {
            panic!("500 bytes are too few")
        };
        let smallest: u64 = why.rsplit(' ').next().unwrap().parse().expect(&why);
        let options = CompressOptions::new(Bound::MaxBytes(smallest)).profile(profile);
        let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
        assert!(stream.compressed_bytes() <= smallest);
    }
    let options = CompressOptions::new(Bound::Ratio(1e6));
    let refused = compressed(&Codec::cpu(), &shape, &values, &options);
    assert!(matches!(refused, Err(Error::InvalidArgument(_))), "{refused:?}");
}

#[test]
fn the_bound_is_the_same_everywhere_and_can_be_asked_for() {
    let shape = [50, 70, 30];
    let long = shape.map(|n| n as u64);
    let mut codecs = vec![Codec::cpu_portable(), Codec::cpu().threads(1).unwrap()];
    match Codec::cuda(0) {
        Ok(cuda) => codecs.push(cuda),
        Err(reason) => eprintln!("SKIPPED: targets on CUDA: {reason}"),
    }
    let mut coast = spoiled(105_000, 2_000, 1e30);
    coast[30_000..70_000].fill(9.96921e36);
    for values in [field(&shape), coast] {
        for bound in [Bound::Psnr(70.0), Bound::Ratio(7.0), Bound::MaxBytes(60_000)] {
            for profile in profiles() {
                let options = CompressOptions::new(bound).profile(profile);
                let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
                for codec in &codecs {
                    let other = compressed(codec, &shape, &values, &options).unwrap();
                    assert!(
                        other.as_bytes() == stream.as_bytes(),
                        "{codec}, {profile:?}, {bound:?}"
                    );
                }
                let found = Codec::cpu().find_bound(&values, &long, &options).unwrap();
                assert_eq!(found, stream.header().absolute_bound);
                // Given as an absolute bound it makes the same payload.
                let plain = CompressOptions::new(Bound::Absolute(found)).profile(profile);
                let plain = compressed(&Codec::cpu(), &shape, &values, &plain).unwrap();
                assert!(plain.payload() == stream.payload());
            }
        }
    }
}

#[test]
fn fields_without_a_scale_have_a_bound_too() {
    let nothing: [(&[usize], Vec<f32>); 5] = [
        (&[0, 7], vec![]),
        (&[1], vec![3.5]),
        (&[700], vec![7.25; 700]),
        (&[600], vec![f32::NAN; 600]),
        (&[3], vec![f32::INFINITY, 1e-44, -f32::MAX]),
    ];
    for (shape, values) in &nothing {
        for profile in profiles() {
            for bound in [Bound::Psnr(50.0), Bound::Ratio(1e-3), Bound::MaxBytes(100_000)] {
                let options = CompressOptions::new(bound).profile(profile);
                let stream = compressed(&Codec::cpu(), shape, values, &options).unwrap();
                let stream = Stream::open(stream.as_bytes()).expect("a sound header");
                let decoded = Codec::cpu().decompress::<f32>(&stream).unwrap();
                let most = stream.header().absolute_bound;
                for (d, near) in values.iter().zip(&decoded) {
                    let error = (f64::from(*d) - f64::from(*near)).abs();
                    assert!(error <= most || d.to_bits() == near.to_bits(), "{d} {near} {most}");
                }
            }
        }
    }
}

#[test]
fn targets_that_make_no_sense_are_refused() {
    for bound in [
        Bound::Psnr(f64::NAN),
        Bound::Psnr(-3.0),
        Bound::Ratio(0.0),
        Bound::Ratio(f64::INFINITY),
        Bound::MaxBytes(0),
    ] {
        let refused = compressed(&Codec::cpu(), &[4], &[1f32; 4], &CompressOptions::new(bound));
        assert!(matches!(refused, Err(Error::InvalidArgument(_))), "{bound:?}: {refused:?}");
    }
}

/// Also where every bound makes the same stream, and where no stream has so few bytes.
#[test]
fn a_limit_that_is_too_small_is_refused_and_the_smallest_is_told() {
    let fields = [vec![], vec![f32::NAN; 600], vec![-999.0; 600], vec![3.5; 600], field(&[600])];
    for values in &fields {
        for profile in profiles() {
            let within = |limit| {
                let options = CompressOptions::new(Bound::MaxBytes(limit)).missing(-999.0);
                let shape = [values.len()];
                compressed(&Codec::cpu(), &shape, values, &options.profile(profile))
            };
            for limit in [0, 1, 100] {
                let told = within(limit).unwrap_err().to_string();
                let words = format!("a limit of {limit} bytes is too small");
                assert!(told.contains(&words), "{told}");
                let smallest: u64 = told.rsplit(' ').next().unwrap().parse().expect(&told);
                assert!(within(smallest).unwrap().compressed_bytes() <= smallest);
            }
        }
    }
}

/// Values that come back as they were keep any PSNR.
#[test]
fn psnr_beyond_what_any_error_gives_is_exact() {
    let shape = [32, 30];
    let values = field(&shape);
    for decibels in [1e4, 1e9, 1e300] {
        let options = CompressOptions::new(Bound::Psnr(decibels));
        let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
        assert_eq!(stream.certificate().max_abs_error, 0.0, "{decibels}");
        assert_eq!(stream.header().mean_squared_error, Some(0.0));
    }
}

/// Also errors whose share of the range has a square that no f64 holds.
#[test]
fn psnr_of_values_of_all_magnitudes_is_exact() {
    let shape = [40, 50];
    let values: Vec<f64> = (0..2000).map(|i| 10f64.powi(i % 600 - 300) * f64::from(i)).collect();
    for profile in profiles() {
        let options = CompressOptions::new(Bound::Psnr(1e4)).profile(profile);
        let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
        assert_eq!(stream.certificate().max_abs_error, 0.0);
        assert_eq!(stream.header().mean_squared_error, Some(0.0));
    }
}

/// A large field is looked at by a sample first.
#[test]
fn large_fields_are_sampled() {
    let shape = [130, 260, 260];
    let values = field(&shape);
    assert!(values.len() > 1 << 23, "small fields are not sampled");
    for bound in [Bound::Psnr(64.0), Bound::Ratio(9.0)] {
        let options = CompressOptions::new(bound).missing(-999.0);
        let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
        if let Bound::Ratio(asked) = bound {
            assert!((stream.compression_ratio() / asked - 1.0).abs() < 0.03);
        } else {
            let (range, error) = errors(&stream, &values);
            let psnr = 20.0 * (range / error.sqrt()).log10();
            assert!((64.0..64.5).contains(&psnr), "{psnr}");
        }
    }
}

/// Doubles of any size: the search works on a scale of powers.
#[test]
fn doubles_from_tiny_to_huge() {
    let values: Vec<f64> = (0..20_000).map(|i| (f64::from(i) * 0.01).sin()).collect();
    for scale in [1e-290, 1e-3, 1e290] {
        let values: Vec<f64> = values.iter().map(|d| d * scale).collect();
        for profile in profiles() {
            let options = CompressOptions::new(Bound::Ratio(8.0)).profile(profile);
            let stream = compressed(&Codec::cpu(), &[20_000], &values, &options).unwrap();
            assert!((stream.compression_ratio() / 8.0 - 1.0).abs() < 0.03, "{scale}");
        }
    }
}

/// Noise that is as large as the bound bends the curve of the ratio there.
#[test]
fn a_noise_floor_does_not_mislead_the_search() {
    let noise = |i: u32| {
        let mixed = |k: u32| {
            (i ^ k << 27).wrapping_mul(0x9E37_79B9).rotate_left(15).wrapping_mul(0x85EB_CA6B)
        };
        (0..4).map(|k| (mixed(k) >> 8) as f32 / (1 << 24) as f32 - 0.5).sum::<f32>()
    };
    let values: Vec<f32> =
        (0..60_000u32).map(|i| (i as f32 * 1e-3).sin() + 1.7e-4 * noise(i)).collect();
    for profile in profiles() {
        for most in [20_000, 30_000, 45_000] {
            let options = CompressOptions::new(Bound::MaxBytes(most)).profile(profile);
            let stream = compressed(&Codec::cpu(), &[20, 50, 60], &values, &options).unwrap();
            let len = stream.compressed_bytes();
            assert!(len <= most && len * 100 > most * 95, "{profile:?}: {len} for {most}");
        }
    }
}

/// A smooth field of which every `nth` value is another one.
fn spoiled(n: usize, nth: usize, by: f32) -> Vec<f32> {
    let value = |i: usize| (i as f32 * 1e-2).sin() * 20.0 + (i as f32 * 0.77).cos() * 1e-2;
    (0..n).map(|i| if i % nth == nth / 2 { by } else { value(i) }).collect()
}

/// An outlier, or a fill value that nobody named, is a range of its own: most values tell where the bound is.
#[test]
fn outliers_do_not_rule_the_search() {
    let shape = [120_000];
    // In one run, as land is in the sea.
    let mut coast = spoiled(120_000, usize::MAX, 0.0);
    coast[30_000..70_000].fill(9.96921e36);
    for (what, values) in [
        ("one", spoiled(120_000, 100_000, 1e30)),
        ("some", spoiled(120_000, 3_000, -1e30)),
        ("a coast", coast),
    ] {
        for profile in profiles() {
            let plain = |e: f64| {
                let options = CompressOptions::new(Bound::Absolute(e)).profile(profile);
                compressed(&Codec::cpu(), &shape, &values, &options).unwrap().compressed_bytes()
            };
            for bound in [1e-4, 1e-2, 0.5] {
                let most = plain(bound);
                let options = CompressOptions::new(Bound::MaxBytes(most)).profile(profile);
                let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
                let (len, found) = (stream.compressed_bytes(), stream.header().absolute_bound);
                let told = format!("{what}, {profile:?}: {len} for {most}, bound {found:e}");
                assert!(len <= most && len * 10 >= most * 9, "{told}");
                assert!(found <= bound * 1.3, "{told}");

                let ratio = 480_000.0 / most as f64;
                let options = CompressOptions::new(Bound::Ratio(ratio)).profile(profile);
                let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
                let miss = stream.compression_ratio() / ratio - 1.0;
                assert!(miss.abs() < 0.05, "{what}, {profile:?}: {ratio} missed by {miss}");
            }
        }
    }
}

/// PSNR of what a stream gives back, without a step that overflows.
fn psnr(stream: &Stream<'_>, values: &[f64]) -> f64 {
    let decoded = Codec::cpu().decompress::<f64>(stream).unwrap();
    let (min, max) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), d| (a.min(*d), b.max(*d)));
    let half_span = max / 2.0 - min / 2.0;
    let squares = values.iter().zip(&decoded).map(|(d, near)| ((d - near) / half_span).powi(2));
    let mean = squares.sum::<f64>() / values.len() as f64;
    -10.0 * mean.log10() + 20.0 * 2f64.log10()
}

#[test]
fn a_psnr_holds_near_the_ends_of_the_type() {
    let wave = |i: usize| (i as f64 * 0.01).sin();
    let signs = |i: usize| if i.is_multiple_of(3) { 1.7e308 } else { -1.7e308 };
    let fields: [Vec<f64>; 4] = [
        (0..9_000).map(signs).collect(),
        (0..9_000).map(|i| wave(i) * 1.7e308).collect(),
        (0..9_000).map(|i| wave(i) * 1e-200).collect(),
        (0..9_000).map(|i| wave(i) * 1e-310).collect(),
    ];
    for (k, values) in fields.iter().enumerate() {
        for profile in profiles() {
            let options = CompressOptions::new(Bound::Psnr(60.0)).profile(profile);
            let stream = compressed(&Codec::cpu(), &[9_000], values, &options).unwrap();
            assert!(psnr(&stream, values) >= 60.0, "{k}, {profile:?}");
            let recorded = stream.header().mean_squared_error.unwrap();
            assert_eq!(recorded == 0.0, stream.certificate().max_abs_error == 0.0, "{k}");
            // As far as a header can tell them: the squares of tiny errors are none that it could.
            assert!(k != 2 || stream.compression_ratio() > 4.0, "{profile:?}");
        }
    }
}

/// Near the ends of the type large bounds leave values without codes, and small ones all of them.
#[test]
fn lengths_near_the_ends_of_the_type() {
    let signs: Vec<f64> =
        (0..20_000).map(|i| if i / 50 % 2 == 0 { 1.7e308 } else { -1.7e308 }).collect();
    let wave = |scale: f64| (0..20_000).map(move |i| (f64::from(i) * 0.01).sin() * scale);
    let tiny: Vec<f64> = wave(1e-310).collect();
    for values in [signs, tiny] {
        for (profile, most) in [(Profile::default(), 12_000), (Profile::Dense(Dense::new()), 1_000)]
        {
            let options = CompressOptions::new(Bound::MaxBytes(most)).profile(profile);
            let stream = compressed(&Codec::cpu(), &[20_000], &values, &options).unwrap();
            assert!(stream.compressed_bytes() <= most, "{profile:?}");
        }
    }
    let tiny: Vec<f32> = wave(1e-40).map(|d| d as f32).collect();
    let mut tenth: Vec<f32> = wave(1.0).map(|d| d as f32).collect();
    tenth.iter_mut().step_by(10).for_each(|d| *d = f32::MAX);
    for (values, lengths) in [(tiny, [1_000, 300]), (tenth, [12_000, 1_200])] {
        for (profile, most) in profiles().into_iter().zip(lengths) {
            let options = CompressOptions::new(Bound::MaxBytes(most)).profile(profile);
            let stream = compressed(&Codec::cpu(), &[20_000], &values, &options).unwrap();
            assert!(stream.compressed_bytes() <= most, "{profile:?}");
        }
    }
}

/// What is out of reach is refused by both profiles, in the same words.
#[test]
fn ratios_out_of_reach_are_refused() {
    for values in [vec![3.5f32], vec![7.25; 700], field(&[20, 90])] {
        for profile in profiles() {
            let options = CompressOptions::new(Bound::Ratio(1e4)).profile(profile);
            let refused = compressed(&Codec::cpu(), &[values.len()], &values, &options);
            let Err(Error::InvalidArgument(why)) = refused else { panic!("{profile:?}") };
            let words =
                "no bound found gives this field a compression ratio of 10000: the largest is";
            assert!(why.starts_with(words), "{why}");
        }
    }
}

#[test]
fn the_bound_to_be_kept_is_that_of_the_header_whatever_its_kind() {
    let (shape, long) = ([12, 20, 30], [12, 20, 30]);
    let mut values = field(&shape);
    values[77] = -1234.5;
    for bound in [
        Bound::Absolute(0.1),
        Bound::ValueRange(1e-3),
        Bound::ValueRangeOf { ratio: 1e-3, min: -7.0, max: 12.0 },
        Bound::Relative { eps: 1e-2, floor: 0.0 },
        Bound::Relative { eps: 1e-2, floor: 50.0 },
    ] {
        let options = CompressOptions::new(bound);
        let stream = compressed(&Codec::cpu(), &shape, &values, &options).unwrap();
        let found = Codec::cpu().find_bound(&values, &long, &options).unwrap();
        assert_eq!(found, stream.header().absolute_bound, "{bound:?}");
    }
}
