//! The keyboard.

use egui::{Key, KeyboardShortcut, Modifiers, Ui, ViewportCommand};

use crate::app::Viewer;
use crate::scene::Overlay;

/// What the keys and the pointer do, for the help.
pub(super) const KEYS: [(&str, &str); 11] = [
    ("Arrow keys, wheel", "previous or next plane"),
    ("Page Up, Page Down", "ten planes back or forward"),
    ("Home, End", "first or last plane"),
    ("1, 2, 3", "select the axis"),
    ("Drag, Ctrl + wheel", "pan and zoom all panes"),
    ("Double click, 0", "fit the plane into the pane"),
    ("Click", "pin or release the cursor"),
    ("V", "show or hide the tile kinds"),
    ("B", "blink between original and reconstruction"),
    ("?", "show or hide this help"),
    ("Ctrl + Q", "quit; the session is restored at the next start"),
];

impl Viewer {
    pub(super) fn keys(&mut self, ui: &Ui) {
        let quit = KeyboardShortcut::new(Modifiers::COMMAND, Key::Q);
        if ui.input_mut(|i| i.consume_shortcut(&quit)) {
            ui.ctx().send_viewport_cmd(ViewportCommand::Close);
        }
        if ui.ctx().egui_wants_keyboard_input() || !self.raw_dialogs.is_empty() {
            return;
        }
        let pressed = |key| ui.input(|i| i.key_pressed(key));
        for (key, planes) in [
            (Key::ArrowLeft, -1),
            (Key::ArrowUp, -1),
            (Key::ArrowRight, 1),
            (Key::ArrowDown, 1),
            (Key::PageUp, -10),
            (Key::PageDown, 10),
            (Key::Home, i64::MIN),
            (Key::End, i64::MAX),
        ] {
            if pressed(key) {
                self.go(planes);
            }
        }
        for (axis, key) in [Key::Num1, Key::Num2, Key::Num3].into_iter().enumerate() {
            if pressed(key) {
                self.face(axis);
            }
        }
        if pressed(Key::Num0) {
            self.camera.reset();
        }
        if pressed(Key::V) {
            let overlay = &mut self.settings.overlay;
            *overlay = match overlay {
                Overlay::Variants => Overlay::Off,
                _ => Overlay::Variants,
            };
        }
        if pressed(Key::B) {
            self.blink = !self.blink;
        }
        if pressed(Key::Questionmark) {
            self.help = !self.help;
        }
    }
}
