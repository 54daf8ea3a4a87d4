//! The bar at the top: files and view.

use egui::{Button, Color32, Theme, Ui};

use crate::model::set::Role;
use crate::model::settings::Setting;
use crate::model::typed_path::typed_path;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::panels::export_menu::export_menu;
use crate::view::panels::keys::OPEN;
use crate::view::text::entered;

/// Files, export, metrics, theme and help; and below them what there is to tell.
pub fn top(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    ui.horizontal_wrapped(|ui| {
        ui.menu_button("File", |ui| commands.extend(file_menu(ui, input)));
        if ui.button("Original …").on_hover_text("Open the uncompressed field").clicked() {
            commands.push(Command::Ask(Role::Original, "Open the original"));
        }
        let open = input.session.set.leader().is_some();
        let compare = ui.add_enabled(open, Button::new("Compare …"));
        let compare = compare.on_hover_text("Open another reconstruction of the same field");
        if compare.on_disabled_hover_text(NOTHING_TO_COMPARE).clicked() {
            commands.push(Command::Ask(Role::Other, "Open a reconstruction to compare with"));
        }
        ui.separator();
        if input.session.set.leader().is_some() {
            ui.menu_button("Export", |ui| commands.extend(export_menu(ui, input)));
        }
        let mut metrics = input.settings().metrics;
        let toggle = ui.toggle_value(&mut metrics, "Metrics");
        if toggle.on_hover_text("Show how far the reconstruction is from the original").changed() {
            commands.push(Command::Set(Setting::Metrics(metrics)));
        }
        let mut volume = input.settings().volume.clone();
        let toggle = ui.toggle_value(&mut volume.shown, "Volume");
        if toggle.on_hover_text("Show the field in three dimensions (D)").changed() {
            commands.push(Command::Volume(Box::new(volume)));
        }
        ui.separator();
        let dark = ui.visuals().dark_mode;
        let theme = ui.button(if dark { "Light" } else { "Dark" });
        if theme.on_hover_text("Change the colours of the window").clicked() {
            commands.push(Command::Theme(if dark { Theme::Light } else { Theme::Dark }));
        }
        let mut help = input.view.help;
        if ui.toggle_value(&mut help, "?").on_hover_text("Keyboard and mouse (?)").changed() {
            commands.push(Command::Help(help));
        }
        if let Some(leader) = input.session.set.leader() {
            ui.separator();
            ui.strong(&leader.title);
        }
    });
    let alarming = Some(ui.visuals().error_fg_color);
    commands.extend(lines(ui, &input.view.messages, alarming).map(Command::DismissMessage));
    commands.extend(lines(ui, &input.view.notes, None).map(Command::DismissNote));
    commands
}

/// What folders there are to open.
pub const FOLDERS: &str =
    "An ADIOS2 file (.bp), or a folder of .fsz or .npy files, which is a series";

/// Why nothing can be opened beside nothing.
const NOTHING_TO_COMPARE: &str = "Open a field first";

fn file_menu(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    let keys = ui.ctx().format_shortcut(&OPEN);
    if ui.add(Button::new("Open file …").shortcut_text(keys)).clicked() {
        commands.push(Command::Ask(Role::Subject, "Open a field"));
        ui.close();
    }
    if ui.button("Open folder …").on_hover_text(FOLDERS).clicked() {
        commands.push(Command::AskFolder);
        ui.close();
    }
    ui.separator();
    let label = ui.label("Path");
    let mut typed = input.view.typed_path.clone();
    let path = ui.text_edit_singleline(&mut typed).labelled_by(label.id);
    let home = std::env::home_dir();
    let chosen = typed_path(&typed, home.as_deref());
    if path.changed() {
        commands.push(Command::TypePath(typed));
    }
    for (name, role) in [
        ("Open path", Role::Subject),
        ("Open path as original", Role::Original),
        ("Open path as comparison", Role::Other),
    ] {
        let enabled = role != Role::Other || input.session.set.leader().is_some();
        let button = ui.add_enabled(enabled, Button::new(name));
        let pressed = button.on_disabled_hover_text(NOTHING_TO_COMPARE).clicked();
        if (pressed || role == Role::Subject && entered(ui, &path))
            && !chosen.as_os_str().is_empty()
        {
            commands.push(Command::Open(chosen.clone(), role));
            ui.close();
        }
    }
    ui.separator();
    let label = ui.label("Stream of a running simulation");
    let mut typed = input.view.typed_stream.clone();
    let name = ui.text_edit_singleline(&mut typed).labelled_by(label.id);
    let stream = typed_path(&typed, home.as_deref());
    if name.changed() {
        commands.push(Command::TypeStream(typed));
    }
    if (ui.button("Connect").clicked() || entered(ui, &name)) && !stream.as_os_str().is_empty() {
        commands.push(Command::Connect(stream));
        ui.close();
    }
    if !input.settings().recent.is_empty() {
        ui.separator();
        ui.label("Recent files");
    }
    for recent in &input.settings().recent {
        if ui.button(recent.display().to_string()).clicked() {
            commands.push(Command::Open(recent.clone(), Role::Subject));
            ui.close();
        }
    }
    commands
}

/// Lines that stay until they are dismissed; the one that is.
fn lines(ui: &mut Ui, lines: &[String], colour: Option<Color32>) -> Option<usize> {
    let mut dismissed = None;
    for (i, line) in lines.iter().enumerate() {
        ui.horizontal_wrapped(|ui| {
            match colour {
                Some(colour) => ui.colored_label(colour, line),
                None => ui.label(line),
            };
            if ui.small_button("Dismiss").clicked() {
                dismissed = Some(i);
            }
        });
    }
    dismissed
}
