//! Comparison with another codec.

use egui::{Button, Ui};

use crate::model::comparison::MatchMode;
use crate::model::zfp;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::text::heading;

/// Which zfp or profile to compare with; any other reconstruction is opened by *Compare*.
pub fn comparison(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let (set, comparison) = (&input.session.set, input.comparison);
    let facts = set.subject.as_ref().and_then(|s| s.facts.as_ref());
    let (Some(facts), Some(_)) = (facts, &set.original) else { return Vec::new() };
    let mut commands = Vec::new();
    ui.separator();
    heading(ui, "Compare with");
    for option in MatchMode::ALL {
        let shown = comparison.matching == Some(option);
        let button = Button::selectable(shown, option.name());
        let button = ui.add_enabled(zfp::BUILT_IN || !option.is_zfp(), button);
        if button.on_disabled_hover_text(zfp::NOT_BUILT_IN).clicked() {
            commands.push(Command::Compare(Some(option)));
        }
    }
    let closes = set.other.is_some();
    if closes && ui.button("Close comparison").clicked() {
        commands.push(Command::Compare(None));
    }
    if comparison.making() {
        ui.horizontal(|ui| {
            ui.label("Compressing …");
            // What closes the one that is there does this too.
            if !closes && ui.small_button("Cancel").clicked() {
                commands.push(Command::Compare(None));
            }
        });
    }
    let certificate = &facts.certificate;
    let unknown = certificate.nan + certificate.inf + certificate.missing;
    if comparison.matching.is_some_and(MatchMode::is_zfp) && unknown > 0 {
        ui.label(
            "zfp does not support NaN, ±Inf or missing values: zfp blocks with one of them decode to \
             arbitrary values.",
        );
    }
    commands
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;
    use fsz::{Bound, Codec, Progress};
    use fsz_field::{Field, Shape};

    use super::*;
    use crate::model::comparison::CodecComparison;
    use crate::model::document::Document;
    use crate::model::rate_distortion::RateDistortion;
    use crate::model::session::Session;
    use crate::model::settings::Settings;
    use crate::view::state::ViewState;

    #[test]
    fn one_button_ends_a_comparison() {
        let field = ndarray::Array2::from_elem((2, 3), 1f32);
        let stream = Codec::cpu().compress(field.view(), Bound::Absolute(0.1)).unwrap();
        let subject = Document::from_stream("two".into(), Path::new("two"), stream).unwrap();
        let values = Field::new(Shape::new(&[2, 3]).unwrap(), vec![1f32; 6]).unwrap();
        let original = Document::of_values("two".into(), Path::new("two"), values);
        let comparison =
            CodecComparison { making: Some(Progress::new()), ..CodecComparison::default() };
        let (view, rates) = (ViewState::new(Settings::default(), None), RateDistortion::default());
        for (other, expected) in [(None, "Cancel"), (Some(subject.clone()), "Close comparison")] {
            let mut session = Session::default();
            session.set.subject = Some(subject.clone());
            (session.set.original, session.set.other) = (Some(original.clone()), other);
            let harness = Harness::new_ui(|ui| {
                let input = PanelInput {
                    session: &session,
                    view: &view,
                    works: &[],
                    reading: false,
                    comparison: &comparison,
                    rate_distortion: &rates,
                };
                super::comparison(ui, &input);
            });
            for label in ["Cancel", "Close comparison"] {
                let shown = harness.query_by_label(label).is_some();
                assert_eq!(shown, label == expected, "{label}");
            }
        }
    }
}
