//! Boxes and masks with bounds of their own: the bytes are those of the Rust codec.

use std::ptr;

use fsz::{Bound, Codec, CompressOptions, DType, Region};
use fsz_c::*;

use crate::calls::{Owned, bytes_of, compress, cpu, fails, ok};

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
