//! Where a field comes from, as told on the command line.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use fsz::{Codec, DType, Progress};
#[cfg(feature = "adios2")]
use fsz_field::bp::{BlockInfo, Bp, ShapeKind};
use fsz_field::{Field, Hints, Kind, Like, Shape, Synthetic};

use crate::bar;
#[cfg(feature = "adios2")]
use crate::last_bp::LastBp;

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
    /// Variable to read from an ADIOS2 file; may be left out where there is one array of float or double
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// Time step to read from an ADIOS2 file, counted from 0; the first by default
    #[arg(long, value_name = "N")]
    pub step: Option<u64>,
    /// ADIOS2 block to read instead of the whole array
    #[arg(long, value_name = "N")]
    pub block: Option<u64>,
    /// The field that a raw file is compared with.
    #[arg(skip)]
    pub like: Option<Like>,
    /// Where an ADIOS2 file is looked for before it is opened.
    #[cfg(feature = "adios2")]
    #[arg(skip)]
    pub last_bp: LastBp,
}

impl SourceArgs {
    /// Opens the field: of an ADIOS2 file the first step, unless another is chosen.
    pub fn open(&self, path: &Path, codec: &Codec) -> Result<Field> {
        self.open_watched(path, codec, &Progress::new())
    }

    /// The same; decoding a .fsz file reports to `progress`, and is cancelled by it.
    pub fn open_watched(
        &self,
        path: &Path,
        codec: &Codec,
        progress: &Arc<Progress>,
    ) -> Result<Field> {
        if Kind::of(path)? == Kind::Bp {
            return self.open_bp(path, None);
        }
        self.refuse_choice(path)?;
        Ok(fsz_field::open_watched(path, &self.hints(), codec, progress)?)
    }

    /// The same where it matters which step is taken: errs when one of several is to be chosen. `otherwise` is what else
    /// can be done. Decoding a .fsz file has a progress bar.
    pub fn open_chosen(
        &self,
        path: &Path,
        codec: &Codec,
        otherwise: &str,
        quiet: bool,
    ) -> Result<Field> {
        match Kind::of(path)? {
            Kind::Fsz => bar::watch("decompressing", quiet, |progress| {
                self.open_watched(path, codec, progress)
            }),
            _ => self.open_chosen_watched(path, codec, otherwise, &Progress::new()),
        }
    }

    /// The same; decoding a .fsz file reports to `progress`, and is cancelled by it.
    pub fn open_chosen_watched(
        &self,
        path: &Path,
        codec: &Codec,
        otherwise: &str,
        progress: &Arc<Progress>,
    ) -> Result<Field> {
        match Kind::of(path)? {
            Kind::Bp => self.open_bp(path, Some(otherwise)),
            _ => self.open_watched(path, codec, progress),
        }
    }

    fn hints(&self) -> Hints {
        let (shape, dtype, like) = (self.shape.clone(), self.dtype, self.like.clone());
        Hints { shape, dtype, like, ..Hints::default() }
    }

    /// Errs where a field is chosen of a file that holds one.
    fn refuse_choice(&self, path: &Path) -> Result<()> {
        let number = |option, number: Option<u64>| Some(format!("--{option} {}", number?));
        let variable = self.variable.as_ref().map(|name| format!("--variable {name}"));
        let options = [variable, number("step", self.step), number("block", self.block)];
        match options.into_iter().flatten().next() {
            Some(option) => bail!("{option}: {} is not an ADIOS2 file", path.display()),
            None => Ok(()),
        }
    }

    /// Errs as opening it does where this contradicts a stream with this shape and type: for who decodes a part of it.
    pub fn agree(&self, path: &Path, shape: &[u64], dtype: DType) -> Result<()> {
        self.refuse_choice(path)?;
        Ok(self.hints().agree(path, &Shape::new(shape)?, dtype)?)
    }

