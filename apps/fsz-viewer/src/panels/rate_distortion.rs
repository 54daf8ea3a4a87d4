//! The plot of rate and distortion.

use egui::{Color32, Ui};
use egui_plot::{Corner, Legend, Line, MarkerShape, Plot, PlotPoints, Points};

use super::heading;
use crate::app::Viewer;
use crate::palette::{LINES, rgb};
use crate::rate_distortion::{Extent, Method};

/// The colour of a method by its name; that of another codec is grey.
fn colour(name: &str) -> Color32 {
    let of = Method::ALL.into_iter().zip(LINES).find(|(method, _)| method.name() == name);
    of.map_or(Color32::GRAY, |(_, colour)| rgb(colour))
}

impl Viewer {
    /// Error against size of FSZ and zfp, over many bounds and rates.
    pub(super) fn rate_distortion(&mut self, ui: &mut Ui) {
        if self.set.original.is_none() {
            return;
        }
        ui.separator();
        heading(ui, "Rate–distortion");
        ui.horizontal(|ui| {
            let extent = &mut self.settings.sweep_extent;
            ui.selectable_value(extent, Extent::Plane, "Current plane");
            ui.selectable_value(extent, Extent::Field, "Entire field");
        });
        if self.rate_distortion.running() {
            if ui.button("Stop").clicked() {
                self.stop_sweep();
            }
        } else if ui
            .button("Plot")
            .on_hover_text("Compresses the field at many bounds and rates, with FSZ and zfp")
            .clicked()
        {
            self.sweep(self.settings.sweep_extent);
        }
        if self.rate_distortion.of.is_empty() {
            return;
        }
        let alone =
            if self.rate_distortion.place.is_some() { ", compressed on its own" } else { "" };
        ui.label(format!("PSNR (dB) by bits per value: {}{alone}", self.rate_distortion.of));
        ui.label("Diamonds: the reconstructions shown");
        let present = self.present_points();
        Plot::new("rate and distortion")
            .height(220.0)
            .allow_scroll(false)
            .include_x(0.0)
            .x_axis_label("Bits per value")
            .y_axis_label("PSNR")
            .legend(Legend::default().position(Corner::RightBottom))
            .show(ui, |plot| {
                for method in Method::ALL {
                    let curve = self.rate_distortion.curve(method);
                    if !curve.is_empty() {
                        let line = Line::new(method.name(), PlotPoints::from(curve));
                        plot.line(line.color(colour(method.name())));
                    }
                }
                for (name, at) in present.iter().filter(|(_, at)| at[1].is_finite()) {
                    let marked = Points::new(name.clone(), vec![*at]).color(colour(name));
                    plot.points(marked.shape(MarkerShape::Diamond).radius(6.0));
                }
            });
        if let Some(note) = &self.rate_distortion.note {
            ui.label(note);
        }
    }
}
