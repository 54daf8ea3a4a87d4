//! The simulation's output, through ADIOS2: engine, operators and parameters are the configuration
//! file's business.

use std::{
    ops::Range,
    path::Path,
    time::{Duration, Instant},
};

use adios2::{Engine, Io, Layout, Mode, Operator, Variable};

use anyhow::{Context, ensure};

use crate::{device::DeviceField, ranks::Ranks, real::Real, simulation::Model};

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
    /// Whether what is written lies in the memory of a device.
    pub device: bool,
}

impl Target<'_> {
    /// Device memory must not reach an ADIOS2 that knows nothing of it: with an operator attached it
    /// leaves the elements alone.
    fn check(&self) -> anyhow::Result<()> {
        if !self.device || self.ranged.is_some() {
            return Ok(());
        }
        let text = match self.config {
            Some(path) => std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?,
            None => String::new(),
        };
        ensure!(
            text.contains("<operation"),
            "the configuration gives U and V no operator, and without one ADIOS2 would read device memory \
             on the host: add --copy"
        );
        Ok(())
    }
}

/// A step's fields, where they are.
#[derive(Debug, Clone, Copy)]
pub enum Fields<'a, T> {
    /// U and V on the host.
    Host(&'a [T], &'a [T]),
    /// U and V on a device, not changed until the step is written.
    Device([DeviceField; 2]),
}

/// How long the parts of a step's output took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// Put, until its work is done.
    pub put: Duration,
    /// The end of the step.
    pub end: Duration,
    /// All of it.
    pub all: Duration,
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
        target.check()?;
        let adios = ranks.adios(target.config)?;
        let io = adios.declare_io(IO)?;
        if target.device {
            io.set_parameter("StatsLevel", "0")?;
        }
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

    /// Writes one step. `ranges` are the smallest and the largest value of U and of V in this process,
    /// asked for when an operator is to be told them.
    pub fn write(
        &mut self,
        fields: Fields<'_, T>,
        ranges: impl FnOnce() -> anyhow::Result<[[f64; 2]; 2]>,
        time: f64,
    ) -> anyhow::Result<Times> {
        let time = [time];
        let began = Instant::now();
        if let Some(operator) = &self.ranged {
            // So that a share of the range is the same bound in every process.
            let [[u0, u1], [v0, v1]] = ranges()?;
            let [u0, u1, v0, v1] = self.ranks.largest([-u0, u1, -v0, v1])?;
            self.io.set_operation(&self.u, operator, "range", &format!("{},{u1}", -u0))?;
            self.io.set_operation(&self.v, operator, "range", &format!("{},{v1}", -v0))?;
        }
        let Output { engine, u, v, time: time_variable, .. } = self;
        engine.begin_step(None)?;
        let putting = Instant::now();
        engine.put_batch(|batch| {
            match fields {
                Fields::Host(host_u, host_v) => {
                    batch.put(u, host_u)?;
                    batch.put(v, host_v)?;
                }
                Fields::Device(fields) => {
                    for (variable, field) in [&*u, &*v].into_iter().zip(fields) {
                        let address = field.address as *const T;
                        // SAFETY: the elements stay until the step is written, and `create` made sure that
                        // an operator takes them and that ADIOS2 does not look for their range.
                        unsafe { batch.put_address(variable, address, field.elements)? };
                    }
                }
            }
            time_variable.as_ref().map_or(Ok(()), |variable| batch.put(variable, &time))
        })?;
        let put = putting.elapsed();
        let ending = Instant::now();
        engine.end_step()?;
        Ok(Times { put, end: ending.elapsed(), all: began.elapsed() })
    }

    /// Closes the output; returns the time that it took.
    pub fn close(self) -> adios2::Result<Duration> {
        let began = Instant::now();
        self.engine.close()?;
        Ok(began.elapsed())
    }
}
