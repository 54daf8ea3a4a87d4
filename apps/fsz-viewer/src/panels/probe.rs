//! The numbers under the cursor, and why the tile there is stored as it is.

use egui::{Grid, Ui};
use fsz::{Codec, DType, TileCost, TileKind};

use super::heading;
use crate::app::Viewer;
use crate::number_format::{exact, number};
use crate::palette::{kind_colour, kind_name, rgb};

/// The costs of a tile's variants, kept while the cursor stays in it.
#[derive(Debug, Default)]
pub struct Explained {
    tile: Option<(u64, u64)>,
    costs: Vec<TileCost>,
}

impl Viewer {
    pub(super) fn probe(&mut self, ui: &mut Ui) {
        heading(ui, "Cursor");
        let place = self.place;
        let Some(leader) = self.set.leader() else { return };
        let at = self
            .cursor
            .and_then(|(row, column)| leader.grid.position(place.axis, place.plane, row, column));
        let (Some((row, column)), Some(position)) = (self.cursor, at) else {
            ui.label("Hover over a pane to inspect a value; click to pin the cursor.");
            ui.separator();
            return;
        };
        let single = leader.dtype == DType::F32;
        let index = leader.grid.index(position);
        let facts = leader.facts.clone();
        let limit = self.set.limit();
        let (values, errors) = match self.set.other {
            Some(_) => {
                let codecs = self.codecs();
                let of = |what: &str| codecs.each_ref().map(|codec| format!("{codec} {what}"));
                (of("value"), of("error"))
            }
            None => (
                ["Reconstructed value".to_owned(), String::new()],
                ["Error".to_owned(), String::new()],
            ),
        };
        Grid::new("probe").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
            let mut show = |name: &str, value: String| {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            };
            show("Index", format!("{index:?}"));
            let Some(planes) = self.planes.as_ref().filter(|p| p.place == place) else { return };
            for (name, plane, document) in [
                ("Original value", &planes.original, &self.set.original),
                (&values[0], &planes.subject, &self.set.subject),
                (&values[1], &planes.other, &self.set.other),
            ] {
                let Some(plane) = plane else { continue };
                // What is rounded to be looked at is read again.
                let value = match document.as_ref().filter(|_| plane.rounded) {
                    Some(document) => document.exact(&Codec::cpu(), position),
                    None => plane.at(row, column),
                };
                if let Some(value) = value {
                    show(name, exact(value, single));
                }
            }
            for (name, plane) in errors.iter().zip([&planes.error, &planes.other_error]) {
                let Some(error) = plane.as_ref().and_then(|p| p.at(row, column)) else { continue };
                show(name, number(error));
                let original = planes.original.as_ref().and_then(|p| p.at(row, column));
                let bound = limit.map(|limit| limit.of(original.unwrap_or(0.0)));
                if let Some(bound) = bound.filter(|b| *b > 0.0) {
                    show("Error / bound", format!("{:.3}", error / bound));
                }
            }
            if let Some((number, tile)) = facts.as_ref().and_then(|f| f.tiles.of(position)) {
                match facts.as_ref().and_then(|f| f.tiles.part(number)) {
                    Some((block, tile)) => show("Tile", format!("{tile} of ADIOS2 block {block}")),
                    None => show("Tile", number.to_string()),
                }
                show("Stored as", kind_name(tile.kind).to_owned());
                show("Size", format!("{} bytes", tile.bytes));
                match tile.rates {
                    Some(rates) => show("Block rates", format!("{rates:?}")),
                    None => show("Bits per value", format!("{:.2}", tile.mean_rate())),
                }
                if tile.escapes > 0 {
                    show("Stored exactly", format!("{} elements", tile.escapes));
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
        let of = Some((self.generation, number));
        if self.explained.tile != of {
            self.explained = Explained { tile: of, costs: subject.tile_costs(number) };
        }
        let why = match tile.kind {
            TileKind::Constant => "All elements have the same bits; one pattern is stored.",
            TileKind::Verbatim => "No variant is smaller than the uncompressed values.",
            TileKind::Exceptions => {
                "Some elements are stored exactly; the cheapest variant has the others:"
            }
            TileKind::Interpolated => {
                "Each element is predicted from elements on both sides of it."
            }
            _ => "The cheapest of the four variants is used:",
        };
        ui.label(why);
        let costs = &self.explained.costs;
        let least = costs.iter().map(|c| c.bytes).min().unwrap_or(0);
        let most = costs.iter().map(|c| c.bytes).max().unwrap_or(1).max(1);
        Grid::new("costs").num_columns(3).spacing([8.0, 2.0]).show(ui, |ui| {
            for cost in costs {
                let kind = TileKind::of(cost.predictor);
                ui.label(kind_name(kind));
                let text = format!("{} bytes", cost.bytes);
                match cost.bytes == least {
                    true => ui.strong(text),
                    false => ui.label(text),
                };
                let length = 70.0 * cost.bytes as f32 / most as f32;
                let (area, _) = ui.allocate_exact_size(egui::vec2(70.0, 8.0), egui::Sense::hover());
                let bar = egui::Rect::from_min_size(area.min, egui::vec2(length, 8.0));
                ui.painter().rect_filled(bar, 0.0, rgb(kind_colour(kind)));
                ui.end_row();
            }
        });
    }
}
