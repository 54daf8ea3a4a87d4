//! Text in the panels.

use egui::{Response, RichText, Ui};

/// A heading in the colour of strong text: egui's own is as faint as a label.
pub fn heading(ui: &mut Ui, text: &str) -> Response {
    ui.heading(RichText::new(text).strong())
}
