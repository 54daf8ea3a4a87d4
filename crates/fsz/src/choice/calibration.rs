//! What automatic codecs know of this machine, for people to read and to renew.

use std::{path::PathBuf, sync::PoisonError};

use super::{
    DEVICE, MEASURED, STORE,
    cost::{Class, Costs},
    measure, state,
};
use crate::{cuda::Device, dtype::DType, error::Result, simd::Level, threads};

/// What [`Codec::auto`](crate::Codec::auto) knows of this machine, and decides by.
#[derive(Clone, Debug)]
pub struct Calibration {
    costs: Costs,
    threads: usize,
}

/// What calls of one kind cost.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallCost {
    /// `"compress"` or `"decompress"`.
    pub operation: &'static str,
    /// `"paper"` or `"dense"`.
    pub profile: &'static str,
    /// The element type.
    pub dtype: DType,
    /// Whether it was measured here; else these are usual figures.
    pub measured: bool,
    /// Uncompressed bytes a second of large fields on the CPU, with all threads of the current rayon pool.
    pub cpu_speed: f64,
    /// The same from host memory to host memory through the device.
    pub cuda_speed: f64,
    /// Fields of so many bytes and more run on the device in a process that has used it; `None`: none does.
    pub cuda_from: Option<u64>,
    /// The same of the only call of a process.
    pub first_from: Option<u64>,
}

impl Calibration {
    /// What is known now: what was measured earlier, also by other processes, and usual figures for the rest.
    pub fn current() -> Self {
        Calibration { costs: state().costs.clone(), threads: threads::current() }
    }

    /// Measures everything anew on CUDA device 0 and with all threads of the current rayon pool, and keeps it in
    /// the [`file`](Self::file) where that can be written. Takes some seconds, and some more where the driver has
    /// to compile kernels.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) when there is no usable device.
    pub fn measure() -> Result<Self> {
        let device = Device::open(DEVICE)?;
        let _one = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
        for class in Class::all() {
            measure(&device, class, Level::detect())?;
        }
        Ok(Self::current())
    }

    /// Where it is kept; `None` where the user has no cache folder (`$FSZ_CACHE`, else `$XDG_CACHE_HOME/fsz`, else
    /// `~/.cache/fsz`).
    pub fn file() -> Option<PathBuf> {
        STORE.as_ref().map(|store| store.path().to_owned())
    }

    /// Whether the file holds a calibration of this machine.
    pub fn is_kept() -> bool {
        STORE.as_ref().is_some_and(|store| store.path().is_file() && store.load().is_some())
    }

    /// Seconds that a process needs to begin and to end with CUDA.
    pub fn start(&self) -> f64 {
        self.costs.start
    }

    /// Each kind of call.
    pub fn calls(&self) -> impl Iterator<Item = CallCost> + use<'_> {
        Class::all().map(|class| {
            let cost = self.costs.of(class, self.threads);
            CallCost {
                operation: class.work_name(),
                profile: class.profile,
                dtype: class.dtype,
                measured: self.costs.measured(class).is_some(),
                cpu_speed: cost.cpu_speed(self.threads),
                cuda_speed: cost.cuda_speed(),
                cuda_from: cost.bytes_for(0.0, self.threads),
                first_from: cost
                    .bytes_for(self.costs.start + self.costs.compiling(class), self.threads),
            }
        })
    }
}
