//! Boxes and masks with bounds of their own: bytes and facts are those of the Rust codec.

use std::{mem::MaybeUninit, ptr};

use fsz::{Bound, Codec, CompressOptions, DType, Place, Region, Stream};
use fsz_c::*;

use crate::calls::{Owned, bytes_of, compress, cpu, fails, info_of, ok, open};

fn absolute(bound: f64) -> Owned<fszc_compress_options> {
    // SAFETY: a place for the handle.
    let make = |out: *mut _| unsafe { fszc_compress_options_absolute(bound, out) };
    Owned::new(make, fszc_compress_options_free)
}

#[test]
fn boxes_are_those_of_the_rust_codec() {
    let (shape, start, count) = ([60u64, 70], [10u64, 20], [30u64, 40]);
    let field: Vec<f64> = (0..4200).map(|i| (f64::from(i) * 0.01).sin()).collect();
    let rust = CompressOptions::new(Bound::Absolute(0.1))
        .region(Region::in_box(&start, &count, Bound::Absolute(1e-6)))
        .region(Region::in_box(&[0, 0], &[20, 70], Bound::Absolute(0.01)));
    let most = rust.max_compressed_len(&shape, DType::F64).unwrap();
    let mut bytes = vec![0; most as usize];
    let len = Codec::cpu().compress_into(&field, &shape, &rust, &mut bytes).unwrap();
    let (codec, options) = (cpu(), absolute(0.1));
    // SAFETY: living handles, and arrays as long as said.
    unsafe {
        let (start, count) = (start.as_ptr(), count.as_ptr());
        ok(fszc_compress_options_add_box(options.0, start, count, 2, 1e-6));
        let (start, count) = ([0u64, 0], [20u64, 70]);
        let (start, count) = (start.as_ptr(), count.as_ptr());
        ok(fszc_compress_options_add_box(options.0, start, count, 2, 0.01));
    }
    let stream = compress(&codec, &field, &shape, &options);
    assert!(bytes_of(&stream) == &bytes[..len]);
    // What the documentation says of the room that boxes take.
    let plain = |shape: &[u64]| fsz::max_compressed_len(shape, DType::F64).unwrap();
    assert!(most <= plain(&shape) + plain(&[30, 40]) + plain(&[20, 70]) + 2 * 512);
}

#[test]
fn masks_are_those_of_the_rust_codec() {
    let shape = [60u64, 70];
    let field: Vec<f32> = (0..4200u16).map(|i| (f32::from(i) * 0.01).sin()).collect();
    let bytes: Vec<u8> = field.iter().map(|&d| if d > 0.5 { 3 } else { 0 }).collect();
    let mask: fsz::Mask = field.iter().map(|&d| d > 0.5).collect();
    let (runs, set) = (mask.runs().len() as u64, mask.set());
    let rust = CompressOptions::new(Bound::Absolute(0.1))
        .region(Region::where_set(mask, Bound::Absolute(1e-4)))
        .region(Region::in_box(&[0, 0], &[20, 70], Bound::Absolute(0.01)));
    let most = rust.max_compressed_len(&shape, DType::F32).unwrap();
    let mut expected = vec![0; most as usize];
    let len = Codec::cpu().compress_into(&field, &shape, &rust, &mut expected).unwrap();
    let (codec, options) = (cpu(), absolute(0.1));
    // SAFETY: living handles, and arrays as long as said.
    unsafe {
        ok(fszc_compress_options_add_mask(options.0, bytes.as_ptr(), bytes.len(), 1e-4));
        let (start, count) = ([0u64, 0], [20u64, 70]);
        let (start, count) = (start.as_ptr(), count.as_ptr());
        ok(fszc_compress_options_add_box(options.0, start, count, 2, 0.01));
    }
    let stream = compress(&codec, &field, &shape, &options);
    assert!(bytes_of(&stream) == &expected[..len]);
    facts_are_those_of_rust(&stream);
    let plain = |shape: &[u64]| fsz::max_compressed_len(shape, DType::F32).unwrap();
    assert!(most <= plain(&shape) + plain(&[set]) + plain(&[20, 70]) + 2 * 512 + 20 * runs);
    // One of another field.
    let options = absolute(0.1);
    // SAFETY: as above.
    unsafe {
        ok(fszc_compress_options_add_mask(options.0, bytes.as_ptr(), bytes.len() - 1, 1e-4));
        let (data, mut stream) = (field.as_ptr().cast(), ptr::null_mut());
        let shape = shape.as_ptr();
        let made = fszc_compress(codec.0, data, FSZC_F32, shape, 2, options.0, &mut stream);
        fails(made, fszc_status::FSZC_INVALID_ARGUMENT, "a mask of 4199 elements");
    }
}

