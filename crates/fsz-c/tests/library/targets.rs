//! Targets: the bytes and the bound are those of the Rust codec.

use std::ptr;

use fsz::{Bound, Codec, CompressOptions, DType, Stream};
use fsz_c::*;

use crate::calls::{Owned, bytes_of, compress, cpu, fails, ok};

fn options(
    make: impl FnOnce(*mut *mut fszc_compress_options) -> fszc_status,
) -> Owned<fszc_compress_options> {
    Owned::new(make, fszc_compress_options_free)
}

#[test]
fn a_target_is_that_of_the_rust_codec() {
    let field: Vec<f32> = (0..30_000).map(|i| (i as f32 * 1e-3).sin() * 7.0).collect();
    let shape = [field.len() as u64];
    // SAFETY: places for handles.
    let targets = unsafe {
        [
            (Bound::Psnr(62.0), options(|out| fszc_compress_options_psnr(62.0, out)), FSZC_PSNR),
            (Bound::Ratio(9.0), options(|out| fszc_compress_options_ratio(9.0, out)), FSZC_RATIO),
            (
                Bound::MaxBytes(9000),
                options(|out| fszc_compress_options_max_bytes(9000, out)),
                FSZC_MAX_BYTES,
            ),
        ]
    };
    for (bound, c, kind) in &targets {
        let rust = CompressOptions::new(*bound);
        let mut bytes = vec![0; fsz::max_compressed_len(&shape, DType::F32).unwrap() as usize];
        let len = Codec::cpu().compress_into(&field, &shape, &rust, &mut bytes).unwrap();
        let wanted = Stream::open(&bytes[..len]).unwrap();
        let codec = cpu();
        let stream = compress(&codec, &field, &shape, c);
        assert!(bytes_of(&stream) == wanted.as_bytes(), "{bound:?}");
        let mut info = std::mem::MaybeUninit::<fszc_info>::zeroed();
        let mut found = 0.0;
        // SAFETY: live handles and places; zeros are an info.
        let info = unsafe {
            ok(fszc_stream_info(stream.0, info.as_mut_ptr(), size_of::<fszc_info>()));
            let data = field.as_ptr().cast();
            ok(fszc_find_bound(codec.0, data, FSZC_F32, shape.as_ptr(), 1, c.0, &mut found));
            info.assume_init()
        };
        assert_eq!((info.bound, info.requested_bound), (*kind, bound.requested()));
        assert_eq!(info.absolute_bound, found);
        let recorded = wanted.header().mean_squared_error;
        assert_eq!(recorded.is_none(), info.mean_squared_error.is_nan());
        assert_eq!(recorded.unwrap_or(0.0), info.mean_squared_error.max(0.0));
    }
}

#[test]
fn what_cannot_be_reached_is_refused_with_words() {
    let field = [1.5f32, 2.5, 9.0];
    // SAFETY: places for handles, and the field has its 3 elements.
    unsafe {
        let small = options(|out| fszc_compress_options_max_bytes(10, out));
        let (codec, data, shape) = (cpu(), field.as_ptr().cast(), [3u64]);
        let mut stream = ptr::null_mut();
        let status =
            fszc_compress(codec.0, data, FSZC_F32, shape.as_ptr(), 1, small.0, &mut stream);
        fails(status, fszc_status::FSZC_INVALID_ARGUMENT, "the smallest has");
        let none = ptr::null_mut();
        let status = fszc_find_bound(codec.0, data, FSZC_F32, shape.as_ptr(), 1, small.0, none);
        fails(status, fszc_status::FSZC_INVALID_ARGUMENT, "");
    }
}

#[test]
fn a_relative_bound_is_that_of_the_rust_codec() {
    let field: Vec<f32> = (0..30_000).map(|i| (i as f32 * 1e-3).sin().powi(5) * 7.0).collect();
    let shape = [field.len() as u64];
    for (eps, floor) in [(1e-2, 0.0), (1e-2, 1e-4)] {
        // SAFETY: a place for the handle.
        let c = unsafe { options(|out| fszc_compress_options_relative(eps, floor, out)) };
        let rust = CompressOptions::new(Bound::Relative { eps, floor });
        let mut bytes = vec![0; fsz::max_compressed_len(&shape, DType::F32).unwrap() as usize];
        let len = Codec::cpu().compress_into(&field, &shape, &rust, &mut bytes).unwrap();
        let wanted = Stream::open(&bytes[..len]).unwrap();
        let stream = compress(&cpu(), &field, &shape, &c);
        assert!(bytes_of(&stream) == wanted.as_bytes(), "{eps} {floor}");
        let mut info = std::mem::MaybeUninit::<fszc_info>::zeroed();
        let mut certificate = std::mem::MaybeUninit::<fszc_certificate>::zeroed();
        // SAFETY: live handles and places; zeros are an info and a certificate.
        let (info, certificate) = unsafe {
            ok(fszc_stream_info(stream.0, info.as_mut_ptr(), size_of::<fszc_info>()));
            let size = size_of::<fszc_certificate>();
            ok(fszc_stream_certificate(stream.0, certificate.as_mut_ptr(), size));
            (info.assume_init(), certificate.assume_init())
        };
        assert_eq!((info.bound, info.requested_bound, info.floor), (FSZC_RELATIVE, eps, floor));
        assert_eq!(Some(certificate.max_relative_error), wanted.certificate().max_relative_error);
        assert!(certificate.max_relative_error > 0.9 * eps && certificate.max_relative_error < eps);
    }
}
