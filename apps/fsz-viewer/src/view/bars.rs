//! The colour bars under the panes, and the titles over them.

use fsz_metrics::Limit;

use crate::model::number_format::number;
use crate::model::pane_kind::PaneKind;
use crate::model::planes::Planes;
use crate::model::scene::{ErrorMode, Overlay};
use crate::model::set::Set;
use crate::model::volume::volume_view::VolumeSource;
use crate::view::pane::Bar;
use crate::view::state::ViewState;

/// The colour bar of a pane.
pub fn bar(kind: PaneKind, set: &Set, planes: &Planes, view: &ViewState) -> Bar {
    if kind.is_error() {
        return error_bar(kind, set, view);
    }
    let (scale, map) = match kind {
        PaneKind::Volume => (view.volume_scale(set, Some(planes)), view.volume_map()),
        _ => (view.ranges.scale(kind, set, planes, &view.settings), view.settings.map),
    };
    let (low, high) = scale.ends();
    let labels =
        [number(low), if scale.is_log() { "logarithmic" } else { "" }.to_owned(), number(high)];
    Bar { table: map.table(), labels }
}

/// A bound for people.
pub fn limit_text(limit: Limit) -> String {
    match limit {
        Limit { absolute, relative: 0.0 } => number(absolute),
        Limit { absolute: 0.0, relative } => format!("{} of each value", number(relative)),
        Limit { absolute, relative } => {
            format!("{} of each value, or {}", number(relative), number(absolute))
        }
    }
}

fn error_bar(kind: PaneKind, set: &Set, view: &ViewState) -> Bar {
    let limit = match set.regions() {
        Some(_) => "bound of each region".to_owned(),
        None => limit_text(view.ranges.limit(kind, set)),
    };
    let alarm = if set.bound().is_some() { "pink: bound exceeded" } else { "" };
    let (low, high) = match view.settings.error {
        ErrorMode::Signed => (format!("−{limit}"), format!("+{limit}")),
        ErrorMode::Absolute => ("0".to_owned(), limit),
        ErrorMode::Relative => ("1e-6".to_owned(), "1".to_owned()),
    };
    Bar { table: view.settings.error.map().table(), labels: [low, alarm.to_owned(), high] }
}

/// What a pane is called.
pub fn title(kind: PaneKind, set: &Set, planes: &Planes, view: &ViewState) -> String {
    let error = || format!("{} error", view.settings.error.name());
    let [_, other] = set.codecs();
    match kind {
        PaneKind::Original => "Original".to_owned(),
        PaneKind::Reconstruction if view.blink && planes.original.is_some() => {
            "Original (blink)".to_owned()
        }
        PaneKind::Reconstruction => match view.settings.overlay {
            Overlay::Off => "Reconstruction".to_owned(),
            overlay => format!("Reconstruction, {}", overlay.name().to_lowercase()),
        },
        PaneKind::Error => error(),
        PaneKind::Other => set.other.as_ref().map_or(other, |d| d.title.clone()),
        PaneKind::OtherError => format!("{}, {other}", error()),
        PaneKind::Volume => {
            let volume = &view.settings.volume;
            let source = volume.source.of(set);
            match source {
                VolumeSource::Kinds => format!("Volume: {}", source.name().to_lowercase()),
                _ => {
                    let rendering = volume.rendering.name().to_lowercase();
                    format!("Volume: {}, {rendering}", source.name().to_lowercase())
                }
            }
        }
    }
}
