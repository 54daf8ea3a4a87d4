//! Opening, going through planes, probing, pairing, trying.

use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use fsz_field::{Hints, Shape};
use fsz_viewer::{Place, Role, Settings, Start, Target, Viewer};

use crate::fixture::{Fixture, SIDES, drop_file, harness, profiles, settle, shows};

#[test]
fn facts_are_there_at_once() {
    let fixture = Fixture::new();
    let viewer = fixture.viewer("wave.fsz", None);
    for text in ["12 × 40 × 50", "f32", "wave.fsz", "Requested bound", "Ratio", "Tiles"] {
        assert!(viewer.query_all_by_label_contains(text).next().is_some(), "no {text}");
    }
    assert!(!shows(&viewer, "Original"));
    assert!(shows(&viewer, "Reconstruction"));
}

#[test]
fn an_original_brings_error_and_metrics() {
    let fixture = Fixture::new();
    let viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
    for text in ["Original", "Reconstruction", "Signed error", "PSNR", "Bound violations"] {
        assert!(shows(&viewer, text), "no {text}");
    }
    assert!(shows(&viewer, "0 (0.000 %)"), "the bound is kept");
    let planes = viewer.state().session.planes.as_ref().expect("planes");
    let bound = viewer.state().session.set.bound().expect("a bound");
    let error = planes.error.as_ref().expect("an error");
    assert!(error.values.iter().all(|e| e.abs() <= bound));
    assert!(error.values.iter().any(|e| *e != 0.0));
}

#[test]
fn keys_and_buttons_go_through_the_field() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
    for (key, place) in [
        (Key::ArrowRight, Place { axis: 0, plane: 1 }),
        (Key::PageDown, Place { axis: 0, plane: 11 }),
        (Key::ArrowUp, Place { axis: 0, plane: 10 }),
        (Key::Home, Place { axis: 0, plane: 0 }),
        (Key::Num3, Place { axis: 2, plane: 25 }),
        (Key::End, Place { axis: 2, plane: 49 }),
    ] {
        viewer.key_press(key);
        settle(&mut viewer);
        assert_eq!(viewer.state().session.place, place);
        let planes = viewer.state().session.planes.as_ref().expect("planes");
        assert_eq!(planes.place, place);
        // The values are those of the field.
        let original = planes.original.as_ref().expect("the original");
        let at = match place.axis {
            0 => place.plane as usize * 2000 + 7 * 50 + 9,
            _ => (7 * 40 + 9) * 50 + place.plane as usize,
        };
        assert_eq!(original.at(7, 9), Some(f64::from(fixture.values[at])));
    }
    viewer.get_by_label("axis 1").click();
    settle(&mut viewer);
    assert_eq!(viewer.state().session.place, Place { axis: 1, plane: 20 });
}

#[test]
fn a_plane_that_is_asked_for_by_a_key_is_on_its_way_at_once() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", None);
    let modifiers = egui::Modifiers::NONE;
    let (key, physical_key, pressed, repeat) = (Key::Num3, None, true, false);
    let event = egui::Event::Key { key, physical_key, pressed, repeat, modifiers };
    viewer.input_mut().events.push(event);
    viewer.step();
    assert_eq!(viewer.state().session.place.axis, 2);
    assert!(viewer.state().busy() && !shows(&viewer, "This plane cannot be decoded."));
}

#[test]
fn the_probe_says_what_is_under_the_pointer_and_why() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
    let pane = viewer.get_by_role_and_label(egui::Role::Image, "Reconstruction").rect();
    viewer.hover_at(pane.center());
    settle(&mut viewer);
    for text in ["Index", "Reconstructed value", "Error / bound", "Tile", "Block rates"] {
        assert!(shows(&viewer, text), "no {text}");
    }
}

#[test]
fn dropped_files_find_their_roles() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", None);
    drop_file(&mut viewer, &fixture.path("wave_12x40x50.f32"));
    assert!(viewer.state().session.set.original.is_some());
    assert!(shows(&viewer, "Signed error"));
    drop_file(&mut viewer, &fixture.path("rough.fsz"));
    let set = &viewer.state().session.set;
    assert!(set.original.is_some(), "the original fits the new stream too");
    assert_eq!(set.subject.as_ref().map(|s| s.title.as_str()), Some("rough.fsz"));
}

#[test]
fn an_original_alone_is_compressed_in_memory() {
    let fixture = Fixture::new();
    let viewer = fixture.viewer("wave_12x40x50.f32", None);
    let set = &viewer.state().session.set;
    let facts = set.subject.as_ref().and_then(|s| s.facts.clone()).expect("a stream");
    assert_eq!(facts.header.bound, fsz::Bound::ValueRange(1e-3));
    assert!(shows(&viewer, "Recompress"));
    assert!(shows(&viewer, "Signed error"));
}

