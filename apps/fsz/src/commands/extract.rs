//! `fsz extract`.

use std::path::PathBuf;

#[cfg(not(feature = "adios2"))]
use crate::failure::Result;

/// Take one step of a variable out of an ADIOS2 file
///
/// An output that ends in .fsz takes the compressed bytes of an ADIOS2 block as they are; any other
/// takes the decoded array.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// ADIOS2 file
    #[arg(value_name = "FILE.bp")]
    input: PathBuf,
    /// Variable
    #[arg(long, value_name = "NAME")]
    variable: String,
    /// Time step, counted from 0 among those in which the variable was written
    #[arg(long, value_name = "N", default_value_t = 0)]
    step: u64,
    /// ADIOS2 block; needed for .fsz if there are several
    #[arg(long, value_name = "N")]
    block: Option<u64>,
    /// File to write: .fsz, .npy, or raw little-endian values
    #[arg(short, long, value_name = "OUT.fsz")]
    output: PathBuf,
    /// Overwrite the output
    #[arg(short, long)]
    force: bool,
}

#[cfg(not(feature = "adios2"))]
pub fn run(args: &Args, _quiet: bool) -> Result {
    crate::source::no_adios2(&args.input)
}

#[cfg(feature = "adios2")]
pub use with_adios2::run;

#[cfg(feature = "adios2")]
mod with_adios2 {
    use fsz_field::Output;
    use fsz_field::bp::{Bp, Payload};

    use super::super::decompress::write_field;
    use super::Args;
    use crate::failure::{Result, Verdict, fail};
    use crate::{number, screen};

    /// Takes the step out.
    pub fn run(args: &Args, quiet: bool) -> Result {
        let file = Bp::open(&args.input)?;
        let mut output = Output::create(&args.output, args.force)?;
        let bytes = if output.path().extension().is_some_and(|ending| ending == "fsz") {
            let stream = stream(args, &file)?;
            output.put(&stream)?;
            stream.len()
        } else {
            let field = file.read(&args.variable, args.step, args.block)?;
            write_field(&field, &mut output)?;
            field.values().bytes().len()
        };
        output.commit()?;
        if !quiet {
            let (path, size) = (args.output.display(), number::bytes(bytes as u64));
            screen::print(&format!("{path}: {size}\n"))?;
        }
        Ok(Verdict::Fine)
    }

    /// The compressed bytes of the ADIOS2 block that is meant.
    fn stream(args: &Args, file: &Bp) -> Result<Vec<u8>> {
        let (name, step) = (&args.variable, args.step);
        let variable = file.variable(name)?;
        if step >= variable.steps {
            return fail(format!(
                "{name} has {} steps, so there is no step {step}",
                variable.steps
            ));
        }
        let blocks = file.blocks(name, step)?.blocks.len();
        let block = match args.block {
            Some(block) => block,
            None if blocks == 1 => 0,
            None => {
                return fail(format!(
                    "step {step} of {name} is {blocks} ADIOS2 blocks, each a stream of its own: \
                     choose one with --block, or name an .npy output for the whole array"
                ));
            }
        };
        match file.payload(name, step, block)? {
            Payload::Stream(bytes) => Ok(bytes),
            Payload::Raw(_) | Payload::NotFsz => fail(format!(
                "{name} is not stored as an FSZ stream there: name an .npy output for its values"
            )),
        }
    }
}
