//! The library as `cargo xtask install-c` lays it out: what it exports, how programs find it, and programs
//! in C, C++ and Fortran. What needs it installed is left to `cargo xtask test c`, which names the folder in
//! `FSZ_C_PREFIX`.

mod bindings;
mod library;
mod page;
mod programs;
mod tools;