#[test]
fn another_original_is_compressed_anew() {
    let fixture = Fixture::new();
    let names = ["wave_12x40x50.f32", "other_12x40x50.f32"];
    let other = fixture.values.iter().flat_map(|v| (2.0 * v + 300.0).to_le_bytes());
    std::fs::write(fixture.path(names[1]), other.collect::<Vec<u8>>()).unwrap();
    let mut viewer = fixture.viewer(names[0], None);
    for (name, role) in [(names[1], Role::Subject), (names[0], Role::Original)] {
        viewer.state_mut().open(&fixture.path(name), role);
        settle(&mut viewer);
        let subject = viewer.state().session.set.subject.as_ref().expect("a reconstruction");
        assert_eq!(subject.title, format!("{name}, recompressed"));
        assert!(shows(&viewer, "0 (0.000 %)"), "the bound is kept");
    }
}

#[test]
fn a_field_of_another_size_has_no_pinned_cursor() {
    let fixture = Fixture::new();
    let values = ndarray::Array3::from_shape_fn((3, 5, 7), |(z, y, x)| (z + y * x) as f32);
    let stream = fsz::Codec::cpu().compress(values.view(), fsz::Bound::Absolute(0.1)).unwrap();
    std::fs::write(fixture.path("small.fsz"), stream.as_bytes()).unwrap();
    let mut viewer = fixture.viewer("wave.fsz", None);
    let view = &mut viewer.state_mut().view_state;
    (view.cursor, view.pinned) = (Some((30, 40)), true);
    drop_file(&mut viewer, &fixture.path("small.fsz"));
    let view = &viewer.state().view_state;
    assert_eq!((view.cursor, view.pinned), (None, false));
}

#[test]
fn a_raw_file_without_a_shape_is_asked_for_it() {
    let fixture = Fixture::new();
    std::fs::copy(fixture.path("wave_12x40x50.f32"), fixture.path("plain.f32")).unwrap();
    let mut viewer = fixture.viewer("plain.f32", None);
    assert!(viewer.state().session.set.original.is_none());
    let text = viewer.get_by_role_and_label(egui::Role::TextInput, "Shape, slowest axis first");
    text.focus();
    viewer.step();
    viewer.key_combination_modifiers(egui::Modifiers::COMMAND, &[Key::A]);
    viewer.step();
    let text = viewer.get_by_role_and_label(egui::Role::TextInput, "Shape, slowest axis first");
    text.type_text("12x40x50");
    viewer.step();
    viewer.step();
    viewer.get_by_label("Open file").click();
    settle(&mut viewer);
    let set = &viewer.state().session.set;
    assert_eq!(set.original.as_ref().map(|d| d.grid.shape().to_vec()), Some(vec![12, 40, 50]));
}

/// The command line tells it of the files that it names.
#[test]
fn another_file_has_not_the_shape_that_was_told_of_the_first() {
    let fixture = Fixture::new();
    std::fs::copy(fixture.path("wave_12x40x50.f32"), fixture.path("wave.raw")).unwrap();
    std::fs::write(fixture.path("other_2x3.f32"), [0; 24]).unwrap();
    let hints = Hints { shape: Shape::new(&[12, 40, 50]).ok(), ..Hints::default() };
    let start = Start { files: vec![fixture.path("wave.raw")], hints, ..Start::default() };
    let mut viewer = harness(start, Settings::default());
    viewer.state_mut().open(&fixture.path("other_2x3.f32"), Role::Original);
    settle(&mut viewer);
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    let original = viewer.state().session.set.original.as_ref().expect("an original");
    assert_eq!(original.shape(), [2, 3]);
}

/// In a small window they leave hardly any room.
#[test]
fn the_panels_beside_the_panes_go_and_come_by_a_key() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", None);
    let width = |viewer: &Harness<'_, Viewer>| {
        viewer.get_by_role_and_label(egui::Role::Image, "Reconstruction").rect().width()
    };
    let beside = width(&viewer);
    for (hidden, shown) in [(true, SIDES[0] - 50.0), (false, beside - 1.0)] {
        viewer.key_press(Key::P);
        settle(&mut viewer);
        let found = (shows(&viewer, "Field"), shows(&viewer, "Cursor"), width(&viewer) > shown);
        assert_eq!(found, (!hidden, !hidden, true));
    }
    assert_eq!(width(&viewer), beside);
}

#[test]
fn the_overlay_and_help_come_by_a_key() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", None);
    viewer.key_press(Key::V);
    settle(&mut viewer);
    assert!(shows(&viewer, "Reconstruction, tile kinds"));
    viewer.key_press(Key::Questionmark);
    settle(&mut viewer);
    assert!(shows(&viewer, "pin or release the cursor"));
    viewer.key_press(Key::Escape);
    settle(&mut viewer);
    // It fades.
    viewer.run_steps(30);
    assert!(!shows(&viewer, "pin or release the cursor"));
}

