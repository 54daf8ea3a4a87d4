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
    if set.other.is_some() && ui.button("Close comparison").clicked() {
        commands.push(Command::Compare(None));
    }
    if comparison.making() {
        ui.horizontal(|ui| {
            ui.label("Compressing …");
            if ui.small_button("Cancel").clicked() {
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
