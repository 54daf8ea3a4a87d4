//! What the shaders turn codes into values by, and the quantization step as they multiply with it.

use fsz::Header;

use crate::profile::halves;

/// `mantissa · 2^exponent`, the mantissa of 24 bits; exact for a step of an `f32` field, else rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub mantissa: u32,
    pub exponent: i32,
}

impl Step {
    /// Of a positive normal `f64`, or 0.
    pub fn new(step: f64) -> Step {
        if step == 0.0 {
            return Step { mantissa: 0, exponent: 0 };
        }
        let bits = step.to_bits();
        let full = bits & ((1 << 52) - 1) | 1 << 52;
        let mantissa = ((full + (1 << 28)) >> 29) as u32;
        let exponent = (bits >> 52 & 0x7FF) as i32 - 1075 + 29;
        if mantissa == 1 << 24 {
            Step { mantissa: mantissa >> 1, exponent: exponent + 1 }
        } else {
            Step { mantissa, exponent }
        }
    }
}

/// What shaders turn codes into values by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codes {
    /// The distance of the values of linear codes; 0 without these.
    pub step: f64,
    /// The largest linear code.
    pub knee: u32,
    /// The pattern of the first logarithmic code, low word first.
    pub base: [u32; 2],
    /// The distance of the patterns of neighbouring ones.
    pub stride: [u32; 2],
    /// 1 where patterns are curved.
    pub curve: u32,
}

impl Codes {
    /// Those of a stream.
    pub fn of(header: &Header) -> Codes {
        let step = header.quantization_step;
        let linear = Codes { step, knee: u32::MAX, base: [0; 2], stride: [0; 2], curve: 0 };
        header.relative.map_or(linear, |part| Codes {
            step: part.linear_step,
            knee: part.knee,
            base: halves(part.base),
            stride: halves(part.stride),
            curve: part.curved.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_f32_are_exact() {
        for step in [f32::MIN_POSITIVE, 1.0, 0.499_878_14, 1.0 - f32::EPSILON / 2.0, f32::MAX] {
            let Step { mantissa, exponent } = Step::new(f64::from(step));
            assert!((1 << 23..1 << 24).contains(&mantissa));
            assert_eq!(f64::from(mantissa) * 2f64.powi(exponent), f64::from(step));
        }
    }

    #[test]
    fn a_mantissa_of_ones_rounds_to_the_next_power() {
        let step = Step::new(2.0 - f64::EPSILON);
        assert_eq!(step, Step { mantissa: 1 << 23, exponent: -22 });
    }
}