#[test]
fn a_path_is_opened_by_enter_and_nothing_is_compared_with_nothing() {
    let fixture = Fixture::new();
    let mut viewer = harness(Start::default(), Settings::default());
    assert!(viewer.get_by_label("Compare …").accesskit_node().is_disabled());
    viewer.get_by_label("File").click();
    settle(&mut viewer);
    viewer.get_by_role_and_label(egui::Role::TextInput, "Path").focus();
    viewer.step();
    let path = fixture.path("wave.fsz");
    let text = viewer.get_by_role_and_label(egui::Role::TextInput, "Path");
    text.type_text(path.to_str().unwrap());
    viewer.step();
    viewer.key_press(Key::Enter);
    settle(&mut viewer);
    let subject = viewer.state().session.set.subject.as_ref();
    assert_eq!(subject.map(|document| document.title.as_str()), Some("wave.fsz"));
    assert!(!viewer.get_by_label("Compare …").accesskit_node().is_disabled());
}

#[test]
fn questions_are_answered_by_keys() {
    let fixture = Fixture::new();
    std::fs::copy(fixture.path("wave_12x40x50.f32"), fixture.path("plain.f32")).unwrap();
    for (key, opened) in [(Key::Escape, false), (Key::Enter, true)] {
        let mut viewer = fixture.viewer("plain.f32", None);
        viewer.state_mut().view_state.raw_dialogs[0].shape = "12x40x50".to_owned();
        viewer.key_press(key);
        settle(&mut viewer);
        assert!(viewer.state().view_state.raw_dialogs.is_empty(), "{key:?}");
        assert_eq!(viewer.state().session.set.original.is_some(), opened, "{key:?}");
    }
    // Not while the answer is none.
    let mut viewer = fixture.viewer("plain.f32", None);
    viewer.state_mut().view_state.raw_dialogs[0].shape = "12x40".to_owned();
    viewer.key_press(Key::Enter);
    settle(&mut viewer);
    assert_eq!(viewer.state().view_state.raw_dialogs.len(), 1);
}

/// Memory in which a file that is mapped is present, as the system counts it: whole pages, some of them read
/// ahead.
#[cfg(target_os = "linux")]
pub fn present(path: &std::path::Path) -> u64 {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let mut lines = maps.lines().skip_while(|line| !line.ends_with(name));
    let size = lines.find_map(|line| line.strip_prefix("Rss:")).expect("it is mapped");
    size.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn opening_a_stream_reads_its_header_and_index_only() {
    let folder = tempfile::TempDir::new().unwrap();
    let mut state = 1u32;
    let noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32
    };
    let values: Vec<f32> = std::iter::repeat_with(noise).take(1 << 22).collect();
    for (number, profile) in profiles().into_iter().enumerate() {
        let options = fsz::CompressOptions::new(fsz::Bound::Absolute(0.5)).profile(profile);
        let view = ndarray::ArrayView::from_shape((64, 256, 256), &values).unwrap();
        let stream = fsz::Codec::cpu().compress_with(view, &options).unwrap();
        let path = folder.path().join(format!("noise-{number}.fsz"));
        std::fs::write(&path, stream.as_bytes()).unwrap();
        let document = fsz_viewer::Document::open(&path, &fsz_field::Hints::default()).unwrap();
        let (read, all) = (present(&path), stream.compressed_bytes());
        // Pages of 2 MiB.
        assert!(read < all / 4, "{read} of {all} bytes of {profile:?}");
        document.read_tiles(&fsz::Progress::new()).unwrap();
        let facts = document.facts.as_ref().unwrap();
        assert!(facts.tiles.is_read(), "{profile:?}");
    }
}

#[test]
fn a_window_in_which_nothing_happens_is_not_drawn() {
    let fixture = Fixture::new();
    let alone = harness(Start::default(), Settings::default());
    let pair = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
    let pane = pair.get_by_role_and_label(egui::Role::Image, "Reconstruction").rect();
    pair.hover_at(pane.center());
    for (mut viewer, name) in [(alone, "empty"), (pair, "with the cursor in a pane")] {
        settle(&mut viewer);
        // Tooltips and highlights take some frames.
        viewer.run_steps(30);
        let output = &viewer.output().viewport_output[&egui::ViewportId::ROOT];
        assert_eq!(output.repaint_delay, std::time::Duration::MAX, "{name}");
    }
}

