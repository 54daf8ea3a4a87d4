//! What HDF5 calls when it creates a dataset: whether the filter can serve it, and what of the dataset the
//! filter has to know later.

use std::{
    ffi::{CStr, c_int, c_uint},
    ptr,
};

use fsz::{Bound, DType};

use crate::{
    Result, attempt,
    cd_values::{CdValues, MAX_RANK, MAX_WORDS},
    chunk::{ByteOrder, Chunk},
    codec,
    hdf5::{Hdf5, Id},
    options::{self, Options},
    plugin::FILTER_ID,
    report,
};

/// `H5Z_can_apply_func_t`. Never "no", which lets HDF5 store values uncompressed in silence where the filter is
/// optional, as h5py makes it: a dataset that cannot be compressed is an error.
///
/// HDF5 calls this before the first write too, with a list of its own whose fill value must not be asked
/// for (HDF5 2.0 crashes): `set_local` looks at that.
///
/// # Safety
/// As HDF5 calls it.
pub(crate) unsafe extern "C" fn can_apply(list: Id, element: Id, _chunk: Id) -> c_int {
    answer(c"can_apply", 1, |hdf5| {
        let (_, options) = parameters(hdf5, list)?;
        codec::threads()?;
        let (dtype, _) = element_type(hdf5, element)?;
        options::check(&options.compression(&[]), dtype)
    })
}

/// `H5Z_set_local_func_t`: completes the parameters in the dataset's creation property list.
///
/// # Safety
/// As HDF5 calls it.
pub(crate) unsafe extern "C" fn set_local(list: Id, element: Id, _chunk: Id) -> c_int {
    answer(c"set_local", 0, |hdf5| {
        let (flags, options) = parameters(hdf5, list)?;
        comes_first(hdf5, list)?;
        let (dtype, order) = element_type(hdf5, element)?;
        let fill = fill_values(hdf5, list, element, (dtype, order), &options)?;
        let chunk = Chunk { dtype, order, fill, shape: shape(hdf5, list)? };
        chunk.check(&options)?;
        let complete = CdValues { options, chunk: Some(chunk) };
        let words = complete.write();
        // SAFETY: the list is HDF5's, and `words` as long as said.
        let done =
            unsafe { (hdf5.p_modify_filter)(list, FILTER_ID, flags, words.len(), words.as_ptr()) };
        succeeded(done, "H5Pmodify_filter").map(drop)
    })
}

fn answer(function: &CStr, yes: c_int, work: impl FnOnce(&Hdf5) -> Result<()>) -> c_int {
    let mut hdf5 = None;
    match attempt(|| work(hdf5.insert(Hdf5::of_caller()?))) {
        Ok(()) => yes,
        Err(message) => {
            report::failure(hdf5.as_ref(), function, &message);
            -1
        }
    }
}

