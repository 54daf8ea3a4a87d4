//! Synthetic fields whose figures can be made again anywhere.

use std::f64::consts::TAU;

use fsz::DType;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::error::Result;
use crate::field::Field;
use crate::memory::zeros;
use crate::shape::Shape;

/// Sinusoids of a smooth field, and their wave numbers from 1 to this.
const MODES: usize = 20;
const LARGEST_WAVE_NUMBER: f64 = 64.0;
/// Share of a sparse field that is exactly 0.
const ZEROS: f64 = 0.95;

/// What a synthetic field is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synthetic {
    /// 20 sinusoids, wave numbers 1 to 64, amplitude k^(−5/3), random phases and directions.
    Smooth,
    /// The same with Gaussian noise of 1e-3.
    SmoothNoise,
    /// 1000 + 5 times the smooth one.
    Offset,
    /// Zero but for the highest 5 % of the smooth one.
    Sparse,
    /// Positions along the index on 0 to 256 with Gaussian jitter of 0.3; one-dimensional.
    Particles,
    /// Uniform on −1 to 1.
    WhiteNoise,
}

const KINDS: [(Synthetic, &str); 6] = [
    (Synthetic::Smooth, "smooth"),
    (Synthetic::SmoothNoise, "smooth-noise"),
    (Synthetic::Offset, "offset"),
    (Synthetic::Sparse, "sparse"),
    (Synthetic::Particles, "particles"),
    (Synthetic::WhiteNoise, "white-noise"),
];

impl Synthetic {
    /// The kind of this name.
    pub fn named(name: &str) -> Option<Synthetic> {
        KINDS.iter().find(|(_, n)| *n == name).map(|(kind, _)| *kind)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// A field of about `bytes`: a cube, or a line for particles.
    ///
    /// # Errors
    /// When it is larger than memory, or than 64 bits can count.
    pub fn field(self, bytes: u64, dtype: DType) -> Result<Field> {
        let values = (bytes / dtype.size() as u64).max(1);
        if self == Synthetic::Particles {
            let shape = Shape::new(&[values])?;
            let mut line = zeros(&shape)?;
            particles(&mut line);
            return field(shape, line, dtype);
        }
        let side = (values as f64).cbrt().round().max(1.0) as usize;
        let shape = Shape::new(&[side as u64; 3])?;
        let mut cube = zeros(&shape)?;
        if self != Synthetic::WhiteNoise {
            smooth(side, &mut cube);
        }
        match self {
            Synthetic::SmoothNoise => {
                each_with_noise(&mut cube, |v, noise| *v += 1e-3 * noise.normal())
            }
            Synthetic::WhiteNoise => {
                each_with_noise(&mut cube, |v, noise| *v = 2.0 * noise.uniform() - 1.0);
            }
            Synthetic::Offset => cube.par_iter_mut().for_each(|v| *v = 1000.0 + 5.0 * *v),
            Synthetic::Sparse => {
                let floor = quantile(&cube, ZEROS);
                cube.par_iter_mut().for_each(|v| *v = (*v - floor).max(0.0));
            }
            Synthetic::Smooth | Synthetic::Particles => {}
        }
        field(shape, cube, dtype)
    }
}

/// The values in the type asked for.
fn field(shape: Shape, values: Vec<f64>, dtype: DType) -> Result<Field> {
    if dtype == DType::F64 {
        return Field::new(shape, values);
    }
    let mut single = zeros::<f32>(&shape)?;
    single.par_iter_mut().zip(values).for_each(|(single, v)| *single = v as f32);
    Field::new(shape, single)
}

fn smooth(side: usize, cube: &mut [f64]) {
    let mut random = Random::new(1);
    let modes: Vec<Mode> = (0..MODES).map(|i| Mode::new(i, side, &mut random)).collect();
    cube.par_chunks_mut(side).enumerate().for_each(|(line, values)| {
        let (z, y) = ((line / side) as f64, (line % side) as f64);
        modes.iter().for_each(|mode| mode.add(z, y, values));
    });
}

/// A plane wave.
struct Mode {
    /// Radians per step along each axis, slowest first.
    steps: [f64; 3],
    phase: f64,
    amplitude: f64,
}

impl Mode {
    fn new(index: usize, side: usize, random: &mut Random) -> Mode {
        let wave_number = LARGEST_WAVE_NUMBER.powf(index as f64 / (MODES - 1) as f64);
        let direction = [random.normal(), random.normal(), random.normal()];
        let length = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
        let steps = direction.map(|d| TAU * wave_number / side as f64 * d / length);
        let phase = TAU * random.uniform();
        Mode { steps, phase, amplitude: wave_number.powf(-5.0 / 3.0) }
    }

