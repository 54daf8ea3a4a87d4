//! The parts of a stream that have bounds of their own.

use fsz::Place;

use crate::{
    handle,
    info::{FSZC_MAX_DIMS, fszc_bound, padded},
    pointers,
    status::{Failure, fszc_status, status_of},
    stream::fszc_stream,
};

/// A part of a field with a bound of its own. Later releases may add fields at the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fszc_region {
    /// 1 for a box; 0 for a mask, of which fszc_stream_regions_of_box tells the elements.
    pub is_box: u32,
    /// Kind of the bound that was asked for.
    pub bound: fszc_bound,
    /// Where a box begins, slowest axis first; an entry for each dimension of the field.
    pub start: [u64; FSZC_MAX_DIMS],
    /// Elements of a box per axis, likewise.
    pub count: [u64; FSZC_MAX_DIMS],
    /// Elements of the region, also those that a later region holds.
    pub elements: u64,
    /// Bytes that the stream takes for them.
    pub compressed_bytes: u64,
    /// The bound as requested, as in fszc_info.
    pub requested_bound: f64,
    /// The absolute bound used, as in fszc_info.
    pub absolute_bound: f64,
    /// The floor of FSZC_RELATIVE; 0 for other bounds.
    pub floor: f64,
    /// Largest |original - decoded| over its finite elements, in the field's unit.
    pub max_abs_error: f64,
    /// As in fszc_certificate, of its elements.
    pub max_relative_error: f64,
}

/// Stores what region `number` of the stream is: fszc_info tells how many there are. Where they overlap, the last one
/// holds. `size` is sizeof(fszc_region).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_region(
    stream: *const fszc_stream,
    number: usize,
    region: *mut fszc_region,
    size: usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let stream = &handle::get(stream)?.stream;
            let there = stream.regions();
            let Some(found) = there.get(number) else {
                let all = there.len();
                return Err(Failure::invalid(format!("region {number} of a stream of {all}")));
            };
            let (start, count): (&[u64], &[u64]) = match &found.place {
                Place::Box { start, count } => (start, count),
                _ => (&[], &[]),
            };
            let own = stream.region_stream(number)?;
            let header = own.header();
            let told = fszc_region {
                is_box: u32::from(matches!(found.place, Place::Box { .. })),
                bound: header.fields().bound_kind.into(),
                start: padded(start),
                count: padded(count),
                elements: found.place.elements(),
                compressed_bytes: found.compressed_bytes(),
                requested_bound: found.bound.requested(),
                absolute_bound: found.absolute_bound,
                floor: header.relative.map_or(0.0, |part| part.floor),
                max_abs_error: found.certificate.max_abs_error,
                max_relative_error: found.certificate.max_relative_error.unwrap_or(f64::NAN),
            };
            pointers::store_struct(region, size, &told)
        }
    })
}

/// Stores which region holds each element of the box of `count` elements from `start` on (`ndim` entries each, one per
/// axis of the field, slowest axis first), in C order: its number and 1 more, or 0 where the bound of the field holds.
/// `elements` is the product of `count`, and `regions` has a byte for each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_regions_of_box(
    stream: *const fszc_stream,
    start: *const u64,
    count: *const u64,
    ndim: usize,
    regions: *mut u8,
    elements: u64,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let stream = &handle::get(stream)?.stream;
            let start = pointers::axes(start, ndim, "the start")?;
            let count = pointers::axes(count, ndim, "the count")?;
            // No memory has more.
            let len = usize::try_from(elements).unwrap_or(usize::MAX);
            let out = pointers::bytes_mut(regions.cast(), len, "the output")?;
            Ok(stream.regions_of_box(&start, &count, out)?)
        }
    })
}
