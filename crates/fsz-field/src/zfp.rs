//! zfp streams with zfp's full header, through the zfp library: to read `.zfp` files, and to
//! compare with.

use std::ptr::NonNull;

use fsz::{DType, Element, with_element};
use zfp_sys as sys;

use crate::error::{Error, Result};
use crate::field::Field;
use crate::fixed_rate::{FixedRate, zfp_sides};
use crate::memory::zeros;
use crate::shape::Shape;
use crate::storage::Values;

/// How much zfp is to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode {
    /// Fixed accuracy: absolute error at most this.
    Accuracy(f64),
    /// Fixed rate: this many bits per value.
    Rate(f64),
}

/// Words that hold the longest header: 32 bits of magic, 52 of field, 64 of mode.
const HEADER_WORDS: usize = 3;
/// Bytes of the shortest header.
const LEAST_HEADER: usize = 12;

/// A zfp stream in memory, and the memory for the next one.
///
/// zfp knows neither NaN nor ±Inf: blocks of 4 values a side that hold one come back as anything.
#[derive(Debug, Clone, Default)]
pub struct Zfp {
    /// zfp reads and writes whole words, and some beyond the stream's end.
    words: Vec<u64>,
    /// Bytes of the stream.
    len: usize,
    /// Bytes of its header, when it was compressed here.
    header: usize,
}

impl Zfp {
    /// No stream yet.
    pub fn new() -> Zfp {
        Zfp::default()
    }

    /// The stream in these bytes; they are copied.
    pub fn from_bytes(bytes: &[u8]) -> Zfp {
        let mut words = vec![0; bytes.len().div_ceil(8).max(HEADER_WORDS)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Zfp { words, len: bytes.len(), header: 0 }
    }

    /// The stream.
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }

    /// Compresses values of `shape`; the memory of an earlier stream is used again.
    ///
    /// Sides of 1 do not count, and the slowest sides of a field of more than 4 are joined.
    ///
    /// # Errors
    /// When the shape does not hold the values, or a side is longer than zfp's header can tell.
    pub fn compress(&mut self, values: Values<'_>, shape: &Shape, mode: Mode) -> Result<()> {
        if shape.elements() != values.len() as u64 || values.len() == 0 {
            return Err(Error::Argument(format!(
                "zfp needs the values of shape {shape}, and at least one"
            )));
        }
        let sides = zfp_sides(shape)?;
        let (kind, data) = (kind_of(values.dtype()), values.bytes().as_ptr());
        let mut field = Array::new()?;
        // The library takes a pointer to mutable values and does not write to them here.
        field.describe(kind, &sides, data.cast_mut());
        let stream = Stream::new()?;
        // SAFETY: the stream is valid.
        unsafe {
            match mode {
                Mode::Accuracy(tolerance) => {
                    sys::zfp_stream_set_accuracy(stream.0.as_ptr(), tolerance)
                }
                Mode::Rate(rate) => {
                    let dims = sides.len() as u32;
                    sys::zfp_stream_set_rate(stream.0.as_ptr(), rate, kind, dims, 0)
                }
            }
        };
        // SAFETY: both are valid.
        let most = unsafe { sys::zfp_stream_maximum_size(stream.0.as_ptr(), field.0.as_ptr()) };
        self.words.resize(most.div_ceil(8), 0);
        let _bits = Bits::attach(&stream, &mut self.words)?;
        // SAFETY: the bit stream has room for the largest possible stream of this field, header
        // included, and the field describes values that live as long as this call.
        let (header, end) = unsafe {
            let header =
                sys::zfp_write_header(stream.0.as_ptr(), field.0.as_ptr(), sys::ZFP_HEADER_FULL);
            (header, sys::zfp_compress(stream.0.as_ptr(), field.0.as_ptr()))
        };
        if header == 0 || end == 0 {
            self.len = 0;
            return Err(Error::Argument(format!("zfp cannot compress shape {shape}")));
        }
        self.len = end;
        self.header = header / 8;
        Ok(())
    }

