//! What a compression is told beside the data.

use std::{ffi::c_char, sync::Arc};

use fsz::{
    Bound, Centering, CompressOptions, DType, Dense, Layout, Mask, Profile, Region, Research,
};

use crate::{
    handle::{self, Object},
    pointers,
    progress::fszc_progress,
    status::{Failure, Result, fszc_status, status_of, value_of},
    stream::fszc_stream,
};

/// How elements are coded: FSZC_PAPER or FSZC_DENSE.
pub type fszc_profile = u32;
/// The coding of the FSZ paper: tiles of 256 consecutive elements, Lorenzo prediction, bit-planes. The
/// default, and the fast one.
pub const FSZC_PAPER: fszc_profile = 0;
/// Interpolation in boxes, entropy-coded: about half the bytes, at a fraction of the speed.
pub const FSZC_DENSE: fszc_profile = 1;

/// How the boxes of FSZC_DENSE lie.
pub type fszc_layout = u32;
/// The encoder chooses; for FSZC_PAPER, the only one.
pub const FSZC_LAYOUT_AUTO: fszc_layout = 0;
/// 4096 consecutive elements.
pub const FSZC_LAYOUT_LINE: fszc_layout = 1;
/// 64 x 64 elements of the last two axes.
pub const FSZC_LAYOUT_PLANE: fszc_layout = 2;
/// 16 x 16 x 16 elements of the last three axes.
pub const FSZC_LAYOUT_BRICK: fszc_layout = 3;

/// What the centering value of a tile is, for studies.
pub type fszc_centering = u32;
/// The tile's first code: the default.
pub const FSZC_CENTERING_FIRST_CODE: fszc_centering = 0;
/// The mean of the tile's codes, as in the paper.
pub const FSZC_CENTERING_MEAN: fszc_centering = 1;
/// No centering.
pub const FSZC_CENTERING_OFF: fszc_centering = 2;

/// Switches of FSZC_PAPER for studies of the algorithm. With others than the defaults, the CPU compresses.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct fszc_research {
    /// Codes per block: 32 (the default) or 64.
    pub block_len: u32,
    /// Blocks per tile: 4, 8 (the default) or 16.
    pub blocks_per_tile: u32,
    /// Centered variants.
    pub centering: fszc_centering,
    /// 1: the prediction goes on across the blocks of a tile (the default); 0: it does not.
    pub cross_block: u32,
    /// 1: second-order variants are offered (the default); 0: they are not.
    pub order2: u32,
}

impl fszc_research {
    pub(crate) fn of(research: &Research) -> Self {
        fszc_research {
            block_len: research.block_len as u32,
            blocks_per_tile: research.blocks_per_tile as u32,
            centering: match research.centering {
                Centering::Mean => FSZC_CENTERING_MEAN,
                Centering::Off => FSZC_CENTERING_OFF,
                _ => FSZC_CENTERING_FIRST_CODE,
            },
            cross_block: research.cross_block.into(),
            order2: research.order2.into(),
        }
    }

    fn switches(self) -> Result<Research> {
        let switch = |number, name| match number {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Failure::invalid(format!("{name} {number}: 0 or 1 is needed"))),
        };
        Ok(Research {
            block_len: self.block_len as usize,
            blocks_per_tile: self.blocks_per_tile as usize,
            centering: match self.centering {
                FSZC_CENTERING_FIRST_CODE => Centering::FirstCode,
                FSZC_CENTERING_MEAN => Centering::Mean,
                FSZC_CENTERING_OFF => Centering::Off,
                other => return Err(Failure::invalid(format!("there is no centering {other}"))),
            },
            cross_block: switch(self.cross_block, "cross_block")?,
            order2: switch(self.order2, "order2")?,
        })
    }
}

/// What a compression is told beside the data: the bound, and what the stream shall record. Many threads
/// may compress with it at once, while none changes it.
#[derive(Debug)]
pub struct fszc_compress_options(pub(crate) CompressOptions);

impl Object for fszc_compress_options {
    const NAME: &'static str = "fszc_compress_options";
}

/// Makes options with an absolute bound: every finite element keeps |original - decoded| <= `bound`, in the
/// field's unit. FSZC_INVALID_ARGUMENT unless it is a positive, finite number; the calls below likewise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_absolute(
    bound: f64,
    options: *mut *mut fszc_compress_options,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { with_bound(Bound::Absolute(bound), options) }
}

/// Makes options with a value-range bound: `ratio` times max - min over the finite, not missing values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_value_range(
    ratio: f64,
    options: *mut *mut fszc_compress_options,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { with_bound(Bound::ValueRange(ratio), options) }
}

