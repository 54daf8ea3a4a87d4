//! Boxes that make up an array, such as the ADIOS2 blocks of several ranks, and which of them holds an
//! element.

use fsz::format::MAX_DIMS;

/// A box of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Box {
    /// Its first element, by index.
    pub start: Vec<u64>,
    /// Elements along each axis.
    pub count: Vec<u64>,
}

impl Box {
    /// What this box and another have in common; none when that is nothing.
    pub fn common(&self, other: &Box) -> Option<Box> {
        let mut common = Box { start: Vec::new(), count: Vec::new() };
        let sides = self.start.iter().zip(&self.count).zip(other.start.iter().zip(&other.count));
        for ((&a, &n), (&b, &m)) in sides {
            let first = a.max(b);
            let end = (a + n).min(b + m);
            common.start.push(first);
            common.count.push(end.checked_sub(first).filter(|&count| count > 0)?);
        }
        Some(common)
    }

    /// Position in C order within the box of an element of the array, if it lies in it.
    pub fn position(&self, index: &[u64]) -> Option<u64> {
        let mut position = 0;
        for ((&i, &start), &count) in index.iter().zip(&self.start).zip(&self.count) {
            position = position * count + i.checked_sub(start).filter(|&i| i < count)?;
        }
        Some(position)
    }

    fn fits(&self, shape: &[u64]) -> bool {
        let inside = |((&a, &n), &side): ((&u64, &u64), &u64)| {
            n > 0 && a.checked_add(n).is_some_and(|end| end <= side)
        };
        self.start.len() == shape.len()
            && self.count.len() == shape.len()
            && self.start.iter().zip(&self.count).zip(shape).all(inside)
    }
}

/// The most cells of the lookup: what is cut into more is not the work of ranks.
const MOST_CELLS: u64 = 1 << 22;

/// In a cell that no box covers.
const NONE: u32 = u32::MAX;

/// Boxes that do not lie on each other.
#[derive(Clone, Debug)]
pub struct Boxes {
    boxes: Vec<Box>,
    /// Along each axis, where boxes begin and end; these cut the array into cells.
    cuts: Vec<Vec<u64>>,
    /// In C order, the box that covers each cell.
    cells: Vec<u32>,
}

impl Boxes {
    /// None when a box is empty, reaches out of the array or lies on another, or when there are too many.
    pub fn new(shape: &[u64], boxes: Vec<Box>) -> Option<Boxes> {
        if shape.len() > MAX_DIMS || boxes.len() >= NONE as usize {
            return None;
        }
        if !boxes.iter().all(|b| b.fits(shape)) {
            return None;
        }
        let cuts: Vec<Vec<u64>> = (0..shape.len())
            .map(|axis| {
                let ends = |b: &Box| [b.start[axis], b.start[axis] + b.count[axis]];
                let mut cuts: Vec<u64> = boxes.iter().flat_map(ends).chain([0]).collect();
                cuts.sort_unstable();
                cuts.dedup();
                cuts
            })
            .collect();
        let all = cuts.iter().try_fold(1u64, |n, cuts| n.checked_mul(cuts.len() as u64))?;
        if all > MOST_CELLS {
            return None;
        }
        let mut found = Boxes { boxes, cuts, cells: vec![NONE; all as usize] };
        for number in 0..found.boxes.len() {
            for cell in found.covered(number) {
                if found.cells[cell] != NONE {
                    return None;
                }
                found.cells[cell] = number as u32;
            }
        }
        Some(found)
    }

    /// The cells that a box covers.
    fn covered(&self, number: usize) -> Vec<usize> {
        let b = &self.boxes[number];
        let mut cells = vec![0];
        for (axis, cuts) in self.cuts.iter().enumerate() {
            let first = cuts.partition_point(|&cut| cut < b.start[axis]);
            let end = cuts.partition_point(|&cut| cut < b.start[axis] + b.count[axis]);
            let along = |cell: usize| (first..end).map(move |i| cell * cuts.len() + i);
            cells = cells.into_iter().flat_map(along).collect();
        }
        cells
    }

