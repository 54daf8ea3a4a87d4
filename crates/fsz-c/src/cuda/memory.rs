//! Memory: what the driver knows of an address, and device memory for programs that have none of another
//! library.

use std::ffi::c_void;

use fsz::cuda::{CudaMemory, DeviceMemory, MemoryKind};

use crate::{
    handle::{self, Object},
    pointers,
    status::{Failure, fszc_status, status_of, value_of},
};

/// Kind of memory.
pub type fszc_memory_kind = u32;
/// Host memory that CUDA does not know.
pub const FSZC_HOST_MEMORY: fszc_memory_kind = 0;
/// Host memory that is pinned or registered.
pub const FSZC_PINNED_MEMORY: fszc_memory_kind = 1;
/// Managed memory: host and device may both access it.
pub const FSZC_MANAGED_MEMORY: fszc_memory_kind = 2;
/// Device memory: the host must not access it.
pub const FSZC_DEVICE_MEMORY: fszc_memory_kind = 3;

/// Stores which kind of memory is at an address, and the number of its device (0 for FSZC_HOST_MEMORY). The
/// address is not read, and CUDA is not initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_memory_at(
    address: *const c_void,
    kind: *mut fszc_memory_kind,
    device: *mut usize,
) -> fszc_status {
    status_of(|| {
        let found = CudaMemory::at(address.cast())?;
        let number = match found.map(|memory| memory.kind()) {
            None => FSZC_HOST_MEMORY,
            Some(MemoryKind::Pinned) => FSZC_PINNED_MEMORY,
            Some(MemoryKind::Managed) => FSZC_MANAGED_MEMORY,
            Some(MemoryKind::Device) => FSZC_DEVICE_MEMORY,
            Some(_) => return Err(Failure::invalid("a new kind of memory")),
        };
        // SAFETY: the header's rules for pointers.
        unsafe {
            pointers::store(kind, number, "the kind of memory")?;
            pointers::store(device, found.map_or(0, |memory| memory.device()), "the device")
        }
    })
}

/// Device memory, for programs that have none of another library. May be read by many threads at once, while
/// none writes it.
#[derive(Debug)]
pub struct fszc_device_memory(DeviceMemory);

impl Object for fszc_device_memory {
    const NAME: &'static str = "fszc_device_memory";
}

/// Allocates `len` bytes, all of them 0, on CUDA device number `device`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_memory_new(
    device: usize,
    len: usize,
    memory: *mut *mut fszc_device_memory,
) -> fszc_status {
    let new = || Ok(fszc_device_memory(DeviceMemory::new(device, len, 0)?));
    // SAFETY: the header's rules for pointers.
    status_of(|| unsafe { handle::make(memory, new) })
}

/// The device address of the first byte, a multiple of 256; NULL when the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_memory_address(
    memory: *const fszc_device_memory,
) -> *mut c_void {
    value_of(std::ptr::null_mut(), || {
        // SAFETY: the header's rules for pointers.
        let memory = unsafe { handle::get(memory) }?;
        Ok(std::ptr::without_provenance_mut(memory.0.address() as usize))
    })
}

/// Copies `len` bytes of the host to the memory from byte `at` on, and waits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_memory_write(
    memory: *mut fszc_device_memory,
    at: usize,
    from: *const c_void,
    len: usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let memory = &handle::get_mut(memory)?.0;
            let from = pointers::bytes(from, len, "the source")?;
            if at.checked_add(len).is_none_or(|end| end > memory.len()) {
                let all = memory.len();
                return Err(Failure::invalid(format!("{len} bytes from {at} on, of {all}")));
            }
            // Behind the last byte there is other memory, or none.
            if from.is_empty() {
                return Ok(());
            }
            let address = std::ptr::without_provenance(memory.address() as usize + at);
            match CudaMemory::at(address)? {
                Some(memory) => Ok(memory.copy_from_host(from)?),
                None => Err(Failure::invalid("the driver does not know the memory any more")),
            }
        }
    })
}

/// Waits for the device to be done with all work, and copies the `len` bytes of the memory from byte `at` on
/// to the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_memory_read(
    memory: *const fszc_device_memory,
    at: usize,
    to: *mut c_void,
    len: usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let to = pointers::bytes_mut(to, len, "the target")?;
            Ok(handle::get(memory)?.0.read(at, to)?)
        }
    })
}

/// Frees the memory, when nothing uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_memory_free(memory: *mut fszc_device_memory) {
    // SAFETY: the header's rules for pointers.
    value_of((), || unsafe { handle::free(memory) });
}
