//! Files that are not what they should be end in a message.

use fsz_viewer::Viewer;

use crate::shop::{Shop, drop_file, settle};

fn messages(viewer: &Viewer) -> String {
    viewer.messages().join("\n")
}

#[test]
fn truncated_streams() {
    let shop = Shop::new();
    let whole = std::fs::read(shop.path("wave.fsz")).unwrap();
    for keep in [0, 7, 60, whole.len() / 2, whole.len() - 1] {
        std::fs::write(shop.path("short.fsz"), &whole[..keep]).unwrap();
        let viewer = shop.viewer("short.fsz", None);
        assert!(viewer.state().set().subject.is_none(), "{keep} bytes");
        assert!(messages(viewer.state()).contains("short.fsz"), "{keep} bytes");
    }
}

#[test]
fn flipped_bits() {
    let shop = Shop::new();
    let whole = std::fs::read(shop.path("wave.fsz")).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 24) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(shop.path("flipped.fsz"), &bytes).unwrap();
        let viewer = shop.viewer("flipped.fsz", Some("wave_12x40x50.f32"));
        // Either the file is refused, or its planes or measures are.
        let seen = messages(viewer.state());
        assert!(!seen.is_empty(), "nobody saw the flipped bit in byte {at}");
    }
}

#[test]
fn files_that_are_not_there_or_no_fields() {
    let shop = Shop::new();
    let mut viewer = shop.viewer("nowhere.fsz", None);
    assert!(messages(viewer.state()).contains("nowhere.fsz"));
    std::fs::write(shop.path("text.npy"), "not an array").unwrap();
    drop_file(&mut viewer, &shop.path("text.npy"));
    assert_eq!(viewer.state().messages().len(), 2);
    drop_file(&mut viewer, &shop.path("wave.fsz"));
    assert!(viewer.state().planes().is_some(), "the next file opens as ever");
}

#[test]
fn an_original_of_another_shape() {
    let shop = Shop::new();
    let mut viewer = shop.viewer("wave.fsz", None);
    std::fs::write(shop.path("other_2x3.f32"), [0; 24]).unwrap();
    drop_file(&mut viewer, &shop.path("other_2x3.f32"));
    settle(&mut viewer);
    assert!(messages(viewer.state()).contains("2 × 3"), "{}", messages(viewer.state()));
    assert!(viewer.state().set().original.is_none());
}

#[test]
fn an_empty_field() {
    let shop = Shop::new();
    let mut out = vec![0; fsz::max_compressed_len(&[0, 4], fsz::Dtype::F32).unwrap() as usize];
    let options = fsz::Options::new(fsz::Bound::Absolute(1.0));
    let len = fsz::Codec::cpu().compress_into::<f32>(&[], &[0, 4], &options, &mut out).unwrap();
    std::fs::write(shop.path("empty.fsz"), &out[..len]).unwrap();
    let viewer = shop.viewer("empty.fsz", None);
    assert!(viewer.state().messages().is_empty());
    assert!(viewer.state().set().subject.is_some());
}
