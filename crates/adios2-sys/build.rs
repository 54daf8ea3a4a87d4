//! Generates the bindings from the installed `adios2_c.h`.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, exit},
};

#[allow(dead_code, reason = "the library half of discovery is used at run time only")]
#[path = "src/discovery.rs"]
mod discovery;

/// What the crate `adios2` calls, after `adios2_`. All of it is in every ADIOS2 from 2.8 on, with the
/// same types, so bindings of one version fit the library of any other.
#[rustfmt::skip]
const FUNCTIONS: [&str; 44] = [
    "add_operation", "attribute_data", "attribute_is_value", "attribute_size", "attribute_type",
    "available_attributes", "available_variables", "begin_step", "close", "current_step",
    "declare_io", "define_attribute", "define_attribute_array", "define_variable", "end_step",
    "engine_get_type", "finalize", "free_blockinfo", "get", "init_config_serial", "init_serial",
    "inquire_attribute", "inquire_blockinfo", "inquire_operator", "inquire_variable", "open",
    "perform_gets", "perform_puts", "put", "remove_operations", "selection_size",
    "set_block_selection", "set_engine", "set_parameter", "set_selection", "set_step_selection",
    "steps", "variable_name", "variable_ndims", "variable_shape", "variable_shapeid",
    "variable_steps", "variable_steps_start", "variable_type",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/discovery.rs");
    for variable in discovery::VARIABLES.iter().chain(&["LIBCLANG_PATH"]) {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let include = discovery::header().unwrap_or_else(|not_found| fail(&not_found.to_string()));
    let header = include.join("adios2_c.h");
    println!("cargo::rerun-if-changed={}", header.display());
    // Build scripts of dependent crates read these as DEP_ADIOS2_INCLUDE.
    println!("cargo::metadata=include={}", include.display());
    // Programs look there last, where nothing tells them of another ADIOS2.
    let prefix = include.parent().expect("a folder named include");
    println!("cargo::rustc-env=ADIOS2_SYS_PREFIX={}", prefix.display());

    let bindings = bindgen::Builder::default()
        .header(header.display().to_string())
        .clang_arg(format!("-I{}", include.display()))
        .clang_args(compiler_headers().map(|folder| format!("-I{}", folder.display())))
        .allowlist_function(format!("adios2_({})", FUNCTIONS.join("|")))
        .allowlist_type("adios2_.*")
        .allowlist_var("ADIOS2_VERSION.*")
        .prepend_enum_name(false)
        .dynamic_library_name("Adios2C")
        .dynamic_link_require_all(true)
        .layout_tests(false)
        .generate()
        .unwrap_or_else(|error| fail(&format!("bindgen on {}: {error}", header.display())));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    bindings.write_to_file(out.join("bindings.rs")).expect("OUT_DIR is writable");
}

/// The folder with the C compiler's own `stddef.h`, which a bare libclang lacks.
fn compiler_headers() -> Option<PathBuf> {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let output = Command::new(compiler).arg("-print-file-name=include").output().ok()?;
    let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    Path::new(&folder).is_dir().then_some(folder)
}

fn fail(message: &str) -> ! {
    for line in message.lines() {
        println!("cargo::error={line}");
    }
    exit(1)
}
