//! The panes as a figure.

use std::ops::Range;

use egui_kittest::kittest::Queryable;
use fsz_figure::{Canvas, Rgb};
use fsz_viewer::{PaneKind, Settings, Start};

use crate::fixture::{Fixture, harness, settle};

/// How many points of a part of a figure have such a colour.
fn count(figure: &Canvas, [x, y]: [Range<usize>; 2], is: impl Fn(Rgb) -> bool) -> usize {
    let points = y.flat_map(|y| x.clone().map(move |x| (x, y)));
    points.filter(|&(x, y)| figure.pixel(x, y).is_some_and(&is)).count()
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
    let framed = |figure: &Canvas| {
        let (width, height) = figure.size();
        count(figure, [0..width, 0..height], |pixel| pixel == Rgb::hex(0xd6_2728))
    };
    let figure = viewer.state().figure(&panes).unwrap();
    // Each point of the plane of 40 × 50 is 10 × 10 points, and nothing is zoomed in on.
    assert_eq!(figure.size(), (3 * (50 * 10 + 24), 40 * 10 + 36 + 60 + 12));
    assert_eq!(framed(&figure), 0);
    // The lowest colour of viridis is in the plane, and begins the bar.
    let bar = 12 + 40 + 40 * 10 + 6 + 3;
    assert_eq!(figure.pixel(12, bar), Some(Rgb::hex(0x44_0154)));
    // It has NaN, and the bar tells by which colour.
    let nan = |pixel| pixel == Rgb::hex(0x70_2a6b);
    let width = figure.size().0 / panes.len();
    for panel in 0..panes.len() {
        let along = panel * width..(panel + 1) * width;
        assert!(count(&figure, [along, bar + 9..bar + 9 + 20], nan) >= 100, "panel {panel}");
    }
    // Titles, facts and labels, nearly black.
    let ink = |top: usize, height: usize| {
        count(&figure, [0..524, top..top + height], |Rgb(pixel)| pixel.iter().all(|&c| c < 90))
    };
    assert!(ink(0, 26) > 20 && ink(26, 24) > 20 && ink(bar + 9, 20) > 20);

    let pane = viewer.get_by_role_and_label(egui::Role::Image, "Original").rect();
    viewer.hover_at(pane.center());
    viewer.event(egui::Event::Zoom(4.0));
    settle(&mut viewer);
    let figure = viewer.state().figure(&panes).unwrap();
    assert!(framed(&figure) > 3 * 4 * 100, "a frame and an inset in each panel");
    let alone = harness(Start::default(), Settings::default());
    assert!(alone.state().figure(&panes).is_err());
}

/// A plane of one column is not magnified until its figure has a billion points.
#[test]
fn a_tall_plane_has_a_figure_too() {
    let fixture = Fixture::new();
    let values = ndarray::Array2::from_shape_fn((200, 1), |(y, _)| (y as f32 * 0.1).sin());
    let stream = fsz::Codec::cpu().compress(values.view(), fsz::Bound::Absolute(1e-3)).unwrap();
    std::fs::write(fixture.path("tall.fsz"), stream.as_bytes()).unwrap();
    let viewer = fixture.viewer("tall.fsz", None);
    let (width, height) = viewer.state().figure(&[PaneKind::Reconstruction]).unwrap().size();
    assert!((480..600).contains(&width) && (300..3000).contains(&height), "{width} × {height}");
}

/// It has few rows of many values each.
#[test]
fn a_field_of_one_axis_has_a_figure_in_which_it_is_seen() {
    let fixture = Fixture::new();
    let values = ndarray::Array1::from_shape_fn(3000, |x| (x as f32 * 0.1).sin());
    let stream = fsz::Codec::cpu().compress(values.view(), fsz::Bound::Absolute(1e-3)).unwrap();
    std::fs::write(fixture.path("line.fsz"), stream.as_bytes()).unwrap();
    let viewer = fixture.viewer("line.fsz", None);
    let (width, height) = viewer.state().figure(&[PaneKind::Reconstruction]).unwrap().size();
    assert!(height > width / 8, "{width} × {height}");
}
