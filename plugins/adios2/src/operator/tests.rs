//! The operator without ADIOS2.

mod choices;
mod device;
#[path = "../../tests/common/noise.rs"]
mod noise;

use std::{ffi::c_int, ptr};

use fsz::{DType, Element, Stream};

use super::{Operator, text};
use crate::{
    block::{Block, MemorySelection},
    envelope::{self, Mode},
};
use noise::noise;

fn writer(parameters: &[(&'static str, &'static str)]) -> Operator {
    Operator::new(parameters.iter().copied(), true).unwrap()
}

fn block(values: &[f32], count: &[u64]) -> Block<'static> {
    Block {
        data: values.as_ptr().cast(),
        count: count.to_vec(),
        start: Some(vec![7; count.len()]),
        memory: None,
        dtype: DType::F32,
        variable: "U".into(),
    }
}

/// Writes with as much room as the operator asked for, or with as little as ADIOS2 may give.
fn write(operator: &Operator, block: Block<'_>, ask: bool) -> Vec<u8> {
    let dimensions = block.count.len();
    if ask {
        operator.estimate(block.elements(), block.dtype.size(), dimensions);
    }
    let room = operator.room(&block, 32 + 8 * dimensions);
    write_in(operator, block, room)
}

fn write_in(operator: &Operator, block: Block<'_>, room: usize) -> Vec<u8> {
    let mut out = vec![0xAA; room + 8];
    // SAFETY: the block's values outlive the call and `out` has the room.
    let written = unsafe { operator.write(block, out.as_mut_ptr(), room, false) }.unwrap();
    assert!(written > 0 && written <= room);
    assert!(out[room..].iter().all(|&byte| byte == 0xAA));
    out.truncate(written);
    out
}

fn read(payload: &[u8], elements: usize) -> Vec<f32> {
    let mut out = vec![0f32; elements];
    // SAFETY: `out` has the room.
    let bytes = unsafe { writer(&[]).read(payload, out.as_mut_ptr().cast()) }.unwrap();
    assert_eq!(bytes, 4 * elements);
    out
}

fn smooth() -> Vec<f32> {
    (0..5000).map(|i| (i as f32 * 0.01).sin()).collect()
}

#[test]
fn smooth_values_keep_the_bound_with_and_without_an_estimate() {
    let values = smooth();
    let operator = writer(&[("accuracy", "1e-3")]);
    for ask in [true, false] {
        let payload = write(&operator, block(&values, &[50, 100]), ask);
        assert!(payload.len() < 4 * values.len() / 2);
        let back = read(&payload, values.len());
        assert!(values.iter().zip(&back).all(|(a, b)| (a - b).abs() <= 1e-3));
    }
}

/// `FE_DOWNWARD`.
#[cfg(target_arch = "x86_64")]
const DOWNWARD: c_int = 0x400;
#[cfg(target_arch = "aarch64")]
const DOWNWARD: c_int = 0x80_0000;

unsafe extern "C" {
    safe fn fegetround() -> c_int;
    safe fn fesetround(direction: c_int) -> c_int;
}

#[test]
fn bounds_are_the_nearest_numbers_however_the_thread_rounds() {
    let given = [("accuracy", "0.1"), ("bound_in", "2:4=1e-3"), ("missing", "0.05")];
    let before = fegetround();
    assert_eq!(fesetround(DOWNWARD), 0);
    let rounded = writer(&given).parameters;
    fesetround(before);
    assert_eq!(rounded, writer(&given).parameters);
}

#[test]
fn noise_without_an_estimate_is_stored_raw() {
    let values = noise(5000);
    let operator = writer(&[("accuracy", "1e-30")]);
    let payload = write(&operator, block(&values, &[5000]), false);
    assert_eq!(envelope::open(&payload).unwrap().mode, Mode::Raw);
    assert_eq!(read(&payload, values.len()), values);
    let payload = write(&operator, block(&values, &[5000]), true);
    assert_eq!(read(&payload, values.len()), values);
}

#[test]
fn a_part_without_values_of_an_array_that_there_is_not() {
    let operator = writer(&[("accuracy", "1e-3")]);
    let mut none = block(&[], &[0, 100]);
    none.data = ptr::null();
    none.memory = Some(MemorySelection { start: vec![1, 1], count: vec![52, 102] });
    let mut whole = block(&[], &[0, 100]);
    whole.data = ptr::null();
    assert_eq!(write(&operator, none, true), write(&operator, whole, true));
}

/// Each value keeps its bound; takes in which part of it the errors reach, of wide bounds and of narrow ones.
fn compare(values: &[f32], back: &[f32], bound_at: impl Fn(u64) -> f64, worst: &mut [f64; 2]) {
    for (i, (a, b)) in (0u64..).zip(values.iter().zip(back)) {
        let bound = bound_at(i);
        let error = (f64::from(*a) - f64::from(*b)).abs();
        assert!(error <= bound, "{a} became {b} within {bound}");
        let kind = usize::from(bound < 1e-4);
        worst[kind] = worst[kind].max(error / bound);
    }
}

