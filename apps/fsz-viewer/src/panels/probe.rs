//! The numbers under the cursor, and why the tile there is stored as it is.

use egui::{Grid, Ui};
use fsz::{Codec, DType, TileKind};

use crate::app::Viewer;
use crate::explain;
use crate::tiles::{kind_colour, kind_name};
use crate::words;

/// The costs of a tile's variants, kept while the cursor stays in it.
#[derive(Debug, Default)]
pub struct Explained {
    tile: Option<(u64, u64)>,
    costs: Option<[explain::Cost; 4]>,
}

impl Viewer {
    pub(super) fn probe(&mut self, ui: &mut Ui) {
        ui.heading("Under the cursor");
        let place = self.place;
        let Some(leader) = self.set.leader() else { return };
        let at = self
            .cursor
            .and_then(|(row, column)| leader.grid.position(place.axis, place.plane, row, column));
        let (Some((row, column)), Some(position)) = (self.cursor, at) else {
            ui.label("Point at a pane. A click keeps the cursor.");
            return;
        };
        let single = leader.dtype == DType::F32;
        let index = leader.grid.index(position);
        let facts = leader.facts.clone();
        let bound = self.set.bound();
        Grid::new("probe").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
            let mut show = |name: &str, value: String| {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            };
            show("index", format!("{index:?}"));
            let Some(planes) = self.planes.as_ref().filter(|p| p.place == place) else { return };
            for (name, plane, document) in [
                ("original", &planes.original, &self.set.original),
                ("reconstructed", &planes.subject, &self.set.subject),
                ("the other", &planes.other, &self.set.other),
            ] {
                let Some(plane) = plane else { continue };
                // What is rounded to be looked at is read again.
                let value = match document.as_ref().filter(|_| plane.rounded) {
                    Some(document) => document.exact(&Codec::cpu(), position),
                    None => plane.at(row, column),
                };
                if let Some(value) = value {
                    show(name, words::exact(value, single));
                }
            }
            for (name, plane) in [("error", &planes.error), ("other error", &planes.other_error)] {
                let Some(error) = plane.as_ref().and_then(|p| p.at(row, column)) else { continue };
                show(name, words::number(error));
                if let Some(bound) = bound.filter(|b| *b > 0.0) {
                    show("  by the bound", format!("{:.3}", error / bound));
                }
            }
            if let Some((number, tile)) = facts.as_ref().and_then(|f| f.tiles.of(position)) {
                match facts.as_ref().and_then(|f| f.tiles.part(number)) {
                    Some((block, tile)) => show("tile", format!("{tile} of ADIOS2 block {block}")),
                    None => show("tile", number.to_string()),
                }
                show("stored as", kind_name(tile.kind).to_owned());
                show("bytes", tile.bytes.to_string());
                show("block rates", format!("{:?}", tile.rates));
                if tile.escapes > 0 {
                    show("exact", format!("{} elements", tile.escapes));
                }
            }
        });
        self.explain(ui, position);
        ui.separator();
    }

    /// What each variant would have cost in the tile of this element.
    fn explain(&mut self, ui: &mut Ui, position: u64) {
        let Some(subject) = self.set.subject.as_ref() else { return };
        let Some(facts) = subject.facts.clone() else { return };
        let Some((number, tile)) = facts.tiles.of(position) else { return };
        if facts.tiles.tile_len() != crate::tiles::TILE {
            return;
        }
        if self.explained.tile != Some((self.generation, number)) {
            let decoded = subject.tile(&Codec::cpu(), number).unwrap_or_default();
            let single = subject.dtype == DType::F32;
            let step = subject.step(number).unwrap_or(facts.header.quantization_step);
            let codes = explain::codes(&decoded, step, single);
            self.explained = Explained {
                tile: Some((self.generation, number)),
                costs: (!codes.is_empty()).then(|| explain::costs(&codes)),
            };
        }
        let why = match tile.kind {
            TileKind::Constant => "All 256 elements have the same bits: one pattern is stored.",
            TileKind::Verbatim => "No variant is shorter than the values themselves.",
            TileKind::Exceptions => "Some elements are stored exactly; the others by a variant.",
            _ => "The cheapest of the four variants is chosen:",
        };
        ui.label(why);
        let Some(costs) = self.explained.costs else { return };
        let least = costs.iter().map(|c| c.bytes).min().unwrap_or(0);
        let most = costs.iter().map(|c| c.bytes).max().unwrap_or(1).max(1);
        Grid::new("costs").num_columns(3).spacing([8.0, 2.0]).show(ui, |ui| {
            for cost in costs {
                ui.label(kind_name(cost.kind));
                let text = format!("{} bytes", cost.bytes);
                match cost.bytes == least {
                    true => ui.strong(text),
                    false => ui.label(text),
                };
                let [r, g, b] = kind_colour(cost.kind);
                let length = 70.0 * cost.bytes as f32 / most as f32;
                let (area, _) = ui.allocate_exact_size(egui::vec2(70.0, 8.0), egui::Sense::hover());
                let bar = egui::Rect::from_min_size(area.min, egui::vec2(length, 8.0));
                ui.painter().rect_filled(bar, 0.0, egui::Color32::from_rgb(r, g, b));
                ui.end_row();
            }
        });
    }
}
