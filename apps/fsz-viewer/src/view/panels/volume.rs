//! How the field is looked at in three dimensions.

use egui::{ComboBox, DragValue, Rect, Sense, Slider, Stroke, Ui, pos2, vec2};
use fsz_wgpu::TILE_KINDS;

use crate::model::number_format::within;
use crate::model::palette::{kind_colour, kind_name};
use crate::model::volume::clip_box::ClipBox;
use crate::model::volume::transfer::{Preset, Transfer};
use crate::model::volume::volume_view::{Rendering, VolumeSource, VolumeView};
use crate::view::colour::rgb;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::text::heading;
use crate::view::volume_state::VolumeState;

/// How near a point of the transfer function the pointer takes hold of it.
const NEAR: f32 = 10.0;

/// Values, rendering, opacities, clip box and view of the volume.
pub fn volume(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let known = &input.settings().volume;
    let Some(leader) = input.session.set.leader().filter(|_| known.shown) else {
        return Vec::new();
    };
    heading(ui, "Volume");
    if !leader.grid.is_solid() {
        ui.label("A volume needs a field of three dimensions or more.");
        ui.separator();
        return Vec::new();
    }
    let set = &input.session.set;
    let mut view = known.clone();
    values(ui, input, &mut view);
    match view.rendering(set) {
        Rendering::Mip => {}
        Rendering::Compositing => {
            compositing(ui, input, &mut view);
        }
        Rendering::Isosurface => {
            let scale = input.view.volume_scale(set, input.session.planes.as_deref());
            let (low, high) = scale.ends();
            let label = within(scale.value(f64::from(view.iso)), low, high);
            ui.add(Slider::new(&mut view.iso, 0.0..=1.0).show_value(false).text("Isovalue"));
            ui.label(label);
        }
    }
    if view.rendering(set) != Rendering::Mip {
        let slice = Slider::new(&mut view.section, 0.0..=1.0).text("Opacity of the plane");
        ui.add(slice.max_decimals(2));
    }
    clip(ui, leader.grid.sides(), &mut view.clip);
    ui.horizontal_wrapped(|ui| {
        for axis in 0..3 {
            if ui.button(format!("Along {}", leader.grid.axis_name(axis))).clicked() {
                view.orbit.face(axis);
            }
        }
        if ui.button("Reset view").clicked() {
            view.orbit.reset();
        }
        ui.checkbox(&mut view.orbit.perspective, "Perspective");
    });
    match &input.view.volume {
        VolumeState { failed: true, .. } => _ = ui.label("The volume cannot be shown."),
        VolumeState { note: Some(note), .. } => {
            _ = ui.label(coarseness(note.stride, view.source.of(set)))
        }
        // Its colours are those of a plane.
        _ if input.session.planes.is_some() => _ = ui.label("Bringing the volume to the GPU …"),
        _ => {}
    }
    ui.separator();
    let changed = view != *known;
    changed.then(|| Command::Volume(Box::new(view))).into_iter().collect()
}

/// What a voxel stands for.
fn coarseness([z, y, x]: [u64; 3], source: VolumeSource) -> String {
    let what = match source {
        VolumeSource::Reconstruction | VolumeSource::Original => "the mean",
        VolumeSource::Error => "the largest",
        VolumeSource::Kinds => "the middle one",
    };
    match [z, y, x] {
        [1, 1, 1] => "Full resolution".to_owned(),
        _ => format!("A voxel is {what} of {z} × {y} × {x} elements"),
    }
}

fn values(ui: &mut Ui, input: &PanelInput<'_>, view: &mut VolumeView) {
    let set = &input.session.set;
    ui.horizontal(|ui| {
        let label = ui.label("Values");
        let shown = view.source.of(set);
        let list = ComboBox::from_id_salt("volume values").selected_text(shown.name());
        let list = list.show_ui(ui, |ui| {
            for source in VolumeSource::ALL.into_iter().filter(|source| source.of(set) == *source) {
                ui.selectable_value(&mut view.source, source, source.name());
            }
        });
        list.response.labelled_by(label.id);
    });
    if view.source.of(set) == VolumeSource::Kinds {
        return;
    }
    ui.horizontal(|ui| {
        let label = ui.label("Rendering");
        let list = ComboBox::from_id_salt("rendering").selected_text(view.rendering.name());
        let list = list.show_ui(ui, |ui| {
            for rendering in Rendering::ALL {
                ui.selectable_value(&mut view.rendering, rendering, rendering.name());
            }
        });
        list.response.labelled_by(label.id);
    });
}

