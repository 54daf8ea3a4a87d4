//! Steps that are coded like an earlier one. What a test writes has a name of its own: choices are the process's.

use std::thread;

use fsz::{Bound, Codec, CompressOptions};

use super::*;

pub(super) const COUNT: [u64; 3] = [24, 40, 50];
const VALUES: usize = 24 * 40 * 50;
const BOUND: f64 = 1e-3;
pub(super) const CHANGED: [(&str, &str); 3] =
    [("accuracy", "1e-3"), ("profile", "dense"), ("choose", "changed")];

fn each() -> Operator {
    writer(&[("accuracy", "1e-3"), ("profile", "dense")])
}

/// A wave that moves a little each step.
pub(super) fn wave(step: usize) -> Vec<f32> {
    let at = |i: usize| [i / 2000, i / 50 % 40, i % 50].map(|x| x as f32);
    let value = |[z, y, x]: [f32; 3]| {
        (0.2 * x + 0.02 * step as f32).sin() * (0.15 * y).cos() + (0.1 * z + 0.03 * y * x).sin()
    };
    (0..VALUES).map(|i| value(at(i))).collect()
}

pub(super) fn named<'a>(mut block: Block<'a>, name: &'a str) -> Block<'a> {
    block.variable = name.into();
    block
}

fn noisy(step: usize, by: f32) -> Vec<f32> {
    let random = |i: u32| {
        let i = (i ^ i >> 16).wrapping_mul(0x7FEB_352D);
        (i ^ i >> 15).wrapping_mul(0x846C_A68B) as f32 / u32::MAX as f32
    };
    (0u32..).zip(wave(step)).map(|(i, value)| value + by * random(i)).collect()
}

/// The stream in the payload of a step.
fn stream_of(operator: &Operator, name: &str, values: &[f32]) -> Vec<u8> {
    let payload = write(operator, named(block(values, &COUNT), name), true);
    keeps_its_bound(&payload, values);
    envelope::open(&payload).unwrap().body.to_vec()
}

fn keeps_its_bound(payload: &[u8], values: &[f32]) {
    let back = read(payload, values.len());
    let error = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
    assert!(values.iter().zip(&back).map(error).all(|error| error <= BOUND));
}

/// What coding like a stream makes of a field.
fn like(stream: &[u8], bound: Bound, name: &str, values: &[f32]) -> Vec<u8> {
    let stream = Stream::open(stream).unwrap();
    let options = CompressOptions::new(bound).name(name).start(&[7; 3]).like(&stream).unwrap();
    let mut out = vec![0; 8 * values.len() + 4096];
    let length = Codec::cpu().compress_into(values, &COUNT, &options, &mut out).unwrap();
    out.truncate(length);
    out
}

#[test]
fn steps_behind_two_that_are_alike_are_coded_like_the_second_by_whichever_operator() {
    let own = |step| stream_of(&writer(&CHANGED), "steps", &wave(step));
    let each = |step| stream_of(&each(), "steps", &wave(step));
    assert!(own(0) == each(0));
    let second = own(1);
    assert!(second == each(1));
    let mut differ = false;
    for step in 2..6 {
        let own = own(step);
        assert!(own == like(&second, Bound::Absolute(BOUND), "steps", &wave(step)), "step {step}");
        differ |= own != each(step);
    }
    assert!(differ, "what each step would choose is the same: nothing is proven");
}

#[test]
fn a_field_that_changes_chooses_until_two_steps_are_alike() {
    let operator = writer(&CHANGED);
    // A letter a step: c where it chose, l where it was coded like an earlier one.
    let steps = |fields: &[Vec<f32>]| -> String {
        let own = |values: &Vec<f32>| {
            let stream = stream_of(&operator, "change", values);
            if stream == stream_of(&each(), "change", values) { 'c' } else { 'l' }
        };
        fields.iter().map(own).collect()
    };
    let smooth: Vec<_> = (0..20).map(wave).collect();
    let rough: Vec<_> = (0..4).map(|step| noisy(step, 0.02)).collect();
    assert_eq!(steps(&smooth), "cclllllllllllllllcll");
    // That a field differs is known when it is written.
    assert_eq!(steps(&rough), "lccl");
    // Shorter streams are no more alike than longer ones.
    assert_eq!(steps(&smooth[..4]), "lccl");
    // One that is much longer chooses at once.
    assert_eq!(steps(&[noisy(4, 1.0), noisy(5, 1.0), noisy(6, 1.0)]), "ccl");
}

