//! Files of the paper author's own release.

use egui::Role;
use egui_kittest::kittest::Queryable;
use fsz::TileKind;
use fsz_viewer::{Overlay, PaneKind, Settings, VolumeSource, VolumeView};

use crate::fixture::{Fixture, harness, settle, shows};

/// A field of 4 × 8 × 16 values in two tiles: one of order 1, all of it 2, and one of order 2 with centering, all of it 6.
/// The bound is 1.
pub fn file() -> Vec<u8> {
    // Of the first block of the first tile the first residual is 1: a word of signs and a plane.
    let rates = [[1, 0, 0, 0, 0, 0, 0, 0], [0xc0, 0, 0, 0, 0, 0, 0, 0]].concat();
    let blocks = [&[0; 4][..], &[0x80, 0, 0, 0], &6f32.to_le_bytes()].concat();
    let payload = [rates, blocks].concat();
    let words = [1u32, 3, 0].map(u32::to_le_bytes).concat();
    let sides = [4u64, 8, 16].map(u64::to_le_bytes).concat();
    let bound = [1f32.to_le_bytes(), [0; 4]].concat();
    let len = (payload.len() as u64).to_le_bytes();
    [b"FSZ1", &words[..], &sides, &bound, &len, &payload].concat()
}

#[test]
fn its_variants_lie_over_the_picture_and_the_probe_tells_them() {
    let fixture = Fixture::new();
    std::fs::write(fixture.path("release.fsz"), file()).unwrap();
    let mut viewer = fixture.viewer("release.fsz", None);
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    let subject = viewer.state().session.set.subject.clone().expect("it is a reconstruction");
    assert_eq!((subject.codec(), viewer.state().session.set.bound()), (Some("FSZ1"), Some(1.0)));
    assert_eq!(subject.compressed_bytes(), Some(file().len() as u64));
    let tiles = subject.tiles().expect("its tiles").iter().map(|tile| (tile.kind, tile.bytes));
    let expected = [(TileKind::Lz1, 16), (TileKind::Lz2Centered, 12)];
    assert_eq!(tiles.collect::<Vec<_>>(), expected);
    assert!(shows(&viewer, "FSZ1") && shows(&viewer, "Tiles"));

    let plain = viewer.state().picture(PaneKind::Reconstruction).image().unwrap().unwrap();
    viewer.state_mut().view_state.settings.overlay = Overlay::Variants;
    settle(&mut viewer);
    let overlaid = viewer.state().picture(PaneKind::Reconstruction).image().unwrap().unwrap();
    assert_ne!(plain.pixels, overlaid.pixels);
    let name = "Reconstruction, tile kinds";
    let pane = viewer.get_by_role_and_label(Role::Image, name).rect();
    viewer.hover_at(pane.center());
    settle(&mut viewer);
    let probe = viewer.state().view_state.probe.clone().expect("a probe");
    assert_eq!(probe.values[0].1, "2.0");
    assert_eq!(probe.tile.expect("a tile").tile.rates(), [1, 0, 0, 0, 0, 0, 0, 0]);
    let why = "The file tells which variant was used, not what the others would have cost.";
    assert!(shows(&viewer, why));
}

/// A plane of twos and one of sixes.
#[test]
fn its_planes_have_the_colours_of_the_whole_field() {
    let fixture = Fixture::new();
    std::fs::write(fixture.path("release.fsz"), file()).unwrap();
    let mut viewer = fixture.viewer("release.fsz", None);
    let mut first = || {
        settle(&mut viewer);
        let pane = viewer.state().picture(PaneKind::Reconstruction);
        let colour = pane.image().unwrap().unwrap().pixels[0];
        viewer.key_press(egui::Key::End);
        colour
    };
    assert_ne!(first(), first());
}

#[test]
fn its_volume_and_its_error_are_shown() {
    let fixture = Fixture::new();
    std::fs::write(fixture.path("release.fsz"), file()).unwrap();
    let original: Vec<u8> = (0..512).flat_map(|i| (i as f32 / 256.0 * 4.0).to_le_bytes()).collect();
    std::fs::write(fixture.path("release_4x8x16.f32"), original).unwrap();
    let volume = VolumeView { shown: true, source: VolumeSource::Kinds, ..VolumeView::default() };
    let start = fixture.start("release.fsz", Some("release_4x8x16.f32"));
    let mut viewer = harness(start, Settings { volume, ..Settings::default() });
    settle(&mut viewer);
    settle(&mut viewer);
    assert!(shows(&viewer, "Signed error") && shows(&viewer, "Bound violations"));
    if crate::volume::has_volumes() {
        let picture = viewer.state().picture(PaneKind::Volume).image().expect("a picture").unwrap();
        let seen = picture.pixels.iter().filter(|point| point.a() > 200).count();
        assert!(seen > 300, "{seen}");
        assert_eq!(viewer.state().view_state.messages, [""; 0]);
    }
}

#[test]
fn damage_ends_in_a_message() {
    let fixture = Fixture::new();
    let whole = file();
    for (name, bytes) in [("cut.fsz", &whole[..70]), ("long.fsz", &[&whole[..], &[0]].concat())] {
        std::fs::write(fixture.path(name), bytes).unwrap();
        let viewer = fixture.viewer(name, None);
        let messages = viewer.state().view_state.messages.join("");
        assert!(messages.contains(name), "{messages}");
    }
}
