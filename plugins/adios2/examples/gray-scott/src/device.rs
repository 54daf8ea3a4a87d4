//! The same simulation with its arrays and its steps on a CUDA device.

use std::sync::Arc;

use anyhow::{Context, bail};
use cudarc::{
    driver::{
        CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg,
        sys,
    },
    nvrtc::Ptx,
};

use crate::{
    ranks::Ranks,
    real::Real,
    simulation::{Reaction, Simulation},
};

const PTX: &str = include_str!("../../../../../cuda/ptx/gray_scott_compute_80.ptx");
/// Thread blocks that look for a field's range, and their threads, which the kernel knows.
const SEARCHERS: (u32, u32) = (1024, 256);

/// The state on a device; planes as in [`Simulation`].
#[derive(Debug)]
pub struct DeviceSimulation<T> {
    stream: Arc<CudaStream>,
    step: CudaFunction,
    extremes: CudaFunction,
    reaction: Reaction<T>,
    /// Extents of a plane: y, x.
    plane: [usize; 2],
    ranks: Ranks,
    u: CudaSlice<T>,
    v: CudaSlice<T>,
    next_u: CudaSlice<T>,
    next_v: CudaSlice<T>,
    /// Where the neighbours' planes and the own ones meet on their way.
    borders: Vec<T>,
    pairs: CudaSlice<T>,
}

/// Elements in device memory.
#[derive(Debug, Clone, Copy)]
pub struct DeviceField {
    /// Where the first one is.
    pub address: u64,
    /// How many there are.
    pub elements: usize,
}

impl<T: Real> DeviceSimulation<T> {
    /// Takes the state of `host` to a device: the processes of a machine take turns at its devices.
    pub fn new(host: &Simulation<T>, ranks: Ranks) -> anyhow::Result<Self> {
        // SAFETY: loading the driver's library runs its initialisers, which it is made for.
        if !unsafe { sys::is_culib_present() } {
            bail!("no NVIDIA driver is installed (libcuda was not found): use --backend cpu");
        }
        let count = CudaContext::device_count().context("the NVIDIA driver does not respond")?;
        let count = usize::try_from(count).unwrap_or(0);
        if count == 0 {
            bail!("the NVIDIA driver sees no device: use --backend cpu");
        }
        let context = CudaContext::new(ranks.on_node().0 % count)?;
        let stream = context.default_stream();
        let module = context
            .load_module(Ptx::from_src(PTX))
            .context("the NVIDIA driver cannot load the kernels: update it (R550 or newer)")?;
        let (u, v) = host.with_borders();
        let plane = host.plane();
        Ok(DeviceSimulation {
            step: module.load_function(&format!("gray_scott_step_{}", T::TYPE))?,
            extremes: module.load_function(&format!("gray_scott_extremes_{}", T::TYPE))?,
            reaction: host.reaction(),
            plane,
            ranks,
            u: stream.clone_htod(u)?,
            v: stream.clone_htod(v)?,
            next_u: stream.clone_htod(u)?,
            next_v: stream.clone_htod(v)?,
            borders: vec![T::default(); 4 * plane[0] * plane[1]],
            pairs: stream.clone_htod(&vec![T::default(); 2 * SEARCHERS.0 as usize])?,
            stream,
        })
    }

    /// Advances by one time step.
    pub fn step(&mut self) -> anyhow::Result<()> {
        let plane = self.plane[0] * self.plane[1];
        for field in [&mut self.u, &mut self.v] {
            exchange(&self.stream, &self.ranks, field, plane, &mut self.borders)?;
        }
        let [ny, nx] = self.plane.map(|extent| extent as i32);
        let planes = (self.u.len() / plane - 2) as u32;
        let launch = LaunchConfig {
            grid_dim: ((nx as u32).div_ceil(32), (ny as u32).div_ceil(8), planes),
            block_dim: (32, 8, 1),
            shared_mem_bytes: 0,
        };
        let r = self.reaction;
        let mut call = self.stream.launch_builder(&self.step);
        call.arg(&self.u)
            .arg(&self.v)
            .arg(&mut self.next_u)
            .arg(&mut self.next_v)
            .arg(&ny)
            .arg(&nx);
        call.arg(&r.diffusion_u).arg(&r.diffusion_v).arg(&r.feed).arg(&r.removal).arg(&r.dt);
        call.arg(&r.trace);
        // SAFETY: the arguments are the kernel's, in order; every field has `planes` planes and two more.
        unsafe { call.launch(launch) }?;
        std::mem::swap(&mut self.u, &mut self.next_u);
        std::mem::swap(&mut self.v, &mut self.next_v);
        Ok(())
    }

