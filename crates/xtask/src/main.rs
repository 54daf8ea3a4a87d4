//! What a person types in this repository: `cargo xtask <command>`.
//!
//! Everything else is built by the commands here, so this crate is built first and depends on
//! next to nothing.

mod bench;
mod bench_output;
mod c_header;
mod cache;
mod cargo;
mod demo;
mod example;
mod fatbin;
mod features;
mod folder;
mod fortran;
mod fuzz;
mod generate;
mod gpu_put;
mod install;
mod install_c;
mod live;
mod live_cost;
mod mpi;
mod plain;
mod process;
mod ptx;
mod public_api;
mod setup;
mod source;
mod study;
mod test;
mod tools;
mod view;
mod wheel;

use anyhow::{Context, Result, bail};
use std::process::ExitCode;
use std::str::FromStr;

const HELP: &str = "\
Usage: cargo xtask <command>

  setup              download the pinned dependencies into the cache folder (once)
  demo               run a simulation through FSZ, verify every bound and draw a picture
  view-demo [--picture FILE]
                     open the demo's output in the viewer; with --picture, draw its window into a PNG
                     file instead
  live-demo [--ranks N] [--picture FILE]
                     run a simulation that streams its steps through ADIOS2's SST, with the viewer
                     beside it; with --ranks, on N MPI ranks (see mpi); with --picture, draw its
                     window into a PNG file instead
  live-cost          measure how much slower a simulation is with a viewer connected
  test [STAGE...]    run all checks and tests, or the stages named; this is what CI runs.
                     `test --help` lists them
  bench [ARGS...]    measure speed and ratio beside memcpy and zfp; ARGS go to `fsz bench`
  bench-output [FOLDER]
                     measure how long a simulation on a GPU takes to write, as plain BP5 and through
                     FSZ, from the device and from the host (1 GiB a step); with FOLDER, use the
                     gray-scott and libfsz_adios2.so in it, without cargo and set-up
  study [ARGS...]    repeat the paper's evaluation on the test data and synthetic fields: a report and
                     CSV files in target/study; ARGS go to `fsz study`
  install --prefix DIR
                     build the programs and plugins and install them into DIR, with manual pages,
                     completions, and the icon, file type and thumbnailer of desktops
  install-c --prefix DIR
                     build the C library and install it into DIR, with header, C++ wrapper, Fortran
                     module, pkg-config file and CMake package
  c-header [--check] generate the header of the C library; with --check, fail if the committed one
                     differs
  fuzz [SECONDS] [TARGET]
                     run the fuzz targets (60 s each; needs a nightly toolchain)
  fuzz --keep        minimise the inputs found and add them to crates/fsz/fuzz/corpus
  ptx [--check]      compile the PTX in cuda/ptx with the pinned CUDA compiler; with --check, fail if
                     the committed PTX differs
  generate [--check] generate the format's constants for CUDA and WGSL; with --check, fail if the
                     committed ones differ
  public-api         update crates/fsz/public-api.txt, the list of what the library exports
  fatbin             compile the kernels ahead of time, for builds with the feature `fatbin`
  mpi [--scaling [FOLDER DEVICES]]
                     build ADIOS2 with MPI into the cache folder (once, 13 minutes) and print the
                     shell lines that select it; with --scaling, run the Gray-Scott example on 1 to 16
                     ranks; with FOLDER and DEVICES, use the gray-scott and libfsz_adios2.so in it on so
                     many GPUs, without cargo and set-up
  gpu-put            build ADIOS2 with CUDA into the cache folder (once, 13 minutes) and print the
                     shell lines by which the tests of its GPU Put find it
  wheel              build the Python package into target/wheels
  check-plain        check that plain cargo needs a Rust toolchain and a linker, nothing else
  env                print shell lines by which plain cargo finds what `setup` installed:
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
        match args.first().map(String::as_str) {
            Some("test") => println!("{}", test::help()),
            _ => println!("{HELP}"),
        }
        return Ok(());
    };
    match (command.as_str(), rest) {
        ("setup", []) => setup::run(),
        ("demo", []) => demo::run(demo::Size::Full),
        ("view-demo", []) => view::run(None),
        ("view-demo", [word, file]) if word == "--picture" => view::run(Some(file)),
        ("live-cost", []) => live_cost::run(),
        ("live-demo", words) => live::run(live::Demo::of_words(words)?),
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
        ("generate", []) => generate::run(false),
        ("generate", [word]) if word == "--check" => generate::run(true),
        ("install", [word, prefix]) if word == "--prefix" => install::run(prefix),
        ("install", _) => bail!("`install` needs `--prefix DIR`; see `cargo xtask --help`"),
        ("install-c", [word, prefix]) if word == "--prefix" => install_c::run(prefix),
        ("install-c", _) => bail!("`install-c` needs `--prefix DIR`; see `cargo xtask --help`"),
        ("c-header", []) => c_header::write(),
        ("c-header", [word]) if word == "--check" => c_header::check(),
        ("public-api", []) => public_api::write(),
        ("fatbin", []) => fatbin::run(),
        ("mpi", []) => mpi::run(),
        ("mpi", [word]) if word == "--scaling" => mpi::scaling(),
        ("mpi", [word, folder, devices]) if word == "--scaling" => {
            mpi::scaling_in(folder.as_ref(), count(devices, "devices")?)
        }
        ("gpu-put", []) => gpu_put::run(),
        ("wheel", []) => wheel::run(),
        ("check-plain", []) => plain::run(),
        ("env", []) => setup::print_env(),
        (
            "setup" | "demo" | "view-demo" | "live-cost" | "bench-output" | "fuzz" | "generate"
            | "ptx" | "c-header" | "public-api" | "fatbin" | "mpi" | "gpu-put" | "wheel"
            | "check-plain" | "env",
            [.., extra],
        ) => {
            bail!("`{command}` does not take `{extra}`; see `cargo xtask --help`")
        }
        _ => bail!("no command `{command}`; see `cargo xtask --help`"),
    }
}

fn seconds(word: &str) -> Result<u32> {
    count(word, "seconds")
}

fn count<N: FromStr>(word: &str, what: &str) -> Result<N> {
    word.parse().ok().with_context(|| format!("`{word}` is not a number of {what}"))
}