#[test]
fn what_is_not_the_same_place_chooses_for_itself() {
    let values = wave(0);
    let own = |operator: &Operator, name: &str, count: &[u64], start: u64| {
        let mut block = named(block(&values, count), name);
        block.start = Some(vec![start; count.len()]);
        let payload = write(operator, block, true);
        keeps_its_bound(&payload, &values);
        payload
    };
    let (operator, tighter) = (writer(&CHANGED), [("accuracy", "1e-4"), CHANGED[1], CHANGED[2]]);
    own(&operator, "place", &[48000], 0);
    own(&operator, "place", &[48000], 0);
    for (name, count, start) in [
        ("place", &COUNT[..], 0),
        ("place", &[48000], 1),
        ("another", &[48000], 0),
        ("", &COUNT, 0),
    ] {
        let expected = own(&each(), name, count, start);
        assert!(own(&operator, name, count, start) == expected, "{name:?} {count:?} {start}");
    }
    let expected = own(&writer(&tighter[..2]), "place", &[48000], 0);
    assert!(own(&writer(&tighter), "place", &[48000], 0) == expected);
    // BP4 tells no names: what is written next may be another variable.
    for step in 1..4 {
        let chose = stream_of(&operator, "", &wave(step)) == stream_of(&each(), "", &wave(step));
        assert!(chose, "step {step}");
    }
}

/// As a program does that finds the range of all ranks at each step.
#[test]
fn a_range_may_be_another_one_at_each_step() {
    let max = |step: usize| 4.0 + step as f64 / 16.0;
    let mut streams = Vec::new();
    for step in 0..4 {
        let range = format!("0,{}", max(step));
        let own =
            [("accuracy", "1e-3"), ("mode", "rel"), ("range", &*range), CHANGED[1], CHANGED[2]];
        let operator = Operator::new(own, true).unwrap();
        let payload = write(&operator, named(block(&wave(step), &COUNT), "range"), true);
        let body = envelope::open(&payload).unwrap().body.to_vec();
        let bound = Stream::open(&body).unwrap().header().absolute_bound;
        assert!((bound - 1e-3 * max(step)).abs() < 1e-12, "{bound}");
        streams.push(body);
    }
    for step in [2, 3] {
        let bound = Bound::ValueRangeOf { ratio: 1e-3, min: 0.0, max: max(step) };
        assert!(streams[step] == like(&streams[1], bound, "range", &wave(step)), "step {step}");
    }
}

#[test]
fn bounds_that_are_searched_are_searched_at_every_step() {
    let parameters = [("accuracy", "70"), ("mode", "psnr"), CHANGED[1], CHANGED[2]];
    for step in 0..4 {
        let values = wave(step);
        let payload = write(&writer(&parameters), named(block(&values, &COUNT), "psnr"), true);
        let back = read(&payload, VALUES);
        let error = |(a, b): (&f32, &f32)| f64::from(a - b).powi(2);
        let mean = values.iter().zip(&back).map(error).sum::<f64>() / VALUES as f64;
        let range = values.iter().fold(f32::MIN, |a, b| a.max(*b))
            - values.iter().fold(f32::MAX, |a, b| a.min(*b));
        let psnr = 20.0 * (f64::from(range) / mean.sqrt()).log10();
        assert!((70.0..71.0).contains(&psnr), "step {step}: {psnr}");
    }
}

#[test]
fn blocks_without_values_and_with_one_come_between() {
    let operator = writer(&CHANGED);
    for values in [&[][..], &[1.5], &[], &[2.5]] {
        let count = [values.len() as u64];
        let payload = write(&operator, named(block(values, &count), "few"), true);
        match values {
            [] => assert_eq!(envelope::open(&payload).unwrap().mode, Mode::Stream),
            _ => keeps_its_bound(&payload, values),
        }
    }
}

#[test]
fn threads_that_write_at_once_do_not_mix_what_they_chose() {
    let fields = |thread: usize, step: usize| -> Vec<f32> {
        wave(step).iter().map(|value| value * (1 + thread) as f32).collect()
    };
    let write = |thread: usize| {
        let name = format!("thread {thread}");
        let values: Vec<_> = (0..4).map(|step| fields(thread, step)).collect();
        let own = |values: &Vec<f32>| stream_of(&writer(&CHANGED), &name, values);
        let streams: Vec<_> = values.iter().map(own).collect();
        assert!(streams[1] == stream_of(&each(), &name, &values[1]), "{name}");
        for (stream, values) in streams.iter().zip(&values).skip(2) {
            assert!(*stream == like(&streams[1], Bound::Absolute(BOUND), &name, values), "{name}");
        }
    };
    thread::scope(|scope| (0..4).for_each(|thread| drop(scope.spawn(move || write(thread)))));
}
