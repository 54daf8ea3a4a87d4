//! How the processor computes with floats while the codec works.
//!
//! A program may have changed that for a thread: it rounds in another direction (`fesetround`), takes tiny values for 0 (what
//! `-ffast-math` does, even in a library that is loaded), or ends at the first NaN (`-ffpe-trap`, `feenableexcept`). Bounds and
//! equal bytes need what IEEE 754 does by default, and Rust takes it for given.

use std::marker::PhantomData;

/// The default, until this is dropped. Then the thread computes again as its program has set it. A call has one, and so has
/// each share of its work that another thread may do: of a pool that the program has started, that has a mode of its own.
///
/// Calls of this library need none. It is for what else a plugin computes in the threads of a program, such as the numbers of a
/// text, of which Rust rounds some as the thread does:
///
/// ```
/// let bound: f64 = {
///     let _mode = fsz::FloatMode::standard();
///     "1e-3".parse()?
/// };
/// # Ok::<(), std::num::ParseFloatError>(())
/// ```
#[derive(Debug)]
#[must_use = "the mode is the default until this is dropped"]
pub struct FloatMode {
    before: register::Value,
    /// Belongs to the thread that made it.
    thread: PhantomData<*const ()>,
}

impl FloatMode {
    /// Computes as IEEE 754 does by default from here on.
    pub fn standard() -> Self {
        let before = register::read();
        if before & register::SETTINGS != register::STANDARD {
            register::write(register::STANDARD);
        }
        FloatMode { before, thread: PhantomData }
    }
}

impl Drop for FloatMode {
    fn drop(&mut self) {
        if self.before & register::SETTINGS != register::STANDARD {
            register::write(self.before);
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod register {
    //! MXCSR.

    use std::arch::asm;

    pub(super) type Value = u32;

    /// All but the flags of what has happened.
    pub(super) const SETTINGS: Value = 0xFFC0;

    /// To the nearest, with tiny values, and no exception ends the program.
    pub(super) const STANDARD: Value = 0x1F80;

    pub(super) fn read() -> Value {
        let mut value = 0;
        // SAFETY: stores the register there.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
        value
    }

    /// No bits but those of [`SETTINGS`] and of the flags are set.
    pub(super) fn write(value: Value) {
        // SAFETY: a value that was read, or the one that Rust takes for given. What is read and written in memory stays on
        // its side of this.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags))
        };
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod register {
    //! FPCR.

    use std::arch::asm;

    pub(super) type Value = u64;

    /// Exceptions, tiny values, the direction of rounding, and NaN.
    pub(super) const SETTINGS: Value = 0x07FF_9F07;

    /// To the nearest, with tiny values, and no exception ends the program.
    pub(super) const STANDARD: Value = 0;

    pub(super) fn read() -> Value {
        let value;
        // SAFETY: reads the register.
        unsafe { asm!("mrs {}, fpcr", out(reg) value, options(nostack, preserves_flags)) };
        value
    }

    pub(super) fn write(value: Value) {
        // SAFETY: a value that was read, or the one that Rust takes for given. What is read and written in memory stays on
        // its side of this.
        unsafe { asm!("msr fpcr, {}", in(reg) value, options(nostack, preserves_flags)) };
    }
}

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
mod register {
    //! None that is known here.

    pub(super) type Value = u32;
    pub(super) const SETTINGS: Value = 0;
    pub(super) const STANDARD: Value = 0;

    pub(super) fn read() -> Value {
        STANDARD
    }

    pub(super) fn write(_value: Value) {}
}
