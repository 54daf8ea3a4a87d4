//! Null, misaligned, impossible and wrong arguments are errors of words, never a crash.

use std::{ffi::c_void, ptr};

use fsz_c::*;

use crate::calls::*;

const INVALID: fszc_status = fszc_status::FSZC_INVALID_ARGUMENT;

fn stream() -> Owned<fszc_stream> {
    let field: Vec<f32> = (0..600).map(|i| i as f32).collect();
    compress(&cpu(), &field, &[20, 30], &value_range(1e-3))
}

/// Handles that are none: null, misaligned, memory of something else, of another kind (`other`).
fn wrong<T>(words: &[u64; 64], other: &Owned<impl Sized>) -> [*mut T; 4] {
    let memory = ptr::from_ref(words).cast_mut().cast::<u8>();
    [ptr::null_mut(), memory.wrapping_add(1).cast(), memory.cast(), other.0.cast()]
}

#[test]
fn wrong_handles() {
    let (codec, stream, options) = (cpu(), stream(), value_range(1e-3));
    let progress: Owned<fszc_progress> =
        // SAFETY: a place for a handle.
        Owned::new(|out| unsafe { fszc_progress_new(out) }, fszc_progress_free);
    let memory = [0u64; 64];
    let shape = [20u64, 30];
    let mut field = vec![0f32; 600];
    let data = field.as_mut_ptr().cast::<c_void>();
    let words = "the handle of a";
    let or_words = "where that of a";
    let invalid = |status: fszc_status| {
        assert_eq!(status, INVALID, "{}", message());
        assert!(message().contains(words) || message().contains(or_words), "{}", message());
    };
    let mut made = ptr::null_mut();
    // SAFETY: the handles are wrong in ways that are looked for; everything else is right.
    unsafe {
        for wrong in wrong::<fszc_codec>(&memory, &progress) {
            let status =
                fszc_compress(wrong, data, FSZC_F32, shape.as_ptr(), 2, options.0, &mut made);
            invalid(status);
            assert!(made.is_null());
            invalid(fszc_decompress(wrong, stream.0, NONE, FSZC_F32, data, 600));
            invalid(fszc_decompress_tiles(wrong, stream.0, NONE, 0, 1, FSZC_F32, data, 256));
            invalid(fszc_decompress_slice(wrong, stream.0, NONE, 0, 0, FSZC_F32, data, 30));
            assert!(fszc_codec_description(wrong).is_null());
            assert_eq!(fszc_codec_backend(wrong), FSZC_AUTO);
        }
        for wrong in wrong::<fszc_stream>(&memory, &progress) {
            invalid(fszc_decompress(codec.0, wrong, NONE, FSZC_F32, data, 600));
            invalid(fszc_stream_info(wrong, data.cast(), 8));
            invalid(fszc_stream_certificate(wrong, data.cast(), 8));
            invalid(fszc_stream_tile_counts(wrong, data.cast(), 8));
            invalid(fszc_stream_tiles(wrong, 0, 1, data.cast(), 8));
            invalid(fszc_stream_region(wrong, 0, data.cast(), 8));
            let mut len = 0;
            assert!(fszc_stream_bytes(wrong, &mut len).is_null() && len == 0);
            assert!(fszc_stream_name(wrong).is_null());
        }
        for wrong in wrong::<fszc_compress_options>(&memory, &progress) {
            invalid(fszc_compress_options_set_threads(wrong, 1));
            invalid(fszc_compress_options_add_missing(wrong, 1.0));
            invalid(fszc_compress_options_add_box(wrong, ptr::null(), ptr::null(), 0, 1.0));
            invalid(fszc_compress_options_add_mask(wrong, ptr::null(), 0, 1.0));
            invalid(fszc_compress_options_set_name(wrong, c"a".as_ptr()));
            let status =
                fszc_compress(codec.0, data, FSZC_F32, shape.as_ptr(), 2, wrong, &mut made);
            invalid(status);
        }
        for wrong in wrong::<fszc_progress>(&memory, &codec) {
            invalid(fszc_progress_cancel(wrong));
            assert_eq!((fszc_progress_total(wrong), fszc_progress_done(wrong)), (0, 0));
        }
        // Freeing null is nothing; freeing another kind of handle leaves it alone.
        fszc_codec_free(ptr::null_mut());
        fszc_stream_free(codec.0.cast());
        assert!(message().contains("another handle where that of a fszc_stream is needed"));
        assert_eq!(fszc_codec_backend(codec.0), FSZC_CPU);
    }
}

