//! A folder of `.fsz` files, or of plain values, is a series.

use std::collections::BTreeSet;

use egui_kittest::kittest::Queryable;
use fsz_viewer::{Choice, Role, Settings, Start};

use crate::fixture::{Fixture, LONGEST, drop_file, harness, settle, shows};

/// Three steps, of which the middle one is rougher.
fn series(fixture: &Fixture) -> Start {
    std::fs::create_dir(fixture.path("steps")).unwrap();
    for (step, name) in [("2", "wave.fsz"), ("10", "rough.fsz"), ("11", "wave.fsz")] {
        let to = fixture.path("steps").join(format!("U-{step}.fsz"));
        std::fs::copy(fixture.path(name), to).unwrap();
    }
    std::fs::write(fixture.path("steps").join("notes.txt"), "no field").unwrap();
    Start { files: vec![fixture.path("steps")], ..Default::default() }
}

#[test]
fn steps_are_files_in_the_order_of_their_numbers() {
    let fixture = Fixture::new();
    let mut viewer = harness(series(&fixture), Settings::default());
    assert!(shows(&viewer, "Variable") && shows(&viewer, "Play"));
    let mut bounds = Vec::new();
    for (step, file) in ["U-2.fsz", "U-10.fsz", "U-11.fsz"].into_iter().enumerate() {
        let choice = Choice { variable: "steps".to_owned(), step: step as u64 };
        viewer.state_mut().choose(choice);
        settle(&mut viewer);
        let subject = viewer.state().session.set.subject.as_ref().expect("a field");
        assert_eq!(subject.title, file);
        bounds.push(viewer.state().session.set.bound().expect("a bound"));
    }
    assert!(bounds[1] > bounds[0] && bounds[2] == bounds[0], "{bounds:?}");
    // The folder and the step come back.
    let again = harness(Start::default(), viewer.state().kept());
    let title = again.state().session.set.subject.as_ref().map(|d| d.title.clone());
    assert_eq!(title.as_deref(), Some("U-11.fsz"));
    assert!(shows(&again, "Play"));
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
}

#[test]
fn play_goes_through_them_and_past_one_that_is_damaged() {
    let fixture = Fixture::new();
    let start = series(&fixture);
    std::fs::write(fixture.path("steps").join("U-10.fsz"), "no stream").unwrap();
    let mut viewer = harness(start, Settings::default());
    viewer.get_by_label("Play").click();
    let mut seen = BTreeSet::new();
    // A drawn window asks for one step at most.
    for _ in 0..12 {
        viewer.step();
        assert!(viewer.state_mut().settle(LONGEST), "nothing came for a minute");
        seen.insert(viewer.state().session.set.subject.as_ref().expect("a field").title.clone());
    }
    assert_eq!(seen, BTreeSet::from(["U-2.fsz".to_owned(), "U-11.fsz".to_owned()]));
    let messages = viewer.state().view_state.messages.join("");
    assert!(messages.contains("U-10.fsz"), "{messages}");
}

/// A folder of so many steps, each a wave that has gone on a little.
fn waves(fixture: &Fixture, count: usize) -> Start {
    let folder = fixture.path("waves");
    std::fs::create_dir(&folder).unwrap();
    for step in 0..count {
        let wave = |(z, y, x): (usize, usize, usize)| {
            ((x + 2 * step) as f32 * 0.3).sin() + (y + z) as f32 * 0.01
        };
        let values = ndarray::Array3::from_shape_fn((4, 20, 30), wave);
        let stream = fsz::Codec::cpu().compress(values.view(), fsz::Bound::Absolute(1e-3)).unwrap();
        std::fs::write(folder.join(format!("{step}.fsz")), stream.as_bytes()).unwrap();
    }
    Start { files: vec![folder], ..Start::default() }
}

#[test]
fn play_goes_backwards_too() {
    let fixture = Fixture::new();
    let mut viewer = harness(waves(&fixture, 5), Settings::default());
    viewer.get_by_label("Play").click();
    viewer.get_by_label("Backwards").click();
    let mut seen = Vec::new();
    for _ in 0..14 {
        viewer.step();
        assert!(viewer.state_mut().settle(LONGEST), "nothing came for a minute");
        let step = viewer.state().session.choice.step;
        if seen.last() != Some(&step) {
            seen.push(step);
        }
    }
    assert!(seen.len() > 4, "{seen:?}");
    let turned = seen.iter().position(|&step| step == 4).expect("it turns");
    for pair in seen[turned..].windows(2) {
        assert_eq!((pair[1] + 1) % 5, pair[0], "{seen:?}");
    }
    viewer.get_by_label("Play").click();
    settle(&mut viewer);
    let facts = viewer.state().session.set.subject.as_ref().and_then(|s| s.facts.clone());
    assert!(facts.expect("a stream").tiles.is_read(), "what there was no time for is done");
}

