//! The kernels compiled beforehand for many devices, carried beside the PTX with the feature `fatbin`:
//! then no driver has to compile them when a program first needs them.

use crate::cuda::kernels::part::Part;
#[cfg(feature = "fatbin")]
use crate::cuda::kernels::{kernel::Coder, part::by_name};
#[cfg(feature = "fatbin")]
use crate::dtype::DType;

/// The image of a part, where this build carries one.
pub(crate) fn of(part: Part) -> Option<&'static [u8]> {
    #[cfg(feature = "fatbin")]
    return Some(by_name!(part, image));
    #[cfg(not(feature = "fatbin"))]
    {
        let _ = part;
        None
    }
}

/// The file that `build.rs` found, at an address that the driver reads whole words from.
#[cfg(feature = "fatbin")]
macro_rules! image {
    ($name:literal) => {{
        static IMAGE: &Aligned<[u8]> =
            &Aligned(*include_bytes!(concat!(env!("FSZ_FATBIN"), "/", $name, ".fatbin")));
        &IMAGE.0
    }};
}
#[cfg(feature = "fatbin")]
use image;

#[cfg(feature = "fatbin")]
#[repr(C, align(16))]
struct Aligned<Bytes: ?Sized>(Bytes);

#[cfg(all(test, feature = "fatbin"))]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_carried() {
        for part in Part::all() {
            let image = of(part).expect("carried");
            // The magic number that fatbin.h of the toolkit gives.
            assert_eq!(image[..4], 0xBA55_ED50_u32.to_le_bytes(), "{part}");
            assert!(image.as_ptr().cast::<u64>().is_aligned());
        }
    }
}
