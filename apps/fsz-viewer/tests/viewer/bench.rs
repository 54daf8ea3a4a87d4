//! `fsz-viewer --bench`.

use fsz_field::Hints;

use crate::shop::Shop;

#[test]
fn every_axis_is_measured() {
    let shop = Shop::new();
    let text = fsz_viewer::bench(&shop.path("wave.fsz"), &Hints::default()).unwrap();
    for part in ["12 × 40 × 50 f32", "open to first plane", "axis 0:", "axis 1:", "axis 2:"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(fsz_viewer::bench(&shop.path("nowhere"), &Hints::default()).is_err());
}
