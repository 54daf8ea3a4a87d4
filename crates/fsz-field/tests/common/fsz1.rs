//! A small writer of `FSZ1` files, for tests: the predictor of each tile is the caller's choice.

use fsz::{DType, Predictor};

/// Values of a tile, and of a block.
pub const TILE: usize = 256;
const BLOCK: usize = 32;
/// Tiles whose blocks lie between each other, in fields of at most `LARGE` values and in larger ones.
const GROUPS: [(usize, usize); 2] = [(32, 1), (128, 4)];
const LARGE: usize = 20_000_000;

/// A file of these values. Codes are rounded quotients of value and step.
pub fn file(
    dtype: DType,
    shape: &[u64],
    bound: f64,
    values: &[f64],
    predictor: impl Fn(usize) -> Predictor,
) -> Vec<u8> {
    let bound = if dtype == DType::F32 { f64::from(bound as f32) } else { bound };
    let step = 2.0 * bound;
    let tile = |(index, values): (usize, &[f64])| tile(dtype, step, values, predictor(index));
    let tiles: Vec<Tile> = values.chunks(TILE).enumerate().map(tile).collect();
    let mut stream: Vec<u8> = tiles.iter().flat_map(|tile| tile.rates).collect();
    let (group, slots) = GROUPS[usize::from(values.len() > LARGE)];
    for group in tiles.chunks(group) {
        for slot in 0..slots {
            for block in 0..TILE / BLOCK {
                for tile in group.iter().skip(slot).step_by(slots) {
                    stream.extend(&tile.blocks[block]);
                }
            }
        }
    }
    let mut file = b"FSZ1".to_vec();
    let flags = u32::from(dtype == DType::F64);
    for word in [1, shape.len() as u32, flags] {
        file.extend(word.to_le_bytes());
    }
    for axis in 0..3 {
        file.extend(shape.get(axis).copied().unwrap_or(1).to_le_bytes());
    }
    match dtype {
        DType::F32 => file.extend(u64::from((bound as f32).to_bits()).to_le_bytes()),
        DType::F64 => file.extend(bound.to_le_bytes()),
    }
    file.extend((stream.len() as u64).to_le_bytes());
    file.extend(stream);
    file
}

struct Tile {
    rates: [u8; 8],
    blocks: [Vec<u8>; 8],
}

fn tile(dtype: DType, step: f64, values: &[f64], predictor: Predictor) -> Tile {
    let mean = values.iter().sum::<f64>() / TILE as f64;
    let center = if predictor.centered() { (mean / step).round() } else { 0.0 };
    let code = |i: usize| {
        let value = values.get(i).copied().unwrap_or(0.0);
        ((value / step).round() - center) as i64
    };
    let at = |i: isize| if i < 0 { 0 } else { code(i as usize) };
    let residual = |i: usize| {
        let i = i as isize;
        let first = at(i) - at(i - 1);
        if predictor.order() == 1 { first } else { first - (at(i - 1) - at(i - 2)) }
    };
    let mut tile = Tile { rates: [0; 8], blocks: [const { Vec::new() }; 8] };
    if predictor.centered() {
        match dtype {
            DType::F32 => tile.blocks[0].extend(((center * step) as f32).to_le_bytes()),
            DType::F64 => tile.blocks[0].extend((center * step).to_le_bytes()),
        }
    }
    for (block, out) in tile.blocks.iter_mut().enumerate() {
        let residuals: Vec<i64> = (0..BLOCK).map(|i| residual(block * BLOCK + i)).collect();
        let largest = residuals.iter().map(|r| r.unsigned_abs()).max().unwrap_or(0);
        let rate = u64::BITS - largest.leading_zeros();
        assert!(rate < 32, "no such code");
        tile.rates[block] = rate as u8;
        if rate == 0 {
            continue;
        }
        let bits = |bit: &dyn Fn(i64) -> bool| {
            residuals.iter().fold(0u32, |word, &r| word << 1 | u32::from(bit(r)))
        };
        out.extend(bits(&|r| r < 0).to_be_bytes());
        for plane in 0..rate {
            out.extend(bits(&|r| r.unsigned_abs() >> plane & 1 == 1).to_be_bytes());
        }
    }
    tile.rates[0] |= u8::from(predictor.order() == 2) << 7 | u8::from(predictor.centered()) << 6;
    tile
}
