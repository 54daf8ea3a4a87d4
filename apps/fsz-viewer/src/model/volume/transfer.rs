//! The opacity of values by their place on the colour map.

use serde::{Deserialize, Serialize};

/// A line through points, each a place and an opacity from 0 to 1; the first is at 0, the last at 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<[f32; 2]>", into = "Vec<[f32; 2]>")]
pub struct Transfer(Vec<[f32; 2]>);

/// The most points.
const MOST: usize = 32;

/// A line to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Opacity grows with the value.
    Ramp,
    /// High values only.
    High,
    /// Low values only.
    Low,
    /// What is in the middle.
    Middle,
    /// Both ends.
    Ends,
}

impl Preset {
    /// All of them, in the order of the menu.
    pub const ALL: [Preset; 5] =
        [Preset::Ramp, Preset::High, Preset::Low, Preset::Middle, Preset::Ends];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Ramp => "Ramp",
            Preset::High => "High values",
            Preset::Low => "Low values",
            Preset::Middle => "Middle values",
            Preset::Ends => "Both ends",
        }
    }

    /// The line.
    pub fn transfer(self) -> Transfer {
        Transfer(match self {
            Preset::Ramp => vec![[0.0, 0.0], [1.0, 0.6]],
            Preset::High => vec![[0.0, 0.0], [0.7, 0.0], [0.9, 0.7], [1.0, 0.7]],
            Preset::Low => vec![[0.0, 0.7], [0.1, 0.7], [0.3, 0.0], [1.0, 0.0]],
            Preset::Middle => vec![[0.0, 0.0], [0.4, 0.0], [0.5, 0.6], [0.6, 0.0], [1.0, 0.0]],
            Preset::Ends => vec![[0.0, 0.6], [0.25, 0.0], [0.75, 0.0], [1.0, 0.6]],
        })
    }
}

impl Default for Transfer {
    fn default() -> Self {
        Preset::Ramp.transfer()
    }
}

impl From<Vec<[f32; 2]>> for Transfer {
    /// What is no line is the first of those to begin with.
    fn from(points: Vec<[f32; 2]>) -> Self {
        let unit = |point: &[f32; 2]| point.iter().all(|part| (0.0..=1.0).contains(part));
        let ends = points.first().is_some_and(|p| p[0] == 0.0)
            && points.last().is_some_and(|p| p[0] == 1.0);
        let valid = (2..=MOST).contains(&points.len())
            && ends
            && points.iter().all(unit)
            && points.is_sorted_by(|a, b| a[0] <= b[0]);
        if valid { Transfer(points) } else { Transfer::default() }
    }
}

impl From<Transfer> for Vec<[f32; 2]> {
    fn from(transfer: Transfer) -> Self {
        transfer.0
    }
}

impl Transfer {
    /// The points, by their place.
    pub fn points(&self) -> &[[f32; 2]] {
        &self.0
    }

    /// Moves a point; it stays between its neighbours, and the ends stay where they are.
    pub fn move_to(&mut self, point: usize, [place, opacity]: [f32; 2]) {
        let last = self.0.len() - 1;
        let range = match point {
            0 => (0.0, 0.0),
            point if point >= last => (1.0, 1.0),
            point => (self.0[point - 1][0], self.0[point + 1][0]),
        };
        if let Some(moved) = self.0.get_mut(point) {
            *moved = [place.clamp(range.0, range.1), opacity.clamp(0.0, 1.0)];
        }
    }

    /// Adds a point, unless there are too many; its number.
    pub fn add(&mut self, [place, opacity]: [f32; 2]) -> Option<usize> {
        if self.0.len() >= MOST || !(0.0..=1.0).contains(&place) {
            return None;
        }
        let at = self.0.partition_point(|p| p[0] <= place).clamp(1, self.0.len() - 1);
        self.0.insert(at, [place, opacity.clamp(0.0, 1.0)]);
        Some(at)
    }

    /// Takes a point away; the ends stay.
    pub fn remove(&mut self, point: usize) {
        if point > 0 && point + 1 < self.0.len() {
            self.0.remove(point);
        }
    }

    /// The opacity at a place.
    pub fn at(&self, place: f32) -> f32 {
        let next = self.0.partition_point(|p| p[0] < place).clamp(1, self.0.len() - 1);
        let ([a, from], [b, to]) = (self.0[next - 1], self.0[next]);
        let part = if b > a { ((place - a) / (b - a)).clamp(0.0, 1.0) } else { 1.0 };
        from + (to - from) * part
    }

    /// 256 opacities from low to high.
    pub fn table(&self) -> [f32; 256] {
        std::array::from_fn(|i| self.at(i as f32 / 255.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_its_points() {
        let mut line = Transfer::from(vec![[0.0, 0.0], [0.5, 1.0], [0.5, 0.2], [1.0, 0.4]]);
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|p| line.at(p)), [0.0, 0.5, 1.0, 0.3, 0.4]);
        assert_eq!(line.table()[255], 0.4);
        line.move_to(1, [0.9, 7.0]);
        assert_eq!(line.points()[1], [0.5, 1.0], "not past its neighbour");
        line.move_to(0, [0.3, 0.3]);
        assert_eq!(line.points()[0], [0.0, 0.3]);
        assert_eq!(line.add([0.25, 0.9]), Some(1));
        line.remove(1);
        line.remove(0);
        line.remove(3);
        assert_eq!(line.points().len(), 4, "the ends stay");
        for _ in 0..100 {
            line.add([0.5, 0.5]);
        }
        assert_eq!(line.points().len(), MOST);
    }

    #[test]
    fn what_is_no_line_is_the_first() {
        for forged in
            [vec![], vec![[0.0, 0.0]], vec![[0.0, 0.0], [0.9, 1.0]], vec![[0.0, 2.0], [1.0, 1.0]]]
        {
            assert_eq!(Transfer::from(forged), Transfer::default());
        }
        for preset in Preset::ALL {
            let line = preset.transfer();
            assert_eq!(Transfer::from(Vec::from(line.clone())), line, "{preset:?}");
        }
    }
}
