//! The calls of a codec for both element types. They are compiled here, once, and not again in each program that
//! makes them.

use std::ops::Range;

use crate::{
    codec::Codec,
    error::Result,
    options::{CompressOptions, DecompressOptions},
    stream::Stream,
};

/// The calls of a codec whose fields have this element type; each is the method of [`Codec`] of its name.
pub trait Calls: Sized {
    fn compress_into(
        codec: &Codec,
        data: &[Self],
        shape: &[u64],
        options: &CompressOptions,
        out: &mut [u8],
    ) -> Result<usize>;

    fn find_bound(
        codec: &Codec,
        data: &[Self],
        shape: &[u64],
        options: &CompressOptions,
    ) -> Result<f64>;

    fn decompress_with(
        codec: &Codec,
        stream: &Stream<'_>,
        out: &mut [Self],
        options: &DecompressOptions,
    ) -> Result<()>;

    fn decompress_tiles_into(
        codec: &Codec,
        stream: &Stream<'_>,
        tiles: Range<u64>,
        out: &mut [Self],
    ) -> Result<()>;

    fn decompress_box_into(
        codec: &Codec,
        stream: &Stream<'_>,
        start: &[u64],
        count: &[u64],
        out: &mut [Self],
    ) -> Result<()>;
}

macro_rules! calls {
    ($($t:ty)*) => {$(
        impl Calls for $t {
            fn compress_into(
                codec: &Codec,
                data: &[Self],
                shape: &[u64],
                options: &CompressOptions,
                out: &mut [u8],
            ) -> Result<usize> {
                codec.compress_into_of(data, shape, options, out)
            }

            fn find_bound(
                codec: &Codec,
                data: &[Self],
                shape: &[u64],
                options: &CompressOptions,
            ) -> Result<f64> {
                codec.find_bound_of(data, shape, options)
            }

            fn decompress_with(
                codec: &Codec,
                stream: &Stream<'_>,
                out: &mut [Self],
                options: &DecompressOptions,
            ) -> Result<()> {
                codec.decompress_with_of(stream, out, options)
            }

            fn decompress_tiles_into(
                codec: &Codec,
                stream: &Stream<'_>,
                tiles: Range<u64>,
                out: &mut [Self],
            ) -> Result<()> {
                codec.decompress_tiles_into_of(stream, tiles, out)
            }

            fn decompress_box_into(
                codec: &Codec,
                stream: &Stream<'_>,
                start: &[u64],
                count: &[u64],
                out: &mut [Self],
            ) -> Result<()> {
                codec.decompress_box_into_of(stream, start, count, out)
            }
        }
    )*};
}

calls!(f32 f64);
