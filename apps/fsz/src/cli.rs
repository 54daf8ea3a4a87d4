//! The commands, as typed.

use std::any::TypeId;
use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};
use fsz_figure::number::short;
use fsz_manual::exit_codes;

use crate::commands::{
    adios2, bench, compare, completions, compress, decompress, devices, extract, inspect, man,
    picture, slice, study, verify, view,
};

/// Exit codes, and what they mean.
pub const EXIT_CODES: [(&str, &str); 4] = [
    ("0", "success"),
    ("1", "a check failed"),
    ("2", "usage error or unreadable input"),
    ("130", "interrupted"),
];

/// Error-bounded lossy compression of scientific fields.
///
/// Every finite value is reproduced within the error bound; NaN, ±Inf and missing values are
/// reproduced exactly. Inputs can be raw values (shape from --shape or from a name such as
/// T_30x192x288.f32), .npy, .fsz, .zfp and ADIOS2 .bp; the content of a file takes precedence over its
/// name. LZ1 and LZ2 are the first- and second-order Lorenzo predictors.
///
/// Outputs appear whole or not at all; symbolic links are followed. The input - is standard input; it is read
/// into memory, and so is a pipe. The output - is standard output; summaries then go to standard error.
#[derive(Debug, Parser)]
#[command(name = "fsz", version, max_term_width = 100, after_long_help = exit_codes(&EXIT_CODES))]
pub struct Cli {
    /// Print errors only: no progress bars, no summaries
    // Of every command the last but help: it would stand among the first options.
    #[arg(short, long, global = true, display_order = 998)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compress(compress::Args),
    Decompress(decompress::Args),
    Inspect(inspect::Args),
    Verify(verify::Args),
    Slice(slice::Args),
    Picture(picture::Args),
    Extract(extract::Args),
    Compare(compare::Args),
    Bench(bench::Args),
    Study(study::Args),
    View(view::Args),
    Devices(devices::Args),
    Adios2(adios2::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// What this program was called with.
pub fn parse() -> Result<Cli, clap::Error> {
    let matches = command().try_get_matches()?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command()))
}

/// The commands. Where an option takes a value, a negative number is one, if only to be refused as such. Of a number
/// whatever begins with - is: clap knows neither -1e-3 nor -inf.
fn command() -> clap::Command {
    let numbers = |arg: Arg| match arg.is_positional() || !arg.get_action().takes_values() {
        true => arg,
        false => {
            let kind = arg.get_value_parser().type_id();
            let arg = match kind {
                kind if kind == TypeId::of::<u64>() => arg.value_parser(whole::<u64>),
                kind if kind == TypeId::of::<usize>() => arg.value_parser(whole::<usize>),
                kind if kind == TypeId::of::<f64>() => arg.value_parser(number),
                _ => arg,
            };
            match kind == TypeId::of::<f64>() {
                true => arg.allow_hyphen_values(true),
                // Where that is set already, negative numbers are among them.
                false if arg.is_allow_hyphen_values_set() => arg,
                false => arg.allow_negative_numbers(true),
            }
        }
    };
    Cli::command().mut_subcommands(|command| command.mut_args(numbers))
}

/// A whole number. What the standard library says of others tells nobody what to give.
fn whole<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| match !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        true => "a whole number below 2^64 is needed",
        false => "a whole number from 0 is needed, in digits alone",
    })
}

/// A whole number of at least `least` and at most `most`.
pub fn whole_in<T: FromStr + PartialOrd + Display>(
    text: &str,
    least: T,
    most: T,
) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| (&least..=&most).contains(&number));
    number.ok_or_else(|| format!("a whole number from {least} to {most} is needed"))
}

/// Millions of bytes. More than any machine has are no size either.
pub fn megabytes(text: &str) -> Result<u32, String> {
    whole_in(text, 1, 1_000_000)
}

/// Errs where a number is twice in the list of an option: what is measured at it would count twice in means.
pub fn refuse_twice(option: &str, numbers: &[f64]) -> Result<()> {
    let is_twice = |(i, number): (usize, &f64)| numbers[..i].contains(number).then_some(*number);
    match numbers.iter().enumerate().find_map(is_twice) {
        Some(number) => bail!("{option}: {} is named twice: omit one", short(number)),
        None => Ok(()),
    }
}

/// A number, with the same remark.
fn number(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "a number is needed, such as 0.01 or 1e-3")
}

impl Cli {
    /// Runs the command; its exit code.
    pub fn run(self) -> Result<ExitCode> {
        let quiet = self.quiet;
        match self.command {
            Command::Verify(args) => return verify::run(&args, quiet),
            Command::Inspect(args) => return inspect::run(&args, quiet),
            Command::Decompress(args) => return decompress::run(&args, quiet),
            Command::View(args) => return view::run(&args),
            Command::Compress(args) => compress::run(&args, quiet),
            Command::Slice(args) => slice::run(&args, quiet),
            Command::Picture(args) => picture::run(&args, quiet),
            Command::Extract(args) => extract::run(&args, quiet),
            Command::Compare(args) => compare::run(&args, quiet),
            Command::Bench(args) => bench::run(&args, quiet),
            Command::Study(args) => study::run(&args, quiet),
            Command::Devices(args) => devices::run(&args),
            Command::Adios2(args) => adios2::run(&args),
            Command::Completions(args) => completions::run(&args, &mut Cli::command()),
            Command::Man(args) => man::run(&args, Cli::command(), quiet),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_are_consistent() {
        super::command().debug_assert();
    }
}
