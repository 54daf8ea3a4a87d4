//! A profile that exists in tests alone: codes as they are, in boxes of 16 × 32 × 32 elements. It shows what
//! a second profile takes: this file, and a line of `profiles!`.

use std::ops::Range;

use super::{ChunkDecoder, ChunkEncoder, ChunkRecorder, Coding, Decoding, Plan, StoredChunk};
#[cfg(feature = "cuda")]
use crate::choice::{UsualCost, Work};
use crate::{
    dtype::DType,
    element::Element,
    error::{Error, Result},
    format::{TileOrder, WORD, checksum::rows, tile_grid::TileShape},
    missing::is_missing,
    quantizer::Dequantizer,
    simd::Level,
    statistics::Statistics,
    tile_cost::TileCost,
    tile_record::{Storage, TileKind, TileRecord},
};

const BOX: [u32; 3] = [16, 32, 32];
/// The word of an element that has no code: its bits follow behind the codes.
const ESCAPED: i32 = i32::MIN;

/// The profile: it has no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw;

impl Coding for Raw {
    const CODE: u8 = 255;
    const NAME: &'static str = "raw";
    const STANDARD: Self = Raw;

    #[cfg(feature = "cuda")]
    fn usual_cost(work: Work) -> UsualCost {
        super::Research::usual_cost(work)
    }

    fn head_len(&self) -> u64 {
        0
    }

    fn order(&self) -> TileOrder {
        TileOrder::Boxes(BOX)
    }

    fn tile_len(&self) -> usize {
        BOX.iter().product::<u32>() as usize
    }

    fn chunk_tiles(&self) -> usize {
        1
    }

    fn layout(&self) -> u8 {
        255
    }

    fn layout_name(&self) -> &'static str {
        "boxes"
    }

    fn parameters(&self) -> [u8; 3] {
        [0; 3]
    }

    fn from_header(layout: u8, parameters: [u8; 3]) -> Option<Result<Self>> {
        let known = || {
            if parameters == [0; 3] {
                Ok(Raw)
            } else {
                Err(Error::corrupt("raw has no parameters"))
            }
        };
        (layout == 255).then(known)
    }

    fn encoder<'a, T: Element>(
        self,
        plan: &'a Plan<T>,
        _: &[u32],
        _: Level,
    ) -> Box<dyn ChunkEncoder<T> + 'a> {
        Box::new(Encoder(plan))
    }

    fn decoder<'a, T: Element>(
        self,
        stream: Decoding<'a>,
        _: &[u32],
        _: Level,
    ) -> Result<Box<dyn ChunkDecoder<T> + 'a>> {
        Ok(Box::new(Decoder { values: stream.dequantizer(), elements: Vec::new() }))
    }

    fn recorder<'a>(self, _: Decoding<'a>, _: &[u32]) -> Result<Box<dyn ChunkRecorder + 'a>> {
        Ok(Box::new(Recorder))
    }

    fn kinds(self, chunk: StoredChunk<'_>, take: &mut dyn FnMut(TileKind)) {
        let read = Recorder.records(chunk, 0, &mut |record| take(record.kind()));
        read.expect("records of this profile never contradict each other");
    }
}

struct Recorder;

impl ChunkRecorder for Recorder {
    fn records(
        &mut self,
        chunk: StoredChunk<'_>,
        first: u64,
        take: &mut dyn FnMut(TileRecord),
    ) -> Result<()> {
        let n: usize = chunk.tiles.iter().map(|t| t.len()).sum();
        let codes = chunk.payload.as_chunks::<WORD>().0;
        let escapes = codes.iter().take(n).filter(|b| i32::from_le_bytes(**b) == ESCAPED).count();
        take(TileRecord {
            index: first,
            storage: if escapes > 0 { Storage::Exceptions } else { Storage::Coded },
            predictor: None,
            bytes: chunk.payload.len() as u64,
            escapes: escapes as u32,
            rates: [0; 16],
            blocks: 0,
        });
        Ok(())
    }
}

