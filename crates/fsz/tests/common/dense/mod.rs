//! The decoder of `dense` as FORMAT.md states it, one element and one bit at a time, sharing no code with
//! the codec. It takes sound streams only, and fails where one is not what the document says.

mod boxes;
mod chunk;
mod coder;
mod interpolate;
mod lorenzo;
mod mask;
mod order;
mod record;
mod tables;

use boxes::boxes;
use chunk::Chunk;
use tables::Tables;

use super::relative::Numbers;

/// What the header and the field's tables say to all boxes.
pub struct Field {
    pub words: usize,
    pub step: f64,
    /// What a pointwise-relative bound has instead.
    pub relative: Option<Numbers>,
    /// log2 of the lattice points of a step.
    pub fine: u32,
    pub predictor: u8,
    /// Bits of the first missing value, if one is named.
    pub missing: Option<u64>,
    pub tables: Tables,
}

impl Field {
    /// The bits of code `q`.
    pub fn code(&self, q: i32) -> u64 {
        if let Some(relative) = &self.relative {
            return relative.value(q);
        }
        self.times(q, self.step)
    }

    /// The bits of the lattice point `v`, counted from base `b`.
    pub fn point(&self, b: i32, v: i32) -> u64 {
        let points = b.wrapping_mul(1 << self.fine).wrapping_add(v);
        if let Some(relative) = &self.relative {
            return relative.finer(self.fine).value(points);
        }
        self.times(points, self.step / f64::from(1u32 << self.fine))
    }

    fn times(&self, k: i32, unit: f64) -> u64 {
        match self.words {
            1 => u64::from((k as f32 * unit as f32).to_bits()),
            _ => (f64::from(k) * unit).to_bits(),
        }
    }
}

/// A field, and which parts of the format its stream made use of.
#[derive(Debug)]
pub struct Decoded {
    /// The bits of its elements, in C order.
    pub bits: Vec<u64>,
    pub predictor: u8,
    pub layout: u8,
    pub fine: u8,
    pub chunk: u8,
    /// Boxes of each mode.
    pub modes: [usize; 6],
}

/// Whether an encoder takes the layout for a field of this shape: its boxes hold enough elements.
pub fn fills(shape: &[u64], layout: fsz::Layout) -> bool {
    let shape: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
    let n: usize = shape.iter().product();
    n == 0 || 512 * boxes(&shape, layout.code(), 8).len() <= n + 4096
}

/// Decodes a stream.
pub fn decode(bytes: &[u8]) -> Decoded {
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
    let header_len = usize::from(bytes[10]) + 256 * usize::from(bytes[11]);
    let dims = usize::from(bytes[25]);
    assert_eq!((bytes[26], u64_at(16)), (1, bytes.len() as u64));
    let shape: Vec<usize> = (0..dims).map(|a| u64_at(144 + 8 * a) as usize).collect();
    let elements: usize = shape.iter().product();
    assert_eq!(u64_at(72), elements as u64);
    let mut decoded = Decoded {
        bits: vec![],
        predictor: bytes[28],
        layout: bytes[27],
        fine: bytes[29],
        chunk: bytes[30],
        modes: [0; 6],
    };
    if elements == 0 {
        assert_eq!(bytes.len(), header_len);
        return decoded;
    }
    let starts = if bytes[58] & 4 != 0 { 8 * dims } else { 0 };

    // Sections
    let boxes = boxes(&shape, bytes[27], 1 << bytes[30]);
    let chunks: Vec<_> = boxes.chunks(1 << bytes[30]).collect();
    let entries = chunks.len() + 1;
    let padded = |at: usize| at.next_multiple_of(16);
    let sizes = header_len;
    let offsets = padded(sizes + 4 * entries);
    let sums = padded(offsets + 8 * entries.div_ceil(64));
    let payload = padded(sums + 4 * entries);
    let words: Vec<u32> = (payload..bytes.len()).step_by(4).map(u32_at).collect();
    let mut begin = 0;
    let parts: Vec<&[u32]> = (0..entries)
        .map(|entry| {
            if entry % 64 == 0 {
                assert_eq!(u64_at(offsets + 8 * (entry / 64)), begin as u64);
            }
            let part = &words[begin..begin + u32_at(sizes + 4 * entry) as usize];
            assert_eq!(u32_at(sums + 4 * entry), super::reference::rows(part, 0), "entry {entry}");
            begin += part.len();
            part
        })
        .collect();
    assert_eq!(begin, words.len());

    let field = Field {
        words: usize::from(bytes[24]),
        step: f64::from_bits(u64_at(48)),
        relative: (bytes[56] == 3).then(|| {
            let at = 144 + 8 * (dims + usize::from(bytes[57])) + starts;
            Numbers::read(bytes[24] == 2, &bytes[at..at + 48])
        }),
        fine: u32::from(bytes[29]),
        predictor: bytes[28],
        missing: (bytes[57] > 0).then(|| u64_at(144 + 8 * dims + starts)),
        tables: Tables::read(parts[chunks.len()]),
    };
    let mut out = vec![None; elements];
    for (boxes, words) in chunks.into_iter().zip(parts) {
        let sides: Vec<[usize; 3]> = boxes.iter().map(|own| own.sides).collect();
        let chunk = Chunk::new(&field, words, &sides);
        chunk.modes.iter().for_each(|mode| decoded.modes[*mode as usize] += 1);
        for (own, values) in boxes.iter().zip(chunk.decode()) {
            for (at, value) in own.elements().zip(values) {
                assert!(out[at].replace(value).is_none(), "element {at} is in two boxes");
            }
        }
    }
    decoded.bits = out.into_iter().map(|value| value.expect("each is in a box")).collect();
    decoded
}
