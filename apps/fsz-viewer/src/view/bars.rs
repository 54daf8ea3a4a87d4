//! The colour bars under the panes, and the titles over them.

use fsz_metrics::Limit;

use crate::model::number_format::{number, within};
use crate::model::palette;
use crate::model::pane_kind::PaneKind;
use crate::model::planes::Planes;
use crate::model::scene::{ErrorMode, Overlay};
use crate::model::set::Set;
use crate::model::volume::volume_view::VolumeSource;
use crate::view::colour_bar::{Bar, Mark};
use crate::view::state::ViewState;

/// The colour bar of a pane.
pub fn bar(kind: PaneKind, set: &Set, planes: &Planes, view: &ViewState) -> Bar {
    if kind.is_error() {
        return error_bar(kind, set, view);
    }
    let (scale, map) = match kind {
        PaneKind::Volume => (view.volume_scale(set, Some(planes)), view.volume_map(set)),
        _ => (view.ranges.scale(kind, set, planes, &view.settings), view.settings.map),
    };
    let (low, high) = scale.ends();
    let of_values = kind == PaneKind::Volume
        || view.ranges.known(kind, set, planes, view.settings.range).is_some();
    let ends = match of_values {
        true => [low, high].map(|end| within(end, low, high)),
        // As where the facts tell the range.
        false => ["–".to_owned(), "–".to_owned()],
    };
    let note = if scale.is_log() { "logarithmic" } else { "" };
    // In three dimensions they are transparent.
    let marks = if kind == PaneKind::Volume { Vec::new() } else { exceptions(set).collect() };
    Bar { table: map.table(), ends, note, marks }
}

/// Colours of what has no value on a scale, as far as there is such in the field.
fn exceptions(set: &Set) -> impl Iterator<Item = Mark> {
    let facts = set.subject.as_ref().and_then(|subject| subject.facts.as_ref());
    let [nan, missing] = facts.map_or([0; 2], |f| [f.certificate.nan, f.certificate.missing]);
    let known = [
        (nan > 0, Mark { colour: palette::NAN, name: "NaN" }),
        (missing > 0, Mark { colour: palette::MISSING, name: "missing" }),
        (set.regions().is_some(), OUTLINE),
    ];
    known.into_iter().filter_map(|(is_there, mark)| is_there.then_some(mark))
}

/// Around parts of a field that keep bounds of their own.
const OUTLINE: Mark = Mark { colour: palette::OUTLINE, name: "other bound" };

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
    let ends = match view.settings.error {
        // Of exact values.
        ErrorMode::Signed if limit == "0" => [limit.clone(), limit],
        ErrorMode::Signed => [format!("-{limit}"), format!("+{limit}")],
        ErrorMode::Absolute => ["0".to_owned(), limit],
        ErrorMode::Relative => ["1e-6".to_owned(), "1".to_owned()],
    };
    let note = if view.settings.error == ErrorMode::Relative { "logarithmic" } else { "" };
    let alarm = Mark { colour: palette::ALARM, name: "bound exceeded" };
    let alarm = set.bound().is_some().then_some(alarm);
    // NaN is restored: its error is none.
    let others = exceptions(set).filter(|mark| mark.colour != palette::NAN);
    let marks = alarm.into_iter().chain(others).collect();
    Bar { table: view.settings.error.map().table(), ends, note, marks }
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
