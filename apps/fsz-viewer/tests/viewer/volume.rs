//! The field in three dimensions: pictures known in closed form, what the pointer does in it, and how it is linked with
//! the planes.

use egui::{Key, PointerButton, Pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz::{Bound, Codec};
use fsz_viewer::{
    ClipBox, Orbit, PaneKind, Place, Preset, Rendering, Settings, Start, Viewer, VolumeSource,
    VolumeView,
};
use ndarray::Array3;

use crate::fixture::{Fixture, gpu_window, harness, press, settle, shows};
use crate::snapshots::look;

const SIDES: [usize; 3] = [24, 32, 40];

/// A ball with a hole: 1 in its middle, falling to 0 where it touches the sides of the field; NaN in a corner of it.
fn ball(i: [usize; 3]) -> f32 {
    let from_middle = |k: usize| (i[k] as f32 + 0.5 - SIDES[k] as f32 / 2.0) / 40.0;
    let distance = (0..3).map(|k| from_middle(k).powi(2)).sum::<f32>().sqrt();
    1.0 - distance / 0.5
}

/// `ball.fsz` and `ball_24x32x40.f32`.
fn put_ball(fixture: &Fixture, value: impl Fn([usize; 3]) -> f32) {
    let values = Array3::from_shape_fn(SIDES, |(z, y, x)| value([z, y, x]));
    fixture.put_field("ball", &values, Bound::Absolute(1e-3));
}

fn settings(volume: VolumeView) -> Settings {
    Settings { volume: VolumeView { shown: true, ..volume }, ..Settings::default() }
}

fn start(fixture: &Fixture) -> Start {
    Start {
        place: Some(Place { axis: 0, plane: 12 }),
        ..fixture.start("ball.fsz", Some("ball_24x32x40.f32"))
    }
}

pub fn has_volumes() -> bool {
    let found = fsz_wgpu::Gpu::headless().and_then(|gpu| gpu.check_volumes());
    if let Err(reason) = &found {
        eprintln!("SKIPPED: the volume: {reason}");
    }
    found.is_ok()
}

/// Waits for the picture of the volume too, which is asked for when its pane has been drawn.
fn settle_volume(viewer: &mut Harness<'_, Viewer>) {
    settle(viewer);
    settle(viewer);
}

fn pane(viewer: &Harness<'_, Viewer>) -> egui::Rect {
    let is_pane = |label: &str| label.starts_with("Volume: ");
    let of = |node: &egui_kittest::Node<'_>| {
        use egui_kittest::kittest::NodeT;
        node.accesskit_node().label().is_some_and(|label| is_pane(&label)).then(|| node.rect())
    };
    let found = viewer.query_all_by_role(egui::Role::Image).find_map(|node| of(&node));
    found.expect("a pane of the volume")
}

fn volume<'a>(viewer: &'a mut Harness<'_, Viewer>) -> &'a mut VolumeView {
    &mut viewer.state_mut().view_state.settings.volume
}

