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
    let parts = Parts::of(stream, chunk / size_of::<T>() as u64);
    let cancellable = Cancellable::new(&Progress::new());
    let most = (parts.together * parts.unit).min(stream.header().elements());
    let mut buffer = fsz_field::zeros::<T>(&Shape::new(&[most])?)?;
    let mut first = 0;
    while first < parts.units {
        cancellable.check()?;
        let units = first..(first + parts.together).min(parts.units);
        let start = units.start * parts.unit;
        let end = (units.end * parts.unit).min(stream.header().elements());
        let values = &mut buffer[..(end - start) as usize];
        first = units.end;
        match parts.axis {
            None => codec.decompress_tiles_into(stream, units, values)?,
            Some(axis) => {
                let shape = &stream.header().shape;
                let (mut at, mut count) = (vec![0; shape.len()], shape.clone());
                (at[axis], count[axis]) = (units.start, units.end - units.start);
                codec.decompress_box_into(stream, &at, &count, values)?;
            }
        }
        take(start, values)?;
        bar.inc(size_of_val(values) as u64);
    }
    bar.finish_and_clear();
    Ok(())
}

/// How a field is decoded in order: tiles of consecutive values, or planes where tiles are boxes.
struct Parts {
    /// The axis that planes are across.
    axis: Option<usize>,
    /// Tiles or planes, and the values of one.
    units: u64,
    unit: u64,
    /// How many are decoded at once.
    together: u64,
}

/// Planes that are decoded at once are a multiple of this, so that few boxes are decoded twice.
const PLANES: u64 = 64;

impl Parts {
    /// Parts of about so many values.
    fn of(stream: &Stream<'_>, values: u64) -> Self {
        if stream.grid().is_linear() {
            let unit = stream.grid().full_tile_len() as u64;
            let units = stream.header().elements().div_ceil(unit);
            return Parts { axis: None, units, unit, together: (values / unit).max(1) };
        }
        // The slowest axis that is longer than 1.
        let shape = &stream.header().shape;
        let axis = shape.iter().position(|&n| n != 1).unwrap_or(0);
        let unit: u64 = shape[axis + 1..].iter().product();
        let together = (values / unit.max(1)).next_multiple_of(PLANES);
        let together = together.clamp(1, shape[axis].max(1));
        Parts { axis: Some(axis), units: shape[axis], unit, together }
    }
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
