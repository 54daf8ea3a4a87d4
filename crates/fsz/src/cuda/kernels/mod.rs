//! The kernels that the codec carries: which a device gets, what they are told, and launching them.

pub(in crate::cuda) mod abi;
pub(in crate::cuda) mod boxes;
pub(in crate::cuda) mod fatbin;
pub(in crate::cuda) mod image;
pub(in crate::cuda) mod kernel;
pub(in crate::cuda) mod module;
pub(in crate::cuda) mod part;
pub(in crate::cuda) mod ptx;
pub(in crate::cuda) mod regions;
pub(in crate::cuda) mod relative;