/// The regions of a stream of 60 x 70 elements in the words of Rust and of C.
fn facts_are_those_of_rust(stream: &Owned<fszc_stream>) {
    let rust = Stream::open(bytes_of(stream)).expect("a stream");
    let size = size_of::<fszc_region>();
    assert_eq!(info_of(stream).regions as usize, rust.regions().len());
    for (number, expected) in rust.regions().iter().enumerate() {
        let mut found = MaybeUninit::<fszc_region>::uninit();
        // SAFETY: the whole struct is filled.
        let found = unsafe {
            ok(fszc_stream_region(stream.0, number, found.as_mut_ptr(), size));
            found.assume_init()
        };
        let place = match &expected.place {
            Place::Box { start, count } => Some((start.as_slice(), count.as_slice())),
            _ => None,
        };
        let told = (found.is_box == 1).then(|| (&found.start[..2], &found.count[..2]));
        assert_eq!(told, place);
        assert_eq!(found.elements, expected.place.elements());
        assert_eq!(found.compressed_bytes, expected.compressed_bytes());
        assert_eq!(found.requested_bound, expected.bound.requested());
        assert_eq!(found.absolute_bound, expected.absolute_bound);
        assert_eq!(found.max_abs_error, expected.certificate.max_abs_error);
        let own = rust.region_stream(number).expect("a region");
        let (header, relative) = (own.header(), own.certificate().max_relative_error);
        assert_eq!(found.bound, u32::from(header.fields().bound_kind));
        assert_eq!(found.floor, header.relative.map_or(0.0, |part| part.floor));
        assert_eq!(found.max_relative_error.is_nan(), relative.is_none());
        assert!(relative.is_none_or(|relative| relative == found.max_relative_error));
    }
    let (start, count) = ([5u64, 6], [40u64, 50]);
    let (mut owners, mut expected) = ([9u8; 2000], [0u8; 2000]);
    rust.regions_of_box(&start, &count, &mut expected).expect("a box of the field");
    assert!([0, 1, 2].iter().all(|owner| expected.contains(owner)));
    let of_box = |ndim, owners: *mut u8, elements| {
        let (start, count) = (start.as_ptr(), count.as_ptr());
        // SAFETY: a living handle, and arrays as long as said.
        unsafe { fszc_stream_regions_of_box(stream.0, start, count, ndim, owners, elements) }
    };
    ok(of_box(2, owners.as_mut_ptr(), 2000));
    assert!(owners == expected);

    let invalid = fszc_status::FSZC_INVALID_ARGUMENT;
    fails(of_box(2, owners.as_mut_ptr(), 1999), invalid, "2000 are needed");
    fails(of_box(2, ptr::null_mut(), 2000), invalid, "the output is null");
    fails(of_box(2, owners.as_mut_ptr(), u64::MAX), invalid, "no memory is so large");
    fails(of_box(1, owners.as_mut_ptr(), 40), invalid, "is not inside");
    fails(of_box(9, owners.as_mut_ptr(), 40), invalid, "9 dimensions");
    // SAFETY: a living handle, and no memory is touched.
    let region = |number| unsafe { fszc_stream_region(stream.0, number, ptr::null_mut(), size) };
    fails(region(0), invalid, "no place");
    fails(region(2), invalid, "region 2 of a stream of 2");
}

/// In C all are of one kind; other programs may write others.
#[test]
fn facts_of_regions_of_other_kinds() {
    let field: Vec<f32> = (0..4200u16).map(|i| (f32::from(i) * 0.01).sin()).collect();
    let mask: fsz::Mask = field.iter().map(|&d| d > 0.5).collect();
    let options = CompressOptions::new(Bound::Absolute(0.1))
        .region(Region::where_set(mask, Bound::Relative { eps: 1e-3, floor: 1e-4 }))
        .region(Region::in_box(&[0, 0], &[20, 70], Bound::ValueRange(1e-2)));
    let mut bytes = vec![0; options.max_compressed_len(&[60, 70], DType::F32).unwrap() as usize];
    let len = Codec::cpu().compress_into(&field, &[60, 70], &options, &mut bytes).unwrap();
    bytes.truncate(len);
    facts_are_those_of_rust(&open(&bytes));
}

#[test]
fn a_box_outside_of_the_field_is_refused() {
    let (field, shape) = ([1.5f32, 2.5, 9.0], [3u64]);
    for (start, count, ndim) in [([2u64], [2u64], 1), ([u64::MAX], [2], 1), ([0], [1], 0)] {
        let (codec, options) = (cpu(), absolute(0.1));
        // SAFETY: living handles, and arrays as long as said.
        unsafe {
            let (start, count) = (start.as_ptr(), count.as_ptr());
            ok(fszc_compress_options_add_box(options.0, start, count, ndim, 0.01));
            let (data, mut stream) = (field.as_ptr().cast(), ptr::null_mut());
            let shape = shape.as_ptr();
            let made = fszc_compress(codec.0, data, FSZC_F32, shape, 1, options.0, &mut stream);
            fails(made, fszc_status::FSZC_INVALID_ARGUMENT, "is not inside");
        }
    }
}
