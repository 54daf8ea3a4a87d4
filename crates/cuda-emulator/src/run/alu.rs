//! What instructions compute from registers alone, lane by lane.
//!
//! Source: NVIDIA, *Parallel Thread Execution ISA*, sections 9.7.1 to 9.7.8.

use super::{
    convert,
    float::{
        add_down_f32, fused_towards_zero_f32, fused_towards_zero_f64, least_f32, least_f64,
        most_f32, most_f64, multiply_down_f32, multiply_down_f64,
    },
    lanes::{Lanes, Value, WIDTH},
};

/// Computes every lane's result from up to four sources.
pub(crate) type Alu = fn([&Lanes; 4]) -> Lanes;

/// A function of one to four values as a function of all lanes.
macro_rules! each {
    ($($type:ty),+ => $result:ty, |$($name:ident),+| $value:expr) => {{
        let all: Alu = |sources: [&Lanes; 4]| {
            let mut results = [0; WIDTH];
            for (lane, result) in results.iter_mut().enumerate() {
                let one: fn($($type),+) -> $result = |$($name),+| $value;
                let mut sources = sources.iter();
                *result = one($(<$type as Value>::of(next(&mut sources, lane))),+).bits();
            }
            results
        };
        Some(all)
    }};
}
pub(crate) use each;

/// A lane of the next source.
#[inline(always)]
pub(crate) fn next(sources: &mut std::slice::Iter<'_, &Lanes>, lane: usize) -> u64 {
    sources.next().map_or(0, |source| source[lane])
}

/// The same for all integer types.
macro_rules! integers {
    ($kind:expr, |$($name:ident),+| $value:expr) => {
        match $kind {
            "u16" => integers!(@ u16, $($name)+, $value),
            "s16" => integers!(@ i16, $($name)+, $value),
            "u32" => integers!(@ u32, $($name)+, $value),
            "s32" => integers!(@ i32, $($name)+, $value),
            "u64" => integers!(@ u64, $($name)+, $value),
            "s64" => integers!(@ i64, $($name)+, $value),
            _ => None,
        }
    };
    (@ $type:ty, $a:ident $b:ident, $value:expr) => { each!($type, $type => $type, |$a, $b| $value) };
    (@ $type:ty, $a:ident $b:ident $c:ident, $value:expr) => {
        each!($type, $type, $type => $type, |$a, $b, $c| $value)
    };
}

/// The same for predicates and bits.
macro_rules! words {
    ($kind:expr, |$($name:ident),+| $value:expr) => {
        match $kind {
            "pred" => words!(@ bool, $($name)+, $value),
            "b16" => words!(@ u16, $($name)+, $value),
            "b32" => words!(@ u32, $($name)+, $value),
            "b64" => words!(@ u64, $($name)+, $value),
            _ => None,
        }
    };
    (@ $type:ty, $a:ident, $value:expr) => { each!($type => $type, |$a| $value) };
    (@ $type:ty, $a:ident $b:ident, $value:expr) => { each!($type, $type => $type, |$a, $b| $value) };
}

/// What `of` makes of each half of two words.
fn halves(a: u32, b: u32, of: fn(u16, u16) -> u16) -> u32 {
    let high = of((a >> 16) as u16, (b >> 16) as u16);
    u32::from(high) << 16 | u32::from(of(a as u16, b as u16))
}

