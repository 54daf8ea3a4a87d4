//! Values that lie near each other, far from 0.

use egui::Shape;
use fsz_viewer::Viewer;

use crate::fixture::{Fixture, SIDES, profiles, settle, shows};
use crate::legible;

/// Every text that was painted last.
fn painted(viewer: &egui_kittest::Harness<'_, Viewer>) -> Vec<String> {
    fn into(shape: &Shape, found: &mut Vec<String>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| into(shape, found)),
            Shape::Text(text) => found.push(text.galley.text().to_owned()),
            _ => {}
        }
    }
    let mut found = Vec::new();
    viewer.output().shapes.iter().for_each(|clipped| into(&clipped.shape, &mut found));
    found
}

/// As of a pressure in pascals.
#[test]
fn the_ends_of_their_range_are_told_apart() {
    let fixture = Fixture::new();
    let values: Vec<f64> = (0..24000).map(|i| 101325.0 + f64::from(i % 5) * 0.125).collect();
    fixture.put_double("pressure", profiles()[0], &values);
    let viewer = fixture.viewer("pressure.fsz", Some("pressure_12x40x50.f64"));
    assert!(shows(&viewer, "101325 to 101325.5"));
    let texts = painted(&viewer);
    for end in ["101325", "101325.5"] {
        // Under the original and under the reconstruction.
        assert_eq!(texts.iter().filter(|text| *text == end).count(), 2, "{end}: {texts:?}");
    }
}

/// One above the other.
#[test]
fn both_ends_are_there_where_a_line_has_no_room_for_them() {
    let fixture = Fixture::new();
    let values: Vec<f64> =
        (0..24000).map(|i| 101325.0 + f64::from(i % 5) * 0.5f64.powi(30)).collect();
    fixture.put_double("pressure", profiles()[0], &values);
    let mut viewer = fixture.viewer("pressure.fsz", Some("pressure_12x40x50.f64"));
    for [width, height] in [SIDES, [780.0, 500.0]] {
        viewer.set_size(egui::vec2(width, height));
        settle(&mut viewer);
        let texts = painted(&viewer);
        for end in ["101325", "101325.00000000373"] {
            assert_eq!(texts.iter().filter(|text| *text == end).count(), 2, "{end}: {texts:?}");
        }
        legible::check(&viewer, "narrow colour bars");
    }
}

/// They keep a bound of 0, which has no sign.
#[test]
fn of_equal_values_the_error_is_none() {
    let fixture = Fixture::new();
    fixture.put_double("equal", profiles()[0], &[273.15; 24000]);
    let viewer = fixture.viewer("equal.fsz", Some("equal_12x40x50.f64"));
    let texts = painted(&viewer);
    assert!(!texts.iter().any(|text| text == "-0" || text == "+0"), "{texts:?}");
}

/// No number is an end of their range.
#[test]
fn of_no_finite_values_there_is_no_range() {
    let fixture = Fixture::new();
    fixture.put_double("none", profiles()[0], &[f64::NAN; 24000]);
    let viewer = fixture.viewer("none.fsz", Some("none_12x40x50.f64"));
    let texts = painted(&viewer);
    // At both ends under the original and under the reconstruction, and among the facts.
    assert_eq!(texts.iter().filter(|text| *text == "–").count(), 5, "{texts:?}");
}
