//! FORMAT.md, *Dense: order*.

pub type Point = [usize; 3];

/// Points of a box that are coded one grid and one set of axes at a time.
pub struct Pass {
    pub s: usize,
    /// The odd axes, slowest first.
    pub odd: Vec<usize>,
    /// At most 32 points each: those of lanes 0, 1, ….
    pub steps: Vec<Vec<Point>>,
}

/// The corners of a box but for the first.
pub fn corners(sides: Point) -> Vec<Point> {
    let [zs, ys, xs] = sides.map(|n| if n > 1 { vec![0, n - 1] } else { vec![0] });
    let row = |z, y| xs.iter().map(move |&x| [z, y, x]);
    zs.iter().flat_map(|&z| ys.iter().flat_map(move |&y| row(z, y))).skip(1).collect()
}

/// The smallest power of two that is not less than the largest extent.
fn largest_level(sides: Point) -> usize {
    sides.into_iter().max().expect("three axes").next_power_of_two()
}

fn level(i: usize, n: usize, most: usize) -> usize {
    if i == 0 || i == n - 1 { most } else { (i & i.wrapping_neg()).min(most) }
}

/// The passes of a box that have points.
pub fn passes(sides: Point) -> Vec<Pass> {
    let most = largest_level(sides);
    let mut passes = vec![];
    let mut s = most / 2;
    while s > 0 {
        for odd in [&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]] {
            let along = |a: usize| -> Vec<usize> {
                (0..sides[a])
                    .filter(|&i| {
                        let level = level(i, sides[a], most);
                        if odd.contains(&a) { level == s } else { level > s }
                    })
                    .collect()
            };
            let steps = steps(sides, s, [along(0), along(1), along(2)]);
            if !steps.is_empty() {
                passes.push(Pass { s, odd: odd.to_vec(), steps });
            }
        }
        s /= 2;
    }
    passes
}

/// The steps of a pass over all points of these indices.
fn steps(sides: Point, s: usize, indices: [Vec<usize>; 3]) -> Vec<Vec<Point>> {
    let [zs, ys, xs] = &indices;
    let across = |ys: &[usize], xs: &[usize]| -> Vec<(usize, usize)> {
        ys.iter().flat_map(|&y| xs.iter().map(move |&x| (y, x))).collect()
    };
    let mut steps = vec![];
    let mut flat = |points: Vec<Point>| steps.extend(points.chunks(32).map(<[Point]>::to_vec));
    if s > 1 || (sides[0] == 1 && sides[1] == 1) {
        flat(
            zs.iter()
                .flat_map(|&z| across(ys, xs).into_iter().map(move |(y, x)| [z, y, x]))
                .collect(),
        );
        return steps;
    }
    let one_plane = sides[0] == 1;
    let (mut along, columns) =
        if one_plane { (ys.clone(), across(zs, xs)) } else { (zs.clone(), across(ys, xs)) };
    let point = |i: usize, (p, x): (usize, usize)| if one_plane { [p, i, x] } else { [i, p, x] };
    let grouped = match columns.len() % 32 {
        rest if rest < 20 => columns.len() - rest,
        _ => columns.len(),
    };
    let (grouped, single) = columns.split_at(grouped);
    let whole = along.clone();
    let odd_end = match along[..] {
        [.., before, last] if last - before != 2 => along.pop(),
        _ => None,
    };
    for group in grouped.chunks(32) {
        for &i in &along {
            flat(group.iter().map(|&column| point(i, column)).collect());
        }
    }
    if let Some(last) = odd_end {
        flat(grouped.iter().map(|&column| point(last, column)).collect());
    }
    flat(single.iter().flat_map(|&column| whole.iter().map(move |&i| point(i, column))).collect());
    steps
}
