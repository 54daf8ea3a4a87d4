//! The plot of rate and distortion.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{Method, Point, Viewer};

use crate::fixture::{Fixture, harness, press, settle, shows};

fn of(points: &[Point], method: Method) -> Vec<Point> {
    points.iter().filter(|p| p.method == method && !p.present).copied().collect()
}

/// Presses a button that is called as a heading is.
fn choose(viewer: &mut Harness<'_, Viewer>, extent: &str) {
    viewer.get_by_role_and_label(egui::Role::Button, extent).scroll_to_me();
    viewer.run_steps(20);
    viewer.get_by_role_and_label(egui::Role::Button, extent).click();
    settle(viewer);
}

#[test]
fn a_plane_is_swept() {
    let fixture = Fixture::of_numbers();
    let mut viewer = fixture.viewer("numbers.fsz", Some("numbers_12x40x50.f32"));
    press(&mut viewer, "Plot");
    let state = viewer.state();
    assert_eq!(state.view_state.messages, [""; 0]);
    assert_eq!(of(&state.rate_distortion.points, Method::Fsz).len(), 11);
    assert_eq!(state.present_points().len(), 1, "FSZ at its bound");
    let zfp = of(&state.rate_distortion.points, Method::ZfpRate).len();
    assert_eq!(zfp, if cfg!(feature = "zfp") { 11 } else { 0 });
    assert!(shows(&viewer, "PSNR (dB) by bits per value: axis 0, plane 0, compressed on its own"));
    // Another plane, and back to one that was not swept: the curves say of which they are.
    viewer.key_press(egui::Key::ArrowRight);
    settle(&mut viewer);
    assert!(shows(&viewer, "PSNR (dB) by bits per value: axis 0, plane 0, compressed on its own"));
}

#[test]
fn the_present_point_of_a_plane_follows_the_bound() {
    let fixture = Fixture::of_numbers();
    let start = fixture.start("numbers.fsz", Some("numbers_12x40x50.f32"));
    let settings = serde_json::from_str(r#"{"try_bound":0.02}"#).unwrap();
    let mut viewer = harness(start, settings);
    press(&mut viewer, "Plot");
    let [(_, before)] = viewer.state().present_points()[..] else { panic!("one point") };
    let curve = viewer.state().rate_distortion.points.len();
    viewer.state_mut().compress();
    settle(&mut viewer);
    let [(_, after)] = viewer.state().present_points()[..] else { panic!("one point") };
    assert!(after[0] < before[0] && after[1] < before[1], "{before:?} {after:?}");
    assert_eq!(viewer.state().rate_distortion.points.len(), curve, "the curves stay");
}

/// By the profile and the bound of the subject, whatever these are.
#[test]
fn the_present_point_of_a_plane_is_coded_like_the_subject() {
    let fixture = Fixture::of_numbers();
    let (shape, original) = ([12, 40, 50], Some("numbers_12x40x50.f32"));
    let field = ndarray::ArrayView3::from_shape(shape, &fixture.values).unwrap();
    let [relative, absolute] =
        [fsz::Bound::Relative { eps: 1e-2, floor: 1e-3 }, fsz::Bound::Absolute(0.5)];
    let mut points = Vec::new();
    for (name, profile, bound) in [
        ("paper.fsz", fsz::Profile::default(), absolute),
        ("dense.fsz", fsz::Profile::Dense(fsz::Dense::new()), absolute),
        ("relative.fsz", fsz::Profile::default(), relative),
    ] {
        let options = fsz::CompressOptions::new(bound).profile(profile);
        let stream = fsz::Codec::cpu().compress_with(field, &options).unwrap();
        std::fs::write(fixture.path(name), stream.as_bytes()).unwrap();
        let mut viewer = fixture.viewer(name, original);
        press(&mut viewer, "Plot");
        let points_of = viewer.state().rate_distortion.points.clone();
        points.push(*points_of.iter().find(|point| point.present).expect("it is marked"));
    }
    let [paper, dense, relative] = points[..] else { panic!("three points") };
    assert!(dense.bits < 0.9 * paper.bits, "{} and {} bits per value", dense.bits, paper.bits);
    // An absolute bound of 1e-2 of the largest element is twice that of the others.
    assert!(relative.psnr > paper.psnr, "{} and {} dB", relative.psnr, paper.psnr);
}

#[test]
fn a_field_of_one_value_has_no_curve_and_no_error() {
    let fixture = Fixture::new();
    let field = ndarray::Array3::from_elem((3, 4, 5), f32::NAN);
    fixture.put_field("nan", &field, fsz::Bound::ValueRange(1e-3));
    let mut viewer = fixture.viewer("nan.fsz", Some("nan_3x4x5.f32"));
    press(&mut viewer, "Plot");
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
}

#[test]
fn of_the_whole_field_the_present_point_lies_on_the_curve() {
    let fixture = Fixture::of_numbers();
    let mut viewer = fixture.viewer("numbers.fsz", Some("numbers_12x40x50.f32"));
    choose(&mut viewer, "Whole field");
    press(&mut viewer, "Plot");
    let [(_, [bits, psnr])] = viewer.state().present_points()[..] else { panic!("one point") };
    let points = of(&viewer.state().rate_distortion.points, Method::Fsz);
    // numbers.fsz has a bound of 1e-3 of the value range, which is one of the sweep.
    let on = points.iter().find(|p| p.psnr == psnr).expect("the same field");
    assert!((on.bits - bits).abs() < 1e-9, "{} and {bits} bits per value", on.bits);
}

#[cfg(feature = "zfp")]
#[test]
fn the_zfp_in_the_panes_is_marked() {
    let fixture = Fixture::of_numbers();
    let mut viewer = fixture.viewer("numbers.fsz", Some("numbers_12x40x50.f32"));
    press(&mut viewer, "zfp at the same rate");
    for extent in ["This plane", "Whole field"] {
        choose(&mut viewer, extent);
        press(&mut viewer, "Plot");
        let names: Vec<_> = viewer.state().present_points().into_iter().map(|p| p.0).collect();
        assert_eq!(names, ["FSZ", "zfp, fixed rate"], "{extent}");
    }
    // Fixed rates that lie about the present one have errors about its.
    let present = viewer.state().present_points()[1].1;
    let curve = of(&viewer.state().rate_distortion.points, Method::ZfpRate);
    let below = curve.iter().rfind(|p| p.bits <= present[0]).expect("a smaller rate");
    let above = curve.iter().find(|p| p.bits >= present[0]).expect("a larger rate");
    assert!((below.psnr..=above.psnr).contains(&present[1]), "{below:?} {present:?} {above:?}");
}

#[test]
fn nan_keeps_zfp_out_and_says_so() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
    press(&mut viewer, "Plot");
    let note = match cfg!(feature = "zfp") {
        true => "zfp is omitted",
        false => "this build has no zfp",
    };
    assert!(viewer.query_all_by_label_contains(note).next().is_some());
    assert!(of(&viewer.state().rate_distortion.points, Method::ZfpRate).is_empty());
}
