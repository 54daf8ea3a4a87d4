//! What the C++ shim calls (`shim/bridge.h`). Nothing here unwinds.

use std::{
    borrow::Cow,
    ffi::c_char,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, slice,
};

use crate::{
    block::{Block, MemorySelection},
    operator::{Operator, attempt, element_type},
};

/// `fsz_text`.
#[repr(C)]
#[derive(Debug)]
pub struct Text {
    bytes: *const u8,
    length: usize,
}

impl Text {
    /// # Safety
    /// The bytes stay readable for as long as the result is used.
    unsafe fn read<'a>(&self) -> Cow<'a, str> {
        if self.length == 0 {
            return Cow::Borrowed("");
        }
        // SAFETY: promised by the caller.
        String::from_utf8_lossy(unsafe { slice::from_raw_parts(self.bytes, self.length) })
    }
}

/// `fsz_message`.
#[repr(C)]
#[derive(Debug)]
pub struct Message {
    text: [u8; 1024],
}

impl Message {
    /// As much of a text as there is room for.
    fn of(text: &str) -> Message {
        let mut bytes = [0; 1024];
        let length = text.floor_char_boundary(bytes.len() - 1);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        Message { text: bytes }
    }
}

/// `fsz_write`.
#[repr(C)]
#[derive(Debug)]
pub struct Write {
    data: *const u8,
    start: *const usize,
    start_length: usize,
    count: *const usize,
    count_length: usize,
    memory_start: *const usize,
    memory_count: *const usize,
    element_size: u32,
    may_fail: u32,
    variable: Text,
    out: *mut u8,
    slack: usize,
}

/// # Safety
/// `keys` and `values` hold `length` texts; `message` is writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_core_create(
    keys: *const Text,
    values: *const Text,
    length: usize,
    may_fail: u32,
    message: *mut Message,
) -> *mut Operator {
    let create = || {
        let texts = |list: *const Text| -> Vec<Cow<'_, str>> {
            // SAFETY: promised by the caller; the texts outlive this call.
            (0..length).map(|index| unsafe { (*list.add(index)).read() }).collect()
        };
        let (keys, values) = (texts(keys), texts(values));
        let given = keys.iter().map(Cow::as_ref).zip(values.iter().map(Cow::as_ref));
        Operator::new(given, may_fail != 0)
    };
    let made = catch_unwind(AssertUnwindSafe(create))
        .unwrap_or_else(|_| Err("creating the operator panicked (please report this)".into()));
    match made {
        Ok(operator) => Box::into_raw(Box::new(operator)),
        Err(error) => {
            // SAFETY: promised by the caller.
            unsafe { message.write(Message::of(&format!("FSZ operator: {error}"))) };
            ptr::null_mut()
        }
    }
}

/// # Safety
/// `operator` came from [`fsz_core_create`] and is not used again.
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_core_destroy(operator: *mut Operator) {
    // SAFETY: promised by the caller. Dropping an operator runs no code that can unwind.
    drop(unsafe { Box::from_raw(operator) });
}

/// # Safety
/// `operator` came from [`fsz_core_create`].
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_core_attach(operator: *const Operator) {
    // SAFETY: promised by the caller.
    unsafe { &*operator }.attach();
}

/// # Safety
/// `operator` came from [`fsz_core_create`].
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_core_refuses(operator: *const Operator) -> u32 {
    // SAFETY: promised by the caller.
    u32::from(unsafe { &*operator }.refuses())
}

/// # Safety
/// `operator` came from [`fsz_core_create`].
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_core_estimate(
    operator: *const Operator,
    elements: usize,
    element_size: usize,
    dimensions: usize,
) -> usize {
    // SAFETY: promised by the caller.
    unsafe { &*operator }.estimate(elements, element_size, dimensions)
}

/// # Safety
/// `operator` came from [`fsz_core_create`]; `write` describes readable values and writable room as
/// [`Operator::write`] asks; `message` is writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_core_operate(
    operator: *const Operator,
    write: *const Write,
    message: *mut Message,
) -> usize {
    // SAFETY: promised by the caller.
    let (operator, write) = unsafe { (&*operator, &*write) };
    let extents = |list: *const usize, length: usize| -> Vec<u64> {
        // SAFETY: the list holds `length` entries.
        (0..length).map(|index| unsafe { *list.add(index) } as u64).collect()
    };
    let memory = (!write.memory_count.is_null()).then(|| MemorySelection {
        start: extents(write.memory_start, write.count_length),
        count: extents(write.memory_count, write.count_length),
    });
    let block = Block {
        data: write.data,
        count: extents(write.count, write.count_length),
        start: (write.start_length == write.count_length && write.count_length > 0)
            .then(|| extents(write.start, write.start_length)),
        memory,
        dtype: element_type(write.element_size as usize),
        // SAFETY: the name outlives this call.
        variable: unsafe { write.variable.read() },
    };
    let name = block.name().to_owned();
    let room = operator.room(&block, write.slack);
    // SAFETY: promised by the caller.
    let written =
        attempt(|| unsafe { operator.write(block, write.out, room, write.may_fail != 0) });
    written.unwrap_or_else(|reason| {
        // SAFETY: as in fsz_core_create.
        unsafe { message.write(Message::of(&format!("FSZ: {name}: {reason}"))) };
        0
    })
}

/// # Safety
/// `operator` came from [`fsz_core_create`]; `payload` is readable for `length` bytes; `out` is as
/// [`Operator::read`] asks; `message` is writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_core_inverse(
    operator: *const Operator,
    payload: *const c_char,
    length: usize,
    out: *mut u8,
    message: *mut Message,
) -> usize {
    let payload = if length == 0 {
        &[]
    } else {
        // SAFETY: promised by the caller.
        unsafe { slice::from_raw_parts(payload.cast(), length) }
    };
    // SAFETY: promised by the caller.
    match unsafe { (*operator).read(payload, out) } {
        Ok(bytes) => bytes,
        Err(error) => {
            // SAFETY: as in fsz_core_create.
            unsafe { message.write(Message::of(&error)) };
            0
        }
    }
}
