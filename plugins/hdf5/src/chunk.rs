//! A chunk of a dataset, and its bytes in the file: an FSZ stream and nothing else.

use std::borrow::Cow;

use fsz::{
    DType, Element, Stream,
    format::{MAX_DIMS, MAX_MISSING},
    max_compressed_len, with_element,
};

use crate::{
    Result, codec,
    options::{self, Options},
    remark, text,
};

/// In which order a dataset keeps the bytes of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    const NATIVE: ByteOrder =
        if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
}

/// What all chunks of a dataset have in common.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chunk {
    pub dtype: DType,
    pub order: ByteOrder,
    /// What HDF5 puts where no value was written. Kept exactly, and outside of every value range.
    pub fill: Vec<f64>,
    /// Elements, the slowest dimension first.
    pub shape: Vec<u32>,
}

/// Every element type that a dataset can have.
pub(crate) fn dtypes() -> [DType; 2] {
    [DType::F32, DType::F64]
}

impl Chunk {
    /// Whether chunks like this can be compressed.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, options: &Options) -> Result<()> {
        self.bytes()?;
        let named = options.missing.len() + self.fill.len();
        if named > MAX_MISSING {
            return Err(format!(
                "{} missing values and {}: at most {MAX_MISSING} together, so name fewer as missing",
                options.missing.len(),
                if self.fill.len() == 1 { "the fill value" } else { "two fill values" },
            ));
        }
        options::check(&options.compression(&self.fill), self.dtype)
    }

    /// The same chunk in the byte order of this machine, as a program that writes chunks itself has it.
    pub fn native(&self) -> Chunk {
        Chunk { order: ByteOrder::NATIVE, ..self.clone() }
    }

    /// Bytes of a chunk as a program sees it.
    pub fn bytes(&self) -> Result<usize> {
        let elements = self.shape.iter().try_fold(1, |all: usize, &n| all.checked_mul(n as usize));
        elements
            .filter(|&elements| elements > 0)
            .and_then(|elements| elements.checked_mul(self.dtype.size()))
            .ok_or_else(|| format!("a chunk of {:?} elements is not possible", self.shape))
    }

    /// The shape of its stream: that of the chunk. FSZ knows no more than 8 dimensions, so of a longer
    /// list the first ones are made one.
    pub fn stream_shape(&self) -> Vec<u64> {
        let joined = self.shape.len().saturating_sub(MAX_DIMS);
        let (first, rest) = self.shape.split_at(joined + 1);
        let first = first.iter().map(|&n| u64::from(n)).product();
        std::iter::once(first).chain(rest.iter().map(|&n| n.into())).collect()
    }

    /// Room that suffices for the stream of every chunk.
    pub fn max_len(&self) -> Result<usize> {
        let len = max_compressed_len(&self.stream_shape(), self.dtype).map_err(text)?;
        usize::try_from(len).map_err(|_| "a chunk larger than memory".into())
    }

    /// Compresses the chunk in `values`, in the dataset's byte order, into `out`; the stream's length.
    ///
    /// # Errors
    /// A chunk of another size, or what the codec says.
    pub fn compress(&self, options: &Options, values: &[u8], out: &mut [u8]) -> Result<usize> {
        if values.len() != self.bytes()? {
            return Err(format!(
                "a chunk of {} bytes where its dimensions make {}",
                values.len(),
                self.bytes()?
            ));
        }
        let compression = options.compression(&self.fill);
        let (codec, shape) = (codec::get(), self.stream_shape());
        let len = with_element!(self.dtype, T => {
            codec.compress_into(&numbers::<T>(values, self.order), &shape, &compression, out)
        })
        .map_err(text)?;
        remark::of_chunk(options.bound, self.dtype, &out[..len]);
        Ok(len)
    }

    /// Decompresses a stream that [`Chunk::open`] gave into `out`, in the dataset's byte order.
    ///
    /// # Errors
    /// A damaged stream. `out` may then hold anything.
    pub fn decompress(&self, stream: &Stream<'_>, out: &mut [u8]) -> Result<()> {
        with_element!(self.dtype, T => restore::<T>(stream, out, self.order))
    }

    /// Opens the stream of a chunk.
    ///
    /// # Errors
    /// Bytes that are not a stream, or that of another chunk.
    pub fn open<'a>(&self, stream: &'a [u8]) -> Result<Stream<'a>> {
        let stream = Stream::open(stream).map_err(text)?;
        let header = stream.header();
        if header.dtype != self.dtype || header.shape != self.stream_shape() {
            return Err(format!(
                "the stream of a chunk of {:?} {} in a dataset of {:?} {}",
                header.shape, header.dtype, self.shape, self.dtype
            ));
        }
        Ok(stream)
    }
}

/// The numbers that bytes hold; without a copy where the bytes lie in memory as numbers do.
fn numbers<T: Element>(bytes: &[u8], order: ByteOrder) -> Cow<'_, [T]> {
    // SAFETY: any bits are a float, and `align_to` heeds the alignment.
    if let ([], values, []) = unsafe { bytes.align_to::<T>() }
        && order == ByteOrder::NATIVE
    {
        return Cow::Borrowed(values);
    }
    let read = |element: &[u8]| {
        let bits = element.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        let bits = if order == ByteOrder::Big {
            bits.swap_bytes() >> (64 - 8 * element.len())
        } else {
            bits
        };
        T::from_bits64(bits)
    };
    Cow::Owned(bytes.chunks_exact(size_of::<T>()).map(read).collect())
}

fn restore<T: Element>(stream: &Stream<'_>, out: &mut [u8], order: ByteOrder) -> Result<()> {
    let codec = codec::get();
    // SAFETY: any bits are a float, and `align_to_mut` heeds the alignment.
    if let ([], values, []) = unsafe { out.align_to_mut::<T>() } {
        codec.decompress_into(stream, values).map_err(text)?;
    } else {
        let mut values = vec![T::default(); out.len() / size_of::<T>()];
        codec.decompress_into(stream, &mut values).map_err(text)?;
        for (bytes, value) in out.chunks_exact_mut(size_of::<T>()).zip(values) {
            let bits = value.to_bits64().to_ne_bytes();
            bytes.copy_from_slice(&bits[..size_of::<T>()]);
        }
    }
    if order != ByteOrder::NATIVE {
        out.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
    }
    Ok(())
}
