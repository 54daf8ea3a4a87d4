//! What calls cost on each backend: a fixed time and a speed, by which the choice is made.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use crate::{dtype::DType, profile::Profile};

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    Compress,
    Decompress,
}

/// Calls whose cost follows from their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Class {
    pub work: Work,
    /// The name of a profile.
    pub profile: &'static str,
    pub dtype: DType,
}

impl Class {
    pub fn all() -> impl Iterator<Item = Self> {
        let works = [Work::Compress, Work::Decompress];
        let dtypes = [DType::F32, DType::F64];
        Profile::ALL.iter().flat_map(move |profile| {
            works.into_iter().flat_map(move |work| {
                dtypes.into_iter().map(move |dtype| Class::new(work, profile, dtype))
            })
        })
    }

    pub fn new(work: Work, profile: &Profile, dtype: DType) -> Self {
        Class { work, profile: profile.name(), dtype }
    }

    /// Its profile, which chooses everything by itself.
    pub fn profile(&self) -> Profile {
        Profile::named(self.profile).unwrap_or_default()
    }

    pub const fn work_name(self) -> &'static str {
        match self.work {
            Work::Compress => "compress",
            Work::Decompress => "decompress",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.work_name(), self.profile, self.dtype)
    }
}

impl FromStr for Class {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::all().find(|class| class.to_string() == text).ok_or(())
    }
}

/// A call that is to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub class: Class,
    /// Uncompressed bytes.
    pub bytes: u64,
    /// Threads that the CPU may use.
    pub threads: usize,
}

/// Uncompressed bytes of the calls whose times are known. Between them times are interpolated.
pub(crate) const SIZES: [u64; 6] = [64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20];

/// Of larger fields no more than of one of so many bytes is looked at before a choice.
const CHOOSING: u64 = 4 << 20;

/// What calls cost where nothing was measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsualCost {
    /// Bytes a second of one thread.
    pub cpu_speed: f64,
    /// Seconds of any call on the CPU.
    pub cpu_fixed: f64,
    /// Seconds of any call through the device.
    pub cuda_fixed: f64,
    /// Seconds that the choice by samples takes for a byte of a small field, on one thread and on the device.
    pub cpu_choice: f64,
    pub cuda_choice: f64,
    /// Seconds that a driver which has not seen the kernels takes to compile them.
    pub compiling: f64,
}

/// What calls of a class cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    /// Seconds for each size, on the CPU with `threads` threads and through the device.
    pub cpu: [f64; SIZES.len()],
    pub cuda: [f64; SIZES.len()],
    pub threads: f64,
    /// Bytes a second on one thread of the CPU.
    pub one: f64,
}

impl Cost {
    /// Where nothing was measured: figures of a server of 16 cores and an H200 (`cargo test --release -p fsz-bench
    /// --test host_speed -- --ignored --nocapture`), for so many threads.
    pub fn usual(class: Class, threads: usize) -> Self {
        let usual = class.profile().usual_cost(class.work);
        let threads = threads.max(1) as f64;
        let scale = threads.powf(0.85);
        let (cpu, cuda) = (usual.cpu_speed * scale, (7e9 * threads).min(42e9));
        let times = |fixed: f64, speed: f64, choice: f64| {
            SIZES.map(|bytes| fixed + bytes as f64 / speed + bytes.min(CHOOSING) as f64 * choice)
        };
        Cost {
            cpu: times(usual.cpu_fixed, cpu, usual.cpu_choice / scale),
            cuda: times(usual.cuda_fixed, cuda, usual.cuda_choice),
            threads,
            one: usual.cpu_speed,
        }
    }

    /// The CPU's speed on fields of the largest size.
    pub fn cpu_speed(&self, threads: usize) -> f64 {
        SIZES[SIZES.len() - 1] as f64 / (self.cpu[SIZES.len() - 1] * self.slower(threads))
    }

    /// The same through the device.
    pub fn cuda_speed(&self) -> f64 {
        SIZES[SIZES.len() - 1] as f64 / self.cuda[SIZES.len() - 1]
    }

