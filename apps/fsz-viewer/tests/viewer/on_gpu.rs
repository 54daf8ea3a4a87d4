//! The GPU that draws the window decodes and paints: the pictures are those of the processor.

use egui::{Color32, ColorImage};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{ErrorMode, Overlay, PaneKind, Settings, Start, Viewer};

use crate::fixture::{Fixture, gpu_harness, harness, profiles, settle, shows};

fn pictures(viewer: &Harness<'_, Viewer>) -> Vec<ColorImage> {
    let shown = PaneKind::ALL.iter().map(|&kind| viewer.state().picture(kind));
    shown.filter_map(|picture| picture.image()).map(|image| image.expect("a picture")).collect()
}

/// Points whose colours are further from each other than two entries of a map.
fn differing(a: &ColorImage, b: &ColorImage) -> usize {
    let far = |a: u8, b: u8| a.abs_diff(b) > 6;
    let differ =
        |(a, b): (&Color32, &Color32)| far(a.r(), b.r()) || far(a.g(), b.g()) || far(a.b(), b.b());
    a.pixels.iter().zip(&b.pixels).filter(|&pair| differ(pair)).count()
}

/// The pictures of a viewer on the GPU are those of one on the processor, with each of the settings.
fn check(start: &Start, settings: &[Settings], panes: usize) {
    let Some(mut on_gpu) = gpu_harness(start.clone(), Settings::default()) else { return };
    assert!(shows(&on_gpu, "Rendered on the GPU"), "{:?}", on_gpu.state().view_state.messages);
    let mut on_cpu = harness(start.clone(), Settings::default());
    for settings in settings {
        for viewer in [&mut on_gpu, &mut on_cpu] {
            viewer.state_mut().view_state.settings = settings.clone();
            viewer.run_steps(2);
        }
        assert!(on_gpu.state().picture(PaneKind::Reconstruction).is_on_gpu());
        assert!(!on_cpu.state().picture(PaneKind::Reconstruction).is_on_gpu());
        let (found, expected) = (pictures(&on_gpu), pictures(&on_cpu));
        assert_eq!((found.len(), expected.len()), (panes, panes));
        for (pane, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found.size, expected.size);
            let count = differing(found, expected);
            assert_eq!(count, 0, "of pane {pane} with {settings:?}");
        }
    }
}

fn both(fixture: &Fixture) -> Start {
    Start {
        files: vec![fixture.path("wave.fsz"), fixture.path("rough.fsz")],
        original: Some(fixture.path("wave_12x40x50.f32")),
        ..Default::default()
    }
}

#[test]
fn pictures_are_those_of_the_processor() {
    let fixture = Fixture::new();
    for profile in profiles() {
        fixture.put_profile(profile);
        let settings = [
            (ErrorMode::Signed, Overlay::Off, false),
            (ErrorMode::Absolute, Overlay::Variants, true),
            (ErrorMode::Relative, Overlay::Rate, false),
            (ErrorMode::Signed, Overlay::Bytes, true),
        ];
        let settings = settings.map(|(error, overlay, log)| Settings {
            error,
            overlay,
            log,
            ..Default::default()
        });
        check(&both(&fixture), &settings, 5);
    }
}

/// The processor paints what has regions, from what the GPU decodes.
#[test]
fn regions_are_decoded_too() {
    let fixture = Fixture::new();
    for profile in profiles() {
        let start = crate::regions::with_regions(&fixture, profile);
        let Some(on_gpu) = gpu_harness(start.clone(), Settings::default()) else { return };
        assert!(on_gpu.query_all_by_label_contains("Decoded on the GPU (").next().is_some());
        let on_cpu = harness(start, Settings::default());
        let (found, expected) = (pictures(&on_gpu), pictures(&on_cpu));
        assert_eq!((found.len(), expected.len()), (3, 3));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(differing(found, expected), 0);
        }
    }
}

