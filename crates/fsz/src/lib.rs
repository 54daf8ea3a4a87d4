//! FSZ.
