//! The plot of rate and distortion.

use egui::Ui;
use egui_plot::{Corner, Legend, Line, MarkerShape, Plot, PlotPoints, Points};

use crate::app::Viewer;
use crate::sweep::{Scope, Way};

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
        let present = self.present_points();
        Plot::new("rate and distortion")
            .height(200.0)
            .allow_scroll(false)
            .include_x(0.0)
            .x_axis_label("bits per value")
            .y_axis_label("PSNR")
            .legend(Legend::default().position(Corner::RightBottom))
            .show(ui, |plot| {
                for way in Way::ALL {
                    let curve = self.distortion.curve(way);
                    if !curve.is_empty() {
                        plot.line(Line::new(way.name(), PlotPoints::from(curve)));
                    }
                }
                for (name, at) in present.iter().filter(|(_, at)| at[1].is_finite()) {
                    let shape = MarkerShape::Diamond;
                    let marked = Points::new(format!("{name} in the panes"), vec![*at]);
                    plot.points(marked.shape(shape).radius(6.0));
                }
            });
        if let Some(note) = &self.distortion.note {
            ui.label(note);
        }
    }
}
