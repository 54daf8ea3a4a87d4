//! Measures what calls of a class cost on both backends.

use std::time::Instant;

use super::cost::{Class, Cost, SIZES, Work};
use crate::{
    bound::Bound, compress::compress, cuda, element::Element, error::Result, exec::Execution,
    format::sections::max_compressed_len, options::CompressOptions, partial, selection::Selection,
    simd::Level, stream::Stream, threads, with_element,
};

/// Values of a row, and rows of a plane.
const SIDE: usize = 256;
/// Runs of which the median counts, after one to warm up. Of long ones there are fewer.
const RUNS: usize = 7;
const LONG: f64 = 0.02;
const LONG_RUNS: usize = 3;
/// Seconds that the end of a program takes longer when it has used a device.
const END: f64 = 0.1;

/// Measures on all threads of the current pool; takes about a second, and one or two more where the driver has to
/// compile the kernels.
pub(crate) fn measure(device: &cuda::Device, class: Class, level: Level) -> Result<Cost> {
    with_element!(class.dtype, T => measure_values::<T>(device, class, level))
}

/// Seconds that a process needs for a device beside its calls; `None` where it was in use before.
pub(crate) fn start(device: &cuda::Device) -> Option<f64> {
    device.opened_in.map(|time| time.as_secs_f64() + END)
}

fn measure_values<T: Element>(device: &cuda::Device, class: Class, level: Level) -> Result<Cost> {
    let threads = threads::current();
    let on = |threads| Execution { level, threads, progress: None };
    let all = field::<T>(SIZES[SIZES.len() - 1] as usize / size_of::<T>());
    let mut cost =
        Cost { cpu: [0.0; 6], cuda: [0.0; 6], threads: threads as f64, one: f64::INFINITY };
    for (i, bytes) in SIZES.into_iter().enumerate() {
        let values = &all[..bytes as usize / size_of::<T>()];
        let mut sample = Sample::new(values.to_vec(), class, on(threads))?;
        cost.cpu[i] = sample.median(|call| call.on_cpu(on(threads)))?;
        cost.cuda[i] = sample.median(|call| call.on_device(device, on(threads)))?;
        if bytes == ONE {
            cost.one = bytes as f64 / sample.median(|call| call.on_cpu(on(1)))?;
        }
    }
    Ok(cost)
}

/// The size that one thread is measured on.
const ONE: u64 = SIZES[2];

/// A field, its stream, and room for a call's output.
struct Sample<T> {
    work: Work,
    shape: [u64; 3],
    options: CompressOptions,
    values: Vec<T>,
    stream: Vec<u8>,
    len: usize,
}

impl<T: Element> Sample<T> {
    fn new(values: Vec<T>, class: Class, run: Execution<'_>) -> Result<Self> {
        let rows = values.len() / SIDE;
        let shape = match rows / SIDE {
            0 => [1, rows as u64, SIDE as u64],
            planes => [planes as u64, SIDE as u64, SIDE as u64],
        };
        // About a thousandth of the range. With a bound that is given the CPU has not to look for the range first, so that
        // its calls are the quickest there are: the device is for fields that it does sooner than these.
        let options = CompressOptions::new(Bound::Absolute(4e-3)).profile(class.profile());
        let mut stream = vec![0; max_compressed_len(&shape, T::DTYPE)? as usize];
        let len = compress(&values, &shape, &options, &mut stream, run)?;
        Ok(Sample { work: class.work, shape, options, values, stream, len })
    }

    fn median(&mut self, call: impl Fn(&mut Self) -> Result<()>) -> Result<f64> {
        let mut times = Vec::new();
        let mut runs = 0..=RUNS;
        while let Some(run) = runs.next() {
            let began = Instant::now();
            call(self)?;
            let time = began.elapsed().as_secs_f64();
            if run > 0 {
                times.push(time.max(1e-9));
            } else if time > LONG {
                runs = 1..=LONG_RUNS;
            }
        }
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    }

    fn on_cpu(&mut self, run: Execution<'_>) -> Result<()> {
        let Sample { shape, options, values, stream, len, .. } = self;
        match self.work {
            Work::Compress => compress(values, shape, options, stream, run).map(drop),
            Work::Decompress => {
                let stream = Stream::open(&stream[..*len])?;
                partial::decode(&stream, &Selection::Field, values, run)
            }
        }
    }

    fn on_device(&mut self, device: &cuda::Device, run: Execution<'_>) -> Result<()> {
        let Sample { shape, options, values, stream, len, .. } = self;
        match self.work {
            Work::Compress => {
                cuda::from_host(device, values, shape, options, stream, run).map(drop)
            }
            Work::Decompress => {
                let stream = Stream::open(&stream[..*len])?;
                cuda::to_host(device, &stream, &Selection::Field, values, run)
            }
        }
    }
}

/// A smooth field with a little noise, whose streams are about as long as those of measured fields.
fn field<T: Element>(len: usize) -> Vec<T> {
    let wave: Vec<f64> = (0..SIDE).map(|i| (i as f64 * 0.049).sin()).collect();
    let mut noise = 1u32;
    (0..len)
        .map(|i| {
            let (x, y, z) = (i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE % SIDE);
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = f64::from(noise >> 8) / f64::from(1 << 24) - 0.5;
            T::from_f64(wave[x] + wave[y] * wave[z] + 0.01 * noise)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: usize = 1 << 20;

    #[test]
    fn the_cpu_codec_does_what_is_measured() {
        // The profile of tests alone does not compress.
        for class in Class::all().filter(|class| class.profile != "raw") {
            with_element!(class.dtype, T => {
                let run = Execution { threads: 2, ..Execution::alone() };
                let values = field::<T>(SMALL / size_of::<T>());
                let mut sample = Sample::new(values, class, run).expect("a field");
                let before = sample.stream[..sample.len].to_vec();
                sample.on_cpu(run).expect("is done");
                assert_eq!(sample.stream[..sample.len], before, "{class}");
                let ratio = SMALL as f64 / sample.len as f64;
                assert!((2.0..60.0).contains(&ratio), "{class}: {ratio}");
            });
        }
    }
}