    /// Opens the file at `path`, else makes the synthetic field of that name, of about `bytes`.
    pub fn open_or_make(&self, path: &Path, bytes: u64, codec: &Codec) -> Result<Field> {
        match synthetic(path) {
            Some(kind) => Ok(kind.field(bytes, self.dtype.unwrap_or(DType::F32))?),
            None => self.open(path, codec),
        }
    }

    #[cfg(feature = "adios2")]
    fn open_bp(&self, path: &Path, otherwise: Option<&str>) -> Result<Field> {
        self.last_bp.read(path, |file| self.read_bp(file, path, otherwise))
    }

    #[cfg(feature = "adios2")]
    fn read_bp(&self, file: &Bp, path: &Path, otherwise: Option<&str>) -> Result<Field> {
        let or = otherwise.unwrap_or_default();
        let name = match &self.variable {
            Some(name) => name.clone(),
            None => only_variable(file, path, or)?,
        };
        if otherwise.is_some() && self.step.is_none() {
            let variable = file.variable(&name)?;
            let (steps, path) = (variable.steps, path.display());
            // Single values make no series.
            let or = if variable.kind == ShapeKind::GlobalValue { "" } else { or };
            anyhow::ensure!(
                steps <= 1,
                "{path}: {name} has {steps} steps: choose one with --step{or}"
            );
        }
        let read = || file.read(&name, self.step.unwrap_or(0), self.block);
        let field = crate::patience::read(path, read)?;
        self.hints().agree(path, field.shape(), field.dtype())?;
        Ok(field)
    }

    #[cfg(not(feature = "adios2"))]
    fn open_bp(&self, path: &Path, _otherwise: Option<&str>) -> Result<Field> {
        no_adios2(path)
    }
}

/// The one array of a file that can be read. `or` is what else can be done where there are several.
#[cfg(feature = "adios2")]
fn only_variable(file: &Bp, path: &Path, or: &str) -> Result<String> {
    let (all, path) = (file.variables()?, path.display());
    anyhow::ensure!(!all.is_empty(), "{path}: {}", fsz_field::bp::NO_VARIABLES);
    let mut names = Vec::new();
    for variable in all {
        // Times and other single values are not what is meant.
        if ["f32", "f64"].contains(&variable.dtype.name())
            && !file.blocks(&variable.name, 0)?.blocks.iter().all(BlockInfo::is_value)
        {
            names.push(variable.name);
        }
    }
    match names.len() {
        0 => bail!("{path}: no arrays of float or double: name another variable with --variable"),
        1 => Ok(names.remove(0)),
        _ => bail!("{path}: choose one with --variable{or}: {}", names.join(", ")),
    }
}

/// The synthetic field of this name, unless there is such a file.
pub fn synthetic(path: &Path) -> Option<Synthetic> {
    path.to_str().filter(|_| !path.exists()).and_then(Synthetic::named)
}

/// Errs when the path is neither a file nor the name of a synthetic field, or `source` chooses what such a field does not have;
/// its size is that of the option `size`.
pub fn check_field(path: &Path, source: &SourceArgs, size: &str) -> Result<()> {
    if synthetic(path).is_some() {
        if let Some(shape) = &source.shape {
            let name = path.display();
            bail!(
                "--shape {shape}: {name} is a synthetic field, whose size {size} tells: omit --shape"
            );
        }
        return source.refuse_choice(path);
    }
    // A word alone was more likely meant as such a name.
    if !path.exists() && path.components().count() == 1 && path.extension().is_none() && path != "-"
    {
        bail!("{}: No such file, and no synthetic field of this name: see --help", path.display());
    }
    Kind::of(path)?;
    Ok(())
}

/// The answer of a build that cannot read ADIOS2 files.
#[cfg(not(feature = "adios2"))]
pub fn no_adios2<T>(path: &Path) -> Result<T> {
    bail!(
        "{}: this build cannot read ADIOS2 files; run cargo xtask setup, then build with --features \
         adios2",
        path.display()
    )
}
