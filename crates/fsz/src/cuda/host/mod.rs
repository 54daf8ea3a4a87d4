//! Fields and streams in host memory through a device: copies go on while kernels work.

pub(in crate::cuda) mod from_host;
pub(in crate::cuda) mod lanes;
pub(in crate::cuda) mod overlapped;
pub(in crate::cuda) mod pieces;
pub(in crate::cuda) mod slabs;
pub(in crate::cuda) mod transfer;
