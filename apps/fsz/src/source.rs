//! Where a field comes from, as told on the command line.

use std::path::Path;

use clap::Args;
use fsz::{Codec, DType};
use fsz_field::{Field, Hints, Kind, Shape};

use crate::failure::{Result, fail};

/// What a file does not tell by itself, and which of its fields is meant.
#[derive(Debug, Clone, Default, Args)]
pub struct SourceArgs {
    /// Shape of raw values, slowest axis first, for example 30x192x288; taken from the file or its
    /// name by default
    #[arg(long, value_name = "SHAPE")]
    pub shape: Option<Shape>,
    /// Type of raw values: f32 or f64
    #[arg(long, value_name = "TYPE")]
    pub dtype: Option<DType>,
    /// Variable to read from an ADIOS2 file
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// Time step to read from an ADIOS2 file, counted from 0
    #[arg(long, value_name = "N")]
    pub step: Option<u64>,
    /// ADIOS2 block to read instead of the whole array
    #[arg(long, value_name = "N")]
    pub block: Option<u64>,
}

impl SourceArgs {
    /// Opens the field.
    pub fn open(&self, path: &Path, codec: &Codec) -> Result<Field> {
        if Kind::of(path)? == Kind::Bp {
            return self.open_bp(path);
        }
        if let Some(name) = &self.variable {
            return fail(format!("--variable {name}: {} is not an ADIOS2 file", path.display()));
        }
        let hints = Hints { shape: self.shape.clone(), dtype: self.dtype, ..Hints::default() };
        Ok(fsz_field::open(path, &hints, codec)?)
    }

    #[cfg(feature = "adios2")]
    fn open_bp(&self, path: &Path) -> Result<Field> {
        let file = fsz_field::bp::Bp::open(path)?;
        let name = match &self.variable {
            Some(name) => name.clone(),
            None => {
                let names: Vec<String> = file.variables()?.into_iter().map(|v| v.name).collect();
                let names = names.join(", ");
                return fail(format!("{}: choose one with --variable: {names}", path.display()));
            }
        };
        Ok(file.read(&name, self.step.unwrap_or(0), self.block)?)
    }

    #[cfg(not(feature = "adios2"))]
    fn open_bp(&self, path: &Path) -> Result<Field> {
        no_adios2(path)
    }
}

/// The answer of a build that cannot read ADIOS2 files.
#[cfg(not(feature = "adios2"))]
pub fn no_adios2<T>(path: &Path) -> Result<T> {
    fail(format!(
        "{}: this build cannot read ADIOS2 files; run cargo xtask setup, then build with --features \
         adios2",
        path.display()
    ))
}
