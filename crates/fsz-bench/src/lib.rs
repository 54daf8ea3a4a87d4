//! Times the CUDA codec kernel by kernel, beside what the device's memory can do and beside the kernels
//! of the FSZ paper. `fsz bench --backend cuda` prints what is measured here.
#![deny(missing_docs)]

mod clock;
mod codec;
mod kernels;
mod paper;
mod roofline;

pub use clock::median;
pub use codec::{CompressTimes, DeviceBench};
pub use paper::{PaperDesign, PaperTimes};
pub use roofline::Roofline;
