//! Golden streams and real fields.

use crate::check::{check, device, relative, same_field};
use crate::common::{data_folder, fields};
use fsz::{Backend, Bound, Codec, CompressOptions, Stream};

#[test]
fn golden_streams() {
    let Some(codec) = device("golden streams") else { return };
    let folder = std::env::var_os("FSZ_TEST_GOLDEN").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/v1"),
        std::path::PathBuf::from,
    );
    let mut refused = 0;
    for entry in std::fs::read_dir(&folder).expect("the golden streams are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "fsz") {
            continue;
        }
        let what = path.display().to_string();
        let bytes = std::fs::read(&path).expect("reads");
        let stream = Stream::open(&bytes).expect("opens");
        let outcome = match stream.header().dtype {
            fsz::DType::F32 => codec.decompress::<f32>(&stream).map(drop),
            fsz::DType::F64 => codec.decompress::<f64>(&stream).map(drop),
        };
        if let Err(fsz::Error::Unsupported(_)) = outcome {
            assert!(what.contains("research"), "{what}: {outcome:?}");
            refused += 1;
            continue;
        }
        match stream.header().dtype {
            fsz::DType::F32 => same_field::<f32>(&what, &codec, &bytes),
            fsz::DType::F64 => same_field::<f64>(&what, &codec, &bytes),
        }
    }
    assert!(refused >= 3, "research geometries are for the CPU");
    // A codec that chose the device itself leaves them to the CPU.
    let codec = Codec::auto();
    assert_eq!(codec.backend(), Backend::Cuda);
    for name in ["f32-research-16x64.fsz", "f32-relative-floor.fsz"] {
        let bytes = std::fs::read(folder.join(name)).expect("reads");
        let stream = Stream::open(&bytes).expect("opens");
        codec.decompress::<f32>(&stream).expect("the CPU decodes");
    }
}

#[test]
fn real_fields() {
    let Some(codec) = device("real fields") else { return };
    let Some(folder) = data_folder("real fields on the device") else { return };
    for bound in [
        Bound::ValueRange(1e-2),
        Bound::ValueRange(1e-4),
        Bound::Absolute(1e-3),
        relative(1e-1, 0.0),
        relative(1e-3, 0.0),
        relative(1e-2, 1e-3),
        relative(1e-4, 0.0),
    ] {
        for (name, shape, data) in fields::<f32>(&folder) {
            let mut options = CompressOptions::new(bound);
            if name.starts_with("pop_") {
                options = options.missing(9.96921e36);
            }
            check(&name, &codec, &data, &shape, &options);
            let data: Vec<f64> = data.iter().map(|&d| d as f64).collect();
            check(&name, &codec, &data, &shape, &options);
        }
        for (name, shape, data) in fields::<f64>(&folder) {
            check(&name, &codec, &data, &shape, &CompressOptions::new(bound));
        }
    }
}
