//! `fsz-viewer --bench`.

use fsz_field::Hints;
use fsz_viewer::Wanted;

use crate::shop::Shop;

#[test]
fn every_axis_is_measured() {
    let shop = Shop::new();
    let bench =
        |name: &str, decoder| fsz_viewer::bench(&shop.path(name), &Hints::default(), decoder);
    let text = bench("wave.fsz", Wanted::Cpu).unwrap();
    for part in [
        "12 × 40 × 50 f32, decoded on the CPU",
        "open to first plane",
        "axis 0:",
        "axis 1:",
        "axis 2:",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(bench("nowhere", Wanted::Cpu).is_err());
}

/// Where there is no such device the processor does it, and the first line says why.
#[test]
fn every_decoder_gives_planes() {
    let shop = Shop::new();
    for (decoder, name) in [(Wanted::Gpu, "the GPU ("), (Wanted::Cuda, "CUDA")] {
        let text = fsz_viewer::bench(&shop.path("wave.fsz"), &Hints::default(), decoder).unwrap();
        let instead = text.lines().next().unwrap().ends_with("; planes are decoded on the CPU");
        assert!(text.contains(&format!("decoded on {name}")) != instead, "{text}");
    }
}
