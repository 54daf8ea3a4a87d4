//! What a person types in this repository: `cargo xtask <command>`.
//!
//! Everything else is built by the commands here, so this crate is built first and depends on
//! next to nothing.

mod bench;
mod bench_output;
mod cache;
mod cargo;
mod demo;
mod fatbin;
mod fuzz;
mod gpu_put;
mod mpi;
mod plain;
mod process;
mod ptx;
mod public_api;
mod setup;
mod study;
mod test;
mod tools;
mod view;

use anyhow::{Context, Result, bail};
use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask <command>

  setup              download the pinned dependencies into the user's cache folder (once)
  demo               write a simulation through FSZ, verify every bound, draw a picture
  view-demo [--picture FILE]
                     look at what the demo wrote: original, reconstruction, error, and why;
                     with --picture, draw the window into a PNG file instead
  test [STAGE...]    everything that must hold: format, lints, docs, tests, demo (all stages)
  bench [WORDS...]   speed and ratio beside memcpy and zfp here; words go to `fsz bench`
  bench-output [FOLDER]
                     what writing device arrays costs: plain BP5 after a copy, and through FSZ on the
                     device (1 GiB a step; needs a GPU); with a folder, by the gray-scott and
                     libfsz_adios2.so in it, without cargo and set-up
  study [WORDS...]   the paper's evaluation on the test data and synthetic fields, as a report with
                     its CSV files in target/study; words go to `fsz study`
  fuzz [SECONDS] [TARGET]
                     run the fuzz targets (60 s each; needs a nightly toolchain)
  fuzz --keep        store the inputs that these runs found, minimised, in crates/fsz/fuzz/corpus
  ptx [--check]      make the PTX in cuda/ptx with the pinned CUDA compiler; with --check, fail
                     where the committed one differs
  public-api         store what the codec's library exports in crates/fsz/public-api.txt; a stage of the
                     tests compares it
  fatbin             compile the kernels beforehand, for builds that carry them (feature `fatbin`)
  mpi [--scaling]    build ADIOS2 with MPI into the user's cache folder (once, 13 minutes), and print
                     the shell lines that select it; with --scaling, run the example on 1 to 8 ranks
  gpu-put            build ADIOS2 with CUDA and without MPI into the user's cache folder (once, 13 minutes),
                     and print the shell lines with which the tests of its GPU Put find it
  check-plain        plain cargo needs a Rust toolchain and a linker, nothing else
  env                print shell lines with which plain cargo finds what set-up provided:
                     eval \"$(cargo xtask env)\"

The cache folder is $FSZ_CACHE, else $XDG_CACHE_HOME/fsz, else ~/.cache/fsz.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let is_help = |a: &String| matches!(a.as_str(), "help" | "--help" | "-h");
    let Some((command, rest)) = args.split_first().filter(|_| !args.iter().any(is_help)) else {
        println!("{HELP}");
        return Ok(());
    };
    match (command.as_str(), rest) {
        ("setup", []) => setup::run(),
        ("demo", []) => demo::run(demo::Size::Full),
        ("view-demo", []) => view::run(None),
        ("view-demo", [word, file]) if word == "--picture" => view::run(Some(file)),
        ("test", stages) => test::run(stages),
        ("bench", words) => bench::run(words),
        ("bench-output", []) => bench_output::run(),
        ("bench-output", [folder]) => bench_output::run_in(folder.as_ref()),
        ("study", words) => study::run(words),
        ("fuzz", []) => fuzz::run(60, None),
        ("fuzz", [word]) if word == "--keep" => fuzz::keep(),
        ("fuzz", [time]) => fuzz::run(seconds(time)?, None),
        ("fuzz", [time, target]) => fuzz::run(seconds(time)?, Some(target)),
        ("ptx", []) => ptx::write(),
        ("ptx", [word]) if word == "--check" => ptx::check(),
        ("public-api", []) => public_api::write(),
        ("fatbin", []) => fatbin::run(),
        ("mpi", []) => mpi::run(),
        ("mpi", [word]) if word == "--scaling" => mpi::scaling(),
        ("gpu-put", []) => gpu_put::run(),
        ("check-plain", []) => plain::run(),
        ("env", []) => setup::print_env(),
        (
            "setup" | "demo" | "view-demo" | "bench-output" | "fuzz" | "ptx" | "public-api"
            | "fatbin" | "mpi" | "gpu-put" | "check-plain" | "env",
            [.., extra],
        ) => {
            bail!("`{command}` does not take `{extra}`; see `cargo xtask --help`")
        }
        _ => bail!("no command `{command}`; see `cargo xtask --help`"),
    }
}

fn seconds(word: &str) -> Result<u32> {
    word.parse().with_context(|| format!("`{word}` is no number of seconds"))
}
