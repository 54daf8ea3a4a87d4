//! `fsz-viewer --bench`.

use fsz_field::Hints;
use fsz_viewer::DecoderChoice;

use crate::fixture::{Fixture, profiles};

#[test]
fn every_axis_is_measured() {
    let fixture = Fixture::new();
    let bench =
        |name: &str, decoder| fsz_viewer::bench(&fixture.path(name), &Hints::default(), decoder);
    let text = bench("wave.fsz", DecoderChoice::Cpu).unwrap();
    for part in [
        "12 × 40 × 50 f32, decoded on the CPU",
        "first plane after",
        "axis 0:",
        "axis 1:",
        "axis 2:",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(bench("nowhere", DecoderChoice::Cpu).is_err());
}

/// Where there is no such device the processor does it, and the first line says why.
#[test]
fn every_decoder_gives_planes() {
    let fixture = Fixture::new();
    for profile in profiles() {
        fixture.put_profile(profile);
        for (decoder, name) in [(DecoderChoice::Gpu, "the GPU ("), (DecoderChoice::Cuda, "CUDA")] {
            let text =
                fsz_viewer::bench(&fixture.path("wave.fsz"), &Hints::default(), decoder).unwrap();
            let instead = text.lines().next().unwrap().ends_with("; decoding on the CPU instead");
            assert!(text.contains(&format!("decoded on {name}")) != instead, "{text}");
        }
    }
}