/// The greatest value along each parallel line of sight through the ball, on the processor's reckoning.
#[test]
fn the_greatest_values_of_a_ball_are_those_of_its_closed_form() {
    if !has_volumes() {
        return;
    }
    let fixture = Fixture::new();
    put_ball(&fixture, ball);
    let orbit = Orbit { yaw: 0.4, pitch: 0.3, perspective: false, ..Orbit::default() };
    let map = fsz_viewer::Settings::default().map.table();
    let mut viewer = harness(start(&fixture), settings(VolumeView { orbit, ..Default::default() }));
    settle_volume(&mut viewer);
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    let picture = viewer.state().picture(PaneKind::Volume).image().expect("a picture").unwrap();
    let [width, height] = picture.size;
    let half = 0.75 / width.min(height) as f32 * 2.0;
    let (low, high) = (ball([0, 0, 0]), ball([12, 16, 20]));
    let mut seen = 0;
    for y in 0..height {
        for x in 0..width {
            let (a, b) =
                (x as f32 + 0.5 - width as f32 / 2.0, y as f32 + 0.5 - height as f32 / 2.0);
            let distance = a.hypot(b) * half;
            if distance > 0.22 {
                continue;
            }
            let value = 1.0 - distance / 0.5;
            let place = ((value - low) / (high - low)).clamp(0.0, 1.0) * 255.0;
            let found = picture[(x, y)];
            let near = |entry: f32| {
                let [r, g, b] = map[(entry.clamp(0.0, 255.0)) as usize];
                let off = |a: u8, b: u8| i32::from(a).abs_diff(i32::from(b));
                off(found.r(), r) + off(found.g(), g) + off(found.b(), b) < 12
            };
            let any = (-7..=7).any(|by| near(place + by as f32));
            assert!(any, "{found:?} at {x} {y}, where {value} is at {place} on the map");
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen} of {width} × {height}");
}

#[test]
fn pictures_of_a_ball() {
    if !has_volumes() {
        return;
    }
    let fixture = Fixture::new();
    put_ball(&fixture, |i| if i[0] > 16 && i[2] > 28 { f32::NAN } else { ball(i) });
    let open = |volume: VolumeView, sides| gpu_window(start(&fixture), settings(volume), sides);
    let wide = [1120.0, 620.0];
    let Some(mut viewer) = open(VolumeView::default(), wide) else { return };
    settle_volume(&mut viewer);
    look(&mut viewer, "volume_mip");
    *volume(&mut viewer) = VolumeView {
        shown: true,
        rendering: Rendering::Compositing,
        transfer: Preset::Middle.transfer(),
        density: 40.0,
        ..VolumeView::default()
    };
    settle_volume(&mut viewer);
    look(&mut viewer, "volume_compositing");
    volume(&mut viewer).rendering = Rendering::Isosurface;
    volume(&mut viewer).clip = ClipBox::from([[0.0, 1.0], [0.0, 0.75], [0.25, 1.0]]);
    let original = viewer.get_by_role_and_label(egui::Role::Image, "Original").rect();
    viewer.hover_at(original.center());
    settle_volume(&mut viewer);
    look(&mut viewer, "volume_isosurface");
    volume(&mut viewer).source = VolumeSource::Kinds;
    settle_volume(&mut viewer);
    look(&mut viewer, "volume_kinds");
    volume(&mut viewer).source = VolumeSource::Error;
    volume(&mut viewer).rendering = Rendering::Compositing;
    viewer.set_size(vec2(860.0, 1500.0));
    settle_volume(&mut viewer);
    viewer.ctx.set_theme(egui::Theme::Light);
    viewer.run_steps(2);
    // Builds without zfp have other buttons beside it.
    if cfg!(feature = "zfp") {
        look(&mut viewer, "volume_tall");
    }
}

#[test]
fn the_pointer_turns_moves_and_magnifies_it() {
    if !has_volumes() {
        return;
    }
    let fixture = Fixture::new();
    put_ball(&fixture, ball);
    let mut viewer = harness(start(&fixture), Settings::default());
    assert!(!shows(&viewer, "Volume: reconstruction, maximum intensity"));
    viewer.key_press(Key::D);
    settle_volume(&mut viewer);
    let area = pane(&viewer);
    let first = viewer.state().picture(PaneKind::Volume).image().expect("a picture").unwrap();
    let drag = |viewer: &mut Harness<'_, Viewer>, button, by: egui::Vec2| {
        let press = |pos: Pos2, pressed| egui::Event::PointerButton {
            pos,
            button,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        viewer.hover_at(area.center());
        viewer.step();
        viewer.event(press(area.center(), true));
        viewer.step();
        viewer.hover_at(area.center() + by);
        viewer.step();
        assert!(viewer.state().view_state.volume.moving);
        viewer.event(press(area.center() + by, false));
        settle_volume(viewer);
    };
    let before = volume(&mut viewer).orbit;
    drag(&mut viewer, PointerButton::Primary, vec2(60.0, 20.0));
    let turned = volume(&mut viewer).orbit;
    assert!(turned.yaw > before.yaw && turned.pitch > before.pitch, "{turned:?}");
    assert!(!viewer.state().view_state.volume.moving);
    let second = viewer.state().picture(PaneKind::Volume).image().expect("a picture").unwrap();
    assert!(first.size == second.size && first.pixels != second.pixels);
    drag(&mut viewer, PointerButton::Secondary, vec2(30.0, 0.0));
    let shifted = volume(&mut viewer).orbit;
    assert!(shifted.pan[0] < 0.0 && (shifted.yaw, shifted.pitch) == (turned.yaw, turned.pitch));
    viewer.hover_at(area.center());
    viewer.event(egui::Event::Zoom(1.5));
    settle_volume(&mut viewer);
    assert!(volume(&mut viewer).orbit.zoom > 1.4);
    press(&mut viewer, "Reset view");
    assert_eq!(volume(&mut viewer).orbit, Orbit::default());
    press(&mut viewer, "Along axis 1");
    assert_eq!(volume(&mut viewer).orbit.yaw, 0.0);
    let figure = viewer.state().figure(&[PaneKind::Reconstruction, PaneKind::Volume]);
    assert!(figure.expect("a figure of both").size().0 > 600);
    viewer.key_press(Key::D);
    settle_volume(&mut viewer);
    assert!(!viewer.state().view_state.settings.volume.shown);
    // What was taken off the GPU comes again.
    viewer.key_press(Key::D);
    settle_volume(&mut viewer);
    assert!(shows(&viewer, "Full resolution"));
}

/// A click goes to what is seen there: the planes follow, the cursor stays there, and is drawn in the volume.
#[test]
fn a_click_goes_to_what_is_seen() {
    if !has_volumes() {
        return;
    }
    let fixture = Fixture::new();
    put_ball(&fixture, ball);
    // Whether the plane is drawn in it or not.
    for (axis, section) in [(0, 0.6), (1, 0.0), (2, 0.0)] {
        click(&fixture, axis, VolumeView { section, ..VolumeView::default() });
    }
}

fn click(fixture: &Fixture, axis: usize, view: VolumeView) {
    let start = Start { place: Some(Place { axis, plane: 2 }), ..start(fixture) };
    let mut viewer = harness(start, settings(view));
    settle_volume(&mut viewer);
    let middle = pane(&viewer).center();
    viewer.hover_at(middle);
    viewer.step();
    for pressed in [true, false] {
        viewer.event(egui::Event::PointerButton {
            pos: middle,
            button: PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        });
        viewer.step();
    }
    settle_volume(&mut viewer);
    let (row, column) = viewer.state().view_state.cursor.expect("a cursor");
    let plane = viewer.state().session.place.plane;
    // The greatest value is in the middle of the field.
    let middle = match axis {
        0 => [12, 16, 20],
        1 => [16, 12, 20],
        _ => [20, 12, 16],
    };
    for (found, middle) in [plane as usize, row, column].into_iter().zip(middle) {
        assert!(found.abs_diff(middle) <= 2, "{plane} {row} {column} across axis {axis}");
    }
    assert!(viewer.state().view_state.pinned);
    let shown = viewer.state().session.planes.as_ref().map(|planes| planes.place.plane);
    assert_eq!(shown, Some(plane));
}

/// A field of NaN only, one of two dimensions, and one of four.
#[test]
fn fields_with_nothing_to_see_and_of_other_dimensions() {
    if !has_volumes() {
        return;
    }
    let fixture = Fixture::new();
    put_ball(&fixture, |_| f32::NAN);
    let mut viewer = harness(start(&fixture), settings(VolumeView::default()));
    settle_volume(&mut viewer);
    let picture = viewer.state().picture(PaneKind::Volume).image().expect("a picture").unwrap();
    assert!(picture.pixels.iter().all(|&point| point == egui::Color32::TRANSPARENT));
    for source in VolumeSource::ALL {
        let rendering = Rendering::ALL[source as usize % Rendering::ALL.len()];
        (volume(&mut viewer).source, volume(&mut viewer).rendering) = (source, rendering);
        settle_volume(&mut viewer);
    }
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    let values: Vec<f32> = (0..2 * 3 * 8 * 9).map(|i| i as f32).collect();
    for (shape, solid) in [(&[48, 9][..], false), (&[2, 3, 8, 9], true)] {
        let view = ndarray::ArrayView::from_shape(shape, &values).unwrap();
        let stream = Codec::cpu().compress(view, Bound::Absolute(0.1)).unwrap();
        std::fs::write(fixture.path("other.fsz"), stream.as_bytes()).unwrap();
        let start = Start { files: vec![fixture.path("other.fsz")], ..Start::default() };
        let mut viewer = harness(start, settings(VolumeView::default()));
        settle_volume(&mut viewer);
        assert_eq!(shows(&viewer, "Volume: reconstruction, maximum intensity"), solid);
        assert_eq!(shows(&viewer, "A volume needs a field of three dimensions or more."), !solid);
        assert_eq!(viewer.state().view_state.messages, [""; 0]);
    }
}

/// A stream that is damaged ends in a message, and the window goes on.
#[test]
fn a_damaged_stream_is_told_of() {
    if !has_volumes() {
        return;
    }
    let fixture = Fixture::new();
    put_ball(&fixture, ball);
    let mut bytes = std::fs::read(fixture.path("ball.fsz")).unwrap();
    let at = bytes.len() - 40;
    bytes[at] ^= 0x40;
    std::fs::write(fixture.path("ball.fsz"), &bytes).unwrap();
    // The plane that is shown lies before that.
    let start = Start { place: Some(Place::default()), original: None, ..start(&fixture) };
    let mut viewer = harness(start, settings(VolumeView::default()));
    settle_volume(&mut viewer);
    assert!(!viewer.state().view_state.messages.is_empty());
    assert!(shows(&viewer, "The volume cannot be shown."));
    put_ball(&fixture, ball);
    viewer.state_mut().open(&fixture.path("ball.fsz"), fsz_viewer::Role::Subject);
    settle_volume(&mut viewer);
    assert!(shows(&viewer, "Full resolution"), "{:?}", viewer.state().view_state.messages);
    // Where it cannot be shown, that of the field before is not either.
    assert!(!viewer.state().picture(PaneKind::Volume).is_empty());
    std::fs::write(fixture.path("bad.fsz"), bytes).unwrap();
    viewer.state_mut().open(&fixture.path("bad.fsz"), fsz_viewer::Role::Subject);
    settle_volume(&mut viewer);
    assert!(shows(&viewer, "The volume cannot be shown."));
    assert!(viewer.state().picture(PaneKind::Volume).is_empty());
}

#[test]
fn frames_are_measured_without_a_window() {
    let fixture = Fixture::new();
    put_ball(&fixture, ball);
    let hints = fsz_field::Hints::default();
    let decoder = fsz_viewer::DecoderChoice::Cpu;
    if !has_volumes() {
        // The planes are decoded on the CPU already: that is no advice.
        let refused = fsz_viewer::bench_volume(&fixture.path("ball.fsz"), &hints, decoder);
        let told = refused.unwrap_err().to_string();
        assert!(told.contains("Vulkan driver") && !told.contains("decode on the CPU"), "{told}");
        return;
    }
    assert!(fsz_viewer::bench_volume(&fixture.path("nowhere"), &hints, decoder).is_err());
}
