//! Bounds by region on a CUDA device: the same bytes as the CPU, both ways. Runs as `cuda` does.
#![cfg(feature = "cuda")]

mod common;

use common::{
    compress, every,
    inputs::{KINDS, field},
    or_skip, some,
};
use fsz::{
    Bound, Codec, CompressOptions, Dense, Element, Error, Mask, Profile, Region, Result, Stream,
    cuda::{Compression, CudaStream, DeviceCodec, DeviceMemory, DeviceStream},
};

/// Small, for a driver that interprets the kernels, but of several chunks; so is the largest of the regions.
const SHAPE: [u64; 3] = [19, 36, 50];
const ELEMENTS: usize = 19 * 36 * 50;

fn device(what: &str) -> Option<Codec> {
    or_skip(what, Codec::cuda(0))
}

/// Boxes, one of them over the other, a mask of rows, and one of scattered elements.
fn options(bound: impl Fn(f64) -> Bound, profile: Profile) -> CompressOptions {
    let set = |holds: fn(u64) -> bool| -> Mask { (0..ELEMENTS as u64).map(holds).collect() };
    CompressOptions::new(bound(1e-2))
        .profile(profile)
        .missing(1e20)
        .name("T")
        .region(Region::in_box(&[3, 5, 7], &[14, 30, 42], bound(1e-4)))
        .region(Region::in_box(&[10, 0, 0], &[9, 20, 50], bound(0.1)))
        .region(Region::where_set(set(|i| i / 50 % 36 > 22 && i % 50 > 9), bound(1e-3)))
        .region(Region::where_set(set(|i| i * 7919 % 1009 < 9), bound(1e-5)))
}

fn codings() -> Vec<CompressOptions> {
    let bounds: [fn(f64) -> Bound; 3] =
        [Bound::Absolute, Bound::ValueRange, |eps| Bound::Relative { eps, floor: eps }];
    let profiles = [Profile::default(), Profile::Dense(Dense::new())];
    let of = |bound| profiles.map(|profile| options(bound, profile));
    // Of some, one of each profile.
    bounds.into_iter().flat_map(of).step_by(every().min(3)).collect()
}

