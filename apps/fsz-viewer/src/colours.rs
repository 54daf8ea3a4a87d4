//! Numbers to colours.

use serde::{Deserialize, Serialize};

/// Where a value is NaN.
pub const NAN: [u8; 3] = [0x70, 0x2a, 0x6b];
/// Where a value is a named missing one.
pub const MISSING: [u8; 3] = [0x46, 0x4a, 0x52];
/// Outside the field.
pub const OUTSIDE: [u8; 3] = [0x1e, 0x20, 0x24];
/// Where an error is beyond the bound: no colour of the maps is near it.
pub const ALARM: [u8; 3] = [0xff, 0x00, 0xe6];

/// Maps for values: equal steps of value look like equal steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Map {
    /// Dark blue over green to yellow.
    #[default]
    Viridis,
    /// Black over purple to white.
    Magma,
    /// For readers with colour vision deficiencies.
    Cividis,
    /// Black to white.
    Grey,
    /// Blue over white to red, for values about a middle.
    BlueRed,
}

impl Map {
    /// All of them, in the order of the menu.
    pub const ALL: [Map; 5] = [Map::Viridis, Map::Magma, Map::Cividis, Map::Grey, Map::BlueRed];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Map::Viridis => "viridis",
            Map::Magma => "magma",
            Map::Cividis => "cividis",
            Map::Grey => "grey",
            Map::BlueRed => "blue–red",
        }
    }

    /// The colour at a place from 0 to 1.
    pub fn at(self, place: f64) -> [u8; 3] {
        let place = place.clamp(0.0, 1.0);
        let colour = match self {
            Map::Viridis => colorous::VIRIDIS.eval_continuous(place),
            Map::Magma => colorous::MAGMA.eval_continuous(place),
            Map::Cividis => colorous::CIVIDIS.eval_continuous(place),
            Map::Grey => return [(place * 255.0).round() as u8; 3],
            Map::BlueRed => colorous::RED_BLUE.eval_continuous(1.0 - place),
        };
        [colour.r, colour.g, colour.b]
    }

    /// 256 colours from low to high.
    pub fn table(self) -> [[u8; 3]; 256] {
        std::array::from_fn(|i| self.at(i as f64 / 255.0))
    }
}

/// How values are laid on a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The value of the first colour.
    pub low: f64,
    /// The value of the last.
    pub high: f64,
    /// By the logarithm; values that are not positive take the first colour.
    pub log: bool,
}

impl Scale {
    /// Whether the logarithm decides: there are positive values.
    pub fn is_log(&self) -> bool {
        self.log && self.high > 0.0
    }

    /// The values of the first and the last colour. By the logarithm both are positive.
    pub fn ends(&self) -> (f64, f64) {
        match self.is_log() && self.low <= 0.0 {
            true => (self.high * 1e-6, self.high),
            false => (self.low, self.high),
        }
    }

    /// The place of a number from 0 to 1, clamped.
    pub fn place(&self, value: f64) -> f64 {
        let (low, high) = self.ends();
        let (value, low, high) = match self.is_log() {
            true => (value.max(low).ln(), low.ln(), high.ln()),
            false => (value, low, high),
        };
        if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let scale = Scale { low: -1.0, high: 3.0, log: false };
        assert_eq!([-5.0, -1.0, 1.0, 9.0].map(|v| scale.place(v)), [0.0, 0.0, 0.5, 1.0]);
        let log = Scale { low: 1.0, high: 100.0, log: true };
        assert!((log.place(10.0) - 0.5).abs() < 1e-12);
        assert_eq!(log.place(-3.0), 0.0);
        assert_eq!(Scale { low: 2.0, high: 2.0, log: false }.place(2.0), 0.5);
    }

    #[test]
    fn the_alarm_is_no_colour_of_a_map() {
        for map in Map::ALL {
            for colour in map.table() {
                let far: i32 = colour
                    .iter()
                    .zip(ALARM)
                    .map(|(&a, b)| (i32::from(a) - i32::from(b)).abs())
                    .sum();
                assert!(far > 120, "{map:?} has {colour:?}");
            }
        }
    }
}