/// The filter's flags, and the options in its parameters. Those of another dataset are complete already,
/// when its property list is used again: what that dataset is does not matter here.
fn parameters(hdf5: &Hdf5, list: Id) -> Result<(c_uint, Options)> {
    let (mut flags, mut count, mut words) = (0, MAX_WORDS, [0; MAX_WORDS]);
    // SAFETY: all are writable, and `words` as long as said; no name is asked for.
    let got = unsafe {
        (hdf5.p_get_filter_by_id)(
            list,
            FILTER_ID,
            &mut flags,
            &mut count,
            words.as_mut_ptr(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    succeeded(got, "H5Pget_filter_by_id2")?;
    // HDF5 says how many there are, even when there was room for fewer.
    let words =
        words.get(..count).ok_or(format!("{count} cd_values: at most {MAX_WORDS} are known"))?;
    if words.is_empty() {
        return Err(
            "no cd_values: a bound is needed, see docs/hdf5.md for the words that give one".into(),
        );
    }
    Ok((flags, CdValues::read(words)?.options))
}

/// # Errors
/// A filter before this one. What it hands on are no longer the dataset's numbers: of shuffled bytes, say, the bound
/// would hold for the shuffled ones, and the values would be lost.
fn comes_first(hdf5: &Hdf5, list: Id) -> Result<()> {
    let mut name = [0u8; 64];
    // SAFETY: neither flags nor parameters are asked for, and `name` is as long as said; one byte stays 0.
    let first = unsafe {
        (hdf5.p_get_filter)(
            list,
            0,
            &mut 0,
            ptr::null_mut(),
            ptr::null_mut(),
            name.len() - 1,
            name.as_mut_ptr().cast(),
            &mut 0,
        )
    };
    if succeeded(first, "H5Pget_filter2")? == FILTER_ID {
        return Ok(());
    }
    let name = CStr::from_bytes_until_nul(&name).map_or("".into(), CStr::to_string_lossy);
    let name = if name.is_empty() { format!("{first}").into() } else { name };
    Err(format!(
        "the filter {name} stands before FSZ, which then sees bytes in place of numbers and would destroy the \
         values: create the dataset without it"
    ))
}

/// The layout of an IEEE type: places and sizes of sign, exponent and mantissa, and the exponent's bias.
const IEEE: [(DType, [usize; 5], usize); 2] =
    [(DType::F32, [31, 23, 8, 0, 23], 127), (DType::F64, [63, 52, 11, 0, 52], 1023)];

/// `H5T_FLOAT`.
const FLOAT: c_int = 1;
/// `H5T_NORM_IMPLIED`.
const NORM_IMPLIED: c_int = 0;
/// `H5T_ORDER_LE` and `H5T_ORDER_BE`.
const ORDERS: [ByteOrder; 2] = [ByteOrder::Little, ByteOrder::Big];

/// # Errors
/// Any type but an IEEE float of 32 or 64 bits.
fn element_type(hdf5: &Hdf5, element: Id) -> Result<(DType, ByteOrder)> {
    let refuse =
        || "FSZ compresses datasets of IEEE floats of 32 or 64 bits, no other type".to_string();
    // SAFETY: the type is HDF5's.
    let (class, size) = unsafe { ((hdf5.t_get_class)(element), (hdf5.t_get_size)(element)) };
    // Others have no exponent to ask for.
    if class != FLOAT {
        return Err(refuse());
    }
    let [mut sign, mut exponent, mut exponent_len, mut mantissa, mut mantissa_len] = [0; 5];
    // SAFETY: the type is HDF5's and a float; all are writable.
    let (order, norm, bias, got) = unsafe {
        (
            (hdf5.t_get_order)(element),
            (hdf5.t_get_norm)(element),
            (hdf5.t_get_ebias)(element),
            (hdf5.t_get_fields)(
                element,
                &mut sign,
                &mut exponent,
                &mut exponent_len,
                &mut mantissa,
                &mut mantissa_len,
            ),
        )
    };
    succeeded(got, "H5Tget_fields")?;
    let found = ([sign, exponent, exponent_len, mantissa, mantissa_len], bias);
    let dtype = IEEE
        .into_iter()
        .find(|(dtype, fields, bias)| dtype.size() == size && (*fields, *bias) == found)
        .map(|(dtype, ..)| dtype);
    let order = usize::try_from(order).ok().and_then(|order| ORDERS.get(order).copied());
    dtype.zip(order).filter(|_| norm == NORM_IMPLIED).ok_or_else(refuse)
}

/// The lengths of a chunk, the slowest dimension first.
fn shape(hdf5: &Hdf5, list: Id) -> Result<Vec<u32>> {
    let mut lengths = [0; MAX_RANK];
    // SAFETY: the list is HDF5's; `lengths` is as long as said.
    let rank = unsafe { (hdf5.p_get_chunk)(list, MAX_RANK as c_int, lengths.as_mut_ptr()) };
    let rank = succeeded(rank, "H5Pget_chunk")? as usize;
    lengths[..rank.min(MAX_RANK)]
        .iter()
        .map(|&n| u32::try_from(n).map_err(|_| format!("a chunk of {n} elements in a dimension")))
        .collect()
}

/// `H5D_FILL_VALUE_USER_DEFINED`.
const USER_DEFINED: c_int = 2;
/// `H5D_FILL_TIME_NEVER`.
const NEVER: c_int = 1;

/// The values that are to be kept exactly: the one that the program has chosen for what is missing; and for a value-range
/// bound what HDF5 itself puts into the part of a chunk that lies outside of the dataset, which is no part
/// of the range.
fn fill_values(
    hdf5: &Hdf5,
    list: Id,
    element: Id,
    (dtype, order): (DType, ByteOrder),
    options: &Options,
) -> Result<Vec<f64>> {
    let (mut status, mut time) = (0, 0);
    // SAFETY: the list is HDF5's; both are writable.
    let (got_status, got_time) = unsafe {
        ((hdf5.p_fill_value_defined)(list, &mut status), (hdf5.p_get_fill_time)(list, &mut time))
    };
    succeeded(got_status, "H5Pfill_value_defined")?;
    succeeded(got_time, "H5Pget_fill_time")?;
    let mut values = Vec::new();
    if status == USER_DEFINED {
        let mut bytes = [0u8; 8];
        // SAFETY: a value of this type has 4 or 8 bytes.
        let got = unsafe { (hdf5.p_get_fill_value)(list, element, bytes.as_mut_ptr().cast()) };
        succeeded(got, "H5Pget_fill_value")?;
        values.push(number(&bytes[..dtype.size()], order));
    }
    let pads_with_zeros = status != USER_DEFINED || time == NEVER;
    let has_zero = values.iter().any(|&value| same(value, 0.0, dtype));
    if pads_with_zeros && matches!(options.bound, Bound::ValueRange(_)) && !has_zero {
        values.push(0.0);
    }
    // What is named already need not be named twice, and NaN never.
    let is_named = |value| options.missing.iter().any(|&missing| same(missing, value, dtype));
    values.retain(|&value| !value.is_nan() && !is_named(value));
    Ok(values)
}

/// The number that bytes in a dataset's order hold.
fn number(bytes: &[u8], order: ByteOrder) -> f64 {
    let mut bytes = bytes.to_vec();
    if order == ByteOrder::Big {
        bytes.reverse();
    }
    match *bytes {
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => f64::NAN,
    }
}

/// Whether two values are the same element, bit for bit.
fn same(a: f64, b: f64, dtype: DType) -> bool {
    match dtype {
        DType::F32 => (a as f32).to_bits() == (b as f32).to_bits(),
        DType::F64 => a.to_bits() == b.to_bits(),
    }
}

/// # Errors
/// The function that answered below 0.
fn succeeded(answer: c_int, function: &str) -> Result<c_int> {
    if answer < 0 { Err(format!("{function} failed")) } else { Ok(answer) }
}
