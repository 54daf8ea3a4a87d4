//! The CUDA codec: the kernels of `cuda/`, loaded and run through the driver at run time. Nothing here
//! is needed to build or to start; without a driver every entry says why, and the CPU codec serves.

mod compress;
mod context;
mod decompress;
mod device;
mod device_codec;
mod error;
mod fatbin;
#[doc(hidden)]
pub mod internal;
mod kernels;
mod memory;
mod on_the_spot;
mod pointer;
mod staging;
mod transfer;
mod view;

pub use compress::Compression;
pub use device::{DeviceInfo, devices};
pub use device_codec::{CudaStream, DeviceCodec};
pub use memory::DeviceMemory;
pub use pointer::{CudaMemory, MemoryKind};
pub use transfer::HostCompression;
pub use view::StreamKind;

pub(crate) use compress::from_host;
pub(crate) use decompress::{box_to_host, tiles_to_host};
pub(crate) use device::Device;
pub(crate) use view::serves;
