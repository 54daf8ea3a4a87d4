//! One frame of the window: events, panels, commands.

use std::time::Duration;

use egui::{CentralPanel, Panel, ScrollArea, Ui, ViewportCommand};

use crate::app::Viewer;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::{panels, theme};

/// The program's.
const NAME: &str = "FSZ viewer";

/// A panel.
type PanelOf = fn(&mut Ui, &PanelInput<'_>) -> Vec<Command>;

/// Left of the panes.
const LEFT: [PanelOf; 3] = [panels::facts, panels::controls, panels::volume];

/// Right of them.
const RIGHT: [PanelOf; 4] = [panels::live, panels::probe, panels::legend, panels::comparison];

/// Below those, of what has an original.
const METRICS: [PanelOf; 3] = [panels::metrics, panels::rate_distortion, panels::measure_plots];

impl Viewer {
    /// Draws the window, and does what the user wants.
    pub fn ui(&mut self, ui: &mut Ui) {
        if ui.ctx().cumulative_frame_nr() == 0 {
            theme::apply(ui.ctx());
        }
        // What a key asks for is on its way when it is drawn that it is not there yet.
        let commands = panels::keys(ui, &self.input());
        self.take(ui, commands);
        self.poll();
        if std::mem::take(&mut self.asks_for_attention) {
            // One that is minimized is not brought back by the focus.
            ui.ctx().send_viewport_cmd(ViewportCommand::Minimized(false));
            ui.ctx().send_viewport_cmd(ViewportCommand::Focus);
        }
        self.name_window(ui);
        let commands = panels::dropped(ui, &self.input());
        self.take(ui, commands);
        self.view_state.paint(ui.ctx(), &self.session);
        self.view_state.follow_cursor(&self.session);
        let commands = draw(ui, &self.input());
        if !commands.is_empty() {
            ui.ctx().request_repaint();
        }
        self.take(ui, commands);
        self.read_wanted_tiles();
        self.follow_volume();
        if self.busy() {
            // The threads wake the window; this keeps the progress moving.
            ui.ctx().request_repaint_after(Duration::from_millis(100));
        }
    }

    /// Tells windows apart in the desktop's list of them.
    fn name_window(&mut self, ui: &Ui) {
        let set = &self.session.set;
        let shown = set.subject.as_ref().filter(|_| self.session.tried.is_none());
        let shown = shown.or(set.original.as_ref()).or(set.leader());
        let name = match (shown, &self.session.live) {
            (Some(shown), _) => format!("{} – {NAME}", shown.title),
            (None, Some(view)) => format!("{} – {NAME}", view.live.name),
            (None, None) => NAME.to_owned(),
        };
        if self.view_state.window_name != name {
            ui.ctx().send_viewport_cmd(ViewportCommand::Title(name.clone()));
            self.view_state.window_name = name;
        }
    }

    fn input(&self) -> PanelInput<'_> {
        PanelInput {
            session: &self.session,
            view: &self.view_state,
            works: &self.jobs.works,
            reading: self.jobs.reading(),
            comparison: &self.comparison,
            rate_distortion: &self.rate_distortion,
        }
    }

    fn take(&mut self, ui: &Ui, commands: Vec<Command>) {
        for command in commands {
            self.command_given(ui.ctx(), command);
        }
    }
}

fn draw(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut show = |ui: &mut Ui, panels: &[PanelOf]| {
        commands.extend(panels.iter().flat_map(|panel| panel(ui, input)));
    };
    Panel::top("top").show(ui, |ui| show(ui, &[panels::top]));
    Panel::bottom("status").show(ui, |ui| show(ui, &[panels::status]));
    let set = &input.session.set;
    let panels = set.leader().is_some() || input.session.live.is_some();
    if panels && !input.view.bare {
        Panel::left("view").default_size(290.0).show(ui, |ui| {
            ScrollArea::vertical().id_salt("view").show(ui, |ui| show(ui, &LEFT));
        });
        Panel::right("why").default_size(300.0).show(ui, |ui| {
            ScrollArea::vertical().id_salt("why").show(ui, |ui| {
                show(ui, &RIGHT);
                if input.settings().metrics && set.original.is_some() {
                    show(ui, &METRICS);
                }
            });
        });
    }
    CentralPanel::default().show(ui, |ui| match set.leader() {
        Some(_) => show(ui, &[panels::panes]),
        None => show(ui, &[panels::welcome]),
    });
    show(ui, &[panels::dialogs]);
    commands
}
