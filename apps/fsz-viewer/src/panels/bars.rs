//! The colour bars under the panes.

use fsz_metrics::Limit;

use crate::app::Viewer;
use crate::number_format::number;
use crate::pane::Bar;
use crate::pane_kind::PaneKind;
use crate::scale::Scale;
use crate::scene::ErrorMode;

impl Viewer {
    /// The colour bar of a pane.
    pub(crate) fn bar(&self, kind: PaneKind, scale: Scale) -> Bar {
        if kind.is_error() {
            return self.error_bar(kind);
        }
        let (low, high) = scale.ends();
        let labels =
            [number(low), if scale.is_log() { "logarithmic" } else { "" }.to_owned(), number(high)];
        Bar { table: self.settings.map.table(), labels }
    }

    fn error_bar(&self, kind: PaneKind) -> Bar {
        let limit = match self.limit(kind) {
            Limit { absolute, relative: 0.0 } => number(absolute),
            Limit { absolute: 0.0, relative } => format!("{} of each value", number(relative)),
            Limit { absolute, relative } => {
                format!("{} of each value, or {}", number(relative), number(absolute))
            }
        };
        let alarm = if self.set.bound().is_some() { "pink: bound exceeded" } else { "" };
        let (low, high) = match self.settings.error {
            ErrorMode::Signed => (format!("−{limit}"), format!("+{limit}")),
            ErrorMode::Absolute => ("0".to_owned(), limit),
            ErrorMode::Relative => ("1e-6".to_owned(), "1".to_owned()),
        };
        Bar { table: self.settings.error.map().table(), labels: [low, alarm.to_owned(), high] }
    }
}
