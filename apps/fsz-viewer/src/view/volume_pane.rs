//! The field in three dimensions: its picture, and in it the box, the plane that the other panes show, and the cursor.

use egui::{Color32, CornerRadius, PointerButton, Pos2, Rect, Response, Stroke, Ui, pos2, vec2};

use crate::model::grid::Grid;
use crate::model::volume::volume_view::VolumeView;
use crate::model::volume::{extent, place_of};
use crate::view::colour_bar::Bar;
use crate::view::pane::{Picture, lay_out};

/// A wheel that is turned by so many points doubles the size.
const WHEEL: f32 = 250.0;

/// The frame of the plane that the other panes show.
const SECTION: Color32 = Color32::from_rgb(0xe6, 0x9f, 0x00);

/// What the pane shows.
#[derive(Debug)]
pub struct VolumePane<'a> {
    /// Its heading.
    pub title: &'a str,
    /// Its picture.
    pub picture: &'a Picture,
    /// From where, and which part.
    pub view: &'a VolumeView,
    /// Elements along each axis, slowest first.
    pub sides: [u64; 3],
    /// Axis and number of the plane that the other panes show.
    pub section: (usize, u64),
    /// The element under the cursor.
    pub cursor: Option<[u64; 3]>,
    /// Its colours.
    pub bar: Option<Bar>,
}

/// What the pointer does over the pane.
#[derive(Debug)]
pub struct VolumeTouch {
    /// The user takes the pane by its title.
    pub taken: bool,
    /// Columns and rows of the picture that fills the pane.
    pub size: [u32; 2],
    /// From where, and which part.
    pub view: VolumeView,
    /// Where it was clicked, from −1 at the left and top to 1.
    pub picked: Option<[f32; 2]>,
}

impl VolumePane<'_> {
    /// Draws the pane into all the space there is, and says what the pointer does.
    pub fn show(&self, ui: &mut Ui) -> VolumeTouch {
        let (taken, area, response) = lay_out(ui, self.title, self.bar.as_ref());
        self.paint(ui, area);
        if let Some(bar) = &self.bar {
            bar.show(ui, area.width());
        }
        let scale = ui.ctx().pixels_per_point();
        let size = [area.width(), area.height()].map(|side| (side * scale).round().max(1.0) as u32);
        let mut view = self.view.clone();
        let picked = touch(ui, &response, area, &mut view);
        VolumeTouch { taken, size, view, picked }
    }

    fn paint(&self, ui: &Ui, area: Rect) {
        let painter = ui.painter_at(area);
        painter.rect_filled(area, CornerRadius::ZERO, ui.visuals().extreme_bg_color);
        let aspect = area.width() / area.height();
        let at = |point: [f32; 3]| -> Option<Pos2> {
            let [a, b] = self.view.orbit.project(point, aspect)?;
            Some(area.center() + vec2(a * area.width() / 2.0, b * area.height() / 2.0))
        };
        let line = |from: [f32; 3], to: [f32; 3], stroke: Stroke| {
            if let (Some(from), Some(to)) = (at(from), at(to)) {
                painter.line_segment([from, to], stroke);
            }
        };
        let extent = extent(self.sides);
        let corners = |low: [f32; 3], high: [f32; 3], i: usize| -> [f32; 3] {
            std::array::from_fn(|k| if i >> k & 1 == 0 { low[k] } else { high[k] })
        };
        let (low, high) = (extent.map(|k| -k), extent);
        let [_, _, along] = self.view.orbit.axes();
        let depth = |i: &usize| -> f32 {
            corners(low, high, *i).iter().zip(along).map(|(a, b)| a * b).sum()
        };
        let furthest = (0..8).max_by(|a, b| depth(a).total_cmp(&depth(b))).unwrap_or(0);
        let edges = |low: [f32; 3], high: [f32; 3], behind: bool, stroke: Stroke| {
            for i in 0..8 {
                for k in (0..3).filter(|k| i >> k & 1 == 0) {
                    let other = i | 1 << k;
                    if (i == furthest || other == furthest) == behind {
                        line(corners(low, high, i), corners(low, high, other), stroke);
                    }
                }
            }
        };
        let weak = Stroke::new(1.0, ui.visuals().weak_text_color());
        let strong = Stroke::new(1.0, ui.visuals().text_color());
        // The clip box, in the same space.
        let parts = <[[f32; 2]; 3]>::from(self.view.clip);
        let end = |k: usize, side: usize| (2.0 * parts[2 - k][side] - 1.0) * extent[k];
        let (clip_low, clip_high) =
            (std::array::from_fn(|k| end(k, 0)), std::array::from_fn(|k| end(k, 1)));
        let clipped = !self.view.clip.is_whole();
        edges(low, high, true, weak);
        if clipped {
            edges(clip_low, clip_high, true, strong);
        }
        if let Some(texture) = self.picture.id() {
            let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            painter.image(texture, area, uv, Color32::WHITE);
        }
        edges(low, high, false, weak);
        if clipped {
            edges(clip_low, clip_high, false, strong);
        }
        let (axis, index) = self.section;
        let k = 2 - axis.min(2);
        let place = place_of(self.sides, Grid::place_of([index, 0, 0], axis))[k];
        let on_plane = |i: usize| -> [f32; 3] {
            let [a, b] = [0, 1].map(|bit| i >> bit & 1 == 0);
            let mut point = [0.0; 3];
            for (other, low_end) in (0..3).filter(|other| *other != k).zip([a, b]) {
                point[other] = if low_end { -extent[other] } else { extent[other] };
            }
            point[k] = place;
            point
        };
        for (from, to) in [(0, 1), (1, 3), (3, 2), (2, 0)] {
            line(on_plane(from), on_plane(to), Stroke::new(1.5, SECTION));
        }
        let Some(cursor) = self.cursor else { return };
        let centre = place_of(self.sides, cursor);
        for axis in 0..3 {
            let (mut from, mut to) = (centre, centre);
            (from[axis], to[axis]) = (-extent[axis], extent[axis]);
            line(from, to, Stroke::new(1.0, SECTION));
        }
        if let Some(at) = at(centre) {
            painter.circle_filled(at, 3.5, SECTION);
            painter.circle_stroke(at, 3.5, Stroke::new(1.0, Color32::BLACK));
        }
    }
}

/// What the pointer does to the view; where it was clicked.
fn touch(ui: &Ui, response: &Response, area: Rect, view: &mut VolumeView) -> Option<[f32; 2]> {
    let orbit = &mut view.orbit;
    if response.double_clicked() {
        orbit.reset();
    }
    let by = response.drag_delta() / area.size();
    let shifts = response.dragged_by(PointerButton::Secondary)
        || response.dragged_by(PointerButton::Middle)
        || ui.input(|i| i.modifiers.shift);
    if response.dragged() && by != egui::Vec2::ZERO {
        match shifts {
            true => orbit.shift(by.into(), area.width() / area.height()),
            false => orbit.turn(by.into()),
        }
    }
    if response.hovered() {
        let (zoom, wheel) = ui.input(|i| (i.zoom_delta(), i.smooth_scroll_delta().y));
        if zoom != 1.0 || wheel != 0.0 {
            orbit.magnify(zoom * (wheel / WHEEL).exp2());
        }
    }
    let at = response.interact_pointer_pos().filter(|_| response.clicked())?;
    let part = (at - area.center()) / (area.size() / 2.0);
    Some(part.into())
}
