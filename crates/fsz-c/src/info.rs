//! What a stream says of itself.

use fsz::{Bound, Certificate, Profile, Stream, format};

use crate::{
    compress_options::{FSZC_LAYOUT_AUTO, fszc_layout, fszc_profile, fszc_research},
    dtype::fszc_dtype,
    handle, pointers,
    status::{fszc_status, status_of},
    stream::fszc_stream,
};

/// Most dimensions of a field.
pub const FSZC_MAX_DIMS: usize = 8;
/// Most missing values that can be named.
pub const FSZC_MAX_MISSING: usize = 4;
/// Most regions that a field can have.
pub const FSZC_MAX_REGIONS: usize = 16;
/// Longest name in bytes, without the zero byte.
pub const FSZC_MAX_NAME: usize = 1024;

const _: () = assert!(
    FSZC_MAX_DIMS == format::MAX_DIMS
        && FSZC_MAX_MISSING == format::MAX_MISSING
        && FSZC_MAX_REGIONS == format::MAX_REGIONS
        && FSZC_MAX_NAME == format::MAX_NAME
);

/// Kind of a bound, as the header of a stream numbers it. Later releases may add some.
pub type fszc_bound = u32;
/// The bound in the field's unit.
pub const FSZC_ABSOLUTE: fszc_bound = 0;
/// A share of the field's value range.
pub const FSZC_VALUE_RANGE: fszc_bound = 1;
/// A share of a range that the program gave.
pub const FSZC_VALUE_RANGE_OF: fszc_bound = 2;
/// A share of each element, or a floor.
pub const FSZC_RELATIVE: fszc_bound = 3;
/// What was found for a peak signal-to-noise ratio in decibels.
pub const FSZC_PSNR: fszc_bound = 4;
/// What was found for a compression ratio.
pub const FSZC_RATIO: fszc_bound = 5;
/// What was found for a length of the stream in bytes.
pub const FSZC_MAX_BYTES: fszc_bound = 6;

const _: () = assert!(
    FSZC_ABSOLUTE == format::BOUND_ABSOLUTE as u32
        && FSZC_VALUE_RANGE == format::BOUND_VALUE_RANGE as u32
        && FSZC_VALUE_RANGE_OF == format::BOUND_GIVEN_RANGE as u32
        && FSZC_RELATIVE == format::BOUND_RELATIVE as u32
        && FSZC_PSNR == format::BOUND_PSNR as u32
        && FSZC_RATIO == format::BOUND_RATIO as u32
        && FSZC_MAX_BYTES == format::BOUND_MAX_BYTES as u32
);

/// What a stream says of itself. Later releases may add fields at the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fszc_info {
    /// Version of the stream format.
    pub format_version: u32,
    /// Element type.
    pub dtype: fszc_dtype,
    /// How elements are coded.
    pub profile: fszc_profile,
    /// How the boxes of FSZC_DENSE lie; FSZC_LAYOUT_AUTO for FSZC_PAPER.
    pub layout: fszc_layout,
    /// What the field is predicted from beside itself: 0, nothing.
    pub reference: u32,
    /// Dimensions.
    pub ndim: u32,
    /// Elements per axis, slowest axis first; `ndim` entries.
    pub shape: [u64; FSZC_MAX_DIMS],
    /// Elements of the field.
    pub elements: u64,
    /// Bytes of the uncompressed field.
    pub raw_bytes: u64,
    /// Bytes of the stream.
    pub compressed_bytes: u64,
    /// Uncompressed bytes over stream bytes; 0 for an empty field.
    pub compression_ratio: f64,
    /// Tiles of the field; for FSZC_DENSE, its boxes.
    pub tiles: u64,
    /// Chunks of the field: what is read and checked as a whole.
    pub chunks: u64,
    /// Kind of the bound that was asked for.
    pub bound: fszc_bound,
    /// 1 if a start in a global array is recorded.
    pub has_start: u32,
    /// The bound as requested: the absolute bound, the share of the range, or the target.
    pub requested_bound: f64,
    /// The absolute bound used, in the field's unit, outside of regions; 0 for a field of one value. Of FSZC_RELATIVE,
    /// what the largest element keeps.
    pub absolute_bound: f64,
    /// Distance between neighbouring reconstructed values; 0 when every element is stored exactly, and of
    /// FSZC_RELATIVE.
    pub quantization_step: f64,
    /// Where the field begins in a global array, if recorded; `ndim` entries.
    pub start: [u64; FSZC_MAX_DIMS],
    /// Time step, if recorded.
    pub time_step: u64,
    /// 1 if a time step is recorded.
    pub has_time_step: u32,
    /// Missing values that were named.
    pub missing_count: u32,
    /// Their values; `missing_count` entries.
    pub missing: [f64; FSZC_MAX_MISSING],
    /// Their bits; those of FSZC_F32 in the low half.
    pub missing_bits: [u64; FSZC_MAX_MISSING],
    /// The switches of FSZC_PAPER; zeros for FSZC_DENSE.
    pub research: fszc_research,
    /// Regions with bounds of their own, of which fszc_stream_region tells.
    pub regions: u32,
    /// Over the finite elements that are not missing, of FSZC_PSNR; NaN where it is not recorded.
    pub mean_squared_error: f64,
    /// The floor of FSZC_RELATIVE; 0 for other bounds.
    pub floor: f64,
    /// The largest or the smallest value, where it is one that usually marks missing elements (such as 1e20, 9.96921e36
    /// or -9999) and was not named; NaN where it is not. Where it does mark them, a bound that is a share of the range is
    /// far too large: compress again, with fszc_compress_options_add_missing.
    pub usual_fill_value: f64,
}

