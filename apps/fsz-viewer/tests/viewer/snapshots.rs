//! What the window looks like, drawn by a software GPU as in CI, against the pictures in `tests/snapshots`.
//! `UPDATE_SNAPSHOTS=1` writes them anew; look at them before they are committed.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{ErrorMode, Overlay, Settings, Start, Viewer};
use image::RgbaImage;

use crate::fixture::{Fixture, gpu_harness};

/// The part of the window with the panes: times and paths around them are others each time.
fn panes(viewer: &mut Harness<'_, Viewer>, names: &[&str]) -> RgbaImage {
    let whole = viewer.render().expect("a picture");
    let rects = names.iter().map(|name| {
        viewer.get_by_role_and_label(egui::Role::Image, name).rect().expand2(egui::vec2(0.0, 26.0))
    });
    let area = rects.reduce(|a, b| a.union(b)).expect("panes");
    let [x, y] = [area.min.x as u32, area.min.y as u32];
    let (width, height) = (area.width() as u32, (area.height() as u32).min(whole.height() - y));
    image::imageops::crop_imm(&whole, x, y, width, height).to_image()
}

#[test]
fn the_panes_look_as_they_did() {
    if fsz_wgpu::Gpu::headless().is_ok_and(|gpu| !gpu.is_software()) {
        eprintln!("SKIPPED: what the window looks like: a GPU rounds places of points its own way");
        return;
    }
    let fixture = Fixture::new();
    let start = Start {
        files: vec![fixture.path("wave.fsz")],
        original: Some(fixture.path("wave_12x40x50.f32")),
        ..Default::default()
    };
    let looks = [
        ("error", Settings::default(), ["Original", "Reconstruction", "Signed error"]),
        (
            "variants",
            Settings {
                overlay: Overlay::Variants,
                error: ErrorMode::Relative,
                log: true,
                ..Default::default()
            },
            ["Original", "Reconstruction, tile kinds", "Relative error"],
        ),
    ];
    for (name, settings, titles) in looks {
        let Some(mut viewer) = gpu_harness(start.clone(), settings) else { return };
        let image = panes(&mut viewer, &titles);
        egui_kittest::image_snapshot(&image, name);
    }
}
