//! Steps of a simulation, brought to the window by hand: what was made of one is not shown with another.

use std::path::Path;
use std::time::Instant;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz::{Bound, Codec, CompressOptions};
use fsz_field::{Field, Shape};
use fsz_viewer::{
    Document, Live, LiveField, LiveStep, LiveView, MatchMode, Settings, Start, Viewer,
};
use ndarray::ArrayView;

use crate::fixture::{harness, settle, shows};

const SHAPE: [usize; 3] = [6, 20, 30];

/// A field of a step, with its original.
fn field(name: &str, number: u64) -> LiveField {
    let wave = |i: usize| ((i as u64 + 50 * number) as f32 * 0.01).sin() * 9.0;
    let values: Vec<f32> = (0..SHAPE.iter().product()).map(wave).collect();
    let view = ArrayView::from_shape(SHAPE, &values).expect("as many");
    let options = CompressOptions::new(Bound::Absolute(1e-2)).name(name);
    let stream = Codec::cpu().compress_with(view, &options).expect("a stream");
    let (path, title) = (Path::new("run"), format!("run, {name}, step {number}"));
    let document = Document::from_stream(title.clone(), path, stream).expect("sound");
    let shape = Shape::new(&SHAPE.map(|n| n as u64)).expect("a shape");
    let original = Field::new(shape, values).expect("as many");
    let original = Some(Document::of_values(title, path, original));
    LiveField { name: name.to_owned(), document, original }
}

/// Shows a step that has just come.
fn show(viewer: &mut Harness<'_, Viewer>, number: u64) {
    let fields = vec![field("U", number), field("V", number)];
    let step = LiveStep { number, arrived: Instant::now(), fields };
    let view = viewer
        .state_mut()
        .session
        .live
        .get_or_insert_with(|| LiveView::new(Live::new("run".to_owned(), 1 << 24)));
    view.live.push(step);
    viewer.state_mut().show_step(number);
}

#[test]
fn what_was_made_of_a_step_goes_with_it() {
    let mut viewer = harness(Start::default(), Settings::default());
    show(&mut viewer, 0);
    settle(&mut viewer);
    viewer.state_mut().sweep(fsz_viewer::Extent::Field);
    viewer.state_mut().compare_with(Some(MatchMode::ProfileBound));
    // Whether it is done by now or not.
    show(&mut viewer, 1);
    settle(&mut viewer);
    let state = viewer.state();
    assert!(state.session.set.other.is_none(), "it was made of another original");
    assert!(state.rate_distortion.points.is_empty() && !state.rate_distortion.running());
}

#[test]
fn a_simulation_that_is_left_offers_no_variables() {
    let mut viewer = harness(Start::default(), Settings::default());
    show(&mut viewer, 0);
    settle(&mut viewer);
    assert!(viewer.state().session.catalogs[0].is_some());
    viewer.state_mut().disconnect();
    settle(&mut viewer);
    let session = &viewer.state().session;
    assert!(session.set.subject.is_some(), "what is shown stays");
    assert!(session.catalogs.iter().all(Option::is_none), "they are in no file");
}

#[test]
fn a_step_that_stays_when_a_simulation_is_left_is_measured() {
    let mut viewer = harness(Start::default(), Settings::default());
    show(&mut viewer, 0);
    settle(&mut viewer);
    assert!(viewer.state().session.measured.both()[0].is_none(), "the next may come");
    viewer.state_mut().disconnect();
    settle(&mut viewer);
    assert!(viewer.state().session.measured.both()[0].is_some());
}

#[test]
fn an_older_step_has_no_original_any_more() {
    let mut viewer = harness(Start::default(), Settings::default());
    (0..2).for_each(|number| show(&mut viewer, number));
    settle(&mut viewer);
    assert!(shows(&viewer, "Original: U_original, sent uncompressed"));
    viewer.state_mut().follow(false);
    viewer.state_mut().show_step(0);
    settle(&mut viewer);
    assert!(shows(&viewer, "No error: only the newest step's original is kept."));
}

/// As those of openPMD.
#[test]
fn a_long_name_of_a_variable_leaves_room_for_the_panes() {
    let mut viewer = harness(Start::default(), Settings::default());
    let name = "/data/fields/a_long_name_of_a_variable_with_its_place/z";
    let step = LiveStep { number: 0, arrived: Instant::now(), fields: vec![field(name, 0)] };
    let mut live = Live::new("run".to_owned(), 1 << 24);
    live.push(step);
    viewer.state_mut().session.live = Some(LiveView::new(live));
    viewer.state_mut().show_step(0);
    viewer.set_size(egui::vec2(800.0, 500.0));
    settle(&mut viewer);
    let pane = viewer.get_by_role_and_label(egui::Role::Image, "Reconstruction").rect();
    assert!(pane.width() > 150.0, "{pane}");
    assert_eq!(viewer.state().session.choice.variable, name);
}
