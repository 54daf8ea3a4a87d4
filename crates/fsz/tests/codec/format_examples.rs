//! The worked examples of FORMAT.md are what the codec writes, byte for byte.

use fsz::{Bound, Codec, CompressOptions, Dense, Element, Layout, Profile, Region, Stream};

fn stream<T: Element>(data: &[T], options: &CompressOptions) -> Vec<u8> {
    let shape = [data.len() as u64];
    let mut out = vec![0; options.max_compressed_len(&shape, T::DTYPE).expect("small") as usize];
    let len = Codec::cpu().compress_into(data, &shape, options, &mut out).expect("compresses");
    out.truncate(len);
    out
}

/// 256 elements on a line, then 12: land, one outlier, a plateau.
fn line_and_coast() -> Vec<u8> {
    let mut data: Vec<f32> = (0..256).map(|i| 20.0 + 0.75 * i as f32).collect();
    data.extend([f32::NAN; 4]);
    data.extend([3.0, 3.5, 3.0, 1e30, 3.0, 3.0, 3.0, 3.0]);
    stream(&data, &CompressOptions::new(Bound::Absolute(0.25)))
}

/// A field of one value.
fn constant() -> Vec<u8> {
    stream(&[273.15f64; 3], &CompressOptions::new(Bound::ValueRange(1e-3)))
}

/// One code, by `dense`.
fn plateau() -> Vec<u8> {
    stream(&[5f32; 40], &dense_lines())
}

/// Five squares, by `dense`.
fn squares() -> Vec<u8> {
    stream(&[0f32, 1.0, 4.0, 9.0, 16.0], &dense_lines())
}

/// Values that grow by a quarter each, in proportion to each.
fn growing() -> Vec<u8> {
    let options = CompressOptions::new(Bound::Relative { eps: 0.1, floor: 0.01 });
    let grow = |value: &f32| Some(value * 1.25);
    let data: Vec<f32> = std::iter::successors(Some(0.0625), grow).take(40).collect();
    stream(&data, &options)
}

/// A ramp, of which four elements keep a smaller bound and three others a larger one.
fn ramp_with_regions() -> Vec<u8> {
    let data: Vec<f32> = (0..40).map(|i| i as f32).collect();
    let mask = (0..40).map(|i| i == 20 || (30..32).contains(&i)).collect();
    let options = CompressOptions::new(Bound::Absolute(0.5))
        .region(Region::in_box(&[8], &[4], Bound::Absolute(0.125)))
        .region(Region::where_set(mask, Bound::Absolute(2.0)));
    stream(&data, &options)
}

fn dense_lines() -> CompressOptions {
    let lines = Profile::Dense(Dense::new().with_layout(Layout::Line));
    CompressOptions::new(Bound::Absolute(0.25)).profile(lines)
}

/// Sixteen bytes a line, as FORMAT.md shows them.
fn dump(bytes: &[u8]) -> Vec<String> {
    bytes
        .chunks(16)
        .enumerate()
        .map(|(k, line)| {
            let hex: Vec<String> = line.iter().map(|b| format!("{b:02x}")).collect();
            format!("{:04x}  {}", 16 * k, hex.join(" "))
        })
        .collect()
}

#[test]
fn the_dumps_in_the_document_are_what_is_written() {
    let document = include_str!("../../FORMAT.md");
    let examples: Vec<Vec<&str>> = document
        .split("```hex\n")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("an end").lines().collect())
        .collect();
    let streams =
        [line_and_coast(), constant(), growing(), ramp_with_regions(), plateau(), squares()];
    assert_eq!(examples.len(), streams.len());
    for (example, stream) in examples.iter().zip(&streams) {
        // A comment may follow the bytes.
        let stated: Vec<&str> = example
            .iter()
            .map(|line| line.split("   ").next().expect("bytes").trim_end())
            .collect();
        assert_eq!(stated, dump(stream), "\n{}", dump(stream).join("\n"));
    }
}

#[test]
fn the_examples_decode_to_what_the_document_says() {
    let bytes = line_and_coast();
    let codec = Codec::cpu();
    let stream = Stream::open(&bytes).expect("opens");
    let back = codec.decompress::<f32>(&stream).expect("decodes");
    let step = stream.header().quantization_step as f32;
    assert_eq!(back[0], 40.0 * step);
    assert!(back.iter().skip(256).take(4).all(|d| d.is_nan()));
    assert_eq!(back[263], 1e30);
    let bytes = constant();
    let stream = Stream::open(&bytes).expect("opens");
    assert!(codec.decompress::<f64>(&stream).expect("decodes").iter().all(|&d| d == 273.15));
    let bytes = growing();
    let stream = Stream::open(&bytes).expect("opens");
    let back = codec.decompress::<f32>(&stream).expect("decodes");
    assert_eq!(back.as_slice().unwrap()[..4], [0.059990294, 0.07998706, 0.098906, 0.12014708]);
    let bytes = plateau();
    let stream = Stream::open(&bytes).expect("opens");
    assert!(codec.decompress::<f32>(&stream).expect("decodes").iter().all(|&d| d == 10.0 * step));
    let bytes = squares();
    let stream = Stream::open(&bytes).expect("opens");
    let points = [0.0, 32.0, 128.0, 288.0, 512.0];
    let back = codec.decompress::<f32>(&stream).expect("decodes");
    assert!(back.iter().eq(points.map(|v: f32| v * (step / 16.0)).iter()));
}
