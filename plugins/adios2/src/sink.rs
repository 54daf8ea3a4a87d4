//! The payload sink, which gives a reader the compressed bytes (`include/fsz_adios2.h`).

use std::{
    cell::Cell,
    ffi::{c_int, c_void},
    ptr, slice,
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

impl Payload {
    /// Valid for as long as the envelope is.
    pub(crate) fn of(envelope: &Envelope<'_>) -> Payload {
        Payload {
            mode: envelope.mode as u32,
            element_size: u32::from(envelope.element_size),
            ndims: envelope.count.len(),
            count: envelope.count.as_ptr(),
            start: envelope.start.as_ref().map_or(ptr::null(), |start| start.as_ptr()),
            bytes: envelope.body.as_ptr(),
            length: envelope.body.len(),
        }
    }

    /// # Safety
    /// The payload's bytes are readable.
    pub(crate) unsafe fn body(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: promised by the caller.
        unsafe { slice::from_raw_parts(self.bytes, self.length) }
    }

    /// Whether the bytes are the original values.
    pub(crate) fn is_raw(&self) -> bool {
        self.mode == Mode::Raw as u32
    }

    /// 4 or 8.
    pub(crate) fn element_size(&self) -> usize {
        self.element_size as usize
    }

    /// Bytes of the values.
    pub(crate) fn values_len(&self) -> Option<usize> {
        (0..self.ndims).try_fold(self.element_size(), |bytes, axis| {
            // SAFETY: a payload has as many extents as dimensions.
            let extent = unsafe { *self.count.add(axis) };
            bytes.checked_mul(usize::try_from(extent).ok()?)
        })
    }
}

/// `fsz_adios2_sink`.
pub type Sink = unsafe extern "C" fn(user: *mut c_void, payload: *const Payload) -> c_int;

thread_local! {
    static SINK: Cell<Option<(Sink, *mut c_void)>> = const { Cell::new(None) };
}

pub(crate) fn set(sink: Option<(Sink, *mut c_void)>) {
    SINK.set(sink);
}

/// Offers a payload to this thread's sink; true when the sink took it.
pub(crate) fn offer(envelope: &Envelope<'_>) -> bool {
    let Some((sink, user)) = SINK.get() else {
        return false;
    };
    let payload = Payload::of(envelope);
    // SAFETY: whoever registered the sink promised that it can be called with `user`, and every
    // pointer of the payload is valid during the call.
    unsafe { sink(user, &payload) == 1 }
}
