//! What was open is opened again.

use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{Place, Settings, Start, Viewer};

use crate::fixture::{Fixture, LONGEST, harness, settle, shows};

/// The viewer that is started after this one was closed: all goes through text.
fn again(viewer: &Harness<'_, Viewer>, start: Start) -> Harness<'static, Viewer> {
    let text = serde_json::to_string(&viewer.state().kept()).expect("settings are text");
    harness(start, serde_json::from_str::<Settings>(&text).expect("and are read again"))
}

/// Titles of original, subject and other.
fn titles(viewer: &Harness<'_, Viewer>) -> [Option<String>; 3] {
    let set = &viewer.state().session.set;
    [&set.original, &set.subject, &set.other].map(|d| d.as_ref().map(|d| d.title.clone()))
}

/// Three files and a place in them. The original does not tell its shape.
fn opened(fixture: &Fixture) -> Harness<'static, Viewer> {
    std::fs::copy(fixture.path("wave_12x40x50.f32"), fixture.path("plain.dat")).unwrap();
    let start = Start {
        files: vec![fixture.path("wave.fsz"), fixture.path("rough.fsz")],
        original: Some(fixture.path("plain.dat")),
        hints: fsz_field::Hints {
            shape: fsz_field::Shape::new(&fixture.shape).ok(),
            dtype: Some(fsz::DType::F32),
            ..Default::default()
        },
        place: Some(Place { axis: 2, plane: 9 }),
        ..Default::default()
    };
    let settings = r#"{"map":"Cividis","range":"Plane","overlay":"Rate","layout":"Errors"}"#;
    harness(start, serde_json::from_str(settings).unwrap())
}

#[test]
fn files_place_and_settings_come_back() {
    let fixture = Fixture::new();
    let before = opened(&fixture);
    let after = again(&before, Start::default());
    assert_eq!(after.state().view_state.messages, [""; 0]);
    assert_eq!(after.state().view_state.notes, [""; 0]);
    assert_eq!(titles(&after), titles(&before));
    assert_eq!(titles(&after), ["plain.dat", "wave.fsz", "rough.fsz"].map(|t| Some(t.to_owned())));
    assert_eq!(after.state().session.place, Place { axis: 2, plane: 9 });
    let looks = |v: &Harness<'_, Viewer>| {
        let s = &v.state().view_state.settings;
        (s.map, s.range, s.overlay, s.layout, s.arrangement.clone())
    };
    assert_eq!(looks(&after), looks(&before));
    assert!(after.query_by_role_and_label(egui::Role::Image, "Signed error, rough.fsz").is_some());
    assert!(!shows(&after, "Reconstruction"));
}

#[test]
fn a_file_that_is_gone_is_a_note() {
    let fixture = Fixture::new();
    let before = opened(&fixture);
    std::fs::remove_file(fixture.path("rough.fsz")).unwrap();
    let mut after = again(&before, Start::default());
    assert_eq!(after.state().view_state.messages, [""; 0]);
    let [note] = &after.state().view_state.notes[..] else { panic!("one note") };
    assert!(note.contains("rough.fsz") && note.ends_with("no longer exists"), "{note}");
    let found = titles(&after);
    assert_eq!(found[..2], titles(&before)[..2]);
    assert_eq!(found[2], None);
    after.get_by_label("Dismiss").click();
    settle(&mut after);
    assert_eq!(after.state().view_state.notes, [""; 0]);
    // Nothing is left: that is a start as the first.
    for name in ["wave.fsz", "plain.dat"] {
        std::fs::remove_file(fixture.path(name)).unwrap();
    }
    let last = again(&after, Start::default());
    assert_eq!(
        (last.state().view_state.messages.len(), last.state().view_state.notes.len()),
        (0, 2)
    );
    assert!(shows(&last, "Drop a field here"));
}

