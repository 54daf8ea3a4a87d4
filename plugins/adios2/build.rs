//! Compiles the C++ shim against ADIOS2's header-only operator interface and shapes the library.

use std::{env, process::exit};

#[allow(dead_code, reason = "only the header half of discovery is used to build")]
#[path = "../../crates/adios2-sys/src/discovery.rs"]
mod discovery;

fn main() {
    for file in ["build.rs", "shim", "../../crates/adios2-sys/src/discovery.rs"] {
        println!("cargo::rerun-if-changed={file}");
    }
    for variable in discovery::VARIABLES {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let include = discovery::header().unwrap_or_else(|not_found| {
        for line in not_found.to_string().lines() {
            println!("cargo::error={line}");
        }
        println!(
            "cargo::error=`cargo xtask setup` installs one, and `eval \"$(cargo xtask env)\"` \
             selects it."
        );
        exit(1)
    });
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .include(&include)
        .file("shim/operator.cpp")
        .file("shim/host.cpp")
        .warnings(true)
        .extra_warnings(true)
        // ADIOS2's own header names parameters that it does not use.
        .flag("-Wno-unused-parameter")
        .compile("fsz_adios2_shim");

    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // A program that opened this library before ADIOS2 does is found by this name.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libfsz_adios2.so");
        // ADIOS2 closes operators from static destructors, when worker threads may still run.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
