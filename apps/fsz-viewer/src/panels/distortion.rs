//! The plot of rate and distortion.

use egui::{Color32, Ui};
use egui_plot::{Corner, Legend, Line, MarkerShape, Plot, PlotPoints, Points};

use crate::app::Viewer;
use crate::sweep::{Scope, Way};

/// The colours of the ways, told apart by people who do not tell red from green, too.
const COLOURS: [Color32; 3] = [
    Color32::from_rgb(0x56, 0xb4, 0xe9),
    Color32::from_rgb(0xe6, 0x9f, 0x00),
    Color32::from_rgb(0xcc, 0x79, 0xa7),
];

/// The colour of a way by its name; that of another codec is grey.
fn colour(name: &str) -> Color32 {
    let of = Way::ALL.into_iter().zip(COLOURS).find(|(way, _)| way.name() == name);
    of.map_or(Color32::GRAY, |(_, colour)| colour)
}

impl Viewer {
    /// Error against size of FSZ and zfp, over many bounds and rates.
    pub(super) fn distortion(&mut self, ui: &mut Ui) {
        if self.set.original.is_none() {
            return;
        }
        ui.separator();
        ui.heading("Rate and distortion");
        ui.horizontal(|ui| {
            let scope = &mut self.settings.sweep;
            ui.selectable_value(scope, Scope::Plane, "of this plane");
            ui.selectable_value(scope, Scope::Field, "of the whole field");
        });
        if self.distortion.running() {
            if ui.button("Stop").clicked() {
                self.stop_sweep();
            }
        } else if ui
            .button("Plot it")
            .on_hover_text("Compresses it at many bounds and rates, by FSZ and by zfp")
            .clicked()
        {
            self.sweep(self.settings.sweep);
        }
        if self.distortion.of.is_empty() {
            return;
        }
        let alone = if self.distortion.place.is_some() { ", compressed alone" } else { "" };
        ui.label(format!("PSNR in dB by bits per value, of {}{alone}", self.distortion.of));
        ui.label("Diamonds: what is in the panes");
        let present = self.present_points();
        Plot::new("rate and distortion")
            .height(220.0)
            .allow_scroll(false)
            .include_x(0.0)
            .x_axis_label("bits per value")
            .y_axis_label("PSNR")
            .legend(Legend::default().position(Corner::RightBottom))
            .show(ui, |plot| {
                for way in Way::ALL {
                    let curve = self.distortion.curve(way);
                    if !curve.is_empty() {
                        let line = Line::new(way.name(), PlotPoints::from(curve));
                        plot.line(line.color(colour(way.name())));
                    }
                }
                for (name, at) in present.iter().filter(|(_, at)| at[1].is_finite()) {
                    let marked = Points::new(*name, vec![*at]).color(colour(name));
                    plot.points(marked.shape(MarkerShape::Diamond).radius(6.0));
                }
            });
        if let Some(note) = &self.distortion.note {
            ui.label(note);
        }
    }
}
