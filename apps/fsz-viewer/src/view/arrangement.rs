//! How the panes stand: in rows that make the pictures large, or where the user put them.

use egui::{Stroke, Style, Ui, Vec2, WidgetText, vec2};
use egui_tiles::{
    Behavior, EditAction, ResizeState, SimplificationOptions, TileId, Tiles, Tree, UiResponse,
};

use crate::model::grid::PlaneSize;
use crate::model::pane_kind::PaneKind;

/// The panes as tiles.
pub type Arrangement = Tree<PaneKind>;

/// Title and colour bar of a pane take this much of its height.
const TRIMMINGS: f32 = 60.0;

/// In a pane that is narrower, titles and labels do not stand side by side.
const NARROW: f32 = 120.0;

/// Between panes.
const GAP: f32 = 8.0;

/// These panes in rows that fill the area; a row with fewer panes than the others has wider ones.
pub fn in_rows(shown: &[PaneKind], size: PlaneSize, area: Vec2) -> Arrangement {
    let mut tiles = Tiles::default();
    // The same every time, so that egui knows them again.
    let ids = PaneKind::ALL.map(|kind| tiles.insert_pane(kind));
    let rows = row_count(shown.len(), size, area);
    let (least, longer) = (shown.len() / rows, shown.len() % rows);
    let mut rest = shown.iter().map(|&kind| ids[kind as usize]);
    let mut lines: Vec<Vec<TileId>> = (0..rows)
        .map(|row| rest.by_ref().take(least + usize::from(row < longer)).collect())
        .collect();
    let hidden = PaneKind::ALL.into_iter().filter(|kind| !shown.contains(kind));
    let hidden: Vec<TileId> = hidden.map(|kind| ids[kind as usize]).collect();
    hidden.iter().for_each(|&tile| tiles.set_visible(tile, false));
    lines.iter_mut().take(1).for_each(|line| line.extend(&hidden));
    let lines = lines.into_iter().map(|line| tiles.insert_horizontal_tile(line)).collect();
    let root = tiles.insert_vertical_tile(lines);
    Tree::new(egui::Id::unique("panes"), root, tiles)
}

/// The number of rows that makes the pictures largest, of those that leave room for titles and labels; of equals the
/// smallest.
fn row_count(panes: usize, size: PlaneSize, area: Vec2) -> usize {
    let side = vec2(size.columns.max(1) as f32, size.rows.max(1) as f32);
    let fit = |rows: usize| {
        let grid = vec2(panes.div_ceil(rows) as f32, rows as f32);
        let pane = (area + vec2(GAP, GAP)) / grid - vec2(GAP, GAP + TRIMMINGS);
        (pane.x >= NARROW, (pane / side).min_elem())
    };
    let order = |a: (bool, f32), b: (bool, f32)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    (1..=panes).rev().max_by(|&a, &b| order(fit(a), fit(b))).unwrap_or(1)
}

/// Shows these panes of a tree and no others; false when it lacks one, as that of an older session may.
pub fn show_only(tree: &mut Arrangement, shown: &[PaneKind]) -> bool {
    PaneKind::ALL.into_iter().all(|kind| {
        let tile = tree.tiles.find_pane(&kind);
        tile.inspect(|&tile| tree.set_visible(tile, shown.contains(&kind))).is_some()
    })
}

/// What draws the panes within their tiles.
pub struct Panes<F> {
    /// Draws one; true when the user takes it by its title.
    pub draw: F,
    /// What they are called.
    pub titles: [String; PaneKind::ALL.len()],
    /// The user moved panes, or a line between them.
    pub moved: bool,
}

impl<F: FnMut(&mut Ui, PaneKind) -> bool> Behavior<PaneKind> for Panes<F> {
    fn pane_ui(&mut self, ui: &mut Ui, _tile: TileId, kind: &mut PaneKind) -> UiResponse {
        match (self.draw)(ui, *kind) {
            true => UiResponse::DragStarted,
            false => UiResponse::None,
        }
    }

    fn tab_title_for_pane(&mut self, kind: &PaneKind) -> WidgetText {
        self.titles[*kind as usize].as_str().into()
    }

    fn on_edit(&mut self, edit: EditAction) {
        self.moved |= matches!(edit, EditAction::TileResized | EditAction::TileDropped);
    }

    fn gap_width(&self, _style: &Style) -> f32 {
        GAP
    }

    /// A line that can be dragged is seen when the pointer is on it.
    fn resize_stroke(&self, style: &Style, state: ResizeState) -> Stroke {
        let widgets = &style.visuals.widgets;
        match state {
            ResizeState::Idle => Stroke::NONE,
            ResizeState::Hovering => widgets.hovered.fg_stroke,
            ResizeState::Dragging => widgets.active.fg_stroke,
        }
    }

    fn is_tab_closable(&self, _tiles: &Tiles<PaneKind>, _tile: TileId) -> bool {
        false
    }

    fn simplification_options(&self) -> SimplificationOptions {
        // A pane's own title is its handle.
        SimplificationOptions { all_panes_must_have_tabs: false, ..Default::default() }
    }
}

#[cfg(test)]
mod tests {
    use egui_tiles::Container;

    use super::*;

    #[test]
    fn rows_make_pictures_large() {
        let square = PlaneSize { rows: 512, columns: 512 };
        let wide = PlaneSize { rows: 100, columns: 2000 };
        assert_eq!(row_count(3, square, vec2(1200.0, 460.0)), 1);
        assert_eq!(row_count(4, square, vec2(800.0, 860.0)), 2);
        assert_eq!(row_count(3, wide, vec2(1200.0, 900.0)), 3);
        assert_eq!(row_count(0, wide, vec2(1200.0, 900.0)), 1);
        assert_eq!(row_count(3, square, vec2(200.0, 380.0)), 3, "titles and labels have room");
    }

    #[test]
    fn every_row_is_filled() {
        let square = PlaneSize { rows: 512, columns: 512 };
        for (shown, lengths) in [(1, vec![1]), (3, vec![2, 1]), (4, vec![2, 2]), (5, vec![3, 2])] {
            let tree = in_rows(&PaneKind::ALL[..shown], square, vec2(900.0, 860.0));
            let container = |tile: &TileId| tree.tiles.get_container(*tile).cloned();
            let root = tree.root().and_then(|root| container(&root)).expect("a root");
            let row = |line: Container| line.children().filter(|t| tree.is_visible(**t)).count();
            let found: Vec<usize> = root.children().filter_map(container).map(row).collect();
            assert_eq!(found, lengths, "{shown} panes");
        }
    }

    #[test]
    fn a_tree_that_lacks_a_pane_is_found_out() {
        let mut old = Tree::new_grid(egui::Id::unique("old"), vec![PaneKind::Error]);
        assert!(!show_only(&mut old, &[PaneKind::Error]));
        let mut tree = in_rows(&PaneKind::ALL, PlaneSize::default(), vec2(900.0, 860.0));
        assert!(show_only(&mut tree, &[PaneKind::Original, PaneKind::Error]));
        let visible = |kind| tree.tiles.find_pane(&kind).is_some_and(|tile| tree.is_visible(tile));
        assert_eq!(PaneKind::ALL.map(visible), [true, false, true, false, false, false]);
    }
}
