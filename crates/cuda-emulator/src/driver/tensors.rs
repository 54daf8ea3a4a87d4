//! Maps of tensors, for the copy engine.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::{
    CUresult, CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle,
};

use super::{Answer, code, give};
use crate::run::tensor::TensorMap;

/// Makes the map of a matrix; other ranks are not there.
///
/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapEncodeTiled(
    map: *mut [u64; TensorMap::LEN / 8],
    kind: c_int,
    rank: c_uint,
    at: u64,
    lengths: *const u64,
    strides: *const u64,
    box_lengths: *const c_uint,
    steps: *const c_uint,
    interleave: c_int,
    swizzle: c_int,
    _cached: c_int,
    _outside: c_int,
) -> CUresult {
    const SINGLE: c_int = CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32 as c_int;
    const DOUBLE: c_int = CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT64 as c_int;
    const PLAIN: c_int = CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE as c_int;
    const CROSSED: c_int = CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B as c_int;
    const TOGETHER: c_int = CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE as c_int;
    let make = || -> Answer {
        let size = match kind {
            SINGLE => 4,
            DOUBLE => 8,
            _ => return Err(CUresult::CUDA_ERROR_NOT_SUPPORTED),
        };
        if rank != 2 || interleave != TOGETHER || !matches!(swizzle, PLAIN | CROSSED) {
            return Err(CUresult::CUDA_ERROR_NOT_SUPPORTED);
        }
        // SAFETY: the caller gives two lengths of the matrix and of boxes, two steps, and a stride.
        let (columns, rows, stride, box_columns, box_rows, steps) = unsafe {
            let (columns, rows) = (lengths.read(), lengths.add(1).read());
            let (box_columns, box_rows) = (box_lengths.read(), box_lengths.add(1).read());
            let steps = [steps.read(), steps.add(1).read()];
            (columns, rows, strides.read(), u64::from(box_columns), u64::from(box_rows), steps)
        };
        let too_wide = swizzle == CROSSED && box_columns * size > 128;
        let wrong_box = box_columns == 0 || box_rows == 0 || box_columns > 256 || box_rows > 256;
        let crooked = !at.is_multiple_of(16) || !stride.is_multiple_of(16);
        if too_wide || wrong_box || crooked || steps != [1, 1] {
            return Err(CUresult::CUDA_ERROR_INVALID_VALUE);
        }
        let swizzled = u64::from(swizzle == CROSSED);
        let made = TensorMap { at, size, columns, rows, stride, box_columns, box_rows, swizzled };
        // SAFETY: the caller has room for a map.
        unsafe { give(map, made.words()) }
    };
    code(make())
}
