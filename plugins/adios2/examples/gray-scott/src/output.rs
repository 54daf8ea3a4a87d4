//! The simulation's output, through ADIOS2: engine, operators and parameters are the configuration
//! file's business.

use std::{
    ops::Range,
    path::Path,
    time::{Duration, Instant},
};

use adios2::{Engine, Io, Layout, Mode, Operator, Variable};

use crate::{
    ranks::Ranks,
    real::Real,
    simulation::{Model, Simulation},
};

/// The name that the configuration file knows the output by.
const IO: &str = "SimulationOutput";

/// An output that takes one step after another.
#[derive(Debug)]
pub struct Output<T: Real> {
    engine: Engine,
    io: Io,
    u: Variable<T>,
    v: Variable<T>,
    /// Only one process writes it.
    time: Option<Variable<f64>>,
    /// Told the range of each step.
    ranged: Option<Operator>,
    ranks: Ranks,
}

/// Where and how to write.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// File or stream.
    pub path: &'a Path,
    /// ADIOS2's configuration file; without one, its defaults.
    pub config: Option<&'a Path>,
    /// An operator of that file for U and V, to which each step's range over all processes is told.
    pub ranged: Option<&'a str>,
}

impl<T: Real> Output<T> {
    /// Opens the target for a box of extents z, y, x, of which this process has the planes `mine`.
    pub fn create(
        target: Target<'_>,
        ranks: &Ranks,
        shape: [usize; 3],
        mine: &Range<usize>,
        model: Model,
        seed: u64,
    ) -> anyhow::Result<Output<T>> {
        let adios = ranks.adios(target.config)?;
        let io = adios.declare_io(IO)?;
        let ranged = target.ranged.map(|name| adios.operator(name)).transpose()?;
        let shape = shape.map(|extent| extent as u64);
        let start = [mine.start as u64, 0, 0];
        let layout = Layout::global(&shape, &start, &[mine.len() as u64, shape[1], shape[2]]);
        let u = io.define_variable("U", &layout)?;
        let v = io.define_variable("V", &layout)?;
        let first = ranks.rank() == 0;
        let time = first.then(|| io.define_variable("time", &Layout::Value)).transpose()?;
        if first {
            io.define_text_attribute("model", "Gray-Scott, 3D, periodic")?;
            for (name, value) in [
                ("Du", model.diffusion_u),
                ("Dv", model.diffusion_v),
                ("F", model.feed),
                ("k", model.kill),
                ("dt", model.dt),
            ] {
                io.define_attribute(name, &[value])?;
            }
            io.define_attribute("seed", &[seed])?;
        }
        let engine = io.open(target.path, Mode::Write)?;
        Ok(Output { engine, io, u, v, time, ranged, ranks: ranks.clone() })
    }

    /// Writes one step; returns the time that it took, all of it inside ADIOS2 but for the range.
    pub fn write(&mut self, simulation: &Simulation<T>, time: f64) -> anyhow::Result<Duration> {
        let time = [time];
        let began = Instant::now();
        self.tell_range(simulation)?;
        let Output { engine, u, v, time: time_variable, .. } = self;
        engine.begin_step(None)?;
        engine.put_batch(|batch| {
            batch.put(u, simulation.u())?;
            batch.put(v, simulation.v())?;
            time_variable.as_ref().map_or(Ok(()), |variable| batch.put(variable, &time))
        })?;
        engine.end_step()?;
        Ok(began.elapsed())
    }

    /// Gives the operator the range of U and of V over all processes, so that a share of it is the same
    /// bound on each of them.
    fn tell_range(&self, simulation: &Simulation<T>) -> anyhow::Result<()> {
        let Some(operator) = &self.ranged else {
            return Ok(());
        };
        let ends = |field: &[T]| {
            field.iter().fold([f64::NEG_INFINITY; 2], |[low, high], &cell| {
                let cell = cell.to_f64();
                [low.max(-cell), high.max(cell)]
            })
        };
        let ([u0, u1], [v0, v1]) = (ends(simulation.u()), ends(simulation.v()));
        let [u0, u1, v0, v1] = self.ranks.largest([u0, u1, v0, v1])?;
        self.io.set_operation(&self.u, operator, "range", &format!("{},{u1}", -u0))?;
        self.io.set_operation(&self.v, operator, "range", &format!("{},{v1}", -v0))?;
        Ok(())
    }

    /// Closes the output; returns the time that it took.
    pub fn close(self) -> adios2::Result<Duration> {
        let began = Instant::now();
        self.engine.close()?;
        Ok(began.elapsed())
    }
}