    /// Waits for all that was begun.
    pub fn wait(&self) -> anyhow::Result<()> {
        Ok(self.stream.synchronize()?)
    }

    /// U and V in this process's planes, in C order. They stay until the next step.
    pub fn fields(&self) -> [DeviceField; 2] {
        let plane = self.plane[0] * self.plane[1];
        [&self.u, &self.v].map(|field| {
            let (first, _recorded) = field.device_ptr(&self.stream);
            let address = first + (plane * size_of::<T>()) as u64;
            DeviceField { address, elements: field.len() - 2 * plane }
        })
    }

    /// The same, copied to the host.
    pub fn to_host(&self, u: &mut Vec<T>, v: &mut Vec<T>) -> anyhow::Result<()> {
        let plane = self.plane[0] * self.plane[1];
        for (field, host) in [(&self.u, u), (&self.v, v)] {
            let own = field.slice(plane..field.len() - plane);
            host.resize(own.len(), T::default());
            self.stream.memcpy_dtoh(&own, host.as_mut_slice())?;
        }
        self.wait()
    }

    /// The smallest and the largest value of U, then of V.
    pub fn ranges(&mut self) -> anyhow::Result<[[f64; 2]; 2]> {
        let plane = self.plane[0] * self.plane[1];
        let (blocks, threads) = SEARCHERS;
        let launch = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut ranges = [[0.0; 2]; 2];
        for (field, range) in [&self.u, &self.v].into_iter().zip(&mut ranges) {
            let own = field.slice(plane..field.len() - plane);
            let elements = own.len() as u64;
            let mut call = self.stream.launch_builder(&self.extremes);
            call.arg(&own).arg(&elements).arg(&mut self.pairs);
            // SAFETY: the arguments are the kernel's; there is a pair for every thread block.
            unsafe { call.launch(launch) }?;
            let pairs = self.stream.clone_dtoh(&self.pairs)?;
            *range =
                pairs.chunks_exact(2).fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], pair| {
                    [a.min(pair[0].into()), b.max(pair[1].into())]
                });
        }
        Ok(ranges)
    }
}

/// Fills a field's first and last plane with the neighbours' planes.
fn exchange<T: Real>(
    stream: &Arc<CudaStream>,
    ranks: &Ranks,
    field: &mut CudaSlice<T>,
    plane: usize,
    borders: &mut [T],
) -> anyhow::Result<()> {
    let end = field.len();
    if ranks.size() == 1 {
        let (mut first, rest) = field.split_at_mut(plane);
        stream.memcpy_dtod(&rest.slice(end - 3 * plane..end - 2 * plane), &mut first)?;
        let (own, mut last) = field.split_at_mut(end - plane);
        stream.memcpy_dtod(&own.slice(plane..2 * plane), &mut last)?;
        return Ok(());
    }
    stream.memcpy_dtoh(&field.slice(plane..2 * plane), &mut borders[plane..2 * plane])?;
    let last = end - 2 * plane..end - plane;
    stream.memcpy_dtoh(&field.slice(last), &mut borders[2 * plane..3 * plane])?;
    stream.synchronize()?;
    ranks.exchange(borders, plane)?;
    stream.memcpy_htod(&borders[..plane], &mut field.slice_mut(..plane))?;
    stream.memcpy_htod(&borders[3 * plane..], &mut field.slice_mut(end - plane..))?;
    Ok(stream.synchronize()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Model;

    const MODEL: Model =
        Model { diffusion_u: 0.2, diffusion_v: 0.1, feed: 0.02, kill: 0.048, dt: 1.0 };

    fn same_as_the_processor<T: Real>(shape: [usize; 3]) -> anyhow::Result<()> {
        let mut host = Simulation::<T>::new(MODEL, shape, &(0..shape[0]), 3, 7, Ranks::alone());
        let mut device = DeviceSimulation::new(&host, Ranks::alone())?;
        for _ in 0..40 {
            host.step()?;
            device.step()?;
        }
        let (mut u, mut v) = (Vec::new(), Vec::new());
        device.to_host(&mut u, &mut v)?;
        assert!(u == host.u() && v == host.v(), "{shape:?}: other values than the processor's");
        assert_eq!(device.ranges()?, host.ranges());
        Ok(())
    }

    #[test]
    fn a_device_computes_what_the_processor_does() {
        for shape in [[24, 24, 24], [1, 5, 70], [3, 9, 33]] {
            for done in [same_as_the_processor::<f32>(shape), same_as_the_processor::<f64>(shape)] {
                if let Err(reason) = done {
                    assert!(std::env::var_os("FSZ_REQUIRE_CUDA").is_none(), "{reason:#}");
                    eprintln!("SKIPPED: Gray-Scott on a device: {reason:#}");
                    return;
                }
            }
        }
    }
}
