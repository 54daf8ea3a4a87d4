//! How a field is cut into what is copied and what is encoded at a time.

use std::ops::Range;

use crate::cuda::host::lanes::{PIECE, shares};
use crate::format::CHUNK;

/// Sections of a field, at least.
const FEWEST_SECTIONS: usize = 4;
/// Bytes of a piece that its owner has pinned: the fewer there are, the less the device waits between them.
const PINNED_PIECE: usize = 4 * PIECE;

/// How a field is cut: into pieces, which are copied, and sections of them, which are encoded.
pub(super) struct Plan {
    /// Bytes of the field, and of a piece.
    len: usize,
    pub piece: usize,
    /// Pieces of each section.
    pub sections: Vec<Range<usize>>,
}

impl Plan {
    /// For so many elements of type `T`, in sections of some `section` bytes. `direct`: their owner has pinned them.
    pub fn new<T>(elements: usize, threads: usize, section: usize, direct: bool) -> Self {
        let (len, chunk) = (elements * size_of::<T>(), CHUNK * size_of::<T>());
        let piece = match direct {
            true => PINNED_PIECE / chunk * chunk,
            false => shares(len, threads).0.next_multiple_of(chunk).min(PIECE / chunk * chunk),
        };
        let pieces = len.div_ceil(piece);
        let of_section = (section / piece).min(pieces / FEWEST_SECTIONS).max(1);
        let sections = (0..pieces)
            .step_by(of_section)
            .map(|first| first..pieces.min(first + of_section))
            .collect();
        Plan { len, piece, sections }
    }

    pub fn pieces(&self) -> usize {
        self.len.div_ceil(self.piece)
    }

    pub fn bytes(&self, piece: usize) -> Range<usize> {
        piece * self.piece..self.len.min((piece + 1) * self.piece)
    }

    pub fn section_of(&self, piece: usize) -> usize {
        piece / (self.sections[0].end - self.sections[0].start)
    }

    /// Bytes of the field up to the end of a section.
    pub fn end_of(&self, section: usize) -> usize {
        self.len.min(self.sections[section].end * self.piece)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FROM, SECTION, SECTION_OF_BOXES};
    use super::*;

    fn check<T>(elements: usize, threads: usize, section: usize, direct: bool) {
        let plan = Plan::new::<T>(elements, threads, section, direct);
        let what = format!("{elements} of {} bytes, {threads} threads", size_of::<T>());
        let (mut bytes, mut pieces) = (0, 0);
        let last = plan.sections.len() - 1;
        let most = if direct { PINNED_PIECE } else { PIECE };
        for (section, range) in plan.sections.iter().enumerate() {
            assert_eq!(range.start, pieces, "{what}");
            for piece in range.clone() {
                let part = plan.bytes(piece);
                assert!(part.start == bytes && (1..=most).contains(&part.len()), "{what}");
                assert_eq!(plan.section_of(piece), section, "{what}");
                bytes = part.end;
            }
            pieces = range.end;
            assert_eq!(plan.end_of(section), bytes, "{what}");
            assert!(section == last || bytes.is_multiple_of(CHUNK * size_of::<T>()), "{what}");
        }
        assert_eq!((bytes, pieces), (elements * size_of::<T>(), plan.pieces()), "{what}");
        assert!(plan.sections.len() >= FEWEST_SECTIONS, "{what}");
    }

    #[test]
    fn sections_are_whole_chunks_and_all_of_the_field() {
        for threads in [1, 2, 7, 16, 200] {
            for elements in [FROM / 4, FROM / 4 + 1, 99_999_999, (1 << 30) + 12_345] {
                for section in [SECTION, SECTION_OF_BOXES] {
                    for direct in [false, true] {
                        check::<f32>(elements, threads, section, direct);
                        check::<f64>(elements / 2, threads, section, direct);
                    }
                }
            }
        }
    }
}
