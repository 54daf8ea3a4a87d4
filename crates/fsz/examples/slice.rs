//! Decodes one plane of a compressed volume, and nothing else: `cargo run --example slice`

use fsz::{Bound, Codec};
use ndarray::{Array3, Axis};

fn main() -> fsz::Result<()> {
    let volume = Array3::from_shape_fn((64, 128, 128), |(z, y, x)| {
        (0.1 * z as f32).sin() + (0.05 * (x + y) as f32).cos()
    });
    let codec = Codec::auto();
    let stream = codec.compress(volume.view(), Bound::Absolute(1e-3))?;

    let plane = codec.decompress_slice::<f32>(&stream, Axis(0), 17)?;
    let original = volume.index_axis(Axis(0), 17);
    let error = plane.iter().zip(&original).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!("plane 17 has shape {:?}, largest error {error:e}", plane.shape());
    Ok(())
}
