//! What a second call with `--single-instance` says is done by the window of the first.

use std::process::Command;
use std::sync::Arc;

use egui_kittest::Harness;
use fsz_viewer::{Call, Instance, Place, Role, Settings, Start, Viewer, handed_over};

use crate::fixture::{Fixture, LONGEST, harness, settle, shows};

/// A window that takes what other calls say.
fn first(fixture: &Fixture, start: Start) -> Harness<'static, Viewer> {
    let call = Call { folder: fixture.path(""), words: Vec::new() };
    let first =
        Instance::claim(&fixture.path(""), &call, handed_over, Arc::new(|| ()), LONGEST).unwrap();
    let mut viewer = harness(start, Settings::default());
    viewer.state_mut().listen(first.expect("it is the first"));
    viewer
}

/// The program itself, called in the folder of the fixture, and what comes of it.
fn second(fixture: &Fixture, viewer: &mut Harness<'_, Viewer>, words: &[&str]) {
    call(fixture, words);
    settle(viewer);
}

fn call(fixture: &Fixture, words: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fsz-viewer"));
    command.env("XDG_RUNTIME_DIR", fixture.path("")).current_dir(fixture.path(""));
    let ended = command.arg("--single-instance").args(words).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
}

#[test]
fn the_window_comes_to_the_front_even_where_it_is_minimized() {
    let fixture = Fixture::new();
    let mut viewer = first(&fixture, Start::default());
    call(&fixture, &[]);
    viewer.step();
    let output = &viewer.output().viewport_output[&egui::ViewportId::ROOT];
    for command in [egui::ViewportCommand::Minimized(false), egui::ViewportCommand::Focus] {
        assert!(output.commands.contains(&command), "{:?}", output.commands);
    }
}

#[test]
fn raw_files_come_with_their_shape_and_the_plane_to_show() {
    let fixture = Fixture::new();
    std::fs::copy(fixture.path("wave_12x40x50.f32"), fixture.path("plain.dat")).unwrap();
    let mut viewer = first(&fixture, Start::default());
    let words = ["plain.dat", "--shape", "12x40x50", "--axis", "2", "--index", "9"];
    second(&fixture, &mut viewer, &[&words[..], &["--missing", "1.5"]].concat());
    let state = viewer.state();
    assert_eq!(state.view_state.messages, [""; 0]);
    assert!(state.view_state.raw_dialogs.is_empty(), "the shape is told");
    let original = state.session.set.original.as_ref().expect("it is open");
    assert_eq!(original.shape(), [12, 40, 50]);
    assert_eq!(state.session.place, Place { axis: 2, plane: 9 });
    assert_eq!(state.session.planes.as_ref().map(|planes| planes.place), Some(state.session.place));
    assert_eq!(state.session.missing, "1.5");
    let subject = state.session.set.subject.as_ref().expect("it is compressed");
    assert_eq!(subject.missing(), [1.5]);
}

#[test]
fn a_call_that_names_no_plane_leaves_the_one_that_is_shown() {
    let fixture = Fixture::new();
    let place = Some(Place { axis: 1, plane: 7 });
    let mut viewer =
        first(&fixture, Start { files: vec![fixture.path("wave.fsz")], place, ..Start::default() });
    second(&fixture, &mut viewer, &["rough.fsz"]);
    let state = viewer.state();
    let title = state.session.set.subject.as_ref().map(|subject| subject.title.as_str());
    assert_eq!((title, Some(state.session.place)), (Some("rough.fsz"), place));
}

#[test]
fn a_step_of_a_folder_comes_and_one_that_is_not_there_is_told() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.path("steps")).unwrap();
    for step in 0..3 {
        let to = fixture.path("steps").join(format!("{step}.fsz"));
        std::fs::copy(fixture.path("wave.fsz"), to).unwrap();
    }
    let mut viewer = first(&fixture, Start::default());
    let title = |viewer: &Harness<'_, Viewer>| {
        viewer.state().session.set.subject.as_ref().map(|subject| subject.title.clone())
    };
    second(&fixture, &mut viewer, &["steps", "--variable", "steps", "--step", "1"]);
    assert_eq!(title(&viewer).as_deref(), Some("1.fsz"));
    assert_eq!(viewer.state().view_state.notes, [""; 0]);
    second(&fixture, &mut viewer, &["steps", "--step", "7", "--axis", "4"]);
    assert_eq!(title(&viewer).as_deref(), Some("2.fsz"));
    let notes = viewer.state().view_state.notes.join("\n");
    assert!(notes.contains("the last step of steps is 2, not 7; it is shown"), "{notes}");
    assert!(notes.contains("2.fsz has no axis 4; axis 2 is shown"), "{notes}");
}

/// A question is asked first, and what was to be shown is not forgotten over it.
#[test]
fn the_plane_is_shown_when_the_question_for_the_shape_is_answered() {
    let fixture = Fixture::new();
    std::fs::copy(fixture.path("wave_12x40x50.f32"), fixture.path("plain.dat")).unwrap();
    let mut viewer = first(&fixture, Start::default());
    second(&fixture, &mut viewer, &["plain.dat", "--axis", "1", "--index", "3"]);
    viewer.state_mut().view_state.raw_dialogs[0].shape = "12x40x50".to_owned();
    viewer.key_press(egui::Key::Enter);
    settle(&mut viewer);
    assert_eq!(viewer.state().session.place, Place { axis: 1, plane: 3 });
}

#[test]
fn a_refused_file_leaves_the_plane_that_is_shown() {
    let fixture = Fixture::new();
    std::fs::write(fixture.path("small_2x3x4.f32"), [0; 96]).unwrap();
    let mut viewer =
        first(&fixture, Start { files: vec![fixture.path("wave.fsz")], ..Start::default() });
    second(&fixture, &mut viewer, &["--original", "small_2x3x4.f32", "--axis", "2"]);
    let state = viewer.state();
    assert!(state.view_state.messages.join("").contains("does not match"));
    assert_eq!(state.session.place, Place::default());
    assert!(shows(&viewer, "Reconstruction"));
}

/// As a stream of a simulation: in the place of files.
#[test]
fn a_stream_is_shown_in_the_window_that_is_open() {
    let fixture = Fixture::new();
    let mut viewer = first(&fixture, Start::default());
    viewer.state_mut().open(&fixture.path("wave.fsz"), Role::Subject);
    settle(&mut viewer);
    second(&fixture, &mut viewer, &["--live", "run"]);
    let state = viewer.state();
    if cfg!(feature = "adios2") {
        let live = state.session.live.as_ref().expect("it is waited for");
        assert_eq!(std::path::Path::new(&live.live.name), fixture.path("run"));
    } else {
        let told = state.view_state.messages.join("");
        assert!(told.contains("run: this build cannot read ADIOS2 streams"), "{told}");
    }
}