#[test]
fn null_and_misaligned_pointers() {
    let (codec, stream, options) = (cpu(), stream(), value_range(1e-3));
    let shape = [20u64, 30];
    let mut field = vec![0f32; 700];
    let data = field.as_mut_ptr().cast::<c_void>();
    let misaligned = data.wrapping_byte_add(1);
    let null = ptr::null_mut::<c_void>();
    let (mut made, mut len, mut most) = (ptr::null_mut(), 0usize, 0u64);
    let invalid = |status, words: &str| fails(status, INVALID, words);
    // SAFETY: the pointers are wrong in ways that are looked for; everything else is right.
    unsafe {
        let dims = shape.as_ptr();
        let mut compress = |data, dims, ndim| {
            fszc_compress(codec.0, data, FSZC_F32, dims, ndim, options.0, &mut made)
        };
        invalid(compress(null, dims, 2), "the field is null");
        invalid(compress(misaligned, dims, 2), "the field is not at a multiple of 4 bytes");
        invalid(compress(data, ptr::null(), 2), "the shape is null");
        invalid(compress(data, dims, 9), "9 dimensions: at most 8");
        invalid(compress(data, dims, usize::MAX), "dimensions: at most 8");
        for huge in [[u64::MAX, 1], [u64::MAX, 2], [1 << 62, 1], [1 << 40, 1 << 40]] {
            let status = compress(data, huge.as_ptr(), 2);
            assert!(matches!(status, INVALID | fszc_status::FSZC_OUT_OF_MEMORY), "{huge:?}");
        }
        let slot = ptr::null_mut();
        let status = fszc_compress(codec.0, data, FSZC_F32, dims, 2, options.0, slot);
        invalid(status, "no place for the handle of a fszc_stream");
        let into = |out, capacity, len| {
            fszc_compress_into(codec.0, data, FSZC_F32, dims, 2, options.0, out, capacity, len)
        };
        invalid(into(null, 100, &mut len), "the output is null");
        invalid(into(data, usize::MAX, &mut len), "no memory is so large");
        invalid(into(data, 2000, &mut len), "field and output overlap");
        invalid(into(null, 0, &mut len), "the output buffer is too small");
        invalid(into(data, 0, ptr::null_mut()), "no place for the length");
        invalid(fszc_max_compressed_len(dims, 2, FSZC_F32, ptr::null_mut()), "no place");
        invalid(fszc_max_compressed_len(dims, 2, 0, &mut most), "element type 0");

        let whole = |out| fszc_decompress(codec.0, stream.0, NONE, FSZC_F32, out, 600);
        invalid(whole(null), "the output is null");
        invalid(whole(misaligned), "the output is not at a multiple of 4 bytes");
        let inside = fszc_stream_bytes(stream.0, ptr::null_mut()).cast_mut().cast::<c_void>();
        let aligned = inside.map_addr(|address| address.next_multiple_of(4));
        invalid(whole(aligned), "stream and output overlap");
        let boxed = |start, count| {
            fszc_decompress_box(codec.0, stream.0, NONE, start, count, 2, FSZC_F32, data, 600)
        };
        invalid(boxed(ptr::null(), dims), "the start is null");
        invalid(boxed(dims, ptr::null()), "the count is null");
        // Numbers need not be aligned.
        let mut bytes = [0u8; 33];
        bytes[1..9].copy_from_slice(&20u64.to_ne_bytes());
        bytes[9..17].copy_from_slice(&30u64.to_ne_bytes());
        ok(fszc_max_compressed_len(bytes[1..].as_ptr().cast(), 2, FSZC_F32, &mut most));
        ok(fszc_max_compressed_len(dims, 2, FSZC_F32, bytes[1..].as_mut_ptr().cast()));
        assert_eq!(bytes[1..9], most.to_ne_bytes());

        let mut opened = ptr::null_mut();
        let status = fszc_stream_info(ptr::null(), data.cast(), 8);
        invalid(status, "null where the handle of a fszc_stream is needed");
        invalid(fszc_stream_open(null, 10, &mut opened), "the stream is null");
        let status = fszc_stream_open(null, 0, &mut opened);
        assert_eq!(status, fszc_status::FSZC_TRUNCATED);
        invalid(fszc_stream_copy(data, usize::MAX / 2 + 2, &mut opened), "no memory is so large");
        invalid(fszc_stream_info(stream.0, ptr::null_mut(), 8), "no place");
        let size = size_of::<fszc_tile>();
        invalid(fszc_stream_tiles(stream.0, 0, 1, ptr::null_mut(), size), "no place");
        invalid(fszc_stream_tiles(stream.0, 2, u64::MAX, data.cast(), size), "tiles from 2 on");
        invalid(fszc_stream_tiles(stream.0, 0, 1, data.cast(), 0), "sizeof");
        ok(fszc_stream_tiles(stream.0, 0, 0, ptr::null_mut(), size));
        let costs = ptr::null_mut();
        invalid(fszc_stream_tile_costs(stream.0, 0, costs, &mut len), "no place for the costs");
        invalid(fszc_stream_tile_costs(stream.0, 99, costs, &mut len), "no tile 99");
        invalid(fszc_codec_new(FSZC_CPU, 0, 0, ptr::null_mut()), "no place");
    }
}

