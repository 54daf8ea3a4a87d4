//! Fields and streams in device memory: addresses of any alignment, no byte outside, chained calls, the
//! same bytes on every run, and fields beyond 32 bits. Runs as `cuda` does.
#![cfg(feature = "cuda")]

mod common;
#[path = "common/fenced.rs"]
mod fenced;
#[path = "common/guarded.rs"]
mod guarded;

use std::{
    ptr::null_mut,
    sync::atomic::{AtomicBool, Ordering},
};

use common::{
    compress, every,
    inputs::{KINDS, field},
    or_skip, pairs,
    seal::seal_metadata,
    some,
};
use cudarc::driver::sys;
use fsz::{
    Bound, Codec, CompressOptions, Dense, Element, Error, Profile, Scalar, Stream,
    cuda::{Compression, DeviceCodec, DeviceMemory, StreamKind, internal},
};
use guarded::Guarded;

fn device(what: &str) -> Option<DeviceCodec> {
    or_skip(what, DeviceCodec::open(0))
}

/// Profiles with bounds.
fn codings() -> [(Profile, Bound); 6] {
    let (paper, dense) = (Profile::default(), Profile::Dense(Dense::new()));
    [
        (paper, Bound::ValueRange(1e-3)),
        (dense, Bound::ValueRange(1e-3)),
        (paper, Bound::Relative { eps: 1e-3, floor: 0.0 }),
        (paper, Bound::Relative { eps: 1e-2, floor: 0.05 }),
        (dense, Bound::Relative { eps: 1e-3, floor: 0.0 }),
        (dense, Bound::Relative { eps: 1e-2, floor: 0.05 }),
    ]
}

/// Compresses and decompresses on the device without the host in between.
fn there_and_back<T: Element>(
    codec: &DeviceCodec,
    what: &str,
    data: &[T],
    options: &CompressOptions,
    offset: usize,
) {
    let shape = [data.len() as u64];
    let expected = compress(&Codec::cpu(), data, &shape, options);
    let kind = StreamKind::of(&Stream::open(&expected).expect("opens")).expect("known");
    let compression = Compression::new(&shape, T::DTYPE, options).expect("valid");
    let mut input = Guarded::new(size_of_val(data), offset);
    input.memory.write(input.at, data).expect("writes");
    // Exactly as long as the stream, and begun anew.
    let stream = Guarded::new(expected.len(), 0);
    // Scratch memory begins at any multiple of 8.
    let aside = if offset > 0 { 8 } else { 0 };
    let scratch = Guarded::new(compression.scratch_len() as usize, aside);
    let output = Guarded::new(size_of_val(data), offset);
    let status = Guarded::new(DeviceCodec::DECOMPRESS_SCRATCH, aside);
    let place = (stream.address(), stream.len as u64);
    // SAFETY: all memory is that of `Guarded`s, which live to the end of this function, and is sized as
    // the calls ask.
    unsafe {
        codec
            .compress(&compression, input.address(), place, scratch.address(), null_mut())
            .expect("launches");
        codec
            .decompress(&kind, place, output.address(), status.address(), null_mut())
            .expect("launches");
        let len = codec.compressed_len(scratch.address(), place.1, null_mut());
        assert_eq!(len.expect("compresses"), expected.len() as u64, "{what}");
        codec.outcome(status.address(), null_mut()).expect("decompresses");
    }
    assert!(stream.bytes(what) == expected, "{what}: the stream differs");
    scratch.bytes(what);
    status.bytes(what);
    let field = Stream::open(&expected).expect("opens");
    let mut back = vec![T::from_f64(0.0); data.len()];
    Codec::cpu().decompress_into(&field, &mut back).expect("decompresses");
    let bytes: Vec<u8> =
        back.iter().flat_map(|d| d.to_bits64().to_le_bytes()[..T::DTYPE.size()].to_vec()).collect();
    assert!(output.bytes(what) == bytes, "{what}: the field differs");
}

