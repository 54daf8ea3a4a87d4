//! Weak scaling: Gray-Scott on 1 to 16 ranks, each with as many cells, plain and through the operator.

use super::{Built, run};
use crate::bench_output::lines;
use crate::cargo::{cargo, target};
use crate::{demo, example, folder, process};
use anyhow::{Context, Result};
use fs_err as fs;
use std::path::Path;

const RANKS: [usize; 5] = [1, 2, 4, 8, 16];

/// Where the simulation runs, and the planes, rows and columns of each rank.
struct Machine {
    backend: &'static str,
    cells: [usize; 3],
    /// Time steps between written ones.
    interval: &'static str,
    /// Steps that are written; the first one, in which everything is set up, does not count.
    steps: usize,
    /// Devices that the ranks may use, and how many ranks there are.
    runs: Vec<(usize, usize)>,
}

/// On processors, with what is built first.
pub fn scaling() -> Result<()> {
    run()?;
    let built = Built::find()?.context("ADIOS2 with MPI was removed")?;
    let mut build = cargo()?;
    build.args(["build", "--locked", "--release", "-p", "gray-scott", "-p", "fsz-adios2"]);
    process::run(&mut build)?;
    let runs = RANKS.map(|ranks| (0, ranks)).to_vec();
    let machine =
        Machine { backend: "cpu", cells: [64, 128, 128], interval: "10", steps: 11, runs };
    measure(&machine, &built, &target().join("release"))
}

/// On one device to so many, each with as many ranks as the others, on a machine that has no cargo:
/// the programs `gray-scott` and `libfsz_adios2.so` are in a folder, and what [`run`] builds is in
/// the cache.
pub fn scaling_in(programs: &Path, devices: usize) -> Result<()> {
    let programs =
        fs::canonicalize(programs).with_context(|| format!("no folder {}", programs.display()))?;
    let dealt = |devices| RANKS.into_iter().filter(move |ranks| ranks % devices == 0);
    let runs = (1..=devices).flat_map(|devices| dealt(devices).map(move |ranks| (devices, ranks)));
    let machine = Machine {
        backend: "cuda",
        cells: [64, 512, 512],
        interval: "50",
        steps: 4,
        runs: runs.collect(),
    };
    measure(&machine, &Built::place()?, &programs)
}

fn measure(machine: &Machine, built: &Built, programs: &Path) -> Result<()> {
    let folder = programs.join("scaling");
    fs::create_dir_all(&folder)?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let [z, y, x] = machine.cells;
    let on_device = machine.backend == "cuda";
    println!(
        "\nGray-Scott ({}), {z} x {y} x {x} f32 per rank, U and V, one aggregator; bound",
        machine.backend
    );
    println!(
        "1e-3 of each step's range over all ranks; medians of {} steps; {processors} processors",
        machine.steps - 1
    );
    println!("devices, ranks | plain: MB, ms, GB/s | paper: ... | dense: ...");
    for &(devices, ranks) in &machine.runs {
        let field = (2 * 4 * ranks * z * y * x) as f64;
        let threads = (processors / ranks).max(1).to_string();
        let mut line = format!("{devices:>3} {ranks:>3}");
        for profile in [None, Some("paper"), Some("dense")] {
            let file = folder.join("out.bp");
            folder::remove(&file)?;
            let config = folder.join("adios2.xml");
            let text = match profile {
                Some(profile) => example::fsz(&[("profile", profile), ("threads", &threads)])?,
                None => example::plain()?,
            };
            fs::write(&config, text)?;
            let mut run = built.example(ranks, programs)?;
            run.args(["--json", "--backend", machine.backend]).arg("--config").arg(config);
            run.arg("--size").arg(format!("{}x{y}x{x}", z * ranks));
            run.args(["--steps", &machine.steps.to_string(), "--plot-interval", machine.interval]);
            run.args(profile.map_or(&[][..], |_| &["--ranged", "fsz"]));
            run.args((profile.is_none() && on_device).then_some("--copy"));
            if on_device {
                let all: Vec<String> = (0..devices).map(|device| device.to_string()).collect();
                run.env("CUDA_VISIBLE_DEVICES", all.join(","));
            }
            let json = process::stdout(run.arg("--output").arg(&file))?;
            let times = lines::numbers(&json, "write_seconds_per_step");
            let seconds = times
                .and_then(|times| lines::median(times.get(1..)?))
                .context("the simulation printed no times of its steps")?;
            let bytes = demo::bytes_in(&file)? as f64 / machine.steps as f64;
            line += &format!(
                " | {:.1} {:.1} {:.2}",
                bytes / 1e6,
                1e3 * seconds,
                field / seconds * 1e-9
            );
        }
        println!("{line}");
    }
    Ok(fs::remove_dir_all(&folder)?)
}
