//! What the window looks like, drawn by a software GPU as in CI, against the pictures in `tests/snapshots`.
//! `UPDATE_SNAPSHOTS=1` writes them anew; look at them before they are committed.

use egui::Rect;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{ErrorMode, Overlay, Settings, Start, Viewer};
use image::RgbaImage;

use crate::fixture::{Fixture, gpu_harness};

/// Where the panes are, with their titles and colour bars.
fn panes(viewer: &Harness<'_, Viewer>) -> Rect {
    let images = viewer.query_all_by_role(egui::Role::Image).map(|image| image.rect());
    let mut area = images.reduce(|a, b| a.union(b)).expect("panes");
    area.min.y -= 20.0;
    area.max.y += 32.0;
    area
}

/// A part of the window: times and paths in the bars around the panes are others each time.
fn part(viewer: &mut Harness<'_, Viewer>, area: Rect) -> RgbaImage {
    let whole = viewer.render().expect("a picture");
    let [x, y] = [area.min.x as u32, area.min.y as u32];
    let (width, height) = (area.width() as u32, (area.height() as u32).min(whole.height() - y));
    image::imageops::crop_imm(&whole, x, y, width, height).to_image()
}

fn is_reproducible() -> bool {
    let software = fsz_wgpu::Gpu::headless().is_ok_and(|gpu| gpu.is_software());
    if !software {
        eprintln!("SKIPPED: snapshots of the window: a software GPU draws them, and there is none");
    }
    software
}

fn start(fixture: &Fixture, files: &[&str]) -> Start {
    Start {
        files: files.iter().map(|name| fixture.path(name)).collect(),
        original: Some(fixture.path("wave_12x40x50.f32")),
        ..Default::default()
    }
}

#[test]
fn the_panes_look_as_they_did() {
    if !is_reproducible() {
        return;
    }
    let fixture = Fixture::new();
    let variants = Settings {
        overlay: Overlay::Variants,
        error: ErrorMode::Relative,
        log: true,
        ..Default::default()
    };
    for (name, files, settings) in [
        ("error", &["wave.fsz"][..], Settings::default()),
        ("variants", &["wave.fsz"], variants),
        ("comparison", &["wave.fsz", "rough.fsz"], Settings::default()),
    ] {
        let Some(mut viewer) = gpu_harness(start(&fixture, files), settings) else { return };
        let area = panes(&viewer);
        egui_kittest::image_snapshot(&part(&mut viewer, area), name);
    }
}

#[test]
fn the_panels_look_as_they_did() {
    if !is_reproducible() {
        return;
    }
    let fixture = Fixture::new();
    let start = start(&fixture, &["wave.fsz"]);
    let Some(mut viewer) = gpu_harness(start, Settings::default()) else { return };
    let (area, window) = (panes(&viewer), viewer.ctx.content_rect());
    for (name, left, right) in
        [("left_panel", window.min.x, area.min.x), ("right_panel", area.max.x, window.max.x)]
    {
        // Their headings are a little higher than those of the panes.
        let panel = Rect::from_x_y_ranges(left..=right, area.min.y - 8.0..=area.max.y);
        egui_kittest::image_snapshot(&part(&mut viewer, panel), name);
    }
}
