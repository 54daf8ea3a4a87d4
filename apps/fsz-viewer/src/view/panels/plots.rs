//! Plots that look alike.

use egui::Rangef;
use egui_plot::{AxisHints, Plot};

/// Labels of a grid that are closer than this many points are left out; the others are not faded, so
/// that they stay readable.
const LABELS: Rangef = Rangef { min: 40.0, max: 40.5 };

/// A plot of a name and height, which the wheel scrolls past.
pub fn plot(name: &str, height: f32) -> Plot<'_> {
    plot_of(name, height, "", "")
}

/// A plot with labels at its axes.
pub fn plot_of<'a>(name: &'a str, height: f32, x: &'a str, y: &'a str) -> Plot<'a> {
    Plot::new(name)
        .height(height)
        .allow_scroll(false)
        .custom_x_axes(vec![AxisHints::new_x().label(x).label_spacing(LABELS)])
        .custom_y_axes(vec![AxisHints::new_y().label(y).label_spacing(Rangef::new(16.0, 16.5))])
}
