//! Compiles the C++ shim, which needs no header of ADIOS2, and shapes the library.

use std::env;

/// The sources in `shim/`.
const SOURCES: [&str; 7] =
    ["bp4", "handler", "host", "layouts", "memory", "operator", "parameters"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=shim");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files(SOURCES.map(|source| format!("shim/{source}.cpp")))
        .warnings(true)
        .extra_warnings(true)
        .compile("fsz_adios2_shim");

    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // A program that opened this library before ADIOS2 does is found by this name.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libfsz_adios2.so");
        // ADIOS2 closes operators from static destructors, when worker threads may still run.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
