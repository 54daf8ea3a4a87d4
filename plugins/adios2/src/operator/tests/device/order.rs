//! What the program has under way when it calls: its streams, its threads, its context.

use std::thread;

use super::{
    current::{Primary, current},
    *,
};
use cudarc::driver::{result::stream, sys};

/// The stream does not wait for others, nor others for it, so that only the operator's waiting makes
/// the values those of the last fill.
#[test]
fn work_that_is_pending_on_a_non_blocking_stream_is_waited_for() {
    const ELEMENTS: usize = 64 << 20;
    const FILLS: u32 = 1000;
    let _alone = alone();
    let test = "work_that_is_pending_on_a_non_blocking_stream_is_waited_for";
    let Some(memory) = on_device(test, &vec![0f32; ELEMENTS]) else { return };
    let operator = writer(&[("accuracy", "1e-3")]);
    let count = [ELEMENTS as u64];
    // The first write makes the workspace: an allocation would wait for the device by itself.
    let mut out = write(&operator, device_block(&memory, &count), true);
    out.resize(operator.estimate(ELEMENTS, 4, 1), 0);

    let _primary = Primary::enter();
    let queue = stream::create(stream::StreamKind::NonBlocking).unwrap();
    // A busy machine may pause between the last fill and the question.
    let pending = (0..10).any(|_| {
        for fill in 1..=FILLS {
            let value = (fill as f32).to_bits();
            // SAFETY: the memory has as many elements and outlives the fills, which are waited for
            // below.
            unsafe {
                sys::cuMemsetD32Async(memory.address(), value, ELEMENTS, queue).result().unwrap()
            };
        }
        // SAFETY: the stream is alive.
        let state = unsafe { sys::cuStreamQuery(queue) };
        state == sys::CUresult::CUDA_ERROR_NOT_READY
    });
    // SAFETY: the memory holds the field and `out` has the estimated room.
    let length = unsafe {
        operator.write(device_block(&memory, &count), out.as_mut_ptr(), out.len(), false)
    };
    let length = length.unwrap();
    // SAFETY: the stream is alive, and gone after this.
    unsafe {
        stream::synchronize(queue).unwrap();
        stream::destroy(queue).unwrap();
    }
    assert!(pending, "too few fills to prove anything");
    let body = envelope::open(&out[..length]).unwrap().body;
    let certificate = *Stream::open(body).unwrap().certificate();
    assert_eq!((certificate.min, certificate.max), (f64::from(FILLS), f64::from(FILLS)));
}

/// The host reads a part of an array itself, where it can: not before the array is whole.
#[test]
fn a_part_of_managed_memory_waits_for_pending_work() {
    const ELEMENTS: usize = 1 << 20;
    let _alone = alone();
    let test = "a_part_of_managed_memory_waits_for_pending_work";
    // Starts CUDA, and keeps it started.
    let Some(_memory) = on_device(test, &[0f32]) else { return };
    let operator = writer(&[("accuracy", "1e-3")]);

    let _primary = Primary::enter();
    let queue = stream::create(stream::StreamKind::NonBlocking).unwrap();
    let mut managed = 0;
    let attach = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as u32;
    // SAFETY: writes one address; the fills have as many elements, and are waited for below.
    unsafe {
        sys::cuMemAllocManaged(&mut managed, 4 * ELEMENTS, attach).result().unwrap();
        for fill in 1..=100 {
            let value = (fill as f32).to_bits();
            sys::cuMemsetD32Async(managed, value, ELEMENTS, queue).result().unwrap();
        }
    }
    let part = MemorySelection { start: vec![ELEMENTS as u64 - 500], count: vec![ELEMENTS as u64] };
    let there = Block { memory: Some(part), ..block_at(managed, DType::F32, &[400]) };
    let payload = write(&operator, there, true);
    // SAFETY: allocated above; the stream is alive until here.
    unsafe {
        stream::synchronize(queue).unwrap();
        stream::destroy(queue).unwrap();
        sys::cuMemFree_v2(managed).result().unwrap();
    }
    let certificate = *Stream::open(envelope::open(&payload).unwrap().body).unwrap().certificate();
    assert_eq!((certificate.min, certificate.max), (100.0, 100.0));
}

#[test]
fn several_threads_write_from_one_device() {
    let _alone = alone();
    let values: Vec<f32> = (0..200_000).map(|i| (i as f32 * 0.01).sin()).collect();
    let Some(memory) = on_device("several_threads_write_from_one_device", &values) else { return };
    let operator = writer(&[("accuracy", "1e-3")]);
    let expected = write(&operator, block(&values, &[200_000]), true);
    let body = envelope::open(&expected).unwrap().body;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let there = device_block(&memory, &[200_000]);
                    assert!(stream_of_the_device(&operator, &there).unwrap() == body);
                    assert!(write(&operator, there, true) == expected);
                }
            });
        }
    });
}

#[test]
fn the_current_context_is_the_programs_again() {
    let _alone = alone();
    let values = smooth();
    let Some(memory) = on_device("the_current_context_is_the_programs_again", &values) else {
        return;
    };
    let operator = writer(&[("accuracy", "1e-3")]);
    let run = || {
        let before = current();
        let payload = write(&operator, device_block(&memory, &[5000]), true);
        assert_eq!(before, current(), "after writing");
        let envelope = envelope::open(&payload).unwrap();
        let out = std::ptr::with_exposed_provenance_mut(memory.address() as usize);
        // SAFETY: the payload outlives the call and the target has the room.
        unsafe { read_to_device::run(&Payload::of(&envelope), out, 20_000) }.unwrap();
        assert_eq!(before, current(), "after reading");
        // Refused: the target is too small.
        // SAFETY: as above; nothing is written.
        assert!(unsafe { read_to_device::run(&Payload::of(&envelope), out, 8) }.is_err());
        assert_eq!(before, current(), "after a failure");
    };
    // A thread on which no context was ever current.
    thread::scope(|scope| {
        let none = scope.spawn(|| {
            assert!(current().is_null());
            run();
        });
        none.join().unwrap();
    });
    let _primary = Primary::enter();
    assert!(!current().is_null());
    run();
}
