//! Colours as egui takes them.

use egui::Color32;

/// A colour as egui takes it.
pub fn rgb([r, g, b]: [u8; 3]) -> Color32 {
    Color32::from_rgb(r, g, b)
}
