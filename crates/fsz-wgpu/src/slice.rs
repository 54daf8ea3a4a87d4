//! Which elements a slice has, and the slice on the GPU.

use fsz::TileKind;

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::readback;

/// Elements of a field in C order: `count` runs of `len` consecutive ones, the first from `first` on,
/// each `stride` behind the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Position of the first element.
    pub first: u64,
    /// Elements from run to run.
    pub stride: u64,
    /// Runs.
    pub count: u64,
    /// Elements of a run.
    pub len: u64,
}

impl Runs {
    /// The slice at `index` of `axis` of a field of this shape (slowest axis first).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the field has no such slice.
    pub fn slice(shape: &[u64], axis: usize, index: u64) -> Result<Runs> {
        if axis >= shape.len() || index >= shape[axis] {
            return Err(Error::InvalidArgument(format!(
                "slice {index} of axis {axis} is not in a field of shape {shape:?}"
            )));
        }
        // Of an empty field the other sides may be any.
        let product = |sides: &[u64]| sides.iter().fold(1, |n: u64, &side| n.saturating_mul(side));
        let len = product(&shape[axis + 1..]);
        let count = if shape.contains(&0) { 0 } else { product(&shape[..axis]) };
        let (first, stride) = (index.saturating_mul(len), shape[axis].saturating_mul(len));
        Ok(Runs { first, stride, count, len })
    }

    /// All elements of the runs.
    pub fn elements(&self) -> u64 {
        self.count.saturating_mul(self.len)
    }

    /// Elements of the field from the first run's begin to the last one's end; `None` where they overflow.
    pub(crate) fn span(&self) -> Option<u64> {
        self.count.saturating_sub(1).checked_mul(self.stride)?.checked_add(self.len)
    }

    /// Where an element of the field is in the slice of the runs, which do not overlap.
    pub(crate) fn position(&self, element: u64) -> Option<u64> {
        let behind = element.checked_sub(self.first)?;
        let (run, at) = match self.count {
            0 | 1 => (0, behind),
            _ => (behind.checked_div(self.stride)?, behind % self.stride),
        };
        (run < self.count && at < self.len).then(|| run * self.len + at)
    }

    /// The runs that have elements within `begin..end`.
    pub(crate) fn within(&self, begin: u64, end: u64) -> std::ops::Range<u64> {
        if self.count == 0 || self.len == 0 || begin >= end {
            return 0..0;
        }
        let stride = self.stride.max(1);
        // The first run that ends behind `begin`, and the first that begins at `end` or later.
        let low = (begin + 1).saturating_sub(self.first + self.len).div_ceil(stride);
        let high = end.saturating_sub(self.first).div_ceil(stride);
        low.min(self.count)..high.min(self.count)
    }
}

/// The kinds of tiles in the order of their numbers on the GPU: of `paper` by the bits of the first rate byte,
/// then by the kind in the escape field.
pub const TILE_KINDS: [TileKind; 8] = [
    TileKind::Lz1,
    TileKind::Lz2,
    TileKind::Lz1Centered,
    TileKind::Lz2Centered,
    TileKind::Exceptions,
    TileKind::Constant,
    TileKind::Verbatim,
    TileKind::Interpolated,
];

/// A decoded slice on the GPU.
#[derive(Debug)]
pub struct GpuSlice {
    pub(crate) gpu: Gpu,
    pub(crate) len: u64,
    pub(crate) values: wgpu::Buffer,
    /// Of a slice of a stream.
    pub(crate) tiles: Option<wgpu::Buffer>,
}

impl GpuSlice {
    /// A slice of values of the host, such as those of an original.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when they are more than a buffer takes; [`Error::Device`] when the GPU's
    /// memory is full.
    pub fn upload(gpu: &Gpu, values: &[f32]) -> Result<GpuSlice> {
        let len = values.len() as u64;
        gpu.fits(len)?;
        let values = gpu.filled("fsz slice", bytemuck::cast_slice(values))?;
        Ok(GpuSlice { gpu: gpu.clone(), len, values, tiles: None })
    }

    /// A slice without values of which only the facts of its tiles are known, one word of those for each element as
    /// [`GpuSlice::tiles`] has them.
    ///
    /// # Errors
    /// As [`GpuSlice::upload`].
    pub fn of_tiles(gpu: &Gpu, tiles: &[u32]) -> Result<GpuSlice> {
        let len = tiles.len() as u64;
        gpu.fits(len)?;
        let tiles = gpu.filled("fsz tiles", tiles)?;
        let values = gpu.storage("fsz slice", 4 * len)?;
        Ok(GpuSlice { gpu: gpu.clone(), len, values, tiles: Some(tiles) })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The buffer of the values, an `f32` each, in the field's C order.
    pub fn values(&self) -> &wgpu::Buffer {
        &self.values
    }

    /// Of a slice of a stream, the buffer that says of each value how its tile is stored, a word each: its
    /// place in [`TILE_KINDS`] in the lowest byte, the sum of its blocks' rates in the next (without blocks eight
    /// times its bits per value), its bytes in the upper half.
    pub fn tiles(&self) -> Option<&wgpu::Buffer> {
        self.tiles.as_ref()
    }

    /// The values. Bits are kept, those of NaN among them.
    ///
    /// # Errors
    /// [`Error::Device`] when the GPU fails.
    pub fn read_back(&self) -> Result<Vec<f32>> {
        let words = readback::words(&self.gpu, &self.values, self.len())?;
        Ok(words.into_iter().map(f32::from_bits).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_within_a_range_are_those_that_touch_it() {
        for (axis, index) in [(0, 0), (0, 2), (1, 1), (1, 3), (2, 0), (2, 4)] {
            let runs = Runs::slice(&[3, 4, 5], axis, index).unwrap();
            for begin in 0..60 {
                for end in begin + 1..=60 {
                    let touching: Vec<u64> = (0..runs.count)
                        .filter(|r| {
                            let at = runs.first + r * runs.stride;
                            at < end && at + runs.len > begin
                        })
                        .collect();
                    assert_eq!(runs.within(begin, end).collect::<Vec<_>>(), touching);
                }
            }
            let elements = (0..runs.count)
                .flat_map(|run| (0..runs.len).map(move |at| runs.first + run * runs.stride + at));
            let elements = Vec::from_iter(elements);
            for element in 0..70 {
                let at = elements.iter().position(|&own| own == element);
                assert_eq!(runs.position(element), at.map(|at| at as u64));
            }
        }
    }
}
