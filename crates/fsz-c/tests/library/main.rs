//! The C interface, called from Rust: what programs in C get, without a C compiler.

mod calls;
mod damage;
mod device;
mod facts;
mod misuse;
mod parts;
mod regions;
mod round_trip;
mod targets;
mod threads;
