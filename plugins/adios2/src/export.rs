//! The symbols of the library: ADIOS2's two, and those of `include/fsz_adios2.h`.

use std::ffi::{c_char, c_int, c_void};

use crate::{
    read_to_device,
    sink::{self, Payload, Sink},
};

unsafe extern "C-unwind" {
    /// The C++ half of [`OperatorCreate`]; throws.
    fn fsz_shim_create(parameters: *const c_void) -> *mut c_void;
    /// The C++ half of [`OperatorDestroy`].
    fn fsz_shim_destroy(made: *mut c_void);
}

/// Creates an operator. For an unknown or bad parameter, and in an ADIOS2 that is not known, throws a C++
/// exception, which passes through this frame.
///
/// # Safety
/// For ADIOS2 to call: `parameters` is a `const adios2::Params &`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn OperatorCreate(parameters: *const c_void) -> *mut c_void {
    // SAFETY: the pointer is passed on as it came.
    unsafe { fsz_shim_create(parameters) }
}

/// Destroys an operator.
///
/// # Safety
/// For ADIOS2 to call, once, with what [`OperatorCreate`] returned.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn OperatorDestroy(made: *mut c_void) {
    // SAFETY: the pointer is passed on as it came.
    unsafe { fsz_shim_destroy(made) };
}

/// `FSZ_ADIOS2_INTERFACE` of `fsz_adios2.h`.
#[unsafe(no_mangle)]
pub extern "C" fn fsz_adios2_interface() -> u32 {
    1
}

/// Registers a payload sink for the calling thread; see `fsz_adios2.h`.
///
/// # Safety
/// `sink` stays callable with `user` until another one, or none, takes its place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fsz_adios2_set_sink(sink: Option<Sink>, user: *mut c_void) {
    sink::set(sink.map(|sink| (sink, user)));
}

/// Decodes a payload to device memory; see `fsz_adios2.h`.
///
/// # Safety
/// `payload` is the one that a sink was just given, `device` has room for `capacity` bytes of CUDA
/// memory, and `message` for `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fsz_read_to_device(
    payload: *const Payload,
    device: *mut c_void,
    capacity: usize,
    message: *mut c_char,
    room: usize,
) -> c_int {
    // SAFETY: promised by the caller.
    let Err(error) = (unsafe { read_to_device::run(&*payload, device.cast(), capacity) }) else {
        return 0;
    };
    if !message.is_null() && room > 0 {
        let length = error.floor_char_boundary(room - 1);
        // SAFETY: at most `room` bytes with the zero byte.
        unsafe {
            message.cast::<u8>().copy_from_nonoverlapping(error.as_ptr(), length);
            message.add(length).write(0);
        }
    }
    1
}
