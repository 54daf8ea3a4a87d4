//! Programs that have changed how their threads compute with floats: the codec does not, and leaves it as it was.

use std::arch::asm;

use rayon::ThreadPoolBuilder;

use crate::common::{codecs, compress, decompress, inputs::field, profiles};
use fsz::{Bound, Codec, CompressOptions, Element};

/// To the nearest, with tiny values, and no exception ends the program.
const STANDARD: u32 = 0x1F80;

/// All but the flags of what has happened.
const SETTINGS: u32 = 0xFFC0;

/// Tiny values are 0; towards either infinity and 0; the first NaN, overflow or division by 0 ends the program; all of it.
const MODES: [u32; 6] = [0x9FC0, 0x3F80, 0x5F80, 0x7F80, 0x1900, 0xF940];

const KINDS: [&str; 6] =
    ["smooth, noise", "random bits", "nan in places", "infinities", "denormal", "huge and tiny"];

fn mode() -> u32 {
    let mut value = 0;
    // SAFETY: stores the register there.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value) };
    value
}

fn set_mode(value: u32) {
    // SAFETY: no float is computed until the mode is the standard one again, but by what is to be tested.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const value) };
}

/// Runs a call in a mode, and looks whether it is still there behind it.
fn in_mode<R>(mode_of_program: u32, call: impl FnOnce() -> R) -> R {
    set_mode(mode_of_program);
    let answer = call();
    let left = mode();
    set_mode(STANDARD);
    assert_eq!(left & SETTINGS, mode_of_program);
    answer
}

fn same_in_any_mode<T: Element>(codec: &Codec, data: &[T], options: &CompressOptions, what: &str) {
    let shape = [data.len() as u64];
    let stream = compress(codec, data, &shape, options);
    let values = decompress::<T>(codec, &stream);
    let values: Vec<u64> = values.iter().map(|value| value.to_bits64()).collect();
    for mode in MODES {
        let made = in_mode(mode, || compress(codec, data, &shape, options));
        assert!(made == stream, "{what}, mode {mode:x}: other bytes");
        let decoded = in_mode(mode, || decompress::<T>(codec, &stream));
        let decoded: Vec<u64> = decoded.iter().map(|value| value.to_bits64()).collect();
        assert!(decoded == values, "{what}, mode {mode:x}: other values");
        let bound = |codec: &Codec| codec.find_bound(data, &shape, options).expect("a bound");
        assert_eq!(in_mode(mode, || bound(codec)).to_bits(), bound(codec).to_bits(), "{what}");
    }
}

fn of_type<T: Element>(name: &str, tiny: f64) {
    for (codec_name, codec) in codecs() {
        for (profile_name, profile) in profiles() {
            for kind in KINDS {
                let data = field::<T>(kind, 3000, 7);
                let mut bounds = vec![Bound::ValueRange(1e-3), Bound::Absolute(tiny)];
                // A search compresses many times: of one kind.
                bounds.extend((kind == KINDS[0]).then_some(Bound::Psnr(60.0)));
                for bound in bounds {
                    let options = CompressOptions::new(bound).profile(profile);
                    let what = format!("{name}, {codec_name}, {profile_name}, {kind}, {bound:?}");
                    same_in_any_mode(&codec, &data, &options, &what);
                }
            }
        }
    }
}

#[test]
fn of_the_program_is_put_aside_for_f32() {
    of_type::<f32>("f32", 1e-42);
}

#[test]
fn of_the_program_is_put_aside_for_f64() {
    of_type::<f64>("f64", 1e-312);
}

/// Threads have the mode of the one that starts them.
#[test]
fn of_the_program_is_not_that_of_threads() {
    let data = field::<f32>("smooth, noise", 400_000, 3);
    let options = CompressOptions::new(Bound::Absolute(1e-3));
    let stream = compress(&Codec::cpu(), &data, &[400_000], &options);
    for mode in MODES {
        let codec = in_mode(mode, || Codec::cpu().threads(3)).expect("threads");
        assert!(compress(&codec, &data, &[400_000], &options) == stream, "mode {mode:x}");
        assert!(decompress::<f32>(&codec, &stream) == decompress::<f32>(&Codec::cpu(), &stream));
    }
}

/// A program starts a pool of its own, which calls work on.
#[test]
fn of_the_threads_of_a_pool_is_put_aside() {
    // More than one thread takes at a time of anything.
    const LEN: usize = 300_000;
    let shape = [LEN as u64];
    let tiny: Vec<f64> = (1..=LEN).map(|i| f64::from_bits((i * 7919 % 100_003) as u64)).collect();
    let noise = field::<f64>("smooth, noise", LEN, 3);
    let alone = Codec::cpu().threads(1).expect("a codec");
    for mode_of_pool in [0x9FC0, 0x5F80, 0xF940] {
        let pool = ThreadPoolBuilder::new().num_threads(3);
        let pool = pool.start_handler(move |_| set_mode(mode_of_pool)).build().expect("a pool");
        for (data, bound) in [
            (&tiny, Bound::Absolute(1e-321)),
            (&tiny, Bound::ValueRange(1e-3)),
            (&tiny, Bound::Ratio(8.0)),
            (&noise, Bound::ValueRange(1e-3)),
            (&noise, Bound::Psnr(60.0)),
        ] {
            for (name, profile) in profiles() {
                let what = format!("mode {mode_of_pool:x}, {bound:?}, {name}");
                let options = CompressOptions::new(bound).profile(profile);
                let stream = compress(&alone, data, &shape, &options);
                let values = decompress::<f64>(&alone, &stream);
                let (made, decoded) = pool.install(|| {
                    let made = compress(&Codec::cpu(), data, &shape, &options);
                    (made, decompress::<f64>(&Codec::cpu(), &stream))
                });
                assert!(made == stream, "{what}: other bytes");
                let is_same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
                assert!(decoded.iter().zip(&values).all(is_same), "{what}: other values");
            }
        }
        let left = pool.broadcast(|_| mode() & SETTINGS);
        assert_eq!(left, [mode_of_pool; 3]);
    }
}
