//! Compressions of fields in device memory, with regions and without.

use cudarc::driver::sys;

use crate::cuda::{
    compress::FieldCompression, device::Device, regions::compress::RegionCompression,
    stream_kind::StreamKind,
};
use crate::{dtype::DType, error::Result, float_mode::FloatMode, options::CompressOptions};

/// A compression that is ready to be launched: everything that follows from shape, type and options.
#[derive(Clone, Debug)]
pub struct Compression {
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Field(Box<FieldCompression>),
    Regions(Box<RegionCompression>),
}

impl Compression {
    /// For fields of this shape (slowest axis first) and type.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for options out of range;
    /// [`Error::Unsupported`](crate::Error::Unsupported) for research switches, and for fields of more elements than kernels
    /// count.
    pub fn new(shape: &[u64], dtype: DType, options: &CompressOptions) -> Result<Self> {
        let _mode = FloatMode::standard();
        let way = match options.regions.is_empty() {
            true => Way::Field(Box::new(FieldCompression::new(shape, dtype, options)?)),
            false => Way::Regions(Box::new(RegionCompression::new(shape, dtype, options)?)),
        };
        Ok(Compression { way })
    }

    /// What the streams are, for decoding them without a look at them. Of a profile that chooses while it compresses, but
    /// for [`like`](CompressOptions::like) another stream, and of bounds by region that is not known before:
    /// [`StreamKind::of`] tells.
    pub fn kind(&self) -> &StreamKind {
        match &self.way {
            Way::Field(compression) => &compression.kind,
            Way::Regions(compression) => &compression.kind,
        }
    }

    /// Bytes of scratch memory that a launch works in.
    pub fn scratch_len(&self) -> u64 {
        match &self.way {
            Way::Field(compression) => compression.scratch_len(),
            Way::Regions(compression) => compression.scratch_len,
        }
    }

    /// Bytes that a stream takes at most, whatever the field's values.
    pub fn max_len(&self) -> u64 {
        match &self.way {
            Way::Field(compression) => compression.max_len(),
            Way::Regions(compression) => compression.max_len,
        }
    }

    /// The compression, where there are no regions.
    pub(crate) fn without_regions(&self) -> Option<&FieldCompression> {
        match &self.way {
            Way::Field(compression) => Some(compression),
            Way::Regions(_) => None,
        }
    }

    /// Enqueues the whole compression; waits for it where there are regions.
    ///
    /// # Safety
    /// As [`FieldCompression::launch`].
    pub(crate) unsafe fn launch(
        &self,
        device: &Device,
        field: u64,
        stream: (u64, u64),
        scratch: u64,
        queue: sys::CUstream,
    ) -> Result<()> {
        // SAFETY: as the caller vouches.
        unsafe {
            match &self.way {
                Way::Field(compression) => {
                    compression.launch(device, field, stream, scratch, queue)
                }
                Way::Regions(compression) => {
                    compression.launch(device, field, stream, scratch, queue)
                }
            }
        }
    }
}
