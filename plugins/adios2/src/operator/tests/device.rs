//! Blocks in CUDA memory. Without a device each test says loudly that it proves nothing.

mod current;
mod memory;
mod order;

use std::{
    env,
    process::Command,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use fsz::cuda::{CudaMemory, DeviceMemory, MemoryKind};

use super::{
    choices::{CHANGED, COUNT, named, wave},
    *,
};
use crate::{device, read_to_device, sink::Payload};

/// One test at a time, so that none waits for another's work.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Device memory with these values, or None and a line where no device answers (a failure with
/// FSZ_REQUIRE_CUDA).
fn on_device<T: Element>(test: &str, values: &[T]) -> Option<DeviceMemory> {
    match DeviceMemory::new(0, size_of_val(values).max(1), 0) {
        Ok(mut memory) => {
            memory.write(0, values).unwrap();
            Some(memory)
        }
        Err(reason) => {
            assert!(env::var_os("FSZ_REQUIRE_CUDA").is_none(), "{test}: {reason}");
            eprintln!("SKIPPED: {test}: {reason}");
            None
        }
    }
}

fn device_block(memory: &DeviceMemory, count: &[u64]) -> Block<'static> {
    block_at(memory.address(), DType::F32, count)
}

/// The block of these elements at an address of any kind of memory.
fn block_at(address: u64, dtype: DType, count: &[u64]) -> Block<'static> {
    let data = std::ptr::with_exposed_provenance(address as usize);
    Block { data, dtype, ..block(&[], count) }
}

/// The stream that the block's device itself makes, without the operator's ways out.
fn stream_of_the_device(operator: &Operator, block: &Block<'_>) -> Result<Vec<u8>, String> {
    let memory = CudaMemory::at(block.data).map_err(text)?.ok_or("plain host memory")?;
    memory.synchronize().map_err(text)?;
    let (shape, start) = block.stream_shape();
    let options = operator.options(block, start)?;
    let most = options.max_compressed_len(&shape, block.dtype).map_err(text)?;
    let mut out = vec![0; most as usize];
    // SAFETY: the tests' memory holds the field, and its work was waited for.
    let made = unsafe {
        device::compress(&operator.codec()?, &memory, block.dtype, &shape, &options, &mut out)
    };
    let made = made.map_err(text)?;
    assert!(!made.kernels.is_zero() && !made.copy.is_zero());
    out.truncate(made.len);
    Ok(out)
}

#[test]
fn a_device_gives_the_bytes_of_the_cpu() {
    let _alone = alone();
    let values: Vec<f32> = (0..300_000).map(|i| (i as f32 * 0.01).sin()).collect();
    let Some(memory) = on_device("a_device_gives_the_bytes_of_the_cpu", &values) else { return };
    let found = CudaMemory::at(device_block(&memory, &[1]).data).unwrap().unwrap();
    assert_eq!((found.kind(), found.device()), (MemoryKind::Device, 0));
    for backend in ["auto", "cuda", "cpu"] {
        for parameters in [
            vec![("accuracy", "1e-3"), ("backend", backend)],
            vec![("accuracy", "1e-3"), ("mode", "rel"), ("backend", backend)],
        ] {
            let operator = writer(&parameters);
            for count in [vec![300_000], vec![300, 1000], vec![20, 150, 100]] {
                for ask in [true, false] {
                    let host = write(&operator, block(&values, &count), ask);
                    let device = write(&operator, device_block(&memory, &count), ask);
                    assert_eq!(host, device, "{backend} {count:?}");
                    let opened = envelope::open(&device).unwrap();
                    assert_eq!(opened.mode, Mode::Stream);
                }
            }
        }
    }
}

#[test]
fn a_device_gives_parts_with_bounds_of_their_own() {
    let _alone = alone();
    let values = smooth();
    let Some(memory) = on_device("a_device_gives_parts_with_bounds_of_their_own", &values) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = format!("{}=1e-5", mask(&folder, |row, column| row < 60 && column % 5 < 2));
    let own = [("bound_in", "20:80,10:90=1e-4; 40:60,:=1e-3"), ("bound_where", path.as_str())];
    for profile in ["paper", "dense"] {
        for bound in
            [[("accuracy", "0.1"), ("mode", "abs")], [("accuracy", "0.1"), ("mode", "rel")]]
        {
            let parameters = [&bound[..], &own, &[("profile", profile)]].concat();
            let operator = Operator::new(parameters, true).unwrap();
            let at = |mut block: Block<'static>| {
                block.start = Some(vec![30, 0]);
                block
            };
            let block_there = || at(device_block(&memory, &[50, 100]));
            let mut host = block(&values, &[50, 100]);
            host.start = Some(vec![30, 0]);
            let expected = write(&operator, host, true);
            assert!(write(&operator, block_there(), true) == expected, "{profile} {bound:?}");
            // Not by the way through the host.
            let made = stream_of_the_device(&operator, &block_there()).unwrap();
            let body = envelope::open(&expected).unwrap().body;
            assert!(made == body, "{profile} {bound:?}");
            assert_eq!(Stream::open(body).unwrap().regions().len(), 3);
        }
    }
}

