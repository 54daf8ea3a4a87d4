//! Blocks anywhere: at odd addresses, in managed and in pinned memory.

use super::{current::Primary, *};
use cudarc::driver::sys;

#[test]
fn fields_that_begin_in_the_middle_of_an_allocation() {
    const TEST: &str = "fields_that_begin_in_the_middle_of_an_allocation";
    let _alone = alone();
    let values: Vec<f32> = (0..100_007).map(|i| (i as f32 * 0.003).sin()).collect();
    let wide: Vec<f64> = values.iter().copied().map(f64::from).collect();
    let Some(memory) = on_device(TEST, &values) else { return };
    let Some(wide_memory) = on_device(TEST, &wide) else { return };
    let operator = writer(&[("accuracy", "1e-3"), ("mode", "rel")]);
    for skipped in 0..6 {
        let cases = [
            (values[skipped..].as_ptr().cast::<u8>(), memory.address(), DType::F32),
            (wide[skipped..].as_ptr().cast(), wide_memory.address(), DType::F64),
        ];
        for (host, address, dtype) in cases {
            let at = address + (skipped * dtype.size()) as u64;
            let host = block_at(host.expose_provenance() as u64, dtype, &[100, 1000]);
            let expected = write(&operator, host, true);
            let device = block_at(at, dtype, &[100, 1000]);
            let made = stream_of_the_device(&operator, &device).unwrap();
            assert!(envelope::open(&expected).unwrap().body == made, "{dtype:?} from {skipped} on");
        }
    }
}

#[test]
fn an_address_between_two_elements_is_left_to_the_cpu() {
    let _alone = alone();
    let values: Vec<f64> = (0..1001).map(|i| f64::from(i) * 0.25 + 1.0).collect();
    let Some(memory) = on_device("an_address_between_two_elements_is_left_to_the_cpu", &values)
    else {
        return;
    };
    let operator = writer(&[("accuracy", "1e-3")]);
    let device = block_at(memory.address() + 4, DType::F64, &[1000]);
    assert!(stream_of_the_device(&operator, &device).unwrap_err().contains("multiple of 8 bytes"));
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let host = bytes[4..].as_ptr().expose_provenance() as u64;
    let expected = write(&operator, block_at(host, DType::F64, &[1000]), true);
    assert!(write(&operator, device, true) == expected);
}

#[test]
fn managed_memory_is_compressed_on_its_device_and_pinned_memory_where_it_is() {
    let _alone = alone();
    let values: Vec<f32> = (0..50_000).map(|i| (i as f32 * 0.01).cos()).collect();
    let test = "managed_memory_is_compressed_on_its_device_and_pinned_memory_where_it_is";
    // Starts CUDA, and keeps it started.
    let Some(_memory) = on_device(test, &values) else { return };
    let bytes = size_of_val(&values[..]);
    let operator = writer(&[("accuracy", "1e-3")]);
    let expected = write(&operator, block(&values, &[50_000]), true);

    let _primary = Primary::enter();
    let mut managed = 0;
    let attach = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as u32;
    // SAFETY: writes one address; the allocation has room for the values, and no kernel uses it yet.
    unsafe {
        sys::cuMemAllocManaged(&mut managed, bytes, attach).result().unwrap();
        std::ptr::with_exposed_provenance_mut::<f32>(managed as usize)
            .copy_from_nonoverlapping(values.as_ptr(), values.len());
    }
    let there = block_at(managed, DType::F32, &[50_000]);
    assert_eq!(CudaMemory::at(there.data).unwrap().unwrap().kind(), MemoryKind::Managed);
    let made = stream_of_the_device(&operator, &there);
    let payload = write(&operator, there, true);
    // SAFETY: allocated above, and whatever used it was waited for.
    unsafe { sys::cuMemFree_v2(managed) }.result().unwrap();
    assert!(made.unwrap() == envelope::open(&expected).unwrap().body);
    assert!(payload == expected);

    let mut pinned = std::ptr::null_mut();
    // SAFETY: writes one address; the allocation has room for the values.
    unsafe {
        sys::cuMemHostAlloc(&mut pinned, bytes, 0).result().unwrap();
        pinned.cast::<f32>().copy_from_nonoverlapping(values.as_ptr(), values.len());
    }
    let there = block_at(pinned.expose_provenance() as u64, DType::F32, &[50_000]);
    assert_eq!(CudaMemory::at(there.data).unwrap().unwrap().kind(), MemoryKind::Pinned);
    let payload = write(&operator, there, true);
    // SAFETY: allocated above, and nothing uses it now.
    unsafe { sys::cuMemFreeHost(pinned) }.result().unwrap();
    assert!(payload == expected);
}
