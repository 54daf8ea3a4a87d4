//! Blocks in CUDA memory. The driver is found at run time; without one every block is host memory.

use std::os::unix::fs::FileExt;

use fsz::{
    Codec, CompressOptions, DType, Result, Stream,
    cuda::{Compression, CudaMemory, DeviceCodec, HostCompression, MemoryKind},
};

/// Compresses the field in CUDA memory into `out`, on the device that it lies on; the codec's threads copy the
/// stream.
///
/// # Safety
/// `memory` holds a field of this shape and type, whose pending work has been waited for.
pub(crate) unsafe fn compress(
    codec: &Codec,
    memory: &CudaMemory,
    dtype: DType,
    shape: &[u64],
    options: &CompressOptions,
    out: &mut [u8],
) -> Result<HostCompression> {
    memory.check_context()?;
    let compression = Compression::new(shape, dtype, options)?;
    let codec = codec.device(memory.device())?;
    // SAFETY: promised by the caller; the primary context reaches the memory.
    unsafe { codec.compress_to_host(&compression, memory.address(), out) }
}

/// Copies the first `bytes` bytes of CUDA memory to the host.
///
/// # Safety
/// `memory` has as many bytes, whose pending work has been waited for.
pub(crate) unsafe fn copy_to_host(memory: &CudaMemory, bytes: usize) -> Result<Vec<u8>, String> {
    let mut host = fsz_field::zeroed(bytes as u64, "values in device memory")
        .map_err(|error| error.to_string())?;
    // SAFETY: promised by the caller.
    unsafe { memory.copy_to_host(&mut host) }.map_err(|error| error.to_string())?;
    Ok(host)
}

/// Why the values cannot be read at all.
pub(crate) fn lost(reason: &str) -> String {
    format!("the values cannot be read from their CUDA device: {reason}")
}

/// A payload's target in device or managed memory, when the work that is pending on it is done.
///
/// # Errors
/// What is wrong with the target or its device.
pub(crate) fn target(out: *mut u8) -> Result<CudaMemory, String> {
    let memory = CudaMemory::at(out)
        .map_err(|error| error.to_string())?
        .filter(|memory| memory.kind() != MemoryKind::Pinned)
        .ok_or("the target is not device memory of this process")?;
    memory
        .check_context()
        .and_then(|()| memory.synchronize())
        .map_err(|error| error.to_string())?;
    Ok(memory)
}

/// Restores an FSZ stream's values in a [`target`]: compressed bytes cross.
///
/// # Safety
/// The target has room for the values.
pub(crate) unsafe fn decompress(stream: &Stream<'_>, target: &CudaMemory) -> Result<()> {
    let codec = DeviceCodec::open(target.device())?;
    // SAFETY: promised by the caller; the primary context reaches the target.
    unsafe { codec.decompress_from_host(stream, target.address()) }
}

/// Whether the host can read `bytes` bytes at `pointer`, without reading them itself.
pub(crate) fn is_readable(pointer: *const u8, bytes: usize) -> bool {
    let Ok(memory) = std::fs::File::open("/proc/self/mem") else { return false };
    let first = pointer.addr() as u64;
    [first, first + (bytes as u64).saturating_sub(1)]
        .into_iter()
        .all(|at| memory.read_exact_at(&mut [0], at).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_can_read() {
        let values = [1u8; 100];
        assert!(is_readable(values.as_ptr(), values.len()));
        assert!(!is_readable(std::ptr::without_provenance(16), 4));
    }
}