#[test]
fn a_file_that_is_named_comes_alone() {
    let fixture = Fixture::new();
    let before = opened(&fixture);
    let start = Start { files: vec![fixture.path("rough.fsz")], ..Default::default() };
    let after = again(&before, start);
    assert_eq!(titles(&after), [None, Some("rough.fsz".to_owned()), None]);
    assert_eq!(after.state().session.place, Place::default());
}

#[test]
fn what_was_tried_is_tried_again() {
    let fixture = Fixture::new();
    let start = Start { files: vec![fixture.path("wave_12x40x50.f32")], ..Default::default() };
    let settings = serde_json::from_str(r#"{"try_bound":0.004}"#).unwrap();
    let mut before = harness(start, settings);
    before.key_press(Key::ArrowRight);
    settle(&mut before);
    let after = again(&before, Start::default());
    assert_eq!(titles(&after), titles(&before));
    assert_eq!(after.state().session.set.bound(), before.state().session.set.bound());
    assert_eq!(after.state().session.place, Place { axis: 0, plane: 1 });
}

#[cfg(feature = "zfp")]
#[test]
fn the_comparison_is_made_again() {
    let fixture = Fixture::of_numbers();
    let mut before = fixture.viewer("numbers.fsz", Some("numbers_12x40x50.f32"));
    crate::fixture::press(&mut before, "zfp at the same rate");
    let after = again(&before, Start::default());
    assert_eq!(titles(&after), titles(&before));
    assert!(titles(&after)[2].as_ref().is_some_and(|t| t.starts_with("zfp at ")));
}

/// The text that they are kept as has no such names.
#[cfg(target_os = "linux")]
#[test]
fn settings_are_kept_beside_a_file_whose_name_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::new();
    let path = fixture.path("wave.fsz").with_file_name(std::ffi::OsStr::from_bytes(b"w\xe4ve.fsz"));
    std::fs::copy(fixture.path("wave.fsz"), &path).unwrap();
    let original = Some(fixture.path("wave_12x40x50.f32"));
    let start = Start { files: vec![path], original, ..Default::default() };
    // Not drawn: the tests' window refuses text for which it has no letter.
    let mut viewer = Viewer::new(start, Settings::default(), std::sync::Arc::new(|| ())).unwrap();
    assert!(viewer.settle(LONGEST) && viewer.session.set.subject.is_some());
    let text = serde_json::to_string(&viewer.kept()).expect("it is kept");
    let kept = Settings::read(&text);
    assert_eq!(kept.recent, [fixture.path("wave_12x40x50.f32")]);
    assert!(kept.session.is_some_and(|kept| kept.subject.is_none() && kept.original.is_some()));
}

#[test]
fn settings_that_make_no_sense_are_no_harm() {
    let text = r#"{"session":{"subject":{"path":"/nowhere/x.fsz","shape":[0]},"axis":99,
        "plane":18446744073709551615,"zoom":-3.0,"middle":[9e9,-1.0],"wipe":7.0,"step":5}}"#;
    let fixture = Fixture::new();
    let mut viewer = harness(Start::default(), serde_json::from_str(text).unwrap());
    assert_eq!(viewer.state().view_state.notes.len(), 1);
    crate::fixture::drop_file(&mut viewer, &fixture.path("wave.fsz"));
    assert!(viewer.state().session.planes.as_ref().is_some());
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
}

/// `fsz-viewer --axis 1 --index 3 --missing 7`: what is told holds, and the rest is as it was left.
#[test]
fn what_is_told_holds_for_what_was_open() {
    let fixture = Fixture::new();
    let first = opened(&fixture);
    let place = Some(Place { axis: 1, plane: 3 });
    let second = again(&first, Start { place, missing: "7".to_owned(), ..Start::default() });
    assert_eq!(titles(&second), titles(&first));
    assert_eq!(Some(second.state().session.place), place);
    assert_eq!(second.state().session.missing, "7");
    assert_eq!(again(&second, Start::default()).state().session.missing, "7");
}
