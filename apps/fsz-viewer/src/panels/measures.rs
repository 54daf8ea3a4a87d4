//! How far the reconstruction is from the original: of the plane, and of the whole field.

use egui::{Grid, Ui};

use super::heading;
use crate::app::Viewer;
use crate::document::Document;
use crate::measures::Measures;
use crate::number_format::{count, number};

impl Viewer {
    /// Figures of the plane that is shown and of the whole field.
    pub(super) fn metrics(&mut self, ui: &mut Ui) {
        ui.separator();
        if self.set.subject.is_none() && self.set.other.is_none() {
            ui.label("No reconstruction to measure.");
            return;
        }
        heading(ui, "This plane");
        let plane = self.plane_figures();
        match plane {
            [None, None] if self.plane_is_measured() => _ = ui.label("Could not be measured"),
            [None, None] => _ = ui.label("Measuring …"),
            _ => self.figures(ui, "plane metrics", plane, false),
        }
        ui.add_space(6.0);
        heading(ui, "Whole field");
        let field = self.measured.both();
        if field == [None, None] {
            let failed = self.measured.subject.is_some() || self.measured.other.is_some();
            ui.label(if failed { "Could not be measured" } else { "Measuring …" });
            if failed && ui.button("Measure again").clicked() {
                self.measure();
            }
            return;
        }
        self.figures(ui, "field metrics", field, true);
    }

    /// The figures, and below them the sizes where `sizes`.
    fn figures(&self, ui: &mut Ui, id: &str, of: [Option<&Measures>; 2], sizes: bool) {
        Grid::new(id).num_columns(3).spacing([12.0, 3.0]).show(ui, |ui| {
            if of[1].is_some() {
                ui.label("");
                for name in self.codecs() {
                    ui.strong(name);
                }
                ui.end_row();
            }
            let mut row = |name: &str, figure: &dyn Fn(&Measures) -> String| {
                ui.label(name);
                for measures in of.into_iter().flatten() {
                    ui.strong(figure(measures));
                }
                ui.end_row();
            };
            row("Max error", &|m| number(m.comparison.max_abs_error));
            row("PSNR", &|m| format!("{:.2} dB", m.comparison.psnr()));
            row("NRMSE", &|m| number(m.comparison.nrmse()));
            row("SSIM", &|m| format!("{:.6}", m.ssim));
            row("Mean error", &|m| number(m.comparison.mean_error));
            row("Bound violations", &|m| match m.comparison.violations() {
                Some(n) => {
                    let share = m.comparison.violation_share().unwrap_or(0.0);
                    format!("{} ({:.3} %)", count(n), 100.0 * share)
                }
                None => "no bound".to_owned(),
            });
            row("Not compared", &|m| count(m.comparison.elements - m.comparison.compared));
            if !sizes {
                return;
            }
            let documents = [self.set.subject.as_ref(), self.set.other.as_ref()];
            let mut row = |name: &str, of: fn(&Document) -> Option<String>| {
                ui.label(name);
                for document in documents.into_iter().flatten() {
                    ui.strong(of(document).unwrap_or("–".to_owned()));
                }
                ui.end_row();
            };
            row("Ratio", |d| d.ratio().map(|ratio| format!("{ratio:.2} : 1")));
            row("Bits per value", |d| d.bits_per_value().map(|bits| format!("{bits:.3}")));
        });
    }

    /// What the two reconstructions are called: the names of their codecs, where these differ.
    pub(crate) fn codecs(&self) -> [String; 2] {
        let documents = [self.set.subject.as_ref(), self.set.other.as_ref()];
        let codecs = documents.map(|d| d.and_then(Document::codec));
        let names = match codecs[0] == codecs[1] {
            true => documents.map(|d| d.map(|d| d.title.as_str())),
            false => [0, 1].map(|i| codecs[i].or(documents[i].map(|d| d.title.as_str()))),
        };
        names.map(|name| name.unwrap_or("Reconstruction").to_owned())
    }
}
