//! A running simulation: how it is reached, which of its steps is shown, and what is known of all of them.

use std::collections::VecDeque;
use std::path::Path;

use egui::{Slider, Ui};
use egui_plot::{HLine, Line, LineStyle, PlotPoints, VLine};

use crate::model::live::{Connection, LiveSeries, LiveView, ORIGINAL};
use crate::model::number_format::{bytes, count, number, within};
use crate::model::palette::{ALARM, LINES};
use crate::view::colour::rgb;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::panels::plots::plot;
use crate::view::text::heading;

/// Connection, steps and curves of a running simulation.
pub fn live(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let Some(view) = &input.session.live else { return Vec::new() };
    let mut commands = Vec::new();
    heading(ui, "Simulation");
    let stream = Path::new(&view.live.name).file_name().map(|name| name.to_string_lossy());
    ui.label(stream.unwrap_or_default()).on_hover_text(&view.live.name);
    let trouble = view.live.connection != Connection::Connected;
    match trouble {
        true => ui.colored_label(ui.visuals().warn_fg_color, view.live.connection.name()),
        false => ui.label(view.live.connection.name()),
    };
    if let Some(why) = &view.live.why {
        ui.label(why);
    }
    if ui.button("Disconnect").clicked() {
        commands.push(Command::Disconnect);
    }
    commands.extend(steps(ui, view));
    if let Some(set) = input.session.set.original.as_ref() {
        let variable = &input.session.choice.variable;
        ui.label(format!("Original: {variable}{ORIGINAL}, sent uncompressed"))
            .on_hover_text(&set.title);
    } else if view.shown.is_some() {
        let variable = &input.session.choice.variable;
        ui.label(match view.live.sends_original(variable) {
            true => "No error: only the newest step's original is kept.".to_owned(),
            false => format!("No error: the simulation sends no {variable}{ORIGINAL}"),
        });
    }
    curves(ui, view, &input.session.choice.variable);
    ui.separator();
    commands
}

fn steps(ui: &mut Ui, view: &LiveView) -> Vec<Command> {
    let mut commands = Vec::new();
    let kept = &view.live.steps;
    let (Some(first), Some(last), Some(shown)) = (kept.front(), kept.back(), view.shown) else {
        return commands;
    };
    ui.horizontal(|ui| {
        let pause = if view.following { "Pause" } else { "Resume" };
        if ui.button(pause).clicked() {
            commands.push(Command::Follow(!view.following));
        }
        // By place, for steps may be missing.
        let at = kept.partition_point(|step| step.number < shown);
        let (back, next) = (at.checked_sub(1), Some(at + 1));
        for (label, name, to) in [("<", "previous step", back), (">", "next step", next)] {
            let to = to.and_then(|to| kept.get(to));
            let button = ui.add_enabled(to.is_some(), egui::Button::new(label));
            let enabled = button.enabled();
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, enabled, name));
            if let Some(step) = to.filter(|_| button.clicked()) {
                commands.push(Command::Step(step.number));
            }
        }
        ui.label(format!("Step {shown}"));
    });
    let mut step = shown.clamp(first.number, last.number);
    ui.spacing_mut().slider_width = 130.0;
    let range = first.number..=last.number;
    let slider = ui.add(Slider::new(&mut step, range).show_value(false).text("kept steps"));
    if slider.changed() {
        commands.push(Command::Step(step));
    }
    let kept = count(kept.len() as u64);
    ui.label(format!(
        "Kept compressed: {kept} steps, {} of {}",
        bytes(view.live.bytes),
        bytes(view.live.budget)
    ));
    if view.live.skipped > 0 {
        let skipped = count(view.live.skipped);
        ui.label(format!("Dropped by the simulation's queue: {skipped}"));
    }
    commands
}

