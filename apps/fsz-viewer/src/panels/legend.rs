//! How the tiles are stored: legend, counts, and how many bits they take.

use egui::{Grid, Sense, Ui, vec2};
use egui_plot::{Bar, BarChart, Plot};
use fsz::TileKind;

use super::heading;
use crate::app::Viewer;
use crate::number_format;
use crate::palette::{kind_colour, kind_name, rgb};
use crate::scene::Overlay;

impl Viewer {
    pub(super) fn legend(&mut self, ui: &mut Ui) {
        let Some(facts) = self.set.subject.as_ref().and_then(|s| s.facts.clone()) else { return };
        let tiles = &facts.tiles;
        if tiles.is_empty() {
            return;
        }
        heading(ui, "Tiles");
        ui.label("LZ1, LZ2: first- and second-order Lorenzo predictor");
        Grid::new("legend").num_columns(4).spacing([8.0, 2.0]).show(ui, |ui| {
            for (kind, &count) in TileKind::ALL.iter().zip(tiles.counts()) {
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
        let shown = self.settings.overlay == Overlay::Variants;
        if ui.selectable_label(shown, "Show on the reconstruction (V)").clicked() {
            self.settings.overlay = if shown { Overlay::Off } else { Overlay::Variants };
        }
        ui.add_space(6.0);
        ui.label("Bytes per tile");
        let bars: Vec<Bar> = tiles
            .histogram()
            .iter()
            .map(|&(bytes, count)| Bar::new(bytes, count as f64).width(tiles.bin()))
            .collect();
        Plot::new("bytes per tile")
            .height(110.0)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .show(ui, |plot| plot.bar_chart(BarChart::new("tiles", bars)));
    }
}
