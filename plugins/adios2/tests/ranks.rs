//! The example on 1 to 8 ranks of a real MPI, into one file each time. `cargo xtask mpi` builds what this
//! needs; without it the tests say that they were skipped.

mod common;

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use adios2::{Selection, Step, StepStatus};
use common::{largest_error, open};
use tempfile::TempDir;

const STEPS: u64 = 3;
const RATIO: f64 = 1e-3;

const SIZE: [&str; 2] = ["--size", "17x20x24"];

fn example(config: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/gray-scott").join(config)
}

/// An MPI, and what was built with it.
struct Mpi {
    adios2: PathBuf,
    prefix: PathBuf,
    program: PathBuf,
}

impl Mpi {
    fn find(what: &str) -> Option<Mpi> {
        let folder = |name| env::var_os(name).map(PathBuf::from);
        let (Some(adios2), Some(prefix)) = (folder("FSZ_MPI_ADIOS2"), folder("FSZ_MPI_PREFIX"))
        else {
            eprintln!("SKIPPED: {what}: there is no ADIOS2 with MPI; `cargo xtask mpi` builds one");
            return None;
        };
        // Beside the operator, which cargo puts there too.
        let built =
            fsz_field::bp::load_operator().expect("cargo built it").parent().expect("a folder");
        let program = [built.to_path_buf(), built.join("..")]
            .map(|folder| folder.join("gray-scott"))
            .into_iter()
            .find(|program| program.is_file());
        let Some(program) = program else {
            eprintln!(
                "SKIPPED: {what}: gray-scott was not built; `cargo build --workspace` does it"
            );
            return None;
        };
        Some(Mpi { adios2, prefix, program })
    }

    /// The example on so many ranks, told a step's range over all of them.
    fn on_ranks(&self, ranks: usize, config: &Path) -> Command {
        let mut command = Command::new(self.prefix.join("bin/mpirun"));
        command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np"]);
        command.arg(ranks.to_string()).arg(&self.program);
        command.arg("--ranks").arg(self.adios2.join("lib/libgray_scott_ranks.so"));
        command.arg("--config").arg(config);
        command.args(["--ranged", "fsz"]).env("ADIOS2_DIR", &self.adios2);
        let plugins = fsz_field::bp::load_operator().expect("cargo built it").parent();
        command.env("ADIOS2_PLUGIN_PATH", plugins.expect("a folder"));
        command.env("OPAL_PREFIX", &self.prefix).args(SIZE);
        // Other tests run beside.
        command.env("OMPI_MCA_mpi_yield_when_idle", "1");
        command
    }

    /// The example into a file; 0 ranks for none, without MPI and without an operator.
    fn command(&self, ranks: usize, output: &Path, arguments: &[&str]) -> Command {
        let mut command = if ranks == 0 {
            let mut command = Command::new(&self.program);
            command.arg("--config").arg(example("adios2-plain.xml")).args(SIZE);
            command
        } else {
            self.on_ranks(ranks, &example("adios2-range.xml"))
        };
        command.args(arguments).arg("--output").arg(output);
        command
    }

    fn run(&self, ranks: usize, folder: &Path) -> adios2::Engine {
        let path = folder.join(format!("{ranks}.bp"));
        let mut command = self.command(ranks, &path, &["--steps", "3", "--plot-interval", "20"]);
        let output = command.output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{ranks} ranks: {} {text}", output.status);
        open(&path, "BP5")
    }
}

fn read(file: &adios2::Engine, name: &str, step: u64) -> Vec<f32> {
    file.read(name, Step::At(step), &Selection::All).expect("it can be read")
}

#[test]
fn the_number_of_ranks_changes_no_value() {
    let Some(mpi) = Mpi::find("values on 1 to 8 ranks") else { return };
    let folder = TempDir::new().expect("a scratch folder");
    let original = mpi.run(0, folder.path());
    let files = [1, 2, 4, 8].map(|ranks| (ranks, mpi.run(ranks, folder.path())));
    for name in ["U", "V"] {
        for step in 0..STEPS {
            let exact = read(&original, name, step);
            let ends = exact.iter().fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], &x| {
                [low.min(x), high.max(x)]
            });
            let bound = RATIO * (f64::from(ends[1]) - f64::from(ends[0]));
            let alone = read(&files[0].1, name, step);
            let error = largest_error(&exact, &alone);
            assert!(error > 0.0 && error <= bound, "{name}, step {step}: {error} of {bound}");
            for (ranks, file) in &files {
                let blocks = file.blocks(name, Step::At(step)).expect("it has some");
                assert_eq!(blocks.blocks.len(), *ranks, "an ADIOS2 block from each rank");
                let values = read(file, name, step);
                let same = values.iter().zip(&alone).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{name}, step {step}: {ranks} ranks wrote other values than one");
            }
        }
    }
}

