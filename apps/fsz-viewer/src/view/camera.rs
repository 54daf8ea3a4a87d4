//! Which part of a plane the panes show; all of them the same.

use egui::{Pos2, Rect, Vec2, pos2, vec2};

use crate::model::grid::PlaneSize;

/// Magnification and middle of the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// 1 fits the plane into the pane.
    pub zoom: f32,
    /// The middle of the pane, in parts of the plane from 0 to 1.
    pub middle: Vec2,
    /// The smallest pane: the plane fits into it, so that it is as large in every other.
    pub smallest: Vec2,
}

impl Default for Camera {
    fn default() -> Self {
        Camera { zoom: 1.0, middle: vec2(0.5, 0.5), smallest: Vec2::INFINITY }
    }
}

/// The greatest magnification of a point, in points of the screen.
const LARGEST_POINT: f32 = 64.0;

impl Camera {
    /// Where the whole plane lies when a pane is at `pane`; much of it may be outside.
    pub fn whole(&self, pane: Rect, size: PlaneSize) -> Rect {
        let side = vec2(size.columns.max(1) as f32, size.rows.max(1) as f32);
        let room = pane.size().min(self.smallest);
        // A very long plane is stretched, or nothing of it would be seen.
        let shown = (side * (room / side).min_elem()).max(room * 0.08) * self.zoom;
        Rect::from_min_size(pane.center() - shown * self.middle, shown)
    }

    /// The row and column under a place of the screen; none outside the plane.
    pub fn point(&self, pane: Rect, size: PlaneSize, at: Pos2) -> Option<(usize, usize)> {
        let whole = self.whole(pane, size);
        let part = (at - whole.min) / whole.size();
        let inside =
            pane.contains(at) && part.x >= 0.0 && part.y >= 0.0 && part.x < 1.0 && part.y < 1.0;
        let (row, column) =
            ((part.y * size.rows as f32) as usize, (part.x * size.columns as f32) as usize);
        (inside && row < size.rows && column < size.columns).then_some((row, column))
    }

    /// The place of a point of the plane on the screen: a rectangle.
    pub fn place(&self, pane: Rect, size: PlaneSize, (row, column): (usize, usize)) -> Rect {
        let whole = self.whole(pane, size);
        let point = whole.size() / vec2(size.columns.max(1) as f32, size.rows.max(1) as f32);
        let corner =
            pos2(whole.min.x + column as f32 * point.x, whole.min.y + row as f32 * point.y);
        Rect::from_min_size(corner, point)
    }

    /// Magnifies by a factor about a place of the screen, which stays where it is.
    pub fn magnify(&mut self, pane: Rect, size: PlaneSize, at: Pos2, factor: f32) {
        let whole = self.whole(pane, size);
        let part = (at - whole.min) / whole.size();
        let largest = LARGEST_POINT * size.rows.max(size.columns).max(1) as f32
            / pane.size().max_elem().max(1.0);
        let zoom = (self.zoom * factor).clamp(1.0, largest.max(1.0));
        let shown = whole.size() * (zoom / self.zoom);
        self.zoom = zoom;
        self.middle = part + (pane.center() - at) / shown;
        self.settle();
    }

    /// Moves the plane by so much of the screen.
    pub fn drag(&mut self, pane: Rect, size: PlaneSize, by: Vec2) {
        self.middle -= by / self.whole(pane, size).size();
        self.settle();
    }

    /// Shows the whole plane.
    pub fn reset(&mut self) {
        *self = Camera { smallest: self.smallest, ..Camera::default() };
    }

    /// Keeps the plane in sight.
    fn settle(&mut self) {
        if self.zoom <= 1.0 {
            self.reset();
        }
        self.middle = self.middle.clamp(Vec2::ZERO, Vec2::splat(1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANE: Rect = Rect { min: pos2(10.0, 20.0), max: pos2(410.0, 220.0) };
    const SIZE: PlaneSize = PlaneSize { rows: 100, columns: 100 };

    #[test]
    fn points_and_places_are_inverse() {
        let mut camera = Camera::default();
        for _ in 0..3 {
            for point in [(0, 0), (99, 99), (37, 64)] {
                let at = camera.place(PANE, SIZE, point).center();
                if PANE.contains(at) {
                    assert_eq!(camera.point(PANE, SIZE, at), Some(point));
                }
            }
            camera.magnify(PANE, SIZE, pos2(200.0, 100.0), 1.7);
        }
        assert_eq!(Camera::default().point(PANE, SIZE, pos2(12.0, 100.0)), None);
    }

    #[test]
    fn magnifying_keeps_the_point_under_the_pointer() {
        let mut camera = Camera::default();
        let at = pos2(180.0, 90.0);
        let before = camera.point(PANE, SIZE, at);
        camera.magnify(PANE, SIZE, at, 4.0);
        assert_eq!(camera.point(PANE, SIZE, at), before);
        camera.magnify(PANE, SIZE, at, 1e-3);
        assert_eq!(camera, Camera::default());
    }

    #[test]
    fn the_plane_is_as_large_in_every_pane() {
        let camera = Camera { smallest: PANE.size(), ..Camera::default() };
        let wide = Rect::from_min_size(pos2(0.0, 300.0), vec2(900.0, 250.0));
        let shown = camera.whole(wide, SIZE);
        assert_eq!(shown.size(), camera.whole(PANE, SIZE).size());
        assert_eq!(shown.center(), wide.center());
    }
}