#[test]
fn options_out_of_range() {
    let (options, codec) = (value_range(1e-3), cpu());
    let invalid = |status, words: &str| fails(status, INVALID, words);
    let profile = |profile, layout| {
        // SAFETY: a living handle.
        unsafe { fszc_compress_options_set_profile(options.0, profile, layout) }
    };
    invalid(profile(2, 0), "profile 2");
    invalid(profile(FSZC_PAPER, FSZC_LAYOUT_LINE), "has no layout 1");
    invalid(profile(FSZC_DENSE, 4), "has no layout 4");
    let research = fszc_research {
        block_len: 32,
        blocks_per_tile: 8,
        centering: 3,
        cross_block: 1,
        order2: 1,
    };
    let field = [1f32, 2.0];
    let compress = |options: &Owned<fszc_compress_options>| {
        let mut made = ptr::null_mut();
        let data = field.as_ptr().cast();
        // SAFETY: the field has 2 elements.
        let status = unsafe { fszc_compress(codec.0, data, FSZC_F32, &2, 1, options.0, &mut made) };
        // SAFETY: a stream of its own, or null.
        unsafe { fszc_stream_free(made) };
        status
    };
    let made_none = |make: &dyn Fn(*mut *mut fszc_compress_options) -> fszc_status, words: &str| {
        let mut made = ptr::dangling_mut();
        invalid(make(&mut made), words);
        assert!(made.is_null());
    };
    // SAFETY: living handles, and strings.
    unsafe {
        invalid(fszc_compress_options_set_research(options.0, &research), "no centering 3");
        let research = fszc_research { centering: 0, order2: 2, ..research };
        invalid(fszc_compress_options_set_research(options.0, &research), "order2 2");
        invalid(fszc_compress_options_set_research(options.0, ptr::null()), "null");
        invalid(fszc_compress_options_set_threads(options.0, 0), "0 threads");
        invalid(fszc_compress_options_set_name(options.0, ptr::null()), "the name is null");
        invalid(fszc_compress_options_set_name(options.0, c"\xff".as_ptr()), "not UTF-8");
        invalid(fszc_compress_options_set_start(options.0, ptr::null(), 1), "the start is null");
        let (null, one) = (ptr::null(), 1u64);
        invalid(fszc_compress_options_add_box(options.0, null, &one, 1, 1.0), "the start is null");
        invalid(fszc_compress_options_add_box(options.0, &one, null, 1, 1.0), "the count is null");
        invalid(fszc_compress_options_add_box(options.0, null, null, 9, 1.0), "9 dimensions");
        invalid(fszc_compress_options_add_mask(options.0, ptr::null(), 1, 1.0), "the mask is null");
        invalid(fszc_compress_options_set_progress(options.0, ptr::null()), "fszc_progress");
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let words = "must be a positive, finite number";
            made_none(&|out| fszc_compress_options_absolute(wrong, out), words);
            made_none(&|out| fszc_compress_options_value_range(wrong, out), words);
            made_none(&|out| fszc_compress_options_relative(wrong, 0.0, out), words);
            made_none(&|out| fszc_compress_options_psnr(wrong, out), words);
            made_none(&|out| fszc_compress_options_ratio(wrong, out), words);
            invalid(fszc_compress_options_add_box(options.0, &0, &1, 1, wrong), words);
            invalid(fszc_compress_options_add_mask(options.0, &1, 1, wrong), words);
        }
        made_none(&|out| fszc_compress_options_relative(0.6, 0.0, out), "at most 0.5");
        made_none(&|out| fszc_compress_options_relative(0.1, -1.0, out), "floor -1");
        let words = "the lower one first";
        made_none(&|out| fszc_compress_options_value_range_of(1e-3, 2.0, 1.0, out), words);
        // What was refused has left no region behind.
        assert_eq!(compress(&options), fszc_status::FSZC_OK);
        for _ in 0..FSZC_MAX_MISSING + 1 {
            ok(fszc_compress_options_add_missing(options.0, 1.0));
        }
        invalid(compress(&options), "5 missing values named");
        let mut made = ptr::null_mut();
        invalid(fszc_codec_new(4, 0, 0, &mut made), "backend 4");
        invalid(fszc_codec_new(FSZC_CPU, 1, 0, &mut made), "device 1");
        assert!(made.is_null());
    }
}
