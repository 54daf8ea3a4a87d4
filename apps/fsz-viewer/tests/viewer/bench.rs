//! `fsz-viewer --bench`.

use fsz::{Bound, Codec, CompressOptions};
use fsz_field::Hints;
use fsz_viewer::DecoderChoice;
use ndarray::ArrayView;

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
    let values: Vec<f32> = (0..4 * 12 * 20).map(|i| (i as f32 * 0.02).sin()).collect();
    for profile in profiles() {
        let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(profile);
        let view = ArrayView::from_shape((4, 12, 20), &values).unwrap();
        let stream = Codec::cpu().compress_with(view, &options).unwrap();
        std::fs::write(fixture.path("small.fsz"), stream.as_bytes()).unwrap();
        for (decoder, name) in [(DecoderChoice::Gpu, "the GPU ("), (DecoderChoice::Cuda, "CUDA")] {
            let text =
                fsz_viewer::bench(&fixture.path("small.fsz"), &Hints::default(), decoder).unwrap();
            let instead = text.lines().next().unwrap().ends_with("; decoding on the CPU instead");
            assert!(text.contains(&format!("decoded on {name}")) != instead, "{text}");
        }
    }
}
