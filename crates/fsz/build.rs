//! With the feature `fatbin`: finds the kernels that `cargo xtask fatbin` compiled.

use std::{env, path::Path};

const MODULES: [&str; 18] = [
    "compress_paper_f32",
    "compress_paper_f64",
    "compress_paper_relative_f32",
    "compress_paper_relative_f64",
    "compress_dense_f32",
    "compress_dense_f64",
    "compress_dense_relative_f32",
    "compress_dense_relative_f64",
    "decompress_paper_f32",
    "decompress_paper_f64",
    "decompress_paper_relative_f32",
    "decompress_paper_relative_f64",
    "decompress_dense_f32",
    "decompress_dense_f64",
    "decompress_dense_relative_f32",
    "decompress_dense_relative_f64",
    "regions_f32",
    "regions_f64",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_FATBIN").is_none() {
        return;
    }
    println!("cargo::rerun-if-env-changed=FSZ_FATBIN");
    let found = env::var("FSZ_FATBIN").unwrap_or_default();
    for module in MODULES {
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
