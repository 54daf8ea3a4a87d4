//! The fields and options of the golden streams: small, and each with something of its own.

use crate::fields::{Random, mask, noise, smooth};
use fsz::{Bound, Centering, CompressOptions, DType, Dense, Layout, Profile, Region, Research};

/// One golden stream: what is compressed, and how.
#[derive(Debug)]
pub struct Case {
    /// The name of its file.
    pub name: &'static str,
    pub dtype: DType,
    pub shape: Vec<u64>,
    /// The elements, to be rounded to the element type.
    pub field: Vec<f64>,
    pub options: CompressOptions,
}

/// The missing-value marker of many ocean models.
const LAND: f64 = 9.969_209_968_386_869e36;

/// All cases, in the order of their names.
#[must_use]
pub fn all() -> Vec<Case> {
    let range = |ratio| CompressOptions::new(Bound::ValueRange(ratio));
    let absolute = |e| CompressOptions::new(Bound::Absolute(e));
    let relative = |eps, floor| CompressOptions::new(Bound::Relative { eps, floor });
    let case = |name, dtype, shape: &[u64], field, options| Case {
        name,
        dtype,
        shape: shape.to_vec(),
        field,
        options,
    };
    let scaled = |field: Vec<f64>, by: f64| field.into_iter().map(|v| v * by).collect::<Vec<_>>();
    let research =
        |block_len, blocks_per_tile| Research { block_len, blocks_per_tile, ..Research::default() };
    vec![
        case("f32-constant", DType::F32, &[1000], vec![273.15; 1000], range(1e-3)),
        case("f32-empty", DType::F32, &[4, 0, 3], vec![], absolute(1e-3)),
        case("f32-huge-values", DType::F32, &[900], scaled(smooth(&[900]), 3e38), range(1e-4)),
        case("f32-incompressible", DType::F32, &[600], noise(600, 1), absolute(1e-9)),
        case("f32-named-step-start", DType::F32, &[6, 50], smooth(&[6, 50]), {
            absolute(1e-3).name("temperature/2 m").time_step(17).start(&[12, 100])
        }),
        case("f32-non-finite", DType::F32, &[7, 111], non_finite(7 * 111), absolute(0.01)),
        case("f32-one-element", DType::F32, &[], vec![1.5], absolute(0.1)),
        case("f32-regions", DType::F32, &[9, 17, 33], smooth(&[9, 17, 33]), {
            absolute(0.05)
                .region(Region::in_box(&[2, 3, 4], &[5, 9, 20], Bound::Absolute(1e-3)))
                .region(Region::in_box(&[0, 0, 10], &[4, 17, 9], Bound::Absolute(0.5)))
        }),
        case("f32-relative", DType::F32, &[30, 90], cubed(&[30, 90]), relative(1e-3, 0.0)),
        case("f32-relative-coarse", DType::F32, &[2000], cubed(&[2000]), relative(0.5, 0.0)),
        case("f32-relative-floor", DType::F32, &[30, 90], cubed(&[30, 90]), relative(1e-2, 1e-3)),
        case("f32-relative-non-finite", DType::F32, &[7, 111], non_finite(7 * 111), {
            relative(1e-2, 0.0).missing(1e30)
        }),
        case("f32-relative-straight", DType::F32, &[900], cubed(&[900]), relative(5e-7, 0.0)),
        case("f32-research-4x32", DType::F32, &[1500], smooth(&[1500]), {
            range(1e-3).research(research(32, 4))
        }),
        case("f32-research-16x64", DType::F32, &[2500], smooth(&[2500]), {
            range(1e-3).research(research(64, 16))
        }),
        case("f32-research-paper-mean", DType::F32, &[30, 40], smooth(&[30, 40]), {
            let centering = Centering::Mean;
            range(1e-4).research(Research { centering, ..Research::default() })
        }),
        case("f32-research-plain", DType::F32, &[30, 40], smooth(&[30, 40]), {
            let research = Research {
                cross_block: false,
                centering: Centering::Off,
                order2: false,
                ..Research::default()
            };
            range(1e-3).research(research)
        }),
        case("f32-several-chunks", DType::F32, &[40_000], smooth(&[40_000]), range(1e-2)),
        case("f32-smooth-3d", DType::F32, &[9, 17, 33], smooth(&[9, 17, 33]), range(1e-3)),
        case("f32-subnormal", DType::F32, &[700], scaled(smooth(&[700]), 1e-41), range(1e-2)),
        case("f64-masked-2d", DType::F64, &[60, 90], land(), range(1e-3).missing(LAND)),
        case("f64-relative", DType::F64, &[40, 60], cubed(&[40, 60]), relative(1e-4, 0.0)),
        case("f64-regions-masked", DType::F64, &[60, 90], land(), {
            let coast = (0..5400).map(|i| i % 90 > 40 && i / 90 % 4 == 0).collect();
            range(1e-2).missing(LAND).region(Region::where_set(coast, Bound::ValueRange(1e-4)))
        }),
        case("f64-relative-floor", DType::F64, &[60, 90], land(), {
            relative(1e-3, 0.25).missing(LAND).name("salt")
        }),
        case("f64-smooth-4d", DType::F64, &[3, 4, 9, 20], smooth(&[3, 4, 9, 20]), absolute(1e-7)),
        case("f64-subnormal-bound", DType::F64, &[300], scaled(smooth(&[300]), 1e-300), {
            absolute(1e-310)
        }),
    ]
}

