//! How the tiles are stored: legend, counts, and how many bits they take.

use egui::{Grid, Sense, Ui, vec2};
use egui_plot::{Bar, BarChart};
use fsz::TileKind;

use crate::model::number_format;
use crate::model::palette::{Map, kind_colour, kind_name};
use crate::model::scene::Overlay;
use crate::model::settings::Setting;
use crate::model::tiles::Tiles;
use crate::view::colour::rgb;
use crate::view::colour_bar;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::panels::plots::plot;
use crate::view::text::heading;
use crate::work::jobs::READING_TILES;

/// Kinds of tiles with their colours and counts, and the histogram of their sizes.
pub fn legend(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let subject = input.session.set.subject.as_ref();
    let Some(tiles) = subject.and_then(|s| s.tiles()) else { return Vec::new() };
    let mut commands = Vec::new();
    if tiles.is_empty() {
        return commands;
    }
    heading(ui, "Tiles");
    if !tiles.is_read() {
        let reading = input.works.iter().any(|work| work.name == READING_TILES);
        match (tiles.is_begun(), reading) {
            (true, true) => _ = ui.label("Reading tiles …"),
            (begun, _) => {
                ui.label(match begun {
                    true => "They were not read to the end.",
                    false => "All of a large stream is read for this.",
                });
                if ui.button("Read tiles").clicked() {
                    commands.push(Command::ReadTiles);
                }
            }
        }
        return commands;
    }
    ui.label("LZ1, LZ2: first- and second-order Lorenzo predictor");
    let grid = Grid::new("legend").num_columns(4).min_col_width(12.0);
    grid.spacing([8.0, 2.0]).show(ui, |ui| {
        for (kind, &count) in TileKind::ALL.iter().zip(&tiles.counts()) {
            // Another profile's: only where it occurs.
            if *kind == TileKind::Interpolated && count == 0 {
                continue;
            }
            let (area, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
            ui.painter().rect_filled(area, 2.0, rgb(kind_colour(*kind)));
            ui.label(kind_name(*kind));
            ui.label(number_format::count(count as u64));
            ui.label(format!("{:.1} %", 100.0 * count as f64 / tiles.len() as f64));
            ui.end_row();
        }
    });
    let shown = input.settings().overlay == Overlay::Variants;
    if ui.selectable_label(shown, "Show on the reconstruction (V)").clicked() {
        let overlay = if shown { Overlay::Off } else { Overlay::Variants };
        commands.push(Command::Set(Setting::Overlay(overlay)));
    }
    scale(ui, input.settings().overlay, tiles);
    ui.add_space(6.0);
    ui.label("Tiles by their size in bytes");
    let bars: Vec<Bar> = tiles
        .histogram()
        .iter()
        .map(|&(bytes, count)| Bar::new(bytes, count as f64).width(tiles.bin()))
        .collect();
    plot("bytes per tile", 110.0)
        .allow_drag(false)
        .allow_zoom(false)
        .show(ui, |plot| plot.bar_chart(BarChart::new("tiles", bars)));
    commands
}

/// The colours of an overlay that is a number of each tile.
fn scale(ui: &mut Ui, overlay: Overlay, tiles: &Tiles) {
    let (label, last) = match overlay {
        Overlay::Rate => ("Tile rates, in bits per value", tiles.most_rate().to_string()),
        Overlay::Bytes => ("Tile sizes, in bytes", tiles.largest().to_string()),
        Overlay::Off | Overlay::Variants => return,
    };
    ui.add_space(6.0);
    ui.label(label);
    let ends = ["0".to_owned(), last];
    let bar = colour_bar::Bar { table: Map::Magma.table(), ends, note: "", marks: Vec::new() };
    bar.show(ui, ui.available_width());
}
