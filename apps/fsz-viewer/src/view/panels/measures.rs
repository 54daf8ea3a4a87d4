//! How far the reconstruction is from the original: of the plane, and of the whole field.

use egui::{Grid, Ui};

use crate::model::document::Document;
use crate::model::measures::Measures;
use crate::model::number_format::{by_range, count, decibels, number};
use crate::model::set::Set;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::text::heading;

/// Figures of the plane that is shown and of the whole field.
pub fn metrics(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let session = input.session;
    ui.separator();
    if session.set.subject.is_none() && session.set.other.is_none() {
        ui.label("No reconstruction to measure.");
        return Vec::new();
    }
    heading(ui, "This plane");
    let plane = session.plane_figures();
    match plane {
        [None, None] if session.plane_is_measured() || !(input.reading || session.has_pair()) => {
            _ = ui.label("Could not be measured");
        }
        [None, None] => _ = ui.label("Measuring …"),
        _ => figures(ui, "plane metrics", &session.set, plane, false),
    }
    ui.add_space(6.0);
    heading(ui, "Whole field");
    let field = session.measured.both();
    if field == [None, None] {
        let failed = session.measured.subject.is_some() || session.measured.other.is_some();
        ui.label(if failed { "Not measured" } else { "Measuring …" });
        let again = failed && ui.button("Measure again").clicked();
        return again.then_some(Command::Measure).into_iter().collect();
    }
    figures(ui, "field metrics", &session.set, field, true);
    Vec::new()
}

/// The figures, and below them the sizes where `sizes`.
fn figures(ui: &mut Ui, id: &str, set: &Set, of: [Option<&Measures>; 2], sizes: bool) {
    Grid::new(id).num_columns(3).spacing([12.0, 3.0]).show(ui, |ui| {
        if of[1].is_some() {
            ui.label("");
            for name in set.codecs() {
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
        row("PSNR", &|m| decibels(&m.comparison));
        row("NRMSE", &|m| {
            let found = &m.comparison;
            by_range(found.nrmse(), found.compared, number)
        });
        row("SSIM", &|m| format!("{:.6}", m.ssim));
        row("Mean error", &|m| number(m.comparison.mean_error));
        row("Bound violations", &|m| match m.comparison.violations() {
            Some(n) => {
                let share = m.comparison.violation_share().unwrap_or(0.0);
                format!("{} ({:.3} %)", count(n), 100.0 * share)
            }
            None => "no bound".to_owned(),
        });
        row("NaN, ±Inf, missing", &|m| count(m.comparison.elements - m.comparison.compared));
        if !sizes {
            return;
        }
        let documents = [set.subject.as_ref(), set.other.as_ref()];
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
