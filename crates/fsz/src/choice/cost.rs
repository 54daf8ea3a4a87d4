//! What calls cost on each backend: a fixed time and a speed, by which the choice is made.

use std::{fmt, str::FromStr};

use crate::{dtype::DType, profile::Profile};

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    Compress,
    Decompress,
}

/// Calls whose cost follows from their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub work: Work,
    pub dense: bool,
    pub dtype: DType,
}

impl Class {
    pub const ALL: [Self; 8] = {
        let mut all = [Class { work: Work::Compress, dense: false, dtype: DType::F32 }; 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Class {
                work: if i & 2 == 0 { Work::Compress } else { Work::Decompress },
                dense: i & 4 != 0,
                dtype: if i & 1 == 0 { DType::F32 } else { DType::F64 },
            };
            i += 1;
        }
        all
    };

    pub fn new(work: Work, profile: &Profile, dtype: DType) -> Self {
        Class { work, dense: matches!(profile, Profile::Dense(_)), dtype }
    }

    /// Its place in [`ALL`](Self::ALL).
    fn place(self) -> usize {
        usize::from(self.dtype == DType::F64)
            + 2 * usize::from(self.work == Work::Decompress)
            + 4 * usize::from(self.dense)
    }

    pub const fn work_name(self) -> &'static str {
        match self.work {
            Work::Compress => "compress",
            Work::Decompress => "decompress",
        }
    }

    pub const fn profile_name(self) -> &'static str {
        if self.dense { "dense" } else { "paper" }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.work_name(), self.profile_name(), self.dtype)
    }
}

impl FromStr for Class {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|class| class.to_string() == text).ok_or(())
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

/// What calls of a class cost. Times are in seconds, speeds in bytes a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    pub cpu_fixed: f64,
    /// The CPU's speed on one thread, and on `threads`.
    pub cpu_one: f64,
    pub cpu_all: f64,
    pub threads: f64,
    pub cuda_fixed: f64,
    pub cuda: f64,
}

impl Cost {
    /// Where nothing was measured: figures of a common server, with its copies over the bus.
    pub fn usual(class: Class, threads: usize) -> Self {
        let cpu_one = match (class.dense, class.work) {
            (false, Work::Compress) => 2.0e9,
            (false, Work::Decompress) => 3.2e9,
            (true, Work::Compress) => 0.35e9,
            (true, Work::Decompress) => 0.45e9,
        };
        let threads = threads.max(1) as f64;
        Cost {
            cpu_fixed: 20e-6,
            cpu_one,
            cpu_all: cpu_one * threads.powf(0.85),
            threads,
            cuda_fixed: 150e-6,
            // What the threads bring through pinned memory, up to the bus.
            cuda: (7e9 * threads).min(35e9),
        }
    }

    pub fn cpu_speed(&self, threads: usize) -> f64 {
        let threads = (threads.max(1) as f64).min(self.threads);
        if self.threads <= 1.0 {
            return self.cpu_one;
        }
        let power = (self.cpu_all / self.cpu_one).ln() / self.threads.ln();
        self.cpu_one * threads.powf(power)
    }

    /// Seconds that a call takes longer on the CPU than on a device that is ready.
    pub fn gain(&self, bytes: u64, threads: usize) -> f64 {
        let bytes = bytes as f64;
        let cpu = self.cpu_fixed + bytes / self.cpu_speed(threads);
        cpu - (self.cuda_fixed + bytes / self.cuda)
    }

    /// The fewest bytes of which a call gains `seconds` at least.
    pub fn bytes_for(&self, seconds: f64, threads: usize) -> Option<u64> {
        let a_byte = 1.0 / self.cpu_speed(threads) - 1.0 / self.cuda;
        let bytes = (seconds + self.cuda_fixed - self.cpu_fixed) / a_byte;
        (a_byte > 0.0 && bytes < 1e18).then(|| bytes.max(0.0).ceil() as u64)
    }

