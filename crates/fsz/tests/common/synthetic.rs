//! The six synthetic kinds of field that speeds are given for, and fields made larger.

use fsz::Element;
use rayon::prelude::*;

/// The names that [`synthetic`] knows.
pub const SYNTHETIC: [&str; 6] =
    ["smooth", "smooth + noise", "offset", "sparse", "particles", "white noise"];

/// Elements along an edge of the smooth fields.
const EDGE: usize = 512;

fn hash(i: u64) -> u32 {
    let mut x = i;
    x = (x ^ (x >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    x = (x ^ (x >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    (x ^ (x >> 33)) as u32
}

fn unit(i: u64) -> f32 {
    (hash(i) >> 8) as f32 / 16_777_216.0
}

/// Waves of 8 octaves with the spectrum of turbulence.
fn smooth(i: usize) -> f32 {
    let (x, y, z) = ((i % EDGE) as f32, (i / EDGE % EDGE) as f32, (i / EDGE / EDGE) as f32);
    (0..8).fold(0.0, |sum, j| {
        let k = (1 << j) as f32;
        let a = k.powf(-5.0 / 3.0);
        let u = std::f32::consts::TAU * k / EDGE as f32;
        let p = j as f32;
        sum + a * (u * (x + 0.31 * y) + p * 1.3).sin() * (u * (y - 0.2 * z) + p * 2.1).cos()
            + 0.5 * a * (u * (z + 0.4 * x) + p * 0.7).sin()
    })
}

/// `n` elements of a kind.
pub fn synthetic<T: Element>(kind: &str, n: usize) -> Vec<T> {
    (0..n)
        .into_par_iter()
        .map(|i| {
            let at = i as u64;
            let value = match kind {
                "smooth" => smooth(i),
                "smooth + noise" => smooth(i) + 6e-3 * (unit(at) - 0.5),
                "offset" => 1000.0 + smooth(i),
                "sparse" if hash((at >> 6) * 7919 + 13) % 100 < 5 => smooth(i) + 0.1 * unit(at),
                "sparse" => 0.0,
                "particles" => (i as f64 * 256.0 / n as f64) as f32 + 0.5 * (unit(at) - 0.5),
                "white noise" => unit(at),
                _ => panic!("no such kind: {kind}"),
            };
            T::from_f64(value as f64)
        })
        .collect()
}

/// A field repeated along its slowest axis to `n` elements, every second time mirrored, so that no edge
/// appears that it has not got.
pub fn mirrored<T: Element>(data: &[T], slowest: usize, n: usize) -> Vec<T> {
    let row = data.len() / slowest;
    (0..n.div_ceil(row))
        .into_par_iter()
        .flat_map_iter(|r| {
            let (turn, k) = (r / slowest, r % slowest);
            let k = if turn % 2 == 0 { k } else { slowest - 1 - k };
            data[k * row..(k + 1) * row].iter().copied()
        })
        .collect::<Vec<T>>()
}
