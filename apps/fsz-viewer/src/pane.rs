//! One picture of a plane with its title, colour bar and cursor.

use egui::{
    Align2, Color32, ColorImage, CornerRadius, FontId, Rect, Response, Sense, Stroke, StrokeKind,
    TextureHandle, TextureOptions, Ui, pos2, vec2,
};

use crate::camera::Camera;
use crate::grid::PlaneSize;

/// A picture on the graphics card, and what it was made from.
#[derive(Default)]
pub struct Picture {
    texture: Option<TextureHandle>,
    key: u64,
    image: Option<ColorImage>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Picture").field("key", &self.key).finish_non_exhaustive()
    }
}

impl Picture {
    /// The picture with this key, made anew when the key is another than before.
    pub fn update(&mut self, ui: &Ui, name: &str, key: u64, make: impl FnOnce() -> ColorImage) {
        if self.key == key && self.texture.is_some() {
            return;
        }
        let image = make();
        match &mut self.texture {
            Some(texture) => texture.set(image.clone(), TextureOptions::NEAREST),
            none => {
                *none = Some(ui.ctx().load_texture(name, image.clone(), TextureOptions::NEAREST))
            }
        }
        self.key = key;
        self.image = Some(image);
    }

    /// The picture, for a file.
    pub fn image(&self) -> Option<&ColorImage> {
        self.image.as_ref()
    }
}

/// What stands under a pane.
#[derive(Clone, Debug)]
pub struct Bar {
    /// 256 colours from low to high.
    pub table: [[u8; 3]; 256],
    /// Left, middle and right label.
    pub labels: [String; 3],
}

/// What a pane shows.
#[derive(Debug)]
pub struct Pane<'a> {
    /// Its heading.
    pub title: &'a str,
    /// Its picture.
    pub picture: &'a Picture,
    /// A second picture for the part right of a place from 0 to 1, under a line that wipes.
    pub wipe: Option<(&'a Picture, f32)>,
    /// Size of the plane.
    pub size: PlaneSize,
    /// Its colours.
    pub bar: Option<Bar>,
}

/// What the pointer does over a pane.
#[derive(Debug, Default)]
pub struct Touch {
    /// The point under the pointer.
    pub hovered: Option<(usize, usize)>,
    /// Planes to go, by the wheel.
    pub planes: i32,
}

impl Pane<'_> {
    /// Draws the pane into all the space there is, moves the camera, and says what the pointer does.
    pub fn show(&self, ui: &mut Ui, camera: &mut Camera, cursor: Option<(usize, usize)>) -> Touch {
        let bar_height = if self.bar.is_some() { 30.0 } else { 0.0 };
        ui.label(egui::RichText::new(self.title).strong());
        let space = ui.available_size() - vec2(0.0, bar_height);
        let (area, response) =
            ui.allocate_exact_size(space.max(vec2(40.0, 40.0)), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, self.title));
        let painter = ui.painter_at(area);
        painter.rect_filled(area, CornerRadius::ZERO, ui.visuals().extreme_bg_color);
        let whole = camera.whole(area, self.size);
        let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        if let Some(texture) = &self.picture.texture {
            painter.image(texture.id(), whole, uv, Color32::WHITE);
        }
        if let Some((picture, at)) = self.wipe {
            let edge = area.min.x + at * area.width();
            let right = Rect::from_min_max(pos2(edge, area.min.y), area.max);
            if let Some(texture) = &picture.texture {
                painter.with_clip_rect(right).image(texture.id(), whole, uv, Color32::WHITE);
            }
            painter.vline(edge, area.y_range(), Stroke::new(1.5, Color32::WHITE));
        }
        if let Some(point) = cursor {
            let place = camera.place(area, self.size, point);
            let place = Rect::from_center_size(place.center(), place.size().max(vec2(7.0, 7.0)));
            for (width, colour) in [(3.0, Color32::BLACK), (1.2, Color32::WHITE)] {
                let stroke = Stroke::new(width, colour);
                painter.rect_stroke(place, CornerRadius::ZERO, stroke, StrokeKind::Outside);
            }
        }
        if let Some(bar) = &self.bar {
            bar.show(ui, area.width());
        }
        self.touch(ui, &response, area, camera)
    }

    fn touch(&self, ui: &Ui, response: &Response, area: Rect, camera: &mut Camera) -> Touch {
        let mut touch = Touch::default();
        if response.double_clicked() {
            *camera = Camera::default();
        }
        if response.dragged() {
            camera.drag(area, self.size, response.drag_delta());
        }
        if let Some(at) = response.hover_pos() {
            touch.hovered = camera.point(area, self.size, at);
            let (zoom, wheel) = ui.input(|i| {
                let wheel: f32 = i
                    .events
                    .iter()
                    .map(|event| match event {
                        egui::Event::MouseWheel { delta, modifiers, .. } if !modifiers.command => {
                            delta.y
                        }
                        _ => 0.0,
                    })
                    .sum();
                (i.zoom_delta(), wheel)
            });
            if zoom != 1.0 {
                camera.magnify(area, self.size, at, zoom);
            }
            if wheel != 0.0 {
                touch.planes = -wheel.signum() as i32;
            }
        }
        touch
    }
}

impl Bar {
    fn show(&self, ui: &mut Ui, width: f32) {
        let (area, _) = ui.allocate_exact_size(vec2(width, 26.0), Sense::hover());
        let painter = ui.painter_at(area);
        let mut strip = egui::Mesh::default();
        for (i, &[r, g, b]) in self.table.iter().enumerate() {
            let x = area.min.x + width * i as f32 / (self.table.len() - 1) as f32;
            let colour = Color32::from_rgb(r, g, b);
            strip.colored_vertex(pos2(x, area.min.y + 2.0), colour);
            strip.colored_vertex(pos2(x, area.min.y + 10.0), colour);
            if let Some(last) = (2 * i as u32).checked_sub(2) {
                strip.add_triangle(last, last + 1, last + 2);
                strip.add_triangle(last + 1, last + 2, last + 3);
            }
        }
        painter.add(strip);
        let y = area.min.y + 12.0;
        let places = [
            (area.min.x, Align2::LEFT_TOP),
            (area.center().x, Align2::CENTER_TOP),
            (area.max.x, Align2::RIGHT_TOP),
        ];
        for (label, (x, align)) in self.labels.iter().zip(places) {
            let colour = ui.visuals().text_color();
            painter.text(pos2(x, y), align, label, FontId::proportional(11.0), colour);
        }
    }
}