#[test]
fn missing_values_are_named() {
    let fixture = Fixture::new();
    let mut values = fixture.values.clone();
    values[100..200].fill(9.96921e36);
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(fixture.path("fill_12x40x50.f32"), bytes).unwrap();
    let mut viewer = fixture.viewer("fill_12x40x50.f32", None);
    let bound = |v: &Harness<'_, Viewer>| v.state().session.set.bound().expect("a bound");
    assert!(bound(&viewer) > 1e30, "the fill value is the range");
    viewer.get_by_role_and_label(egui::Role::TextInput, "Missing values").focus();
    viewer.step();
    viewer.get_by_role_and_label(egui::Role::TextInput, "Missing values").type_text("9.96921e36");
    viewer.step();
    viewer.key_press(Key::Enter);
    settle(&mut viewer);
    assert!(bound(&viewer) < 1.0, "{}", bound(&viewer));
    let facts = viewer.state().session.set.subject.as_ref().and_then(|s| s.facts.clone());
    assert_eq!(facts.map(|f| f.certificate.missing), Some(100));
    assert!(shows(&viewer, "0 (0.000 %)"), "the bound is kept");
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
}

#[test]
fn a_line_that_is_left_without_enter_recompresses_nothing() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
    viewer.get_by_role_and_label(egui::Role::TextInput, "Missing values").focus();
    viewer.run_steps(2);
    viewer.get_by_label("Profile dense").focus();
    settle(&mut viewer);
    let subject = viewer.state().session.set.subject.as_ref().map(|d| d.title.clone());
    assert_eq!(subject.as_deref(), Some("wave.fsz"));
}

/// Several windows are told apart by it.
#[test]
fn the_window_is_called_as_what_it_shows() {
    let fixture = Fixture::new();
    let mut viewer = harness(Start::default(), Settings::default());
    let named = |viewer: &Harness<'_, Viewer>| {
        let output = &viewer.output().viewport_output[&egui::ViewportId::ROOT];
        output.commands.iter().find_map(|command| match command {
            egui::ViewportCommand::Title(title) => Some(title.clone()),
            _ => None,
        })
    };
    for (name, title) in [
        ("wave.fsz", Some("wave.fsz – FSZ viewer")),
        ("wave_12x40x50.f32", None),
        ("rough.fsz", Some("rough.fsz – FSZ viewer")),
    ] {
        viewer.state_mut().open(&fixture.path(name), Role::Subject);
        assert!(viewer.state_mut().settle(crate::fixture::LONGEST));
        viewer.step();
        assert_eq!(named(&viewer).as_deref(), title);
        viewer.step();
        assert_eq!(named(&viewer), None, "it is told once");
    }
}

/// A target is met by a search for the bound; the profile is chosen beside it.
#[test]
fn the_original_is_recompressed_to_a_target() {
    let fixture = Fixture::of_numbers();
    for (target, dense) in [(Target::Psnr, false), (Target::Ratio, false), (Target::Ratio, true)] {
        let start =
            Start { files: vec![fixture.path("numbers_12x40x50.f32")], ..Default::default() };
        let settings = Settings {
            try_target: target,
            try_psnr: 70.0,
            try_ratio: 8.0,
            try_dense: dense,
            ..Default::default()
        };
        let viewer = harness(start, settings);
        assert_eq!(viewer.state().view_state.messages, [""; 0]);
        let subject = viewer.state().session.set.subject.clone().expect("a reconstruction");
        let facts = subject.facts.as_ref().expect("a stream");
        assert_eq!(facts.header.profile.name(), if dense { "dense" } else { "paper" });
        assert!(shows(&viewer, target.name()));
        match target {
            Target::Psnr => {
                let measured = viewer.state().session.measured.both()[0].expect("figures");
                let psnr = measured.comparison.psnr();
                assert!((70.0..72.0).contains(&psnr), "{psnr}");
            }
            _ => {
                let ratio = subject.ratio().expect("a ratio");
                assert!((ratio - 8.0).abs() < 0.8, "{ratio}");
            }
        }
    }
}

/// A share of a range that missing elements make is no bound at all.
#[test]
fn what_is_likely_to_be_missing_is_asked_for() {
    let fixture = Fixture::new();
    let masked = fixture.values.iter().map(|v| if v.is_nan() { 1e20f32 } else { *v });
    let bytes: Vec<u8> = masked.flat_map(f32::to_le_bytes).collect();
    std::fs::write(fixture.path("masked_12x40x50.f32"), bytes).unwrap();
    let told = "The largest value is 1e20. If it marks missing elements, name it above.";
    for (missing, is_told) in [("", true), ("1e20", false)] {
        let start = fixture.start("masked_12x40x50.f32", None);
        let viewer = harness(Start { missing: missing.into(), ..start }, Settings::default());
        assert_eq!(shows(&viewer, told), is_told, "{missing}");
    }
}