/// The cases of `dense`: every layout, masks, outliers, exact values, several chunks, points between the codes of a
/// pointwise-relative bound and none.
#[must_use]
pub fn dense() -> Vec<Case> {
    let range = |ratio| CompressOptions::new(Bound::ValueRange(ratio));
    let absolute = |e| CompressOptions::new(Bound::Absolute(e));
    let relative = |eps, floor| CompressOptions::new(Bound::Relative { eps, floor });
    let case = |name, dtype, shape: &[u64], field, options: CompressOptions| Case {
        name,
        dtype,
        shape: shape.to_vec(),
        field,
        options: options.profile(Profile::Dense(Dense::new())),
    };
    let of = |layout, mut case: Case| {
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        case.options = case.options.profile(profile);
        case
    };
    vec![
        case("dense-f32-constant", DType::F32, &[1000], vec![273.15; 1000], range(1e-3)),
        case("dense-f32-empty", DType::F32, &[4, 0, 3], vec![], absolute(1e-3)),
        case("dense-f32-incompressible", DType::F32, &[600], noise(600, 1), absolute(1e-9)),
        case("dense-f32-non-finite", DType::F32, &[7, 111], non_finite(7 * 111), absolute(0.01)),
        case("dense-f32-one-element", DType::F32, &[], vec![1.5], absolute(0.1)),
        case("dense-f32-several-chunks", DType::F32, &[140_000], smooth(&[140_000]), range(1e-4)),
        case("dense-f32-small-bound", DType::F32, &[60, 70], smooth(&[60, 70]), range(1e-7)),
        of(
            Layout::Brick,
            case("dense-f32-brick", DType::F32, &[18, 33, 40], smooth(&[18, 33, 40]), range(1e-3)),
        ),
        of(
            Layout::Line,
            case("dense-f32-line", DType::F32, &[40, 250], smooth(&[40, 250]), range(1e-3)),
        ),
        of(
            Layout::Plane,
            case("dense-f64-plane", DType::F64, &[3, 70, 90], smooth(&[3, 70, 90]), range(1e-5)),
        ),
        of(
            Layout::Brick,
            case("dense-f32-blended", DType::F32, &[18, 33, 40], smooth(&[18, 33, 40]), {
                range(1e-4)
            }),
        ),
        of(
            Layout::Plane,
            case("dense-f64-blended-2d", DType::F64, &[70, 90], smooth(&[70, 90]), range(1e-4)),
        ),
        case("dense-f64-masked-2d", DType::F64, &[60, 90], land(), range(1e-3).missing(LAND)),
        case("dense-f32-relative", DType::F32, &[60, 70], cubed(&[60, 70]), relative(0.01, 0.0)),
        case("dense-f32-relative-codes", DType::F32, &[60, 70], cubed(&[60, 70]), {
            relative(1e-6, 1e-7)
        }),
        case("dense-f64-relative-floor", DType::F64, &[60, 90], land(), {
            relative(0.1, 0.25).missing(LAND)
        }),
    ]
}

/// Values of many sizes and of both signs, and zeros.
fn cubed(shape: &[u64]) -> Vec<f64> {
    let cube = |v: f64| v * v * v * 50.0;
    let value = |(i, v)| if i % 83 == 5 { 0.0 } else { cube(cube(v - 0.5)) };
    smooth(shape).into_iter().enumerate().map(value).collect()
}

fn land() -> Vec<f64> {
    let mut field = smooth(&[60, 90]);
    mask(&mut field, 90, LAND);
    field
}

/// Smooth, with NaN of both signs, infinities and a spike here and there.
fn non_finite(elements: usize) -> Vec<f64> {
    let mut random = Random::new(7);
    let mut field = smooth(&[elements as u64]);
    for value in &mut field {
        *value = match random.bits() % 50 {
            0 => f64::NAN,
            1 => -f64::NAN,
            2 => f64::INFINITY,
            3 => f64::NEG_INFINITY,
            4 => 1e30,
            _ => *value,
        };
    }
    field
}
