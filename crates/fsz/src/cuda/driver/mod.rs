//! The driver and what it gives: contexts, streams, events and memory. Nothing of it knows of streams of FSZ.

pub(in crate::cuda) mod aside;
pub(in crate::cuda) mod capture;
pub(in crate::cuda) mod context;
pub(in crate::cuda) mod error;
pub(in crate::cuda) mod event;
pub(in crate::cuda) mod memory;
pub(in crate::cuda) mod pinned;
pub(in crate::cuda) mod pointer;
pub(in crate::cuda) mod workspace;
