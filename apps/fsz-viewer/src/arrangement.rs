//! How the panes stand: where the user dragged them.

use egui::{Rect, Stroke, Style, Ui, WidgetText, vec2};
use egui_tiles::{
    Behavior, Container, ResizeState, SimplificationOptions, TileId, Tiles, Tree, UiResponse,
};

use crate::grid::PlaneSize;
use crate::which::Which;

/// The panes as tiles.
pub type Arrangement = Tree<Which>;

/// Title and colour bar of a pane take this much of its height.
const TRIMMINGS: f32 = 60.0;

/// All panes in a grid.
pub fn arrangement() -> Arrangement {
    Tree::new_grid(egui::Id::unique("panes"), Which::ALL.to_vec())
}

/// Shows these panes and no others. A tree that lacks one, from an older session, is made anew.
pub fn show_only(tree: &mut Arrangement, shown: &[Which]) {
    if Which::ALL.iter().any(|which| tree.tiles.find_pane(which).is_none()) {
        *tree = arrangement();
    }
    for which in Which::ALL {
        if let Some(tile) = tree.tiles.find_pane(&which) {
            tree.set_visible(tile, shown.contains(&which));
        }
    }
}

/// Whether the user moved panes, or a line between them.
pub fn is_moved(tree: &Arrangement) -> bool {
    let root = tree.root().and_then(|root| tree.tiles.get_container(root));
    let Some(Container::Grid(grid)) = root else { return true };
    let panes = grid.children().map(|&tile| tree.tiles.get_pane(&tile));
    let alike = |shares: &[f32]| shares.windows(2).all(|pair| pair[0] == pair[1]);
    !(panes.eq(Which::ALL.iter().map(Some)) && alike(&grid.col_shares) && alike(&grid.row_shares))
}

/// What draws the panes within their tiles.
pub struct Panes<F> {
    /// Draws one; true when the user takes it by its title.
    pub draw: F,
    /// What they are called.
    pub titles: [String; Which::ALL.len()],
    /// Size of the planes.
    pub size: PlaneSize,
}

impl<F: FnMut(&mut Ui, Which) -> bool> Behavior<Which> for Panes<F> {
    fn pane_ui(&mut self, ui: &mut Ui, _tile: TileId, which: &mut Which) -> UiResponse {
        match (self.draw)(ui, *which) {
            true => UiResponse::DragStarted,
            false => UiResponse::None,
        }
    }

    fn tab_title_for_pane(&mut self, which: &Which) -> WidgetText {
        self.titles[*which as usize].as_str().into()
    }

    /// As many as make the pictures largest.
    fn grid_auto_column_count(&self, panes: usize, rect: Rect, gap: f32) -> usize {
        let side = vec2(self.size.columns.max(1) as f32, self.size.rows.max(1) as f32);
        let fit = |columns: usize| {
            let grid = vec2(columns as f32, panes.div_ceil(columns) as f32);
            let pane = (rect.size() + vec2(gap, gap)) / grid - vec2(gap, gap + TRIMMINGS);
            (pane / side).min_elem()
        };
        // Of equals the one with fewer rows.
        (1..=panes).max_by(|&a, &b| fit(a).total_cmp(&fit(b))).unwrap_or(1)
    }

    fn gap_width(&self, _style: &Style) -> f32 {
        8.0
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

    fn is_tab_closable(&self, _tiles: &Tiles<Which>, _tile: TileId) -> bool {
        false
    }

    fn simplification_options(&self) -> SimplificationOptions {
        // A pane's own title is its handle.
        SimplificationOptions { all_panes_must_have_tabs: false, ..Default::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_makes_pictures_large() {
        let columns = |size, panes, rect| {
            let draw = |_: &mut Ui, _| false;
            Panes { draw, titles: Default::default(), size }
                .grid_auto_column_count(panes, rect, 8.0)
        };
        let rect = |w, h| Rect::from_min_size(egui::Pos2::ZERO, vec2(w, h));
        let square = PlaneSize { rows: 512, columns: 512 };
        let wide = PlaneSize { rows: 100, columns: 2000 };
        assert_eq!(columns(square, 3, rect(1200.0, 460.0)), 3);
        assert_eq!(columns(square, 4, rect(800.0, 860.0)), 2);
        assert_eq!(columns(wide, 3, rect(1200.0, 900.0)), 1);
    }

    #[test]
    fn a_tree_of_older_days_is_made_anew() {
        let mut tree = Tree::new_grid(egui::Id::unique("old"), vec![Which::Error]);
        show_only(&mut tree, &[Which::Original, Which::Error]);
        let visible =
            |which| tree.tiles.find_pane(&which).is_some_and(|tile| tree.is_visible(tile));
        assert_eq!(Which::ALL.map(visible), [true, false, true, false, false]);
    }
}
