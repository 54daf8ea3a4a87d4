//! The keyboard.

use egui::{Key, KeyboardShortcut, Modifiers, Ui};

use crate::model::scene::Overlay;
use crate::model::set::Role;
use crate::model::settings::Setting;
use crate::view::command::Command;
use crate::view::input::PanelInput;

/// Opens a file.
pub const OPEN: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::O);

/// What the keys and the pointer do, for the help.
pub const KEYS: [(&str, &str); 16] = [
    ("Ctrl + O", "open a file"),
    ("Arrow keys, wheel", "previous or next plane"),
    ("Page Up, Page Down", "ten planes back or forward"),
    ("Home, End", "first or last plane"),
    ("1, 2, 3", "planes across axis 0, 1, 2"),
    ("Drag, Ctrl + wheel", "pan and zoom all panes"),
    ("Double click, 0", "fit the plane into the pane"),
    ("Click", "pin or release the cursor"),
    ("V", "show or hide the tile kinds"),
    ("D", "show or hide the volume"),
    ("Drag, wheel in the volume", "orbit, with Shift pan; zoom"),
    ("Click, double click in it", "go to what is seen there; reset the view"),
    ("B", "blink between original and reconstruction"),
    ("P", "hide the panels beside the panes, or show them"),
    ("?", "show or hide this help"),
    ("Ctrl + Q", "quit; the session is restored at the next start"),
];

/// What the keys that are pressed mean.
pub fn keys(ui: &Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    let quit = KeyboardShortcut::new(Modifiers::COMMAND, Key::Q);
    if ui.input_mut(|i| i.consume_shortcut(&quit)) {
        commands.push(Command::Quit);
    }
    if ui.input_mut(|i| i.consume_shortcut(&OPEN)) {
        commands.push(Command::Ask(Role::Subject, "Open a field"));
    }
    if ui.ctx().egui_wants_keyboard_input() || !input.view.raw_dialogs.is_empty() {
        return commands;
    }
    let overlay = match input.settings().overlay {
        Overlay::Variants => Overlay::Off,
        _ => Overlay::Variants,
    };
    let mut volume = input.settings().volume.clone();
    volume.shown = !volume.shown;
    let keys = [
        (Key::ArrowLeft, Command::Go(-1)),
        (Key::ArrowUp, Command::Go(-1)),
        (Key::ArrowRight, Command::Go(1)),
        (Key::ArrowDown, Command::Go(1)),
        (Key::PageUp, Command::Go(-10)),
        (Key::PageDown, Command::Go(10)),
        (Key::Home, Command::Go(i64::MIN)),
        (Key::End, Command::Go(i64::MAX)),
        (Key::Num1, Command::Face(0)),
        (Key::Num2, Command::Face(1)),
        (Key::Num3, Command::Face(2)),
        (Key::Num0, Command::Fit),
        (Key::V, Command::Set(Setting::Overlay(overlay))),
        (Key::D, Command::Volume(Box::new(volume))),
        (Key::B, Command::Blink(!input.view.blink)),
        (Key::P, Command::Bare(!input.view.bare)),
        (Key::Questionmark, Command::Help(!input.view.help)),
        (Key::Escape, Command::Help(false)),
    ];
    let pressed = keys.into_iter().filter(|(key, _)| ui.input(|i| i.key_pressed(*key)));
    commands.extend(pressed.map(|(_, command)| command));
    commands
}
