//! The CUDA codec: the kernels of `cuda/`, loaded and run through the driver at run time. Nothing here
//! is needed to build or to start; without a driver every entry says why, and the CPU codec serves.

mod abi;
mod aside;
mod box_encoding;
mod box_kernels;
mod box_sampler;
mod box_scratch;
mod capture;
mod compress;
mod compress_boxes;
mod compress_regions;
mod compression;
mod context;
mod decompress;
mod device;
mod device_codec;
mod device_stream;
mod error;
mod event;
mod fatbin;
mod filling;
mod from_host;
mod image;
#[doc(hidden)]
pub mod internal;
mod kernel;
mod kernels;
mod lanes;
mod last_choices;
mod memory;
mod overlapped;
mod part;
mod pieces;
mod pinned;
mod pointer;
mod ptx;
mod put_regions;
mod region_kernels;
mod relative;
mod resident_tables;
mod slabs;
mod stream_kind;
mod teams;
mod transfer;
mod workspace;

pub use compression::Compression;
pub use device::{DeviceInfo, devices};
pub use device_codec::{CudaStream, DeviceCodec};
pub use device_stream::DeviceStream;
pub use memory::DeviceMemory;
pub use pointer::{CudaMemory, MemoryKind};
pub use stream_kind::StreamKind;
pub use transfer::HostCompression;

pub(crate) use decompress::to_host;
pub(crate) use device::Device;
pub(crate) use from_host::from_host;
pub(crate) use resident_tables::ResidentTables;
pub(crate) use stream_kind::{serves, writes};
