//! Planes that cannot be decoded: the pane says so, and shows no other plane in their place.

use egui::Key;
use fsz_viewer::Place;

use crate::fixture::{Fixture, settle, shows};

/// What a pane says.
const SAID: &str = "This plane cannot be decoded.";

#[test]
fn a_damaged_plane_is_told_from_one_that_is_to_come() {
    let fixture = Fixture::new();
    let mut bytes = std::fs::read(fixture.path("wave.fsz")).unwrap();
    // Of the last chunk, which the last planes lie in.
    let last = bytes.len() - 40;
    bytes[last] ^= 0x10;
    std::fs::write(fixture.path("end.fsz"), &bytes).unwrap();
    let mut viewer = fixture.viewer("end.fsz", None);
    assert!(shows(&viewer, "Reconstruction") && !shows(&viewer, SAID));
    viewer.key_press(Key::End);
    settle(&mut viewer);
    assert_eq!(viewer.state().session.place, Place { axis: 0, plane: 11 });
    assert!(shows(&viewer, SAID) && !shows(&viewer, "Reconstruction"), "no picture of plane 0");
    assert!(shows(&viewer, "No plane decoded") && !shows(&viewer, "No file open"));
    viewer.key_press(Key::Home);
    settle(&mut viewer);
    assert!(shows(&viewer, "Reconstruction") && !shows(&viewer, SAID), "the others are there");
}