/// Each rank sends an ADIOS2 block; a reader without MPI, with another ADIOS2, puts them together.
#[test]
fn a_stream_of_ranks_has_the_values_of_a_file() {
    let Some(mpi) = Mpi::find("a stream of ranks") else { return };
    let folder = TempDir::new().expect("a scratch folder");
    let file = mpi.run(1, folder.path());
    let text = fs::read_to_string(example("adios2-range.xml")).expect("the example");
    let (before, rest) = text.split_once("<engine").expect("it has an engine");
    let (_, after) = rest.split_once("</engine>").expect("it has parameters");
    let config = folder.path().join("stream.xml");
    fs::write(&config, format!("{before}<engine type=\"SST\"/>{after}")).expect("a file");
    let path = folder.path().join("stream");
    let mut command = mpi.on_ranks(4, &config);
    command.args(["--steps", "3", "--plot-interval", "20"]).arg("--output").arg(&path);
    let command = command.stdout(Stdio::null()).spawn();
    let mut running = Running(command.expect("it starts"));
    let io = adios2::Adios::new().expect("ADIOS2").declare_io("in").expect("a name");
    io.set_engine("SST").expect("an engine");
    let mut stream = io.open(&path, adios2::Mode::Read).expect("a writer");
    let patience = Some(Duration::from_secs(60));
    let mut step = 0;
    while stream.begin_step(patience).expect("it can be waited for") == StepStatus::Ready {
        for name in ["U", "V"] {
            let blocks = stream.blocks(name, Step::Current).expect("it has some");
            assert_eq!(blocks.blocks.len(), 4, "an ADIOS2 block from each rank");
            let values: Vec<f32> =
                stream.read(name, Step::Current, &Selection::All).expect("it can be read");
            let same = values.iter().zip(&read(&file, name, step)).all(|(a, b)| a == b);
            assert!(same && values.len() == 17 * 20 * 24, "{name}, step {step}");
        }
        stream.end_step().expect("it ends");
        step += 1;
    }
    assert_eq!(step, STEPS);
    stream.close().expect("it closes");
    assert!(running.0.wait().expect("it ends").success());
}

/// Ends all of them when a test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it is over already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The processes of the example that write `output`, in the order in which they began.
fn processes(output: &Path) -> Vec<u32> {
    let output = output.to_str().expect("text");
    let mut found: Vec<u32> = fs::read_dir("/proc")
        .expect("Linux")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|process| {
            let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            let words: Vec<_> = line.split(|&byte| byte == 0).collect();
            words[0].ends_with(b"gray-scott") && words.contains(&output.as_bytes())
        })
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn a_killed_rank_leaves_every_finished_step() {
    let Some(mpi) = Mpi::find("a rank that is killed") else { return };
    let folder = TempDir::new().expect("a scratch folder");
    let original = mpi.run(0, folder.path());
    let path = folder.path().join("killed.bp");
    // More steps than it will live to write.
    let mut command = mpi.command(4, &path, &["--steps", "1000000", "--plot-interval", "20"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = Running(command.spawn().expect("it starts"));
    let lines = BufReader::new(running.0.stdout.take().expect("piped")).lines();
    let mut finished = 0;
    for line in lines {
        let line = line.expect("text");
        if line.starts_with("step ") {
            finished += 1;
        }
        if finished == STEPS {
            let ranks = processes(&path);
            assert_eq!(ranks.len(), 4, "one process to a rank");
            let last = ranks[3].to_string();
            assert!(
                Command::new("kill").args(["-9", &last]).status().expect("it starts").success()
            );
        }
    }
    let began = Instant::now();
    while running.0.try_wait().expect("it can be asked").is_none() {
        assert!(began.elapsed() < Duration::from_secs(60), "the other ranks did not end");
        thread::sleep(Duration::from_millis(1));
    }
    let file = open(&path, "BP5");
    let steps = file.variable("U").expect("it is there").steps;
    assert!(steps >= finished, "{finished} steps were finished, {steps} can be read");
    for step in 0..STEPS {
        for name in ["U", "V"] {
            let error = largest_error(&read(&original, name, step), &read(&file, name, step));
            assert!(error > 0.0 && error <= RATIO, "{name}, step {step}: {error}");
        }
    }
}
