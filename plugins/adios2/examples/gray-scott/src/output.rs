//! The simulation's output, through ADIOS2: engine, operators and parameters are the configuration
//! file's business.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use adios2::{Adios, Engine, Layout, Mode, Variable};

use crate::{
    real::Real,
    simulation::{Model, Simulation},
};

/// The name that the configuration file knows the output by.
const IO: &str = "SimulationOutput";

/// An output that takes one step after another.
#[derive(Debug)]
pub struct Output<T: Real> {
    engine: Engine,
    u: Variable<T>,
    v: Variable<T>,
    time: Variable<f64>,
}

impl<T: Real> Output<T> {
    /// Opens `path` as the configuration says; without one, with ADIOS2's defaults.
    pub fn create(
        path: &Path,
        config: Option<&Path>,
        shape: [usize; 3],
        model: Model,
        seed: u64,
    ) -> adios2::Result<Output<T>> {
        let adios = match config {
            Some(config) => Adios::with_config(config)?,
            None => Adios::new()?,
        };
        let io = adios.declare_io(IO)?;
        let shape = shape.map(|extent| extent as u64);
        let u = io.define_variable("U", &Layout::whole(&shape))?;
        let v = io.define_variable("V", &Layout::whole(&shape))?;
        let time = io.define_variable("time", &Layout::Value)?;
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
        let engine = io.open(path, Mode::Write)?;
        Ok(Output { engine, u, v, time })
    }

    /// Writes one step; returns the time that it took, all of it inside ADIOS2.
    pub fn write(&mut self, simulation: &Simulation<T>, time: f64) -> adios2::Result<Duration> {
        let time = [time];
        let Output { engine, u, v, time: time_variable } = self;
        let began = Instant::now();
        engine.begin_step(None)?;
        engine.put_batch(|batch| {
            batch.put(u, simulation.u())?;
            batch.put(v, simulation.v())?;
            batch.put(time_variable, &time)
        })?;
        engine.end_step()?;
        Ok(began.elapsed())
    }

    /// Closes the output; returns the time that it took.
    pub fn close(self) -> adios2::Result<Duration> {
        let began = Instant::now();
        self.engine.close()?;
        Ok(began.elapsed())
    }
}