#[test]
fn another_field_ends_playing() {
    let fixture = Fixture::new();
    let mut viewer = harness(waves(&fixture, 3), Settings::default());
    viewer.get_by_label("Play").click();
    viewer.step();
    assert!(viewer.state().view_state.playing);
    viewer.state_mut().open(&fixture.path("wave.fsz"), Role::Subject);
    viewer.state_mut().open(&fixture.path("wave_12x40x50.f32"), Role::Original);
    settle(&mut viewer);
    let state = viewer.state();
    assert_eq!(state.session.set.subject.as_ref().map(|d| &*d.title), Some("wave.fsz"));
    assert!(!state.view_state.playing);
    assert!(state.plane_figures()[0].is_some() && state.session.measured.both()[0].is_some());
}

#[test]
fn a_series_of_originals_goes_along() {
    let fixture = Fixture::new();
    let folder = fixture.path("exact");
    std::fs::create_dir(&folder).unwrap();
    for step in 0..2 {
        std::fs::copy(fixture.path("wave.fsz"), folder.join(format!("V-{step}.fsz"))).unwrap();
    }
    let start = Start { original: Some(folder), ..series(&fixture) };
    let mut viewer = harness(start, Settings::default());
    viewer.run_steps(3);
    assert!(!viewer.state().busy(), "nothing is opened again and again");
    for (step, titles) in [
        (1, [Some("U-10.fsz"), Some("V-1.fsz")]),
        // There is no such step, and the error between two others is not to be seen.
        (2, [Some("U-11.fsz"), None]),
        (0, [Some("U-2.fsz"), Some("V-0.fsz")]),
    ] {
        viewer.state_mut().choose(Choice { variable: "steps".to_owned(), step });
        settle(&mut viewer);
        let session = &viewer.state().session;
        let set = [&session.set.subject, &session.set.original];
        assert_eq!(set.map(|d| d.as_ref().map(|d| &*d.title)), titles, "step {step}");
        assert_eq!(session.choice, Choice { variable: "steps".to_owned(), step });
    }
    // Nor is that between the step before one that cannot be read and the original of this one.
    std::fs::write(fixture.path("steps").join("U-10.fsz"), "no stream").unwrap();
    viewer.state_mut().open(&fixture.path("steps"), Role::Subject);
    settle(&mut viewer);
    viewer.state_mut().choose(Choice { variable: "steps".to_owned(), step: 1 });
    settle(&mut viewer);
    assert!(viewer.state().session.set.original.is_none());
    // The first step that is shown may be one that the originals lack, too.
    let choice = Choice { variable: String::new(), step: 2 };
    let original = Some(fixture.path("exact"));
    let start = Start {
        files: vec![fixture.path("steps")],
        original,
        choice: Some(choice),
        ..Start::default()
    };
    let viewer = harness(start, Settings::default());
    assert!(viewer.state().session.set.original.is_none());
    assert_eq!(viewer.state().session.choice.step, 2);
}

/// The error between two different steps is not to be seen.
#[test]
fn of_a_series_with_gaps_the_original_of_each_step_is_that_of_its_name() {
    let fixture = Fixture::new();
    let folders = ["some", "exact"].map(|name| fixture.path(name));
    for (folder, steps) in folders.iter().zip([&[1, 2, 4, 5][..], &[0, 1, 3, 4]]) {
        std::fs::create_dir(folder).unwrap();
        for step in steps {
            std::fs::copy(fixture.path("wave.fsz"), folder.join(format!("U-{step}.fsz"))).unwrap();
        }
    }
    let [some, exact] = folders;
    let start = Start { files: vec![some], original: Some(exact), ..Default::default() };
    let mut viewer = harness(start, Settings::default());
    for (step, titles) in [
        (0, [Some("U-1.fsz"); 2]),
        (1, [Some("U-2.fsz"), None]),
        (2, [Some("U-4.fsz"); 2]),
        (3, [Some("U-5.fsz"), None]),
        (0, [Some("U-1.fsz"); 2]),
    ] {
        viewer.state_mut().choose(Choice { variable: "some".to_owned(), step });
        settle(&mut viewer);
        let session = &viewer.state().session;
        let set = [&session.set.subject, &session.set.original];
        assert_eq!(set.map(|d| d.as_ref().map(|d| &*d.title)), titles, "step {step}");
        assert_eq!(session.choice.step, step);
    }
}

