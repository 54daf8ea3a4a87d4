//! The numbers under the cursor, and why the tile there is stored as it is.

use egui::{Grid, Ui};
use fsz::{TileCoding, TileCost, TileKind};

use crate::model::palette::{coding_name, kind_colour, kind_name};
use crate::model::probe::ProbedTile;
use crate::view::colour::rgb;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::text::{heading, named};

/// What does not explain itself.
const HINTS: [(&str, &str); 6] = [
    ("Index", "Along each axis, slowest first, from 0"),
    ("Error", "Reconstructed value − original value"),
    ("Size", "Its rates, its blocks and its exceptions; the costs below are of its blocks alone"),
    ("Share of its chunk", "Boxes are coded together: this is the share of one"),
    ("Block rates", "Bits per residual of each block of 32 elements"),
    (
        "Stored exactly",
        "Elements without a code: NaN, ±Inf, missing values, and what no code keeps within the bound",
    ),
];

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
            named(ui, name, &HINTS);
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
        let size = format!("{} bytes", tile.bytes);
        match tile.rates() {
            [] => {
                show("Share of its chunk", &size);
                show("Bits per value", &format!("{:.2}", tile.mean_rate()));
            }
            rates => {
                show("Size", &size);
                show("Block rates", &format!("{rates:?}"));
            }
        }
        if tile.escapes > 0 {
            let elements = if tile.escapes == 1 { "element" } else { "elements" };
            show("Stored exactly", &format!("{} {elements}", tile.escapes));
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

/// What each way of coding would have cost the tile of this element.
fn explain(ui: &mut Ui, ProbedTile { tile, costs, .. }: &ProbedTile) {
    let shown = shown(&costs.costs);
    let chosen = costs.costs.iter().find(|cost| cost.chosen);
    let boxed = costs.costs.iter().any(|cost| cost.coding == TileCoding::Verbatim);
    ui.label(match chosen.filter(|_| boxed) {
        Some(chosen) => why_box(tile.kind, chosen.coding, &shown),
        None => why_tile(tile.kind),
    });
    if shown.iter().all(|cost| cost.bytes == 0) {
        return;
    }
    let least = shown.iter().map(|c| c.bytes).min().unwrap_or(0);
    let most = shown.iter().map(|c| c.bytes).max().unwrap_or(1).max(1);
    Grid::new("costs").num_columns(3).spacing([8.0, 2.0]).show(ui, |ui| {
        for cost in &shown {
            ui.label(coding_name(cost.coding));
            let text = format!("{} bytes", cost.bytes);
            match cost.chosen {
                true => ui.strong(text),
                false => ui.label(text),
            };
            let length = 70.0 * cost.bytes as f32 / most as f32;
            let (area, _) = ui.allocate_exact_size(egui::vec2(70.0, 8.0), egui::Sense::hover());
            let bar = egui::Rect::from_min_size(area.min, egui::vec2(length, 8.0));
            ui.painter().rect_filled(bar, 0.0, rgb(kind_colour(cost.coding.kind())));
            ui.end_row();
        }
    });
    if !boxed {
        return;
    }
    if chosen.is_some_and(|chosen| is_predictor(chosen.coding) && chosen.bytes > least) {
        ui.label("The encoder chooses one predictor for the field, by a sample of its boxes.");
    }
    ui.label(match costs.of_original {
        true => "Counted in this box, from its original values.",
        false => "Counted in this box, from its decoded values: they favour what is used.",
    });
}

/// The costs that are shown: of what is not predicted those alone that were chosen, or all where there is no
/// other.
fn shown(costs: &[TileCost]) -> Vec<TileCost> {
    let predicted = costs.iter().any(|cost| is_predictor(cost.coding));
    let is_shown = |cost: &&TileCost| !predicted || cost.chosen || is_predictor(cost.coding);
    costs.iter().filter(is_shown).copied().collect()
}

fn is_predictor(coding: TileCoding) -> bool {
    !matches!(coding, TileCoding::Exact | TileCoding::Verbatim)
}

fn why_tile(kind: TileKind) -> &'static str {
    match kind {
        TileKind::Constant => "All elements have the same bits; one pattern is stored.",
        TileKind::Verbatim => "No variant is smaller than the uncompressed values.",
        TileKind::Exceptions => {
            "Some elements are stored exactly; the cheapest variant has the others:"
        }
        TileKind::Interpolated => "Each element is predicted from elements on both sides of it.",
        _ => "The cheapest of the four variants is used:",
    }
}

/// Why a box of `dense` is coded so.
fn why_box(kind: TileKind, chosen: TileCoding, shown: &[TileCost]) -> &'static str {
    let interpolated = |cost: &TileCost| cost.coding.kind() == TileKind::Interpolated;
    match (kind, chosen) {
        (TileKind::Constant, _) => why_tile(kind),
        (_, TileCoding::Verbatim) => "Nothing is smaller than the uncompressed values.",
        (_, TileCoding::Exact) => "No predictor keeps the bound here; bits are predicted:",
        (TileKind::Exceptions, _) => "Some elements are stored exactly; the others are predicted:",
        (_, TileCoding::Lorenzo(_)) if shown.iter().any(interpolated) => {
            "Lorenzo prediction is used in the whole field:"
        }
        (_, TileCoding::Lorenzo(_)) => "Its values are too far apart for interpolation:",
        _ => why_tile(TileKind::Interpolated),
    }
}
