//! The Gray-Scott model: two substances U and V that diffuse, react (U + 2 V → 3 V), are fed (U) and
//! removed (V), in a periodic box.
//!
//! P. Gray, S. K. Scott, "Autocatalytic reactions in the isothermal, continuous stirred tank
//! reactor", Chemical Engineering Science 38 (1983); patterns: J. E. Pearson, "Complex patterns in a
//! simple system", Science 261 (1993).

use std::{mem, ops::Range};

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};
use rayon::prelude::*;

use crate::{ranks::Ranks, real::Real};

/// The model's constants.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Diffusion rate of U, in cells² per unit of time.
    pub diffusion_u: f64,
    /// Diffusion rate of V.
    pub diffusion_v: f64,
    /// Rate at which U is fed.
    pub feed: f64,
    /// Rate at which V is removed, beyond the feed rate.
    pub kill: f64,
    /// Length of a time step.
    pub dt: f64,
}

/// The state of the two substances in this process's planes, in C order.
#[derive(Debug)]
pub struct Simulation<T> {
    model: Model,
    /// Extents of a plane: y, x.
    plane: [usize; 2],
    ranks: Ranks,
    /// A plane more at either end, for the neighbours' cells.
    u: Vec<T>,
    v: Vec<T>,
    next_u: Vec<T>,
    next_v: Vec<T>,
}

impl<T: Real> Simulation<T> {
    /// A box of extents z, y, x full of U, with a few drops of V at places that `seed` decides; of it
    /// the planes `mine`, which are those of this process.
    pub fn new(
        model: Model,
        shape: [usize; 3],
        mine: &Range<usize>,
        drops: usize,
        seed: u64,
        ranks: Ranks,
    ) -> Simulation<T> {
        let cells = (mine.len() + 2) * shape[1] * shape[2];
        let mut u = vec![T::from_f64(1.0); cells];
        let mut v = vec![T::from_f64(0.0); cells];
        let mut random = SplitMix64::seed_from_u64(seed);
        let radius = (shape.iter().min().copied().unwrap_or(1) / 16).max(2) as i64;
        for _ in 0..drops {
            let center = shape.map(|extent| (random.next_u64() % extent as u64) as i64);
            for_each_offset(radius, |offset| {
                let [z, y, x] = std::array::from_fn(|axis| {
                    (center[axis] + offset[axis]).rem_euclid(shape[axis] as i64) as usize
                });
                let (drop_u, drop_v) =
                    (0.25 + 0.1 * unit(&mut random), 0.33 + 0.1 * unit(&mut random));
                // Every process sees the same drops.
                if mine.contains(&z) {
                    let cell = ((z - mine.start + 1) * shape[1] + y) * shape[2] + x;
                    u[cell] = T::from_f64(drop_u);
                    v[cell] = T::from_f64(drop_v);
                }
            });
        }
        let plane = [shape[1], shape[2]];
        Simulation { model, plane, ranks, next_u: u.clone(), next_v: v.clone(), u, v }
    }

    /// The concentration of U in this process's planes, in C order.
    pub fn u(&self) -> &[T] {
        self.own(&self.u)
    }

    /// The concentration of V in this process's planes, in C order.
    pub fn v(&self) -> &[T] {
        self.own(&self.v)
    }

