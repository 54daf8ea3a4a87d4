//! The panes as a figure.

use egui::{Color32, ColorImage};
use egui_kittest::kittest::Queryable;
use fsz_viewer::{PaneKind, Settings, Start};

use crate::fixture::{Fixture, harness, settle};

/// Points that are nearly black.
fn dark(image: &ColorImage) -> usize {
    image.pixels.iter().filter(|p| p.r().max(p.g()).max(p.b()) < 90).count()
}

fn count(image: &ColorImage, colour: Color32) -> usize {
    image.pixels.iter().filter(|&&pixel| pixel == colour).count()
}

#[test]
fn a_figure_has_titles_bars_and_what_is_zoomed_in_on() {
    let fixture = Fixture::new();
    let start = Start {
        files: vec![fixture.path("wave.fsz"), fixture.path("rough.fsz")],
        original: Some(fixture.path("wave_12x40x50.f32")),
        ..Default::default()
    };
    let mut viewer = harness(start, Settings::default());
    let panes = [PaneKind::Original, PaneKind::Reconstruction, PaneKind::Other];
    let frame = Color32::from_rgb(0xd6, 0x27, 0x28);
    let figure = viewer.state().figure(&viewer.ctx, &panes).unwrap();
    // Each point of the plane of 40 × 50 is 10 × 10 points, and nothing is zoomed in on.
    assert_eq!(figure.size, [3 * (50 * 10 + 24), 40 * 10 + 36 + 60 + 12]);
    assert_eq!(count(&figure, frame), 0);
    // The lowest colour of viridis is in the plane, and begins the bar.
    let bar = 12 + 40 + 40 * 10 + 6 + 3;
    assert_eq!(figure[(12, bar)], Color32::from_rgb(0x44, 0x01, 0x54));
    // Titles, facts and labels.
    let ink = |top: usize, height: usize| dark(&figure.region_by_pixels([0, top], [524, height]));
    assert!(ink(0, 26) > 20 && ink(26, 24) > 20 && ink(bar + 9, 20) > 20);

    let pane = viewer.get_by_role_and_label(egui::Role::Image, "Original").rect();
    viewer.hover_at(pane.center());
    viewer.event(egui::Event::Zoom(4.0));
    settle(&mut viewer);
    let figure = viewer.state().figure(&viewer.ctx, &panes).unwrap();
    assert!(count(&figure, frame) > 3 * 4 * 100, "a frame and an inset in each panel");
    let alone = harness(Start::default(), Settings::default());
    assert!(alone.state().figure(&alone.ctx, &panes).is_err());
}
