//! Compression by the profile `dense` on a device: what is chosen and kept for it, and its launches.

pub(in crate::cuda) mod compress;
pub(in crate::cuda) mod encoding;
pub(in crate::cuda) mod last_choices;
pub(in crate::cuda) mod resident_tables;
pub(in crate::cuda) mod sampler;
pub(in crate::cuda) mod scratch;
pub(in crate::cuda) mod warps;