    /// Adds the wave to a line along the fastest axis, turning a pointer instead of asking for a
    /// sine at every value.
    fn add(&self, z: f64, y: f64, line: &mut [f64]) {
        let start = self.steps[0] * z + self.steps[1] * y + self.phase;
        let (mut sin, mut cos) = start.sin_cos();
        let (turn_sin, turn_cos) = self.steps[2].sin_cos();
        for value in line {
            *value += self.amplitude * sin;
            (sin, cos) = (sin * turn_cos + cos * turn_sin, cos * turn_cos - sin * turn_sin);
        }
    }
}

fn particles(values: &mut [f64]) {
    let count = values.len() as f64;
    values.par_iter_mut().enumerate().for_each(|(i, v)| *v = 256.0 * i as f64 / count);
    each_with_noise(values, |v, noise| *v += 0.3 * noise.normal());
}

/// Changes every value with noise that does not depend on the number of threads.
fn each_with_noise(values: &mut [f64], change: impl Fn(&mut f64, &mut Random) + Sync) {
    values.par_chunks_mut(1 << 16).enumerate().for_each(|(chunk, values)| {
        let mut noise = Random::new(1 + chunk as u64);
        values.iter_mut().for_each(|v| change(v, &mut noise));
    });
}

/// The value below which this share of a sample lies.
fn quantile(values: &[f64], share: f64) -> f64 {
    let step = (values.len() / 100_000).max(1);
    let mut sample: Vec<f64> = values.iter().copied().step_by(step).collect();
    sample.sort_by(f64::total_cmp);
    sample[(share * (sample.len() - 1) as f64) as usize]
}

/// The random numbers of these fields: another generator would make other fields.
struct Random(SplitMix64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(SplitMix64::seed_from_u64(seed))
    }

    /// Uniform on [0, 1).
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(kind: Synthetic) -> Vec<f32> {
        kind.field(4 << 15, DType::F32).unwrap().as_slice::<f32>().unwrap().to_vec()
    }

    #[test]
    fn kinds_are_found_by_name_and_the_same_every_time() {
        for (kind, name) in KINDS {
            assert_eq!(Synthetic::named(name), Some(kind));
            assert_eq!(kind.name(), name);
            assert_eq!(values(kind), values(kind));
        }
        assert_eq!(Synthetic::named("rough"), None);
    }

    #[test]
    fn the_random_numbers_are_those_of_the_published_figures() {
        let mut random = Random::new(1);
        // The first output of SplitMix64 from 1, which its authors' program gives.
        assert_eq!(random.uniform(), (0x910a_2dec_8902_5cc1u64 >> 11) as f64 / (1u64 << 53) as f64);
    }

    #[test]
    fn both_types_take_the_bytes_asked_for() {
        for kind in [Synthetic::Smooth, Synthetic::Particles] {
            let field = kind.field(8 << 12, DType::F64).unwrap();
            assert_eq!(field.as_slice::<f64>().unwrap().len(), 1 << 12);
        }
    }

    #[test]
    fn more_than_memory_is_an_error() {
        for kind in [Synthetic::Smooth, Synthetic::WhiteNoise, Synthetic::Particles] {
            let refused = kind.field(1 << 60, DType::F32).unwrap_err().to_string();
            assert!(refused.contains("out of memory"), "{refused}");
        }
    }

    #[test]
    fn kinds_are_what_they_say() {
        let cube = values(Synthetic::Sparse);
        assert_eq!(cube.len(), 1 << 15);
        let zeros = cube.iter().filter(|&&v| v == 0.0).count() as f64 / cube.len() as f64;
        assert!((zeros - ZEROS).abs() < 0.01, "{zeros}");
        assert!(values(Synthetic::WhiteNoise).iter().all(|v| v.abs() <= 1.0));
        let mean = values(Synthetic::Offset).iter().sum::<f32>() / (1 << 15) as f32;
        assert!((mean - 1000.0).abs() < 10.0, "{mean}");
        let line = values(Synthetic::Particles);
        assert!(line[0].abs() < 2.0 && (line[line.len() - 1] - 256.0).abs() < 2.0);
    }
}
