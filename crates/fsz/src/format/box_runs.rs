//! Boxes of a field as runs of its elements, and back.

use super::MAX_DIMS;

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
/// offset in the box, and the number of elements. It takes as long as there are rows of the box in the run.
pub(crate) fn run_in_box(
    (begin, len): Run,
    shape: &[u64],
    start: &[u64],
    count: &[u64],
    mut copy: impl FnMut(usize, usize, usize),
) {
    let (Some(&width), Some(&x0), Some(&nx)) = (shape.last(), start.last(), count.last()) else {
        return copy(0, 0, len);
    };
    if len == 0 || count.contains(&0) {
        return;
    }
    let (end, axes) = (begin + len as u64, shape.len() - 1);
    let (mut row, last) = (begin / width, (end - 1) / width);
    while let Some(rows) = rows_from(row, &shape[..axes], &start[..axes], &count[..axes]) {
        for own in rows.first..rows.end.min(last + 1) {
            let x = own * width + x0;
            let (from, to) = (x.max(begin), (x + nx).min(end));
            if from < to {
                let place = (rows.place + own - rows.first) * nx + from - x;
                copy((from - begin) as usize, place as usize, (to - from) as usize);
            }
        }
        if rows.end > last {
            break;
        }
        row = rows.end;
    }
}

/// Rows of a box that lie side by side in its field, and how many of the box's are before them.
struct Rows {
    first: u64,
    end: u64,
    place: u64,
}

/// The first ones of a box from a row of the field on, by the axes of rows alone. The box is not empty.
fn rows_from(row: u64, shape: &[u64], start: &[u64], count: &[u64]) -> Option<Rows> {
    let (mut at, mut rest) = ([0; MAX_DIMS], row);
    for (at, n) in at.iter_mut().zip(shape).rev() {
        (*at, rest) = (rest % n, rest / n);
    }
    if rest > 0 {
        return None;
    }
    let end = |axis: usize| start[axis] + count[axis];
    let beside = |&axis: &usize| !(start[axis]..end(axis)).contains(&at[axis]);
    // From the slowest axis on along which the row is beside the box, the next one that is not begins anew.
    if let Some(axis) = (0..shape.len()).find(beside) {
        let mut anew = axis;
        if at[axis] >= end(axis) {
            let next = (0..axis).rev().find(|&slower| at[slower] + 1 < end(slower))?;
            at[next] += 1;
            anew = next + 1;
        }
        at[anew..shape.len()].copy_from_slice(&start[anew..]);
    }
    let (mut first, mut place) = (0, 0);
    for axis in 0..shape.len() {
        first = first * shape[axis] + at[axis];
        place = place * count[axis] + at[axis] - start[axis];
    }
    let together = shape.len().checked_sub(1).map_or(1, |axis| end(axis) - at[axis]);
    Some(Rows { first, end: first + together, place })
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
        let boxes: [[&[u64]; 3]; 7] = [
            [&[4, 5, 6], &[1, 2, 3], &[2, 3, 2]],
            [&[4, 5, 6], &[0, 0, 0], &[4, 5, 6]],
            [&[4, 5, 6], &[3, 4, 0], &[1, 1, 1]],
            [&[4, 5, 6], &[0, 1, 5], &[3, 0, 1]],
            [&[120], &[17], &[90]],
            [&[2, 3, 4, 5], &[0, 1, 1, 0], &[2, 1, 2, 5]],
            [&[3, 1, 40], &[1, 0, 3], &[2, 1, 30]],
        ];
        for [shape, start, count] in boxes {
            let own = match count.contains(&0) {
                true => Vec::new(),
                false => elements(shape, start, count),
            };
            for first in 0..120 {
                for len in 0..=120 - first {
                    let mut found = Vec::new();
                    run_in_box((first as u64, len), shape, start, count, |from, to, n| {
                        assert!(n > 0);
                        found.extend((0..n).map(|i| (first + from + i, to + i)));
                    });
                    let held = own.iter().enumerate().map(|(to, &at)| (at as usize, to));
                    let wanted: Vec<_> =
                        held.filter(|(at, _)| (first..first + len).contains(at)).collect();
                    assert_eq!(found, wanted, "{len} elements from {first} on, {shape:?}");
                }
            }
        }
    }

    #[test]
    fn rows_beside_a_box_are_not_looked_at() {
        let side = 1 << 20;
        let (shape, start, count) = ([side; 3], [side - 2, 7, 9], [2, 3, 4]);
        let all = (0, 1 << 60);
        let mut found = Vec::new();
        run_in_box(all, &shape, &start, &count, |from, to, n| found.push((from as u64, to, n)));
        let rows = rows_of_box(&shape, &start, &count).zip(0..);
        assert_eq!(found, Vec::from_iter(rows.map(|((at, n), row)| (at, 4 * row, n))));
    }
}