#[test]
fn any_alignment_and_no_byte_outside() {
    let Some(codec) = device("device addresses") else { return };
    let sizes = pairs(&KINDS, &[1, 31, 256, 1000, 1024, 16_384, 40_000]);
    let cases = pairs(&pairs(&sizes, &codings()), &[0, 1, 3, 4, 64]);
    for (((kind, n), (profile, bound)), offset) in some(cases) {
        let options = CompressOptions::new(bound).missing(1e20).profile(profile);
        let (f, d) = (field::<f32>(kind, n, 4), field::<f64>(kind, n, 4));
        let what = format!("{kind}, {n} elements, {offset} elements off");
        there_and_back(&codec, &what, &f, &options, 4 * offset);
        there_and_back(&codec, &what, &d, &options, 8 * offset);
    }
}

/// Fields and scratch memory that calls before in the same stream have just written, with kernels that begin before the
/// one that they depend on has ended.
#[test]
fn calls_chain_in_a_stream_of_the_callers() {
    let Some(codec) = device("chained calls") else { return };
    let n = 90_001;
    let (shape, bytes) = ([n as u64], 4 * n);
    let relative = Bound::Relative { eps: 1e-3, floor: 0.0 };
    let given = Bound::ValueRangeOf { ratio: 1e-3, min: -4.0, max: 5.0 };
    let _current = internal::enter(&codec).expect("enters");
    let mut queue = null_mut();
    // SAFETY: the driver fills in the handle, which is destroyed below.
    let made = unsafe { sys::cuStreamCreate(&mut queue, 1) };
    assert_eq!(made, sys::CUresult::CUDA_SUCCESS);
    for bound in [Bound::ValueRange(1e-3), Bound::Absolute(1e-2), given, relative] {
        let options = CompressOptions::new(bound);
        let compression = Compression::new(&shape, f32::DTYPE, &options).expect("valid");
        let most = compression.max_len() as usize;
        let memory = |len: usize| DeviceMemory::new(0, len, 0xA5).expect("allocates");
        let (mut from, back) = (memory(bytes), memory(bytes));
        let streams = [memory(most), memory(most)];
        let scratch =
            [memory(compression.scratch_len() as usize), memory(DeviceCodec::DECOMPRESS_SCRATCH)];
        let data: Vec<f32> = field("smooth, noise", n, 5);
        from.write(0, &data).expect("writes");
        let [first, second] = streams.each_ref().map(|stream| (stream.address(), most as u64));
        let [control, told] = scratch.each_ref().map(DeviceMemory::address);
        // SAFETY: the memory is sized as the calls ask, and lives until the stream was waited for.
        let len = unsafe {
            let (kind, queue) = (compression.kind(), queue.cast());
            codec.compress(&compression, from.address(), first, control, queue).expect("enqueues");
            codec.decompress(kind, first, back.address(), told, queue).expect("enqueues");
            codec.compress(&compression, back.address(), second, control, queue).expect("enqueues");
            codec.compressed_len(control, second.1, queue).expect("compresses")
        };
        let once = compress(&Codec::cpu(), &data, &shape, &options);
        let mut plain = vec![0f32; n];
        let opened = Stream::open(&once).expect("opens");
        Codec::cpu().decompress_into(&opened, &mut plain).expect("decompresses");
        let twice = compress(&Codec::cpu(), &plain, &shape, &options);
        assert_eq!(len, twice.len() as u64, "{bound:?}");
        for (stream, expected) in streams.iter().zip([once, twice]) {
            let mut bytes = vec![0; expected.len()];
            stream.read(0, &mut bytes).expect("reads");
            assert!(bytes == expected, "{bound:?}: the stream differs");
        }
    }
    // SAFETY: made above, and waited for.
    let ended = unsafe { sys::cuStreamDestroy_v2(queue) };
    assert_eq!(ended, sys::CUresult::CUDA_SUCCESS);
}

