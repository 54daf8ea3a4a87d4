//! Distribution, autocorrelation and spectrum of what was measured, of the whole field and of
//! the plane.

use egui::{Color32, Sense, Ui, vec2};
use egui_plot::{Bar, BarChart, Corner, Legend, Line, LineStyle, PlotPoints, VLine};
use fsz_metrics::Shell;

use crate::model::measures::Measures;
use crate::model::palette::{ALARM, LINES, ORIGINAL};
use crate::view::colour::rgb;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::panels::plots::plot;

/// Height of a plot.
const HEIGHT: f32 = 130.0;

/// A line of the whole field, or a dashed one of the plane.
fn line(name: &str, plane: bool, colour: Color32, points: Vec<[f64; 2]>) -> Line<'static> {
    let name = if plane { format!("{name}, this plane") } else { name.to_owned() };
    let style = if plane { LineStyle::dashed_dense() } else { LineStyle::Solid };
    Line::new(name, PlotPoints::from(points)).color(colour).style(style)
}

fn by_lag(measures: &Measures) -> Vec<[f64; 2]> {
    let lags = measures.autocorrelation.iter().enumerate();
    lags.filter(|(_, r)| r.is_finite()).map(|(i, &r)| [i as f64 + 1.0, r]).collect()
}

/// Of values beyond 1e±154 the squares are 0 or infinite: these have no place in a plot.
fn by_frequency(shells: &[Shell]) -> Vec<[f64; 2]> {
    let seen = shells.iter().filter(|s| s.power > 0.0 && s.power.is_finite());
    seen.map(|s| [s.frequency, s.power.log10()]).collect()
}

/// Which of two reconstructions has which colour in the plots below.
fn colours_of(ui: &mut Ui, names: &[String; 2]) {
    ui.horizontal_wrapped(|ui| {
        for (name, colour) in names.iter().zip(LINES) {
            let (area, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
            ui.painter().rect_filled(area, 2.0, rgb(colour));
            ui.label(name);
        }
    });
}

/// Distribution, autocorrelation and spectrum.
pub fn measure_plots(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let session = input.session;
    let (field, plane) = (session.measured.both(), session.plane_figures());
    if field == [None, None] && plane == [None, None] {
        return Vec::new();
    }
    let names = session.set.codecs();
    ui.add_space(8.0);
    if session.set.other.is_some() {
        colours_of(ui, &names);
    }
    ui.label("Error histogram; the lines mark ± the bound");
    let bound = session.set.bound();
    let alarm = rgb(ALARM);
    plot("error histogram", HEIGHT).show(ui, |plot| {
        for ((name, measures), colour) in names.iter().zip(field).zip(LINES) {
            let Some(histogram) = measures.and_then(|m| m.histogram.as_ref()) else { continue };
            let width = 2.0 * histogram.limit / histogram.counts.len() as f64;
            let bars = histogram
                .edges()
                .zip(&histogram.counts)
                .map(|(edge, &count)| Bar::new(edge + width / 2.0, count as f64).width(width))
                .collect();
            plot.bar_chart(BarChart::new(name, bars).color(rgb(colour)));
        }
        for at in bound.into_iter().flat_map(|b| [-b, b]) {
            plot.vline(VLine::new("bound", at).color(alarm));
        }
    });
    ui.add_space(6.0);
    ui.label("Error autocorrelation along the fastest axis, by lag; dashed: this plane");
    plot("autocorrelation", HEIGHT).include_y(-1.0).include_y(1.0).show(ui, |plot| {
        for (of, is_plane) in [(field, false), (plane, true)] {
            for ((name, measures), colour) in names.iter().zip(of).zip(LINES) {
                let Some(measures) = measures else { continue };
                plot.line(line(name, is_plane, rgb(colour), by_lag(measures)));
            }
        }
    });
    ui.add_space(6.0);
    ui.label("Power spectrum (log10) by cycles per sample; dashed: this plane");
    plot("power spectrum", HEIGHT).legend(Legend::default().position(Corner::LeftBottom)).show(
        ui,
        |plot| {
            for (of, is_plane) in [(field, false), (plane, true)] {
                if let Some(first) = of.into_iter().flatten().next() {
                    let points = by_frequency(&first.spectra[0]);
                    plot.line(line("original", is_plane, rgb(ORIGINAL), points));
                }
                for ((name, measures), colour) in names.iter().zip(of).zip(LINES) {
                    let Some(measures) = measures else { continue };
                    let points = by_frequency(&measures.spectra[1]);
                    plot.line(line(name, is_plane, rgb(colour), points));
                }
            }
        },
    );
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_that_have_no_logarithm_are_left_out() {
        let shell = |power| Shell { frequency: 0.25, modes: 1, power };
        let shells = [0.0, 100.0, f64::INFINITY, f64::NAN].map(shell);
        assert_eq!(by_frequency(&shells), [[0.25, 2.0]]);
    }
}
