//! `cargo xtask live-demo`: a simulation that runs, and the viewer beside it.

use crate::cargo::{cargo, root, target};
use crate::demo::Size;
use crate::features::{VIEWER_FEATURES, build_all};
use crate::{mpi, process, setup};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The variable and the step at which the picture is drawn.
const SHOWN: [&str; 2] = ["V", "90"];

/// How the demo runs.
#[derive(Clone, Copy, Debug)]
pub struct Demo<'a> {
    pub size: Size,
    /// The viewer's window is drawn into this file, for which no display is needed.
    pub picture: Option<&'a Path>,
    /// The simulation runs on so many MPI ranks, each of which writes an ADIOS2 block.
    pub ranks: Option<usize>,
}

impl<'a> Demo<'a> {
    /// The demo that a person asks for.
    pub fn of_words(words: &'a [String]) -> Result<Demo<'a>> {
        let mut demo = Demo { size: Size::Full, picture: None, ranks: None };
        for pair in words.chunks(2) {
            match pair {
                [word, file] if word == "--picture" => demo.picture = Some(file.as_ref()),
                [word, count] if word == "--ranks" => {
                    let ranks = count.parse().ok().filter(|ranks| (1..=128).contains(ranks));
                    demo.ranks = Some(ranks.with_context(|| {
                        format!("`--ranks` takes a number from 1 to 128, not `{count}`")
                    })?);
                }
                [word] if word == "--picture" || word == "--ranks" => {
                    bail!("`{word}` needs a value; see `cargo xtask --help`")
                }
                _ => bail!("`live-demo` does not take `{}`; see `cargo xtask --help`", pair[0]),
            }
        }
        Ok(demo)
    }
}

/// A simulation that ends with the demo.
struct Running {
    process: Child,
    /// It is `mpirun`, which ends its ranks when it is asked to end.
    ranks: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        let id = self.process.id().to_string();
        let asked = self.ranks && process::succeeds(Command::new("kill").arg(id));
        // Both fail when it is over already.
        if !asked {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// Runs the simulation with the viewer beside it, until the viewer is closed or its picture is drawn.
pub fn run(Demo { size, picture, ranks }: Demo<'_>) -> Result<()> {
    setup::run()?;
    let programs = build(size)?;
    let folder = target().join("live-demo");
    fs::create_dir_all(&folder)?;
    let stream = folder.join("gray-scott");
    let _simulation = simulate(size, ranks, &programs, &stream)?;
    let mut view = match picture {
        Some(picture) => {
            let mut draw = Command::new(programs.join("examples/live_picture"));
            draw.arg(picture).arg(&stream).args(SHOWN);
            draw
        }
        None => {
            let mut view = Command::new(programs.join("fsz-viewer"));
            view.arg("--live").arg(&stream);
            view
        }
    };
    process::run(view.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", &programs))
}

/// Builds what the demo runs; the folder of the programs and of the operator.
pub fn build(size: Size) -> Result<PathBuf> {
    println!("building (the first time takes some minutes)");
    if size == Size::Small {
        build_all()?;
        return Ok(target().join("debug"));
    }
    let packages = ["fsz-adios2", "gray-scott", "fsz-viewer"];
    let mut build = cargo()?;
    build.args(["build", "--locked", "--release", "--lib", "--bins", "--examples"]);
    build.args(packages.iter().flat_map(|name| ["--package", name])).args(VIEWER_FEATURES);
    process::run(&mut build)?;
    Ok(target().join("release"))
}

/// The simulation's command, on ranks or alone.
fn simulation(ranks: Option<usize>, programs: &Path) -> Result<Command> {
    if let Some(ranks) = ranks {
        return mpi::Built::find()?
            .context("`--ranks` needs ADIOS2 with MPI; `cargo xtask mpi` builds it, once")?
            .example(ranks, programs);
    }
    let mut run = Command::new(programs.join("gray-scott"));
    run.envs(setup::variables()?).env("ADIOS2_PLUGIN_PATH", programs);
    Ok(run)
}

fn simulate(size: Size, ranks: Option<usize>, programs: &Path, stream: &Path) -> Result<Running> {
    let config = root().join("plugins/adios2/examples/gray-scott/adios2-live.xml");
    let mut run = simulation(ranks, programs)?;
    run.arg("--config").arg(config).arg("--output").arg(stream);
    // More steps than anyone looks at: it ends with the viewer.
    let (edge, interval) = if size == Size::Full { ("128", "10") } else { ("32", "2") };
    run.args(["--size", edge, "--plot-interval", interval, "--steps", "1000000"]);
    let child = run.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    let process = child.with_context(|| format!("cannot start `{}`", process::line(&run)))?;
    Ok(Running { process, ranks: ranks.is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Result<(Option<PathBuf>, Option<usize>)> {
        let words: Vec<String> = words.split_whitespace().map(String::from).collect();
        let demo = Demo::of_words(&words)?;
        Ok((demo.picture.map(PathBuf::from), demo.ranks))
    }

    #[test]
    fn words_are_options_with_values() {
        assert_eq!(of("").expect("nothing"), (None, None));
        let both = (Some("a.png".into()), Some(4));
        assert_eq!(of("--picture a.png --ranks 4").expect("both"), both);
        assert_eq!(of("--ranks 4 --picture a.png").expect("both"), both);
        for (words, told) in [
            ("--ranks", "`--ranks` needs a value"),
            ("--ranks 0", "from 1 to 128, not `0`"),
            ("--ranks many", "from 1 to 128, not `many`"),
            ("--window", "does not take `--window`"),
            ("--window 3", "does not take `--window`"),
        ] {
            let reason = of(words).expect_err(words).to_string();
            assert!(reason.contains(told), "{reason}");
        }
    }
}
