//! How far the reconstruction is from the original: of the plane, and of the whole field.

use egui::{Grid, Ui};

use crate::app::Viewer;
use crate::document::Document;
use crate::measures::Measures;
use crate::words;

impl Viewer {
    /// Figures of the plane that is shown and of the whole field.
    pub(super) fn metrics(&mut self, ui: &mut Ui) {
        ui.separator();
        if self.set.subject.is_none() && self.set.other.is_none() {
            ui.label("There is no reconstruction to measure.");
            return;
        }
        ui.heading("This plane");
        let plane = self.plane_figures();
        match plane {
            [None, None] if self.plane_is_measured() => _ = ui.label("could not be measured"),
            [None, None] => _ = ui.label("measuring …"),
            _ => self.figures(ui, "plane metrics", plane, false),
        }
        ui.add_space(6.0);
        ui.heading("Whole field");
        let field = self.measured.both();
        if field == [None, None] {
            let failed = self.measured.subject.is_some() || self.measured.other.is_some();
            ui.label(if failed { "could not be measured" } else { "measuring …" });
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
            row("largest error", &|m| words::number(m.comparison.max_abs_error));
            row("PSNR", &|m| format!("{:.2} dB", m.comparison.psnr()));
            row("NRMSE", &|m| words::number(m.comparison.nrmse()));
            row("SSIM", &|m| format!("{:.6}", m.ssim));
            row("mean error", &|m| words::number(m.comparison.mean_error));
            row("beyond the bound", &|m| match m.comparison.violations() {
                Some(n) => {
                    let share = m.comparison.violation_share().unwrap_or(0.0);
                    format!("{} ({:.3} %)", words::count(n), 100.0 * share)
                }
                None => "no bound".to_owned(),
            });
            row("not compared", &|m| words::count(m.comparison.elements - m.comparison.compared));
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
            row("ratio", |d| d.ratio().map(|ratio| format!("{ratio:.2} : 1")));
            row("bits per value", |d| d.bits_per_value().map(|bits| format!("{bits:.3}")));
        });
    }

    /// What the two reconstructions are called.
    pub(crate) fn codecs(&self) -> [&'static str; 2] {
        let fsz = self.set.subject.as_ref().is_some_and(|d| d.facts.is_some());
        match self.set.other.as_ref().is_some_and(|d| d.zfp_bytes.is_some()) && fsz {
            true => ["FSZ", "zfp"],
            false => ["reconstruction", "the other"],
        }
    }
}