/// A flipped bit in device memory is found wherever it is, and the message names the part.
#[test]
fn damage_is_named_by_its_part() {
    let Some(codec) = device("damaged streams in device memory") else { return };
    let kinds = KINDS.into_iter().zip(codings().into_iter().skip(2).cycle());
    let cases = kinds.flat_map(|(kind, (_, bound))| [(kind, bound), (kind, codings()[0].1)]);
    for (kind, bound) in some(cases) {
        let options = CompressOptions::new(bound).missing(1e20);
        let data = field::<f32>(kind, 40_000, 4);
        let shape = [data.len() as u64];
        let stream = compress(&Codec::cpu(), &data, &shape, &options);
        let described = StreamKind::new(&shape, f32::DTYPE, &options).expect("valid");
        let header = u16::from_le_bytes([stream[10], stream[11]]) as usize;
        let payload_len = stream[64..72].first_chunk().map(|b| u64::from_le_bytes(*b));
        let payload = stream.len() - payload_len.expect("a header") as usize;
        let memory = |len: usize| DeviceMemory::new(0, len, 0).expect("allocates");
        let mut bytes = memory(stream.len());
        let (out, scratch) = (memory(4 * data.len()), memory(DeviceCodec::DECOMPRESS_SCRATCH));
        for at in some((0..payload).chain((payload..stream.len()).step_by(97))) {
            let mut damaged = stream.clone();
            damaged[at] ^= 1 << (at % 8);
            let words = damaged.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word));
            bytes.write(0, &words.collect::<Vec<f32>>()).expect("writes");
            let place = (bytes.address(), stream.len() as u64);
            // SAFETY: the memory is of this device, as long as the calls ask, and lives on.
            let outcome = unsafe {
                codec
                    .decompress(&described, place, out.address(), scratch.address(), null_mut())
                    .expect("launches");
                codec.outcome(scratch.address(), null_mut())
            };
            let message = outcome.err().map(|why| why.to_string()).unwrap_or_default();
            let part = match at {
                at if at < header => "header",
                at if at < payload => "rates and index",
                _ => "chunk",
            };
            assert!(message.contains(part), "{kind}: byte {at}, a part of {part}: {message:?}");
        }
    }
}

/// A header as long as that of the stream described, of another kind of bound, is found out.
#[test]
fn a_stream_of_another_bound_is_refused() {
    let Some(codec) = device("another bound") else { return };
    let data = field::<f32>("smooth, noise", 64, 4);
    let shape = [2; 6];
    let ranged = CompressOptions::new(Bound::Absolute(1e-3)).start(&[3; 6]);
    let relative = CompressOptions::new(Bound::Relative { eps: 1e-3, floor: 0.0 });
    let missing = relative.clone().missing(1.0);
    let line = [64];
    let cases: [(&[u64], _, &[u64], _); 3] = [
        (&shape, ranged.clone(), &shape, relative.clone()),
        (&line, missing, &line, relative.clone()),
        (&shape, relative, &shape, ranged),
    ];
    let profiles = [Profile::default(), Profile::Dense(Dense::new())];
    for (profile, (shape, written, of, described)) in
        profiles.into_iter().flat_map(|profile| cases.clone().map(|case| (profile, case)))
    {
        let written = written.profile(profile);
        let described = described.profile(profile);
        let stream = compress(&Codec::cpu(), &data, shape, &written);
        let other = compress(&Codec::cpu(), &data, of, &described);
        assert_eq!(stream[10..12], other[10..12], "headers of the same length");
        let kind = StreamKind::of(&Stream::open(&other).expect("opens")).expect("known");
        let outcome = outcome_of(&codec, &kind, &stream, data.len());
        assert!(matches!(outcome, Err(Error::Corrupt(_))), "{profile:?}: {outcome:?}");
    }
}