/// What `decode` puts into device memory for `len` elements, given its address, that of scratch memory, and a queue.
fn on_device<T: Element>(
    codec: &DeviceCodec,
    len: usize,
    decode: impl FnOnce(u64, u64, CudaStream) -> Result<()>,
) -> Vec<u64> {
    let memory = |len| DeviceMemory::new(0, len, 0xA5).expect("allocates");
    let (out, scratch) = (memory(len * size_of::<T>()), memory(DeviceCodec::DECOMPRESS_SCRATCH));
    let queue = std::ptr::null_mut();
    decode(out.address(), scratch.address(), queue).expect("enqueues");
    // SAFETY: the scratch memory is that of the call, and the queue is the default one.
    unsafe { codec.outcome(scratch.address(), queue).expect("decodes") };
    let mut bytes = vec![0; out.len()];
    out.read(0, &mut bytes).expect("reads");
    let element = |bytes: &[u8]| match bytes {
        &[a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        bytes => u64::from_le_bytes(bytes.try_into().expect("of 8 bytes")),
    };
    bytes.chunks(size_of::<T>()).map(element).collect()
}

fn bits<T: Element>(values: &[T]) -> Vec<u64> {
    values.iter().map(|d| d.to_bits64()).collect()
}

fn both_ways<T: Element>(device: &Codec, kind: &str, options: &CompressOptions) {
    let what = format!("{kind} {} {options:?}", T::DTYPE);
    let (n, cpu) = (ELEMENTS, Codec::cpu());
    let data = field::<T>(kind, n, 5);
    let bytes = compress(&cpu, &data, &SHAPE, options);
    assert!(compress(device, &data, &SHAPE, options) == bytes, "{what}: the bytes differ");
    let mut memory = DeviceMemory::new(0, size_of::<T>() * n, 0).expect("allocates");
    memory.write(0, &data).expect("writes");
    let compression = Compression::new(&SHAPE, T::DTYPE, options).expect("valid");
    let mut out = vec![0xA5; compression.max_len() as usize];
    // SAFETY: the memory holds the field.
    let made = unsafe {
        let codec = device.device(0).expect("opens");
        codec.compress_to_host(&compression, memory.address(), &mut out).expect("compresses")
    };
    assert!(out[..made.len] == bytes, "{what}: the bytes differ from device memory");
    let stream = Stream::open(&bytes).expect("opens");
    assert!(stream.regions().len() == 4, "{what}");
    let there = DeviceStream::upload(0, &stream).expect("uploads");
    let (codec, kind, place) = (there.codec(), there.kind(), there.place());

    let zero = T::from_f64(0.0);
    let (mut expected, mut found) = (vec![zero; n], vec![zero; n]);
    cpu.decompress_into(&stream, &mut expected).expect("decodes");
    device.decompress_into(&stream, &mut found).expect("decodes");
    assert!(bits(&found) == bits(&expected), "{what}: the field");
    found.fill(zero);
    there.decompress_into(&mut found).expect("decodes");
    assert!(bits(&found) == bits(&expected), "{what}: the field from device memory");
    // SAFETY: the memory has the room, and the outcome is waited for.
    let found = on_device::<T>(&codec, n, |to, scratch, queue| unsafe {
        codec.decompress(kind, place, to, scratch, queue)
    });
    assert!(found == bits(&expected), "{what}: the field in device memory");
    for (start, count) in [
        ([11, 0, 0], [1, 36, 50]),
        ([0, 12, 0], [19, 1, 50]),
        ([0, 0, 30], [19, 36, 1]),
        ([2, 4, 6], [12, 22, 30]),
    ] {
        let len = count.iter().product::<u64>() as usize;
        let (mut expected, mut found) = (vec![zero; len], vec![zero; len]);
        cpu.decompress_box_into(&stream, &start, &count, &mut expected).expect("decodes");
        device.decompress_box_into(&stream, &start, &count, &mut found).expect("decodes");
        assert!(bits(&found) == bits(&expected), "{what}: {count:?} from {start:?}");
        found.fill(zero);
        there.decompress_box_into(&start, &count, &mut found).expect("decodes");
        assert!(bits(&found) == bits(&expected), "{what}: {count:?} from device memory");
        // SAFETY: as above.
        let found = on_device::<T>(&codec, len, |to, scratch, queue| unsafe {
            codec.decompress_box(kind, place, &start, &count, to, scratch, queue)
        });
        assert!(found == bits(&expected), "{what}: {count:?} in device memory");
    }
    let tiles = 1..stream.grid().tiles() - 1;
    let len = stream.grid().len_of(tiles.clone()) as usize;
    let (mut expected, mut found) = (vec![zero; len], vec![zero; len]);
    cpu.decompress_tiles_into(&stream, tiles.clone(), &mut expected).expect("decodes");
    device.decompress_tiles_into(&stream, tiles.clone(), &mut found).expect("decodes");
    assert!(bits(&found) == bits(&expected), "{what}: tiles");
    found.fill(zero);
    there.decompress_tiles_into(tiles.clone(), &mut found).expect("decodes");
    assert!(bits(&found) == bits(&expected), "{what}: tiles from device memory");
    // SAFETY: as above.
    let found = on_device::<T>(&codec, len, |to, scratch, queue| unsafe {
        codec.decompress_tiles(kind, place, tiles, to, scratch, queue)
    });
    assert!(found == bits(&expected), "{what}: tiles in device memory");
}

#[test]
fn regions_are_those_of_the_cpu() {
    let Some(device) = device("bounds by region on the device") else { return };
    let codings = codings();
    for (turn, options) in codings.iter().enumerate() {
        // Each kind of field with one of the codings.
        for kind in some(KINDS.into_iter().skip(turn).step_by(codings.len())) {
            both_ways::<f32>(&device, kind, options);
        }
        both_ways::<f64>(&device, KINDS[turn], options);
    }
}

#[test]
fn damage_in_a_region_is_told() {
    let Some(device) = device("damaged regions on the device") else { return };
    for options in codings() {
        let mut bytes =
            compress(&Codec::cpu(), &field::<f32>(KINDS[0], ELEMENTS, 1), &SHAPE, &options);
        let (stream, mut out) = (Stream::open(&bytes).expect("opens"), vec![0f32; ELEMENTS]);
        // The last payload byte of the last region, whose stream is made right but for that.
        let last = stream.sections().regions.end as usize - 1;
        bytes[last] ^= 1;
        common::seal::seal_metadata(&mut bytes);
        let damaged = Stream::open(&bytes).expect("opens");
        for answer in [
            Codec::cpu().decompress_into(&damaged, &mut out),
            device.decompress_into(&damaged, &mut out),
            DeviceStream::upload(0, &damaged).and_then(|there| there.decompress_into(&mut out)),
        ] {
            assert!(matches!(answer, Err(Error::Corrupt(_))), "{answer:?}");
        }
    }
}

#[test]
fn large_outputs_come_in_pieces() {
    let Some(device) = device("regions of a large output on the device") else { return };
    let (n, cpu) = (500_003, Codec::cpu());
    let region = Region::in_box(&[1000], &[50_000], Bound::Absolute(1e-5));
    let options = CompressOptions::new(Bound::Absolute(1e-2)).region(region);
    let bytes = compress(&cpu, &field::<f32>(KINDS[0], n, 2), &[n as u64], &options);
    let stream = Stream::open(&bytes).expect("opens");
    let (mut expected, mut found) = (vec![0f32; n], vec![0f32; n]);
    cpu.decompress_into(&stream, &mut expected).expect("decodes");
    device.decompress_into(&stream, &mut found).expect("decodes");
    assert!(bits(&found) == bits(&expected));
    let there = DeviceMemory::new(0, 4 * n, 0xA5).expect("allocates");
    let codec = device.device(0).expect("opens");
    // SAFETY: the memory has the room for the field.
    unsafe { codec.decompress_from_host(&stream, there.address()).expect("decodes") };
    let mut bytes = vec![0; there.len()];
    there.read(0, &mut bytes).expect("reads");
    assert!(bytes.chunks(4).zip(&expected).all(|(b, d)| b == d.to_le_bytes()), "in device memory");
    let tiles = 1..stream.grid().tiles() - 1;
    let len = stream.grid().len_of(tiles.clone()) as usize;
    cpu.decompress_tiles_into(&stream, tiles.clone(), &mut expected[..len]).expect("decodes");
    device.decompress_tiles_into(&stream, tiles, &mut found[..len]).expect("decodes");
    assert!(bits(&found) == bits(&expected), "tiles");
}