/// Makes options with a share of a range that the program knows, such as that of all ranks together:
/// `ratio` times `max` - `min`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_value_range_of(
    ratio: f64,
    min: f64,
    max: f64,
    options: *mut *mut fszc_compress_options,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { with_bound(Bound::ValueRangeOf { ratio, min, max }, options) }
}

/// Makes options with a pointwise-relative bound: every finite element keeps |original - decoded| <= the larger of
/// `eps` * |original| and `floor`, which may be 0. `eps` is at most 0.5, and for FSZC_F64 at least 2^-27, which the calls
/// that compress check.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_relative(
    eps: f64,
    floor: f64,
    options: *mut *mut fszc_compress_options,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { with_bound(Bound::Relative { eps, floor }, options) }
}

/// Makes options with a target: the absolute bound that gives a peak signal-to-noise ratio of at least so many
/// decibels. The calls that compress from host memory search it, and compress a few times for that; those that
/// compress from device memory refuse it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_psnr(
    decibels: f64,
    options: *mut *mut fszc_compress_options,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { with_bound(Bound::Psnr(decibels), options) }
}

/// Makes options with a target: the absolute bound whose compression ratio comes nearest to this one, as a rule
/// within 3 %. As fszc_compress_options_psnr.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_ratio(
    ratio: f64,
    options: *mut *mut fszc_compress_options,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { with_bound(Bound::Ratio(ratio), options) }
}

/// Makes options with a target: the smallest absolute bound found whose stream has at most so many bytes. As
/// fszc_compress_options_psnr; FSZC_INVALID_ARGUMENT tells the smallest length where none is short enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_max_bytes(
    bytes: u64,
    options: *mut *mut fszc_compress_options,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { with_bound(Bound::MaxBytes(bytes), options) }
}

/// # Safety
/// As [`handle::make`].
unsafe fn with_bound(bound: Bound, options: *mut *mut fszc_compress_options) -> fszc_status {
    let new = || {
        // The type of the field is not known yet; that of f64 takes less.
        bound.check(DType::F32)?;
        Ok(fszc_compress_options(CompressOptions::new(bound)))
    };
    // SAFETY: promised by the caller.
    status_of(|| unsafe { handle::make(options, new) })
}

/// # Safety
/// As [`handle::get_mut`].
unsafe fn change(
    options: *mut fszc_compress_options,
    change: impl FnOnce(CompressOptions) -> Result<CompressOptions>,
) -> fszc_status {
    status_of(|| {
        // SAFETY: promised by the caller.
        let options = unsafe { handle::get_mut(options) }?;
        options.0 = change(options.0.clone())?;
        Ok(())
    })
}

/// Codes elements by this profile. `layout` is FSZC_LAYOUT_AUTO, or for FSZC_DENSE another one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_set_profile(
    options: *mut fszc_compress_options,
    profile: fszc_profile,
    layout: fszc_layout,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { change(options, |options| Ok(options.profile(profile_of(profile, layout)?))) }
}

/// Codes elements as `stream` does: by its profile, with the layout, prediction, length of chunks and tables that were
/// chosen for its field. Nothing is chosen then, so that a call does not look at the field before it encodes, and a CUDA
/// graph can hold it. For the steps of a series: the bound holds whatever the field, and the ratio is near to what a
/// choice of its own would give as long as fields are alike. Takes the place of a profile that was set before. Goes with
/// no box and no mask. The stream is not needed after the call.
///
/// FSZC_INVALID_ARGUMENT for a stream without elements, FSZC_CORRUPT when its tables are damaged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_set_like(
    options: *mut fszc_compress_options,
    stream: *const fszc_stream,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { change(options, |options| Ok(options.like(&handle::get(stream)?.stream)?)) }
}

fn profile_of(profile: fszc_profile, layout: fszc_layout) -> Result<Profile> {
    let chosen = Layout::ALL.into_iter().find(|known| u32::from(known.code()) == layout);
    match (profile, layout, chosen) {
        (FSZC_PAPER, FSZC_LAYOUT_AUTO, _) => Ok(Profile::Paper(Research::default())),
        (FSZC_DENSE, FSZC_LAYOUT_AUTO, _) => Ok(Profile::Dense(Dense::new())),
        (FSZC_DENSE, _, Some(layout)) => Ok(Profile::Dense(Dense::new().with_layout(layout))),
        (FSZC_PAPER | FSZC_DENSE, ..) => {
            Err(Failure::invalid(format!("profile {profile} has no layout {layout}")))
        }
        _ => {
            Err(Failure::invalid(format!("profile {profile}: FSZC_PAPER or FSZC_DENSE is needed")))
        }
    }
}