/// What decoding bytes in device memory comes to that are described as a stream of this kind, of `f32`.
fn outcome_of(
    codec: &DeviceCodec,
    kind: &StreamKind,
    stream: &[u8],
    elements: usize,
) -> Result<(), Error> {
    let memory = |len: usize| DeviceMemory::new(0, len, 0).expect("allocates");
    let mut bytes = memory(stream.len().next_multiple_of(4));
    let (out, scratch) = (memory(4 * elements), memory(DeviceCodec::DECOMPRESS_SCRATCH));
    let words = stream.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word));
    bytes.write(0, &words.collect::<Vec<f32>>()).expect("writes");
    let place = (bytes.address(), stream.len() as u64);
    // SAFETY: the memory is of this device, as long as the calls ask, and lives on.
    unsafe {
        codec
            .decompress(kind, place, out.address(), scratch.address(), null_mut())
            .expect("launches");
        codec.outcome(scratch.address(), null_mut())
    }
}

/// Points between codes whose distances are not whole numbers are found out on the device, too.
#[test]
fn a_stream_without_room_between_its_codes_is_refused() {
    let Some(codec) = device("points between codes") else { return };
    let data = field::<f32>("smooth, noise", 9000, 4);
    let shape = [9000];
    let options = CompressOptions::new(Bound::Relative { eps: 1e-2, floor: 0.05 })
        .profile(Profile::Dense(Dense::new()));
    let mut stream = compress(&Codec::cpu(), &data, &shape, &options);
    let (kind, stride) = {
        let stream = Stream::open(&stream).expect("opens");
        let stride = stream.header().relative.expect("is relative").stride;
        (StreamKind::of(&stream).expect("known"), stride)
    };
    outcome_of(&codec, &kind, &stream, 9000).expect("decodes");
    let header = u16::from_le_bytes([stream[10], stream[11]]) as usize;
    let at = (0..header).step_by(8).find(|&at| stream[at..at + 8] == stride.to_le_bytes());
    stream[at.expect("the header has it")] += 1;
    seal_metadata(&mut stream);
    assert!(Stream::open(&stream).is_err(), "the CPU refuses it");
    let outcome = outcome_of(&codec, &kind, &stream, 9000);
    assert!(matches!(outcome, Err(Error::Corrupt(_))), "{outcome:?}");
}

/// With unmapped pages beside every buffer no kernel touches a byte of another page.
#[test]
fn nothing_beyond_a_fence_is_touched() {
    use fenced::{Fenced, Side};
    let Some(codec) = device("fences") else { return };
    let sizes = [1usize, 255, 1000, 16_384, 50_001];
    let fields = pairs(&pairs(&KINDS, &sizes), &[Side::First, Side::Last]);
    for (((kind, n), side), (profile, bound)) in some(pairs(&fields, &codings())) {
        let what = format!("{kind}, {n} elements, {side:?}");
        // The end of the field is the end of the page only for whole pieces of 16 bytes.
        let n = if side == Side::Last { n.next_multiple_of(4) } else { n };
        let data = field::<f32>(kind, n, 4);
        let options = CompressOptions::new(bound).missing(1e20).profile(profile);
        let shape = [n as u64];
        let expected = compress(&Codec::cpu(), &data, &shape, &options);
        let kind = StreamKind::of(&Stream::open(&expected).expect("opens")).expect("known");
        let compression = Compression::new(&shape, f32::DTYPE, &options).expect("valid");
        let bytes: Vec<u8> = data.iter().flat_map(|d| d.to_le_bytes()).collect();
        let input = Fenced::new(bytes.len(), side);
        input.write(&bytes);
        let stream = Fenced::new(expected.len(), side);
        let scratch = Fenced::new((compression.scratch_len() as usize).next_multiple_of(256), side);
        let output = Fenced::new(bytes.len(), side);
        let status = Fenced::new(DeviceCodec::DECOMPRESS_SCRATCH.next_multiple_of(256), side);
        let place = (stream.address, stream.len as u64);
        // SAFETY: the memory lives to the end of the loop's body and is sized as the calls ask.
        unsafe {
            codec
                .compress(&compression, input.address, place, scratch.address, null_mut())
                .expect("launches");
            codec
                .decompress(&kind, place, output.address, status.address, null_mut())
                .expect("launches");
            let len = codec.compressed_len(scratch.address, place.1, null_mut());
            assert_eq!(len.expect("compresses"), expected.len() as u64, "{what}");
            codec.outcome(status.address, null_mut()).expect("decompresses");
        }
        assert!(stream.read() == expected, "{what}: the stream differs");
        let field = Stream::open(&expected).expect("opens");
        let mut back = vec![0f32; n];
        Codec::cpu().decompress_into(&field, &mut back).expect("decompresses");
        let back: Vec<u8> = back.iter().flat_map(|d| d.to_le_bytes()).collect();
        assert!(output.read() == back, "{what}: the field differs");
    }
}

