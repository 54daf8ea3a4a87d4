//! The functions of `include/fsz_hdf5.h`, for programs that write chunks themselves (`H5Dwrite_chunk`).

use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_int, c_uint, c_void},
    slice,
};

use fsz::cuda::{Compression, CudaMemory, DeviceCodec, MemoryKind};

use crate::{
    Result, attempt,
    cd_values::{CdValues, MAX_WORDS},
    chunk::Chunk,
    options::Options,
    plugin::FILTER_ID,
    remark, text,
};

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs a function's work; keeps the message of a failure for [`fsz_hdf5_message`].
fn answer<T>(failure: T, work: impl FnOnce() -> Result<T>) -> T {
    attempt(work).unwrap_or_else(|message| {
        let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
        // A thread that is ending has no place for messages any more.
        let _ = MESSAGE.try_with(|kept| kept.replace(message));
        failure
    })
}

#[unsafe(no_mangle)]
extern "C" fn fsz_hdf5_filter_id() -> c_int {
    FILTER_ID
}

#[unsafe(no_mangle)]
extern "C" fn fsz_hdf5_message() -> *const c_char {
    let message = MESSAGE.try_with(|kept| kept.borrow().as_ptr());
    message.unwrap_or_else(|_| c"the thread is ending".as_ptr())
}

/// # Safety
/// `options` is null or ends with a zero; `cd_values` is null or writable for `*cd_nelmts` words; `cd_nelmts` is
/// null or writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_hdf5_cd_values(
    options: *const c_char,
    cd_values: *mut c_uint,
    cd_nelmts: *mut usize,
) -> c_int {
    answer(-1, || {
        if options.is_null() || cd_values.is_null() || cd_nelmts.is_null() {
            return Err("fsz_hdf5_cd_values: a null pointer".into());
        }
        // SAFETY: promised by the caller, and not null.
        let (options, room) = unsafe { (CStr::from_ptr(options), &mut *cd_nelmts) };
        let options = options.to_str().map_err(|_| "the options are not UTF-8")?;
        let options = Options::parse(options)?;
        let words = CdValues { options, chunk: None }.write();
        if *room < words.len() {
            return Err(format!("room for {room} cd_values where {} are needed", words.len()));
        }
        // SAFETY: promised by the caller.
        unsafe { cd_values.copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        *room = words.len();
        Ok(0)
    })
}

/// The options and the chunk of a dataset's complete parameters.
///
/// # Safety
/// `cd_values` is null or holds `cd_nelmts` words.
unsafe fn dataset(cd_values: *const c_uint, cd_nelmts: usize) -> Result<(Options, Chunk)> {
    if cd_values.is_null() || cd_nelmts > MAX_WORDS {
        return Err("these are no parameters of a dataset with the FSZ filter".into());
    }
    // SAFETY: promised by the caller, and not null.
    let words = unsafe { slice::from_raw_parts(cd_values, cd_nelmts) };
    let CdValues { options, chunk } = CdValues::read(words)?;
    let chunk = chunk.ok_or(
        "cd_values of no dataset: take them from the dataset's creation property list, after H5Dcreate",
    )?;
    chunk.check(&options)?;
    Ok((options, chunk))
}

/// # Safety
/// As [`dataset`].
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_hdf5_max_chunk_size(cd_values: *const c_uint, cd_nelmts: usize) -> usize {
    // SAFETY: promised by the caller.
    answer(0, || unsafe { dataset(cd_values, cd_nelmts) }?.1.max_len())
}

/// # Safety
/// As [`dataset`]; `values` is null or host or CUDA memory that holds a chunk; `out` is null or writable for
/// `out_size` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn fsz_hdf5_compress_chunk(
    cd_values: *const c_uint,
    cd_nelmts: usize,
    values: *const c_void,
    out: *mut c_void,
    out_size: usize,
) -> usize {
    answer(0, || {
        // SAFETY: promised by the caller.
        let (options, chunk) = unsafe { dataset(cd_values, cd_nelmts) }?;
        if values.is_null() || out.is_null() {
            return Err("fsz_hdf5_compress_chunk: a null pointer".into());
        }
        let values = values.cast::<u8>();
        // The chunk is still read while its stream is written.
        let (from, to) = (values.addr(), out.addr());
        if to.wrapping_sub(from) < chunk.bytes()? || from.wrapping_sub(to) < out_size {
            return Err("fsz_hdf5_compress_chunk: values and out overlap".into());
        }
        // SAFETY: promised by the caller; any bytes are bytes.
        let out = unsafe { slice::from_raw_parts_mut(out.cast::<u8>(), out_size) };
        if let Some(memory) = CudaMemory::at(values).map_err(text)? {
            memory.synchronize().map_err(text)?;
            if memory.kind() != MemoryKind::Pinned {
                // SAFETY: promised by the caller; pending work has been waited for.
                return unsafe { on_device(&memory, &options, &chunk, out) };
            }
        }
        // SAFETY: promised by the caller; the host reads this memory.
        let values = unsafe { slice::from_raw_parts(values, chunk.bytes()?) };
        chunk.native().compress(&options, values, out)
    })
}

/// Compresses on the device that holds the chunk; what it does not serve, the CPU does from a copy.
///
/// # Safety
/// `memory` holds the chunk, and no work is pending on it.
unsafe fn on_device(
    memory: &CudaMemory,
    options: &Options,
    chunk: &Chunk,
    out: &mut [u8],
) -> Result<usize> {
    let mut compress = || {
        memory.check_context()?;
        let options = options.compression(&chunk.fill);
        let compression = Compression::new(&chunk.stream_shape(), chunk.dtype, &options)?;
        let codec = DeviceCodec::open(memory.device())?;
        // SAFETY: promised by the caller; the primary context reaches the memory.
        unsafe { codec.compress_to_host(&compression, memory.address(), out) }
    };
    match compress() {
        Ok(done) => {
            remark::of_chunk(options.bound, chunk.dtype, &out[..done.len]);
            Ok(done.len)
        }
        Err(fsz::Error::Device(_) | fsz::Error::Unsupported(_)) => {
            let mut values = vec![0; chunk.bytes()?];
            // SAFETY: promised by the caller.
            unsafe { memory.copy_to_host(&mut values) }.map_err(text)?;
            chunk.native().compress(options, &values, out)
        }
        Err(error) => Err(text(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::{ptr, thread};

    use super::*;

    /// Fails while its thread ends.
    struct Late;

    impl Drop for Late {
        fn drop(&mut self) {
            // SAFETY: null is refused.
            let failed =
                unsafe { fsz_hdf5_cd_values(ptr::null(), ptr::null_mut(), ptr::null_mut()) };
            assert_eq!(failed, -1);
            assert!(!fsz_hdf5_message().is_null());
        }
    }

    thread_local! {
        static BEFORE: Late = const { Late };
        static BEHIND: Late = const { Late };
    }

    /// Whatever ends first: what a thread keeps here, or the objects of the program.
    #[test]
    fn a_thread_that_is_ending_may_fail() {
        let ended = thread::spawn(|| {
            BEFORE.with(|_| ());
            drop(Late);
            BEHIND.with(|_| ());
        });
        ended.join().expect("it ended");
    }
}
