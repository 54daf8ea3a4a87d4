//! Where an automatic codec runs a call: on the CPU or on a CUDA device, whichever has it done sooner.
//!
//! A process that has not used CUDA needs a third of a second to begin and to end with it, more than the CPU needs
//! for most fields, and a driver that has not seen the kernels of a call seconds to compile them. So calls run on the
//! CPU until those that have done so would together have gained that time on the device. What calls cost is measured once per machine, when a process has spent so long with calls that the
//! time for it does not matter, and kept in the user's cache folder; until then usual figures serve.

mod calibrate;
mod calibration;
mod cost;
mod machine;
mod store;

use std::sync::{
    Arc, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError,
    atomic::{AtomicBool, Ordering},
};

pub use calibration::{Calibration, CallCost};
pub(crate) use cost::{Class, Job, UsualCost, Work};
use cost::{Cost, Costs};
use store::Store;

use crate::{cuda::Device, error::Result, simd::Level};

/// Seconds that measuring takes, about, and how many times as long a process has spent with calls before.
const MEASURING: f64 = 1.0;
const PATIENCE: f64 = 10.0;

/// Fields of fewer bytes are done on the CPU before a device has begun.
const SMALL: u64 = 64 << 10;

/// The device that automatic codecs use.
const DEVICE: usize = 0;

static STORE: LazyLock<Option<Store>> = LazyLock::new(|| Store::of(&machine::description()));
static STATE: LazyLock<Mutex<State>> = LazyLock::new(|| {
    let costs = STORE.as_ref().and_then(Store::load).unwrap_or_default();
    Mutex::new(State { costs, balance: Balance::default() })
});

/// No device can be used: found out once.
static NONE: AtomicBool = AtomicBool::new(false);

/// Held by who measures, so that nobody else does meanwhile.
static MEASURED: Mutex<()> = Mutex::new(());

/// What `work` gives with a lock held; nothing where it is held already. A thread that waits for others of its pool does other
/// calls meanwhile, and one of these must not wait for what the thread itself holds.
fn unless_held<R>(lock: &Mutex<()>, work: impl FnOnce() -> R) -> Option<R> {
    let _held = match lock.try_lock() {
        Ok(held) => held,
        Err(TryLockError::Poisoned(held)) => held.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    Some(work())
}

struct State {
    costs: Costs,
    balance: Balance,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What calls of this process have lost on the CPU, and have taken since the last measurement, in seconds.
#[derive(Debug, Default)]
struct Balance {
    lost: f64,
    spent: f64,
}

impl Balance {
    /// Whether a call that would gain so much on the device is to run there. `price` is what has to be paid
    /// before it can.
    fn is_due(&mut self, gain: f64, price: f64) -> bool {
        if gain <= 0.0 {
            return false;
        }
        if self.lost + gain <= price {
            self.lost += gain;
            return false;
        }
        true
    }

    /// Whether calls have taken so long, with one of so many seconds, that a measurement may be made.
    fn may_measure(&mut self, seconds: f64, price: f64) -> bool {
        self.spent += seconds;
        let may = self.spent >= PATIENCE * price;
        if may {
            self.spent = 0.0;
        }
        may
    }
}

/// The device that is to run `job`, which is then ready; `None` for the CPU. `begins`: a device may be begun with.
pub(crate) fn device(job: &Job, begins: bool, level: Level) -> Option<Arc<Device>> {
    if job.bytes < SMALL || NONE.load(Ordering::Relaxed) {
        return None;
    }
    let ready = Device::opened(DEVICE);
    if ready.is_none() && !begins {
        return None;
    }
    let (due, measuring, is_compiled) = {
        let mut state = state();
        let cost = state.costs.of(job.class, job.threads);
        let gain = cost.gain(job.bytes, job.threads);
        let price = state.costs.price(job.class, ready.is_some());
        let due = state.balance.is_due(gain, price);
        let unknown = state.costs.measured(job.class).is_none();
        let seconds = cost.on_device(job.bytes) + if due { 0.0 } else { gain };
        let measuring = unknown && state.balance.may_measure(seconds, price + MEASURING);
        (due, measuring, state.costs.is_compiled(job.class))
    };
    // What cannot be kept is not measured: the next process would have to do it again. Asked last, for it writes
    // a file to find out.
    let measuring = measuring && STORE.as_ref().is_some_and(Store::is_writable);
    if !due && !measuring {
        return None;
    }
    let Ok(device) = ready.map_or_else(|| Device::open(DEVICE), Ok) else {
        NONE.store(true, Ordering::Relaxed);
        return None;
    };
    if measuring
        && let Some(measured) = unless_held(&MEASURED, || measure(&device, job.class, level))
    {
        // What fails now will fail in the call as well, and the CPU does it then.
        return (measured.ok()?.gain(job.bytes, job.threads) > 0.0).then_some(device);
    }
    if due && !is_compiled {
        keep_compiled(job.class);
    }
    due.then_some(device)
}

/// Whether a call would run on a device if it were made now; starts and measures nothing.
pub(crate) fn is_for_device(job: &Job) -> bool {
    if job.bytes < SMALL || NONE.load(Ordering::Relaxed) {
        return false;
    }
    let costs = &state().costs;
    let price = costs.price(job.class, Device::opened(DEVICE).is_some());
    let cost = costs.of(job.class, job.threads);
    cost.gain(job.bytes, job.threads) > price
}

/// Keeps that the driver has compiled the kernels of a class, as it does for the call that follows. One whose cache is
/// switched off compiles them again in each process.
fn keep_compiled(class: Class) {
    let mut found = Costs::new(state().costs.start);
    found.set_compiled(class);
    state().costs.merge(&found);
    if let (Some(store), None) = (STORE.as_ref(), std::env::var_os("CUDA_CACHE_DISABLE")) {
        // The process knows it all the same.
        let _ = store.save(&found);
    }
}

/// Measures a class, and keeps what was found. The caller holds [`MEASURED`].
fn measure(device: &Device, class: Class, level: Level) -> Result<Cost> {
    let cost = calibrate::measure(device, class, level)?;
    let start = calibrate::start(device).unwrap_or_else(|| state().costs.start);
    let mut found = Costs::new(start);
    found.set(class, cost);
    state().costs.merge(&found);
    if let Some(store) = STORE.as_ref() {
        // The process knows it all the same.
        let _ = store.save(&found);
    }
    Ok(cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_is_started_when_calls_have_lost_what_that_costs() {
        let mut balance = Balance::default();
        assert!(!balance.is_due(-1.0, 0.0), "the CPU is faster");
        assert!(balance.is_due(0.001, 0.0), "it is ready, and faster");
        assert!(balance.is_due(0.4, 0.35), "one call pays for it");
        let calls = (0..100).take_while(|_| !balance.is_due(0.05, 0.35)).count();
        assert!((6..=7).contains(&calls), "{calls}");
        assert!(!Balance::default().is_due(0.05, 0.35), "each process pays by itself");
    }

    #[test]
    fn measuring_waits_until_its_time_does_not_matter() {
        let mut balance = Balance::default();
        for _ in 0..2 {
            let calls = (0..1000).take_while(|_| !balance.may_measure(0.1, 1.0)).count();
            assert!((98..=100).contains(&calls), "{calls}");
        }
    }

    #[test]
    fn a_call_in_the_middle_of_a_measurement_does_not_wait_for_it() {
        let lock = Mutex::new(());
        assert_eq!(unless_held(&lock, || unless_held(&lock, || 1)), Some(None));
        assert_eq!(unless_held(&lock, || 2), Some(2), "it was let go");
    }
}
