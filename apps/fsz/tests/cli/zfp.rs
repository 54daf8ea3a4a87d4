//! `.zfp` inputs, in builds with and without zfp.

use crate::fixture::{FIELD, Fixture};

#[cfg(not(feature = "zfp"))]
#[test]
fn a_build_without_zfp_says_so() {
    let fixture = Fixture::with_field();
    fixture.write("T.zfp", b"zfp\x05 and more");
    fixture.refused(&["compare", FIELD, "T.zfp"], "--features zfp");
}

#[cfg(feature = "zfp")]
#[test]
fn a_zfp_file_is_compared_and_decompressed() {
    use fsz_field::zfp::{Mode, Zfp};
    use fsz_field::{Shape, Values};
    let fixture = Fixture::with_field();
    let mut zfp = Zfp::new();
    let shape = Shape::new(&[6, 20, 30]).unwrap();
    zfp.compress(Values::F32(&fixture.read_f32(FIELD)), &shape, Mode::Accuracy(0.1)).unwrap();
    fixture.write("T.zfp", zfp.bytes());
    let found = fixture.json(&["compare", FIELD, "T.zfp", "--json", "--bound", "0.1"]);
    assert_eq!(found["bound_violations"], 0);
    assert!(found["compression_ratio"].as_f64().unwrap() > 1.0);
    fixture.fine(&["decompress", "T.zfp", "-o", "T.npy"]);
    fixture.write("T.zfp", &zfp.bytes()[..40]);
    fixture.refused(&["decompress", "T.zfp", "-o", "x.f32"], "zfp");
}
