//! The Gray-Scott reaction-diffusion simulation in three dimensions, writing through ADIOS2.
//!
//! It knows of no compressor: the configuration file (`--config`) chooses engine and operators.

mod output;
mod random;
mod real;
mod simulation;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use output::Output;
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
    /// Time steps to simulate before each step that is written
    #[arg(long, default_value_t = 50)]
    plot_interval: u64,
    /// Number type
    #[arg(long = "type", value_enum, default_value = "f32")]
    number: Number,
    /// File or stream to write
    #[arg(long, short, default_value = "gray-scott.bp")]
    output: PathBuf,
    /// ADIOS2 configuration with an io named SimulationOutput; without it ADIOS2's defaults
    #[arg(long, short)]
    config: Option<PathBuf>,
    /// Decides where the first drops of V fall
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of these drops
    #[arg(long, default_value_t = 12)]
    drops: usize,
    /// Diffusion rate of U
    #[arg(long, default_value_t = 0.2)]
    du: f64,
    /// Diffusion rate of V
    #[arg(long, default_value_t = 0.1)]
    dv: f64,
    /// Rate at which U is fed
    #[arg(long, default_value_t = 0.02)]
    feed: f64,
    /// Rate at which V is removed
    #[arg(long, default_value_t = 0.048)]
    kill: f64,
    /// Length of a time step
    #[arg(long, default_value_t = 1.0)]
    dt: f64,
    /// Print one JSON object at the end instead of a line for each step
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Number {
    F32,
    F64,
}

/// Extents: z, y, x.
#[derive(Debug, Clone, Copy)]
struct Shape([usize; 3]);

fn parse_shape(text: &str) -> Result<Shape, String> {
    let extents: Vec<usize> = text
        .split('x')
        .map(|extent| extent.parse().ok().filter(|extent| (1..=65536).contains(extent)))
        .collect::<Option<_>>()
        .ok_or("extents are numbers from 1 to 65536")?;
    match extents[..] {
        [edge] => Ok(Shape([edge; 3])),
        [z, y, x] => Ok(Shape([z, y, x])),
        _ => Err("give one number or three, as in 64x96x128".into()),
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    match arguments.number {
        Number::F32 => run::<f32>(&arguments),
        Number::F64 => run::<f64>(&arguments),
    }
}

fn run<T: Real>(arguments: &Arguments) -> anyhow::Result<()> {
    let Shape(shape) = arguments.size;
    let model = Model {
        diffusion_u: arguments.du,
        diffusion_v: arguments.dv,
        feed: arguments.feed,
        kill: arguments.kill,
        dt: arguments.dt,
    };
    let path = &arguments.output;
    let mut output =
        Output::create(path, arguments.config.as_deref(), shape, model, arguments.seed)
            .with_context(|| format!("cannot begin {}", path.display()))?;
    let mut simulation = Simulation::<T>::new(model, shape, arguments.drops, arguments.seed);
    let mut simulating = Duration::ZERO;
    let mut writing = Vec::new();
    for step in 0..arguments.steps {
        let began = Instant::now();
        for _ in 0..arguments.plot_interval {
            simulation.step();
        }
        let simulated = began.elapsed();
        let time = ((step + 1) * arguments.plot_interval) as f64 * arguments.dt;
        let written = output
            .write(&simulation, time)
            .with_context(|| format!("cannot write step {step} of {}", path.display()))?;
        if !arguments.json {
            println!(
                "step {step}: time {time}, simulated in {:.3} s, written in {:.3} s",
                simulated.as_secs_f64(),
                written.as_secs_f64()
            );
        }
        simulating += simulated;
        writing.push(written.as_secs_f64());
    }
    let closing = output.close().with_context(|| format!("cannot finish {}", path.display()))?;
    let total = writing.iter().sum::<f64>() + closing.as_secs_f64();
    if arguments.json {
        println!(
            "{{\"steps\": {}, \"simulate_seconds\": {}, \"write_seconds\": {total}, \
             \"write_seconds_per_step\": {writing:?}}}",
            arguments.steps,
            simulating.as_secs_f64(),
        );
    } else {
        println!(
            "{} steps in {}: simulated in {:.3} s, written in {total:.3} s",
            arguments.steps,
            path.display(),
            simulating.as_secs_f64()
        );
    }
    Ok(())
}
