//! Boxes coded by differences (FORMAT.md, *Dense: Lorenzo*).

use super::{
    Field,
    coder::{Coder, Wanted},
};

/// The context of bases, and of the first code of a lane.
const BASES: usize = 40;

/// The code that lane 0 has as a difference to `from`.
pub fn base(field: &Field, coder: &mut Coder<'_>, from: i32) -> i32 {
    from.wrapping_add(step(field, coder, &[BASES])[0])
}

/// The codes of a box, in C order.
pub fn codes(field: &Field, coder: &mut Coder<'_>, base: i32, order: usize, n: usize) -> Vec<i32> {
    let m = n.div_ceil(32);
    let mut codes = vec![0i32; n];
    let mut sizes = [[0u32; 3]; 32];
    for j in 0..m {
        let lanes: Vec<usize> = (0..32).filter(|k| k * m + j < n.min((k + 1) * m)).collect();
        let contexts: Vec<usize> =
            lanes.iter().map(|&k| if j == 0 { BASES } else { context(sizes[k]) }).collect();
        let differences = step(field, coder, &contexts);
        for (&k, l) in lanes.iter().zip(differences) {
            let at = k * m + j;
            let predicted = match j {
                0 if k == 0 => base,
                0 => codes[at - m],
                1 => codes[at - 1],
                _ if order == 1 => codes[at - 1],
                _ => codes[at - 1].wrapping_mul(2).wrapping_sub(codes[at - 2]),
            };
            codes[at] = predicted.wrapping_add(l);
            if j > 0 {
                sizes[k] = [l.unsigned_abs().min(1 << 20), sizes[k][0], sizes[k][1]];
            }
        }
    }
    codes
}

fn context([s1, s2, s3]: [u32; 3]) -> usize {
    let m = 3 * s1 + 2 * s2 + s3;
    if m < 6 {
        return m as usize;
    }
    let log = m.ilog2();
    (2 * log + (m >> (log - 1) & 1)).min(39) as usize
}

/// A step of differences, one a lane, in these contexts.
fn step(field: &Field, coder: &mut Coder<'_>, contexts: &[usize]) -> Vec<i32> {
    let wanted: Vec<Wanted<'_>> = contexts
        .iter()
        .enumerate()
        .map(|(lane, &context)| Wanted {
            lane,
            frequencies: &field.tables.differences[context],
            raw_bits: |symbol| match symbol {
                ..=15 => 0,
                16..=43 => symbol - 12,
                _ => 32,
            },
        })
        .collect();
    let difference = |(symbol, raw): (u32, u64)| {
        let z = match symbol {
            ..=15 => symbol,
            16..=43 => (1 << (symbol - 12)) + raw as u32,
            _ => raw as u32,
        };
        (z >> 1) as i32 ^ -((z & 1) as i32)
    };
    coder.step(&wanted).into_iter().map(difference).collect()
}
