//! Which CUDA devices there are.

use std::ffi::c_char;

use crate::{
    pointers,
    status::{Failure, Result, fszc_status, status_of},
};

/// Bytes of a device's name, the zero byte included.
pub const FSZC_DEVICE_NAME: usize = 256;

/// One CUDA device. Later releases may add fields at the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fszc_device_info {
    /// Its memory in bytes.
    pub memory: u64,
    /// Its number.
    pub ordinal: u32,
    /// Major number of its compute capability.
    pub capability_major: u32,
    /// Minor number of its compute capability.
    pub capability_minor: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// 1 if FSZ has kernels for it; 0 if it is too old.
    pub has_kernels: u32,
    /// 0.
    pub reserved: u32,
    /// Its name, as the driver gives it.
    pub name: [c_char; FSZC_DEVICE_NAME],
}

/// Stores the number of CUDA devices.
///
/// FSZC_DEVICE with the reason when there is none that can be used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_count(count: *mut usize) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            pointers::store(count, 0, "the number of devices")?;
            pointers::store(count, fsz::devices()?.len(), "the number of devices")
        }
    })
}

/// Stores what CUDA device number `device` is. `size` is sizeof(fszc_device_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_device_describe(
    device: usize,
    info: *mut fszc_device_info,
    size: usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe { pointers::store_struct(info, size, &describe(device)?) }
    })
}

fn describe(device: usize) -> Result<fszc_device_info> {
    let devices = fsz::devices()?;
    let found = devices.get(device).ok_or_else(|| {
        Failure::invalid(format!("device {device}: there are {} devices", devices.len()))
    })?;
    let mut name = [0; FSZC_DEVICE_NAME];
    let text = found.name.as_bytes().iter().take(FSZC_DEVICE_NAME - 1);
    for (place, &byte) in name.iter_mut().zip(text) {
        *place = byte as c_char;
    }
    Ok(fszc_device_info {
        memory: found.memory,
        ordinal: found.ordinal as u32,
        capability_major: found.capability.0,
        capability_minor: found.capability.1,
        multiprocessors: found.multiprocessors,
        has_kernels: found.kernels().is_some().into(),
        reserved: 0,
        name,
    })
}
