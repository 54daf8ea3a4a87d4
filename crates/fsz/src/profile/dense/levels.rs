//! Loops over elements for each level of instructions.

/// A function over elements that is compiled for each level: what it calls is made a part of it.
macro_rules! by_level {
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $out:ty $body:block) => {
        $(#[$doc])*
        pub(super) fn $name<T: $crate::element::Element>(
            level: $crate::simd::Level,
            $($arg: $type),*
        ) -> $out {
            #[inline(always)]
            fn by<T: $crate::element::Element>($($arg: $type),*) -> $out $body

            /// # Safety
            /// The processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            unsafe fn avx2<T: $crate::element::Element>($($arg: $type),*) -> $out {
                by($($arg),*)
            }

            match level {
                $crate::simd::Level::Portable => by($($arg),*),
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Level::Avx2 => {
                    // SAFETY: `Level::detect` gives this level only where the instructions exist.
                    unsafe { avx2($($arg),*) }
                }
            }
        }
    };
}

pub(super) use by_level;
