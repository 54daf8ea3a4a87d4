//! How much of a field is brought to the GPU, and how coarse.

use std::ops::Range;

use fsz_wgpu::Sampling;

use crate::model::volume::clip_box::ClipBox;

/// What there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of voxels.
    pub bytes: u64,
    /// Voxels along an axis at most: what a texture holds.
    pub longest: u64,
    /// Elements of a slab at most: what is decoded at once.
    pub slab: u64,
}

/// A field smaller than this is never made coarser for a small pane.
const LEAST: u64 = 128;

/// The part of a field of these sides within the clip box, as fine as the budget allows and no finer than a picture of
/// so many points shows: the axis with the most voxels is halved, thirded and so on until it fits.
pub fn plan(sides: [u64; 3], clip: &ClipBox, budget: Budget, points: u64) -> Sampling {
    let (start, count) = clip.elements(sides);
    let mut sampling = Sampling { start, count, stride: [1; 3] };
    let longest = budget.longest.min(points.max(LEAST));
    loop {
        let size = sampling.size();
        let fits = sampling.bytes() <= budget.bytes && size.iter().all(|&side| side <= longest);
        let may = (0..3).filter(|&axis| size[axis] > 1).max_by_key(|&axis| size[axis]);
        let Some(axis) = may.filter(|_| !fits) else { return sampling };
        sampling.stride[axis] += 1;
    }
}

/// Planes of a slab, and rows of these, of whole voxels, and where there is room of whole boxes of the profile `dense`: then
/// a part of what it has room for, so that what follows decoding waits for little of it. At least it has a row of voxels.
fn slab(sampling: &Sampling, budget: Budget, columns: u64) -> [u64; 2] {
    let [deep, height, _] = sampling.count;
    let part = |side: u64, stride: u64, most: u64| {
        let boxes = BOX_SIDE * stride;
        match most {
            _ if most >= side => side,
            _ if most >= boxes => (most / PARTS).max(1).next_multiple_of(boxes),
            _ => (most / stride * stride).max(stride),
        }
    };
    let planes = part(deep, sampling.stride[0], budget.slab / (height * columns).max(1));
    let rows = part(height, sampling.stride[1], budget.slab / (planes * columns).max(1));
    [planes, rows]
}

/// All slabs of a volume: their planes and rows, counted from its first.
pub fn slabs(sampling: &Sampling, budget: Budget, columns: u64) -> Vec<[Range<u64>; 2]> {
    let ([planes, rows], [deep, height, _]) = (slab(sampling, budget, columns), sampling.count);
    let parts = |side: u64, part: u64| {
        (0..side).step_by(part as usize).map(move |first| first..(first + part).min(side))
    };
    parts(deep, planes)
        .flat_map(|planes| parts(height, rows).map(move |rows| [planes.clone(), rows]))
        .collect()
}

/// Parts of what a slab has room for that it is one of, where boxes are not cut for it.
const PARTS: u64 = 4;

/// The longest side of a box of `dense` in three dimensions, with some room.
const BOX_SIDE: u64 = 16;

/// Whether one volume shows more of what is in the clip box than another: it holds all of it, and its voxels are
/// smaller.
pub fn is_finer(fine: &Sampling, coarse: &Sampling) -> bool {
    let cell = |sampling: &Sampling| sampling.stride.iter().product::<u64>();
    cell(fine) < cell(coarse)
}

/// Whether a volume holds all that is in a clip box.
pub fn covers(sampling: &Sampling, sides: [u64; 3], clip: &ClipBox) -> bool {
    let (start, count) = clip.elements(sides);
    (0..3).all(|k| {
        sampling.start[k] <= start[k]
            && start[k] + count[k] <= sampling.start[k] + sampling.count[k]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Budget = Budget { bytes: 4 << 24, longest: 2048, slab: 1 << 24 };

    #[test]
    fn small_fields_are_whole() {
        let found = plan([30, 192, 288], &ClipBox::default(), ROOM, 600);
        assert_eq!(found, Sampling { start: [0; 3], count: [30, 192, 288], stride: [1; 3] });
    }

    #[test]
    fn large_fields_are_coarser_and_sharper_in_the_clip_box() {
        let sides = [1024; 3];
        let whole = plan(sides, &ClipBox::default(), ROOM, 4096);
        assert_eq!(whole.stride, [4; 3]);
        assert!(whole.bytes() <= ROOM.bytes);
        let clip = ClipBox::from([[0.5, 0.75], [0.0, 0.25], [0.25, 0.5]]);
        let part = plan(sides, &clip, ROOM, 4096);
        assert_eq!((part.start, part.count, part.stride), ([512, 0, 256], [256; 3], [1; 3]));
        assert!(is_finer(&part, &whole) && !is_finer(&whole, &part));
        assert!(covers(&part, sides, &clip) && covers(&whole, sides, &clip));
        assert!(!covers(&part, sides, &ClipBox::default()));
    }

    #[test]
    fn a_small_pane_needs_no_more_voxels_than_points() {
        let found = plan([512; 3], &ClipBox::default(), ROOM, 256);
        assert_eq!(found.size(), [256; 3]);
        assert_eq!(plan([100; 3], &ClipBox::default(), ROOM, 10).stride, [1; 3]);
    }

    #[test]
    fn slabs_are_of_whole_boxes_and_a_part_of_what_there_is_room_for() {
        let of = |sides: [u64; 3]| {
            let sampling =
                plan(sides, &ClipBox::default(), Budget { bytes: 1 << 40, ..ROOM }, 4096);
            slab(&sampling, ROOM, sides[2])
        };
        assert_eq!(of([512; 3]), [16, 512]);
        assert_eq!(of([512, 256, 256]), [64, 256]);
        assert_eq!(of([600, 900, 1000]), [16, 900]);
        // There is no room for boxes.
        assert_eq!(of([2000, 2000, 2000]), [4, 2000]);
        assert_eq!(of([256; 3]), [256; 2]);
    }

    #[test]
    fn slabs_hold_whole_voxels_and_fit() {
        for sides in [[4096; 3], [7, 9, 11], [1, 1, 1], [50, 6000, 6000], [10_000, 30, 30]] {
            let sampling = plan(sides, &ClipBox::default(), ROOM, 4096);
            assert!(sampling.bytes() <= ROOM.bytes && sampling.size().iter().all(|&n| n <= 2048));
            let slab = slab(&sampling, ROOM, sides[2]);
            for axis in 0..2 {
                let whole = slab[axis].is_multiple_of(sampling.stride[axis]);
                assert!(slab[axis] > 0 && (whole || slab[axis] == sides[axis]), "{sides:?}");
            }
            assert!(slab[0] * slab[1] * sides[2] <= ROOM.slab, "{sides:?} {slab:?}");
            let slabs = slabs(&sampling, ROOM, sides[2]);
            let rows =
                |slab: &[Range<u64>; 2]| slab.iter().map(|r| r.end - r.start).product::<u64>();
            assert_eq!(slabs.iter().map(rows).sum::<u64>(), sides[0] * sides[1], "{sides:?}");
            let inside = |slab: &[Range<u64>; 2]| (0..2).all(|k| slab[k].end <= sides[k]);
            assert!(slabs.iter().all(inside), "{sides:?}");
        }
    }
}
