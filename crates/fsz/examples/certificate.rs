//! What a stream says about itself without being decoded: `cargo run --example certificate [FILE.fsz]`

use fsz::{Bound, Codec, Stream};
use ndarray::Array2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = match std::env::args().nth(1) {
        Some(file) => Stream::from_vec(std::fs::read(file)?)?,
        None => {
            let field = Array2::from_shape_fn((200, 300), |(y, x)| (x * y) as f64 * 1e-4);
            Codec::auto().compress(field.view(), Bound::ValueRange(1e-4))?
        }
    };
    let (header, certificate) = (stream.header(), stream.certificate());
    println!("{} {:?}, ratio {:.2}", header.dtype, header.shape, stream.compression_ratio());
    println!("bound {:e}, largest error {:e}", header.absolute_bound, certificate.max_abs_error);
    println!("minimum {}, maximum {}", certificate.min, certificate.max);
    println!("NaN {}, Inf {}, missing {}", certificate.nan, certificate.inf, certificate.missing);
    println!("{:?}", stream.tile_counts());
    Ok(())
}