    /// Bytes of the header of a stream that was compressed here: 12, or 20 where the mode is long.
    pub(crate) fn header_len(&self) -> usize {
        self.header
    }

    /// Element type and shape of the stream's field.
    ///
    /// # Errors
    /// When the header is damaged, or the values are integers.
    pub fn header(&self) -> Result<(DType, Shape)> {
        let mut words = self.words.clone();
        let stream = Stream::new()?;
        let mut field = Array::new()?;
        let _bits = Bits::attach(&stream, &mut words)?;
        field.read_header(&stream, self.len)
    }

    /// Decodes into `out`, which has exactly the field's values.
    ///
    /// # Errors
    /// When the stream is damaged or its values are of another type or number.
    pub fn decompress_into<T: Element>(&mut self, out: &mut [T]) -> Result<()> {
        let stream = Stream::new()?;
        let mut field = Array::new()?;
        let most = {
            let _bits = Bits::attach(&stream, &mut self.words)?;
            let (dtype, shape) = field.read_header(&stream, self.len)?;
            if dtype != T::DTYPE || shape.elements() != out.len() as u64 {
                return Err(Error::Argument(format!(
                    "the zfp stream holds {dtype} of shape {shape}"
                )));
            }
            // SAFETY: both are valid, and the header set the parameters of the stream.
            unsafe { sys::zfp_stream_maximum_size(stream.0.as_ptr(), field.0.as_ptr()) }
        };
        // zfp does not check where a damaged stream leads it. No block takes more bits than the
        // largest that could be written, so zeros up to that size keep every read inside.
        self.words.resize(self.words.len().max(most.div_ceil(8) + 1), 0);
        let _bits = Bits::attach(&stream, &mut self.words)?;
        field.read_header(&stream, self.len)?;
        // SAFETY: `out` has the type and the number of values that the header tells, and the bit
        // stream is as long as the decoder can read.
        let end = unsafe {
            sys::zfp_field_set_pointer(field.0.as_ptr(), out.as_mut_ptr().cast());
            sys::zfp_decompress(stream.0.as_ptr(), field.0.as_ptr())
        };
        if end == 0 || end > self.len.next_multiple_of(8) {
            return Err(Error::Argument("the zfp stream is damaged or cut short".into()));
        }
        Ok(())
    }

    /// Decodes a fixed-rate stream without a header, such as cuZFP's, into `out`, which has the values
    /// of `shape`. `rate`: the bits per value that it was made with.
    ///
    /// # Errors
    /// When the rate is none that zfp has, the stream is too short for it, or `out` has another length.
    pub fn decompress_headerless_into<T: Element>(
        &mut self,
        shape: &Shape,
        rate: f64,
        out: &mut [T],
    ) -> Result<()> {
        if shape.elements() != out.len() as u64 || out.is_empty() {
            return Err(Error::Argument(format!(
                "a zfp stream of shape {shape}, and another field"
            )));
        }
        FixedRate::within(shape, T::DTYPE, rate, self.len as u64)?;
        let sides = zfp_sides(shape)?;
        let kind = kind_of(T::DTYPE);
        let mut field = Array::new()?;
        field.describe(kind, &sides, out.as_mut_ptr().cast());
        let stream = Stream::new()?;
        // SAFETY: both are valid.
        let most = unsafe {
            sys::zfp_stream_set_rate(stream.0.as_ptr(), rate, kind, sides.len() as u32, 0);
            sys::zfp_stream_maximum_size(stream.0.as_ptr(), field.0.as_ptr())
        };
        self.words.resize(self.words.len().max(most.div_ceil(8) + 1), 0);
        let _bits = Bits::attach(&stream, &mut self.words)?;
        // SAFETY: the field describes `out`, and the bit stream is as long as the decoder can read.
        let end = unsafe { sys::zfp_decompress(stream.0.as_ptr(), field.0.as_ptr()) };
        if end == 0 {
            return Err(Error::Argument("the zfp stream is damaged".into()));
        }
        Ok(())
    }

