//! What a first user of the published package writes.

use fsz::{Bound, Codec};
use ndarray::Array2;

fn main() -> fsz::Result<()> {
    let field = Array2::from_shape_fn((300, 400), |(y, x)| (0.01 * x as f32).sin() + y as f32);
    let codec = Codec::auto();
    let stream = codec.compress(field.view(), Bound::Absolute(1e-3))?;
    let back = codec.decompress::<f32>(&stream)?;
    let error = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
    let largest = field.iter().zip(&back).map(error).fold(0.0, f64::max);
    println!("{} bytes, largest error {largest:e}", stream.as_bytes().len());
    assert!(largest <= 1e-3 && stream.as_bytes().len() < 4 * field.len());
    Ok(())
}