#[test]
fn the_status_bar_says_what_decodes() {
    let fixture = Fixture::new();
    for profile in profiles() {
        fixture.put_profile(profile);
        let Some(viewer) = gpu_harness(both(&fixture), Settings::default()) else { return };
        assert!(viewer.query_all_by_label_contains("Decoded on the GPU (").next().is_some());
    }
}

#[test]
fn double_precision_is_painted_too() {
    let fixture = Fixture::new();
    let doubles: Vec<f64> = fixture.values.iter().map(|&v| f64::from(v) * 1.000_000_1).collect();
    for profile in profiles() {
        fixture.put_double("double", profile, &doubles);
        let alone = Start { files: vec![fixture.path("double.fsz")], ..Default::default() };
        check(&alone, &[Settings::default()], 1);
        let original = Some(fixture.path("double_12x40x50.f64"));
        check(&Start { original, ..alone }, &[Settings::default()], 3);
    }
}

/// Single precision has not numbers so large, so small or so near to each other.
#[test]
fn doubles_of_other_ranges_are_painted_from_all_their_digits() {
    let fixture = Fixture::new();
    let of = |value: fn(f64) -> f64| fixture.values.iter().map(move |&v| value(f64::from(v)));
    let fields = [
        ("near", of(|v| 1e5 + 1e-6 * v).collect::<Vec<f64>>()),
        ("huge", of(|v| 1e290 * v).collect()),
        ("tiny", of(|v| 1e-60 * v).collect()),
    ];
    for (name, values) in fields {
        fixture.put_double(name, profiles()[0], &values);
        for original in [None, Some(fixture.path(&format!("{name}_12x40x50.f64")))] {
            let files = vec![fixture.path(&format!("{name}.fsz"))];
            let start = Start { files, original, ..Start::default() };
            let Some(on_gpu) = gpu_harness(start.clone(), Settings::default()) else { return };
            let on_cpu = harness(start, Settings::default());
            let (found, expected) = (pictures(&on_gpu), pictures(&on_cpu));
            assert_eq!(found.len(), expected.len());
            for (pane, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(differing(found, expected), 0, "pane {pane} of {name}");
            }
        }
    }
}

#[test]
fn what_the_processor_paints_next_leaves_no_texture_behind() {
    let fixture = Fixture::new();
    let near: Vec<f64> = fixture.values.iter().map(|&v| 1e5 + 1e-6 * f64::from(v)).collect();
    fixture.put_double("near", profiles()[0], &near);
    let start = Start { files: vec![fixture.path("wave.fsz")], ..Start::default() };
    let Some(mut viewer) = gpu_harness(start, Settings::default()) else { return };
    let shown = |viewer: &Harness<'_, Viewer>| {
        let picture = viewer.state().picture(PaneKind::Reconstruction);
        (picture.is_on_gpu(), picture.id().expect("a picture"))
    };
    let window = viewer.state().view_state.window_gpu.clone().expect("it paints");
    let is_known = |id| window.state.renderer.read().texture(&id).is_some();
    let (on_gpu, id) = shown(&viewer);
    assert!(on_gpu && is_known(id));
    crate::fixture::drop_file(&mut viewer, &fixture.path("near.fsz"));
    assert!(!shown(&viewer).0 && !is_known(id));
}

#[test]
fn another_plane_or_colour_makes_other_pictures() {
    let fixture = Fixture::new();
    let on_gpu = gpu_harness(both(&fixture), Settings::default());
    for mut viewer in on_gpu.into_iter().chain([harness(both(&fixture), Settings::default())]) {
        let first = pictures(&viewer);
        viewer.key_press(egui::Key::End);
        settle(&mut viewer);
        let last = pictures(&viewer);
        for pane in 0..first.len() {
            assert!(differing(&first[pane], &last[pane]) > 100, "pane {pane}");
        }
        viewer.key_press(egui::Key::V);
        settle(&mut viewer);
        assert!(differing(&pictures(&viewer)[1], &last[1]) > 100);
    }
}