    /// All of them.
    pub fn all(&self) -> &[Box] {
        &self.boxes
    }

    /// The number of the box that holds an element, and the element's position in it.
    pub fn find(&self, index: &[u64]) -> Option<(usize, u64)> {
        let mut cell = 0;
        for (&i, cuts) in index.iter().zip(&self.cuts) {
            // Every axis is cut at 0.
            cell = cell * cuts.len() + cuts.partition_point(|&cut| cut <= i).checked_sub(1)?;
        }
        let number = *self.cells.get(cell)? as usize;
        Some((number, self.boxes.get(number)?.position(index)?))
    }
}

/// Copies a box of values in C order to its place in another box.
pub fn place<T: Copy>(values: &[T], from: &Box, out: &mut [T], to: &Box) {
    let Some(&row) = from.count.last() else {
        out.copy_from_slice(values);
        return;
    };
    let mut index = from.start.clone();
    for values in values.chunks_exact(row as usize) {
        if let Some(at) = to.position(&index) {
            out[at as usize..][..row as usize].copy_from_slice(values);
        }
        // The next row: the fastest axis stays at its start.
        for axis in (0..index.len() - 1).rev() {
            index[axis] += 1;
            if index[axis] < from.start[axis] + from.count[axis] {
                break;
            }
            index[axis] = from.start[axis];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_box(start: [u64; 2], count: [u64; 2]) -> Box {
        Box { start: start.to_vec(), count: count.to_vec() }
    }

    #[test]
    fn every_element_is_found_where_it_lies() {
        let boxes = vec![
            a_box([0, 0], [3, 4]),
            a_box([0, 4], [5, 2]),
            a_box([3, 0], [2, 4]),
            a_box([5, 0], [1, 5]),
        ];
        let found = Boxes::new(&[6, 6], boxes.clone()).unwrap();
        let mut seen = [0u64; 4];
        for y in 0..6 {
            for x in 0..6 {
                let expected = boxes.iter().enumerate().find_map(|(n, b)| {
                    let inside = (b.start[0]..b.start[0] + b.count[0]).contains(&y)
                        && (b.start[1]..b.start[1] + b.count[1]).contains(&x);
                    inside.then(|| (n, (y - b.start[0]) * b.count[1] + x - b.start[1]))
                });
                assert_eq!(found.find(&[y, x]), expected, "{y} {x}");
                expected.inspect(|(n, _)| seen[*n] += 1);
            }
        }
        assert_eq!(seen, [12, 10, 8, 5], "and one element is in none");
    }

    #[test]
    fn boxes_that_do_not_fit_are_none() {
        let of = |boxes| Boxes::new(&[4, 4], boxes);
        assert!(of(vec![a_box([0, 0], [2, 4]), a_box([1, 0], [3, 4])]).is_none(), "on each other");
        assert!(of(vec![a_box([2, 0], [3, 4])]).is_none(), "out of it");
        assert!(of(vec![a_box([u64::MAX, 0], [3, 4])]).is_none());
        assert!(of(vec![a_box([0, 0], [0, 4])]).is_none(), "empty");
        let one_axis = Box { start: vec![0], count: vec![4] };
        assert!(of(vec![one_axis]).is_none());
    }

    #[test]
    fn parts_come_to_their_places() {
        let whole = a_box([10, 20], [3, 4]);
        let part = a_box([11, 21], [2, 2]).common(&a_box([0, 0], [100, 23])).unwrap();
        let mut out = [0; 12];
        place(&[1, 2, 3, 4], &part, &mut out, &whole);
        assert_eq!(out, [0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0]);
        assert_eq!(whole.common(&a_box([13, 20], [1, 1])), None);
        let point = Box { start: vec![], count: vec![] };
        place(&[7], &point, &mut out[..1], &point);
        assert_eq!(out[0], 7);
    }
}