#[test]
fn misuse_is_refused_with_a_reason() {
    let Some(codec) = device("misuse") else { return };
    let options = CompressOptions::new(Bound::Absolute(0.1));
    let compression = Compression::new(&[1000], fsz::DType::F32, &options).expect("valid");
    let memory = Guarded::new(8192, 0);
    let at = memory.address();
    // SAFETY: the calls are refused before they touch memory, or have what they ask for.
    unsafe {
        for (field, stream, scratch, reason) in [
            (at + 2, at, at, "a field in device memory begins at a multiple of 4 bytes"),
            (at, at, at + 4, "scratch memory begins at a multiple of 8 bytes"),
            (at, at + 8, at, "a stream in device memory begins at a multiple of 16 bytes"),
        ] {
            let place = (stream, 4096);
            let misaligned = codec.compress(&compression, field, place, scratch, null_mut());
            let misaligned = misaligned.expect_err(reason);
            assert!(matches!(misaligned, Error::InvalidArgument(_)), "{misaligned}");
            assert!(misaligned.to_string().contains(reason), "{misaligned}");
        }
        let small = codec.compress(&compression, at, (at, 100), at, null_mut());
        assert!(matches!(small, Err(Error::InvalidArgument(_))));
        let small = codec.decompress(compression.kind(), (at, 100), at, at, null_mut());
        assert!(matches!(small, Err(Error::Truncated { .. })));
        // Memory that holds no stream at all.
        let out = Guarded::new(4000, 0);
        let kind: &StreamKind = compression.kind();
        let status = Guarded::new(DeviceCodec::DECOMPRESS_SCRATCH, 0);
        let scratch = status.address();
        codec.decompress(kind, (at, 8192), out.address(), scratch, null_mut()).expect("launches");
        let outcome = codec.outcome(scratch, null_mut());
        assert!(matches!(outcome, Err(Error::Corrupt(_))), "{outcome:?}");
        // What is not known before the stream is written.
        let dense = options.clone().profile(Profile::Dense(Dense::new()));
        let dense = Compression::new(&[1000], fsz::DType::F32, &dense).expect("valid");
        let to = out.address();
        let tiles = codec.decompress_tiles(dense.kind(), (at, 8192), 0..1, to, scratch, null_mut());
        assert!(matches!(tiles, Err(Error::Unsupported(_))), "{tiles:?}");
    }
}

#[test]
fn fields_beyond_what_kernels_count_are_refused() {
    let bounds = [Bound::Absolute(0.1), Bound::Relative { eps: 1e-3, floor: 0.0 }];
    for bound in bounds {
        let options = CompressOptions::new(bound).profile(Profile::Dense(Dense::new()));
        for elements in [1 << 39, 1 << 52, 1 << 60] {
            let answer = Compression::new(&[elements], fsz::DType::F32, &options).map(drop);
            assert!(matches!(answer, Err(Error::Unsupported(_))), "{elements}: {answer:?}");
        }
        let answer = Compression::new(&[1 << 34], fsz::DType::F32, &options);
        assert!(answer.is_ok_and(|compression| compression.scratch_len() < 1 << 40));
    }
}

