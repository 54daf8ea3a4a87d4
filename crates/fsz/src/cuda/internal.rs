//! Not a part of the API: it may change in any release. The steps of the device codec's calls one by
//! one, for FSZ's own benchmark (`crates/fsz-bench`), which times them and runs other kernels beside them.

use cudarc::driver::sys;

pub use crate::cuda::driver::error::check;
use crate::cuda::{
    Compression, CudaStream, DeviceCodec, StreamKind, compress::FieldCompression,
    decompress::Decompression, kernels::image::Image,
};
use crate::error::{Error, Result};

/// What of a field is decoded.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// Everything.
    All,
    /// `count` elements from `start` on.
    Box {
        /// The first element, per axis.
        start: &'a [u64],
        /// Elements, per axis.
        count: &'a [u64],
    },
}

/// Makes the context of the codec's device current on this thread until the guard is dropped. All that
/// follows here needs that.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device).
pub fn enter(codec: &DeviceCodec) -> Result<impl Drop> {
    codec.device.context.enter()
}

/// Loads a module from PTX to the current context. It is never unloaded.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device).
pub fn load(ptx: &str) -> Result<sys::CUmodule> {
    Image::whole(ptx)
}

/// The compression whose steps can be taken one by one.
fn steps(compression: &Compression) -> Result<&FieldCompression> {
    compression
        .without_regions()
        .ok_or_else(|| Error::unsupported("the steps of a compression with bounds by region"))
}

/// Clears the scratch memory, as [`DeviceCodec::compress`] does first where a kernel resolves the bound for the others.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn clear(compression: &Compression, scratch: u64, queue: CudaStream) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { steps(compression)?.clear(scratch, queue.cast()) }
}

/// All that [`encode`] depends on: clears the scratch memory, and looks at the field as the bound asks.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn begin(
    codec: &DeviceCodec,
    compression: &Compression,
    field: u64,
    scratch: u64,
    queue: CudaStream,
) -> Result<()> {
    let compression = steps(compression)?;
    let whole = (field, compression.kind.elements());
    // SAFETY: the caller's promise.
    unsafe { compression.begin(&codec.device, whole, field, scratch, queue.cast()) }
}

/// Looks at the field as the bound asks, and leaves the quantizer at the beginning of the scratch memory, which was
/// cleared.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn survey(
    codec: &DeviceCodec,
    compression: &Compression,
    field: u64,
    scratch: u64,
    queue: CudaStream,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { steps(compression)?.survey(&codec.device, field, scratch, queue.cast()) }
}

/// The last step of [`DeviceCodec::compress`], behind [`begin`]: writes the stream.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn encode(
    codec: &DeviceCodec,
    compression: &Compression,
    field: u64,
    stream: (u64, u64),
    scratch: u64,
    queue: CudaStream,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { steps(compression)?.encode(&codec.device, field, stream, scratch, queue.cast()) }
}

/// [`DeviceCodec::decompress`] or [`DeviceCodec::decompress_box`] into scratch memory of which every
/// byte is already 0xFF, or was left so by a call that succeeded.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn decode(
    codec: &DeviceCodec,
    kind: &StreamKind,
    (stream, capacity): (u64, u64),
    part: Part<'_>,
    out: u64,
    scratch: u64,
    queue: CudaStream,
) -> Result<()> {
    let decompression = Decompression {
        device: &codec.device,
        kind,
        view: &kind.view(stream, capacity)?,
        out,
        status: scratch,
        queue: queue.cast(),
    };
    // SAFETY: the caller's promise.
    unsafe {
        match part {
            Part::All => decompression.field(),
            Part::Box { start, count } => decompression.boxed((start, count)),
        }
    }
}
