//! Decoding a stream part by part, so that fields larger than memory can be processed.

use anyhow::Result;
use fsz::{Codec, Element, Progress, Stream};
use fsz_field::Shape;
use indicatif::ProgressBar;

use crate::bar;
use crate::interrupt::Cancellable;

/// Bytes of a decoded chunk, about: enough to keep all threads busy.
const CHUNK: u64 = 64 << 20;

/// Decodes the whole field in order and passes each chunk on, with the index of its first value.
pub fn each<T: Element>(
    codec: &Codec,
    stream: &Stream<'_>,
    what: &str,
    quiet: bool,
    take: impl FnMut(u64, &[T]) -> Result<()>,
) -> Result<()> {
    let bar = bar::bytes(what, stream.raw_bytes(), quiet);
    each_of(CHUNK, codec, stream, &bar, take)
}

/// The same with chunks of about so many bytes.
fn each_of<T: Element>(
    chunk: u64,
    codec: &Codec,
    stream: &Stream<'_>,
    bar: &ProgressBar,
    mut take: impl FnMut(u64, &[T]) -> Result<()>,
) -> Result<()> {
    if !stream.grid().is_linear() {
        return slabs(chunk, codec, stream, bar, take);
    }
    let (elements, tile_len) = (stream.header().elements(), stream.grid().full_tile_len() as u64);
    let cancellable = Cancellable::new(&Progress::new());
    let tiles = elements.div_ceil(tile_len);
    let together = (chunk / (tile_len * size_of::<T>() as u64)).max(1);
    let chunk = Shape::new(&[(together * tile_len).min(elements)])?;
    let mut buffer = fsz_field::zeros::<T>(&chunk)?;
    let mut first = 0;
    while first < tiles {
        cancellable.check()?;
        let next = (first + together).min(tiles);
        let (start, end) = (first * tile_len, (next * tile_len).min(elements));
        let values = &mut buffer[..(end - start) as usize];
        codec.decompress_tiles_into(stream, first..next, values)?;
        take(start, values)?;
        bar.inc(size_of_val(values) as u64);
        first = next;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Planes of a slab are a multiple of this, so that few boxes are decoded for two slabs.
const PLANES: u64 = 64;

/// The same where tiles are boxes: slabs along the slowest axis that is longer than 1.
fn slabs<T: Element>(
    chunk: u64,
    codec: &Codec,
    stream: &Stream<'_>,
    bar: &ProgressBar,
    mut take: impl FnMut(u64, &[T]) -> Result<()>,
) -> Result<()> {
    let shape = &stream.header().shape;
    let cancellable = Cancellable::new(&Progress::new());
    let axis = shape.iter().position(|&n| n != 1).unwrap_or(0);
    let plane: u64 = shape[axis + 1..].iter().product();
    let planes = (chunk / (plane * size_of::<T>() as u64).max(1)).next_multiple_of(PLANES);
    let planes = planes.clamp(1, shape[axis].max(1));
    let mut buffer = fsz_field::zeros::<T>(&Shape::new(&[planes * plane])?)?;
    let (mut start, mut count) = (vec![0; shape.len()], shape.clone());
    while start[axis] < shape[axis] {
        cancellable.check()?;
        count[axis] = planes.min(shape[axis] - start[axis]);
        let values = &mut buffer[..(count[axis] * plane) as usize];
        codec.decompress_box_into(stream, &start, &count, values)?;
        take(start[axis] * plane, values)?;
        bar.inc(size_of_val(values) as u64);
        start[axis] += count[axis];
    }
    bar.finish_and_clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_join_to_the_whole() {
        let codec = Codec::cpu();
        let values: Vec<f32> = (0..10_000).map(|i| (i as f32 * 0.01).sin()).collect();
        let options = fsz::CompressOptions::new(fsz::Bound::Absolute(1e-3));
        let most = fsz::max_compressed_len(&[10_000], fsz::DType::F32).unwrap();
        let mut bytes = vec![0; most as usize];
        let len = codec.compress_into(&values, &[10_000], &options, &mut bytes).unwrap();
        let stream = Stream::open(&bytes[..len]).unwrap();
        let mut whole = vec![0f32; 10_000];
        codec.decompress_into(&stream, &mut whole).unwrap();
        for chunk in [1, 1024, 5000, 40_000, CHUNK] {
            let mut joined = Vec::new();
            each_of::<f32>(chunk, &codec, &stream, &ProgressBar::hidden(), |start, part| {
                assert_eq!(start, joined.len() as u64);
                joined.extend_from_slice(part);
                Ok(())
            })
            .unwrap();
            assert_eq!(joined, whole);
        }
    }
}
