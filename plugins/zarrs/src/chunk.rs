//! Chunks as zarrs has them, bytes in native order, and as the codec has them.

use std::{borrow::Cow, num::NonZeroU64};

use bytemuck::Pod;
use fsz::{Codec, DType, Scalar, Stream, with_element};
use zarrs_codec::CodecError;
use zarrs_data_type::{DataType, FillValue};
use zarrs_plugin::{ExtensionName, ZarrVersion};

/// The codec's error as zarrs'.
pub(crate) fn failed(error: fsz::Error) -> CodecError {
    CodecError::Other(error.to_string())
}

pub(crate) fn dtype_of(data_type: &DataType) -> Result<DType, CodecError> {
    match data_type.name(ZarrVersion::V3).as_deref() {
        Some("float32") => Ok(DType::F32),
        Some("float64") => Ok(DType::F64),
        _ => Err(CodecError::UnsupportedDataType(data_type.clone(), "fsz_codec".into())),
    }
}

pub(crate) fn shape_of(shape: &[NonZeroU64]) -> Vec<u64> {
    shape.iter().map(|n| n.get()).collect()
}

/// The fill value as a number.
pub(crate) fn fill_of(fill_value: &FillValue, dtype: DType) -> Result<f64, CodecError> {
    let wrong = || CodecError::Other(format!("a fill value that is no {dtype}"));
    with_element!(dtype, T => {
        let bytes = fill_value.as_ne_bytes().try_into().map_err(|_| wrong())?;
        Ok(T::from_ne_bytes(bytes).to_f64())
    })
}

/// The elements of a chunk, where they lie unless that is askew.
pub(crate) fn elements<T: Scalar + Pod>(bytes: &[u8]) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(elements) => Cow::Borrowed(elements),
        Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(bytes)),
    }
}

/// A stream that must be of this shape and type.
pub(crate) fn open<'a>(
    bytes: &'a [u8],
    shape: &[u64],
    dtype: DType,
) -> Result<Stream<'a>, CodecError> {
    let stream = Stream::open(bytes).map_err(failed)?;
    let header = stream.header();
    if header.shape != shape || header.dtype != dtype {
        return Err(CodecError::Other(format!(
            "the chunk is {:?} {}; the array's are {shape:?} {dtype}",
            header.shape, header.dtype
        )));
    }
    Ok(stream)
}

/// The bytes of a box's elements.
pub(crate) fn decode_box(
    stream: &Stream<'_>,
    start: &[u64],
    count: &[u64],
) -> Result<Vec<u8>, CodecError> {
    let elements = count.iter().product::<u64>() as usize;
    let dtype = stream.header().dtype;
    let mut bytes = vec![0; elements * dtype.size()];
    fsz::ask_for_huge_pages(&mut bytes);
    with_element!(dtype, T => {
        let decode = |out: &mut [T]| Codec::cpu().decompress_box_into(stream, start, count, out);
        // Memory for bytes need not be aligned for elements, but as a rule is.
        match bytemuck::try_cast_slice_mut(&mut bytes) {
            Ok(out) => decode(out).map_err(failed)?,
            Err(_) => {
                let mut out = vec![T::default(); elements];
                decode(&mut out).map_err(failed)?;
                bytes.copy_from_slice(bytemuck::cast_slice(&out));
            }
        }
    });
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_wherever_their_bytes_lie() {
        let all: Vec<f32> = (0..100).map(|i| i as f32 * 0.3).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&all);
        assert!(matches!(elements::<f32>(bytes), Cow::Borrowed(own) if own == all));
        for askew in 1..4 {
            let moved = [&vec![0; askew], bytes].concat();
            assert_eq!(elements::<f32>(&moved[askew..]), all);
        }
        assert!(elements::<f64>(&[]).is_empty());
    }
}
