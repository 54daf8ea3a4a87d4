//! Text in the panels.

use egui::{Key, Response, RichText, Ui};

/// A heading in the colour of strong text: egui's own is as faint as a label.
pub fn heading(ui: &mut Ui, text: &str) -> Response {
    ui.heading(RichText::new(text).strong())
}

/// A name, with what is to be said of it, by name, in `hints`.
pub fn named(ui: &mut Ui, name: &str, hints: &[(&str, &str)]) {
    let label = ui.label(name);
    if let Some((_, hint)) = hints.iter().find(|(of, _)| *of == name) {
        label.on_hover_text(*hint);
    }
}

/// Whether a line of text was ended by Enter: it also loses the focus to whatever else is clicked.
pub fn entered(ui: &Ui, line: &Response) -> bool {
    line.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter))
}
