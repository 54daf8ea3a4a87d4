//! Chunks as zarrs has them, bytes in native order, and as the codec has them.

use std::num::NonZeroU64;

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

/// The elements of a chunk.
pub(crate) fn elements<T: Scalar, const N: usize>(bytes: &[u8], read: fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|element| read(*element)).collect()
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
    with_element!(stream.header().dtype, T => {
        let mut out = vec![T::default(); elements];
        Codec::cpu().decompress_box_into(stream, start, count, &mut out).map_err(failed)?;
        Ok(out.iter().flat_map(|element| element.to_ne_bytes()).collect())
    })
}
