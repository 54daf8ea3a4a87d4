//! Windows over the window: questions about files, and help.

use egui::{Align2, Grid, Key, Ui, Window};
use fsz::DType;

use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::panels::keys::KEYS;

/// The window with the keys, and the question about the first of the files that do not tell what is in
/// them.
pub fn dialogs(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = question(ui, input);
    let mut help = input.view.help;
    let window = Window::new("Keyboard and mouse").open(&mut help);
    in_the_middle(window, ui).show(ui.ctx(), |ui| {
        Grid::new("keys").num_columns(2).spacing([20.0, 4.0]).show(ui, |ui| {
            for (key, what) in KEYS {
                ui.strong(key);
                ui.label(what);
                ui.end_row();
            }
        });
    });
    if help != input.view.help {
        commands.push(Command::Help(help));
    }
    commands
}

/// A window that hides no bar of the one below it, until it is moved.
fn in_the_middle<'a>(window: Window<'a>, ui: &Ui) -> Window<'a> {
    let middle = ui.ctx().content_rect().center();
    window.collapsible(false).pivot(Align2::CENTER_CENTER).default_pos(middle)
}

fn question(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let Some(asked) = input.view.raw_dialogs.first() else { return Vec::new() };
    let mut dialog = asked.clone();
    let title = match dialog.rate {
        Some(_) => "zfp stream without a header",
        None => "Raw file",
    };
    let mut answered = None;
    in_the_middle(Window::new(title), ui).show(ui.ctx(), |ui| {
        ui.label(dialog.path.display().to_string());
        ui.horizontal(|ui| {
            let label = ui.label("Shape, slowest axis first");
            ui.text_edit_singleline(&mut dialog.shape).labelled_by(label.id);
        });
        ui.horizontal(|ui| {
            ui.label("Type");
            ui.selectable_value(&mut dialog.dtype, DType::F32, "f32");
            ui.selectable_value(&mut dialog.dtype, DType::F64, "f64");
        });
        let fitting = dialog.rate_of_size();
        if let Some(rate) = &mut dialog.rate {
            ui.horizontal(|ui| {
                let label = ui.label("Rate in bits per value");
                ui.text_edit_singleline(rate).labelled_by(label.id);
            });
            if let Some(fitting) = fitting.map(|rate| rate.to_string())
                && fitting != *rate
                && ui.button(format!("Use {fitting}, which fits the file size")).clicked()
            {
                *rate = fitting;
            }
        }
        let answer = dialog.hints();
        if let Err(reason) = &answer {
            ui.colored_label(ui.visuals().warn_fg_color, reason.to_string());
        }
        ui.horizontal(|ui| {
            let open = ui.add_enabled(answer.is_ok(), egui::Button::new("Open file"));
            let enter = ui.input(|i| i.key_pressed(Key::Enter)) && answer.is_ok();
            if open.clicked() || enter {
                answered = Some(answer.ok());
            }
            if ui.button("Cancel").clicked() || ui.input(|i| i.key_pressed(Key::Escape)) {
                answered = Some(None);
            }
        });
    });
    let mut commands = Vec::new();
    if dialog != *asked {
        commands.push(Command::EditRaw(dialog));
    }
    commands.extend(answered.map(Command::AnswerRaw));
    commands
}