    /// How much longer so many threads take than all.
    fn slower(&self, threads: usize) -> f64 {
        let threads = (threads.max(1) as f64).min(self.threads);
        let all = SIZES[SIZES.len() - 1] as f64 / self.cpu[SIZES.len() - 1];
        if self.threads <= 1.0 || all <= self.one {
            return 1.0;
        }
        // The speed grows by a power of the threads.
        (all / self.one).powf(1.0 - threads.ln() / self.threads.ln())
    }

    /// Seconds that a call takes longer on the CPU than on a device that is ready.
    pub fn gain(&self, bytes: u64, threads: usize) -> f64 {
        seconds(&self.cpu, bytes) * self.slower(threads) - seconds(&self.cuda, bytes)
    }

    /// Seconds of a call on the device.
    pub fn on_device(&self, bytes: u64) -> f64 {
        seconds(&self.cuda, bytes)
    }

    /// Bytes from which on calls gain `seconds` at least, to a twentieth.
    pub fn bytes_for(&self, seconds: f64, threads: usize) -> Option<u64> {
        let enough = |bytes: &u64| self.gain(*bytes, threads) >= seconds;
        let sizes = std::iter::successors(Some(1u64 << 44), |bytes| Some(bytes - bytes / 20));
        sizes.take_while(|&bytes| bytes >= SIZES[0]).take_while(enough).last()
    }

    /// Whether all of it are times and speeds.
    pub fn is_sane(&self) -> bool {
        let Cost { cpu, cuda, threads, one } = self;
        cpu.iter().chain(cuda).all(|t| (1e-9..1e4).contains(t))
            && (1.0..1e6).contains(threads)
            && (1e3..1e15).contains(one)
    }
}

/// The time of a call of so many bytes, by those of [`SIZES`].
fn seconds(times: &[f64; SIZES.len()], bytes: u64) -> f64 {
    let above = SIZES.partition_point(|&size| size < bytes).clamp(1, SIZES.len() - 1);
    let (small, large) = (SIZES[above - 1] as f64, SIZES[above] as f64);
    let bytes = bytes as f64;
    // Times that others on the machine have made long must not give more bytes a second than were ever seen.
    let least = 0.5 * times[above] / large;
    let a_byte = ((times[above] - times[above - 1]) / (large - small)).max(least);
    if bytes < large {
        times[above - 1].min(times[above]) + (bytes - small).max(0.0) * a_byte
    } else {
        times[above] + (bytes - large) * a_byte
    }
}

/// Seconds that a process needs until a device is ready, and at its end: where nothing was measured.
pub(crate) const USUAL_START: f64 = 0.35;

/// What is known of a machine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Costs {
    pub start: f64,
    measured: BTreeMap<Class, Cost>,
    /// Whose kernels the driver has compiled.
    compiled: BTreeSet<Class>,
}

impl Default for Costs {
    fn default() -> Self {
        Costs::new(USUAL_START)
    }
}

impl Costs {
    /// Of a machine of which no more is known.
    pub fn new(start: f64) -> Self {
        Costs { start, measured: BTreeMap::new(), compiled: BTreeSet::new() }
    }

    pub fn measured(&self, class: Class) -> Option<Cost> {
        self.measured.get(&class).copied()
    }

    pub fn set(&mut self, class: Class, cost: Cost) {
        self.measured.insert(class, cost);
    }

    /// Whether the driver has kept what it made of the kernels, as far as is known.
    pub fn is_compiled(&self, class: Class) -> bool {
        self.measured.contains_key(&class) || self.compiled.contains(&class)
    }

    pub fn set_compiled(&mut self, class: Class) {
        self.compiled.insert(class);
    }

    /// Those that were not measured.
    pub fn compiled(&self) -> impl Iterator<Item = Class> {
        self.compiled.iter().copied()
    }

    /// Seconds that the first call of a process takes longer on a device that is ready, for the driver's compiling.
    pub fn compiling(&self, class: Class) -> f64 {
        match cfg!(feature = "fatbin") || self.is_compiled(class) {
            true => 0.0,
            false => class.profile().usual_cost(class.work).compiling,
        }
    }

