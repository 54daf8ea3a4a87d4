//! Boxes of a field as runs of its elements, and back.

/// Consecutive elements of a field: the first, and how many.
pub type Run = (u64, usize);

/// A box as runs of consecutive elements of its field, rising and not empty.
pub(crate) fn rows_of_box(
    shape: &[u64],
    start: &[u64],
    count: &[u64],
) -> impl Iterator<Item = Run> + Clone + use<> {
    // A field without elements may be as long along its other axes as no other field.
    let is_empty = count.contains(&0);
    let dims = if is_empty { 0 } else { shape.len() };
    let mut strides = vec![1; dims];
    for axis in (1..dims).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    let first: u64 = start.iter().zip(&strides).map(|(s, stride)| s * stride).sum();
    // A run takes in every axis behind the first that the box does not fill.
    let mut axes = dims;
    let mut len = 1;
    while axes > 0 {
        axes -= 1;
        len *= count[axes];
        if count[axes] != shape[axes] {
            break;
        }
    }
    let counts = count[..axes].to_vec();
    strides.truncate(axes);
    let rows = if is_empty { 0 } else { counts.iter().product() };
    (0..rows).map(move |mut row: u64| {
        let mut at = first;
        for (count, stride) in counts.iter().zip(&strides).rev() {
            at += row % count * stride;
            row /= count;
        }
        (at, len as usize)
    })
}

/// The part of a box that a run of the field's elements holds: calls `copy` with the offset in the run, the
/// offset in the box, and the number of elements.
pub(crate) fn run_in_box(
    (mut begin, len): Run,
    shape: &[u64],
    start: &[u64],
    count: &[u64],
    mut copy: impl FnMut(usize, usize, usize),
) {
    let (Some(&width), Some(&x0), Some(&nx)) = (shape.last(), start.last(), count.last()) else {
        return copy(0, 0, len);
    };
    let end = begin + len as u64;
    let run = begin;
    while begin < end {
        let (mut row, x) = (begin / width, begin % width);
        let stop = end.min(begin - x + width);
        // The row's place in the box, if it has one.
        let (mut place, mut stride) = (Some(0), nx);
        for axis in (0..shape.len() - 1).rev() {
            let at = row % shape[axis];
            row /= shape[axis];
            place = match at.checked_sub(start[axis]) {
                Some(at) if at < count[axis] => place.map(|p| p + at * stride),
                _ => None,
            };
            stride *= count[axis];
        }
        if let Some(place) = place {
            let (from, to) = (x.max(x0), (x + (stop - begin)).min(x0 + nx));
            if from < to {
                let offset = begin - run + (from - x);
                copy(offset as usize, (place + from - x0) as usize, (to - from) as usize);
            }
        }
        begin = stop;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements of a box, one by one.
    fn elements(shape: &[u64], start: &[u64], count: &[u64]) -> Vec<u64> {
        let mut elements = vec![0];
        for axis in 0..shape.len() {
            let along = start[axis]..start[axis] + count[axis];
            let of = |&at: &u64| along.clone().map(move |i| at * shape[axis] + i);
            elements = elements.iter().flat_map(of).collect();
        }
        elements
    }

    #[test]
    fn runs_of_a_box_are_its_elements_in_order() {
        let boxes: [[&[u64]; 3]; 9] = [
            [&[], &[], &[]],
            [&[7], &[2], &[5]],
            [&[4, 5, 6], &[0, 0, 0], &[4, 5, 6]],
            [&[4, 5, 6], &[1, 0, 0], &[2, 5, 6]],
            [&[4, 5, 6], &[1, 2, 0], &[3, 2, 6]],
            [&[4, 5, 6], &[1, 2, 3], &[3, 2, 1]],
            [&[4, 5, 6], &[1, 2, 3], &[3, 0, 1]],
            [&[3, 1, 5, 1], &[1, 0, 2, 0], &[2, 1, 3, 1]],
            [&[0, u64::MAX, u64::MAX], &[0, 1, 1], &[0, 9, 9]],
        ];
        for [shape, start, count] in boxes {
            let runs = rows_of_box(shape, start, count);
            assert!(runs.clone().all(|(_, len)| len > 0), "{shape:?} {start:?} {count:?}");
            let found: Vec<u64> = runs.flat_map(|(at, n)| at..at + n as u64).collect();
            let wanted = match count.contains(&0) {
                true => Vec::new(),
                false => elements(shape, start, count),
            };
            assert_eq!(found, wanted, "{shape:?} {start:?} {count:?}");
            let n = rows_of_box(shape, start, count).count();
            assert!(count != shape || n == 1, "{n} runs of a whole field");
        }
    }

    #[test]
    fn a_run_finds_its_places_in_a_box() {
        let (shape, start, count) = ([4, 5, 6], [1, 2, 3], [2, 3, 2]);
        let own = elements(&shape, &start, &count);
        for first in 0..120 {
            for len in 1..=120 - first {
                let mut found = Vec::new();
                run_in_box((first as u64, len), &shape, &start, &count, |from, to, n| {
                    found.extend((0..n).map(|i| (first + from + i, to + i)));
                });
                let held = own.iter().enumerate().map(|(to, &at)| (at as usize, to));
                let wanted: Vec<_> =
                    held.filter(|(at, _)| (first..first + len).contains(at)).collect();
                assert_eq!(found, wanted, "{len} elements from {first} on");
            }
        }
    }
}
