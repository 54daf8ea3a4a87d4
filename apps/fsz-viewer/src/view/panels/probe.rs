//! The numbers under the cursor, and why the tile there is stored as it is.

use egui::{Grid, Ui};
use fsz::TileKind;

use crate::model::palette::{kind_colour, kind_name};
use crate::model::probe::ProbedTile;
use crate::view::colour::rgb;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::text::heading;

/// The numbers under the cursor, and why the tile there is stored as it is.
pub fn probe(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    heading(ui, "Cursor");
    let Some(probe) = &input.view.probe else {
        ui.label("Hover over a pane to inspect a value; click to pin the cursor.");
        ui.separator();
        return Vec::new();
    };
    Grid::new("probe").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        let mut show = |name: &str, value: &str| {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        };
        show("Index", &format!("{:?}", probe.index));
        for (name, value) in &probe.values {
            show(name, value);
        }
        let Some(ProbedTile { name, tile, .. }) = &probe.tile else { return };
        show("Tile", name);
        show("Stored as", kind_name(tile.kind));
        show("Size", &format!("{} bytes", tile.bytes));
        match tile.rates {
            Some(rates) => show("Block rates", &format!("{rates:?}")),
            None => show("Bits per value", &format!("{:.2}", tile.mean_rate())),
        }
        if tile.escapes > 0 {
            show("Stored exactly", &format!("{} elements", tile.escapes));
        }
    });
    match &probe.tile {
        Some(_) if input.session.set.leader().is_some_and(|leader| leader.fsz1.is_some()) => {
            ui.label("The file tells which variant was used, not what the others would have cost.");
        }
        Some(tile) => explain(ui, tile),
        None => {}
    }
    ui.separator();
    Vec::new()
}

/// What each variant would have cost in the tile of this element.
fn explain(ui: &mut Ui, ProbedTile { tile, costs, .. }: &ProbedTile) {
    ui.label(match tile.kind {
        TileKind::Constant => "All elements have the same bits; one pattern is stored.",
        TileKind::Verbatim => "No variant is smaller than the uncompressed values.",
        TileKind::Exceptions => {
            "Some elements are stored exactly; the cheapest variant has the others:"
        }
        TileKind::Interpolated => "Each element is predicted from elements on both sides of it.",
        _ => "The cheapest of the four variants is used:",
    });
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
