//! Calls for device memory: words where there is no device, a round trip where there is one.

use std::{ffi::c_void, ptr};

use fsz_c::*;
use fsz_tests::fields::smooth;

use crate::calls::*;

const SHAPE: [u64; 3] = [20, 30, 40];

/// The reason why no device can be used; `None` when one can be.
fn reason() -> Option<String> {
    let mut count = 0;
    // SAFETY: a place for the number.
    let status = unsafe { fszc_device_count(&mut count) };
    (status != fszc_status::FSZC_OK).then(message)
}

#[test]
fn without_a_device_calls_say_why() {
    let Some(reason) = reason() else { return };
    assert!(!reason.is_empty());
    let device = fszc_status::FSZC_DEVICE;
    let (mut codec, mut memory, mut on_device) =
        (ptr::without_provenance_mut(1), ptr::without_provenance_mut(1), ptr::null_mut());
    // SAFETY: places for handles.
    unsafe {
        fails(fszc_codec_new(FSZC_CUDA, 0, 0, &mut codec), device, "device error");
        assert!(codec.is_null());
        fails(fszc_device_codec_new(0, &mut on_device), device, "device error");
        fails(fszc_device_memory_new(0, 100, &mut memory), device, "device error");
        assert!(memory.is_null());
        let mut info = [0u64; 64];
        let size = size_of::<fszc_device_info>();
        fails(fszc_device_describe(0, info.as_mut_ptr().cast(), size), device, "device error");
        // What follows from shape and options needs no device.
        let options = value_range(1e-3);
        let compression = compression(&options);
        assert!(fszc_compression_max_len(compression.0) > 96_000);
        assert!(fszc_compression_scratch_len(compression.0) > 0);
        let null = ptr::null_mut();
        let invalid = fszc_status::FSZC_INVALID_ARGUMENT;
        let status = fszc_device_compress(
            null,
            compression.0,
            null.cast(),
            null.cast(),
            0,
            null.cast(),
            null.cast(),
        );
        fails(status, invalid, "fszc_device_codec");
        let (mut kind, mut number) = (9, 9);
        let local = 1u8;
        ok(fszc_memory_at(ptr::from_ref(&local).cast(), &mut kind, &mut number));
        assert_eq!((kind, number), (FSZC_HOST_MEMORY, 0));
        ok(fszc_memory_at(ptr::null(), &mut kind, &mut number));
        assert_eq!(kind, FSZC_HOST_MEMORY);
    }
}

/// Skips where there is no device, unless one is required.
fn no_device() -> bool {
    let reason = reason();
    if let Some(reason) = &reason {
        assert!(std::env::var_os("FSZ_REQUIRE_CUDA").is_none(), "no device: {reason}");
        eprintln!("SKIPPED: C calls for device memory: {reason}");
    }
    reason.is_some()
}

fn device_codec() -> Owned<fszc_device_codec> {
    // SAFETY: a place for a handle.
    Owned::new(|out| unsafe { fszc_device_codec_new(0, out) }, fszc_device_codec_free)
}

/// Of fields of [`SHAPE`].
fn compression(options: &Owned<fszc_compress_options>) -> Owned<fszc_compression> {
    Owned::new(
        // SAFETY: `SHAPE` has three sides, the options live, and there is a place for a handle.
        |out| unsafe { fszc_compression_new(SHAPE.as_ptr(), 3, FSZC_F32, options.0, out) },
        fszc_compression_free,
    )
}

fn memory(len: u64) -> Owned<fszc_device_memory> {
    Owned::new(
        // SAFETY: a place for a handle.
        |out| unsafe { fszc_device_memory_new(0, len as usize, out) },
        fszc_device_memory_free,
    )
}

/// Its address.
fn at(memory: &Owned<fszc_device_memory>) -> *mut c_void {
    // SAFETY: the memory lives.
    unsafe { fszc_device_memory_address(memory.0) }
}

#[test]
fn nothing_is_written_anywhere_in_device_memory() {
    if no_device() {
        return;
    }
    // SAFETY: nothing is read or written.
    unsafe {
        for len in [0, 1000] {
            let there = memory(len);
            let (from, to) = (ptr::null(), ptr::null_mut());
            ok(fszc_device_memory_write(there.0, len as usize, from, 0));
            ok(fszc_device_memory_read(there.0, len as usize, to, 0));
            let beyond = fszc_device_memory_write(there.0, len as usize + 1, from, 0);
            fails(beyond, fszc_status::FSZC_INVALID_ARGUMENT, "bytes from");
        }
    }
}

