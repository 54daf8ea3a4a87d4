//! `fsz extract`.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use fsz_field::Kind;

/// Extract one step of a variable from an ADIOS2 file
///
/// A .fsz output receives the compressed bytes of one ADIOS2 block unchanged: they hold the variable's name but
/// not the time step, which ADIOS2 does not tell an operator. Any other output receives the decoded array.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// ADIOS2 file
    #[arg(value_name = "FILE.bp")]
    input: PathBuf,
    /// Variable name
    #[arg(long, value_name = "NAME")]
    variable: String,
    /// Time step, counted from 0 over the steps in which the variable was written
    #[arg(long, value_name = "N", default_value_t = 0)]
    step: u64,
    /// ADIOS2 block; required for a .fsz output if there are several
    #[arg(long, value_name = "N")]
    block: Option<u64>,
    /// Output file: .fsz, .npy, or raw little-endian values for an extension that names no other format; - for
    /// raw values on standard output
    #[arg(short, long, value_name = "OUT.fsz")]
    output: PathBuf,
    /// Overwrite an existing output file
    #[arg(short, long)]
    force: bool,
}

#[cfg(not(feature = "adios2"))]
pub fn run(args: &Args, _quiet: bool) -> Result<()> {
    expect_bp(&args.input)?;
    crate::source::no_adios2(&args.input)
}

/// Errs where there is another file.
fn expect_bp(path: &Path) -> Result<()> {
    ensure!(Kind::of(path)? == Kind::Bp, "{}: not an ADIOS2 file", path.display());
    Ok(())
}

#[cfg(feature = "adios2")]
pub use with_adios2::run;

#[cfg(feature = "adios2")]
mod with_adios2 {
    use anyhow::{Result, bail};
    use fsz_field::bp::{Bp, Payload, ShapeKind};
    use fsz_figure::number;

    use super::super::decompress::write_field;
    use super::{Args, expect_bp};
    use crate::{output, patience, terminal};

    /// Extracts the step.
    pub fn run(args: &Args, quiet: bool) -> Result<()> {
        expect_bp(&args.input)?;
        let file = Bp::open(&args.input)?;
        let mut output = output::create(&args.output, args.force, &[&args.input])?;
        let direct = output.is_direct();
        let bytes = if output.path().extension().is_some_and(|ending| ending == "fsz") {
            let stream = stream(args, &file)?;
            output.put(&stream)?;
            stream.len()
        } else {
            let read = || file.read(&args.variable, args.step, args.block);
            let field = patience::read(&args.input, read)?;
            write_field(&field, &mut output)?;
            field.values().bytes().len()
        };
        output.commit()?;
        let (path, size) = (args.output.display(), number::bytes(bytes as u64));
        let (name, step) = (&args.variable, args.step);
        terminal::summary(quiet, direct, &format!("{path}: {name}, step {step}, {size}"))
    }

    /// The compressed bytes of the chosen ADIOS2 block.
    fn stream(args: &Args, file: &Bp) -> Result<Vec<u8>> {
        let (name, step) = (&args.variable, args.step);
        let variable = file.variable(name)?;
        file.check_step(&variable, step)?;
        let blocks = file.blocks(name, step)?.blocks.len();
        let block = match args.block {
            Some(block) => block,
            None if blocks == 1 => 0,
            None => {
                // Local arrays are no parts of a whole one.
                let whole = match variable.kind {
                    ShapeKind::LocalArray => "",
                    _ => ", or write the whole array to a .npy output",
                };
                bail!(
                    "step {step} of {name} has {blocks} ADIOS2 blocks, each a separate stream: choose \
                     one with --block{whole}"
                );
            }
        };
        match patience::read(&args.input, || file.payload(name, step, block))? {
            Payload::Stream(bytes) => Ok(bytes),
            Payload::Raw(_) | Payload::NotFsz => {
                bail!("{name} is not compressed with FSZ: write its values to a .npy output")
            }
        }
    }
}
