//! What the 32 lanes of a warp hold in one register.

/// Lanes of a warp.
pub(crate) const WIDTH: usize = 32;
/// A bit for each lane.
pub(crate) type Mask = u32;
/// The value of every lane, each in the low bits of its word and zeros above.
pub(crate) type Lanes = [u64; WIDTH];

/// The lanes of a mask, ascending.
pub(crate) fn lanes(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then_some(mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(lane)
    })
}

/// The mask of some lanes.
pub(crate) fn mask(lanes: impl Iterator<Item = usize>) -> Mask {
    lanes.fold(0, |mask, lane| mask | 1 << lane)
}

/// The lanes whose value is not zero.
pub(crate) fn ballot(values: &Lanes) -> Mask {
    values.iter().enumerate().fold(0, |mask, (lane, &value)| mask | (u32::from(value != 0) << lane))
}

/// A type of values as a lane holds them.
pub(crate) trait Value: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! integers {
    ($($type:ty: $unsigned:ty),*) => {$(
        impl Value for $type {
            fn of(bits: u64) -> Self {
                bits as $type
            }
            fn bits(self) -> u64 {
                u64::from(self as $unsigned)
            }
        }
    )*};
}
integers!(u8: u8, i8: u8, u16: u16, i16: u16, u32: u32, i32: u32, u64: u64, i64: u64);

impl Value for bool {
    fn of(bits: u64) -> Self {
        bits != 0
    }
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

impl Value for f32 {
    fn of(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
    fn bits(self) -> u64 {
        // Arithmetic gives this NaN alone; moving values never comes here.
        u64::from(if self.is_nan() { 0x7FFF_FFFF } else { self.to_bits() })
    }
}

impl Value for f64 {
    fn of(bits: u64) -> Self {
        f64::from_bits(bits)
    }
    fn bits(self) -> u64 {
        if self.is_nan() { 0x7FF8_0000_0000_0000 } else { self.to_bits() }
    }
}
