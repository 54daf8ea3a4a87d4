//! The colour bars under the panes.

use crate::app::Viewer;
use crate::colours::{Map, Scale};
use crate::paint::{self, ErrorMode};
use crate::pane::Bar;
use crate::plane::Plane;
use crate::which::Which;
use crate::words::number;

impl Viewer {
    /// The colour bar of a pane.
    pub(crate) fn bar(&self, which: Which, plane: Option<&Plane>, scale: Scale) -> Bar {
        if which.is_error() {
            return self.error_bar(plane);
        }
        let (low, high) = scale.ends();
        let labels =
            [number(low), if scale.is_log() { "logarithmic" } else { "" }.to_owned(), number(high)];
        Bar { table: self.settings.map.table(), labels }
    }

    fn error_bar(&self, plane: Option<&Plane>) -> Bar {
        let bound = self.set.bound();
        let limit = number(bound.unwrap_or_else(|| plane.map_or(0.0, paint::largest)));
        let alarm = if bound.is_some() { "pink: beyond the bound" } else { "" };
        match self.settings.error {
            ErrorMode::Signed => Bar {
                table: Map::BlueRed.table(),
                labels: [format!("−{limit}"), alarm.to_owned(), format!("+{limit}")],
            },
            ErrorMode::Absolute => {
                Bar { table: Map::Magma.table(), labels: ["0".to_owned(), alarm.to_owned(), limit] }
            }
            ErrorMode::Relative => Bar {
                table: Map::Magma.table(),
                labels: ["1e-6 of the value".to_owned(), alarm.to_owned(), "1".to_owned()],
            },
        }
    }
}
