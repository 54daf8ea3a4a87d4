//! The CUDA codec: the kernels of `cuda/`, loaded and run through the driver at run time. Nothing here
//! is needed to build or to start; without a driver every entry says why, and the CPU codec serves.

mod boxes;
mod compress;
mod compression;
mod decompress;
mod device;
mod device_codec;
mod device_stream;
mod driver;
mod host;
#[doc(hidden)]
pub mod internal;
mod kernels;
mod regions;
mod stream_kind;

pub use compression::Compression;
pub use device::{DeviceInfo, devices};
pub use device_codec::{CudaStream, DeviceCodec};
pub use device_stream::DeviceStream;
pub use driver::memory::DeviceMemory;
pub use driver::pointer::{CudaMemory, MemoryKind};
pub use host::transfer::HostCompression;
pub use stream_kind::StreamKind;

pub(crate) use boxes::resident_tables::ResidentTables;
pub(crate) use decompress::to_host;
pub(crate) use device::Device;
pub(crate) use host::from_host::from_host;
pub(crate) use stream_kind::{serves, writes};