/// What the instruction of these parts (`add`, `rn`, `f32`) computes, if it is one that computes.
pub(crate) fn alu(parts: &[&str]) -> Option<Alu> {
    let (&name, modifiers) = parts.split_first()?;
    let kind = modifiers.last().copied().unwrap_or_default();
    let way = modifiers.first().copied().unwrap_or_default();
    let rounds_otherwise = matches!(way, "rz" | "rm" | "rp") && name != "cvt";
    match name {
        "add" if way == "rm" && kind == "f32" => {
            return each!(f32, f32 => f32, |a, b| add_down_f32(a, b));
        }
        "mul" if way == "rm" => {
            return match kind {
                "f32" => each!(f32, f32 => f32, |a, b| multiply_down_f32(a, b)),
                "f64" => each!(f64, f64 => f64, |a, b| multiply_down_f64(a, b)),
                _ => None,
            };
        }
        "fma" if way == "rz" => {
            return match kind {
                "f32" => each!(f32, f32, f32 => f32, |a, b, c| fused_towards_zero_f32(a, b, c)),
                "f64" => each!(f64, f64, f64 => f64, |a, b, c| fused_towards_zero_f64(a, b, c)),
                _ => None,
            };
        }
        _ if rounds_otherwise || modifiers.contains(&"sat") => return None,
        "cvt" => return convert::convert(modifiers),
        "setp" => return compare(modifiers),
        _ if kind.starts_with('f') => return float(name, way, kind),
        _ => (),
    }
    match (name, kind) {
        ("min", "u16x2") => return each!(u32, u32 => u32, |a, b| halves(a, b, u16::min)),
        ("max", "u16x2") => return each!(u32, u32 => u32, |a, b| halves(a, b, u16::max)),
        _ => (),
    }
    match name {
        "add" => integers!(kind, |a, b| a.wrapping_add(b)),
        "sub" => integers!(kind, |a, b| a.wrapping_sub(b)),
        "mul" => multiply(way, kind),
        "mad" => multiply_and_add(way, kind),
        "div" => integers!(kind, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) }),
        "rem" => integers!(kind, |a, b| if b == 0 { a } else { a.wrapping_rem(b) }),
        "min" => integers!(kind, |a, b| a.min(b)),
        "max" => integers!(kind, |a, b| a.max(b)),
        "abs" => match kind {
            "s16" => each!(i16 => i16, |a| a.wrapping_abs()),
            "s32" => each!(i32 => i32, |a| a.wrapping_abs()),
            "s64" => each!(i64 => i64, |a| a.wrapping_abs()),
            _ => None,
        },
        "neg" => match kind {
            "s16" => each!(i16 => i16, |a| a.wrapping_neg()),
            "s32" => each!(i32 => i32, |a| a.wrapping_neg()),
            "s64" => each!(i64 => i64, |a| a.wrapping_neg()),
            _ => None,
        },
        "and" => words!(kind, |a, b| a & b),
        "or" => words!(kind, |a, b| a | b),
        "xor" => words!(kind, |a, b| a ^ b),
        "not" => words!(kind, |a| !a),
        "selp" => each!(u64, u64, bool => u64, |a, b, is| if is { a } else { b }),
        "shl" => match kind {
            "b16" => each!(u16, u32 => u16, |a, n| a.checked_shl(n).unwrap_or(0)),
            "b32" => each!(u32, u32 => u32, |a, n| a.checked_shl(n).unwrap_or(0)),
            "b64" => each!(u64, u32 => u64, |a, n| a.checked_shl(n).unwrap_or(0)),
            _ => None,
        },
        "shr" => match kind {
            "u16" | "b16" => each!(u16, u32 => u16, |a, n| a.checked_shr(n).unwrap_or(0)),
            "u32" | "b32" => each!(u32, u32 => u32, |a, n| a.checked_shr(n).unwrap_or(0)),
            "u64" | "b64" => each!(u64, u32 => u64, |a, n| a.checked_shr(n).unwrap_or(0)),
            "s16" => each!(i16, u32 => i16, |a, n| a >> n.min(15)),
            "s32" => each!(i32, u32 => i32, |a, n| a >> n.min(31)),
            "s64" => each!(i64, u32 => i64, |a, n| a >> n.min(63)),
            _ => None,
        },
        "shf" => match (way, modifiers.get(1).copied()) {
            ("l", Some("wrap")) => {
                each!(u32, u32, u32 => u32, |low, high, n| (pair(low, high) << (n & 31) >> 32) as u32)
            }
            ("r", Some("wrap")) => {
                each!(u32, u32, u32 => u32, |low, high, n| (pair(low, high) >> (n & 31)) as u32)
            }
            ("l", Some("clamp")) => {
                each!(u32, u32, u32 => u32, |low, high, n| (pair(low, high) << n.min(32) >> 32) as u32)
            }
            ("r", Some("clamp")) => {
                each!(u32, u32, u32 => u32, |low, high, n| (pair(low, high) >> n.min(32)) as u32)
            }
            _ => None,
        },
        "lop3" => each!(u32, u32, u32, u32 => u32, |a, b, c, table| lookup(a, b, c, table)),
        "prmt" => each!(u32, u32, u32 => u32, |a, b, selector| permute(a, b, selector)),
        "bfi" => match kind {
            "b32" => {
                each!(u32, u32, u32, u32 => u32, |a, b, at, len| insert(a.into(), b.into(), at, len) as u32)
            }
            "b64" => each!(u64, u64, u32, u32 => u64, |a, b, at, len| insert(a, b, at, len)),
            _ => None,
        },
        "bfe" => match kind {
            "u32" => each!(u32, u32, u32 => u32, |a, at, len| extract(a.into(), at, len) as u32),
            "u64" => each!(u64, u32, u32 => u64, |a, at, len| extract(a, at, len)),
            _ => None,
        },
        "bfind" => match (way, kind) {
            ("shiftamt", "u32") => {
                each!(u32 => u32, |a| if a == 0 { !0 } else { a.leading_zeros() })
            }
            ("u32", "u32") => {
                each!(u32 => u32, |a| if a == 0 { !0 } else { 31 - a.leading_zeros() })
            }
            _ => None,
        },
        "brev" => match kind {
            "b32" => each!(u32 => u32, |a| a.reverse_bits()),
            "b64" => each!(u64 => u64, |a| a.reverse_bits()),
            _ => None,
        },
        "clz" => match kind {
            "b32" => each!(u32 => u32, |a| a.leading_zeros()),
            "b64" => each!(u64 => u32, |a| a.leading_zeros()),
            _ => None,
        },
        "popc" => match kind {
            "b32" => each!(u32 => u32, |a| a.count_ones()),
            "b64" => each!(u64 => u32, |a| a.count_ones()),
            _ => None,
        },
        "dp4a" => match (way, kind) {
            ("u32", "u32") => each!(u32, u32, u32 => u32, |a, b, c| {
                let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
                products.fold(c, |sum, (a, b)| sum.wrapping_add(u32::from(a) * u32::from(b)))
            }),
            ("s32", "s32") => each!(u32, u32, i32 => i32, |a, b, c| {
                let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
                products.fold(c, |sum, (a, b)| sum.wrapping_add(i32::from(a as i8) * i32::from(b as i8)))
            }),
            _ => None,
        },
        "dp2a" => match modifiers {
            ["lo", "s32", "s32"] => each!(u32, u32, i32 => i32, |a, b, c| {
                let halves = [a as i16, (a >> 16) as i16];
                let products = halves.into_iter().zip(b.to_le_bytes());
                products.fold(c, |sum, (a, b)| sum.wrapping_add(i32::from(a) * i32::from(b as i8)))
            }),
            _ => None,
        },
        _ => None,
    }
}

