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
    let marks = if kind == PaneKind::Volume { Vec::new() } else { exceptions(set, view).collect() };
    Bar { table: map.table(), ends, note, marks }
}

/// Colours of what has no value on a scale, as far as there is such in the field.
fn exceptions(set: &Set, view: &ViewState) -> impl Iterator<Item = Mark> {
    let special = view.ranges.special(set);
    let known = [
        (special.nan, Mark { colour: palette::NAN, name: "NaN" }),
        (special.infinite, Mark { colour: palette::INFINITE, name: "±Inf" }),
        (special.missing, Mark { colour: palette::MISSING, name: "missing" }),
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
    // NaN and ±Inf are restored: their error is none.
    let restored = [palette::NAN, palette::INFINITE];
    let others = exceptions(set, view).filter(|mark| !restored.contains(&mark.colour));
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fsz::{Bound, Codec, CompressOptions};
    use fsz_field::{Field, Shape};

    use super::*;
    use crate::model::document::Document;
    use crate::model::grid::PlaneSize;
    use crate::model::plane::{Place, Plane};
    use crate::model::session::Session;
    use crate::model::settings::Settings;

    const VALUES: [f32; 4] = [0.0, f32::NEG_INFINITY, -9.0, 1.0];

    /// What stands under the panes of an original and of the errors of its reconstruction.
    fn names(set: Set, missing: &[f64]) -> [Vec<&'static str>; 2] {
        let session = Session { set, shown: Some((Place::default(), 0)), ..Session::default() };
        let size = PlaneSize { rows: 1, columns: VALUES.len() };
        let original = Some(Plane::new(size, VALUES.map(f64::from).to_vec()));
        let planes = Planes { original, ..Planes::default() };
        let mut view = ViewState::new(Settings::default(), None);
        view.ranges.follow(&session, &planes, view.settings.range);
        assert_eq!(session.set.leader().unwrap().missing(), missing);
        [PaneKind::Original, PaneKind::Error].map(|kind| {
            bar(kind, &session.set, &planes, &view).marks.iter().map(|mark| mark.name).collect()
        })
    }

    #[test]
    fn what_lies_on_no_scale_is_named_under_the_pane() {
        let field = || Field::new(Shape::new(&[1, 4]).unwrap(), VALUES.to_vec()).unwrap();
        let path = Path::new("four");
        // Of the whole field, as the certificate tells.
        let options = CompressOptions::new(Bound::Absolute(0.1)).missing(-9.0);
        let view = ndarray::ArrayView::from_shape((1, 4), &VALUES).unwrap();
        let stream = Codec::cpu().compress_with(view, &options).unwrap();
        let subject = Document::from_stream("four".into(), path, stream).unwrap();
        let set = Set { subject: Some(subject), ..Set::default() };
        assert_eq!(
            names(set, &[-9.0]),
            [vec!["±Inf", "missing"], vec!["bound exceeded", "missing"]]
        );
        // Of a file that tells nothing of itself.
        let original = Some(Document::of_values("four".into(), path, field()));
        let set = Set { original, ..Set::default() };
        assert_eq!(names(set, &[]), [vec!["±Inf"], vec![]]);
    }
}