#[test]
fn boxes_of_the_global_array_keep_their_bound_in_every_block() {
    let values = smooth();
    let operator = writer(&[("accuracy", "0.1"), ("bound_in", "20:80,10:90=1e-5; 40:60,:=1e-3")]);
    let bound_at = |row: u64, column: u64| match (row, column) {
        (40..60, _) => 1e-3,
        (20..80, 10..90) => 1e-5,
        _ => 0.1,
    };
    let mut worst = [0f64; 2];
    for (first, regions) in [(0, 2), (50, 2), (80, 0)] {
        let mut own = block(&values, &[50, 100]);
        own.start = Some(vec![first, 0]);
        let payload = write(&operator, own, true);
        let stream = Stream::open(envelope::open(&payload).unwrap().body).unwrap();
        assert_eq!(stream.regions().len(), regions);
        let back = read(&payload, values.len());
        compare(&values, &back, |i| bound_at(first + i / 100, i % 100), &mut worst);
    }
    assert!(worst.iter().all(|&worst| worst > 0.5), "{worst:?}");
    // A local array has boxes of its own; one of other axes cannot have them, and loses nothing.
    let mut local = block(&values, &[50, 100]);
    local.start = None;
    let payload = write(&operator, local, true);
    let stream = Stream::open(envelope::open(&payload).unwrap().body).unwrap();
    assert_eq!(stream.regions().len(), 2);
    let payload = write(&operator, block(&values, &[5000]), true);
    assert_eq!(envelope::open(&payload).unwrap().mode, Mode::Raw);
    assert_eq!(read(&payload, values.len()), values);
}