#[test]
fn a_device_codes_steps_like_earlier_ones_as_the_cpu_does() {
    let _alone = alone();
    let Some(mut memory) =
        on_device("a_device_codes_steps_like_earlier_ones_as_the_cpu_does", &wave(0))
    else {
        return;
    };
    // Other parameters, so that what the CPU chose is not the device's.
    let (host, device) =
        (writer(&CHANGED), writer(&[&CHANGED[..], &[("backend", "cuda")]].concat()));
    for step in 0..4 {
        let values = wave(step);
        memory.write(0, &values).unwrap();
        let there = [device_block(&memory, &COUNT), block(&values, &COUNT)];
        for (name, own) in ["on the device", "from the host"].into_iter().zip(there) {
            let expected = write(&host, named(block(&values, &COUNT), name), true);
            assert!(write(&device, named(own, name), true) == expected, "{name}, step {step}");
        }
    }
}

/// Prints what a block in device memory takes where every step chooses, and where it does not.
#[test]
#[ignore = "prints a table of times; run it with --ignored --nocapture"]
fn time_of_a_step() {
    let _alone = alone();
    let field = |n: usize| -> Vec<f32> {
        let wave = |i: usize| [i / (n * n), i / n % n, i % n].map(|x| x as f32 * 0.03);
        (0..n * n * n).map(wave).map(|[z, y, x]| (x + y).sin() * (y * z).cos() + z.sin()).collect()
    };
    for side in [64, 128, 256, 512] {
        let values = field(side);
        let Some(memory) = on_device("time_of_a_step", &values) else { return };
        let count = [side as u64; 3];
        let time = |choose| {
            let operator = writer(&[CHANGED[0], CHANGED[1], ("choose", choose)]);
            let mut out = vec![0; operator.estimate(values.len(), 4, 3)];
            let mut step = || {
                let began = Instant::now();
                let block = device_block(&memory, &count);
                // SAFETY: the memory holds the field and `out` has the estimated room.
                unsafe { operator.write(block, out.as_mut_ptr(), out.len(), false) }.unwrap();
                began.elapsed().as_secs_f64() * 1e3
            };
            // Kernels are compiled, and two steps are alike.
            step();
            step();
            let mut times: Vec<f64> = (0..12).map(|_| step()).collect();
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        let bytes = size_of_val(&values[..]) >> 20;
        println!("{bytes} MiB: each {:.3} ms, changed {:.3} ms", time("each"), time("changed"));
    }
}

/// Streams of many pieces, which several threads copy.
#[test]
fn any_number_of_threads_copies_the_same_bytes() {
    let _alone = alone();
    let values = noise(6_000_000);
    let Some(memory) = on_device("any_number_of_threads_copies_the_same_bytes", &values) else {
        return;
    };
    let count = [6_000_000];
    let expected = write(&writer(&[("accuracy", "1e-6")]), block(&values, &count), true);
    assert!(expected.len() > 4 << 20);
    for backend in ["auto", "cuda"] {
        for threads in ["1", "2", "3", "16"] {
            let given = [("accuracy", "1e-6"), ("threads", threads), ("backend", backend)];
            let operator = writer(&given);
            // The second time the pinned memory of the first is used.
            for _ in 0..2 {
                let payload = write(&operator, device_block(&memory, &count), true);
                assert!(payload == expected, "{backend}, {threads} threads");
            }
            let host = write(&operator, block(&values, &count), true);
            assert!(host == expected, "{backend}, {threads} threads, host memory");
        }
    }
    let target = DeviceMemory::new(0, 24_000_000, 0).unwrap();
    let envelope = envelope::open(&expected).unwrap();
    let stream = Stream::open(envelope.body).unwrap();
    for threads in ["1", "3"] {
        let codec = writer(&[("accuracy", "1"), ("threads", threads)]).codec().unwrap();
        // SAFETY: the target has room for the values.
        unsafe { codec.device(0).unwrap().decompress_from_host(&stream, target.address()) }
            .unwrap();
        let mut bytes = vec![0; 24_000_000];
        target.read(0, &mut bytes).unwrap();
        let values: Vec<u8> =
            read(&expected, 6_000_000).iter().flat_map(|value| value.to_le_bytes()).collect();
        assert!(bytes == values, "{threads} threads");
    }
}

#[test]
fn without_a_bound_device_memory_is_stored_raw() {
    let _alone = alone();
    let values = smooth();
    let Some(memory) = on_device("without_a_bound_device_memory_is_stored_raw", &values) else {
        return;
    };
    let payload = write(&writer(&[]), device_block(&memory, &[5000]), true);
    assert_eq!(envelope::open(&payload).unwrap().mode, Mode::Raw);
    assert_eq!(read(&payload, 5000), values);
}

#[test]
fn noise_in_device_memory_without_an_estimate_is_stored_raw() {
    let _alone = alone();
    let values = noise(5000);
    let Some(memory) =
        on_device("noise_in_device_memory_without_an_estimate_is_stored_raw", &values)
    else {
        return;
    };
    let operator = writer(&[("accuracy", "1e-30")]);
    let payload = write(&operator, device_block(&memory, &[5000]), false);
    assert_eq!(envelope::open(&payload).unwrap().mode, Mode::Raw);
    assert_eq!(read(&payload, values.len()), values);
}

#[test]
fn a_payload_decodes_on_the_device() {
    let _alone = alone();
    let values = smooth();
    let Some(target) = on_device("a_payload_decodes_on_the_device", &vec![0.0; 5000]) else {
        return;
    };
    for parameters in [&[("accuracy", "1e-3")][..], &[]] {
        let payload = write(&writer(parameters), block(&values, &[5000]), true);
        let envelope = envelope::open(&payload).unwrap();
        let out = std::ptr::with_exposed_provenance_mut(target.address() as usize);
        let run = |capacity| {
            // SAFETY: the payload outlives the call and the target has the room.
            unsafe { read_to_device::run(&Payload::of(&envelope), out, capacity) }
        };
        assert!(run(19_999).unwrap_err().contains("room"));
        run(20_000).unwrap();
        let mut bytes = vec![0; 20_000];
        target.read(0, &mut bytes).unwrap();
        let expected: Vec<u8> = read(&payload, 5000).iter().flat_map(|v| v.to_le_bytes()).collect();
        assert!(bytes == expected);
    }
}

/// In a process of its own: one that has compressed on the device keeps the memory for that.
#[test]
fn a_full_device_leaves_the_work_to_the_cpu() {
    const FILL: &str = "operator::tests::device::fill_the_device";
    let _alone = alone();
    let mut filling = Command::new(env::current_exe().unwrap());
    filling.args(["--exact", FILL, "--ignored", "--nocapture"]);
    let done = filling.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stdout));
    assert!(String::from_utf8_lossy(&done.stdout).contains("1 passed"), "no test {FILL}");
    for skipped in said.lines().filter(|line| line.starts_with("SKIPPED: ")) {
        eprintln!("{skipped}");
    }
}

