//! What may be shared by threads, and watching and cancelling a call from another one.

use std::{
    ffi::c_void,
    ptr,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use fsz_c::*;
use fsz_tests::fields::{noise, smooth};

use crate::calls::*;

#[test]
fn threads_share_codec_options_and_stream() {
    let shape = [24u64, 50, 60];
    let field: Vec<f32> = smooth(&shape).into_iter().map(|v| v as f32).collect();
    let (codec, options) = (codec(FSZC_CPU, 3), value_range(1e-4));
    let stream = compress(&codec, &field, &shape, &options);
    let whole = decompress::<f32>(&codec, &stream);
    thread::scope(|scope| {
        for number in 0..8u64 {
            let (codec, options, stream, field, whole) =
                (&codec, &options, &stream, &field, &whole);
            scope.spawn(move || {
                for round in 0..4 {
                    let made = compress(codec, field, &shape, options);
                    assert!(bytes_of(&made) == bytes_of(stream));
                    assert!(decompress::<f32>(codec, stream) == *whole);
                    let index = (number * 4 + round) % shape[0];
                    let mut out = vec![0f32; 3000];
                    let slice = |out: &mut [f32], axis, index| {
                        let (codec, stream, data) = (codec.0, stream.0, out.as_mut_ptr().cast());
                        // SAFETY: the output has the elements that it is said to have.
                        unsafe {
                            fszc_decompress_slice(
                                codec, stream, NONE, axis, index, FSZC_F32, data, 3000,
                            )
                        }
                    };
                    ok(slice(&mut out, 0, index));
                    assert!(out == whole[index as usize * 3000..][..3000]);
                    // A failure of one thread is no other's.
                    let status = slice(&mut out, 10 + number as usize, 0);
                    let words = format!("axis {} of", 10 + number);
                    fails(status, fszc_status::FSZC_INVALID_ARGUMENT, &words);
                }
            });
        }
    });
}

fn progress() -> Owned<fszc_progress> {
    // SAFETY: a place for a handle.
    Owned::new(|out| unsafe { fszc_progress_new(out) }, fszc_progress_free)
}

#[test]
fn a_call_reports_to_its_progress() {
    let (field, progress, options) = (noise(100_000, 1), progress(), value_range(1e-3));
    // SAFETY: living handles.
    unsafe {
        assert_eq!((fszc_progress_total(progress.0), fszc_progress_done(progress.0)), (0, 0));
        ok(fszc_compress_options_set_progress(options.0, progress.0));
    }
    let stream = compress(&cpu(), &field, &[100_000], &options);
    // SAFETY: living handles, and room for the field.
    unsafe {
        assert_eq!(fszc_progress_total(progress.0), 800_000);
        assert_eq!(fszc_progress_done(progress.0), 800_000);
        let options = decompress_options();
        ok(fszc_decompress_options_set_progress(options.0, progress.0));
        ok(fszc_decompress_options_set_threads(options.0, 1));
        let mut out = vec![0f64; 100_000];
        let (codec, data) = (cpu(), out.as_mut_ptr().cast());
        ok(fszc_decompress(codec.0, stream.0, options.0, FSZC_F64, data, 100_000));
        assert_eq!(fszc_progress_done(progress.0), 800_000);
        ok(fszc_progress_cancel(progress.0));
        let status = fszc_decompress(codec.0, stream.0, options.0, FSZC_F64, data, 100_000);
        fails(status, fszc_status::FSZC_CANCELLED, "cancelled");
    }
}

#[test]
fn parts_of_a_field_report_and_can_be_cancelled() {
    let shape = [100, 1000];
    let stream = compress(&cpu(), &noise(100_000, 1), &shape, &value_range(1e-3));
    let (codec, mut out) = (cpu(), vec![0f64; 100_000]);
    let data = out.as_mut_ptr().cast();
    let (codec, stream, start, count) = (codec.0, stream.0, [10, 0], [20, 1000]);
    let mut of_tiles = 0;
    // SAFETY: a place for the number.
    ok(unsafe { fszc_stream_tile_elements(stream, 0, 7, &mut of_tiles) });
    let calls: [(u64, &dyn Fn(*const fszc_decompress_options) -> fszc_status); 3] = [
        // SAFETY: living handles, and room for the whole field.
        (of_tiles, &|options| unsafe {
            fszc_decompress_tiles(codec, stream, options, 0, 7, FSZC_F64, data, of_tiles)
        }),
        // SAFETY: as above.
        (20_000, &|options| unsafe {
            let (start, count) = (start.as_ptr(), count.as_ptr());
            fszc_decompress_box(codec, stream, options, start, count, 2, FSZC_F64, data, 20_000)
        }),
        // SAFETY: as above.
        (1000, &|options| unsafe {
            fszc_decompress_slice(codec, stream, options, 0, 99, FSZC_F64, data, 1000)
        }),
    ];
    for (elements, call) in calls {
        let (progress, options) = (progress(), decompress_options());
        // SAFETY: living handles.
        ok(unsafe { fszc_decompress_options_set_progress(options.0, progress.0) });
        ok(call(options.0));
        // SAFETY: a living handle.
        unsafe {
            assert!(fszc_progress_total(progress.0) >= 8 * elements, "{elements}");
            assert_eq!(fszc_progress_done(progress.0), fszc_progress_total(progress.0));
            ok(fszc_progress_cancel(progress.0));
        }
        fails(call(options.0), fszc_status::FSZC_CANCELLED, "cancelled");
    }
}

#[test]
fn another_thread_cancels_a_call() {
    // A busy machine may run the canceller when the call is over already; then it is tried again.
    let cancelled = (0..50).any(|_| is_cancelled());
    assert!(cancelled, "50 calls ended before they could be cancelled");
}

/// Compresses in this thread, and cancels in another as soon as something is done; whether that was in time.
fn is_cancelled() -> bool {
    let (field, progress, options) = (noise(2_000_000, 1), progress(), absolute(1e-9));
    // SAFETY: a living handle.
    ok(unsafe { fszc_compress_options_set_progress(options.0, progress.0) });
    let (codec, is_over) = (codec(FSZC_CPU_PORTABLE, 1), AtomicBool::new(false));
    thread::scope(|scope| {
        let (progress, is_over) = (&progress, &is_over);
        scope.spawn(move || {
            // SAFETY: a living handle.
            unsafe {
                while fszc_progress_done(progress.0) == 0 && !is_over.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                ok(fszc_progress_cancel(progress.0));
            }
        });
        let mut stream = ptr::without_provenance_mut(1);
        let shape = [field.len() as u64];
        // SAFETY: the field has the elements of its shape.
        let status = unsafe {
            let data = field.as_ptr().cast::<c_void>();
            fszc_compress(codec.0, data, FSZC_F64, shape.as_ptr(), 1, options.0, &mut stream)
        };
        is_over.store(true, Ordering::Relaxed);
        if status == fszc_status::FSZC_OK {
            // SAFETY: made above.
            unsafe { fszc_stream_free(stream) };
            return false;
        }
        fails(status, fszc_status::FSZC_CANCELLED, "cancelled");
        assert!(stream.is_null());
        // SAFETY: a living handle.
        assert!(unsafe { fszc_progress_done(progress.0) } < 16_000_000);
        true
    })
}

#[test]
fn a_counter_may_be_freed_before_the_options_that_report_to_it() {
    let (field, options) = (noise(1000, 1), value_range(1e-3));
    let counter = progress();
    // SAFETY: living handles.
    ok(unsafe { fszc_compress_options_set_progress(options.0, counter.0) });
    drop(counter);
    compress(&cpu(), &field, &[1000], &options);
}
