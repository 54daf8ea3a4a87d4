//! What the window looks like, drawn by a software GPU, against the pictures in `tests/snapshots`.
//! `UPDATE_SNAPSHOTS=1` writes them anew; look at them before they are committed. The text of every
//! picture must be legible.

use std::sync::OnceLock;
use std::time::Duration;

use egui::{Theme, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{ErrorMode, Overlay, Place, Settings, Start, Viewer};

use crate::fixture::{Fixture, drop_file, gpu_window, profiles, settle};
use crate::legible;

/// All panels with room for the panes.
const WIDE: [f32; 2] = [1120.0, 620.0];
/// Hardly room for the panes.
const NARROW: [f32; 2] = [800.0, 480.0];
/// The right panel down to its end.
const TALL: [f32; 2] = [860.0, 1500.0];

/// Whether what draws is what has drawn the pictures, up to the last pixel: a software GPU through Vulkan.
fn is_reproducible() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let is_so = |gpu: fsz_wgpu::Gpu| gpu.is_software() && !gpu.is_opengl();
    *FOUND.get_or_init(|| fsz_wgpu::Gpu::headless().is_ok_and(is_so))
}

/// A window of files of the fixture, the first two with their original.
fn open(fixture: &Fixture, files: &[&str], settings: Settings) -> Option<Harness<'static, Viewer>> {
    let start = Start {
        files: files.iter().map(|name| fixture.path(name)).collect(),
        original: (!files.is_empty()).then(|| fixture.path("wave_12x40x50.f32")),
        place: Some(Place { axis: 0, plane: 3 }),
        ..Default::default()
    };
    gpu_window(start, settings, WIDE)
}

/// Compares the window with its picture.
pub fn look(viewer: &mut Harness<'_, Viewer>, name: &str) {
    // What is another on each machine.
    if let Some(planes) = &mut viewer.state_mut().session.planes {
        (planes.took, planes.decoder) = (Duration::from_millis(3), "the GPU".to_owned());
    }
    viewer.state_mut().view_state.settings.recent.clear();
    viewer.run_steps(2);
    legible::check(viewer, name);
    if viewer.ctx.content_rect().height() > WIDE[1] {
        // Pictures are in the others; here they would only be large.
        let panes = viewer.query_all_by_role(egui::Role::Image).map(|pane| pane.rect());
        panes.collect::<Vec<_>>().into_iter().for_each(|pane| viewer.mask(pane));
    }
    let picture = viewer.render().expect("a picture");
    if is_reproducible() {
        egui_kittest::image_snapshot(&picture, name);
    } else {
        eprintln!(
            "SKIPPED: the picture {name}: a software GPU through Vulkan draws it, such as Mesa's lavapipe"
        );
    }
}

/// Compares it in both themes.
pub fn look_in_both(viewer: &mut Harness<'_, Viewer>, name: &str) {
    for (theme, suffix) in [(Theme::Dark, "dark"), (Theme::Light, "light")] {
        viewer.ctx.set_theme(theme);
        viewer.run_steps(2);
        look(viewer, &format!("{name}_{suffix}"));
    }
    viewer.ctx.set_theme(Theme::Dark);
}

fn resize(viewer: &mut Harness<'_, Viewer>, [width, height]: [f32; 2]) {
    viewer.set_size(vec2(width, height));
    settle(viewer);
}

#[test]
fn wide_narrow_and_tall() {
    let fixture = Fixture::new();
    let Some(mut viewer) = open(&fixture, &["wave.fsz"], Settings::default()) else { return };
    look_in_both(&mut viewer, "wide");
    resize(&mut viewer, NARROW);
    look_in_both(&mut viewer, "narrow");
    resize(&mut viewer, TALL);
    let pane = viewer.get_by_role_and_label(egui::Role::Image, "Reconstruction").rect();
    viewer.hover_at(pane.center());
    settle(&mut viewer);
    look_in_both(&mut viewer, "tall");
}

