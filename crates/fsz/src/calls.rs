//! The calls of a codec for both element types. They are compiled here, once, and not again in each program that
//! makes them.

use crate::{
    codec::Codec,
    error::Result,
    float_mode::FloatMode,
    options::{CompressOptions, DecompressOptions},
    selection::Selection,
    stream::Stream,
};

/// Each call, the codec's generic method that does it, and what both take beside the codec.
macro_rules! calls {
    ($($call:ident by $method:ident ($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        /// The calls of a codec whose fields have this element type.
        pub trait Calls: Sized {
            $(fn $call(codec: &Codec, $($argument: $type),*) -> Result<$answer>;)*
        }

        impl Calls for f32 {
            $(fn $call(codec: &Codec, $($argument: $type),*) -> Result<$answer> {
                let _mode = FloatMode::standard();
                codec.$method($($argument),*)
            })*
        }

        impl Calls for f64 {
            $(fn $call(codec: &Codec, $($argument: $type),*) -> Result<$answer> {
                let _mode = FloatMode::standard();
                codec.$method($($argument),*)
            })*
        }
    };
}

calls! {
    compress_into by compress_into_of
        (data: &[Self], shape: &[u64], options: &CompressOptions, out: &mut [u8]) -> usize;
    find_bound by find_bound_of (data: &[Self], shape: &[u64], options: &CompressOptions) -> f64;
    decode by decode_of
        (stream: &Stream<'_>, selection: &Selection<'_>, out: &mut [Self], options: &DecompressOptions) -> ();
}
