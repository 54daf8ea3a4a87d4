//! What HDF5 calls for each chunk.

use std::{
    ffi::{c_uint, c_void},
    slice,
};

use crate::{
    Result, attempt, buffer::Buffer, cd_values::CdValues, chunk::Chunk, hdf5::Hdf5, report,
};

/// `H5Z_FLAG_REVERSE`: the chunk is read.
const REVERSE: c_uint = 0x0100;

/// `H5Z_func_t`: replaces the chunk in `buf` by what the filter makes of it and returns its length, or 0
/// and leaves it.
///
/// # Safety
/// As HDF5 calls it: `cd_values` holds `cd_nelmts` words, and `*buf` memory of HDF5's own of `*buf_size` bytes,
/// `nbytes` of which are the chunk.
pub(crate) unsafe extern "C" fn filter(
    flags: c_uint,
    cd_nelmts: usize,
    cd_values: *const c_uint,
    nbytes: usize,
    buf_size: *mut usize,
    buf: *mut *mut c_void,
) -> usize {
    let mut hdf5 = None;
    let outcome = attempt(|| {
        let hdf5 = &*hdf5.insert(Hdf5::of_caller()?);
        if cd_values.is_null() || buf_size.is_null() || buf.is_null() {
            return Err("HDF5 passed no parameters or no chunk".into());
        }
        // SAFETY: promised by the caller, and not null.
        let (words, size, buf) =
            unsafe { (slice::from_raw_parts(cd_values, cd_nelmts), &mut *buf_size, &mut *buf) };
        let CdValues { options, chunk } = CdValues::read(words)?;
        let chunk = chunk.ok_or(
            "the dataset was created where libfsz_hdf5.so was not found, or is of a type of variable length, \
             so its parameters are incomplete",
        )?;
        let bytes = if buf.is_null() {
            &[]
        } else {
            // SAFETY: promised by the caller.
            unsafe { slice::from_raw_parts((*buf).cast::<u8>(), nbytes) }
        };
        let (made, len) = if flags & REVERSE == 0 {
            let mut made = Buffer::new(hdf5, chunk.max_len()?)?;
            let len = chunk.compress(&options, bytes, made.bytes())?;
            (made, len)
        } else {
            read(hdf5, &chunk, bytes)?
        };
        // SAFETY: promised by the caller.
        unsafe { made.replace(buf, size) };
        Ok(len)
    });
    outcome.unwrap_or_else(|message| {
        report::failure(hdf5.as_ref(), c"filter", &message);
        0
    })
}

fn read<'a>(hdf5: &'a Hdf5, chunk: &Chunk, stream: &[u8]) -> Result<(Buffer<'a>, usize)> {
    // Before there is memory for it: the size in a damaged file may be any.
    let stream = chunk.open(stream)?;
    let len = chunk.bytes()?;
    let mut made = Buffer::new(hdf5, len)?;
    chunk.decompress(&stream, made.bytes())?;
    Ok((made, len))
}
