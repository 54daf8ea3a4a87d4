//! Why a tile is stored as it is: what each of the four variants would cost.

use fsz::{Codec, Dtype, TileKind};

use crate::document::Document;
use crate::format::{BLOCK, TILE};
use crate::palette::KINDS;

/// A variant's payload: the centering value and the bit-planes of its blocks (FORMAT.md, *Choose*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The variant.
    pub kind: TileKind,
    /// Bytes, without the tile's rate bytes and exceptions, which all variants share.
    pub bytes: usize,
}

/// What each variant would have cost in a tile; none where there are no codes, or the tiles of the stream
/// are not those of the standard geometry.
pub fn tile_costs(document: &Document, number: u64) -> Option<[Cost; 4]> {
    let facts = document.facts.as_ref().filter(|f| f.tiles.tile_len() == TILE as u64)?;
    let decoded = document.tile(&Codec::cpu(), number).ok()?;
    let step = document.step(number).unwrap_or(facts.header.quantization_step);
    let codes = codes(&decoded, step, document.dtype == Dtype::F32);
    (!codes.is_empty()).then(|| costs(&codes))
}

/// The codes of a tile from its decoded values. Elements that were stored exactly have none and are
/// left out, as the encoder leaves them out.
fn codes(decoded: &[f64], step: f64, single: bool) -> Vec<i32> {
    let rebuilt = |q: i32| match single {
        true => f64::from(q as f32 * step as f32),
        false => f64::from(q) * step,
    };
    decoded
        .iter()
        .filter_map(|&d| {
            let q = (d / step).round();
            let q = (q.is_finite() && q.abs() < f64::from(1 << 29)).then_some(q as i32)?;
            (rebuilt(q) == d).then_some(q)
        })
        .collect()
}

/// The costs of the four variants, in the order that ties go to.
fn costs(codes: &[i32]) -> [Cost; 4] {
    std::array::from_fn(|k| {
        let (order, centered) = [(1, false), (2, false), (1, true), (2, true)][k];
        let kind = KINDS[k];
        let Some(&first) = codes.first() else { return Cost { kind, bytes: 0 } };
        let mu = if centered { i64::from(first) } else { 0 };
        let (mut a, mut b) = (0, 0);
        let mut bytes = if centered { 4 } else { 0 };
        for block in codes.chunks(BLOCK) {
            let mut or = 0;
            for &q in block {
                let x = i64::from(q) - mu;
                let residual = if order == 1 { x - a } else { x - 2 * a + b };
                or |= residual.unsigned_abs();
                (a, b) = (x, a);
            }
            let rate = (u64::BITS - or.leading_zeros()) as usize;
            bytes += if rate == 0 { 0 } else { 4 * (rate + 1) };
        }
        Cost { kind, bytes }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsz::{Bound, Options, Stream, max_compressed_len};

    /// The codec chooses the cheapest by these costs, and its payload has exactly that many bytes.
    #[test]
    fn the_codec_agrees() {
        let value = |i: usize| ((i as f32 * 0.01).sin() * 100.0) + (i * 7919 % 13) as f32 * 0.02;
        for offset in [0.0f32, 1e4] {
            let data: Vec<f32> = (0..TILE * 20).map(|i| value(i * i / 300) + offset).collect();
            let shape = [data.len() as u64];
            let mut out = vec![0; max_compressed_len(&shape, DType::F32).unwrap() as usize];
            let options = CompressOptions::new(Bound::Absolute(0.01));
            let codec = Codec::cpu();
            let len = codec.compress_into(&data, &shape, &options, &mut out).unwrap();
            let stream = Stream::open(&out[..len]).unwrap();
            let mut decoded = vec![0f32; data.len()];
            codec.decompress_into(&stream, &mut decoded).unwrap();
            let step = stream.info().header().quantization_step;
            for (record, tile) in stream.info().tiles().zip(decoded.chunks(TILE)) {
                let record = record.unwrap();
                let tile: Vec<f64> = tile.iter().map(|&v| f64::from(v)).collect();
                let codes = codes(&tile, step, true);
                assert_eq!(codes.len(), TILE);
                let best = costs(&codes).into_iter().min_by_key(|c| c.bytes).unwrap();
                assert_eq!(best.kind, record.kind);
                assert_eq!((best.bytes + TILE / BLOCK) as u64, record.bytes);
            }
        }
    }
}
