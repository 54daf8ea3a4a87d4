//! Whether this program was started without a standard output (`>&-`).
//!
//! Before `main` Rust opens `/dev/null` in the place of one that is closed, so that no file gets its number. What is
//! written there would be lost without an error: so it is looked at before that.

use anyhow::{Result, bail};

/// Errs when standard output is closed.
pub fn refuse() -> Result<()> {
    if is_closed() {
        bail!("standard output is closed: redirect it, or name a file for the output");
    }
    Ok(())
}

/// Whether standard output was closed when the program started.
#[cfg(target_os = "linux")]
pub fn is_closed() -> bool {
    at_start::CLOSED.load(std::sync::atomic::Ordering::Relaxed)
}

/// Elsewhere nobody has looked.
#[cfg(not(target_os = "linux"))]
pub fn is_closed() -> bool {
    false
}

#[cfg(target_os = "linux")]
mod at_start {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub static CLOSED: AtomicBool = AtomicBool::new(false);

    /// What the loader calls before `main`.
    // SAFETY: the section is a list of functions of this kind, and this one needs nothing that Rust prepares.
    #[unsafe(link_section = ".init_array")]
    #[used]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        // SAFETY: it asks for flags and changes nothing.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        CLOSED.store(flags == -1, Ordering::Relaxed);
    }
}