/// A mask of bool of 80 rows and 100 columns, set where `set` holds, in a file of its own.
fn mask(folder: &tempfile::TempDir, set: impl Fn(u64, u64) -> bool) -> String {
    let text = "{'descr': '|b1', 'fortran_order': False, 'shape': (80, 100), }\n";
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((text.len() as u16).to_le_bytes());
    file.extend(text.as_bytes());
    file.extend((0..8000).map(|i| u8::from(set(i / 100, i % 100))));
    let path = folder.path().join("mask.npy");
    std::fs::write(&path, file).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn masks_of_the_global_array_keep_their_bound_in_every_block() {
    let values = smooth();
    let folder = tempfile::tempdir().unwrap();
    let set = |row: u64, column: u64| row < 60 && (row * 7 + column) % 5 < 2;
    let path = format!("{}=1e-5", mask(&folder, set));
    let own = [("accuracy", "0.1"), ("bound_in", "40:50,:=1e-3"), ("bound_where", &path)];
    let operator = Operator::new(own, true).unwrap();
    let bound_at = |row: u64, column: u64| match row {
        _ if set(row, column) => 1e-5,
        40..50 => 1e-3,
        _ => 0.1,
    };
    let mut worst = [0f64; 2];
    // Each block twice: the second time its part of the mask is there.
    for (first, rows, regions) in [(0, 50, 2), (0, 50, 2), (30, 50, 2), (60, 20, 0), (60, 20, 0)] {
        let own = &values[..100 * rows as usize];
        let mut block = block(own, &[rows, 100]);
        block.start = Some(vec![first, 0]);
        let payload = write(&operator, block, true);
        let stream = Stream::open(envelope::open(&payload).unwrap().body).unwrap();
        assert_eq!(stream.regions().len(), regions, "rows from {first}");
        let back = read(&payload, own.len());
        compare(own, &back, |i| bound_at(first + i / 100, i % 100), &mut worst);
    }
    assert!(worst.iter().all(|&worst| worst > 0.5), "{worst:?}");
}

#[test]
fn a_block_that_a_mask_does_not_hold_loses_nothing() {
    let values = noise(8000);
    let folder = tempfile::tempdir().unwrap();
    let path = format!("{}=1e-5", mask(&folder, |row, _| row == 3));
    let operator = Operator::new([("accuracy", "0.1"), ("bound_where", &*path)], true).unwrap();
    let regions = |count: &[u64], start: Option<&[u64]>| {
        let own = &values[..count.iter().product::<u64>() as usize];
        let mut block = block(own, count);
        block.start = start.map(<[u64]>::to_vec);
        let payload = write(&operator, block, true);
        let envelope = envelope::open(&payload).unwrap();
        if envelope.mode == Mode::Raw {
            assert_eq!(read(&payload, own.len()), own);
            return None;
        }
        Some(Stream::open(envelope.body).unwrap().regions().len())
    };
    assert_eq!(regions(&[40, 100], Some(&[0, 0])), Some(1));
    assert_eq!(regions(&[40, 100], Some(&[41, 0])), None);
    assert_eq!(regions(&[4000], Some(&[0])), None);
    // A mask of a local array is of its shape.
    assert_eq!(regions(&[80, 100], None), Some(1));
    assert_eq!(regions(&[40, 100], None), None);
}

#[test]
fn any_number_of_dimensions() {
    let values = smooth();
    for dimensions in [0, 1, 8, 9, 255, 300] {
        let mut count = vec![1; dimensions];
        let elements = if dimensions == 0 { 1 } else { values.len() };
        count.iter_mut().take(1).for_each(|extent| *extent = elements as u64);
        let payload = write(&writer(&[("accuracy", "1e-3")]), block(&values, &count), true);
        assert_eq!(envelope::open(&payload).unwrap().mode, Mode::Stream);
        let back = read(&payload, elements);
        assert!(values.iter().zip(&back).all(|(a, b)| (a - b).abs() <= 1e-3));
    }
}

#[test]
fn a_writer_without_a_bound_stores_raw() {
    let values = smooth();
    let payload = write(&writer(&[]), block(&values, &[5000]), true);
    assert_eq!(read(&payload, values.len()), values);
}

#[test]
fn raw_values_have_as_much_of_the_header_as_there_is_room_for() {
    let values = noise(60);
    let operator = writer(&[("accuracy", "1e-30")]);
    let make = || block(&values, &[3, 4, 5]);
    for (header, count, start, name) in [
        (32 + 48 + 1, &[3, 4, 5][..], true, "U"),
        (32 + 24, &[3, 4, 5], false, ""),
        (32 + 8, &[60], false, ""),
    ] {
        // From exactly enough for this header on.
        let payload = write_in(&operator, make(), 240 + header);
        let envelope = envelope::open(&payload).unwrap();
        assert_eq!((envelope.mode, envelope.count.as_slice()), (Mode::Raw, count));
        assert_eq!((envelope.start.is_some(), envelope.name), (start, name.as_bytes()));
        assert_eq!(read(&payload, 60), values);
    }
    let mut out = [0u8; 240 + 39];
    // SAFETY: `out` has the room.
    let refused = unsafe { operator.write(make(), out.as_mut_ptr(), out.len(), false) };
    assert!(refused.unwrap_err().contains("no room"));
}

#[test]
fn wrong_parameters_are_an_error_or_an_operator_that_stores_raw() {
    let values = smooth();
    for wrong in [&[("accuracy", "none")][..], &[("speed", "1")], &[("mode", "rel")]] {
        let refused = Operator::new(wrong.iter().copied(), true);
        assert_eq!(refused.is_err(), wrong[0].0 != "mode");
        let operator = Operator::new(wrong.iter().copied(), false).unwrap();
        let payload = write(&operator, block(&values, &[5000]), true);
        assert_eq!(envelope::open(&payload).unwrap().mode, Mode::Raw);
        assert_eq!(read(&payload, values.len()), values);
        let mut out = vec![0u8; payload.len()];
        // SAFETY: `out` has the room.
        let refused =
            unsafe { operator.write(block(&values, &[5000]), out.as_mut_ptr(), out.len(), true) };
        let name = if wrong[0].0 == "mode" { "accuracy" } else { wrong[0].0 };
        assert!(refused.unwrap_err().contains(name));
    }
}

#[test]
fn an_empty_block_has_a_valid_header_and_no_values() {
    let payload = write(&writer(&[("accuracy", "1")]), block(&[], &[0, 4]), true);
    assert_eq!(envelope::open(&payload).unwrap().count, [0, 4]);
    // SAFETY: nothing is written for an empty block.
    assert!(unsafe { writer(&[]).read(&payload, std::ptr::dangling_mut()) }.is_err());
}

#[test]
fn any_alignment_on_both_sides() {
    let values = smooth();
    let bytes: Vec<u8> =
        [0u8; 1].into_iter().chain(values.iter().flat_map(|v| v.to_le_bytes())).collect();
    let mut unaligned = block(&values, &[5000]);
    unaligned.data = bytes[1..].as_ptr();
    let payload = write(&writer(&[("accuracy", "1e-3")]), unaligned, true);
    let mut out = vec![0u8; 4 * values.len() + 1];
    // SAFETY: `out` has the room.
    unsafe { writer(&[]).read(&payload, out[1..].as_mut_ptr()) }.unwrap();
    let aligned: Vec<u8> = read(&payload, 5000).iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(out[1..], aligned);
}

#[test]
fn every_truncation_and_bit_flip_is_an_error_or_right() {
    let values = smooth();
    let payload = write(&writer(&[("accuracy", "1e-1")]), block(&values[..300], &[300]), true);
    let expected = read(&payload, 300);
    let mut out = vec![0f32; 300];
    for length in 0..payload.len() {
        // SAFETY: `out` has the room.
        let cut = unsafe { writer(&[]).read(&payload[..length], out.as_mut_ptr().cast()) };
        assert!(cut.is_err());
    }
    for bit in 0..8 * payload.len() {
        let mut flipped = payload.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        out.fill(f32::NAN);
        // SAFETY: `out` has the room.
        if unsafe { writer(&[]).read(&flipped, out.as_mut_ptr().cast()) }.is_ok() {
            assert_eq!(out, expected, "bit {bit}");
        }
    }
}