    /// Decodes the whole field.
    ///
    /// # Errors
    /// When the stream is damaged or its values are integers.
    pub fn decompress(&mut self) -> Result<Field> {
        let (dtype, shape) = self.header()?;
        with_element!(dtype, T => self.decompress_as::<T>(shape))
    }

    fn decompress_as<T: Element>(&mut self, shape: Shape) -> Result<Field> {
        let mut values = zeros::<T>(&shape)?;
        self.decompress_into(&mut values)?;
        Field::new(shape, values)
    }
}

/// The element type in zfp's terms.
fn kind_of(dtype: DType) -> sys::zfp_type {
    match dtype {
        DType::F32 => sys::zfp_type_zfp_type_float,
        DType::F64 => sys::zfp_type_zfp_type_double,
    }
}

/// Owns a `zfp_field`.
struct Array(NonNull<sys::zfp_field>);

impl Array {
    fn new() -> Result<Array> {
        // SAFETY: no condition.
        let field = unsafe { sys::zfp_field_alloc() };
        NonNull::new(field).map(Array).ok_or_else(no_memory)
    }

    fn describe(&mut self, kind: sys::zfp_type, sides: &[usize], data: *mut u8) {
        let side = |i: usize| sides.iter().rev().nth(i).copied().unwrap_or(0);
        // SAFETY: the field is valid and not shared; these are plain numbers.
        unsafe {
            let field = self.0.as_mut();
            field.type_ = kind;
            (field.nx, field.ny, field.nz, field.nw) = (side(0), side(1), side(2), side(3));
            field.data = data.cast();
        }
    }

    /// Reads the header at the start of the attached bit stream of `len` bytes.
    fn read_header(&mut self, stream: &Stream, len: usize) -> Result<(DType, Shape)> {
        let damaged = || Error::Argument("not a zfp stream with a full header".into());
        if len < LEAST_HEADER {
            return Err(damaged());
        }
        // SAFETY: both are valid, and the bit stream holds more than a header.
        let read = unsafe {
            sys::zfp_stream_rewind(stream.0.as_ptr());
            sys::zfp_read_header(stream.0.as_ptr(), self.0.as_ptr(), sys::ZFP_HEADER_FULL)
        };
        if read == 0 {
            return Err(damaged());
        }
        // SAFETY: the field is valid.
        let (field, blocks) = unsafe { (self.0.as_ref(), sys::zfp_field_blocks(self.0.as_ptr())) };
        // A block takes at least a bit: what claims more is not worth its memory.
        if blocks > len.saturating_mul(8) {
            return Err(damaged());
        }
        let dtype = match field.type_ {
            sys::zfp_type_zfp_type_float => DType::F32,
            sys::zfp_type_zfp_type_double => DType::F64,
            _ => return Err(Error::Argument("the zfp stream holds integers".into())),
        };
        let sides = [field.nw, field.nz, field.ny, field.nx];
        let used: Vec<u64> = sides.into_iter().filter(|&n| n > 0).map(|n| n as u64).collect();
        Ok((dtype, Shape::new(&used)?))
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // SAFETY: allocated by the library, freed once.
        unsafe { sys::zfp_field_free(self.0.as_ptr()) };
    }
}

/// Owns a `zfp_stream`.
struct Stream(NonNull<sys::zfp_stream>);

impl Stream {
    fn new() -> Result<Stream> {
        // SAFETY: a stream may be opened without a bit stream.
        let stream = unsafe { sys::zfp_stream_open(std::ptr::null_mut()) };
        NonNull::new(stream).map(Stream).ok_or_else(no_memory)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: opened by the library, closed once.
        unsafe { sys::zfp_stream_close(self.0.as_ptr()) };
    }
}