    /// The smallest and the largest value of U, then of V.
    pub fn ranges(&self) -> [[f64; 2]; 2] {
        [self.u(), self.v()].map(|field| {
            field.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &cell| {
                [low.min(cell.into()), high.max(cell.into())]
            })
        })
    }

    /// U and V with the plane more at either end.
    pub fn with_borders(&self) -> (&[T], &[T]) {
        (&self.u, &self.v)
    }

    /// Extents of a plane: y, x.
    pub fn plane(&self) -> [usize; 2] {
        self.plane
    }

    /// The model's constants in this number type.
    pub fn reaction(&self) -> Reaction<T> {
        Reaction::new(self.model)
    }

    fn own<'a>(&self, field: &'a [T]) -> &'a [T] {
        let plane = self.plane[0] * self.plane[1];
        &field[plane..field.len() - plane]
    }

    /// Advances by one time step, with every thread that the process has. The result depends neither on
    /// their number nor on that of processes.
    ///
    /// # Errors
    /// When the processes lose each other.
    pub fn step(&mut self) -> anyhow::Result<()> {
        let [ny, nx] = self.plane;
        self.ranks.exchange(&mut self.u, ny * nx)?;
        self.ranks.exchange(&mut self.v, ny * nx)?;
        let reaction = Reaction::new(self.model);
        let (u, v, plane) = (&self.u, &self.v, self.plane);
        let own = ny * nx..self.u.len() - ny * nx;
        self.next_u[own.clone()]
            .par_chunks_mut(ny * nx)
            .zip(self.next_v[own].par_chunks_mut(ny * nx))
            .enumerate()
            .for_each(|(z, (next_u, next_v))| {
                for y in 0..ny {
                    let row = y * nx..(y + 1) * nx;
                    let (u, v) = (Rows::new(u, plane, z + 1, y), Rows::new(v, plane, z + 1, y));
                    react(reaction, &u, &v, &mut next_u[row.clone()], &mut next_v[row]);
                }
            });
        mem::swap(&mut self.u, &mut self.next_u);
        mem::swap(&mut self.v, &mut self.next_v);
        Ok(())
    }
}

/// A number from 0 to below 1.
fn unit(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 * 2f64.powi(-53)
}

/// Calls `each` for all offsets inside a ball.
fn for_each_offset(radius: i64, mut each: impl FnMut([i64; 3])) {
    for z in -radius..=radius {
        for y in -radius..=radius {
            for x in -radius..=radius {
                if z * z + y * y + x * x <= radius * radius {
                    each([z, y, x]);
                }
            }
        }
    }
}

/// A row of cells with the four rows beside it; planes are periodic.
struct Rows<'a, T> {
    row: &'a [T],
    beside: [&'a [T]; 4],
}

impl<'a, T: Real> Rows<'a, T> {
    /// Of plane `z`, which has planes on both sides.
    fn new(field: &'a [T], [ny, nx]: [usize; 2], z: usize, y: usize) -> Rows<'a, T> {
        let row = |z: usize, y: usize| &field[(z * ny + y) * nx..][..nx];
        let (right, left) = ((y + 1) % ny, (y + ny - 1) % ny);
        Rows { row: row(z, y), beside: [row(z + 1, y), row(z - 1, y), row(z, right), row(z, left)] }
    }

    /// A cell and the sum of its six neighbours.
    fn cell(&self, x: usize, left: usize, right: usize) -> (T, T) {
        let [a, b, c, d] = self.beside;
        (self.row[x], a[x] + b[x] + c[x] + d[x] + self.row[left] + self.row[right])
    }

    /// [`Rows::cell`] for the `inner` cells after the first, in slices of that length, which lets
    /// the compiler use vector instructions.
    #[inline(always)]
    fn inner(&self, inner: usize) -> impl Fn(usize) -> (T, T) + use<'a, T> {
        let [a, b, c, d] = self.beside.map(|row| &row[1..][..inner]);
        let [left, row, right] = [0, 1, 2].map(|first| &self.row[first..][..inner]);
        move |x| (row[x], a[x] + b[x] + c[x] + d[x] + left[x] + right[x])
    }
}

/// The model's constants in the simulation's number type.
#[derive(Debug, Clone, Copy)]
pub struct Reaction<T> {
    /// A sixth of the rate, as for V.
    pub diffusion_u: T,
    pub diffusion_v: T,
    pub feed: T,
    /// Feed and removal rate.
    pub removal: T,
    pub dt: T,
    /// Less V than this is none.
    pub trace: T,
    zero: T,
    one: T,
    six: T,
}

