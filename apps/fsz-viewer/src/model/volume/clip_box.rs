//! The part of a field that is seen in three dimensions.

use serde::{Deserialize, Serialize};

/// Along each axis, slowest first, from where to where, in parts of the field from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[[f32; 2]; 3]", into = "[[f32; 2]; 3]")]
pub struct ClipBox([[f32; 2]; 3]);

/// The thinnest clip box.
const THINNEST: f32 = 0.005;

impl Default for ClipBox {
    fn default() -> Self {
        ClipBox([[0.0, 1.0]; 3])
    }
}

impl From<[[f32; 2]; 3]> for ClipBox {
    /// Ends that are none, or in the wrong order, are those of the field.
    fn from(ends: [[f32; 2]; 3]) -> Self {
        let valid = |[low, high]: &[f32; 2]| *low >= 0.0 && *high <= 1.0 && low < high;
        ClipBox(ends.map(|ends| if valid(&ends) { ends } else { [0.0, 1.0] }))
    }
}

impl From<ClipBox> for [[f32; 2]; 3] {
    fn from(clip: ClipBox) -> Self {
        clip.0
    }
}

impl ClipBox {
    /// Moves the lower end of an axis; the upper one gives way.
    pub fn set_low(&mut self, axis: usize, at: f32) {
        let [low, high] = &mut self.0[axis];
        *low = at.clamp(0.0, 1.0 - THINNEST);
        *high = high.max(*low + THINNEST);
    }

    /// Moves the upper end of an axis; the lower one gives way.
    pub fn set_high(&mut self, axis: usize, at: f32) {
        let [low, high] = &mut self.0[axis];
        *high = at.clamp(THINNEST, 1.0);
        *low = low.min(*high - THINNEST);
    }

    /// Whether it is the whole field.
    pub fn is_whole(&self) -> bool {
        *self == ClipBox::default()
    }

    /// First element and count along each axis of the elements that it touches.
    pub fn elements(&self, sides: [u64; 3]) -> ([u64; 3], [u64; 3]) {
        let along = |axis: usize| {
            let ([low, high], side) = (self.0[axis].map(f64::from), sides[axis]);
            // An end between two elements is not quite there in single precision.
            let rounding = f64::from(f32::EPSILON) * side as f64;
            let first = (low * side as f64 + rounding) as u64;
            let first = first.min(side.saturating_sub(1));
            let end = (high * side as f64 - rounding).ceil() as u64;
            (first, end.clamp(first + 1, side.max(1)) - first)
        };
        let found = [0, 1, 2].map(along);
        (found.map(|(first, _)| first), found.map(|(_, count)| count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_never_cross() {
        let mut clip = ClipBox::default();
        clip.set_low(1, 0.8);
        clip.set_high(1, 0.3);
        let [_, [low, high], _] = <[[f32; 2]; 3]>::from(clip);
        assert!(low < high && high == 0.3);
        clip.set_low(1, 7.0);
        let [_, [low, high], _] = <[[f32; 2]; 3]>::from(clip);
        assert!(low < high && high <= 1.0);
        clip.set_high(2, -1.0);
        let (first, count) = clip.elements([10, 20, 30]);
        assert_eq!((first, count), ([0, 19, 0], [10, 1, 1]));
        let forged = [[0.9, 0.1], [f32::NAN, 1.0], [0.25, 0.5]];
        assert_eq!(
            <[[f32; 2]; 3]>::from(ClipBox::from(forged)),
            [[0.0, 1.0], [0.0, 1.0], [0.25, 0.5]]
        );
    }

    #[test]
    fn it_has_all_elements_that_it_touches() {
        assert_eq!(ClipBox::default().elements([3, 4, 5]), ([0; 3], [3, 4, 5]));
        let clip = ClipBox::from([[0.0, 1.0], [0.26, 0.49], [0.5, 1.0]]);
        assert_eq!(clip.elements([3, 4, 5]), ([0, 1, 2], [3, 1, 3]));
    }

    #[test]
    fn an_end_between_two_elements_takes_neither_of_the_other_side() {
        for side in [10, 49, 199, 3000, 100_003] {
            for at in (1..side).step_by(side as usize / 9) {
                let (mut before, mut behind) = (ClipBox::default(), ClipBox::default());
                before.set_high(0, at as f32 / side as f32);
                behind.set_low(0, at as f32 / side as f32);
                let [(_, before), (first, behind)] =
                    [before, behind].map(|clip| clip.elements([side, 1, 1]));
                let least = (THINNEST * side as f32).ceil() as u64;
                if (least..side - least).contains(&at) {
                    assert_eq!((before[0], first[0], behind[0]), (at, at, side - at), "{side}");
                }
            }
        }
    }
}
