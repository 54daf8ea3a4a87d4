//! The payload sink: a reader's way to the compressed bytes (`include/fsz_adios2.h`).

use std::{
    cell::Cell,
    ffi::{c_int, c_void},
    ptr,
};

use crate::envelope::{Envelope, Mode};

/// `fsz_adios2_payload`.
#[repr(C)]
#[derive(Debug)]
pub struct Payload {
    mode: u32,
    element_size: u32,
    ndims: usize,
    count: *const u64,
    start: *const u64,
    bytes: *const u8,
    length: usize,
}

/// `fsz_adios2_sink`.
pub type Sink = unsafe extern "C" fn(user: *mut c_void, payload: *const Payload) -> c_int;

thread_local! {
    static SINK: Cell<Option<(Sink, *mut c_void)>> = const { Cell::new(None) };
}

pub(crate) fn set(sink: Option<(Sink, *mut c_void)>) {
    SINK.set(sink);
}

/// Offers a payload to this thread's sink; true when it was taken.
pub(crate) fn offer(envelope: &Envelope<'_>) -> bool {
    let Some((sink, user)) = SINK.get() else {
        return false;
    };
    let payload = Payload {
        mode: match envelope.mode {
            Mode::Stream => 1,
            Mode::Raw => 2,
        },
        element_size: u32::from(envelope.element_size),
        ndims: envelope.count.len(),
        count: envelope.count.as_ptr(),
        start: envelope.start.as_ref().map_or(ptr::null(), |start| start.as_ptr()),
        bytes: envelope.body.as_ptr(),
        length: envelope.body.len(),
    };
    // SAFETY: whoever registered the sink promised that it can be called with `user`, and every
    // pointer of the payload is valid during the call.
    unsafe { sink(user, &payload) == 1 }
}