/// What the encoder vouches for. Later releases may add fields at the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fszc_certificate {
    /// Largest |original - decoded| over the finite elements, in the field's unit; of a stream with regions, a limit of
    /// it.
    pub max_abs_error: f64,
    /// Smallest finite, not missing value; NaN when there is none.
    pub min: f64,
    /// Largest finite, not missing value; NaN when there is none.
    pub max: f64,
    /// NaN elements (that are not a named missing value).
    pub nan: u64,
    /// +Inf and -Inf elements.
    pub inf: u64,
    /// Elements equal to a named missing value.
    pub missing: u64,
    /// Elements whose exact bits the stream holds, for whatever reason.
    pub escaped: u64,
    /// Largest |original - decoded| / |original| of the elements that are too large for the floor of FSZC_RELATIVE;
    /// NaN for other bounds.
    pub max_relative_error: f64,
}

/// Stores what the stream says of itself. `size` is sizeof(fszc_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_info(
    stream: *const fszc_stream,
    info: *mut fszc_info,
    size: usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe { pointers::store_struct(info, size, &info_of(handle::get(stream)?)) }
    })
}

fn info_of(stream: &fszc_stream) -> fszc_info {
    let stream = &stream.stream;
    let header = stream.header();
    let start = header.start.as_deref();
    let none =
        fszc_research { block_len: 0, blocks_per_tile: 0, centering: 0, cross_block: 0, order2: 0 };
    fszc_info {
        format_version: header.format_version.into(),
        dtype: header.dtype.code().into(),
        profile: header.profile.code().into(),
        layout: match header.profile {
            Profile::Paper(_) => FSZC_LAYOUT_AUTO,
            _ => header.fields().layout.into(),
        },
        reference: header.reference.code().into(),
        ndim: header.shape.len() as u32,
        shape: padded(&header.shape),
        elements: header.elements(),
        raw_bytes: stream.raw_bytes(),
        compressed_bytes: stream.compressed_bytes(),
        compression_ratio: stream.compression_ratio(),
        tiles: stream.grid().tiles(),
        chunks: stream.chunks(),
        bound: header.fields().bound_kind.into(),
        has_start: start.is_some().into(),
        requested_bound: Bound::requested(header.bound),
        absolute_bound: header.absolute_bound,
        quantization_step: header.quantization_step,
        start: padded(start.unwrap_or_default()),
        time_step: header.time_step.unwrap_or_default(),
        has_time_step: header.time_step.is_some().into(),
        missing_count: header.missing.len() as u32,
        missing: padded(&header.missing),
        missing_bits: padded(header.missing_bits()),
        research: header.profile.research().map_or(none, fszc_research::of),
        regions: stream.regions().len() as u32,
        mean_squared_error: header.mean_squared_error.unwrap_or(f64::NAN),
        floor: header.relative.map_or(0.0, |part| part.floor),
        usual_fill_value: usual_fill_value(stream),
    }
}

fn usual_fill_value(stream: &Stream<'_>) -> f64 {
    let &Certificate { min, max, .. } = stream.certificate();
    match fsz_field::usual_fill_value(stream.header().dtype, min, max) {
        Some(("largest", _)) => max,
        Some(_) => min,
        None => f64::NAN,
    }
}

/// The values, with zeros behind them.
pub(crate) fn padded<T: Copy + Default, const N: usize>(values: &[T]) -> [T; N] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or_default())
}

/// Stores what the encoder vouches for. `size` is sizeof(fszc_certificate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_certificate(
    stream: *const fszc_stream,
    certificate: *mut fszc_certificate,
    size: usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let told = handle::get(stream)?.stream.certificate();
            let &Certificate { max_abs_error, min, max, nan, inf, missing, escaped, .. } = told;
            let max_relative_error = told.max_relative_error.unwrap_or(f64::NAN);
            let found = fszc_certificate {
                max_abs_error,
                min,
                max,
                nan,
                inf,
                missing,
                escaped,
                max_relative_error,
            };
            pointers::store_struct(certificate, size, &found)
        }
    })
}
