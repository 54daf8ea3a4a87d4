//! How far the reconstruction is from the original.

use egui::{Grid, Ui};
use egui_plot::{Bar, BarChart, Corner, Legend, Line, Plot, PlotPoints, VLine};

use crate::app::Viewer;
use crate::document::Document;
use crate::measures::Measures;
use crate::words;

impl Viewer {
    pub(super) fn metrics(&mut self, ui: &mut Ui) {
        ui.separator();
        ui.heading("Whole field");
        let subject = self.measured.subject.as_ref().and_then(|m| m.as_deref().ok());
        let other = self.measured.other.as_ref().and_then(|m| m.as_deref().ok());
        let Some(first) = subject.or(other) else {
            let failed = self.measured.subject.is_some() || self.measured.other.is_some();
            ui.label(if failed { "could not be measured" } else { "measuring …" });
            return;
        };
        let names = self.codecs();
        Grid::new("metrics").num_columns(3).spacing([12.0, 3.0]).show(ui, |ui| {
            if other.is_some() {
                ui.label("");
                for name in names {
                    ui.strong(name);
                }
                ui.end_row();
            }
            let mut row = |name: &str, of: &dyn Fn(&Measures) -> String| {
                ui.label(name);
                for measures in [subject, other].into_iter().flatten() {
                    ui.strong(of(measures));
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
        ui.add_space(8.0);
        plots(ui, first, other.filter(|_| subject.is_some()), self.set.bound());
    }
}

impl Viewer {
    /// What the two reconstructions are called.
    pub(crate) fn codecs(&self) -> [&'static str; 2] {
        let fsz = self.set.subject.as_ref().is_some_and(|d| d.facts.is_some());
        match self.set.other.as_ref().is_some_and(|d| d.zfp_bytes.is_some()) && fsz {
            true => ["FSZ", "zfp"],
            false => ["reconstruction", "the other"],
        }
    }
}

fn plot(name: &str) -> Plot<'_> {
    Plot::new(name).height(130.0).allow_scroll(false)
}

fn plots(ui: &mut Ui, first: &Measures, other: Option<&Measures>, bound: Option<f64>) {
    ui.label("Distribution of the error; lines at ± the bound");
    plot("error histogram").show(ui, |plot| {
        for (name, measures) in [("reconstruction", Some(first)), ("the other", other)] {
            let Some(histogram) = measures.and_then(|m| m.histogram.as_ref()) else { continue };
            let width = 2.0 * histogram.limit / histogram.counts.len() as f64;
            let bars = histogram
                .edges()
                .zip(&histogram.counts)
                .map(|(edge, &count)| Bar::new(edge + width / 2.0, count as f64).width(width))
                .collect();
            plot.bar_chart(BarChart::new(name, bars));
        }
        for at in bound.into_iter().flat_map(|b| [-b, b]) {
            plot.vline(VLine::new("bound", at));
        }
    });
    ui.add_space(6.0);
    ui.label("Autocorrelation of the error along the fastest axis, by lag");
    plot("autocorrelation").include_y(-1.0).include_y(1.0).show(ui, |plot| {
        for (name, measures) in [("reconstruction", Some(first)), ("the other", other)] {
            let Some(measures) = measures else { continue };
            let lags = measures.autocorrelation.iter().enumerate();
            let points: PlotPoints<'_> = lags.map(|(i, &r)| [i as f64 + 1.0, r]).collect();
            plot.line(Line::new(name, points));
        }
    });
    ui.add_space(6.0);
    ui.label("Power spectrum (log10) by cycles per sample");
    plot("power spectrum").legend(Legend::default().position(Corner::LeftBottom)).show(
        ui,
        |plot| {
            let others = other.map(|m| ("the other", &m.spectra[1]));
            let lines = [("original", &first.spectra[0]), ("reconstruction", &first.spectra[1])];
            for (name, shells) in lines.into_iter().chain(others) {
                let points: PlotPoints<'_> = shells
                    .iter()
                    .filter(|s| s.power > 0.0)
                    .map(|s| [s.frequency, s.power.log10()])
                    .collect();
                plot.line(Line::new(name, points));
            }
        },
    );
}
