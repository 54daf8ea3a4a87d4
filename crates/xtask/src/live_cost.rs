//! `cargo xtask live-cost`: how much slower a simulation is with a viewer connected.

use crate::cargo::{root, target};
use crate::demo::{self, Size};
use crate::{live, process, setup};
use anyhow::{Context, Result};
use fs_err as fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs without a viewer and with one. Many short ones: two equal runs differ by several percent, their median does not.
const PAIRS: usize = 15;
/// Steps of a run; each takes about a second of one processor.
const STEPS: u64 = 8;
const EDGE: &str = "64";

/// What a run took.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Seconds from its begin to its end.
    wall: f64,
    /// Seconds of processors, of the simulation alone.
    processor: f64,
}

/// Measures and prints.
pub fn run() -> Result<()> {
    setup::run()?;
    let programs = live::build(Size::Full)?;
    let folder = target().join("live-cost");
    fs::create_dir_all(&folder)?;
    let interval = interval(&programs, &folder)?;
    println!(
        "\nGray-Scott, U and V of {EDGE}³ f32, {STEPS} steps of {interval} time steps, one thread"
    );
    println!("run | alone: s, processor s | with a viewer: s, processor s | ratios");
    let mut ratios = [Vec::new(), Vec::new()];
    for pair in 1..=PAIRS {
        // Each goes first in every other pair: a machine may become slower or faster in between.
        let first = measure(&programs, &folder, &interval, pair % 2 == 0)?;
        let second = measure(&programs, &folder, &interval, pair % 2 != 0)?;
        let (alone, viewed) = if pair % 2 == 0 { (second, first) } else { (first, second) };
        let own = [viewed.wall / alone.wall, viewed.processor / alone.processor];
        println!(
            "{pair:>3} | {:7.2} {:7.2} | {:7.2} {:7.2} | {:.3} {:.3}",
            alone.wall, alone.processor, viewed.wall, viewed.processor, own[0], own[1]
        );
        ratios.iter_mut().zip(own).for_each(|(all, own)| all.push(own));
    }
    for (name, ratios) in ["time", "processor time"].into_iter().zip(ratios) {
        let [least, middle, most] = spread(ratios);
        println!(
            "{name}, with a viewer over alone: median {middle:.3}, from {least:.3} to {most:.3}"
        );
    }
    Ok(())
}

/// Time steps between two written ones, so that these are about a second apart.
fn interval(programs: &Path, folder: &Path) -> Result<String> {
    let tried = 100;
    let mut run = simulation(programs, &folder.join("tried.bp"), "adios2.xml", "1", "100")?;
    let text = process::stdout(run.env("RAYON_NUM_THREADS", "1"))?;
    let seconds = demo::number(&text, "simulate_seconds").context("no time was printed")?;
    Ok(((f64::from(tried) / seconds) as u64).max(1).to_string())
}

fn simulation(
    programs: &Path,
    output: &Path,
    config: &str,
    steps: &str,
    interval: &str,
) -> Result<Command> {
    let config = root().join("plugins/adios2/examples/gray-scott").join(config);
    let mut run = Command::new(programs.join("gray-scott"));
    run.arg("--json").arg("--config").arg(config).arg("--output").arg(output);
    run.args(["--size", EDGE, "--steps", steps, "--plot-interval", interval]);
    run.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", programs);
    Ok(run)
}

/// One run of the simulation, whose viewer has connected before its first step ends and leaves before the last.
fn measure(programs: &Path, folder: &Path, interval: &str, viewed: bool) -> Result<Run> {
    let stream = folder.join("gray-scott");
    let mut viewer = match viewed {
        true => Some(Viewer::start(programs, folder, &stream)?),
        false => None,
    };
    let steps = STEPS.to_string();
    let simulation = simulation(programs, &stream, "adios2-live.xml", &steps, interval)?;
    // The shell's own clock tells of the simulation what no program can be asked for when it is over.
    let mut clock = Command::new("bash");
    clock.args([
        "-c",
        "TIMEFORMAT='\"wall\": %R, \"user\": %U, \"system\": %S'; time \"$@\"",
        "bash",
    ]);
    clock.arg(simulation.get_program()).args(simulation.get_args());
    clock.envs(simulation.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = clock.env("RAYON_NUM_THREADS", "1").output().context("cannot start bash")?;
    let text = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "the simulation failed: {text}");
    if let Some(viewer) = &mut viewer {
        viewer.end()?;
    }
    let seconds = |key| demo::number(&text, key).with_context(|| format!("no {key} time: {text}"));
    Ok(Run { wall: seconds("wall")?, processor: seconds("user")? + seconds("system")? })
}

/// A viewer without a window, which shows step after step up to the last but one.
struct Viewer(Child);

impl Viewer {
    fn start(programs: &Path, folder: &Path, stream: &Path) -> Result<Viewer> {
        let mut view = Command::new(programs.join("examples/live_picture"));
        view.arg(folder.join("last.png")).arg(stream).arg("V").arg((STEPS - 2).to_string());
        view.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", programs);
        let child = view.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        Ok(Viewer(child.with_context(|| format!("cannot start `{}`", process::line(&view)))?))
    }

    /// Waits for its end: it has seen the steps.
    fn end(&mut self) -> Result<()> {
        let status = self.0.wait().context("cannot wait for the viewer")?;
        anyhow::ensure!(status.success(), "the viewer did not see the last steps ({status})");
        Ok(())
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        // Both fail when it is over already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The least, the middle and the largest.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [values[0], values[values.len() / 2], values[values.len() - 1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_median() {
        assert_eq!(spread(vec![3.0, 1.0, 2.0]), [1.0, 2.0, 3.0]);
        assert_eq!(spread(vec![5.0]), [5.0; 3]);
    }

    #[test]
    fn the_clock_is_read() {
        let text = "\"wall\": 1.50, \"user\": 0.25, \"system\": 0.05\n";
        assert_eq!(demo::number(text, "wall"), Some(1.5));
        assert_eq!(demo::number(text, "system"), Some(0.05));
    }
}
