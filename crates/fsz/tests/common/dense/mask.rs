//! A coded mask (FORMAT.md, *Dense: escapes*).

use super::{
    Field,
    boxes::points,
    coder::{Coder, Wanted},
    interpolate::neighbours,
    order::{Point, corners, passes},
};

/// Which elements of a box are masked, in C order.
pub fn coded(field: &Field, coder: &mut Coder<'_>, sides: Point) -> Vec<bool> {
    let mut mask = vec![false; points(sides).count()];
    let index = |at: Point| (at[0] * sides[1] + at[1]) * sides[2] + at[2];
    mask[0] = flags(field, coder, &[0])[0];
    let corners = corners(sides);
    let own = flags(field, coder, &vec![1 + usize::from(mask[0]); corners.len()]);
    for (at, flag) in corners.into_iter().zip(own) {
        mask[index(at)] = flag;
    }
    for pass in passes(sides) {
        for step in &pass.steps {
            let context = |at: &Point| {
                let around: Vec<bool> = pass
                    .odd
                    .iter()
                    .flat_map(|&axis| neighbours(sides, *at, axis, pass.s))
                    .map(|at| mask[index(at)])
                    .collect();
                let all = around.iter().all(|m| *m);
                let some = around.contains(&true);
                (if pass.s > 1 { 3 } else { 6 })
                    + match (all, some) {
                        (true, _) => 2,
                        (false, true) => 1,
                        (false, false) => 0,
                    }
            };
            let contexts: Vec<usize> = step.iter().map(context).collect();
            for (at, flag) in step.iter().zip(flags(field, coder, &contexts)) {
                mask[index(*at)] = flag;
            }
        }
    }
    mask
}

/// A step of flags, one a lane, of these contexts.
pub fn flags(field: &Field, coder: &mut Coder<'_>, contexts: &[usize]) -> Vec<bool> {
    let wanted: Vec<Wanted<'_>> = contexts
        .iter()
        .enumerate()
        .map(|(lane, &context)| Wanted {
            lane,
            frequencies: &field.tables.flags[context],
            raw_bits: |_| 0,
        })
        .collect();
    coder.step(&wanted).into_iter().map(|(symbol, _)| symbol == 1).collect()
}
