//! A stream of which parts keep bounds of their own.

use egui_kittest::kittest::Queryable;
use fsz::{Bound, Codec, CompressOptions, DType, Profile, Region};
use fsz_viewer::{ErrorMode, Place, Settings, Start};

use crate::fixture::{Fixture, harness, profiles, shows};

/// A viewer of a field with a box and a mask.
pub fn with_regions(fixture: &Fixture, profile: Profile) -> Start {
    let mask = (0..24000).map(|i| i % 50 > 44).collect();
    let options = CompressOptions::new(Bound::Absolute(0.5))
        .profile(profile)
        .region(Region::in_box(&[2, 8, 10], &[6, 10, 20], Bound::Absolute(0.01)))
        .region(Region::where_set(mask, Bound::Absolute(5.0)));
    let most = options.max_compressed_len(&fixture.shape, DType::F32).unwrap();
    let mut out = vec![0; most as usize];
    let codec = Codec::cpu();
    let len = codec.compress_into(&fixture.values, &fixture.shape, &options, &mut out).unwrap();
    std::fs::write(fixture.path("regions.fsz"), &out[..len]).unwrap();
    Start {
        place: Some(Place { axis: 0, plane: 3 }),
        ..fixture.start("regions.fsz", Some("wave_12x40x50.f32"))
    }
}

#[test]
fn each_region_has_its_bound_and_its_outline() {
    let fixture = Fixture::new();
    for profile in profiles() {
        let start = with_regions(&fixture, profile);
        let settings = Settings { error: ErrorMode::Signed, ..Settings::default() };
        let viewer = harness(start, settings);
        for text in ["Bound in 2:8,8:18,10:30", "Signed error"] {
            assert!(shows(&viewer, text), "no {text}");
        }
        assert!(viewer.query_all_by_label_contains("masked").next().is_some());
        let planes = viewer.state().session.planes.as_ref().expect("planes");
        let error = planes.error.as_ref().expect("an error");
        let set = &viewer.state().session.set;
        let mut worst = [0f64; 3];
        for (at, error) in error.values.iter().enumerate().filter(|(_, e)| e.is_finite()) {
            let position = planes.place.plane * 2000 + at as u64;
            let bound = set.limit_at(position).expect("a bound").absolute;
            assert!(error.abs() <= bound);
            let kind = [0.5, 0.01, 5.0].iter().position(|b| *b == bound).expect("one of these");
            worst[kind] = worst[kind].max(error.abs() / bound);
        }
        assert!(worst.iter().all(|worst| *worst > 0.7), "{worst:?}");
    }
}
