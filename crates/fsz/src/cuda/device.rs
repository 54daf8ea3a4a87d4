//! One CUDA device: its context, kernels, and the memory that calls use again.

use std::{
    collections::BTreeMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use cudarc::driver::{result, sys::CUdevice_attribute as Attribute};

use crate::cuda::{
    boxes::last_choices::LastChoices,
    driver::{
        aside::Asides,
        context::{self, Context},
        error::check,
        workspace::Workspace,
    },
    host::lanes::Lanes,
    kernels::module::Kernels,
};
use crate::error::{Error, Result};

/// A device that is ready to work; opened once in a process.
#[derive(Debug)]
pub(crate) struct Device {
    pub ordinal: usize,
    pub context: Arc<Context>,
    pub kernels: Kernels,
    pub multiprocessors: u32,
    /// How long it took until the device was ready; unknown where the program had begun to use it before.
    pub opened_in: Option<Duration>,
    pub lanes: Lanes,
    pub last_choices: LastChoices,
    pub asides: Asides,
    idle: Mutex<Vec<Workspace>>,
}

/// The devices that are ready.
static OPEN: Mutex<BTreeMap<usize, Arc<Device>>> = Mutex::new(BTreeMap::new());

/// Held by who opens one. That takes up to some seconds, and those who ask what is ready do not wait for it.
static OPENING: Mutex<()> = Mutex::new(());

fn open() -> MutexGuard<'static, BTreeMap<usize, Arc<Device>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// Device `ordinal`.
    pub fn open(ordinal: usize) -> Result<Arc<Self>> {
        if let Some(device) = Self::opened(ordinal) {
            return Ok(device);
        }
        let _one = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = Self::opened(ordinal) {
            return Ok(device);
        }
        let device = Arc::new(Self::new(ordinal)?);
        open().insert(ordinal, Arc::clone(&device));
        Ok(device)
    }

    /// Device `ordinal` if it is ready.
    pub fn opened(ordinal: usize) -> Option<Arc<Self>> {
        open().get(&ordinal).map(Arc::clone)
    }

    fn new(ordinal: usize) -> Result<Self> {
        let began = (!context::is_in_use()).then(Instant::now);
        let context = Arc::new(Context::retain(ordinal)?);
        let major = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let shared =
            context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let multiprocessors =
            context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let kernels = Kernels::new(10 * major + minor, shared.unsigned_abs())?;
        let multiprocessors = multiprocessors.unsigned_abs();
        Ok(Device {
            ordinal,
            context,
            kernels,
            multiprocessors,
            opened_in: began.map(|began| began.elapsed()),
            lanes: Lanes::default(),
            last_choices: LastChoices::default(),
            asides: Asides::default(),
            idle: Mutex::default(),
        })
    }

    /// Runs `work` in a workspace of its own with the context current. `work` waits for what it began.
    pub fn work<R>(&self, work: impl FnOnce(&mut Workspace) -> Result<R>) -> Result<R> {
        let _entered = self.context.enter()?;
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut workspace = match taken {
            Some(workspace) => workspace,
            None => Workspace::new(&self.context)?,
        };
        let answer = work(&mut workspace);
        // Also after an error nothing may be under way in memory that is used again.
        if workspace.queue.wait().is_ok() {
            idle().push(workspace);
        }
        answer
    }
}

/// Frees what calls have left for those that follow on the device of this context; false where there is nothing.
pub(crate) fn give_back(context: &Arc<Context>) -> bool {
    let device = open().values().find(|device| Arc::ptr_eq(&device.context, context)).cloned();
    let Some(device) = device else { return false };
    // Freed when nobody waits for the lock.
    let kept = mem::take(&mut *device.idle.lock().unwrap_or_else(PoisonError::into_inner));
    !kept.is_empty()
}

/// What `fsz devices` shows of one CUDA device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its number, for [`Codec::cuda`](crate::Codec::cuda).
    pub ordinal: usize,
    /// Its name, as the driver gives it.
    pub name: String,
    /// Compute capability, major and minor.
    pub capability: (u32, u32),
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Memory in bytes.
    pub memory: u64,
}

impl DeviceInfo {
    /// Which of the kernels that FSZ carries the device runs; `None` when it is too old for any.
    pub fn kernels(&self) -> Option<&'static str> {
        match self.capability {
            (..8, _) => None,
            (8, _) => Some("PTX for 8.0"),
            _ => Some("PTX for 9.0 (persistent compression)"),
        }
    }
}

/// The CUDA devices of this machine.
///
/// # Errors
/// [`Error::Device`] with the reason when there is none that can be used.
pub fn devices() -> Result<Vec<DeviceInfo>> {
    context::driver()?;
    let count = check("cuDeviceGetCount", result::device::get_count())?;
    if count < 1 {
        return Err(Error::Device("the NVIDIA driver sees no device".into()));
    }
    (0..count).map(describe).collect()
}

fn describe(ordinal: i32) -> Result<DeviceInfo> {
    let device = check("cuDeviceGet", result::device::get(ordinal))?;
    let attribute = |attribute| {
        // SAFETY: the device is one that the driver named.
        check("cuDeviceGetAttribute", unsafe { result::device::get_attribute(device, attribute) })
            .map(|n| n.unsigned_abs())
    };
    Ok(DeviceInfo {
        ordinal: ordinal as usize,
        name: check("cuDeviceGetName", result::device::get_name(device))?,
        capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        // SAFETY: as above.
        memory: check("cuDeviceTotalMem", unsafe { result::device::total_mem(device) })? as u64,
    })
}
