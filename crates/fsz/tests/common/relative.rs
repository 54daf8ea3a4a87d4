//! FORMAT.md, *Relative*, one element at a time in wide integers, sharing no code with the codec.

use fsz::{DType, Element};

/// The numbers of a pointwise-relative bound.
pub struct Relative {
    pub eps: f64,
    pub floor: f64,
    e: f64,
    a: f64,
    wide: bool,
    step: f64,
    inverse: f64,
    edge: u64,
    origin: u128,
    base: u64,
    stride: u64,
    knee: u32,
    curve: u32,
}

impl Relative {
    /// For a field; `toward_zero` rounds to its type, and `step` finds the quantization step and its inverse for a
    /// bound and a magnitude.
    pub fn new<T: Element>(
        (eps, floor): (f64, f64),
        data: &[T],
        finite: impl Fn(T) -> bool,
        toward_zero: impl Fn(f64) -> f64,
        step: impl Fn(f64, f64) -> (f64, f64),
    ) -> Self {
        let wide = T::DTYPE == DType::F64;
        let m = if wide { 2f64.powi(52) } else { 2f64.powi(23) };
        let (e, a) = (toward_zero(eps), toward_zero(floor));
        let curve = u32::from(e * m >= 8.0);
        let (low, high) = if curve == 0 {
            let side = if e * m > 0.0 { (e * m).ceil() as u64 - 1 } else { 0 };
            (side, side)
        } else {
            let side = |s: f64| (m / 0.70712 * (2.0 * e / (2.0 + s * e))).floor() as u64 - 1;
            (side(1.0), side(-1.0))
        };
        let mut own = Relative {
            eps,
            floor,
            e,
            a,
            wide,
            step: 0.0,
            inverse: 0.0,
            edge: 1,
            origin: 0,
            base: 0,
            stride: low + high + 1,
            knee: 0,
            curve,
        };
        let bits = |x: f64| T::from_f64(x).to_bits64();
        let lowest;
        let (linear_step, inverse) = step(a, a / e);
        if linear_step > 0.0 {
            own.knee = f64::min(((1.0 - e) / (2.0 * e)).floor(), 268435456.0) as u32;
            lowest = bits((f64::from(own.knee) + 0.5) * linear_step);
            own.edge = lowest;
            if own.knee > 0 {
                (own.step, own.inverse) = (linear_step, inverse);
            }
        } else {
            let smallest = if wide { 1 << 52 } else { 1 << 23 };
            let n = data.len();
            let count = n.min(4096.max(n / 4096));
            let samples =
                (0..count).map(|i| data[(i as u128 * n as u128 / count as u128) as usize]);
            let kept: Vec<f64> = samples
                .filter(|&d| finite(d) && bits(d.to_f64().abs()) >= smallest)
                .map(|d| d.to_f64())
                .collect();
            let mut sizes: Vec<u64> = kept.iter().map(|d| bits(d.abs())).collect();
            sizes.sort_unstable();
            let both = kept.iter().any(|d| *d < 0.0) && kept.iter().any(|d| *d > 0.0);
            lowest = match sizes.first() {
                None => smallest,
                Some(_) if both => sizes[sizes.len() / 1000],
                Some(first) => first.saturating_sub(4 * smallest).max(smallest),
            };
        }
        // The largest pattern whose bits are not above: within the octave of these bits.
        let octave = if wide { 1u128 << 52 } else { 1 << 23 };
        let mut y = u128::from(lowest) / octave * octave;
        let mut jump = octave / 2;
        while jump > 0 {
            if own.bits(y + jump) <= u128::from(lowest) {
                y += jump;
            }
            jump /= 2;
        }
        own.origin = y;
        own.base = y as u64 + low;
        own
    }

    /// curve(y), not modulo anything.
    fn bits(&self, y: u128) -> u128 {
        let octave = if self.wide { 1u128 << 52 } else { 1 << 23 };
        let p = y % octave;
        y - if self.curve == 1 { 85 * p * (octave - p) / (256 * octave) } else { 0 }
    }