/// As `fsz compress originals/* -o steps` makes of them.
#[test]
fn originals_may_be_plain_values() {
    let fixture = Fixture::new();
    let folders = ["steps", "originals"].map(|name| fixture.path(name));
    folders.iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    let [steps, originals] = folders;
    for step in [1, 2, 10] {
        let to = steps.join(format!("U-{step}_12x40x50.fsz"));
        std::fs::copy(fixture.path("wave.fsz"), to).unwrap();
    }
    // They are paired by their names, without the endings.
    for step in [2, 10] {
        let to = originals.join(format!("U-{step}_12x40x50.f32"));
        std::fs::copy(fixture.path("wave_12x40x50.f32"), to).unwrap();
    }
    std::fs::write(originals.join("notes.txt"), "no field").unwrap();
    let start = Start { files: vec![steps.clone()], ..Default::default() };
    let mut viewer = harness(start, Settings::default());
    drop_file(&mut viewer, &originals);
    let told = format!("{} has no step 0 of steps", originals.display());
    assert_eq!(std::mem::take(&mut viewer.state_mut().view_state.messages), [told]);
    for (step, original) in
        [(1, Some("U-2_12x40x50.f32")), (0, None), (2, Some("U-10_12x40x50.f32"))]
    {
        viewer.state_mut().choose(Choice { variable: "steps".to_owned(), step });
        settle(&mut viewer);
        let session = &viewer.state().session;
        assert_eq!(session.set.original.as_ref().map(|d| &*d.title), original, "step {step}");
        assert_eq!(session.choice.step, step);
    }
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    // Alone they are a series, too, and each step is compressed here.
    let start = Start { files: vec![originals], ..Default::default() };
    let mut viewer = harness(start, Settings::default());
    assert!(shows(&viewer, "Play"));
    viewer.state_mut().choose(Choice { variable: "originals".to_owned(), step: 1 });
    settle(&mut viewer);
    let subject = viewer.state().session.set.subject.as_ref().map(|d| &*d.title);
    assert_eq!(subject, Some("U-10_12x40x50.f32, recompressed"));
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
}

#[test]
fn steps_are_written_as_pictures() {
    let fixture = Fixture::new();
    let mut viewer = harness(waves(&fixture, 3), Settings::default());
    let (file, folder) = (fixture.path("waves.png"), fixture.path("frames"));
    viewer.state_mut().export_series(true, file.clone());
    viewer.state_mut().export_series(false, folder.clone());
    settle(&mut viewer);
    let notes = viewer.state().view_state.notes.join(" ");
    assert!(notes.contains("waves.png") && notes.contains("frames"), "{notes}");
    let read = |path: &std::path::Path| image::open(path).unwrap().to_rgb8();
    let frames = [0, 1, 2].map(|step| read(&folder.join(format!("step-{step}.png"))));
    assert!(frames[0] != frames[1] && frames[1] != frames[2]);
    // Programs that know no animation show the first frame.
    assert_eq!(read(&file), frames[0]);
    let bytes = std::fs::read(&file).unwrap();
    let chunks = |name: &[u8; 4]| bytes.windows(4).filter(|bytes| bytes == name).count();
    assert_eq!((chunks(b"acTL"), chunks(b"fcTL")), (1, 3));

    // What is cancelled leaves no file behind.
    let stopped = fixture.path("stopped.png");
    let progress = viewer.state_mut().export_series(true, stopped.clone());
    progress.expect("it is begun").cancel();
    settle(&mut viewer);
    assert!(!stopped.exists());
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    // A step that cannot be read ends it with a message.
    std::fs::write(fixture.path("waves").join("1.fsz"), "no stream").unwrap();
    viewer.state_mut().export_series(true, fixture.path("damaged.png"));
    settle(&mut viewer);
    assert!(viewer.state().view_state.messages.join("").contains("step 1"));
    assert!(!fixture.path("damaged.png").exists());
    // A field alone is no series.
    let mut alone = fixture.viewer("wave.fsz", None);
    alone.state_mut().export_series(true, file);
    assert!(alone.state().view_state.messages.join("").contains("no series"));
}

#[test]
fn playing_is_measured_without_a_window() {
    let fixture = Fixture::new();
    let start = waves(&fixture, 4);
    let decoder = fsz_viewer::DecoderChoice::Cpu;
    let text = fsz_viewer::bench_series(&start.files[0], decoder).unwrap();
    assert!(text.contains("4 steps of 4 × 20 × 30 f32") && text.contains("backwards: "), "{text}");
    assert!(fsz_viewer::bench_series(&fixture.path("wave.fsz"), decoder).is_err());
    let originals = fixture.path("originals");
    std::fs::create_dir(&originals).unwrap();
    for step in 0..2 {
        let to = originals.join(format!("{step}_12x40x50.f32"));
        std::fs::copy(fixture.path("wave_12x40x50.f32"), to).unwrap();
    }
    let text = fsz_viewer::bench_series(&originals, decoder).unwrap();
    assert!(text.contains("f32, 96000 bytes each"), "{text}");
}
