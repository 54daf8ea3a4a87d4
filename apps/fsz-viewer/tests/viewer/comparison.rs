//! Comparison with zfp.

use egui_kittest::Harness;
use fsz_viewer::{Document, Viewer};

use crate::fixture::{Fixture, press, profiles, shows};

#[cfg(not(feature = "zfp"))]
#[test]
fn a_build_without_zfp_offers_none() {
    use egui_kittest::kittest::{NodeT, Queryable};

    let fixture = Fixture::of_numbers();
    let mut viewer = fixture.viewer("numbers.fsz", Some("numbers_12x40x50.f32"));
    for (label, disabled) in [
        ("zfp at the same rate", true),
        ("zfp at the same bound", true),
        ("Other profile at the same bound", false),
        ("Other profile at the same size", false),
    ] {
        assert_eq!(viewer.get_by_label(label).accesskit_node().is_disabled(), disabled, "{label}");
    }
    press(&mut viewer, "zfp at the same rate");
    assert!(viewer.state().session.set.other.is_none());
}

/// The other profile at one bound and in one size, a click each.
#[test]
fn the_other_profile_is_compared() {
    let fixture = Fixture::new();
    for profile in profiles() {
        fixture.put_profile(profile);
        let mut viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
        let other = if profile == profiles()[0] { "dense" } else { "paper" };
        let of = |viewer: &Harness<'_, Viewer>| {
            let set = &viewer.state().session.set;
            [&set.subject, &set.other].map(|d| d.clone().expect("a reconstruction"))
        };
        press(&mut viewer, "Other profile at the same bound");
        let [subject, found] = of(&viewer);
        let bound = |d: &Document| d.facts.as_ref().map(|facts| facts.header.absolute_bound);
        assert!(found.title.starts_with(&format!("{other} at bound ")), "{}", found.title);
        assert_eq!(bound(&found), bound(&subject));
        assert!(shows(&viewer, "Close comparison"));
        press(&mut viewer, "Other profile at the same size");
        let [subject, found] = of(&viewer);
        let bytes = [&subject, &found].map(|d| d.compressed_bytes().expect("a size"));
        assert!(bytes[1] <= bytes[0] && bytes[1] * 10 > bytes[0] * 8, "{bytes:?}");
        assert_eq!(viewer.state().view_state.messages, [""; 0]);
    }
}

/// Its bound is a share of a range of 0.
#[test]
fn a_field_of_one_value_is_compared() {
    let fixture = Fixture::new();
    let field = ndarray::Array3::from_elem((3, 4, 5), 2.5f32);
    fixture.put_field("flat", &field, fsz::Bound::ValueRange(1e-3));
    let mut viewer = fixture.viewer("flat.fsz", Some("flat_3x4x5.f32"));
    press(&mut viewer, "Other profile at the same bound");
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    assert!(viewer.state().session.set.other.is_some());
}

/// As in a session of a build that has zfp.
#[cfg(not(feature = "zfp"))]
#[test]
fn what_cannot_be_compared_leaves_the_original_in_sight() {
    let fixture = Fixture::of_numbers();
    let mut viewer = fixture.viewer("numbers.fsz", Some("numbers_12x40x50.f32"));
    assert!(shows(&viewer, "Original"));
    viewer.state_mut().compare_with(Some(fsz_viewer::MatchMode::Rate));
    crate::fixture::settle(&mut viewer);
    assert!(viewer.state().view_state.messages.join("").contains("has no zfp"));
    assert!(shows(&viewer, "Original"));
}

#[cfg(feature = "zfp")]
mod with_zfp {
    use egui_kittest::kittest::{NodeT, Queryable};
    use fsz_viewer::{Layout, MatchMode, Settings};

    use super::*;
    use crate::fixture::{drop_file, harness, settle};

    /// Titles of the panes.
    fn panes(viewer: &Harness<'_, Viewer>) -> Vec<String> {
        let label = |node: egui_kittest::Node<'_>| node.accesskit_node().label();
        viewer.query_all_by_role(egui::Role::Image).filter_map(label).collect()
    }

