//! Uses a stream in every way there is. Whatever the bytes are, each call returns a value or an
//! error, and calls that succeed agree with each other.

use crate::seal;
use fsz::{Codec, DType, Element, Stream};
use ndarray::Axis;

/// Bytes as a stream: as they are, and with all checksums made right.
pub fn decode(bytes: &[u8]) {
    exercise(bytes);
    let mut sealed = bytes.to_vec();
    seal(&mut sealed);
    exercise(&sealed);
}

/// Opens the bytes as a stream and, where that works, reads and decodes all of it.
pub fn exercise(bytes: &[u8]) {
    let Ok(stream) = Stream::open(bytes) else { return };
    assert_eq!(stream.as_bytes(), bytes);
    inspect(&stream);
    match stream.header().dtype {
        DType::F32 => decode_all::<f32>(&stream),
        DType::F64 => decode_all::<f64>(&stream),
    }
}

/// What a stream says about itself holds together.
fn inspect(stream: &Stream) {
    let (header, grid) = (stream.header(), stream.grid());
    // With a dimension of 0 the others may be anything.
    let empty = header.shape.contains(&0);
    let elements = if empty { 0 } else { header.shape.iter().product() };
    assert_eq!(header.elements(), elements);
    assert_eq!(stream.raw_bytes(), elements * header.dtype.size() as u64);
    assert_eq!(stream.compressed_bytes(), stream.as_bytes().len() as u64);
    let _ = (stream.compression_ratio(), stream.certificate().max_abs_error);
    assert!(grid.tiles() >= elements.div_ceil(grid.full_tile_len() as u64));
    assert_eq!(grid.len_of(0..grid.tiles()), elements);
    let mut tiles = 0;
    for (index, record) in stream.tiles().enumerate() {
        let Ok(record) = record else { return };
        assert_eq!(record.index, index as u64);
        tiles += 1;
    }
    assert_eq!(tiles, grid.tiles());
    if let Some(last) = tiles.checked_sub(1) {
        // Whether the payload can be decoded is told elsewhere.
        let _ = stream.tile_costs(last);
    }
}

fn decode_all<T: Element + std::fmt::Debug>(stream: &Stream) {
    let codec = Codec::cpu().threads(1).unwrap();
    let shape = stream.header().shape.clone();
    let whole = codec.decompress::<T>(stream);
    let bits = |values: &[T]| values.iter().map(|v| v.to_f64().to_bits()).collect::<Vec<_>>();
    if let Ok(whole) = &whole {
        let mut again = vec![T::default(); whole.len()];
        codec.decompress_into(stream, &mut again).unwrap();
        assert_eq!(bits(whole.as_slice().unwrap()), bits(&again));
    }
    for axis in 0..shape.len() {
        for index in [0, shape[axis] / 2, shape[axis].saturating_sub(1)] {
            let slice = codec.decompress_slice::<T>(stream, Axis(axis), index);
            if let Ok(whole) = &whole
                && shape[axis] > 0
            {
                let expected = whole.index_axis(Axis(axis), index as usize);
                let expected: Vec<T> = expected.iter().copied().collect();
                assert_eq!(bits(slice.unwrap().as_slice().unwrap()), bits(&expected));
            }
        }
    }
    let start: Vec<u64> = shape.iter().map(|n| n / 3).collect();
    let count: Vec<u64> = shape.iter().zip(&start).map(|(n, s)| (n - s).div_ceil(2)).collect();
    let boxed = codec.decompress_box::<T>(stream, &start, &count);
    if let Ok(mut whole) = whole {
        for (axis, (s, n)) in start.iter().zip(&count).enumerate() {
            let range = *s as usize..(s + n) as usize;
            whole.slice_axis_inplace(Axis(axis), range.into());
        }
        let expected: Vec<T> = whole.iter().copied().collect();
        assert_eq!(bits(boxed.unwrap().as_slice().unwrap()), bits(&expected));
    }
    // The other element type is refused, never misread.
    let other_is_refused = match T::DTYPE {
        DType::F32 => codec.decompress::<f64>(stream).is_err(),
        DType::F64 => codec.decompress::<f32>(stream).is_err(),
    };
    assert!(other_is_refused);
}