/// Codes elements by FSZC_PAPER with parts of the algorithm switched, for studies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_set_research(
    options: *mut fszc_compress_options,
    research: *const fszc_research,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe {
        change(options, |options| {
            Ok(options.research(pointers::load(research, "the research switches")?.switches()?))
        })
    }
}

/// Names a missing value (a fill value such as 9.96921e36): its elements keep their exact bits, cost next to
/// nothing and do not enter a value range. At most FSZC_MAX_MISSING may be named. Elements are compared by
/// bits with `value` rounded to the element type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_add_missing(
    options: *mut fszc_compress_options,
    value: f64,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { change(options, |options| Ok(options.missing(value))) }
}

/// Keeps another bound in the box of `count` elements from `start` on: `ndim` entries each, slowest axis first. `bound`
/// is a number of the same kind as the options' bound, smaller or larger; a share of a value range is one of the range
/// of the whole field. At most FSZC_MAX_REGIONS boxes and masks may be added; where they overlap, the last one holds. Fields
/// in host memory and in device memory are compressed with them; targets have none.
///
/// A stream takes more than fszc_max_compressed_len of the field then: as much as that of each box and 512 bytes a box.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_add_box(
    options: *mut fszc_compress_options,
    start: *const u64,
    count: *const u64,
    ndim: usize,
    bound: f64,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe {
        change(options, |options| {
            let start = pointers::axes(start, ndim, "the start")?;
            let count = pointers::axes(count, ndim, "the count")?;
            let own = own_bound(&options, bound)?;
            Ok(options.region(Region::in_box(&start, &count, own)))
        })
    }
}

/// The bound of a region with this number.
fn own_bound(options: &CompressOptions, number: f64) -> Result<Bound> {
    let own = options.bound().with_requested(number);
    own.check(DType::F32)?;
    Ok(own)
}

/// Keeps another bound where a mask is set: `mask` has a byte for each element of the field, in C order, 0 where it is not
/// set; it is copied. `bound` and all else are as for fszc_compress_options_add_box. Masks and boxes hold in the order
/// in which they were added.
///
/// A stream takes more than fszc_max_compressed_len of the field then: as much as that of a line of the mask's elements,
/// 512 bytes, and 20 bytes for each run of elements that follow each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_add_mask(
    options: *mut fszc_compress_options,
    mask: *const u8,
    elements: usize,
    bound: f64,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe {
        change(options, |options| {
            let mask = pointers::bytes(mask.cast(), elements, "the mask")?;
            let mask = Mask::of(mask, |&byte| byte != 0);
            let own = own_bound(&options, bound)?;
            Ok(options.region(Region::where_set(mask, own)))
        })
    }
}

/// Records a variable name: a string in UTF-8 of at most FSZC_MAX_NAME bytes, which is copied; an empty one is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_set_name(
    options: *mut fszc_compress_options,
    name: *const c_char,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { change(options, |options| Ok(options.name(pointers::text(name, "the name")?))) }
}

/// Records a time step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_set_time_step(
    options: *mut fszc_compress_options,
    time_step: u64,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { change(options, |options| Ok(options.time_step(time_step))) }
}

/// Records where the field begins in a global array: `ndim` entries, slowest axis first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_set_start(
    options: *mut fszc_compress_options,
    start: *const u64,
    ndim: usize,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe {
        change(options, |options| Ok(options.start(&pointers::axes(start, ndim, "the start")?)))
    }
}

/// Works on `threads` of the codec's threads at most; with 1 the calling thread works alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_set_threads(
    options: *mut fszc_compress_options,
    threads: usize,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe { change(options, |options| Ok(options.threads(at_least_one(threads)?))) }
}

pub(crate) fn at_least_one(threads: usize) -> Result<usize> {
    if threads == 0 { Err(Failure::invalid("0 threads: use at least 1")) } else { Ok(threads) }
}

/// Reports to `progress`, through which the compression can be cancelled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_set_progress(
    options: *mut fszc_compress_options,
    progress: *const fszc_progress,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    unsafe {
        change(options, |options| Ok(options.progress(Arc::clone(&handle::get(progress)?.0))))
    }
}

/// Frees the options, when no call uses them any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_options_free(options: *mut fszc_compress_options) {
    // SAFETY: the header's rules for pointers.
    value_of((), || unsafe { handle::free(options) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_format() {
        assert_eq!(u32::from(Profile::default().code()), FSZC_PAPER);
        assert_eq!(u32::from(Profile::Dense(Dense::new()).code()), FSZC_DENSE);
        let layouts = [FSZC_LAYOUT_LINE, FSZC_LAYOUT_PLANE, FSZC_LAYOUT_BRICK];
        assert_eq!(Layout::ALL.map(|layout| u32::from(layout.code())), layouts);
    }
}
