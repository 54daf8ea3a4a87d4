//! Compresses a file of raw little-endian `f32` values and writes the stream beside it:
//! `cargo run --example compress_file -- T.f32 15x192x288 1e-3`

use fsz::{Bound, Codec, CompressOptions, Stream, max_compressed_len};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, shape, bound] = args.as_slice() else {
        return Err("usage: compress_file FILE.f32 SHAPE BOUND".into());
    };
    let shape = shape.split('x').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    let bytes = std::fs::read(file)?;
    let values: Vec<f32> = bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();

    // The bound is relative to max - min of the field; `Bound::Absolute` is in the field's own unit.
    let options = CompressOptions::new(Bound::ValueRange(bound.parse()?));
    let mut stream = vec![0; max_compressed_len(&shape, fsz::DType::F32)? as usize];
    let len = Codec::auto().compress_into(&values, &shape, &options, &mut stream)?;
    stream.truncate(len);
    std::fs::write(format!("{file}.fsz"), &stream)?;

    let stream = Stream::from_vec(stream)?;
    println!("{file}.fsz: {len} bytes, ratio {:.2}", stream.compression_ratio());
    Ok(())
}
