//! Pictures painted on the GPU have the colours that values, errors and tiles ask for.

use fsz::{Bound, Codec, Options};
use fsz_wgpu::{Colours, Error, Gpu, GpuSlice, GpuStream, Overlay, Subject};

const NAN: u32 = 0xff00_0001;
const MISSING: u32 = 0xff00_0002;
const ALARM: u32 = 0xff00_0003;

fn colours() -> Colours {
    Colours {
        map: std::array::from_fn(|i| 0xff00_0000 | (i as u32) << 8),
        nan: NAN,
        missing_colour: MISSING,
        alarm: ALARM,
        missing: Some((-999f32).to_bits()),
        kinds: std::array::from_fn(|i| 0xffff_0000 | i as u32),
        scale: std::array::from_fn(|i| 0xff00_ff00 | i as u32),
        overlay: None,
    }
}

fn slice(gpu: &Gpu, values: &[f32]) -> GpuSlice {
    let view = ndarray::ArrayView1::from(values);
    // Below the smallest step: every value is kept exactly.
    let options = Options::new(Bound::Absolute(1e-44));
    let stream = Codec::cpu().compress_with(view.insert_axis(ndarray::Axis(0)), &options).unwrap();
    GpuStream::upload(gpu, &stream).unwrap().decode_slice(0, 0).unwrap()
}

#[test]
fn values_errors_and_tiles() {
    let gpu = match Gpu::headless() {
        Ok(gpu) => gpu,
        Err(reason) => {
            eprintln!("SKIPPED: pictures on the GPU: {reason}");
            return;
        }
    };
    let mut colours = colours();
    let on_map = |i: usize| 0xff00_0000 | (i as u32) << 8;
    let inf = f32::INFINITY;
    let values = slice(&gpu, &[0.0, 51.0, 255.0, 300.0, -5.0, f32::NAN, -999.0, inf, -inf]);
    let subject = Subject::Values { low: 0.0, high: 255.0 };
    let got = values.paint(subject, None, &colours).unwrap().read_back().unwrap();
    let (first, last) = (on_map(0), on_map(255));
    assert_eq!(got, [first, on_map(51), last, last, first, NAN, MISSING, last, first]);

    let original = slice(&gpu, &[0.0, 50.0, 253.0, 302.5, -5.0, f32::NAN, -999.0, inf, 4.0]);
    let errors = Subject::Errors { bound: 2.0 };
    let got = values.paint(errors, Some(&original), &colours).unwrap().read_back().unwrap();
    let none = on_map(128);
    assert_eq!(got, [none, on_map(191), last, ALARM, none, none, MISSING, none, ALARM]);
    assert!(matches!(values.paint(errors, None, &colours), Err(Error::InvalidArgument(_))));

    // Nine values kept as they are: a verbatim tile, the seventh kind.
    colours.overlay = Some((Overlay::Kinds, 1.0));
    let got = values.paint(subject, None, &colours).unwrap().read_back().unwrap();
    assert_eq!(got, [0xffff_0006; 9]);
}
