//! Figures of the plane and of the whole field.

use egui::Key;
use fsz_viewer::Measures;

use crate::fixture::{Fixture, settle, shows};

fn figures(m: &Measures) -> (f64, f64, f64, u64) {
    (m.comparison.max_abs_error, m.comparison.psnr(), m.ssim, m.comparison.compared)
}

#[test]
fn every_plane_has_its_own() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
    assert!(shows(&viewer, "This plane") && shows(&viewer, "Whole field"));
    let mut seen = Vec::new();
    for _ in 0..3 {
        let planes = viewer.state().session.planes.as_ref().expect("planes");
        let error = planes.error.as_ref().expect("an error");
        let largest = error.values.iter().fold(0.0f64, |m, e| m.max(e.abs()));
        let [Some(measures), None] = viewer.state().plane_figures() else { panic!("one pair") };
        assert_eq!(measures.comparison.max_abs_error, largest);
        // 16 of the 2000 values are NaN.
        assert_eq!((measures.comparison.elements, measures.comparison.compared), (2000, 1984));
        assert_eq!(measures.autocorrelation.len(), 49, "lags of a row of 50");
        seen.push(figures(measures));
        viewer.key_press(Key::ArrowRight);
        settle(&mut viewer);
    }
    seen.dedup();
    assert_eq!(seen.len(), 3, "{seen:?}");
    viewer.key_press(Key::Num3);
    settle(&mut viewer);
    let [Some(measures), _] = viewer.state().plane_figures() else { panic!("figures") };
    assert_eq!(measures.comparison.elements, 12 * 40);
}

#[test]
fn of_a_field_of_one_plane_they_are_the_same() {
    let fixture = Fixture::new();
    // 7 rows of the window when it is folded, the last of them shorter.
    for shape in ["80x300", "24000"] {
        let name = format!("flat_{shape}.f32");
        std::fs::copy(fixture.path("wave_12x40x50.f32"), fixture.path(&name)).unwrap();
        let viewer = fixture.viewer(&name, None);
        let [Some(plane), None] = viewer.state().plane_figures() else { panic!("one pair") };
        let [Some(field), None] = viewer.state().session.measured.both() else {
            panic!("one pair")
        };
        assert_eq!(figures(plane), figures(field), "{shape}");
        assert_eq!(plane.autocorrelation, field.autocorrelation, "{shape}");
        assert_eq!(plane.spectra[1].len(), field.spectra[1].len(), "{shape}");
        for (a, b) in plane.spectra[1].iter().zip(&field.spectra[1]) {
            assert!((a.power - b.power).abs() <= 1e-9 * b.power.abs(), "{shape}");
        }
    }
}
