//! Which release this is, and which interface it has.

use std::ffi::c_char;

/// Major number of the release that this header belongs to.
pub const FSZC_VERSION_MAJOR: u32 = 0;
/// Its minor number.
pub const FSZC_VERSION_MINOR: u32 = 2;
/// Its patch number.
pub const FSZC_VERSION_PATCH: u32 = 0;

/// Number of the interface in this header. A library with the same number takes programs that were
/// compiled with this header; incremented by changes that are not backward compatible.
pub const FSZC_ABI: u32 = 1;

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// The library's release, such as "0.2.0".
#[unsafe(no_mangle)]
pub extern "C" fn fszc_version() -> *const c_char {
    VERSION.as_ptr().cast()
}

/// FSZC_ABI of the library.
#[unsafe(no_mangle)]
pub extern "C" fn fszc_abi_version() -> u32 {
    FSZC_ABI
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_version_of_the_package() {
        let numbers = [FSZC_VERSION_MAJOR, FSZC_VERSION_MINOR, FSZC_VERSION_PATCH];
        assert_eq!(numbers.map(|n| n.to_string()).join("."), env!("CARGO_PKG_VERSION"));
    }
}