fn multiply(way: &str, kind: &str) -> Option<Alu> {
    match (way, kind) {
        ("lo", _) => integers!(kind, |a, b| a.wrapping_mul(b)),
        ("hi", "u32") => {
            each!(u32, u32 => u32, |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32)
        }
        ("hi", "s32") => {
            each!(i32, i32 => i32, |a, b| ((i64::from(a) * i64::from(b)) >> 32) as i32)
        }
        ("hi", "u64") => {
            each!(u64, u64 => u64, |a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64)
        }
        ("hi", "s64") => {
            each!(i64, i64 => i64, |a, b| ((i128::from(a) * i128::from(b)) >> 64) as i64)
        }
        ("wide", "u16") => each!(u16, u16 => u32, |a, b| u32::from(a) * u32::from(b)),
        ("wide", "s16") => each!(i16, i16 => i32, |a, b| i32::from(a) * i32::from(b)),
        ("wide", "u32") => each!(u32, u32 => u64, |a, b| u64::from(a) * u64::from(b)),
        ("wide", "s32") => each!(i32, i32 => i64, |a, b| i64::from(a) * i64::from(b)),
        _ => None,
    }
}

fn multiply_and_add(way: &str, kind: &str) -> Option<Alu> {
    match (way, kind) {
        ("lo", _) => integers!(kind, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        ("wide", "u32") => {
            each!(u32, u32, u64 => u64, |a, b, c| (u64::from(a) * u64::from(b)).wrapping_add(c))
        }
        ("wide", "s32") => {
            each!(i32, i32, i64 => i64, |a, b, c| (i64::from(a) * i64::from(b)).wrapping_add(c))
        }
        ("hi", "u32") => each!(u32, u32, u32 => u32, |a, b, c| {
            (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c)
        }),
        _ => None,
    }
}

fn float(name: &str, way: &str, kind: &str) -> Option<Alu> {
    match (name, kind) {
        // These and moves by a predicate keep every bit.
        ("selp", _) => each!(u64, u64, bool => u64, |a, b, is| if is { a } else { b }),
        ("neg", "f32") => each!(u32 => u32, |a| a ^ 1 << 31),
        ("neg", "f64") => each!(u64 => u64, |a| a ^ 1 << 63),
        ("abs", "f32") => each!(u32 => u32, |a| a & !(1 << 31)),
        ("abs", "f64") => each!(u64 => u64, |a| a & !(1 << 63)),
        ("add", "f32") => each!(f32, f32 => f32, |a, b| a + b),
        ("add", "f64") => each!(f64, f64 => f64, |a, b| a + b),
        ("sub", "f32") => each!(f32, f32 => f32, |a, b| a - b),
        ("sub", "f64") => each!(f64, f64 => f64, |a, b| a - b),
        ("mul", "f32") => each!(f32, f32 => f32, |a, b| a * b),
        ("mul", "f64") => each!(f64, f64 => f64, |a, b| a * b),
        ("fma", "f32") => each!(f32, f32, f32 => f32, |a, b, c| a.mul_add(b, c)),
        ("fma", "f64") => each!(f64, f64, f64 => f64, |a, b, c| a.mul_add(b, c)),
        ("div", "f32") => each!(f32, f32 => f32, |a, b| a / b),
        ("div", "f64") => each!(f64, f64 => f64, |a, b| a / b),
        ("rcp", "f32") => each!(f32 => f32, |a| 1.0 / a),
        ("rcp", "f64") => each!(f64 => f64, |a| 1.0 / a),
        // One of the results that a device may give, since it promises three units in the last place.
        ("sqrt", "f32") if way == "approx" => {
            each!(f32 => f32, |a| if a.abs() < f32::MIN_POSITIVE { a * 0.0 } else { a.sqrt() })
        }
        ("rsqrt", "f32") if way == "approx" => {
            each!(f32 => f32, |a| if a.abs() < f32::MIN_POSITIVE { f32::INFINITY.copysign(a) } else { 1.0 / a.sqrt() })
        }
        ("sqrt", "f32") => each!(f32 => f32, |a| a.sqrt()),
        ("sqrt", "f64") => each!(f64 => f64, |a| a.sqrt()),
        ("min", "f32") if way == "f32" => each!(f32, f32 => f32, |a, b| least_f32(a, b)),
        ("min", "f64") if way == "f64" => each!(f64, f64 => f64, |a, b| least_f64(a, b)),
        ("max", "f32") if way == "f32" => each!(f32, f32 => f32, |a, b| most_f32(a, b)),
        ("max", "f64") if way == "f64" => each!(f64, f64 => f64, |a, b| most_f64(a, b)),
        ("max", "f32") if way == "NaN" => {
            each!(f32, f32 => f32, |a, b| if a.is_nan() || b.is_nan() { f32::NAN } else { most_f32(a, b) })
        }
        ("min", "f32") if way == "NaN" => {
            each!(f32, f32 => f32, |a, b| if a.is_nan() || b.is_nan() { f32::NAN } else { least_f32(a, b) })
        }
        _ => None,
    }
}

/// Comparisons; those whose name ends with `u` are true for what cannot be compared.
fn compare(modifiers: &[&str]) -> Option<Alu> {
    let &[name, kind] = modifiers else { return None };
    macro_rules! by_type {
        ($way:tt) => {
            match kind {
                "u16" | "b16" => each!(u16, u16 => bool, |a, b| a $way b),
                "s16" => each!(i16, i16 => bool, |a, b| a $way b),
                "u32" | "b32" => each!(u32, u32 => bool, |a, b| a $way b),
                "s32" => each!(i32, i32 => bool, |a, b| a $way b),
                "u64" | "b64" => each!(u64, u64 => bool, |a, b| a $way b),
                "s64" => each!(i64, i64 => bool, |a, b| a $way b),
                "f32" => each!(f32, f32 => bool, |a, b| a $way b && !(a.is_nan() || b.is_nan())),
                "f64" => each!(f64, f64 => bool, |a, b| a $way b && !(a.is_nan() || b.is_nan())),
                _ => None,
            }
        };
    }
    macro_rules! unordered {
        ($way:tt) => {
            match kind {
                "f32" => each!(f32, f32 => bool, |a, b| a $way b || a.is_nan() || b.is_nan()),
                "f64" => each!(f64, f64 => bool, |a, b| a $way b || a.is_nan() || b.is_nan()),
                _ => None,
            }
        };
    }
    match name {
        "eq" => by_type!(==),
        "ne" => by_type!(!=),
        "lt" | "lo" => by_type!(<),
        "le" | "ls" => by_type!(<=),
        "gt" | "hi" => by_type!(>),
        "ge" | "hs" => by_type!(>=),
        "equ" => unordered!(==),
        "neu" => unordered!(!=),
        "ltu" => unordered!(<),
        "leu" => unordered!(<=),
        "gtu" => unordered!(>),
        "geu" => unordered!(>=),
        _ => match (name, kind) {
            ("num", "f32") => each!(f32, f32 => bool, |a, b| !(a.is_nan() || b.is_nan())),
            ("num", "f64") => each!(f64, f64 => bool, |a, b| !(a.is_nan() || b.is_nan())),
            ("nan", "f32") => each!(f32, f32 => bool, |a, b| a.is_nan() || b.is_nan()),
            ("nan", "f64") => each!(f64, f64 => bool, |a, b| a.is_nan() || b.is_nan()),
            _ => None,
        },
    }
}

/// Two words as one.
fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Bits by a table of eight.
fn lookup(a: u32, b: u32, c: u32, table: u32) -> u32 {
    (0..8).filter(|row| table >> row & 1 != 0).fold(0, |result, row| {
        let of = |word: u32, bit: u32| if row & bit != 0 { word } else { !word };
        result | (of(a, 4) & of(b, 2) & of(c, 1))
    })
}

/// Bytes of two words by a selector of four nibbles; bit 3 of one repeats the byte's sign.
fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = pair(a, b).to_le_bytes();
    let byte = |at: u32| {
        let nibble = selector >> (4 * at) & 15;
        let byte = bytes[nibble as usize & 7];
        if nibble & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 }
    };
    u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
}

