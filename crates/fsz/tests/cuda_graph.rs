//! CUDA graphs of the calls on device memory. In a program of its own, and one test at a time: a wait for the whole device
//! on another thread, as other tests wait, ends a capture.
#![cfg(feature = "cuda")]

mod common;
#[path = "common/graph.rs"]
mod graph;

use std::{
    ptr::null_mut,
    sync::{Mutex, MutexGuard, PoisonError},
};

use common::{
    compress,
    inputs::{KINDS, field},
    or_skip, some,
};
use cudarc::driver::{CudaContext, sys};
use fsz::{
    Bound, Codec, CompressOptions, DType, Dense, Error, Profile, Region, Stream,
    cuda::{Compression, DeviceCodec, DeviceMemory, DeviceStream},
};

/// The first device, and the turn of a test.
fn device() -> Option<(DeviceCodec, MutexGuard<'static, ()>)> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Some((or_skip("graphs", DeviceCodec::open(0))?, turn))
}

/// Makes the device's context current on this thread, as a program does.
fn current() {
    CudaContext::new(0).and_then(|context| context.bind_to_thread()).expect("a context");
}

const SHAPE: [u64; 3] = [67, 68, 67];
const ELEMENTS: usize = 67 * 68 * 67;

/// The profile `paper`, and `dense` like a stream of a smooth field.
fn captured() -> Vec<CompressOptions> {
    let relative = Bound::Relative { eps: 1e-3, floor: 0.0 };
    let bounds = [Bound::ValueRange(1e-3), Bound::Absolute(1e-2), relative];
    let like = |bound| {
        let options = CompressOptions::new(bound);
        let dense = options.clone().profile(Profile::Dense(Dense::new()));
        let smooth: Vec<f32> = field("smooth, noise", ELEMENTS, 11);
        let model = compress(&Codec::cpu(), &smooth, &SHAPE, &dense);
        options.like(&Stream::open(&model).expect("opens")).expect("its tables are sound")
    };
    bounds.into_iter().flat_map(|bound| [CompressOptions::new(bound), like(bound)]).collect()
}

#[test]
fn graphs_are_captured_once_and_replayed_on_other_values() {
    let Some((codec, _turn)) = device() else { return };
    for options in captured() {
        let (n, bound) = (ELEMENTS, options.bound());
        let compression = Compression::new(&SHAPE, DType::F32, &options).expect("valid");
        let most = compression.max_len() as usize;
        let mut input = DeviceMemory::new(0, 4 * n, 0).expect("allocates");
        let stream = DeviceMemory::new(0, most, 0xA5).expect("allocates");
        let output = DeviceMemory::new(0, 4 * n, 0xA5).expect("allocates");
        let scratch =
            DeviceMemory::new(0, compression.scratch_len() as usize, 0xA5).expect("allocates");
        let status =
            DeviceMemory::new(0, DeviceCodec::DECOMPRESS_SCRATCH, 0xA5).expect("allocates");
        let place = (stream.address(), most as u64);
        let (from, to) = (input.address(), output.address());
        let (control, told) = (scratch.address(), status.address());
        let calls = |queue| {
            // SAFETY: the memory was sized above and outlives the graph, and so does the compression.
            unsafe {
                codec.compress(&compression, from, place, control, queue).expect("enqueues");
                let kind = compression.kind();
                codec.decompress(kind, place, to, told, queue).expect("enqueues");
            }
        };
        // Kernels are loaded by their first call, and loading is no part of a graph.
        calls(null_mut());
        current();
        let graph = graph::Graph::capture(calls);
        for (seed, kind) in some(KINDS.iter().enumerate()) {
            let data: Vec<f32> = field(kind, n, seed as u64);
            input.write(0, &data).expect("writes");
            graph.replay();
            let expected = compress(&Codec::cpu(), &data, &SHAPE, &options);
            // SAFETY: the scratch memory is that of the graph's calls.
            let len = unsafe { codec.compressed_len(control, place.1, null_mut()) };
            assert_eq!(len.expect("compresses"), expected.len() as u64, "{kind} {bound:?}");
            // SAFETY: as above.
            unsafe { codec.outcome(told, null_mut()).expect("decompresses") };
            let mut bytes = vec![0; expected.len()];
            stream.read(0, &mut bytes).expect("reads");
            assert!(bytes == expected, "{kind} {bound:?}: the stream differs");
            let mut back = vec![0; 4 * n];
            let mut plain = vec![0f32; n];
            output.read(0, &mut back).expect("reads");
            let opened = Stream::open(&expected).expect("opens");
            Codec::cpu().decompress_into(&opened, &mut plain).expect("decompresses");
            let plain: Vec<u8> = plain.iter().flat_map(|d| d.to_le_bytes()).collect();
            assert!(back == plain, "{kind} {bound:?}: the field differs");
        }
    }
}

