//! Decoding a stream part by part, so that fields larger than memory can be processed: one part is decoded while
//! the one before is written or looked at.

use std::ops::Range;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use fsz::{Codec, DecompressOptions, Element, Progress, Stream};
use fsz_field::Shape;
use indicatif::ProgressBar;

use crate::bar;
use crate::failure::{in_file, memory_for};
use crate::interrupt::Cancellable;

/// Bytes of a decoded part, about: enough to keep all threads busy. Large fields have larger parts, for a device is
/// given the stream's index with each.
const PART: Range<u64> = 16 << 20..64 << 20;
/// Parts of a field, about, within these limits.
const PARTS: u64 = 64;
/// Parts that are held at a time: one is decoded, one is taken.
const BUFFERS: usize = 2;
/// A part of the time of decoding: where as much is waited for the taker, it sets the pace, and a device would be begun
/// with for nothing.
const TO_SPARE: u32 = 4;

/// Decodes the whole field of a stream in a file, in order, and passes each part on, with the index of its first value.
pub fn each<T: Element>(
    codec: &Codec,
    (path, stream): (&Path, &Stream<'_>),
    what: &str,
    quiet: bool,
    take: impl FnMut(u64, &[T]) -> Result<()>,
) -> Result<()> {
    let bar = bar::bytes(what, stream.raw_bytes(), quiet);
    let part = (stream.raw_bytes() / PARTS).clamp(PART.start, PART.end);
    each_of(part, codec, stream, &bar, take).map_err(|error| match error.downcast() {
        Ok(error) => in_file(path)(error),
        Err(other) => memory_for(path)(other),
    })
}

/// The same with parts of about so many bytes.
fn each_of<T: Element>(
    part: u64,
    codec: &Codec,
    stream: &Stream<'_>,
    bar: &ProgressBar,
    mut take: impl FnMut(u64, &[T]) -> Result<()>,
) -> Result<()> {
    let parts = Parts::of(stream, part / size_of::<T>() as u64);
    let progress = Progress::new();
    let cancellable = Cancellable::new(&progress);
    let options = DecompressOptions::new().progress(progress);
    let most = Shape::new(&[(parts.together * parts.unit).min(stream.header().elements())])?;
    let (fill, filled) = mpsc::channel::<(Range<u64>, Vec<T>)>();
    let (empty, emptied) = mpsc::channel();
    for _ in 0..BUFFERS.min(parts.count()) {
        // The other end is there.
        let _ = empty.send(fsz_field::zeros::<T>(&most)?);
    }
    let (parts, cancellable, options) = (&parts, &cancellable, &options);
    // What this thread holds of the channels goes with it, so that the other does not wait for ever.
    std::thread::scope(move |scope| {
        let decoder = std::thread::Builder::new().spawn_scoped(scope, move || -> Result<()> {
            let unhurried = codec.clone().unhurried();
            let mut took = Duration::MAX;
            for units in parts.each() {
                let began = Instant::now();
                // Without another buffer, and without a taker, the other thread has ended with an error.
                let Ok(mut buffer) = emptied.recv() else { break };
                let waited = began.elapsed();
                cancellable.check()?;
                let values = parts.values(&units);
                let codec = if waited > took / TO_SPARE { &unhurried } else { codec };
                let began = Instant::now();
                parts.decode(codec, stream, units, &mut buffer[..length(&values)], options)?;
                took = began.elapsed();
                if fill.send((values, buffer)).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let decoder = decoder.map_err(|error| {
            anyhow!("cannot start a thread: {error}; raise the limit, which ulimit -u, ulimit -v or the job sets")
        })?;
        for (values, buffer) in filled {
            cancellable.check()?;
            let part = &buffer[..length(&values)];
            take(values.start, part)?;
            bar.inc(size_of_val(part) as u64);
            // After the last part nobody takes it.
            let _ = empty.send(buffer);
        }
        decoder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    bar.finish_and_clear();
    Ok(())
}

fn length(values: &Range<u64>) -> usize {
    (values.end - values.start) as usize
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
    /// Values of the field.
    all: u64,
}

/// Bytes of a part at most that is thicker so that no chunk is decoded for several parts.
const MOST: u64 = 512 << 20;

impl Parts {
    /// Parts of about so many values.
    fn of(stream: &Stream<'_>, values: u64) -> Self {
        let all = stream.header().elements();
        if stream.grid().is_linear() {
            let unit = stream.grid().full_tile_len() as u64;
            let units = all.div_ceil(unit);
            return Parts { axis: None, units, unit, together: (values / unit).max(1), all };
        }
        let shape = &stream.header().shape;
        if shape.is_empty() {
            // The one value of a field without axes is its one box.
            return Parts { axis: None, units: 1, unit: 1, together: 1, all };
        }
        // The slowest axis that is longer than 1.
        let axis = shape.iter().position(|&n| n != 1).unwrap_or(0);
        let unit: u64 = shape[axis + 1..].iter().product();
        // Chunks are decoded as a whole, and their boxes lie side by side along the last three axes that are longer than 1.
        let axes = stream.grid().axes();
        let long = shape[axis..].iter().filter(|&&n| n != 1).count();
        let own = 4_usize.saturating_sub(long).min(3);
        let (of_box, of_chunk) = (axes.extent[own], axes.extent[own] * axes.cell[own]);
        let planes = values / unit.max(1);
        let size = stream.header().dtype.size() as u64;
        let together = match of_chunk.saturating_mul(unit).saturating_mul(size) <= MOST {
            true => planes.max(1).next_multiple_of(of_chunk),
            false => planes.next_multiple_of(of_box),
        };
        let together = together.clamp(1, shape[axis].max(1));
        Parts { axis: Some(axis), units: shape[axis], unit, together, all }
    }

    /// How many there are.
    fn count(&self) -> usize {
        self.units.div_ceil(self.together) as usize
    }

    /// The units of each.
    fn each(&self) -> impl Iterator<Item = Range<u64>> {
        let (units, together) = (self.units, self.together);
        (0..self.count() as u64).map(move |i| i * together..((i + 1) * together).min(units))
    }

    fn values(&self, units: &Range<u64>) -> Range<u64> {
        units.start * self.unit..(units.end * self.unit).min(self.all)
    }

    fn decode<T: Element>(
        &self,
        codec: &Codec,
        stream: &Stream<'_>,
        units: Range<u64>,
        out: &mut [T],
        options: &DecompressOptions,
    ) -> fsz::Result<()> {
        let Some(axis) = self.axis else {
            return codec.decompress_tiles_with(stream, units, out, options);
        };
        let shape = &stream.header().shape;
        let (mut at, mut count) = (vec![0; shape.len()], shape.clone());
        (at[axis], count[axis]) = (units.start, units.end - units.start);
        codec.decompress_box_with(stream, &at, &count, out, options)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;
    use fsz::{Bound, CompressOptions, DType, Dense, Layout, Profile};

    use super::*;

    const SHAPE: [u64; 3] = [20, 25, 40];

    fn profiles() -> Vec<Profile> {
        let dense = |layout| Profile::Dense(Dense::new().with_layout(layout));
        let layouts = [Layout::Line, Layout::Plane, Layout::Brick].map(dense);
        layouts.into_iter().chain([Profile::default()]).collect()
    }

    fn waves(profile: Profile) -> Vec<u8> {
        let values: Vec<f32> = (0..20_000).map(|i| (i as f32 * 0.01).sin()).collect();
        compressed(profile, &values, &SHAPE)
    }

    fn compressed(profile: Profile, values: &[f32], shape: &[u64]) -> Vec<u8> {
        let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(profile);
        let mut bytes = vec![0; fsz::max_compressed_len(shape, DType::F32).unwrap() as usize];
        let len = Codec::cpu().compress_into(values, shape, &options, &mut bytes).unwrap();
        bytes.truncate(len);
        bytes
    }

    #[test]
    fn parts_join_to_the_whole() {
        for profile in profiles() {
            let bytes = waves(profile);
            let stream = Stream::open(&bytes).unwrap();
            let mut whole = vec![0f32; 20_000];
            Codec::cpu().decompress_into(&stream, &mut whole).unwrap();
            for codec in [Codec::cpu(), Codec::cpu().threads(1).unwrap(), Codec::auto()] {
                for part in [1, 1024, 5000, 40_000, PART.end] {
                    let mut joined = Vec::new();
                    each_of::<f32>(part, &codec, &stream, &ProgressBar::hidden(), |start, part| {
                        assert_eq!(start, joined.len() as u64);
                        joined.extend_from_slice(part);
                        Ok(())
                    })
                    .unwrap();
                    assert_eq!(joined, whole);
                }
            }
        }
    }

    #[test]
    fn few_chunks_are_decoded_for_several_parts() {
        let shapes: [&[u64]; 4] =
            [&[200, 90, 70], &[300, 200], &[1, 130, 1, 90, 40], &[3, 70, 40, 50]];
        for shape in shapes {
            let values = vec![0.5; shape.iter().product::<u64>() as usize];
            // Bricks do not fill a field of two axes.
            let fits = |own: &Profile| shape.len() > 2 || own.layout_name() != "brick";
            for profile in profiles().into_iter().filter(fits) {
                let bytes = compressed(profile, &values, shape);
                let stream = Stream::open(&bytes).unwrap();
                let parts = Parts::of(&stream, 5000);
                let Some(axis) = parts.axis else { continue };
                let mut decoded = 0;
                for units in parts.each() {
                    let (mut at, mut count) = (vec![0; shape.len()], shape.to_vec());
                    (at[axis], count[axis]) = (units.start, units.end - units.start);
                    decoded += stream.chunks_of_box(&at, &count).unwrap().len() as u64;
                }
                // Where boxes at the end of an axis do not fill a chunk, it goes on behind them.
                let most = stream.chunks() + parts.count() as u64 - 1;
                assert!(decoded <= most, "{decoded} of {}: {profile:?} {shape:?}", stream.chunks());
                assert!(parts.count() > 1 || shape.len() == 2, "{profile:?} {shape:?}");
            }
        }
    }

    #[test]
    fn an_error_on_either_side_ends_both() {
        let bytes = waves(Profile::default());
        let stream = Stream::open(&bytes).unwrap();
        for after in [0, 1, 7] {
            let mut taken = 0;
            let ended =
                each_of::<f32>(1, &Codec::cpu(), &stream, &ProgressBar::hidden(), |_, _| {
                    taken += 1;
                    if taken > after { bail!("the disk is full") } else { Ok(()) }
                });
            assert_eq!(ended.unwrap_err().to_string(), "the disk is full");
            assert_eq!(taken, after + 1);
        }
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        let stream = Stream::open(&damaged).unwrap();
        let mut taken = 0;
        let ended = each_of::<f32>(1, &Codec::cpu(), &stream, &ProgressBar::hidden(), |_, part| {
            taken += part.len();
            Ok(())
        });
        assert!(ended.unwrap_err().to_string().contains("corrupt"));
        assert!((1..20_000).contains(&taken), "what is sound before the damage is passed on");
    }

    #[test]
    fn a_single_value_is_one_part_whatever_the_number_of_axes() {
        for profile in profiles() {
            for shape in [&[][..], &[1], &[1, 1], &[1; 8]] {
                let bytes = compressed(profile, &[2.5], shape);
                let stream = Stream::open(&bytes).unwrap();
                let mut parts = Vec::new();
                each_of::<f32>(1, &Codec::cpu(), &stream, &ProgressBar::hidden(), |start, part| {
                    parts.push((start, part.len()));
                    Ok(())
                })
                .unwrap();
                assert_eq!(parts, [(0, 1)], "{profile:?} {shape:?}");
            }
        }
    }

    #[test]
    fn a_field_without_values_has_no_parts() {
        let bytes = compressed(Profile::default(), &[], &[0]);
        let stream = Stream::open(&bytes).unwrap();
        each_of::<f32>(1, &Codec::cpu(), &stream, &ProgressBar::hidden(), |_, _| bail!("a part"))
            .unwrap();
    }
}
