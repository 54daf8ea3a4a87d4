//! Element types.

use fsz::DType;

use crate::status::{Failure, Result};

/// Element type of a field: FSZC_F32 or FSZC_F64.
pub type fszc_dtype = u32;
/// float, IEEE 754 binary32.
pub const FSZC_F32: fszc_dtype = 1;
/// double, IEEE 754 binary64.
pub const FSZC_F64: fszc_dtype = 2;

const _: () = assert!(FSZC_F32 == DType::F32.code() as u32 && FSZC_F64 == DType::F64.code() as u32);

pub(crate) fn dtype_of(number: fszc_dtype) -> Result<DType> {
    match number {
        FSZC_F32 => Ok(DType::F32),
        FSZC_F64 => Ok(DType::F64),
        _ => {
            Err(Failure::invalid(format!("element type {number}: FSZC_F32 or FSZC_F64 is needed")))
        }
    }
}
