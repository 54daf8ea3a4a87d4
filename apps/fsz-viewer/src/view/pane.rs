//! One picture of a plane with its title, colour bar and cursor.

use anyhow::Result;
use eframe::wgpu::FilterMode;
use egui::{
    Color32, ColorImage, Context, CornerRadius, Rect, Response, Sense, Stroke, StrokeKind,
    TextureHandle, TextureId, TextureOptions, Ui, Vec2, pos2, vec2,
};

use crate::model::grid::PlaneSize;
use crate::view::camera::Camera;
use crate::view::colour_bar::Bar;
use crate::view::painter::{Painted, read_back};
use crate::view::window_gpu::WindowGpu;

/// A picture on the graphics card, and what it was made from.
#[derive(Default)]
pub struct Picture {
    texture: Option<Texture>,
    key: u64,
}

/// Where it lies.
enum Texture {
    /// Brought there from the host.
    Host(TextureHandle, ColorImage),
    /// Painted there, and known to the window by this name until it is given back.
    Gpu(TextureId, fsz_wgpu::Picture),
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Picture").field("key", &self.key).finish_non_exhaustive()
    }
}

impl Picture {
    /// The picture with this key, made anew when the key is another than before.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn update(
        &mut self,
        context: &Context,
        name: &str,
        key: u64,
        window_gpu: Option<&WindowGpu>,
        make: impl FnOnce() -> Result<Painted>,
    ) -> Result<()> {
        if self.key == key && self.texture.is_some() {
            return Ok(());
        }
        match (make()?, window_gpu) {
            (Painted::Gpu(picture), Some(window_gpu)) => self.show(picture, window_gpu),
            (Painted::Gpu(picture), None) => self.load(context, name, None, read_back(&picture)?),
            (Painted::Host(image), window_gpu) => self.load(context, name, window_gpu, image),
        }
        self.key = key;
        Ok(())
    }

    fn load(
        &mut self,
        context: &Context,
        name: &str,
        window_gpu: Option<&WindowGpu>,
        image: ColorImage,
    ) {
        let handle = match self.texture.take() {
            Some(Texture::Host(mut handle, _)) => {
                handle.set(image.clone(), TextureOptions::NEAREST);
                handle
            }
            before => {
                give_back(before, window_gpu);
                context.load_texture(name, image.clone(), TextureOptions::NEAREST)
            }
        };
        self.texture = Some(Texture::Host(handle, image));
    }

    /// There is nothing to show any more.
    pub fn leave(&mut self, window_gpu: Option<&WindowGpu>) {
        give_back(self.texture.take(), window_gpu);
    }

    fn show(&mut self, picture: fsz_wgpu::Picture, window_gpu: &WindowGpu) {
        let device = &window_gpu.state.device;
        let view = picture.texture().create_view(&Default::default());
        let mut renderer = window_gpu.state.renderer.write();
        let id = match &self.texture {
            Some(Texture::Gpu(id, _)) => {
                let filter = FilterMode::Nearest;
                renderer.update_egui_texture_from_wgpu_texture(device, &view, filter, *id);
                *id
            }
            _ => renderer.register_native_texture(device, &view, FilterMode::Nearest),
        };
        self.texture = Some(Texture::Gpu(id, picture));
    }

    /// The name that the window knows it by.
    pub fn id(&self) -> Option<TextureId> {
        self.texture.as_ref().map(|texture| match texture {
            Texture::Host(handle, _) => handle.id(),
            Texture::Gpu(id, _) => *id,
        })
    }

    /// Whether there is none yet.
    pub fn is_empty(&self) -> bool {
        self.texture.is_none()
    }

    /// Whether the window's GPU painted it.
    pub fn is_on_gpu(&self) -> bool {
        matches!(self.texture, Some(Texture::Gpu(..)))
    }

    /// The picture, for a file; none before there is one.
    ///
    /// # Errors
    /// When the GPU does not give it back.
    pub fn image(&self) -> Option<Result<ColorImage>> {
        self.texture.as_ref().map(|texture| match texture {
            Texture::Host(_, image) => Ok(image.clone()),
            Texture::Gpu(_, picture) => read_back(picture),
        })
    }
}

/// The window holds a texture that was painted on its GPU until it is told.
fn give_back(texture: Option<Texture>, window_gpu: Option<&WindowGpu>) {
    if let (Some(Texture::Gpu(id, _)), Some(window_gpu)) = (texture, window_gpu) {
        window_gpu.state.renderer.write().free_texture(&id);
    }
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
#[derive(Debug)]
pub struct Touch {
    /// The point under the pointer.
    pub hovered: Option<(usize, usize)>,
    /// Planes to go, by the wheel.
    pub planes: i32,
    /// The user takes the pane by its title.
    pub taken: bool,
    /// Size of the pane, without title and colour bar.
    pub size: Vec2,
    /// The part of the plane that is seen, in parts of it from 0 to 1; larger when there is room around.
    pub visible: Rect,
}

/// Lays a pane out: its title, by which the user may take it, and the picture, above room for a colour bar.
pub(crate) fn lay_out(ui: &mut Ui, title: &str, bar: Option<&Bar>) -> (bool, Rect, Response) {
    let (width, gap) = (ui.available_width(), ui.spacing().item_spacing.y);
    let bar_height = bar.map_or(0.0, |bar| bar.height(ui, width) + gap);
    let heading = egui::RichText::new(title).strong();
    let heading = ui.add(egui::Label::new(heading).selectable(false).sense(Sense::drag()));
    let taken = heading.on_hover_text("Drag to move this pane").drag_started();
    let space = ui.available_size() - vec2(0.0, bar_height);
    let (area, response) =
        ui.allocate_exact_size(space.max(vec2(40.0, 40.0)), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, title));
    (taken, area, response)
}

impl Pane<'_> {
    /// Draws the pane into all the space there is, moves the camera, and says what the pointer does.
    pub fn show(&self, ui: &mut Ui, camera: &mut Camera, cursor: Option<(usize, usize)>) -> Touch {
        let (taken, area, response) = lay_out(ui, self.title, self.bar.as_ref());
        let painter = ui.painter_at(area);
        painter.rect_filled(area, CornerRadius::ZERO, ui.visuals().extreme_bg_color);
        let whole = camera.whole(area, self.size);
        let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        if let Some(texture) = self.picture.id() {
            painter.image(texture, whole, uv, Color32::WHITE);
        }
        if let Some((picture, at)) = self.wipe {
            let edge = area.min.x + at * area.width();
            let right = Rect::from_min_max(pos2(edge, area.min.y), area.max);
            if let Some(texture) = picture.id() {
                painter.with_clip_rect(right).image(texture, whole, uv, Color32::WHITE);
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
        Touch { taken, ..self.touch(ui, &response, area, camera) }
    }

    fn touch(&self, ui: &Ui, response: &Response, area: Rect, camera: &mut Camera) -> Touch {
        let whole = camera.whole(area, self.size);
        let part = |at: egui::Pos2| ((at - whole.min) / whole.size()).to_pos2();
        let visible = Rect::from_min_max(part(area.min), part(area.max));
        let mut touch =
            Touch { hovered: None, planes: 0, taken: false, size: area.size(), visible };
        if response.double_clicked() {
            camera.reset();
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
