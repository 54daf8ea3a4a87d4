//! FORMAT.md, *Gather* and *Dense: boxes*.

/// A box of the field.
#[derive(Clone, Debug)]
pub struct Box {
    /// Elements along its axes, slowest first.
    pub sides: [usize; 3],
    /// Its first element in the field, and how far the next one is along each axis.
    first: usize,
    strides: [usize; 3],
}

impl Box {
    /// Its elements in C order, as places in the field.
    pub fn elements(&self) -> impl Iterator<Item = usize> {
        points(self.sides)
            .map(|at| self.first + (0..3).map(|a| at[a] * self.strides[a]).sum::<usize>())
    }
}

/// All points of a box in C order.
pub fn points(sides: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let row = move |z, y| (0..sides[2]).map(move |x| [z, y, x]);
    (0..sides[0]).flat_map(move |z| (0..sides[1]).flat_map(move |y| row(z, y)))
}

/// The boxes of a field as they are numbered.
pub fn boxes(shape: &[usize], layout: u8, chunk: usize) -> Vec<Box> {
    let mut sides = [1; 4];
    let extent = match layout {
        1 => {
            sides[3] = shape.iter().product();
            [1, 1, 1, 4096]
        }
        2 => [1, 1, 64, 64],
        3 => [1, 16, 16, 16],
        _ => panic!("layout {layout}"),
    };
    if layout != 1 {
        let long: Vec<usize> = shape.iter().copied().filter(|&n| n > 1).collect();
        let last = long.len().min(3);
        let (lead, long) = long.split_at(long.len() - last);
        sides[0] = lead.iter().product();
        sides[4 - last..].copy_from_slice(long);
    }
    let counts: [usize; 4] = std::array::from_fn(|a| sides[a].div_ceil(extent[a]));
    let mut cell = [1; 4];
    if layout == 1 {
        // One box after another: a cell along the only axis.
        cell[3] = chunk;
    }
    while cell.iter().product::<usize>() < chunk {
        let fraction = |a: usize, b: usize| (counts[a] * cell[b]).cmp(&(counts[b] * cell[a]));
        let most =
            [2, 3].into_iter().fold(1, |most, a| if fraction(a, most).is_gt() { a } else { most });
        cell[most] *= 2;
    }
    let stride = [sides[1] * sides[2] * sides[3], sides[2] * sides[3], sides[3], 1];
    let mut boxes = vec![];
    each(std::array::from_fn(|a| counts[a].div_ceil(cell[a])), |c| {
        let left = std::array::from_fn(|a| cell[a].min(counts[a] - c[a] * cell[a]));
        each(left, |b| {
            let from: [usize; 4] = std::array::from_fn(|a| (c[a] * cell[a] + b[a]) * extent[a]);
            let own: [usize; 4] = std::array::from_fn(|a| extent[a].min(sides[a] - from[a]));
            boxes.push(Box {
                sides: [own[1], own[2], own[3]],
                first: (0..4).map(|a| from[a] * stride[a]).sum(),
                strides: [stride[1], stride[2], stride[3]],
            });
        });
    });
    boxes
}

/// All places below `counts` in C order.
fn each(counts: [usize; 4], mut with: impl FnMut([usize; 4])) {
    for outer in 0..counts[0] {
        for [z, y, x] in points([counts[1], counts[2], counts[3]]) {
            with([outer, z, y, x]);
        }
    }
}