/// A mask of `len` bits, at most 64.
fn low_bits(len: u32) -> u64 {
    1u64.checked_shl(len).map_or(!0, |bit| bit - 1)
}

fn insert(a: u64, b: u64, at: u32, len: u32) -> u64 {
    let (at, len) = (at & 255, len & 255);
    let mask = low_bits(len).checked_shl(at).unwrap_or(0);
    (b & !mask) | (a.checked_shl(at).unwrap_or(0) & mask)
}

fn extract(a: u64, at: u32, len: u32) -> u64 {
    a.checked_shr(at & 255).unwrap_or(0) & low_bits(len & 255)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result for one value of each source.
    fn result(name: &str, sources: &[u64]) -> u64 {
        let parts: Vec<&str> = name.split('.').collect();
        let all: Vec<Lanes> = sources.iter().map(|&bits| [bits; WIDTH]).collect();
        let none = [0; WIDTH];
        let at = |i: usize| all.get(i).unwrap_or(&none);
        let results = alu(&parts).unwrap_or_else(|| panic!("{name}"))([at(0), at(1), at(2), at(3)]);
        assert!(results.iter().all(|&bits| bits == results[0]));
        results[0]
    }

    #[test]
    fn integers() {
        let minus = |n: u32| u64::from(n.wrapping_neg());
        assert_eq!(result("add.s32", &[minus(1), 3]), 2);
        assert_eq!(result("sub.u16", &[0, 1]), 0xFFFF);
        assert_eq!(result("mul.wide.s32", &[minus(2), 3]), 6u64.wrapping_neg());
        assert_eq!(result("mul.hi.u64", &[!0, 2]), 1);
        assert_eq!(result("shr.s32", &[minus(8), 40]), minus(1));
        assert_eq!(result("shr.u32", &[8, 40]), 0);
        assert_eq!(result("shf.r.wrap.b32", &[0x8000_0000, 1, 31]), 3);
        assert_eq!(result("shf.l.wrap.b32", &[0x8000_0000, 1, 1]), 3);
        assert_eq!(result("max.s64", &[!0, 1]), 1);
        assert_eq!(result("bfind.shiftamt.u32", &[1]), 31);
        assert_eq!(result("bfind.shiftamt.u32", &[0]), 0xFFFF_FFFF);
        assert_eq!(result("setp.lt.s16", &[0xFFFF, 0]), 1);
    }

    #[test]
    fn bits() {
        assert_eq!(result("lop3.b32", &[0b1100, 0b1010, 0b0110, 0xE8]), 0b1110);
        assert_eq!(result("prmt.b32", &[0x4433_2211, 0x8877_6655, 0x5410]), 0x6655_2211);
        assert_eq!(result("prmt.b32", &[0x80, 0, 0x8888]), 0xFFFF_FFFF);
        assert_eq!(result("bfi.b32", &[0b11, 0xF0, 2, 1]), 0xF4);
        assert_eq!(result("bfi.b64", &[7, 5, 32, 32]), (7 << 32) | 5);
        assert_eq!(result("dp2a.lo.s32.s32", &[0xFFFF_0002, 0x0302, 10]), 10 + 4 - 3);
        assert_eq!(result("dp4a.u32.u32", &[0xFF01_0101, 0x0201_0101, 1]), 1 + 3 + 510);
    }

    #[test]
    fn floats() {
        let bits = |value: f32| u64::from(value.to_bits());
        assert_eq!(result("fma.rn.f32", &[bits(2.0), bits(3.0), bits(1.0)]), bits(7.0));
        assert_eq!(result("sub.f32", &[bits(f32::INFINITY), bits(f32::INFINITY)]), 0x7FFF_FFFF);
        assert_eq!(result("setp.gt.f32", &[bits(f32::NAN), bits(0.0)]), 0);
        assert_eq!(result("setp.gtu.f32", &[bits(f32::NAN), bits(0.0)]), 1);
        assert_eq!(result("setp.ne.f32", &[bits(f32::NAN), bits(0.0)]), 0);
        assert_eq!(result("setp.neu.f32", &[bits(f32::NAN), bits(0.0)]), 1);
        assert_eq!(result("neg.f32", &[0x7F80_0001]), 0xFF80_0001);
    }
}