#[test]
fn a_thousand_runs_are_the_same_under_load() {
    let Some(codec) = device("a thousand runs") else { return };
    let relative = Bound::Relative { eps: 1e-3, floor: 0.0 };
    for bound in [Bound::ValueRange(1e-3), Bound::Absolute(1e-2), relative] {
        many_runs(&codec, bound);
    }
}

fn many_runs(codec: &DeviceCodec, bound: Bound) {
    let n = 700_001 / every();
    let data: Vec<f32> = field("ragged land", n / 2, 3);
    let data: Vec<f32> = data.into_iter().chain(field("smooth, noise", n - n / 2, 3)).collect();
    let options = CompressOptions::new(bound);
    let expected = compress(&Codec::cpu(), &data, &[n as u64], &options);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let load = scope.spawn(|| {
            let codec = Codec::cuda(0).expect("opens");
            let n = 3_000_000 / every();
            let noise = field::<f64>("noise", n, 1);
            let mut rounds = 0;
            while !stop.load(Ordering::Relaxed) {
                compress(
                    &codec,
                    &noise,
                    &[n as u64],
                    &CompressOptions::new(Bound::ValueRange(1e-4)),
                );
                rounds += 1;
            }
            rounds
        });
        let compression = Compression::new(&[n as u64], fsz::DType::F32, &options).expect("valid");
        let mut input = Guarded::new(4 * n, 0);
        input.memory.write(input.at, &data).expect("writes");
        let stream = Guarded::new(expected.len(), 0);
        let scratch = Guarded::new(compression.scratch_len() as usize, 0);
        let output = Guarded::new(4 * n, 0);
        let status = Guarded::new(DeviceCodec::DECOMPRESS_SCRATCH, 0);
        let mut first = None;
        for round in some(0..1000) {
            let place = (stream.address(), stream.len as u64);
            // SAFETY: as in `there_and_back`.
            unsafe {
                codec
                    .compress(&compression, input.address(), place, scratch.address(), null_mut())
                    .expect("launches");
                codec
                    .decompress(
                        compression.kind(),
                        place,
                        output.address(),
                        status.address(),
                        null_mut(),
                    )
                    .expect("launches");
                codec.outcome(status.address(), null_mut()).expect("decompresses");
            }
            assert!(stream.bytes("run") == expected, "round {round}: the stream differs");
            let field = output.bytes("run");
            assert!(*first.get_or_insert_with(|| field.clone()) == field, "round {round}");
        }
        stop.store(true, Ordering::Relaxed);
        println!("{} compressions beside", load.join().expect("the load runs"));
    });
}

#[test]
#[ignore = "needs 40 GB of memory on the host and 20 on the device"]
fn beyond_32_bits() {
    let Some(_) = device("beyond 32 bits") else { return };
    let n = (1usize << 31) + 16_384 + 77;
    let data: Vec<f32> = common::inputs::field("noise", n, 1);
    // Tight, so that payload and stream pass 2^32 bytes.
    let options = CompressOptions::new(Bound::ValueRange(1e-5));
    let shape = [n as u64];
    let codec = Codec::cuda(0).expect("opens");
    let expected = compress(&Codec::cpu(), &data, &shape, &options);
    assert!(expected.len() > 1 << 32, "{} bytes", expected.len());
    assert!(compress(&codec, &data, &shape, &options) == expected);
    let stream = Stream::open(&expected).expect("opens");
    let mut back = vec![0f32; n];
    codec.decompress_into(&stream, &mut back).expect("decompresses");
    let mut plain = data;
    Codec::cpu().decompress_into(&stream, &mut plain).expect("decompresses");
    assert!(back.iter().zip(&plain).all(|(a, b)| a.to_bits() == b.to_bits()));
}
