//! A field with missing values and NaN on two threads: both come back bit for bit, and neither counts
//! for the range of the bound. `cargo run --example missing_values`

use fsz::{Bound, Codec, CompressOptions};
use ndarray::Array2;

/// What this field has where there is no ocean.
const LAND: f32 = 1e20;

fn main() -> fsz::Result<()> {
    let mut temperature =
        Array2::from_shape_fn((180, 360), |(y, x)| if x < 120 { LAND } else { 0.1 * y as f32 });
    temperature[[90, 200]] = f32::NAN;

    let codec = Codec::cpu().threads(2)?;
    let options =
        CompressOptions::new(Bound::ValueRange(1e-3)).missing(LAND.into()).name("temperature");
    let stream = codec.compress_with(temperature.view(), &options)?;
    println!("absolute bound {:.4}", stream.header().absolute_bound);

    let decoded = codec.decompress::<f32>(&stream)?;
    assert!(decoded[[0, 0]] == LAND && decoded[[90, 200]].is_nan());
    println!("{} missing values, 1 NaN", stream.certificate().missing);
    Ok(())
}
