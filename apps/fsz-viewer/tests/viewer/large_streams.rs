//! Of a large stream no more is read than what is looked at.

use fsz_viewer::{DecoderChoice, Overlay, Settings, Start, Viewer};

use crate::fixture::{Fixture, harness, press, profiles, settle, shows};

/// A window that takes every stream for a large one.
fn start(fixture: &Fixture, file: &str) -> Start {
    Start {
        files: vec![fixture.path(file)],
        tiles_at_once: Some(0),
        decoder: DecoderChoice::Cpu,
        ..Start::default()
    }
}

fn are_read(viewer: &Viewer) -> bool {
    let subject = viewer.session.set.subject.as_ref().expect("a stream");
    subject.tiles().expect("tiles").is_read()
}

#[test]
fn tiles_are_read_when_they_are_asked_for() {
    for profile in profiles() {
        let fixture = Fixture::new();
        fixture.put_profile(profile);
        let mut viewer = harness(start(&fixture, "wave.fsz"), Settings::default());
        assert!(!are_read(viewer.state()));
        assert!(shows(&viewer, "All of a large stream is read for this."));
        // The tile under the cursor is known all the same.
        viewer.state_mut().view_state.cursor = Some((30, 40));
        viewer.state_mut().view_state.pinned = true;
        settle(&mut viewer);
        let probe = viewer.state().view_state.probe.clone().expect("a probe");
        let probed = probe.tile.expect("a tile");
        assert!(probed.costs.costs.iter().any(|cost| cost.chosen));
        assert!(!are_read(viewer.state()));
        press(&mut viewer, "Read tiles");
        assert!(are_read(viewer.state()));
        let subject = viewer.state().session.set.subject.clone().expect("a stream");
        let number = probed.name.parse().expect("its number");
        assert_eq!(subject.tiles().and_then(|tiles| tiles.get(number)), Some(&probed.tile));

        // An overlay asks for them, too.
        let settings = Settings { overlay: Overlay::Variants, ..Settings::default() };
        assert!(are_read(harness(start(&fixture, "wave.fsz"), settings).state()));
    }
}

/// Of tiles that are not read to the end it is not said that they are being read.
#[test]
fn what_is_cancelled_or_damaged_can_be_read_again() {
    let fixture = Fixture::new();
    fixture.put_profile(profiles()[1]);
    let mut bytes = std::fs::read(fixture.path("wave.fsz")).unwrap();
    let at = bytes.len() - 40;
    bytes[at] ^= 0x10;
    std::fs::write(fixture.path("flipped.fsz"), &bytes).unwrap();
    let mut viewer = harness(start(&fixture, "flipped.fsz"), Settings::default());
    viewer.state_mut().view_state.messages.clear();
    for _ in 0..2 {
        press(&mut viewer, "Read tiles");
        assert!(shows(&viewer, "They were not read to the end."));
        let told = viewer.state_mut().view_state.messages.split_off(0).join("");
        assert!(told.contains("flipped.fsz: corrupt"), "{told}");
    }
    // With an overlay it is not tried again and again.
    viewer.state_mut().view_state.settings.overlay = Overlay::Variants;
    settle(&mut viewer);
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_window_touches_the_plane_that_it_shows() {
    use crate::interaction::present;
    use fsz::{Bound, Codec, CompressOptions, DType, max_compressed_len};
    // Numbers without pattern between 1 and 2: nothing makes their codes much shorter.
    let shape = [64, 400, 400];
    let noise = |i: u32| f32::from_bits(i.wrapping_mul(0x9E37_79B1) >> 9 | 0x3F80_0000);
    let field: Vec<f32> = (0..64 * 400 * 400).map(noise).collect();
    let mut out = vec![0; max_compressed_len(&shape, DType::F32).expect("64 bits") as usize];
    let options = CompressOptions::new(Bound::Absolute(1e-6));
    let len = Codec::cpu().compress_into(&field, &shape, &options, &mut out).expect("room");
    let fixture = Fixture::new();
    std::fs::write(fixture.path("much-noise.fsz"), &out[..len]).expect("written");
    let viewer = harness(start(&fixture, "much-noise.fsz"), Settings::default());
    assert!(viewer.state().session.planes.is_some());
    let read = present(&fixture.path("much-noise.fsz"));
    // A fault brings the pages around it too, up to 2 MiB of them.
    assert!(len > 20 << 20 && read > 0 && read < 6 << 20, "{read} of {len} bytes");
}
