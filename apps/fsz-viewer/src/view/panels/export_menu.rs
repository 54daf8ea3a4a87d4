//! What can be written into files.

use egui::Ui;
use fsz_field::field_name;

use crate::model::export::command;
use crate::view::command::{Command, Export};
use crate::view::input::PanelInput;

/// Figures, tables, and the command line that does the same.
pub fn export_menu(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    let session = input.session;
    let leader = session.set.leader();
    let stem = leader.map_or(String::new(), |d| field_name(&d.path).to_string_lossy().into_owned());
    ui.label("Save to the working directory:");
    let (axis, plane) = (session.place.axis, session.place.plane);
    let (layout, volume) = (input.settings().layout, input.shows_volume());
    let shown = session.planes.as_ref().map_or(Vec::new(), |planes| planes.shown(layout, volume));
    let all = (shown.len() > 1).then(|| ("panes", shown.clone()));
    for (name, panes) in all.into_iter().chain(shown.iter().map(|w| (w.name(), vec![*w]))) {
        let file = format!("{stem}-{name}-axis{axis}-{plane}.png");
        if ui.button(&file).on_hover_text("With colour bar").clicked() {
            commands.push(Command::Export(Export::Figure(panes), file));
            ui.close();
        }
    }
    let swept = !input.rate_distortion.points.is_empty();
    for (name, export, there) in [
        ("metrics", Export::Metrics, true),
        ("tiles", Export::Tiles, true),
        ("rate-distortion", Export::RateDistortion, swept),
    ] {
        let file = format!("{stem}-{name}.csv");
        if there && ui.button(&file).clicked() {
            commands.push(Command::Export(export, file));
            ui.close();
        }
    }
    if session.has_steps() {
        for (animated, file, hint) in [
            (true, format!("{stem}-steps.png"), "An animated PNG of this plane of every step"),
            (false, format!("{stem}-steps"), "A folder with a PNG of this plane of every step"),
        ] {
            if ui.button(&file).on_hover_text(hint).clicked() {
                commands.push(Command::Export(Export::Steps { animated }, file));
                ui.close();
            }
        }
    }
    if let Some(command) = command(session)
        && ui.button("Copy as fsz command").on_hover_text(&command).clicked()
    {
        ui.ctx().copy_text(command);
        ui.close();
    }
    commands
}