#[test]
fn fields_and_streams_in_device_memory() {
    if no_device() {
        return;
    }
    let field: Vec<f32> = smooth(&SHAPE).into_iter().map(|v| v as f32).collect();
    let raw = size_of_val(field.as_slice()) as u64;
    for profile in [FSZC_PAPER, FSZC_DENSE] {
        let options = value_range(1e-3);
        // SAFETY: all memory is as large as said, and the device is waited for.
        unsafe {
            ok(fszc_compress_options_set_profile(options.0, profile, FSZC_LAYOUT_AUTO));
            let expected = compress(&cpu(), &field, &SHAPE, &options);
            let whole = decompress::<f32>(&cpu(), &expected);
            let (codec, compression) = (device_codec(), compression(&options));
            let most = fszc_compression_max_len(compression.0);
            let on_device = memory(raw);
            let stream = memory(most);
            let scratch = memory(fszc_compression_scratch_len(compression.0));
            ok(fszc_device_memory_write(on_device.0, 0, field.as_ptr().cast(), raw as usize));
            let queue = ptr::null_mut();
            let (field_at, stream_at) = (at(&on_device), at(&stream));
            let (codec, compression) = (codec.0, compression.0);
            ok(fszc_device_compress(
                codec,
                compression,
                field_at,
                stream_at,
                most,
                at(&scratch),
                queue,
            ));
            let mut len = 0;
            ok(fszc_device_compressed_len(codec, at(&scratch), most, queue, &mut len));
            let mut bytes = vec![0u8; len as usize];
            ok(fszc_device_memory_read(stream.0, 0, bytes.as_mut_ptr().cast(), bytes.len()));
            assert!(bytes == bytes_of(&expected));

            let kind: Owned<fszc_stream_kind> =
                Owned::new(|out| fszc_stream_kind_of(expected.0, out), fszc_stream_kind_free);
            let scratch = memory(fszc_device_decompress_scratch_len() as u64);
            let out = memory(raw);
            let (kind, scratch_at, out_at) = (kind.0, at(&scratch), at(&out));
            ok(fszc_device_decompress(codec, kind, stream_at, len, out_at, scratch_at, queue));
            ok(fszc_device_outcome(codec, scratch_at, queue));
            let mut found = vec![0f32; field.len()];
            ok(fszc_device_memory_read(out.0, 0, found.as_mut_ptr().cast(), raw as usize));
            assert!(bits(&found) == bits(&whole));
            ok(fszc_device_decompress_slice(
                codec, kind, stream_at, len, 0, 7, out_at, scratch_at, queue,
            ));
            ok(fszc_device_outcome(codec, scratch_at, queue));
            ok(fszc_device_memory_read(out.0, 0, found.as_mut_ptr().cast(), 4800));
            assert!(bits(&found[..1200]) == bits(&whole[8400..9600]));

            let (mut host, mut length) = (vec![0u8; most as usize], 0);
            ok(fszc_device_compress_to_host(
                codec,
                compression,
                field_at,
                host.as_mut_ptr().cast(),
                host.len(),
                &mut length,
            ));
            assert!(host[..length] == *bytes_of(&expected));
            ok(fszc_device_decompress_from_host(codec, expected.0, out_at));
            ok(fszc_device_memory_read(out.0, 0, found.as_mut_ptr().cast(), raw as usize));
            assert!(bits(&found) == bits(&whole));

            // The host's calls refuse device memory in words.
            let mut made = ptr::null_mut();
            let host = cpu();
            let dims = SHAPE.as_ptr();
            let status = fszc_compress(host.0, field_at, FSZC_F32, dims, 3, options.0, &mut made);
            fails(status, fszc_status::FSZC_INVALID_ARGUMENT, "memory of CUDA device 0");
        }
    }
}

#[test]
fn regions_of_fields_in_device_memory() {
    if no_device() {
        return;
    }
    let field: Vec<f32> = smooth(&SHAPE).into_iter().map(|v| v as f32).collect();
    let mask: Vec<u8> = field.iter().map(|&d| u8::from(d > 0.5)).collect();
    let raw = size_of_val(field.as_slice());
    for profile in [FSZC_PAPER, FSZC_DENSE] {
        let options = value_range(1e-2);
        // SAFETY: all memory is as large as said, and the device is waited for.
        unsafe {
            ok(fszc_compress_options_set_profile(options.0, profile, FSZC_LAYOUT_AUTO));
            let (start, count) = ([2u64, 3, 4], [15u64, 20, 30]);
            let (start, count) = (start.as_ptr(), count.as_ptr());
            ok(fszc_compress_options_add_box(options.0, start, count, 3, 1e-4));
            ok(fszc_compress_options_add_mask(options.0, mask.as_ptr(), mask.len(), 1e-3));
            let expected = compress(&cpu(), &field, &SHAPE, &options);
            let (codec, compression) = (device_codec(), compression(&options));
            let most = fszc_compression_max_len(compression.0);
            let (there, stream) = (memory(raw as u64), memory(most));
            let scratch = memory(fszc_compression_scratch_len(compression.0));
            ok(fszc_device_memory_write(there.0, 0, field.as_ptr().cast(), raw));
            let (queue, codec, compression) = (ptr::null_mut(), codec.0, compression.0);
            let (from, to, scratch) = (at(&there), at(&stream), at(&scratch));
            ok(fszc_device_compress(codec, compression, from, to, most, scratch, queue));
            let mut len = 0;
            ok(fszc_device_compressed_len(codec, scratch, most, queue, &mut len));
            let mut bytes = vec![0u8; len as usize];
            ok(fszc_device_memory_read(stream.0, 0, bytes.as_mut_ptr().cast(), bytes.len()));
            assert!(bytes == bytes_of(&expected));
            let (mut host, mut length) = (vec![0u8; most as usize], 0);
            let out = host.as_mut_ptr().cast();
            ok(fszc_device_compress_to_host(
                codec,
                compression,
                from,
                out,
                host.len(),
                &mut length,
            ));
            assert!(host[..length] == *bytes_of(&expected));
        }
    }
}
