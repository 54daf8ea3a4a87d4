//! The window: bars, panels and panes around the viewer's state.

mod bars;
mod comparison;
mod controls;
mod dialogs;
mod facts;
mod keys;
mod legend;
mod measure_plots;
mod measures;
mod panes;
mod pictures;
mod probe;
mod rate_distortion;
mod status;
mod top;

pub use pictures::Ranges;
pub use probe::Explained;

use egui::{CentralPanel, Panel, Response, RichText, ScrollArea, Ui};

use crate::app::Viewer;

impl Viewer {
    /// Draws the window, and does what the user wants.
    pub fn ui(&mut self, ui: &mut Ui) {
        self.poll();
        self.take_dropped(ui);
        self.keys(ui);
        Panel::top("top").show(ui, |ui| self.top(ui));
        Panel::bottom("status").show(ui, |ui| self.status(ui));
        if self.set.leader().is_some() {
            Panel::left("view").default_size(290.0).show(ui, |ui| {
                ScrollArea::vertical().id_salt("view").show(ui, |ui| {
                    self.facts(ui);
                    self.controls(ui);
                });
            });
            Panel::right("why").default_size(300.0).show(ui, |ui| {
                ScrollArea::vertical().id_salt("why").show(ui, |ui| {
                    self.probe(ui);
                    self.legend(ui);
                    self.comparison(ui);
                    if self.settings.metrics && self.set.original.is_some() {
                        self.metrics(ui);
                        self.rate_distortion(ui);
                        self.measure_plots(ui);
                    }
                });
            });
        }
        CentralPanel::default().show(ui, |ui| match self.set.leader() {
            Some(_) => self.panes(ui),
            None => self.welcome(ui),
        });
        self.dialogs(ui);
        if self.busy() {
            // The threads wake the window; this keeps the progress moving.
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
        }
    }
}

/// A heading in the colour of strong text: egui's own is as faint as a label.
fn heading(ui: &mut Ui, text: &str) -> Response {
    ui.heading(RichText::new(text).strong())
}
