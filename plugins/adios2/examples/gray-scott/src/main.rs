//! The Gray-Scott reaction-diffusion simulation in three dimensions, writing through ADIOS2.
//!
//! It knows of no compressor: the configuration file (`--config`) chooses engine and operators.

mod device;
mod output;
mod ranks;
mod real;
mod simulation;

use std::{
    ffi::OsString,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use device::DeviceSimulation;
use output::{Fields, Output, Target, Times};
use ranks::Ranks;
use real::Real;
use simulation::{Model, Simulation};

/// Simulates the Gray-Scott model in a periodic box and writes U and V through ADIOS2.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Cells: one number for a cube, or z, y and x as in 64x96x128
    #[arg(long, default_value = "128", value_parser = parse_shape)]
    size: Shape,
    /// Steps to write
    #[arg(long, default_value_t = 20)]
    steps: u64,
    /// Time steps between written steps
    #[arg(long, default_value_t = 50)]
    plot_interval: u64,
    /// Element type
    #[arg(long = "type", value_enum, default_value = "f32")]
    number: Number,
    /// File or stream to write
    #[arg(long, short, default_value = "gray-scott.bp")]
    output: PathBuf,
    /// ADIOS2 configuration file with an io named SimulationOutput [default: ADIOS2's defaults]
    #[arg(long, short)]
    config: Option<PathBuf>,
    /// Where the simulation runs and keeps its arrays
    #[arg(long, value_enum, default_value = "cpu")]
    backend: Backend,
    /// Copy device arrays to the host before writing them
    #[arg(long)]
    copy: bool,
    /// Attach this operator of the configuration to U and V, with each step's global value range
    #[arg(long, requires = "config")]
    ranged: Option<String>,
    /// Run under mpirun, with this library (mpi/ranks.c says how to build it)
    #[arg(long, env = "GRAY_SCOTT_RANKS")]
    ranks: Option<OsString>,
    /// Seed for the positions of the initial drops of V
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of initial drops of V
    #[arg(long, default_value_t = 12)]
    drops: usize,
    /// Diffusion rate of U
    #[arg(long, default_value_t = 0.2)]
    du: f64,
    /// Diffusion rate of V
    #[arg(long, default_value_t = 0.1)]
    dv: f64,
    /// Feed rate of U
    #[arg(long, default_value_t = 0.02)]
    feed: f64,
    /// Removal rate of V
    #[arg(long, default_value_t = 0.048)]
    kill: f64,
    /// Length of a time step
    #[arg(long, default_value_t = 1.0)]
    dt: f64,
    /// Print one JSON object at the end instead of a line per step
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Number {
    F32,
    F64,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Backend {
    Cpu,
    Cuda,
}

/// Extents: z, y, x.
#[derive(Debug, Clone, Copy)]
struct Shape([usize; 3]);

fn parse_shape(text: &str) -> Result<Shape, String> {
    let extents: Vec<usize> = text
        .split('x')
        .map(|extent| extent.parse().ok().filter(|extent| (1..=65536).contains(extent)))
        .collect::<Option<_>>()
        .ok_or("extents must be from 1 to 65536")?;
    match extents[..] {
        [edge] => Ok(Shape([edge; 3])),
        [z, y, x] => Ok(Shape([z, y, x])),
        _ => Err("give one number or three, as in 64x96x128".into()),
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let ranks = match &arguments.ranks {
        Some(library) => Ranks::start(library)?,
        None => Ranks::alone(),
    };
    match arguments.number {
        Number::F32 => run::<f32>(&arguments, &ranks),
        Number::F64 => run::<f64>(&arguments, &ranks),
    }
}

fn run<T: Real>(arguments: &Arguments, ranks: &Ranks) -> anyhow::Result<()> {
    share_processors(ranks)?;
    let Shape(shape) = arguments.size;
    let mine = ranks.share(shape[0])?;
    let model = Model {
        diffusion_u: arguments.du,
        diffusion_v: arguments.dv,
        feed: arguments.feed,
        kill: arguments.kill,
        dt: arguments.dt,
    };
    let path = &arguments.output;
    let target = Target {
        path,
        config: arguments.config.as_deref(),
        ranged: arguments.ranged.as_deref(),
        device: arguments.backend == Backend::Cuda && !arguments.copy,
    };
    let mut output = Output::create(target, ranks, shape, &mine, model, arguments.seed)
        .with_context(|| format!("cannot begin {}", path.display()))?;
    let (drops, seed) = (arguments.drops, arguments.seed);
    let simulation = Simulation::<T>::new(model, shape, &mine, drops, seed, ranks.clone());
    let mut state = match arguments.backend {
        Backend::Cpu => State::Host(simulation),
        Backend::Cuda => State::Device {
            device: Box::new(DeviceSimulation::new(&simulation, ranks.clone())?),
            copies: arguments.copy.then(Default::default),
        },
    };
    let speaks = ranks.rank() == 0;
    let mut simulating = Duration::ZERO;
    let (mut copying, mut writing) = (Vec::new(), Vec::new());
    for step in 0..arguments.steps {
        let began = Instant::now();
        for _ in 0..arguments.plot_interval {
            state.step()?;
        }
        state.wait()?;
        let simulated = began.elapsed();
        let time = ((step + 1) * arguments.plot_interval) as f64 * arguments.dt;
        let (copied, times) = state
            .write(&mut output, time)
            .with_context(|| format!("cannot write step {step} of {}", path.display()))?;
        if speaks && !arguments.json {
            println!(
                "step {step}: time {time}, simulated in {:.3} s, written in {:.3} s",
                simulated.as_secs_f64(),
                (copied + times.all).as_secs_f64()
            );
        }
        simulating += simulated;
        copying.push(copied);
        writing.push(times);
    }
    let closing = output.close().with_context(|| format!("cannot finish {}", path.display()))?;
    let all = || copying.iter().zip(&writing).map(|(copied, times)| *copied + times.all);
    let total = (all().sum::<Duration>() + closing).as_secs_f64();
    // The last one counts.
    let [simulate, total] = ranks.largest([simulating.as_secs_f64(), total])?;
    if speaks && arguments.json {
        println!(
            "{{\"ranks\": {}, \"steps\": {}, \"simulate_seconds\": {simulate}, \
             \"write_seconds\": {total}, \"write_seconds_per_step\": {:?}, \
             \"copy_seconds_per_step\": {:?}, \"put_seconds_per_step\": {:?}, \
             \"end_seconds_per_step\": {:?}}}",
            ranks.size(),
            arguments.steps,
            seconds(all()),
            seconds(copying.iter().copied()),
            seconds(writing.iter().map(|times| times.put)),
            seconds(writing.iter().map(|times| times.end)),
        );
    } else if speaks {
        println!(
            "{} steps in {}: simulated in {simulate:.3} s, written in {total:.3} s",
            arguments.steps,
            path.display(),
        );
    }
    Ok(())
}

fn seconds(times: impl Iterator<Item = Duration>) -> Vec<f64> {
    times.map(|time| time.as_secs_f64()).collect()
}

/// The simulation where it runs.
enum State<T: Real> {
    Host(Simulation<T>),
    Device {
        device: Box<DeviceSimulation<T>>,
        /// U and V for the output, where it wants them on the host.
        copies: Option<(Vec<T>, Vec<T>)>,
    },
}

impl<T: Real> State<T> {
    fn step(&mut self) -> anyhow::Result<()> {
        match self {
            State::Host(simulation) => simulation.step(),
            State::Device { device, .. } => device.step(),
        }
    }

    /// Waits for the steps that were begun.
    fn wait(&self) -> anyhow::Result<()> {
        match self {
            State::Host(_) => Ok(()),
            State::Device { device, .. } => device.wait(),
        }
    }

    /// Writes a step; the time for copies to the host, and that of the output.
    fn write(&mut self, output: &mut Output<T>, time: f64) -> anyhow::Result<(Duration, Times)> {
        let began = Instant::now();
        match self {
            State::Host(s) => Ok((
                Duration::ZERO,
                output.write(Fields::Host(s.u(), s.v()), || Ok(s.ranges()), time)?,
            )),
            State::Device { device, copies: Some((u, v)) } => {
                device.to_host(u, v)?;
                let copied = began.elapsed();
                Ok((copied, output.write(Fields::Host(u, v), || device.ranges(), time)?))
            }
            State::Device { device, copies: None } => {
                let fields = Fields::Device(device.fields());
                Ok((Duration::ZERO, output.write(fields, || device.ranges(), time)?))
            }
        }
    }
}

/// Gives each process of a machine its share of the processors.
fn share_processors(ranks: &Ranks) -> anyhow::Result<()> {
    let (_, processes) = ranks.on_node();
    if processes > 1 {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let threads = (processors / processes).max(1);
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    Ok(())
}
