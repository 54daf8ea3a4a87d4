//! What the end-to-end tests share: configurations, fields and engines.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use adios2::{Adios, Engine, Io, Mode};

/// A configuration in which the variables `U`, `V` and `noise` go through the operator.
pub fn config(folder: &Path, engine: &str, parameters: &[(&str, &str)]) -> PathBuf {
    let parameter =
        |(key, value): &(&str, &str)| format!("    <parameter key=\"{key}\" value=\"{value}\"/>\n");
    let parameters: String = parameters.iter().map(parameter).collect();
    let operation = |name: &&str| {
        format!("    <variable name=\"{name}\"><operation operator=\"fsz\"/></variable>\n")
    };
    let operations: String = ["U", "V", "noise"].iter().map(operation).collect();
    let text = format!(
        r#"<?xml version="1.0"?>
<adios-config>
  <operator name="fsz" type="plugin">
    <parameter key="PluginName" value="fsz"/>
    <parameter key="PluginLibrary" value="fsz_adios2"/>
{parameters}  </operator>
  <io name="out">
    <engine type="{engine}"/>
{operations}  </io>
</adios-config>
"#
    );
    let path = folder.join("adios2.xml");
    fs::write(&path, text).unwrap();
    path
}

/// Makes the operator findable, as a program that links nothing of FSZ does with
/// `ADIOS2_PLUGIN_PATH`.
pub fn load_operator() {
    let library = fsz_field::bp::load_operator().expect("cargo built it beside this test");
    assert!(library.is_file());
}

/// The group that [`config`] describes.
pub fn writer(config: &Path) -> Io {
    load_operator();
    Adios::with_config(config).unwrap().declare_io("out").unwrap()
}

pub fn open(path: &Path, engine: &str) -> Engine {
    load_operator();
    let io = Adios::new().unwrap().declare_io("in").unwrap();
    io.set_engine(engine).unwrap();
    io.open(path, Mode::ReadRandomAccess).unwrap()
}

/// A smooth field that depends on the step, as f64.
pub fn smooth(elements: u64, step: u64) -> Vec<f64> {
    (0..elements)
        .map(|index| {
            let x = index as f64 * 0.003 + step as f64;
            x.sin() * (0.1 * x).cos() + 0.01 * step as f64
        })
        .collect()
}

pub fn to_f32(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

/// The largest difference of two fields of the same length.
pub fn largest_error<T: Copy + Into<f64>>(written: &[T], read: &[T]) -> f64 {
    assert_eq!(written.len(), read.len());
    written
        .iter()
        .zip(read)
        .map(|(&written, &read)| (written.into() - read.into()).abs())
        .fold(0.0, f64::max)
}
