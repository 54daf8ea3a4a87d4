//! zfp streams: of files with and without a header, and made in place.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_field::zfp::{Mode, Zfp};
use fsz_field::{FixedRate, Shape, Values};
use fsz_viewer::{Settings, Start, Viewer};

use crate::fixture::{Fixture, drop_file, harness, settle, shows};

/// The fixture's field without what zfp does not know.
fn numbers(fixture: &Fixture) -> Vec<f32> {
    fixture.values.iter().map(|v| if v.is_nan() { 0.0 } else { *v }).collect()
}

/// Bytes of zfp's header of a stream of a fixed rate.
const HEADER: usize = 12;

/// A stream at a fixed rate with zfp's header.
fn stream(fixture: &Fixture, rate: f64) -> Vec<u8> {
    let mut zfp = Zfp::new();
    let shape = Shape::new(&fixture.shape).unwrap();
    zfp.compress(Values::F32(&numbers(fixture)), &shape, Mode::Rate(rate)).unwrap();
    zfp.bytes().to_vec()
}

/// The same without the header.
fn headerless(fixture: &Fixture, rate: f64) -> Vec<u8> {
    let shape = Shape::new(&fixture.shape).unwrap();
    let bytes = FixedRate::new(&shape, fsz::DType::F32, rate).unwrap().bytes() as usize;
    stream(fixture, rate)[HEADER..][..bytes].to_vec()
}

fn other_title(viewer: &Harness<'_, Viewer>) -> Option<String> {
    viewer.state().session.set.other.as_ref().map(|d| d.title.clone())
}

/// The values of the plane of it that is shown.
fn other_values(viewer: &Harness<'_, Viewer>) -> Vec<f64> {
    let planes = viewer.state().session.planes.as_ref();
    planes.and_then(|planes| planes.other.clone()).expect("a plane").values
}

/// Types into the field of this label, in the place of what stands there.
fn retype(viewer: &mut Harness<'_, Viewer>, label: &str, text: &str) {
    viewer.get_by_role_and_label(egui::Role::TextInput, label).focus();
    viewer.step();
    viewer.key_combination_modifiers(egui::Modifiers::COMMAND, &[egui::Key::A]);
    viewer.step();
    viewer.get_by_role_and_label(egui::Role::TextInput, label).type_text(text);
    viewer.step();
    viewer.step();
}

fn said(viewer: &Harness<'_, Viewer>, text: &str) -> bool {
    viewer.query_all_by_label_contains(text).next().is_some()
}

#[test]
fn a_stream_without_a_header_is_asked_about() {
    let fixture = Fixture::new();
    std::fs::write(fixture.path("with.zfp"), stream(&fixture, 8.0)).unwrap();
    std::fs::write(fixture.path("without.zfp"), headerless(&fixture, 8.0)).unwrap();
    let mut viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
    drop_file(&mut viewer, &fixture.path("with.zfp"));
    assert_eq!(other_title(&viewer).as_deref(), Some("with.zfp"));
    let expected = other_values(&viewer);
    drop_file(&mut viewer, &fixture.path("without.zfp"));
    // Shape and type are those of what is open, and the rate is what fills the file.
    assert!(shows(&viewer, "zfp stream without a header"));
    assert_eq!(other_title(&viewer).as_deref(), Some("with.zfp"), "nothing is opened yet");
    viewer.get_by_label("Open file").click();
    settle(&mut viewer);
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    assert_eq!(other_title(&viewer).as_deref(), Some("without.zfp"));
    let found = other_values(&viewer);
    assert_eq!(found, expected);
    assert!(shows(&viewer, "8.320"), "bits per value, of whole zfp blocks");
}

#[test]
fn the_name_fills_the_question() {
    let fixture = Fixture::new();
    let name = "wave_12x40x50.f32.rate8.zfp";
    std::fs::write(fixture.path(name), headerless(&fixture, 8.0)).unwrap();
    let mut viewer = fixture.viewer(name, None);
    viewer.get_by_label("Open file").click();
    settle(&mut viewer);
    let subject = viewer.state().session.set.subject.as_ref().expect("a reconstruction");
    assert_eq!(subject.shape(), fixture.shape);
    assert!(shows(&viewer, "zfp") && shows(&viewer, "12 × 40 × 50"));
    drop_file(&mut viewer, &fixture.path("wave_12x40x50.f32"));
    assert!(shows(&viewer, "Signed error"), "its original brings the error");
    // The answer is remembered with the file.
    let again = harness(Start::default(), viewer.state().kept());
    assert!(again.state().session.set.subject.as_ref().is_some_and(|d| d.zfp_bytes.is_some()));
    assert!(!shows(&again, "zfp stream without a header"));
}