impl<T: Real> Reaction<T> {
    fn new(model: Model) -> Reaction<T> {
        let real = T::from_f64;
        Reaction {
            // The seven-point Laplacian of a cell is its neighbours' sum minus six times itself,
            // over six.
            diffusion_u: real(model.diffusion_u / 6.0),
            diffusion_v: real(model.diffusion_v / 6.0),
            feed: real(model.feed),
            removal: real(model.feed + model.kill),
            dt: real(model.dt),
            trace: real(1e-30),
            zero: real(0.0),
            one: real(1.0),
            six: real(6.0),
        }
    }

    /// The next state of a cell from its own and the sum of its neighbours'.
    fn next(self, (u, around_u): (T, T), (v, around_v): (T, T)) -> (T, T) {
        let reaction = u * v * v;
        let spread_u = self.diffusion_u * (around_u - self.six * u);
        let spread_v = self.diffusion_v * (around_v - self.six * v);
        let next_u = u + self.dt * (spread_u - reaction + self.feed * (self.one - u));
        let next_v = v + self.dt * (spread_v + reaction - self.removal * v);
        // Far from every drop V fades into numbers so small that processors take a slow path.
        (next_u, if next_v < self.trace { self.zero } else { next_v })
    }
}

/// One row of the next state.
fn react<T: Real>(
    reaction: Reaction<T>,
    u: &Rows<'_, T>,
    v: &Rows<'_, T>,
    next_u: &mut [T],
    next_v: &mut [T],
) {
    let last = u.row.len() - 1;
    for (x, left, right) in [(0, last, 1.min(last)), (last, last.max(1) - 1, 0)] {
        (next_u[x], next_v[x]) = reaction.next(u.cell(x, left, right), v.cell(x, left, right));
    }
    if last < 2 {
        return;
    }
    let inner = last - 1;
    let (inner_u, inner_v) = (u.inner(inner), v.inner(inner));
    let (next_u, next_v) = (&mut next_u[1..][..inner], &mut next_v[1..][..inner]);
    for x in 0..inner {
        (next_u[x], next_v[x]) = reaction.next(inner_u(x), inner_v(x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: Model =
        Model { diffusion_u: 0.2, diffusion_v: 0.1, feed: 0.02, kill: 0.048, dt: 1.0 };

    fn alone<T: Real>(model: Model, shape: [usize; 3], drops: usize, seed: u64) -> Simulation<T> {
        Simulation::new(model, shape, &(0..shape[0]), drops, seed, Ranks::alone())
    }

    #[test]
    fn a_box_without_v_stays_as_it_is() {
        let mut simulation = alone::<f64>(MODEL, [4, 5, 6], 0, 1);
        simulation.step().unwrap();
        assert!(simulation.u().iter().all(|&u| u == 1.0));
        assert!(simulation.v().iter().all(|&v| v == 0.0));
    }

    #[test]
    fn diffusion_wraps_around_and_loses_nothing() {
        let model = Model { feed: 0.0, kill: 0.0, diffusion_u: 0.2, diffusion_v: 0.1, dt: 1.0 };
        let mut simulation = alone::<f64>(model, [8, 8, 8], 1, 3);
        let total = |s: &Simulation<f64>| s.u().iter().chain(s.v()).sum::<f64>();
        let before = total(&simulation);
        for _ in 0..20 {
            simulation.step().unwrap();
        }
        // The reaction turns U into V one to one.
        assert!((total(&simulation) - before).abs() < 1e-9 * before);
    }

    #[test]
    fn boxes_as_thin_as_one_cell() {
        for shape in [[1, 1, 1], [1, 1, 5], [3, 1, 2]] {
            let mut simulation = alone::<f32>(MODEL, shape, 2, 5);
            simulation.step().unwrap();
            assert!(simulation.u().iter().all(|u| u.is_finite()));
        }
    }

    #[test]
    fn patterns_stay_within_physical_limits() {
        let mut simulation = alone::<f32>(MODEL, [24, 24, 24], 3, 7);
        for _ in 0..300 {
            simulation.step().unwrap();
        }
        let v = simulation.v();
        assert!(simulation.u().iter().chain(v).all(|&c| (-1e-3..=1.01).contains(&c)));
        assert!(v.iter().any(|&v| v > 0.1), "the reaction is alive");
    }
}
