//! Interpolated boxes: FORMAT.md, *Dense: predict*, and what *Dense: symbols* says of residuals.

use super::{
    Field,
    coder::{Coder, Wanted},
    mask::flags,
    order::{Pass, Point, corners, passes},
};

const LINEAR: u8 = 0;
const CUBIC: u8 = 1;
const BLENDED: u8 = 4;

/// The places of A and C of a point along an axis.
pub fn neighbours(sides: Point, at: Point, axis: usize, s: usize) -> [Point; 2] {
    let (mut a, mut c) = (at, at);
    a[axis] -= s;
    c[axis] = (at[axis] + s).min(sides[axis] - 1);
    [a, c]
}

struct Values<'a> {
    field: &'a Field,
    sides: Point,
    values: Vec<i32>,
}

impl Values<'_> {
    fn index(&self, at: Point) -> usize {
        (at[0] * self.sides[1] + at[1]) * self.sides[2] + at[2]
    }

    fn get(&self, at: Point) -> i32 {
        self.values[self.index(at)]
    }

    /// The prediction, and what the largest |A - C| counts in the context.
    fn predict(&self, pass: &Pass, at: Point) -> (i32, u32) {
        let (mut sum, mut apart) = (0i32, 0);
        let k = pass.odd.len();
        let plain = pass.s > 1 || self.field.predictor == LINEAR;
        for &axis in &pass.odd {
            let [a, c] = neighbours(self.sides, at, axis, pass.s).map(|at| self.get(at));
            apart = apart.max(a.wrapping_sub(c).unsigned_abs());
            let both = a.wrapping_add(c);
            let summand = if plain || k == 3 { both } else { self.taps(at, axis, a, c) };
            sum = sum.wrapping_add(summand);
        }
        if k > 1 && self.field.predictor == BLENDED {
            return (self.blended(pass, at), apart << 3 >> self.field.fine);
        }
        let prediction = match (k, plain) {
            (1, true) => sum.wrapping_add(1) >> 1,
            (2, true) => sum.wrapping_add(2) >> 2,
            (1, false) => sum.wrapping_add(8) >> 4,
            (2, false) => sum.wrapping_add(16) >> 5,
            _ => sum.wrapping_mul(5461).wrapping_add(16384) >> 15,
        };
        (prediction, apart << 5 >> self.field.fine)
    }

    /// The prediction by the sums of the neighbours along one, across two and three axes.
    fn blended(&self, pass: &Pass, at: Point) -> i32 {
        let mut sums = [0i32; 4];
        let ways = 3usize.pow(pass.odd.len() as u32);
        for way in 1..ways {
            let (mut there, mut away, mut rest) = (at, 0, way);
            for &axis in &pass.odd {
                let [a, c] = neighbours(self.sides, at, axis, pass.s).map(|side| side[axis]);
                there[axis] = [at[axis], a, c][rest % 3];
                away += (rest % 3 != 0) as usize;
                rest /= 3;
            }
            sums[away] += self.get(there);
        }
        match pass.odd.len() {
            2 => (2 * sums[1] - sums[2] + 2) >> 2,
            _ => (4 * sums[1] - 2 * sums[2] + sums[3] + 4) >> 3,
        }
    }

    /// The summand of an axis of the finest grid, cubic or smooth.
    fn taps(&self, at: Point, axis: usize, a: i32, c: i32) -> i32 {
        let at_index = |i: usize| {
            let mut there = at;
            there[axis] = i;
            self.get(there)
        };
        let i = at[axis];
        let e = i.checked_sub(3).map(at_index);
        let g = (i + 3 < self.sides[axis]).then(|| at_index(i + 3));
        let times = |k: i32, v: i32| v.wrapping_mul(k);
        let both = a.wrapping_add(c);
        match (e, g) {
            (Some(e), Some(g)) if matches!(self.field.predictor, CUBIC | BLENDED) => {
                times(9, both).wrapping_sub(e.wrapping_add(g))
            }
            (Some(e), Some(g)) => times(6, both).wrapping_add(times(2, e.wrapping_add(g))),
            (None, Some(g)) => {
                times(9, both).wrapping_sub(times(2, g)).wrapping_sub(times(3, a.wrapping_sub(c)))
            }
            (Some(e), None) => {
                times(9, both).wrapping_sub(times(2, e)).wrapping_sub(times(3, c.wrapping_sub(a)))
            }
            (None, None) => times(8, both),
        }
    }
}

