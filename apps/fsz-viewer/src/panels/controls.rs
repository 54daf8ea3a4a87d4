//! Axis, plane, colours, overlay, and *Recompress*.

use egui::{ComboBox, DragValue, Slider, Ui};

use super::heading;
use crate::app::{COMPRESSING, Viewer};
use crate::palette::Map;
use crate::scene::{ErrorMode, Overlay};
use crate::settings::{Layout, RangeMode};

fn choice<T: Copy + PartialEq>(
    ui: &mut Ui,
    label: &str,
    value: &mut T,
    all: &[T],
    name: fn(T) -> &'static str,
) {
    ui.horizontal(|ui| {
        let text = ui.label(label);
        ComboBox::from_id_salt(label)
            .selected_text(name(*value))
            .show_ui(ui, |ui| {
                for &option in all {
                    ui.selectable_value(value, option, name(option));
                }
            })
            .response
            .labelled_by(text.id);
    });
}

impl Viewer {
    pub(super) fn controls(&mut self, ui: &mut Ui) {
        let Some(leader) = self.set.leader() else { return };
        let grid = leader.grid.clone();
        self.variables(ui);
        if grid.axes() > 1 {
            heading(ui, "Plane");
            ui.horizontal(|ui| {
                for axis in 0..grid.axes() {
                    if ui.selectable_label(self.place.axis == axis, grid.axis_name(axis)).clicked()
                    {
                        self.face(axis);
                    }
                }
            });
            let last = grid.planes(self.place.axis).saturating_sub(1);
            ui.horizontal(|ui| {
                ui.spacing_mut().slider_width = 150.0;
                let slider = Slider::new(&mut self.place.plane, 0..=last).show_value(false);
                ui.add(slider.text("")).widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::Slider, true, "plane slider")
                });
                let number = ui.add(DragValue::new(&mut self.place.plane).range(0..=last));
                number.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::SpinButton, true, "plane number")
                });
                ui.label(format!("of {}", last + 1));
            });
            ui.separator();
        }
        heading(ui, "View");
        let s = &mut self.settings;
        choice(ui, "Panes", &mut s.layout, &Layout::ALL, Layout::name);
        if s.arrangement.is_some() && ui.button("Reset panes").clicked() {
            s.arrangement = None;
        }
        choice(ui, "Colormap", &mut s.map, &Map::ALL, Map::name);
        choice(ui, "Range", &mut s.range, &RangeMode::ALL, RangeMode::name);
        ui.checkbox(&mut s.log, "Logarithmic");
        choice(ui, "Error", &mut s.error, &ErrorMode::ALL, ErrorMode::name);
        choice(ui, "Overlay", &mut s.overlay, &Overlay::ALL, Overlay::name);
        if s.overlay != Overlay::Off {
            ui.add(Slider::new(&mut s.opacity, 0.0..=1.0).text("Opacity"));
        }
        let both = self.set.original.is_some() && self.set.subject.is_some();
        if both {
            ui.checkbox(&mut self.blink, "Blink: original in place of reconstruction (B)");
            let mut wipes = self.wipe.is_some();
            ui.checkbox(&mut wipes, "Wipe from original to reconstruction");
            match (wipes, &mut self.wipe) {
                (true, Some(at)) => {
                    ui.add(Slider::new(at, 0.0..=1.0).text("Position"));
                }
                (true, none) => *none = Some(0.5),
                (false, some) => *some = None,
            }
        }
        ui.separator();
        if self.set.original.is_some() {
            heading(ui, "Recompress");
            let before = self.settings.try_bound;
            let slider = Slider::new(&mut self.settings.try_bound, 1e-6..=1e-1)
                .logarithmic(true)
                .custom_formatter(|v, _| format!("{v:.1e}"))
                .text("Value-range bound");
            ui.add(slider).on_hover_text("Recompresses the original as you drag");
            let mut named = false;
            ui.horizontal(|ui| {
                let label = ui.label("Missing values");
                let typed = ui.text_edit_singleline(&mut self.missing).labelled_by(label.id);
                named = typed.lost_focus();
                typed.on_hover_text(
                    "Values that mark missing data, such as 9.96921e36. They are stored exactly and \
                     do not count towards the range. Press Enter to recompress",
                );
            });
            let idle = !self.work.iter().any(|w| w.name == COMPRESSING);
            let want = self.settings.try_bound;
            if before != want || named || (self.try_waits && idle) {
                self.try_waits = !idle;
                if idle {
                    self.compress();
                }
            }
            ui.separator();
        }
    }

    /// Variable and step of a file that has several.
    fn variables(&mut self, ui: &mut Ui) {
        let Some(catalog) = self.catalogs.iter().flatten().next().cloned() else { return };
        let heading = heading(ui, "Variable");
        let mut choice = self.choice.clone();
        let list = ComboBox::from_id_salt("variable").selected_text(&choice.variable);
        let shown = list.show_ui(ui, |ui| {
            for entry in &catalog.entries {
                ui.selectable_value(&mut choice.variable, entry.name.clone(), &entry.name);
            }
        });
        shown.response.labelled_by(heading.id);
        choice = catalog.nearest(&choice);
        let steps =
            catalog.entries.iter().find(|e| e.name == choice.variable).map_or(1, |e| e.steps);
        if steps > 1 {
            ui.horizontal(|ui| {
                ui.add(Slider::new(&mut choice.step, 0..=steps - 1).text("Step"));
                ui.toggle_value(&mut self.playing, "Play");
            });
        }
        if self.playing && !self.reading() {
            choice.step = (choice.step + 1) % steps;
        }
        if choice != self.choice && !self.reading() {
            self.choose(choice);
        }
        ui.separator();
    }
}