#[test]
fn wrong_answers_are_explained() {
    let fixture = Fixture::new();
    std::fs::write(fixture.path("without.zfp"), headerless(&fixture, 8.0)).unwrap();
    let mut viewer = fixture.viewer("without.zfp", None);
    assert!(said(&viewer, "enter the shape"), "nothing tells the shape");
    for (shape, rate, reason) in [
        ("12x40x50", "", "is not a rate"),
        ("12x40x50", "ten", "“ten” is not a rate"),
        ("12x40x50", "-1", "zfp rate -1: must be above 0"),
        ("12x40x50", "nan", "must be above 0"),
        ("12x40x50", "1e300", "at most 64"),
        ("12x40x50", "9", "bytes of zfp; the stream has 24960"),
        ("4000000000x4000000000", "64", "does not fit in 64 bits"),
        ("4000000000x400000000", "64", "bytes of zfp; the stream has 24960"),
        ("0x5", "8", "an empty field"),
        ("a x b", "8", "“a” is not a number"),
    ] {
        retype(&mut viewer, "Shape, slowest axis first", shape);
        retype(&mut viewer, "Rate in bits per value", rate);
        assert!(said(&viewer, reason), "{shape} at {rate}: no “{reason}”");
        viewer.get_by_label("Open file").click();
        settle(&mut viewer);
        assert!(viewer.state().session.set.leader().is_none(), "{shape} at {rate}");
    }
    retype(&mut viewer, "Shape, slowest axis first", "12x40x50");
    retype(&mut viewer, "Rate in bits per value", "4");
    viewer.get_by_label("Use 8, which fits the file size").click();
    settle(&mut viewer);
    viewer.get_by_label("Open file").click();
    settle(&mut viewer);
    assert!(viewer.state().session.set.subject.is_some());
}

#[test]
fn hostile_streams_end_in_a_message_or_a_field() {
    let fixture = Fixture::new();
    let with = stream(&fixture, 8.0);
    for keep in [3, 4, 11, 12, 40, with.len() / 2] {
        std::fs::write(fixture.path("short.zfp"), &with[..keep]).unwrap();
        let viewer = fixture.viewer("short.zfp", None);
        assert!(viewer.state().session.set.leader().is_none(), "{keep} bytes");
        assert!(viewer.state().view_state.messages.join("").contains("short.zfp"), "{keep} bytes");
    }
    // At a fixed rate any bits are some field.
    let noise: Vec<u8> = (0..24960u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    std::fs::write(fixture.path("noise_12x40x50.f32.rate8.zfp"), noise).unwrap();
    let mut viewer = fixture.viewer("noise_12x40x50.f32.rate8.zfp", None);
    viewer.get_by_label("Open file").click();
    settle(&mut viewer);
    assert!(viewer.state().session.planes.as_ref().is_some());
    // The file changed since it was asked about.
    std::fs::write(fixture.path("gone_12x40x50.f32.rate8.zfp"), headerless(&fixture, 8.0)).unwrap();
    drop_file(&mut viewer, &fixture.path("gone_12x40x50.f32.rate8.zfp"));
    std::fs::write(fixture.path("gone_12x40x50.f32.rate8.zfp"), [0; 20]).unwrap();
    viewer.get_by_label("Open file").click();
    settle(&mut viewer);
    assert!(viewer.state().view_state.messages.join("").contains("the stream has 20"));
}

/// A stream that cuZFP wrote: its name tells all, and the answer is right as it stands.
#[test]
fn a_stream_of_cuzfp_opens_as_its_name_tells() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/fsz-field/tests/fixtures");
    let stream = std::path::Path::new(fixtures).join("cuzfp_20x24x28_rate8.zfp");
    let start = Start { files: vec![stream], ..Default::default() };
    let mut viewer = harness(start, Settings::default());
    viewer.get_by_label("Open file").click();
    settle(&mut viewer);
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    let subject = viewer.state().session.set.subject.as_ref().expect("a reconstruction");
    assert_eq!(subject.shape(), [20, 24, 28]);
    assert_eq!(subject.bits_per_value(), Some(8.0), "whole zfp blocks, and no header");
    // The field of fixtures/README.md, of which the rate loses nothing.
    let plane =
        viewer.state().session.planes.as_ref().and_then(|p| p.subject.as_ref()).expect("a plane");
    let (y, x) = (7usize, 9usize);
    assert_eq!(plane.at(y, x), Some((3 * x * x + 5 * y * y + 2 * x * y) as f64 / 64.0));
}
