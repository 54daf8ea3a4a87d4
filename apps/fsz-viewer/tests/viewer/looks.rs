//! The window drawn on a graphics card or a software one.

use fsz_viewer::{Settings, Start};

use crate::shop::{Shop, harness};

#[test]
fn the_panes_show_the_field() {
    let shop = Shop::new();
    let start = Start {
        files: vec![shop.path("wave.fsz"), shop.path("rough.fsz")],
        original: Some(shop.path("wave_12x40x50.f32")),
        ..Default::default()
    };
    let mut harness = harness(start, Settings::default());
    let image = match harness.render() {
        Ok(image) => image,
        Err(reason) => {
            eprintln!("SKIPPED: drawing the window: {reason}");
            return;
        }
    };
    if let Some(path) = std::env::var_os("FSZ_VIEWER_PICTURE") {
        image.save(path).expect("a picture");
    }
}
