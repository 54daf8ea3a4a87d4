//! Parts of fields: tiles, boxes and slices, in both profiles and element types.

use fsz::Element;
use fsz_c::*;
use fsz_tests::fields::smooth;

use crate::calls::*;

const SHAPE: [u64; 3] = [21, 34, 45];

fn check<T: Element>(dense: bool) {
    let field: Vec<T> = smooth(&SHAPE).into_iter().map(T::from_f64).collect();
    let (codec, options) = (cpu(), value_range(1e-3));
    if dense {
        // SAFETY: a living handle.
        ok(unsafe { fszc_compress_options_set_profile(options.0, FSZC_DENSE, FSZC_LAYOUT_AUTO) });
    }
    let stream = compress(&codec, &field, &SHAPE, &options);
    let dtype = number::<T>();
    let whole = decompress::<T>(&codec, &stream);
    let at = |z: u64, y: u64, x: u64| whole[((z * SHAPE[1] + y) * SHAPE[2] + x) as usize];

    for (axis, side) in SHAPE.into_iter().enumerate() {
        let index = side / 2;
        let mut out = vec![T::default(); (SHAPE.iter().product::<u64>() / side) as usize];
        // SAFETY: the output has the elements that it is said to have.
        ok(unsafe {
            let data = out.as_mut_ptr().cast();
            let elements = out.len() as u64;
            fszc_decompress_slice(codec.0, stream.0, NONE, axis, index, dtype, data, elements)
        });
        let range = |a: usize| if a == axis { index..index + 1 } else { 0..SHAPE[a] };
        let expected: Vec<T> = range(0)
            .flat_map(|z| range(1).map(move |y| (z, y)))
            .flat_map(|(z, y)| range(2).map(move |x| (z, y, x)))
            .map(|(z, y, x)| at(z, y, x))
            .collect();
        assert!(bits(&out) == bits(&expected), "axis {axis}");
    }

    let (start, count) = ([3u64, 8, 13], [7u64, 20, 30]);
    let mut out = vec![T::default(); count.iter().product::<u64>() as usize];
    // SAFETY: as above.
    ok(unsafe {
        let (data, elements) = (out.as_mut_ptr().cast(), out.len() as u64);
        let (start, count) = (start.as_ptr(), count.as_ptr());
        fszc_decompress_box(codec.0, stream.0, NONE, start, count, 3, dtype, data, elements)
    });
    let mut next = out.iter();
    for z in 3..10 {
        for y in 8..28 {
            for x in 13..43 {
                let found = next.next().expect("an element");
                assert_eq!(found.to_bits64(), at(z, y, x).to_bits64());
            }
        }
    }

    let tiles = info_of(&stream).tiles;
    let (first, end) = (tiles / 3, tiles / 2 + 1);
    let mut elements = 0;
    // SAFETY: a place for the number.
    ok(unsafe { fszc_stream_tile_elements(stream.0, first, end, &mut elements) });
    let mut out = vec![T::default(); elements as usize];
    // SAFETY: as above.
    ok(unsafe {
        let data = out.as_mut_ptr().cast();
        fszc_decompress_tiles(codec.0, stream.0, NONE, first, end, dtype, data, elements)
    });
    let mut expected = vec![T::default(); elements as usize];
    let rust = fsz::Stream::open(bytes_of(&stream)).expect("a stream");
    let codec = fsz::Codec::cpu();
    codec.decompress_tiles_into(&rust, first..end, &mut expected).expect("it decodes");
    assert!(bits(&out) == bits(&expected));
}

#[test]
fn tiles_boxes_and_slices() {
    for dense in [false, true] {
        check::<f32>(dense);
        check::<f64>(dense);
    }
}

#[test]
fn parts_that_the_field_does_not_have() {
    let field: Vec<f32> = smooth(&SHAPE).into_iter().map(|v| v as f32).collect();
    let (codec, options) = (cpu(), value_range(1e-3));
    let stream = compress(&codec, &field, &SHAPE, &options);
    let (codec, stream) = (codec.0, stream.0);
    let mut out = vec![0f32; field.len()];
    let data = out.as_mut_ptr().cast();
    let invalid = |status, words: &str| fails(status, fszc_status::FSZC_INVALID_ARGUMENT, words);
    let far = [u64::MAX, 1, 1];
    // SAFETY: the output has 1530 elements and more.
    unsafe {
        let slice = |axis, index, elements| {
            fszc_decompress_slice(codec, stream, NONE, axis, index, FSZC_F32, data, elements)
        };
        invalid(slice(3, 0, 1530), "axis 3 of a field of 3 dimensions: they are counted from 0");
        invalid(slice(usize::MAX, 0, 1530), "axis");
        invalid(slice(0, 21, 1530), "slice 21 of an axis of 21 elements: they are counted from 0");
        invalid(slice(0, u64::MAX, 1530), "slice");
        invalid(slice(0, 0, 1529), "1530 are needed");
        let boxed = |start: &[u64], count: &[u64], elements| {
            let (a, b, n) = (start.as_ptr(), count.as_ptr(), start.len());
            fszc_decompress_box(codec, stream, NONE, a, b, n, FSZC_F32, data, elements)
        };
        invalid(boxed(&far, &far, 1), "");
        invalid(boxed(&[0, 0], &[1, 1], 1), "");
        invalid(boxed(&[0; 9], &[1; 9], 1), "9 dimensions");
        let tiles = |first, end, elements| {
            fszc_decompress_tiles(codec, stream, NONE, first, end, FSZC_F32, data, elements)
        };
        invalid(tiles(2, 1, 256), "tiles");
        invalid(tiles(0, u64::MAX, 256), "tiles");
        invalid(tiles(0, 1, u64::MAX), "an output of");
        let mut elements = 0;
        let words = "tiles 5..4 of a field of";
        invalid(tiles(5, 4, 256), words);
        invalid(fszc_stream_tile_elements(stream, 5, 4, &mut elements), words);
        invalid(fszc_stream_tile_elements(stream, 0, u64::MAX, &mut elements), "tiles");
        let whole = |dtype, elements| fszc_decompress(codec, stream, NONE, dtype, data, elements);
        invalid(whole(FSZC_F64, 10), "the field is f32, not f64");
        invalid(whole(3, 10), "element type 3");
        invalid(whole(FSZC_F32, 10), "32130 are needed");
    }
}