/// The values of a box, in C order.
pub fn values(field: &Field, coder: &mut Coder<'_>, sides: Point, mask: &[bool]) -> Vec<i32> {
    let mut own = Values { field, sides, values: vec![0; mask.len()] };
    if mask.len() == 1 {
        return own.values;
    }
    let corners = corners(sides);
    let coded: Vec<bool> = corners.iter().map(|at| !mask[own.index(*at)]).collect();
    let residuals = step(field, coder, &vec![23; corners.len()], &coded);
    for (at, r) in corners.into_iter().zip(residuals) {
        let index = own.index(at);
        own.values[index] = i32::from((r << field.fine) as i16);
    }
    let passes = passes(sides);
    let contexts: Vec<usize> = passes.iter().map(|p| if p.s == 1 { 9 } else { 10 }).collect();
    let some = flags(field, coder, &contexts);
    let one_axis = sides.into_iter().filter(|&n| n > 1).count() == 1;
    let mut last = [0u32; 32];
    for (pass, some) in passes.iter().zip(some) {
        for points in &pass.steps {
            let predicted: Vec<(i32, u32)> =
                points.iter().map(|at| own.predict(pass, *at)).collect();
            let context = |lane: usize| {
                let (w, l, h) = (last[lane], last[lane.max(1) - 1], last[(lane + 1).min(31)]);
                let near = if one_axis { 0 } else { 16 * (2 * w + l + h) };
                let m = (predicted[lane].1 + near + 16).min(4095);
                let o = m.ilog2() - 4;
                (if pass.s > 1 { 16 + o } else { 2 * o + (m >> (o + 3) & 1) }) as usize
            };
            let contexts: Vec<usize> = (0..points.len()).map(context).collect();
            let coded: Vec<bool> = points.iter().map(|at| some && !mask[own.index(*at)]).collect();
            let residuals = step(field, coder, &contexts, &coded);
            for (lane, (at, r)) in points.iter().zip(residuals).enumerate() {
                last[lane] = r.unsigned_abs();
                let index = own.index(*at);
                own.values[index] =
                    i32::from(predicted[lane].0.wrapping_add(r << field.fine) as i16);
            }
        }
    }
    own.values
}

/// A step of residuals, 0 where a lane has none.
fn step(field: &Field, coder: &mut Coder<'_>, contexts: &[usize], coded: &[bool]) -> Vec<i32> {
    let wanted: Vec<Wanted<'_>> = contexts
        .iter()
        .enumerate()
        .filter(|(lane, _)| coded[*lane])
        .map(|(lane, &context)| Wanted {
            lane,
            frequencies: &field.tables.residuals[context],
            raw_bits: |symbol| match symbol {
                ..=30 => 0,
                31..=40 => symbol - 26,
                _ => 15,
            },
        })
        .collect();
    let mut symbols = coder.step(&wanted).into_iter();
    let mut residual = || {
        let (symbol, raw) = symbols.next().expect("a symbol");
        let signed = |base: u32, raw: u64| {
            let size = (u64::from(base) + raw / 2) as i32;
            if raw % 2 == 1 { -size } else { size }
        };
        match symbol {
            ..=30 => symbol as i32 - 15,
            31..=40 => signed(1 << (symbol - 27), raw),
            _ => signed(0, raw),
        }
    };
    coded.iter().map(|coded| if *coded { residual() } else { 0 }).collect()
}