#[test]
fn overlays_errors_wipe_and_zoom() {
    let fixture = Fixture::new();
    let Some(mut viewer) = open(&fixture, &["wave.fsz"], Settings::default()) else { return };
    for (overlay, error, name) in [
        (Overlay::Variants, ErrorMode::Relative, "kinds"),
        (Overlay::Rate, ErrorMode::Absolute, "rates"),
        (Overlay::Bytes, ErrorMode::Signed, "sizes"),
    ] {
        let settings = &mut viewer.state_mut().view_state.settings;
        (settings.overlay, settings.error, settings.log) = (overlay, error, true);
        look(&mut viewer, name);
    }
    viewer.state_mut().view_state.wipe = Some(0.4);
    viewer.state_mut().view_state.settings = Settings::default();
    let pane = viewer.get_by_role_and_label(egui::Role::Image, "Original").rect();
    viewer.hover_at(pane.center());
    viewer.event(egui::Event::Zoom(3.0));
    settle(&mut viewer);
    look(&mut viewer, "wipe");
}

#[test]
fn two_reconstructions() {
    let fixture = Fixture::new();
    let files = ["wave.fsz", "rough.fsz"];
    let Some(mut viewer) = open(&fixture, &files, Settings::default()) else { return };
    look(&mut viewer, "comparison");
    resize(&mut viewer, TALL);
    look_in_both(&mut viewer, "comparison_tall");
}

#[test]
fn the_dense_profile() {
    let fixture = Fixture::new();
    fixture.put_profile(profiles()[1]);
    let settings = Settings { overlay: Overlay::Variants, ..Default::default() };
    let Some(mut viewer) = open(&fixture, &["wave.fsz"], settings) else { return };
    let name = "Reconstruction, tile kinds";
    let pane = viewer.get_by_role_and_label(egui::Role::Image, name).rect();
    viewer.hover_at(pane.center());
    settle(&mut viewer);
    look(&mut viewer, "dense");
}

#[test]
fn nothing_open_menus_and_help() {
    let fixture = Fixture::new();
    let Some(mut viewer) = open(&fixture, &[], Settings::default()) else { return };
    resize(&mut viewer, NARROW);
    look_in_both(&mut viewer, "empty");
    viewer.get_by_label("File").click();
    settle(&mut viewer);
    look_in_both(&mut viewer, "file_menu");
    viewer.key_press(egui::Key::Escape);
    settle(&mut viewer);
    viewer.state_mut().view_state.help = true;
    settle(&mut viewer);
    look_in_both(&mut viewer, "help");
    viewer.state_mut().view_state.help = false;
    viewer.state_mut().report("short.fsz: the stream ends after 60 of 11824 bytes");
    viewer.state_mut().view_state.note("Wrote wave-metrics.csv".to_owned());
    look_in_both(&mut viewer, "messages");
}

#[test]
fn a_field_without_elements_and_questions() {
    let fixture = Fixture::new();
    let mut out = vec![0; fsz::max_compressed_len(&[0, 4], fsz::DType::F32).unwrap() as usize];
    let options = fsz::CompressOptions::new(fsz::Bound::Absolute(1.0));
    let len = fsz::Codec::cpu().compress_into::<f32>(&[], &[0, 4], &options, &mut out).unwrap();
    std::fs::write(fixture.path("empty.fsz"), &out[..len]).unwrap();
    let Some(mut viewer) = open(&fixture, &[], Settings::default()) else { return };
    resize(&mut viewer, NARROW);
    drop_file(&mut viewer, &fixture.path("empty.fsz"));
    look(&mut viewer, "no_elements");
    std::fs::write(fixture.path("plain.f32"), [0; 96]).unwrap();
    drop_file(&mut viewer, &fixture.path("plain.f32"));
    for dialog in &mut viewer.state_mut().view_state.raw_dialogs {
        // The folder is another each time.
        dialog.path = "plain.f32".into();
    }
    look_in_both(&mut viewer, "question");
    viewer.state_mut().view_state.raw_dialogs[0].shape = "5x5".to_owned();
    look_in_both(&mut viewer, "question_refused");
}

#[test]
fn rate_distortion_is_plotted() {
    let fixture = Fixture::of_numbers();
    let start = fixture.start("numbers.fsz", Some("numbers_12x40x50.f32"));
    let Some(mut viewer) = gpu_window(start, Settings::default(), TALL) else { return };
    viewer.state_mut().sweep(fsz_viewer::Extent::Plane);
    settle(&mut viewer);
    // Builds without zfp have other curves.
    if cfg!(feature = "zfp") {
        look_in_both(&mut viewer, "rate_distortion");
    }
}