    #[test]
    fn zfp_at_the_same_rate_is_compared() {
        let fixture = Fixture::of_numbers();
        let mut viewer = fixture.viewer("numbers.fsz", Some("numbers_12x40x50.f32"));
        press(&mut viewer, "zfp at the same rate");
        let set = &viewer.state().session.set;
        let bits = |d: &Option<fsz_viewer::Document>| d.as_ref().and_then(|d| d.bits_per_value());
        let (fsz, zfp) = (bits(&set.subject).expect("FSZ"), bits(&set.other).expect("zfp"));
        // Whole zfp blocks cover a little more than the field: 12 x 40 x 52.
        let padded = fsz * 52.0 / 50.0;
        assert!((zfp - padded).abs() < 0.03, "{fsz} and {zfp} bits per value");
        let titles = panes(&viewer);
        let title = set.other.as_ref().map(|d| d.title.clone()).unwrap_or_default();
        assert_eq!(titles.len(), 4, "{titles:?}");
        assert!(titles.contains(&title), "{titles:?}");
        assert!(title.starts_with("zfp at "), "{title}");
        assert!(!titles.contains(&"Original".to_owned()), "{titles:?}");
        for text in ["FSZ", "zfp", "Bits per value", "Bound violations", "SSIM"] {
            assert!(shows(&viewer, text), "no {text}");
        }
        let planes = viewer.state().session.planes.as_ref().expect("planes");
        let error = planes.other_error.as_ref().expect("an error");
        let fsz = planes.error.as_ref().expect("an error");
        assert!(error.values.iter().any(|e| *e != 0.0) && error.values != fsz.values);
    }

    #[test]
    fn at_the_same_bound_zfp_keeps_it_and_follows_the_subject() {
        let fixture = Fixture::of_numbers();
        let start = fixture.start("numbers.fsz", Some("numbers_12x40x50.f32"));
        let settings = serde_json::from_str::<Settings>(r#"{"try_bound":0.01}"#).unwrap();
        let mut viewer = harness(start, settings);
        press(&mut viewer, "zfp at the same bound");
        let check = |viewer: &Harness<'_, Viewer>| {
            let state = viewer.state();
            let bound = state.session.set.bound().expect("a bound");
            let error = state
                .session
                .planes
                .as_ref()
                .and_then(|p| p.other_error.as_ref())
                .expect("an error");
            assert!(error.values.iter().all(|e| e.abs() <= bound));
            assert_eq!(state.view_state.messages, [""; 0]);
            (bound, state.session.set.other.as_ref().and_then(|d| d.compressed_bytes()))
        };
        let (tight, large) = check(&viewer);
        viewer.state_mut().compress();
        settle(&mut viewer);
        let (loose, small) = check(&viewer);
        assert!(loose > tight && small < large, "{small:?} and {large:?} bytes");
        press(&mut viewer, "Close comparison");
        assert!(viewer.state().session.set.other.is_none());
        assert!(panes(&viewer).contains(&"Original".to_owned()));
    }

    #[test]
    fn what_is_stopped_does_not_come() {
        let fixture = Fixture::of_numbers();
        let mut viewer = fixture.viewer("numbers.fsz", Some("numbers_12x40x50.f32"));
        viewer.state_mut().compare_with(Some(MatchMode::Rate));
        assert!(viewer.state().busy());
        // Whether it is done by now or not.
        viewer.state_mut().compare_with(None);
        settle(&mut viewer);
        assert!(viewer.state().session.set.other.is_none());
        assert_eq!(viewer.state().view_state.settings.layout, Layout::All);
        let [Some(_), None] = viewer.state().session.measured.both() else {
            panic!("FSZ is measured")
        };
        // The last one that is wanted is the one that comes.
        viewer.state_mut().compare_with(Some(MatchMode::Rate));
        viewer.state_mut().compare_with(Some(MatchMode::Bound));
        settle(&mut viewer);
        let other = viewer.state().session.set.other.as_ref().expect("zfp");
        assert!(other.title.starts_with("zfp at bound"), "{}", other.title);
        let [Some(_), Some(_)] = viewer.state().session.measured.both() else {
            panic!("both are measured")
        };
        assert_eq!(viewer.state().view_state.messages, [""; 0]);
    }

    #[test]
    fn another_field_replaces_the_zfp() {
        let fixture = Fixture::of_numbers();
        let mut viewer = fixture.viewer("numbers.fsz", Some("numbers_12x40x50.f32"));
        // In one frame with the file, however that moves the button.
        viewer.get_by_label("zfp at the same rate").click_accesskit();
        // Before it is there.
        drop_file(&mut viewer, &fixture.path("rough.fsz"));
        settle(&mut viewer);
        let set = &viewer.state().session.set;
        let (subject, other) = (set.subject.as_ref().unwrap(), set.other.as_ref().unwrap());
        assert_eq!(subject.title, "rough.fsz");
        let (a, b) = (subject.bits_per_value().unwrap(), other.bits_per_value().unwrap());
        assert!((a * 52.0 / 50.0 - b).abs() < 0.03, "zfp follows: {a} and {b} bits per value");
    }
}