#[test]
fn a_compression_that_waits_is_not_captured() {
    let Some((codec, _turn)) = device() else { return };
    let region = Region::in_box(&[100], &[500], Bound::Absolute(1e-4));
    let paper = CompressOptions::new(Bound::Absolute(0.1));
    let dense = paper.clone().profile(Profile::Dense(Dense::new()));
    let smooth: Vec<f32> = field("smooth", 1000, 12);
    let model = compress(&Codec::cpu(), &smooth, &[1000], &dense);
    // The first call of one that is like another brings its tables to the device.
    let like = paper.clone().like(&Stream::open(&model).expect("opens")).expect("sound");
    for (what, options) in [("region", paper.region(region)), ("dense", dense), ("like", like)] {
        let compression = Compression::new(&[1000], DType::F32, &options).expect("valid");
        let memory = |len| DeviceMemory::new(0, len, 0).expect("allocates");
        let (field, stream) = (memory(4000), memory(compression.max_len() as usize));
        let scratch = memory(compression.scratch_len() as usize);
        let place = (stream.address(), stream.len() as u64);
        current();
        let call = |queue| {
            // SAFETY: the memory was sized above and outlives the call.
            unsafe {
                codec.compress(&compression, field.address(), place, scratch.address(), queue)
            }
        };
        let mut answer = Ok(());
        // The capture goes on, and ends.
        graph::Graph::capture(|queue| answer = call(queue)).replay();
        assert!(matches!(answer, Err(Error::Unsupported(_))), "{what}: {answer:?}");
        assert!(call(null_mut()).is_ok(), "{what}");
    }
}

#[test]
fn what_waits_for_regions_is_not_captured() {
    let Some((codec, _turn)) = device() else { return };
    let region = Region::in_box(&[100], &[500], Bound::Absolute(1e-4));
    let options = CompressOptions::new(Bound::Absolute(0.1)).region(region);
    let bytes = compress(&Codec::cpu(), &field::<f32>("smooth", 1000, 12), &[1000], &options);
    let stream = DeviceStream::upload(0, &Stream::open(&bytes).expect("opens")).expect("uploads");
    let out = DeviceMemory::new(0, 4000, 0).expect("allocates");
    let scratch = DeviceMemory::new(0, DeviceCodec::DECOMPRESS_SCRATCH, 0).expect("allocates");
    let (to, scratch) = (out.address(), scratch.address());
    current();
    let mut answer = Ok(());
    // SAFETY: the memory was sized above and outlives the calls.
    let call =
        |queue| unsafe { codec.decompress(stream.kind(), stream.place(), to, scratch, queue) };
    graph::Graph::capture(|queue| answer = call(queue)).replay();
    assert!(matches!(answer, Err(Error::Unsupported(_))), "{answer:?}");
    assert!(call(null_mut()).is_ok());
    // What meets no region does not wait.
    let beside = |queue| {
        let (kind, place) = (stream.kind(), stream.place());
        // SAFETY: as above.
        unsafe { codec.decompress_box(kind, place, &[700], &[300], to, scratch, queue) }
    };
    graph::Graph::capture(|queue| answer = beside(queue)).replay();
    assert!(answer.is_ok(), "{answer:?}");
    // SAFETY: as above.
    unsafe { codec.outcome(scratch, null_mut()).expect("decodes") };
}

/// As strict as a capture is by default: what another thread does must not end it.
#[test]
fn calls_on_other_threads_go_on_while_a_graph_is_captured() {
    let Some((codec, _turn)) = device() else { return };
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
    let shape = [ELEMENTS as u64];
    let data: Vec<f32> = field("smooth, noise", ELEMENTS, 3);
    // One of each profile.
    for options in captured().into_iter().take(2) {
        let expected = compress(&Codec::cpu(), &data, &shape, &options);
        let beside = || {
            let device = Codec::cuda(0).expect("opens");
            assert!(compress(&device, &data, &shape, &options) == expected);
            let stream = Stream::open(&expected).expect("opens");
            let mut back = vec![0f32; ELEMENTS];
            device.decompress_into(&stream, &mut back).expect("decompresses");
            let there = DeviceStream::upload(0, &stream).expect("uploads");
            there.decompress_into(&mut back).expect("decompresses");
        };
        let compression = Compression::new(&shape, DType::F32, &options).expect("valid");
        let memory = |len| DeviceMemory::new(0, len, 0).expect("allocates");
        let (input, stream) = (memory(4 * ELEMENTS), memory(compression.max_len() as usize));
        let scratch = memory(compression.scratch_len() as usize);
        let place = (stream.address(), stream.len() as u64);
        let call = |queue| {
            let (from, scratch) = (input.address(), scratch.address());
            // SAFETY: the memory was sized above and outlives the graph.
            unsafe { codec.compress(&compression, from, place, scratch, queue) }
        };
        // A stream that the default one waits for: what uses that meanwhile is refused.
        current();
        let graph = graph::Graph::capture_in(mode, 0, |queue| {
            std::thread::scope(|scope| scope.spawn(beside).join().expect("goes on"));
            call(queue).expect("enqueues");
        });
        graph.replay();
    }
}
