//! The colours of the window, light and dark: every text on its ground has a contrast of at least 4.5 : 1.

use egui::{Color32, Context, Theme, Visuals};

/// Gives a window its colours.
pub fn apply(context: &Context) {
    context.set_visuals_of(Theme::Dark, dark());
    context.set_visuals_of(Theme::Light, light());
}

fn dark() -> Visuals {
    let mut visuals = Visuals::dark();
    visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(190);
    visuals.widgets.inactive.fg_stroke.color = Color32::from_gray(205);
    visuals.weak_text_color = Some(Color32::from_gray(160));
    visuals.error_fg_color = Color32::from_rgb(0xff, 0x7b, 0x72);
    visuals.warn_fg_color = Color32::from_rgb(0xff, 0xb4, 0x54);
    visuals.selection.stroke.color = Color32::WHITE;
    visuals
}

fn light() -> Visuals {
    let mut visuals = Visuals::light();
    visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(60);
    visuals.widgets.inactive.fg_stroke.color = Color32::from_gray(50);
    visuals.weak_text_color = Some(Color32::from_gray(90));
    visuals.error_fg_color = Color32::from_rgb(0xb3, 0x1d, 0x1d);
    visuals.warn_fg_color = Color32::from_rgb(0x8a, 0x4b, 0x00);
    visuals.selection.stroke.color = Color32::from_rgb(0x00, 0x2a, 0x40);
    visuals
}