#[test]
#[ignore = "a_full_device_leaves_the_work_to_the_cpu runs it"]
fn fill_the_device() {
    let values: Vec<f32> = (0..4_000_000).map(|i| (i as f32 * 0.01).sin()).collect();
    let count = [4_000_000];
    let Some(memory) = on_device("a_full_device_leaves_the_work_to_the_cpu", &values) else {
        return;
    };
    let operator = writer(&[("accuracy", "1e-3")]);
    let expected = write(&operator, block(&values, &count), true);
    // Plain allocations until not even a mebibyte is left.
    let mut hoard = Vec::new();
    for shift in (20..38).rev() {
        while let Ok(taken) = DeviceMemory::new(0, 1 << shift, 0) {
            hoard.push(taken);
        }
    }
    let there = device_block(&memory, &count);
    let options = operator.options(&there, None).unwrap();
    let found = CudaMemory::at(there.data).unwrap().unwrap();
    let mut out = vec![0; 17_000_000];
    let codec = operator.codec().unwrap();
    // SAFETY: the memory holds the field.
    let refused =
        unsafe { device::compress(&codec, &found, DType::F32, &count, &options, &mut out) };
    let payload = write(&operator, there, true);
    drop(hoard);
    assert!(refused.unwrap_err().to_string().to_lowercase().contains("memory"));
    assert!(payload == expected);
}

#[test]
fn host_memory_is_no_target() {
    let _alone = alone();
    let values = smooth();
    let payload = write(&writer(&[("accuracy", "1e-3")]), block(&values, &[5000]), true);
    let envelope = envelope::open(&payload).unwrap();
    let mut out = vec![0f32; 5000];
    // SAFETY: the target has the room, were it one.
    let error =
        unsafe { read_to_device::run(&Payload::of(&envelope), out.as_mut_ptr().cast(), 20_000) };
    assert!(error.unwrap_err().contains("not device memory"));
    assert!(out.iter().all(|&value| value == 0.0));
}

#[test]
fn a_device_that_is_asked_for_and_missing_leaves_the_work_to_the_cpu() {
    let _alone = alone();
    let values = smooth();
    let operator = writer(&[("accuracy", "1e-3"), ("backend", "cuda"), ("device", "4000")]);
    let payload = write(&operator, block(&values, &[5000]), true);
    assert_eq!(payload, write(&writer(&[("accuracy", "1e-3")]), block(&values, &[5000]), true));
}
