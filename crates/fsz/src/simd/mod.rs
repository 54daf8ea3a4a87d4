//! The inner loops that are written per instruction set. Every implementation gives the same bytes.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
pub(crate) mod portable;

/// Bit-plane packing and prefix sums of blocks of 32.
pub(crate) trait Simd: Copy {
    /// Whether `f32::mul_add` is one instruction.
    const FUSED: bool;

    /// Packs 32 residuals: the sign word, then `rate` bit-planes (FORMAT.md, *Pack*). `out` has `rate + 1` words.
    fn pack(self, residuals: &[i32; 32], rate: u8, out: &mut [u32]);

    /// The reverse of [`pack`](Simd::pack).
    fn unpack(self, words: &[u32], rate: u8, residuals: &mut [i32; 32]);

    /// Replaces `values` by its running sums, beginning with `carry` before the first. Wraps.
    fn prefix_sum(self, values: &mut [i32; 256], carry: i32);
}

/// The instruction sets that code paths exist for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Level {
    /// The best level of this processor.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if avx2::available() {
            return Level::Avx2;
        }
        Level::Portable
    }

    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
        }
    }
}