fn compositing(ui: &mut Ui, input: &PanelInput<'_>, view: &mut VolumeView) {
    let density = Slider::new(&mut view.density, 1.0..=1000.0).logarithmic(true);
    ui.add(density.max_decimals(0).text("Density"));
    if view.source.of(&input.session.set) == VolumeSource::Kinds {
        let subject = input.session.set.subject.as_ref();
        let counts = subject.and_then(|s| s.tiles()).map(|tiles| tiles.counts());
        for (shown, kind) in view.kinds.iter_mut().zip(TILE_KINDS) {
            let place = fsz::TileKind::ALL.iter().position(|&known| known == kind);
            let count = place.and_then(|place| Some(counts?[place]));
            if count.is_some_and(|count| count > 0) {
                ui.horizontal(|ui| {
                    let (area, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
                    ui.painter().rect_filled(area, 2.0, rgb(kind_colour(kind)));
                    ui.checkbox(shown, kind_name(kind));
                });
            }
        }
        return;
    }
    ui.horizontal(|ui| {
        let label = ui.label("Opacity");
        let preset = Preset::ALL.into_iter().find(|p| p.transfer() == view.transfer);
        let name = preset.map_or("Edited", Preset::name);
        let list = ComboBox::from_id_salt("opacity").selected_text(name);
        let list = list.show_ui(ui, |ui| {
            for preset in Preset::ALL {
                ui.selectable_value(&mut view.transfer, preset.transfer(), preset.name());
            }
        });
        list.response.labelled_by(label.id);
    });
    let table = input.view.volume_map(&input.session.set).table();
    transfer_function(ui, &table, &mut view.transfer);
}

/// The line of opacities over the colours of the values.
fn transfer_function(ui: &mut Ui, table: &[[u8; 3]; 256], line: &mut Transfer) {
    let size = vec2(ui.available_width().clamp(80.0, 260.0), 84.0);
    let (area, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Canvas, true, "Transfer function"));
    let plot = area.shrink(5.0);
    let at = |[place, opacity]: [f32; 2]| {
        pos2(plot.min.x + place * plot.width(), plot.max.y - opacity * plot.height())
    };
    let place =
        |at: egui::Pos2| [(at.x - plot.min.x) / plot.width(), (plot.max.y - at.y) / plot.height()];
    let painter = ui.painter_at(area);
    painter.rect_filled(area, 2.0, ui.visuals().extreme_bg_color);
    let columns = plot.width() as usize;
    for column in 0..columns {
        let part = (column as f32 + 0.5) / columns as f32;
        let top = at([part, line.at(part).max(0.02)]);
        let strip = Rect::from_min_max(
            pos2(plot.min.x + column as f32, top.y),
            pos2(plot.min.x + column as f32 + 1.0, plot.max.y),
        );
        painter.rect_filled(strip, 0.0, rgb(table[(part * 255.0) as usize]));
    }
    let ink = ui.visuals().text_color();
    for pair in line.points().windows(2) {
        painter.line_segment([at(pair[0]), at(pair[1])], Stroke::new(1.5, ink));
    }
    for &point in line.points() {
        painter.circle_filled(at(point), 3.5, ink);
    }
    // The point that is being dragged.
    let held = response.id.with("held");
    let nearest = |pointer: egui::Pos2| {
        let points = line.points().iter().map(|&point| at(point).distance(pointer)).enumerate();
        let nearest = points.min_by(|a, b| a.1.total_cmp(&b.1));
        nearest.filter(|(_, distance)| *distance < NEAR).map(|(point, _)| point)
    };
    let Some(pointer) = response.interact_pointer_pos() else { return };
    let taken = nearest(pointer);
    if response.drag_started() {
        // Beside the points a new one is made.
        let point = taken.or_else(|| line.add(place(pointer)));
        ui.data_mut(|data| data.insert_temp(held, point));
    }
    if response.dragged()
        && let Some(point) = ui.data(|data| data.get_temp::<Option<usize>>(held)).flatten()
    {
        line.move_to(point, place(pointer));
    }
    if (response.secondary_clicked() || response.double_clicked())
        && let Some(point) = taken
    {
        line.remove(point);
    }
    response.on_hover_text("Drag a point, drag beside one to add it, right-click to remove it");
}

/// The ends of the clip box along each axis, by the elements that are in it.
fn clip(ui: &mut Ui, sides: [u64; 3], clip: &mut ClipBox) {
    ui.label("Clip box");
    egui::Grid::new("clip box").num_columns(4).spacing([6.0, 2.0]).show(ui, |ui| {
        for axis in 0..3 {
            let side = sides[axis];
            let (start, count) = clip.elements(sides);
            let (mut first, mut last) = (start[axis], start[axis] + count[axis] - 1);
            let was = (first, last);
            ui.label(format!("Axis {axis}"));
            let from = ui.add(DragValue::new(&mut first).range(0..=side - 1));
            from.widget_info(|| named(format!("Clip box, axis {axis}, from")));
            ui.label("to");
            let to = ui.add(DragValue::new(&mut last).range(0..=side - 1));
            to.widget_info(|| named(format!("Clip box, axis {axis}, to")));
            ui.end_row();
            if first != was.0 {
                clip.set_low(axis, first as f32 / side as f32);
            }
            if last != was.1 {
                clip.set_high(axis, (last + 1) as f32 / side as f32);
            }
        }
    });
    if !clip.is_whole() && ui.button("Reset clip box").clicked() {
        *clip = ClipBox::default();
    }
}

fn named(name: String) -> egui::WidgetInfo {
    egui::WidgetInfo::labeled(egui::Role::SpinButton, true, name)
}
