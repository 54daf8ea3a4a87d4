//! The colour bars under the panes.

use crate::app::Viewer;
use crate::colours::Scale;
use crate::paint::ErrorMode;
use crate::pane::Bar;
use crate::which::Which;
use crate::words::number;

impl Viewer {
    /// The colour bar of a pane.
    pub(crate) fn bar(&self, which: Which, scale: Scale) -> Bar {
        if which.is_error() {
            return self.error_bar(which);
        }
        let (low, high) = scale.ends();
        let labels =
            [number(low), if scale.is_log() { "logarithmic" } else { "" }.to_owned(), number(high)];
        Bar { table: self.settings.map.table(), labels }
    }

    fn error_bar(&self, which: Which) -> Bar {
        let limit = number(self.limit(which));
        let alarm = if self.set.bound().is_some() { "pink: beyond the bound" } else { "" };
        let (low, high) = match self.settings.error {
            ErrorMode::Signed => (format!("−{limit}"), format!("+{limit}")),
            ErrorMode::Absolute => ("0".to_owned(), limit),
            ErrorMode::Relative => ("1e-6 of the value".to_owned(), "1".to_owned()),
        };
        Bar { table: self.settings.error.map().table(), labels: [low, alarm.to_owned(), high] }
    }
}