struct Encoder<'a, T>(&'a Plan<T>);

impl<T: Element> ChunkEncoder<T> for Encoder<'_, T> {
    fn encode(
        &mut self,
        elements: &[T],
        _: &[TileShape],
        _: &mut [u8],
        payload: &mut Vec<u32>,
        statistics: &mut Statistics<T>,
    ) -> u32 {
        let begin = payload.len();
        let mut exact = Vec::new();
        for &d in elements {
            let missing = is_missing(d, &self.0.missing);
            statistics.range.take(d, missing);
            let code = if missing { None } else { self.0.quantizer.code(d) };
            payload.push(code.map_or(ESCAPED, |(q, _)| q) as u32);
            match code {
                Some((_, errors)) => statistics.errors.merge(errors),
                None => {
                    statistics.escaped += 1;
                    exact.push(d.to_bits64());
                }
            }
        }
        payload.extend(exact.iter().flat_map(|&b| [b as u32, (b >> 32) as u32]));
        rows(&payload[begin..], 0)
    }
}

struct Decoder<T> {
    values: Dequantizer<T>,
    elements: Vec<T>,
}

impl<T: Element> ChunkDecoder<T> for Decoder<T> {
    fn load(&mut self, chunk: StoredChunk<'_>) -> Result<()> {
        self.elements.clear();
        let words: Vec<u32> =
            chunk.payload.as_chunks::<WORD>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        if rows(&words, 0) != chunk.checksum {
            return Err(chunk.damaged());
        }
        let n: usize = chunk.tiles.iter().map(|t| t.len()).sum();
        let lengths = || Error::corrupt("a raw chunk of another length");
        let (codes, exact) = words.split_at_checked(n).ok_or_else(lengths)?;
        let mut exact = exact.as_chunks::<2>().0.iter();
        for &code in codes {
            self.elements.push(match code as i32 {
                ESCAPED => {
                    let bits = exact.next().ok_or_else(lengths)?;
                    T::from_bits64(bits[0] as u64 | (bits[1] as u64) << 32)
                }
                code => self.values.value(code),
            });
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<()> {
        Ok(())
    }

    fn decode(&mut self, tiles: Range<usize>, out: &mut [T]) -> Result<()> {
        assert_eq!(tiles, 0..1, "a chunk is a tile");
        out.copy_from_slice(&self.elements);
        Ok(())
    }

    fn costs(&mut self, _: usize, _: &Plan<T>, _: Option<&[T]>) -> Result<Vec<TileCost>> {
        Ok(Vec::new())
    }
}

mod tests {
    use super::*;
    use crate::{
        Bound, Codec, CompressOptions, Profile, Stream, format::geometry::element_count,
        max_compressed_len,
    };

    const SHAPES: [&[u64]; 9] = [
        &[],
        &[0, 5],
        &[1],
        &[33],
        &[31, 65],
        &[17, 33, 70],
        &[16, 32, 32],
        &[3, 2, 20, 40, 33],
        &[2, 1, 1, 3, 1, 17, 33, 34],
    ];

    fn field<T: Element>(shape: &[u64]) -> Vec<T> {
        let n = element_count(shape).expect("small") as usize;
        let value = |i: usize| match i % 101 {
            7 => f64::NAN,
            13 => 1e20,
            _ => (i as f64 * 0.013).sin() * 30.0 + i as f64 * 1e-3,
        };
        (0..n).map(|i| T::from_f64(value(i))).collect()
    }

    fn options() -> CompressOptions {
        CompressOptions::new(Bound::Absolute(0.01)).missing(1e20).profile(Profile::Raw(Raw))
    }

    fn compress<T: Element>(codec: &Codec, data: &[T], shape: &[u64]) -> Vec<u8> {
        // Escapes take three words here; the product's profiles are never longer than the elements.
        let mut out = vec![0xA5; max_compressed_len(shape, T::DTYPE).expect("small") as usize * 4];
        let len = codec.compress_into(data, shape, &options(), &mut out).expect("compresses");
        out.truncate(len);
        out
    }

    fn whole_and_parts<T: Element>() {
        let codecs = [1, 3].map(|n| Codec::cpu().threads(n).expect("threads"));
        for shape in SHAPES {
            let data = field::<T>(shape);
            let bytes = compress(&codecs[0], &data, shape);
            assert_eq!(bytes, compress(&codecs[1], &data, shape), "{shape:?}");
            let stream = Stream::open(&bytes).expect("opens");
            assert_eq!(stream.header().profile.name(), "raw");
            let escapes = data
                .iter()
                .filter(|d| !d.is_finite() || d.to_bits64() == T::from_f64(1e20).to_bits64())
                .count();
            assert_eq!(stream.certificate().escaped, escapes as u64);
            let records: Vec<_> = stream.tiles().collect::<Result<_>>().expect("sound");
            assert_eq!(records.iter().map(|r| r.escapes as u64).sum::<u64>(), escapes as u64);
            assert_eq!(records.len() as u64, stream.tile_counts().count);
            for codec in &codecs {
                let mut back = vec![T::from_f64(-1.0); data.len()];
                codec.decompress_into(&stream, &mut back).expect("decodes");
                for (d, b) in data.iter().zip(&back) {
                    let near = d.sub(*b).magnitude().to_f64() <= 0.01;
                    assert!(near || d.to_bits64() == b.to_bits64(), "{d:?} {b:?}");
                }
                parts(codec, &stream, shape, &back);
            }
        }
    }

    /// Boxes of every corner, and what `locate` and `runs` say of each element.
    fn parts<T: Element>(codec: &Codec, stream: &Stream<'_>, shape: &[u64], whole: &[T]) {
        for k in 0..6u64 {
            let start: Vec<u64> =
                shape.iter().map(|&n| n.saturating_sub(1) * (k % 3) / 3).collect();
            let count: Vec<u64> = shape
                .iter()
                .zip(&start)
                .map(|(&n, &s)| if k < 3 { (n - s).min(1 + 7 * k) } else { (n - s).div_ceil(2) })
                .collect();
            let n = element_count(&count).expect("small") as usize;
            let mut part = vec![T::from_f64(-1.0); n];
            codec.decompress_box_into(stream, &start, &count, &mut part).expect("decodes");
            for (j, got) in part.iter().enumerate() {
                let (mut rest, mut at, mut stride) = (j as u64, 0, 1);
                for axis in (0..shape.len()).rev() {
                    at += (start[axis] + rest % count[axis]) * stride;
                    rest /= count[axis];
                    stride *= shape[axis];
                }
                assert_eq!(got.to_bits64(), whole[at as usize].to_bits64(), "{shape:?} {start:?}");
            }
        }
        let grid = stream.grid();
        for tile in 0..grid.tiles() {
            let elements = grid.runs(tile).flat_map(|(begin, n)| begin..begin + n as u64);
            for (position, element) in elements.enumerate() {
                assert_eq!(grid.locate(element), (tile, position));
            }
        }
    }

    #[test]
    fn a_second_profile_goes_all_the_way() {
        whole_and_parts::<f32>();
        whole_and_parts::<f64>();
    }

    #[test]
    fn damaged_raw_streams_are_refused() {
        let shape = [17, 33, 9];
        let bytes = compress(&Codec::cpu(), &field::<f32>(&shape), &shape);
        let decode = |bytes: &[u8]| -> Result<Vec<f32>> {
            let stream = Stream::open(bytes)?;
            assert_eq!(stream.header().dtype, DType::F32);
            let mut out = vec![0.0; stream.header().elements() as usize];
            Codec::cpu().decompress_into(&stream, &mut out)?;
            Ok(out)
        };
        decode(&bytes).expect("it is whole");
        for at in (0..bytes.len()).step_by(7) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            decode(&flipped).expect_err("a flipped bit");
            decode(&bytes[..at]).expect_err("a cut");
        }
    }
}
