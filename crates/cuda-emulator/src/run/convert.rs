//! Conversions between types.

use super::{
    alu::{Alu, each, next},
    float::single_towards_zero,
    lanes::{Lanes, Value, WIDTH},
};

/// What `cvt` with these modifiers (`rni`, `s32`, `f64`) computes.
pub(crate) fn convert(modifiers: &[&str]) -> Option<Alu> {
    let (round, to, from) = match *modifiers {
        [to, from] => ("", to, from),
        [round, to, from] => (round, to, from),
        _ => return None,
    };
    match (to.starts_with('f'), from.starts_with('f')) {
        (false, false) => integers(to, from),
        (true, false) => from_integer(round, to, from),
        (false, true) => to_integer(round, to, from),
        (true, true) => floats(round, to, from),
    }
}

/// Signs are kept up to 64 bits: what is written is cut to the register.
fn integers(to: &str, from: &str) -> Option<Alu> {
    macro_rules! to {
        ($from:ty) => {
            match to {
                "u8" => each!($from => u8, |a| a as u8),
                "s8" => each!($from => i64, |a| i64::from(a as i8)),
                "u16" => each!($from => u16, |a| a as u16),
                "s16" => each!($from => i64, |a| i64::from(a as i16)),
                "u32" => each!($from => u32, |a| a as u32),
                "s32" => each!($from => i64, |a| i64::from(a as i32)),
                "u64" | "s64" => each!($from => i64, |a| a as i64),
                _ => None,
            }
        };
    }
    match from {
        "u8" => to!(u8),
        "s8" => to!(i8),
        "u16" => to!(u16),
        "s16" => to!(i16),
        "u32" => to!(u32),
        "s32" => to!(i32),
        "u64" => to!(u64),
        "s64" => to!(i64),
        _ => None,
    }
}

fn from_integer(round: &str, to: &str, from: &str) -> Option<Alu> {
    match (round, to, from) {
        // A double holds all of them.
        ("rz", "f32", "u32") => each!(u32 => f32, |a| single_towards_zero(f64::from(a))),
        ("rn", "f32", "u16") => each!(u16 => f32, |a| a as f32),
        ("rn", "f32", "s16") => each!(i16 => f32, |a| a as f32),
        ("rn", "f32", "u32") => each!(u32 => f32, |a| a as f32),
        ("rn", "f32", "s32") => each!(i32 => f32, |a| a as f32),
        ("rn", "f32", "u64") => each!(u64 => f32, |a| a as f32),
        ("rn", "f32", "s64") => each!(i64 => f32, |a| a as f32),
        ("rn", "f64", "u16") => each!(u16 => f64, |a| a as f64),
        ("rn", "f64", "s16") => each!(i16 => f64, |a| a as f64),
        ("rn", "f64", "u32") => each!(u32 => f64, |a| a as f64),
        ("rn", "f64", "s32") => each!(i32 => f64, |a| a as f64),
        ("rn", "f64", "u64") => each!(u64 => f64, |a| a as f64),
        ("rn", "f64", "s64") => each!(i64 => f64, |a| a as f64),
        _ => None,
    }
}

/// Rust's conversion saturates, and makes zero of NaN, as PTX asks for.
fn to_integer(round: &str, to: &str, from: &str) -> Option<Alu> {
    macro_rules! from {
        ($from:ty, $round:ident) => {
            match to {
                "u16" => each!($from => u16, |a| a.$round() as u16),
                "s16" => each!($from => i64, |a| i64::from(a.$round() as i16)),
                "u32" => each!($from => u32, |a| a.$round() as u32),
                "s32" => each!($from => i32, |a| a.$round() as i32),
                "u64" => each!($from => u64, |a| a.$round() as u64),
                "s64" => each!($from => i64, |a| a.$round() as i64),
                _ => None,
            }
        };
    }
    match (round, from) {
        ("rni", "f32") => from!(f32, round_ties_even),
        ("rni", "f64") => from!(f64, round_ties_even),
        ("rzi", "f32") => from!(f32, trunc),
        ("rzi", "f64") => from!(f64, trunc),
        ("rmi", "f32") => from!(f32, floor),
        ("rmi", "f64") => from!(f64, floor),
        ("rpi", "f32") => from!(f32, ceil),
        ("rpi", "f64") => from!(f64, ceil),
        _ => None,
    }
}

fn floats(round: &str, to: &str, from: &str) -> Option<Alu> {
    match (round, to, from) {
        ("", "f64", "f32") => each!(f32 => f64, |a| f64::from(a)),
        ("rn", "f32", "f64") => each!(f64 => f32, |a| a as f32),
        ("rz", "f32", "f64") => each!(f64 => f32, |a| single_towards_zero(a)),
        ("rni", "f32", "f32") => each!(f32 => f32, |a| a.round_ties_even()),
        ("rni", "f64", "f64") => each!(f64 => f64, |a| a.round_ties_even()),
        ("rzi", "f32", "f32") => each!(f32 => f32, |a| a.trunc()),
        ("rzi", "f64", "f64") => each!(f64 => f64, |a| a.trunc()),
        ("rmi", "f32", "f32") => each!(f32 => f32, |a| a.floor()),
        ("rmi", "f64", "f64") => each!(f64 => f64, |a| a.floor()),
        ("rpi", "f32", "f32") => each!(f32 => f32, |a| a.ceil()),
        ("rpi", "f64", "f64") => each!(f64 => f64, |a| a.ceil()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(modifiers: &[&str], source: u64) -> u64 {
        let none = [0; WIDTH];
        convert(modifiers).unwrap_or_else(|| panic!("{modifiers:?}"))([
            &[source; WIDTH],
            &none,
            &none,
            &none,
        ])[0]
    }

    #[test]
    fn conversions() {
        assert_eq!(result(&["s32", "s8"], 0x1FF), !0, "cut to the register when it is written");
        assert_eq!(result(&["u64", "u32"], !0), 0xFFFF_FFFF);
        assert_eq!(result(&["s64", "s32"], 0xFFFF_FFFF), !0);
        assert_eq!(result(&["rni", "s32", "f64"], 2.5f64.to_bits()), 2);
        assert_eq!(result(&["rni", "s32", "f64"], 1e300f64.to_bits()), 0x7FFF_FFFF);
        assert_eq!(result(&["rni", "s32", "f64"], f64::NAN.to_bits()), 0);
        assert_eq!(
            result(&["rz", "f32", "f64"], 0.1f64.to_bits()),
            u64::from(0.1f32.to_bits() - 1)
        );
        assert_eq!(result(&["rn", "f64", "u64"], !0), (u64::MAX as f64).to_bits());
        assert_eq!(result(&["rn", "f32", "u32"], 0xFFFF_FFFF), u64::from(4294967296f32.to_bits()));
        assert_eq!(result(&["rz", "f32", "u32"], 0xFFFF_FFFF), u64::from(4294967040f32.to_bits()));
    }
}
