//! Every stored input goes through its target.

use crate::{Damage, Recipe, decode};
use arbitrary::{Arbitrary, Unstructured};

/// The inputs in an archive of `corpus/`: each has its length before it, four bytes, lowest first.
fn inputs(mut archive: &[u8]) -> Vec<&[u8]> {
    let mut inputs = Vec::new();
    while let Some((length, rest)) = archive.split_first_chunk() {
        let (input, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        inputs.push(input);
        archive = rest;
    }
    assert!(archive.is_empty() && inputs.is_sorted() && inputs.len() > 50);
    inputs
}

/// The input that the fuzzer makes of these bytes.
fn of<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> Option<T> {
    T::arbitrary_take_rest(Unstructured::new(bytes)).ok()
}

#[test]
fn of_decode() {
    inputs(include_bytes!("../corpus/decode")).into_iter().for_each(decode);
}

#[test]
fn of_header() {
    let inputs = inputs(include_bytes!("../corpus/header"));
    let used = inputs.into_iter().filter_map(of::<Damage>).inspect(Damage::exercise).count();
    assert!(used > 50);
}

#[test]
fn of_roundtrip() {
    let inputs = inputs(include_bytes!("../corpus/roundtrip"));
    let used = inputs.into_iter().filter_map(of::<Recipe>).inspect(Recipe::roundtrip).count();
    assert!(used > 50);
}
