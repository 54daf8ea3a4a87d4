//! Shapes the library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // HDF5 closes its plugins when it ends; threads of this library may still run then.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
