//! A stream that cuZFP wrote on a GPU (tests/fixtures/README.md).
#![cfg(feature = "zfp")]

use fsz_field::zfp::{Mode, Zfp};
use fsz_field::{Shape, Values};

const STREAM: &[u8] = include_bytes!("fixtures/cuzfp_20x24x28_rate8.zfp");
const SIDES: [u64; 3] = [20, 24, 28];
const RATE: f64 = 8.0;
/// Bytes of zfp's full header before a stream of fixed rate.
const HEADER: usize = 12;

fn field() -> Vec<f32> {
    let [planes, rows, columns] = SIDES.map(|side| side as i32);
    let value = |z: i32, y: i32, x: i32| 3 * x * x + 5 * y * y - 7 * z * z + 2 * x * y - z * x;
    let places = (0..planes).flat_map(|z| (0..rows).map(move |y| (z, y)));
    let line = |(z, y): (i32, i32)| (0..columns).map(move |x| value(z, y, x) as f32 / 64.0);
    places.flat_map(line).collect()
}

fn decoded(bytes: &[u8]) -> Vec<f32> {
    let mut values = vec![0f32; field().len()];
    let shape = Shape::new(&SIDES).unwrap();
    Zfp::from_bytes(bytes).decompress_headerless_into(&shape, RATE, &mut values).unwrap();
    values
}

#[test]
fn it_decodes_to_the_field() {
    // 512 bits hold every block of this field whole: no value is off.
    assert_eq!(decoded(STREAM), field());
}

#[test]
fn it_is_what_zfp_writes_without_a_gpu() {
    let mut zfp = Zfp::new();
    zfp.compress(Values::F32(&field()), &Shape::new(&SIDES).unwrap(), Mode::Rate(RATE)).unwrap();
    // Bit for bit, but for the header, which cuZFP leaves out, and the last word's rest.
    assert!(zfp.bytes()[HEADER..].starts_with(STREAM));
}

#[test]
fn a_cut_or_damaged_one_is_an_error_or_a_field() {
    let shape = Shape::new(&SIDES).unwrap();
    let mut values = vec![0f32; field().len()];
    let mut cut = Zfp::from_bytes(&STREAM[..STREAM.len() - 8]);
    let error = cut.decompress_headerless_into(&shape, RATE, &mut values).unwrap_err();
    assert!(error.to_string().contains("13440"), "{error}");
    for place in (0..STREAM.len()).step_by(97) {
        let mut damaged = STREAM.to_vec();
        damaged[place] ^= 0x5a;
        let mut stream = Zfp::from_bytes(&damaged);
        stream.decompress_headerless_into(&shape, RATE, &mut values).unwrap();
        // Blocks stand alone: 64 values at most are others.
        let others = values.iter().zip(field()).filter(|(a, b)| **a != *b).count();
        assert!(others <= 64, "{others} at {place}");
    }
}