    /// The code of a finite element and its absolute and relative errors.
    pub fn code<T: Element>(&self, d: T) -> Option<(i64, f64, f64)> {
        let x = d.to_f64();
        let size = T::from_f64(x.abs());
        let sub = |back: T| T::from_f64(size.to_f64() - back.to_f64()).to_f64().abs();
        let sign = if x.is_sign_negative() { -1 } else { 1 };
        if size.to_bits64() < self.edge {
            let k = f64::min((x.abs() * self.inverse).round_ties_even(), f64::from(self.knee));
            let error = sub(T::from_f64(k * self.step));
            return (error <= self.a).then_some((sign * k as i64, error, 0.0));
        }
        let b = u128::from(size.to_bits64());
        let begin = |j: u128| self.bits(self.origin + j * u128::from(self.stride));
        if begin(0) > b {
            return None;
        }
        // The largest j whose beginning is not above: no pattern is further from its bits than an octave.
        let mut j = 0;
        let mut jump = 1u128 << 63;
        while jump > 0 {
            if begin(j + jump) <= b {
                j += jump;
            }
            jump /= 2;
        }
        let k = u128::from(self.knee) + 1 + j;
        if k > 536870911 {
            return None;
        }
        let back = self.value(k as i32);
        let back = T::from_bits64(back);
        let error = sub(back);
        let share = match T::DTYPE {
            DType::F32 => f64::from(error as f32 / size.to_f64() as f32),
            DType::F64 => error / size.to_f64(),
        };
        (share < self.e).then_some((sign * k as i64, error, share))
    }

    /// The bits of the value of a code.
    pub fn value(&self, q: i32) -> u64 {
        Numbers {
            wide: self.wide,
            step: self.step,
            base: self.base,
            stride: self.stride,
            knee: self.knee,
            curve: self.curve,
        }
        .value(q)
    }

    /// The relative part of the header.
    pub fn part(&self, largest: f64) -> Vec<u8> {
        let mut part = vec![];
        for number in [self.floor, self.step, largest] {
            part.extend(number.to_le_bytes());
        }
        for number in [self.base, self.stride] {
            part.extend(number.to_le_bytes());
        }
        for number in [self.knee, self.curve] {
            part.extend(number.to_le_bytes());
        }
        part
    }
}

/// What a decoder takes from the header.
#[derive(Clone, Debug)]
pub struct Numbers {
    wide: bool,
    step: f64,
    base: u64,
    stride: u64,
    knee: u32,
    curve: u32,
}

impl Numbers {
    /// Those of a relative part.
    pub fn read(wide: bool, part: &[u8]) -> Self {
        let long = |at: usize| u64::from_le_bytes(part[at..at + 8].try_into().expect("8 bytes"));
        let short = |at: usize| u32::from_le_bytes(part[at..at + 4].try_into().expect("4 bytes"));
        Numbers {
            wide,
            step: f64::from_bits(long(8)),
            base: long(24),
            stride: long(32),
            knee: short(40),
            curve: short(44),
        }
    }

    /// Those of a curve that is 2^fine times as fine.
    pub fn finer(&self, fine: u32) -> Self {
        if fine == 0 {
            return self.clone();
        }
        let (points, half) = (1u64 << fine, 1u64 << (fine - 1));
        let t = self.stride / points;
        assert!(self.stride == t * points && t >= 64 && self.knee <= 16_777_216);
        let step = self.step / points as f64;
        Numbers {
            wide: self.wide,
            step: if self.wide { step } else { f64::from(step as f32) },
            base: self.base - (points - half - 1) * t,
            stride: t,
            knee: self.knee * points as u32 + half as u32,
            curve: self.curve,
        }
    }

    /// The bits of the value of a code.
    pub fn value(&self, q: i32) -> u64 {
        let k = q.unsigned_abs();
        let (octave, infinity, sign) = match self.wide {
            true => (1u128 << 52, 0x7FFu128 << 52, 63),
            false => (1 << 23, 0xFF << 23, 31),
        };
        if k <= self.knee {
            return match self.wide {
                true => (f64::from(q) * self.step).to_bits(),
                false => u64::from((q as f32 * self.step as f32).to_bits()),
            };
        }
        let y = u128::from(self.base) + u128::from(k - self.knee - 1) * u128::from(self.stride);
        let y = (y % (2 << sign)).min(infinity);
        let p = y % octave;
        let bend = if self.curve == 1 { 85 * p * (octave - p) / (256 * octave) } else { 0 };
        (y - bend) as u64 | u64::from(q < 0) << sign
    }
}
