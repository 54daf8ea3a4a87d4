//! A folder of `.fsz` files is a series.

use std::collections::BTreeSet;

use egui_kittest::kittest::Queryable;
use fsz_viewer::{Choice, Settings, Start};

use crate::fixture::{Fixture, LONGEST, harness, settle, shows};

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
