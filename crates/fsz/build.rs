//! With the feature `fatbin`: finds the kernels that `cargo xtask fatbin` compiled.

use std::{env, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_FATBIN").is_none() {
        return;
    }
    println!("cargo::rerun-if-env-changed=FSZ_FATBIN");
    let found = env::var("FSZ_FATBIN").unwrap_or_default();
    for module in ["compress", "decompress"] {
        let file = Path::new(&found).join(format!("{module}.fatbin"));
        println!("cargo::rerun-if-changed={}", file.display());
        if found.is_empty() || !Path::new(&found).is_absolute() || !file.is_file() {
            println!(
                "cargo::error=the feature `fatbin` needs FSZ_FATBIN, the full path of a folder with {module}.fatbin \
                 in it: `cargo xtask fatbin` makes one and says how to set it"
            );
            return;
        }
    }
}