    /// Seconds that have to be paid before a call of a class can run on a device.
    pub fn price(&self, class: Class, ready: bool) -> f64 {
        self.compiling(class) + if ready { 0.0 } else { self.start }
    }

    pub fn of(&self, class: Class, threads: usize) -> Cost {
        self.measured(class).unwrap_or_else(|| Cost::usual(class, threads))
    }

    /// What the other one knows comes before what this one does.
    pub fn merge(&mut self, newer: &Self) {
        self.start = newer.start;
        self.measured.extend(newer.measured.iter().map(|(class, cost)| (*class, *cost)));
        self.compiled.extend(newer.compiled());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On 16 threads.
    fn cost(cpu: f64, cuda: f64) -> Cost {
        let line = |fixed: f64, speed: f64| SIZES.map(|bytes| fixed + bytes as f64 / speed);
        Cost { cpu: line(1e-5, cpu), cuda: line(1e-4, cuda), threads: 16.0, one: 2e9 }
    }

    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 0.01
    }

    #[test]
    fn times_lie_on_the_line_between_those_that_are_known() {
        let line = cost(16e9, 40e9);
        for bytes in [64 << 10, 1_000_000, 5 << 20, 64 << 20, 100 << 20, 256 << 20, 1 << 34] {
            assert!(near(seconds(&line.cpu, bytes), 1e-5 + bytes as f64 / 16e9), "{bytes}");
        }
        // A larger field that took less time than a smaller one gives no infinite speed.
        let mut odd = line.cpu;
        odd[5] = odd[4];
        assert!(seconds(&odd, 1 << 34) > 10.0 * odd[5]);
    }

    #[test]
    fn the_speed_follows_the_threads() {
        let cost = cost(16e9, 40e9);
        assert!(near(cost.cpu_speed(16), 16e9) && near(cost.cpu_speed(1), 2e9));
        assert_eq!(cost.cpu_speed(64), cost.cpu_speed(16));
        assert_eq!(cost.cpu_speed(0), cost.cpu_speed(1));
        let four = cost.cpu_speed(4);
        assert!((2e9..16e9).contains(&four), "{four}");
        let single = Cost { threads: 1.0, ..cost };
        assert_eq!(single.cpu_speed(8), single.cpu_speed(1));
    }

    #[test]
    fn large_calls_gain_and_small_ones_lose() {
        let fast = cost(16e9, 40e9);
        assert!(fast.gain(100_000, 16) < 0.0 && fast.gain(1 << 30, 16) > 0.0);
        let from = fast.bytes_for(0.0, 16).expect("the device is faster");
        assert!((2_300_000..2_600_000).contains(&from), "{from}");
        let later = fast.bytes_for(0.35, 16).expect("the device is faster");
        assert!((0.35..0.37).contains(&fast.gain(later, 16)), "{later}");
        // A device behind a slow bus never gains, but against few threads.
        assert_eq!(cost(16e9, 10e9).bytes_for(0.0, 16), None);
        assert!(cost(16e9, 10e9).bytes_for(0.0, 1).is_some());
    }

    #[test]
    fn compiling_is_paid_once() {
        let mut costs = Costs::new(0.25);
        for class in Class::all().filter(|_| !cfg!(feature = "fatbin")) {
            assert!(costs.price(class, true) > 0.5, "{class}");
            assert_eq!(costs.price(class, false), costs.price(class, true) + 0.25);
            costs.set_compiled(class);
            assert_eq!((costs.price(class, true), costs.price(class, false)), (0.0, 0.25));
        }
        let (mut measured, class) = (Costs::new(0.25), Class::all().next().expect("a class"));
        measured.set(class, Cost::usual(class, 4));
        assert_eq!(measured.price(class, true), 0.0);
    }

    #[test]
    fn classes_have_names_of_their_own() {
        for class in Class::all() {
            assert_eq!(class.to_string().parse(), Ok(class));
            assert!(Cost::usual(class, 0).is_sane() && Cost::usual(class, 128).is_sane());
        }
        let class = Class { work: Work::Decompress, profile: "dense", dtype: DType::F32 };
        assert_eq!("decompress dense f32".parse(), Ok(class));
        assert!("compress other f32".parse::<Class>().is_err());
    }
}