/// A curve by its name, with what its values are written as, and their limit.
type Curve = (&'static str, Vec<[f64; 2]>, fn(f64) -> String, Option<f64>);

/// Curves of every step, from the certificates: nothing is decoded for them.
fn curves(ui: &mut Ui, view: &LiveView, variable: &str) {
    let Some(points) = view.live.points.get(variable) else { return };
    let lags: Vec<[f64; 2]> = view.lags.iter().map(|[step, s]| [*step, s * 1e3]).collect();
    let of = |value: fn(&crate::model::live::LivePoint) -> Option<f64>| -> Vec<[f64; 2]> {
        points.iter().filter_map(|p| Some([p.step as f64, value(p)?])).collect()
    };
    let none = VecDeque::new();
    let changes = view.live.changes.get(variable).unwrap_or(&none);
    if let Some(step) = changes.back() {
        ui.label(format!("Another shape or type from step {step} on"));
    }
    let marks = Marks { shown: view.shown, changes };
    let newest = points.back();
    let bound = newest.map(|p| p.bound);
    ui.label("Over the steps; orange: the step shown");
    let text = |curve: &[[f64; 2]], of: fn(f64) -> String| {
        curve.last().map_or("–".to_owned(), |[_, value]| of(*value))
    };
    let curves: [Curve; 4] = [
        ("Steps per second", of(|p| p.rate), |rate| format!("{rate:.2}"), None),
        ("Lag from arrival to screen", lags, |lag| format!("{lag:.0} ms"), None),
        ("Ratio", of(|p| Some(p.ratio)), |ratio| format!("{ratio:.2} : 1"), None),
        ("Max error (pink: the bound)", of(|p| Some(p.max_error)), number, bound),
    ];
    for (name, curve, unit, limit) in curves {
        ui.label(format!("{name}: {}", text(&curve, unit)));
        draw(ui, name, curve, limit, &marks);
    }
    if let Some(LiveSeries { points: series, .. }) = &view.series {
        ui.label(format!("{variable} at the cursor, over the kept steps: {}", newest_of(series)));
        draw(ui, "value at the cursor", series.clone(), None, &marks);
    } else {
        ui.label("Click in a pane to plot a value over the steps.");
    }
}

/// The last value of a curve, with the digits that tell its values apart.
fn newest_of(curve: &[[f64; 2]]) -> String {
    let values = curve.iter().map(|[_, value]| *value).filter(|value| value.is_finite());
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    curve.last().map_or("–".to_owned(), |[_, value]| within(*value, least, most))
}

/// Steps that are marked in every curve.
struct Marks<'a> {
    shown: Option<u64>,
    /// From which on shape or type is another.
    changes: &'a VecDeque<u64>,
}

fn draw(ui: &mut Ui, name: &str, curve: Vec<[f64; 2]>, limit: Option<f64>, marks: &Marks<'_>) {
    let curve: Vec<_> = curve.into_iter().filter(|[_, value]| value.is_finite()).collect();
    plot(name, 70.0).allow_drag(false).allow_zoom(false).show(ui, |plot| {
        plot.line(Line::new(name, PlotPoints::from(curve)).color(rgb(LINES[0])));
        if let Some(limit) = limit {
            plot.hline(HLine::new("bound", limit).color(rgb(ALARM)));
        }
        for step in marks.changes {
            let line = VLine::new("another shape or type", *step as f64).color(rgb(LINES[2]));
            plot.vline(line.style(LineStyle::dashed_dense()));
        }
        if let Some(shown) = marks.shown {
            plot.vline(VLine::new("step shown", shown as f64).color(rgb(LINES[1])));
        }
    });
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;

    use super::*;

    #[test]
    fn a_value_that_hardly_changes_has_the_digits_that_do() {
        let told = |values: &[f64]| {
            let curve: Vec<[f64; 2]> = values.iter().map(|&value| [0.0, value]).collect();
            newest_of(&curve)
        };
        assert_eq!(told(&[101325.25, 101325.5, 101325.125]), "101325.125");
        assert_eq!(told(&[f64::NAN, 101325.25]), "101325");
        assert_eq!(told(&[1.0, f64::INFINITY]), "inf");
        assert_eq!(told(&[]), "–");
    }

    /// As at the cursor, where an element may be any. Such a point gives a plot no bounds.
    #[test]
    fn what_is_no_number_has_no_place_in_a_curve() {
        let marks = Marks { shown: None, changes: &VecDeque::new() };
        for values in [&[1.0, f64::INFINITY][..], &[f64::NAN], &[f64::NEG_INFINITY]] {
            let steps = values.iter().enumerate();
            let curve: Vec<[f64; 2]> = steps.map(|(step, &v)| [step as f64, v]).collect();
            Harness::new_ui(|ui| draw(ui, "value", curve.clone(), None, &marks)).run();
        }
    }
}
