//! Bounds by region on a device.

pub(in crate::cuda) mod compress;
pub(in crate::cuda) mod filling;
pub(in crate::cuda) mod put;