/// Owns a bit stream over borrowed words, attached to a stream.
struct Bits<'a> {
    bits: NonNull<sys::bitstream>,
    stream: &'a Stream,
    words: std::marker::PhantomData<&'a mut [u64]>,
}

impl<'a> Bits<'a> {
    fn attach(stream: &'a Stream, words: &'a mut [u64]) -> Result<Bits<'a>> {
        // SAFETY: the words outlive the bit stream; the stream is valid.
        unsafe {
            let bits = sys::stream_open(words.as_mut_ptr().cast(), size_of_val(words));
            let bits = NonNull::new(bits).ok_or_else(no_memory)?;
            sys::zfp_stream_set_bit_stream(stream.0.as_ptr(), bits.as_ptr());
            sys::zfp_stream_rewind(stream.0.as_ptr());
            Ok(Bits { bits, stream, words: std::marker::PhantomData })
        }
    }
}

impl Drop for Bits<'_> {
    fn drop(&mut self) {
        // SAFETY: detached first, so that the stream never sees closed bits; closed once.
        unsafe {
            sys::zfp_stream_set_bit_stream(self.stream.0.as_ptr(), std::ptr::null_mut());
            sys::stream_close(self.bits.as_ptr());
        }
    }
}

fn no_memory() -> Error {
    Error::Memory("zfp ran out of memory".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(shape: &Shape) -> Vec<f32> {
        (0..shape.elements()).map(|i| (i as f32 * 0.01).sin()).collect()
    }

    #[test]
    fn every_number_of_sides_comes_back_within_the_tolerance() {
        for sides in
            [&[][..], &[1], &[100], &[9, 10], &[5, 6, 7], &[2, 3, 4, 5], &[2, 1, 2, 3, 4, 5]]
        {
            let shape = Shape::new(sides).unwrap();
            let values = ramp(&shape);
            let mut zfp = Zfp::new();
            zfp.compress(Values::F32(&values), &shape, Mode::Accuracy(1e-3)).unwrap();
            let mut again = Zfp::from_bytes(zfp.bytes());
            let field = again.decompress().unwrap();
            let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-3;
            assert!(values.iter().zip(field.as_slice::<f32>().unwrap()).all(near), "{sides:?}");
        }
    }

    #[test]
    fn a_fixed_rate_is_kept_for_f64() {
        let shape = Shape::new(&[40, 40]).unwrap();
        let values: Vec<f64> = ramp(&shape).into_iter().map(f64::from).collect();
        let mut zfp = Zfp::new();
        zfp.compress(Values::F64(&values), &shape, Mode::Rate(8.0)).unwrap();
        assert!((1600..1640).contains(&zfp.bytes().len()), "{}", zfp.bytes().len());
        let mut out = vec![0.0; 1600];
        zfp.decompress_into(&mut out).unwrap();
        assert!(values.iter().zip(&out).all(|(a, b)| (a - b).abs() < 0.05));
        assert!(zfp.decompress_into(&mut [0f32; 1600]).is_err());
    }

    /// What a fixed rate makes of `values` without a header.
    fn headerless(values: &[f32], shape: &Shape, rate: f64) -> Vec<u8> {
        let mut field = Array::new().unwrap();
        let kind = sys::zfp_type_zfp_type_float;
        let sides = zfp_sides(shape).unwrap();
        field.describe(kind, &sides, values.as_ptr().cast::<u8>().cast_mut());
        let stream = Stream::new().unwrap();
        let mut words = vec![0u64; values.len()];
        // SAFETY: both are valid; the words have room for 64 bits per value.
        let len = unsafe {
            sys::zfp_stream_set_rate(stream.0.as_ptr(), rate, kind, sides.len() as u32, 0);
            let _bits = Bits::attach(&stream, &mut words).unwrap();
            sys::zfp_compress(stream.0.as_ptr(), field.0.as_ptr())
        };
        bytemuck::cast_slice(&words)[..len].to_vec()
    }

    #[test]
    fn streams_without_a_header_decode_as_those_with_one() {
        let shape = Shape::new(&[8, 12, 16]).unwrap();
        let values = ramp(&shape);
        let mut zfp = Zfp::new();
        zfp.compress(Values::F32(&values), &shape, Mode::Rate(8.0)).unwrap();
        let mut expected = vec![0f32; values.len()];
        zfp.decompress_into(&mut expected).unwrap();
        let bytes = headerless(&values, &shape, 8.0);
        assert_eq!(bytes.len(), values.len());
        let size = |rate| FixedRate::new(&shape, DType::F32, rate).unwrap().bytes();
        for rate in [0.01, 3.3, 8.0, 17.77] {
            assert_eq!(headerless(&values, &shape, rate).len() as u64, size(rate), "{rate}");
        }
        let mut found = vec![0f32; values.len()];
        let mut stream = Zfp::from_bytes(&bytes);
        stream.decompress_headerless_into(&shape, 8.0, &mut found).unwrap();
        assert_eq!(found, expected);
        let wrong = |rate: f64, out: &mut [f32]| {
            Zfp::from_bytes(&bytes).decompress_headerless_into(&shape, rate, out).is_err()
        };
        assert!(wrong(16.0, &mut found), "too short for this rate");
        assert!(wrong(0.0, &mut found) && wrong(f64::NAN, &mut found) && wrong(65.0, &mut found));
        assert!(wrong(8.0, &mut [0.0; 7]));
    }

    #[test]
    fn blocks_of_any_shape_and_type_need_no_header() {
        // 32 bits of magic, 52 of the field, 12 of a fixed rate.
        const HEADER: usize = 12;
        for sides in [&[100][..], &[9, 10], &[5, 6, 7], &[2, 1, 12, 9]] {
            let shape = Shape::new(sides).unwrap();
            let singles = ramp(&shape);
            let doubles: Vec<f64> = singles.iter().map(|&v| v.into()).collect();
            let mut zfp = Zfp::new();
            zfp.compress(Values::F32(&singles), &shape, Mode::Rate(16.0)).unwrap();
            let (mut wanted, mut found) = (vec![0f32; singles.len()], vec![0f32; singles.len()]);
            zfp.decompress_into(&mut wanted).unwrap();
            let mut blocks = Zfp::from_bytes(&zfp.bytes()[HEADER..]);
            blocks.decompress_headerless_into(&shape, 16.0, &mut found).unwrap();
            assert_eq!(found, wanted, "{sides:?}");
            zfp.compress(Values::F64(&doubles), &shape, Mode::Rate(24.0)).unwrap();
            let (mut wanted, mut found) = (vec![0f64; doubles.len()], vec![0f64; doubles.len()]);
            zfp.decompress_into(&mut wanted).unwrap();
            let mut blocks = Zfp::from_bytes(&zfp.bytes()[HEADER..]);
            blocks.decompress_headerless_into(&shape, 24.0, &mut found).unwrap();
            assert_eq!(found, wanted, "{sides:?}");
        }
    }

    #[test]
    fn damaged_streams_are_errors_or_fields() {
        let shape = Shape::new(&[12, 13]).unwrap();
        let mut zfp = Zfp::new();
        zfp.compress(Values::F32(&ramp(&shape)), &shape, Mode::Accuracy(1e-3)).unwrap();
        let bytes = zfp.bytes().to_vec();
        for len in 0..bytes.len() {
            let _ = Zfp::from_bytes(&bytes[..len]).decompress();
        }
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let _ = Zfp::from_bytes(&flipped).decompress();
        }
        assert!(Zfp::from_bytes(b"zfp\x05").decompress().is_err());
        assert!(Zfp::new().header().is_err());
    }
}
