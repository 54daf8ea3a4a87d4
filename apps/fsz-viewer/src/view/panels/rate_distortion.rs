//! The plot of rate and distortion.

use egui::{Color32, Ui};
use egui_plot::{Corner, Legend, Line, MarkerShape, PlotPoints, Points};

use crate::model::palette::LINES;
use crate::model::settings::Setting;
use crate::model::sweep_point::{Extent, Method};
use crate::view::colour::rgb;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::panels::plots::plot_of;
use crate::view::text::heading;

/// The colour of a method by its name; that of another codec is grey.
fn colour(name: &str) -> Color32 {
    let of = Method::ALL.into_iter().zip(LINES).find(|(method, _)| method.name() == name);
    of.map_or(Color32::GRAY, |(_, colour)| rgb(colour))
}

/// Error against size of FSZ and zfp, over many bounds and rates.
pub fn rate_distortion(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    if input.session.set.original.is_none() {
        return commands;
    }
    let found = input.rate_distortion;
    ui.separator();
    heading(ui, "Rate–distortion");
    ui.horizontal(|ui| {
        let mut extent = input.settings().sweep_extent;
        ui.selectable_value(&mut extent, Extent::Plane, "This plane");
        ui.selectable_value(&mut extent, Extent::Field, "Whole field");
        if extent != input.settings().sweep_extent {
            commands.push(Command::Set(Setting::SweepExtent(extent)));
        }
    });
    if found.running() {
        if ui.button("Stop").clicked() {
            commands.push(Command::StopSweep);
        }
    } else if ui
        .button("Plot")
        .on_hover_text("Compresses the field at many bounds and rates, with FSZ and zfp")
        .clicked()
    {
        commands.push(Command::Sweep);
    }
    if found.of.is_empty() {
        return commands;
    }
    let alone = if found.place.is_some() { ", compressed on its own" } else { "" };
    ui.label(format!("PSNR (dB) by bits per value: {}{alone}", found.of));
    ui.label("Diamonds: the reconstructions shown");
    let present = found.present_points(input.session, input.comparison.zfp_mode);
    plot_of("rate and distortion", 220.0, "Bits per value", "PSNR (dB)")
        .include_x(0.0)
        .legend(Legend::default().position(Corner::RightBottom))
        .show(ui, |plot| {
            for method in Method::ALL {
                let curve = found.curve(method);
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
    if let Some(note) = &found.note {
        ui.label(note);
    }
    commands
}