    /// Whether all of it are times and speeds.
    pub fn is_sane(&self) -> bool {
        let Cost { cpu_fixed, cpu_one, cpu_all, threads, cuda_fixed, cuda } = *self;
        [cpu_fixed, cuda_fixed].iter().all(|t| (0.0..1e3).contains(t))
            && [cpu_one, cpu_all, cuda].iter().all(|v| (1e3..1e15).contains(v))
            && (1.0..1e6).contains(&threads)
    }
}

/// Seconds that a process needs until a device is ready, and at its end: where nothing was measured.
pub(crate) const USUAL_START: f64 = 0.35;

/// What is known of a machine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Costs {
    pub start: f64,
    /// By the place in [`Class::ALL`].
    measured: [Option<Cost>; 8],
}

impl Default for Costs {
    fn default() -> Self {
        Costs::new(USUAL_START)
    }
}

impl Costs {
    /// Of a machine of which no more is known.
    pub fn new(start: f64) -> Self {
        Costs { start, measured: [None; 8] }
    }

    pub fn measured(&self, class: Class) -> Option<Cost> {
        self.measured[class.place()]
    }

    pub fn set(&mut self, class: Class, cost: Cost) {
        self.measured[class.place()] = Some(cost);
    }

    pub fn of(&self, class: Class, threads: usize) -> Cost {
        self.measured(class).unwrap_or_else(|| Cost::usual(class, threads))
    }

    /// What the other one knows comes before what this one does.
    pub fn merge(&mut self, newer: &Self) {
        self.start = newer.start;
        for (own, newer) in self.measured.iter_mut().zip(newer.measured) {
            *own = newer.or(*own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: Cost = Cost {
        cpu_fixed: 1e-5,
        cpu_one: 2e9,
        cpu_all: 16e9,
        threads: 16.0,
        cuda_fixed: 1e-4,
        cuda: 40e9,
    };

    #[test]
    fn the_speed_follows_the_threads() {
        assert_eq!(COST.cpu_speed(1), 2e9);
        assert!((COST.cpu_speed(16) - 16e9).abs() < 1.0);
        assert_eq!(COST.cpu_speed(64), COST.cpu_speed(16));
        assert_eq!(COST.cpu_speed(0), COST.cpu_speed(1));
        let four = COST.cpu_speed(4);
        assert!((2e9..16e9).contains(&four), "{four}");
        let single = Cost { threads: 1.0, cpu_all: 2e9, ..COST };
        assert_eq!(single.cpu_speed(8), 2e9);
    }

    #[test]
    fn large_calls_gain_and_small_ones_lose() {
        assert!(COST.gain(1000, 16) < 0.0);
        assert!(COST.gain(1 << 30, 16) > 0.0);
        let from = COST.bytes_for(0.0, 16).expect("the device is faster");
        assert!(COST.gain(from + 100, 16) > 0.0 && COST.gain(from - 100, 16) < 0.0, "{from}");
        let later = COST.bytes_for(0.35, 16).expect("the device is faster");
        assert!((COST.gain(later, 16) - 0.35).abs() < 1e-6 && later > from);
        // A device behind a slow bus never gains.
        assert_eq!(Cost { cuda: 10e9, ..COST }.bytes_for(0.0, 16), None);
        assert!(Cost { cuda: 10e9, ..COST }.bytes_for(0.0, 1).is_some());
    }

    #[test]
    fn classes_have_names_of_their_own() {
        for class in Class::ALL {
            assert_eq!(class.to_string().parse(), Ok(class));
            assert_eq!(Class::ALL[class.place()], class);
            assert!(Cost::usual(class, 0).is_sane() && Cost::usual(class, 128).is_sane());
        }
        assert_eq!(Class::ALL[6].to_string(), "decompress dense f32");
        assert!("compress raw f32".parse::<Class>().is_err());
    }
}
