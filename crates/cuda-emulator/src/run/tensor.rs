//! The tensor copy engine: boxes of a matrix in memory, copied to shared memory.
//!
//! Source: PTX ISA, *Tensors* and `cp.async.bulk.tensor`; CUDA Driver API, `cuTensorMapEncodeTiled`.

use super::{block::Shared, memory::Reach};
use crate::ptx::parse::Result;

/// A matrix and the boxes that are taken of it. On a device its bits are the driver's secret; here they are these
/// words, and zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TensorMap {
    /// Where the matrix begins.
    pub at: u64,
    /// Bytes of an element.
    pub size: u64,
    /// Elements of a row, and rows.
    pub columns: u64,
    pub rows: u64,
    /// Bytes from a row to the next one.
    pub stride: u64,
    /// Elements of a box's rows, and its rows.
    pub box_columns: u64,
    pub box_rows: u64,
    /// Whether pieces of 16 bytes lie crosswise in shared memory, as for rows of 128 bytes.
    pub swizzled: u64,
}

/// Words of a map; the last one tells that it is one.
const WORDS: usize = 16;
const MARK: u64 = 0x46_535A_7465_6E73;

impl TensorMap {
    pub fn words(&self) -> [u64; WORDS] {
        let TensorMap { at, size, columns, rows, stride, box_columns, box_rows, swizzled } = *self;
        let mut words = [0; WORDS];
        words[..8].copy_from_slice(&[
            at,
            size,
            columns,
            rows,
            stride,
            box_columns,
            box_rows,
            swizzled,
        ]);
        words[WORDS - 1] = MARK;
        words
    }

    pub fn of(bytes: &[u8]) -> Option<Self> {
        let words: Vec<u64> =
            bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let &[at, size, columns, rows, stride, box_columns, box_rows, swizzled, ..] = &words[..]
        else {
            return None;
        };
        let map = TensorMap { at, size, columns, rows, stride, box_columns, box_rows, swizzled };
        (words.get(WORDS - 1) == Some(&MARK)).then_some(map)
    }

    /// Bytes of a map.
    pub const LEN: usize = 8 * WORDS;
}

/// A box that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaterBox {
    pub map: TensorMap,
    pub to: u64,
    pub column: i32,
    pub row: i32,
    /// The barrier that counts its bytes.
    pub barrier: u64,
}

impl LaterBox {
    pub fn copy(&self, shared: &mut Shared, reach: &Reach) -> Result<()> {
        let map = &self.map;
        let mut last = (0, 0);
        let alignment = if map.swizzled != 0 { 1024 } else { 128 };
        if !self.to.is_multiple_of(alignment) {
            return Err(format!("a box to {:#x}, which is not aligned for it", self.to));
        }
        for row in 0..map.box_rows {
            for column in 0..map.box_columns {
                let at = self.to + (row * map.box_columns + column) * map.size;
                let at = if map.swizzled != 0 { at ^ (at >> 3 & 0x70) } else { at };
                let to = shared.bytes_mut(at, map.size as usize)?;
                let (x, y) =
                    (i64::from(self.column) + column as i64, i64::from(self.row) + row as i64);
                let inside =
                    (0..map.columns as i64).contains(&x) && (0..map.rows as i64).contains(&y);
                if !inside {
                    to.fill(0);
                    continue;
                }
                let from = map.at + y as u64 * map.stride + x as u64 * map.size;
                let pointer = reach.pointer(from, map.size as usize, &mut last);
                let pointer = pointer
                    .ok_or_else(|| format!("a box reads {from:#x}, which is in no allocation"))?;
                // SAFETY: the bytes are within an allocation, which lives as long as the launch.
                unsafe { pointer.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
            }
        }
        shared.completed(self.barrier, (map.box_rows * map.box_columns * map.size) as usize)
    }
}
