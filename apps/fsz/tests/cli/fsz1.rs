//! Files of the paper author's own release.

use fsz::{DType, Predictor};

use crate::fixture::{FIELD, Fixture, SHAPE, field};

#[path = "../../../../crates/fsz-field/tests/common/fsz1.rs"]
mod writer;

/// The bound of the file.
const BOUND: f64 = 0.03125;

/// The test field, and `T.fsz` as the release writes such.
fn with_file(field: &[f32]) -> Fixture {
    with_file_of(field, BOUND)
}

fn with_file_of(field: &[f32], bound: f64) -> Fixture {
    let fixture = Fixture::with_field();
    let values: Vec<f64> = field.iter().map(|&v| f64::from(v)).collect();
    let predictor = |tile| Predictor::ALL[tile % 4];
    let bytes = writer::file(DType::F32, &SHAPE.map(|n| n as u64), bound, &values, predictor);
    fixture.write("T.fsz", &bytes);
    fixture
}

#[test]
fn inspect_tells_what_it_is_and_the_variant_of_each_tile() {
    let fixture = with_file(&field());
    let report = fixture.json(&["inspect", "T.fsz", "--json"]);
    assert_eq!((&report["format"], &report["dtype"]), (&"FSZ1".into(), &"f32".into()));
    assert_eq!(report["shape"], serde_json::json!(SHAPE));
    assert_eq!(report["bound"]["absolute"], BOUND);
    assert_eq!(report["compressed_bytes"], fixture.read("T.fsz").len());
    let tiles = &report["tiles"];
    assert_eq!(
        (&tiles["count"], &tiles["lz1"], &tiles["lz2_centered"]),
        (&15.into(), &4.into(), &3.into())
    );
    let text = fixture.fine(&["inspect", "T.fsz"]);
    assert!(text.contains("author's own release") && text.contains("LZ2 + centering"), "{text}");
    fixture.fine(&["inspect", "T.fsz", "--tiles", "tiles.csv"]);
    let csv = fixture.read_text("tiles.csv");
    let kinds: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(kinds[..5], ["lz1", "lz2", "lz1_centered", "lz2_centered", "lz1"]);
    fixture.refused(&["inspect", "T.fsz", "--variable", "T"], ".bp");
    // In the table of several files it has no place.
    fixture.fine(&["compress", FIELD, "-o", "own.fsz", "--abs", "1"]);
    let both = fixture.run(&["inspect", "T.fsz", "own.fsz"]);
    assert!(both.code == 1 && both.out.contains("own.fsz"), "{both:?}");
    assert!(both.err.ends_with("which has no certificate: inspect it alone\n"), "{both:?}");
}

#[test]
fn decompress_slice_and_compare_read_it() {
    let fixture = with_file(&field());
    fixture.fine(&["decompress", "T.fsz", "-o", "T.raw"]);
    let found = fixture.read_f32("T.raw");
    let [_, rows, columns] = SHAPE;
    fixture.fine(&["slice", "T.fsz", "--axis", "0", "--index", "3", "-o", "plane.f32"]);
    let plane = 3 * rows * columns..4 * rows * columns;
    assert_eq!(fixture.read_f32("plane.f32"), found[plane]);
    fixture.refused(
        &["slice", "T.fsz", "--axis", "0", "--index", "6", "-o", "p.f32"],
        "index 6: axis 0 of",
    );
    let figures = fixture.json(&["compare", FIELD, "T.fsz", "--json"]);
    assert_eq!(figures["bound"], BOUND);
    let largest = crate::fixture::largest_error(&found, &field());
    assert_eq!(figures["max_abs_error"], largest);
    let bytes = fixture.read("T.fsz").len();
    assert_eq!(figures["compression_ratio"], crate::fixture::BYTES as f64 / bytes as f64);
}

#[test]
fn verify_tells_by_how_much_the_bound_is_exceeded() {
    let fixture = with_file(&field());
    let verify = ["verify", "T.fsz", "--original", FIELD];
    assert!(fixture.fine(&verify).contains("bound holds"));
    // An original a little further away than the bound.
    let mut moved = field();
    moved[1000] += 2.5 * BOUND as f32;
    fixture.write_f32(FIELD, &moved);
    let run = fixture.run(&verify);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("exceeded by") && run.out.contains("violations: 1"), "{}", run.out);
    let run = fixture.run(&["verify", "T.fsz", "--original", FIELD, "--json"]);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&found["holds"], &found["bound_violations"]), (&false.into(), &1.into()));
    let excess = found["max_abs_error"].as_f64().unwrap() / BOUND - 1.0;
    assert_eq!(found["excess"], excess);
    assert!((0.5..2.6).contains(&excess), "{excess}");
}

#[test]
fn rounding_in_single_precision_exceeds_a_small_bound() {
    // Around 280 a rounding is up to 0.153 of this bound: one of the mean, and one of the value.
    let fixture = with_file_of(&field(), 1e-4);
    let run = fixture.run(&["verify", "T.fsz", "--original", FIELD, "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let excess = found["excess"].as_f64().unwrap();
    assert!(excess > 0.01 && excess < 0.31, "{found}");
    assert!(found["bound_violations"].as_u64().unwrap() > 10, "{found}");
}

#[test]
fn values_that_it_cannot_hold_are_counted() {
    let fixture = with_file(&field());
    let mut original = field();
    original[7] = f32::NAN;
    fixture.write_f32(FIELD, &original);
    let run = fixture.run(&["verify", "T.fsz", "--original", FIELD]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("changed NaN or Inf: 1"), "{}", run.out);
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let fixture = with_file(&field());
    let good = fixture.read("T.fsz");
    fixture.write("short.fsz", &good[..good.len() - 4]);
    for command in ["inspect", "short.fsz"].chunks(2) {
        fixture.refused(command, "truncated");
    }
    fixture.refused(&["decompress", "short.fsz", "-o", "x.raw"], "truncated");
    fixture.refused(&["verify", "short.fsz", "--original", FIELD], "truncated");
    let mut newer = good.clone();
    newer[4] = 2;
    fixture.write("newer.fsz", &newer);
    fixture.refused(&["inspect", "newer.fsz"], "not supported");
    fixture.write_f32("other_3.f32", &[1.0, 2.0, 3.0]);
    fixture.refused(&["verify", "T.fsz", "--original", "other_3.f32"], "other_3.f32");
}

/// The cells below a table's head.
fn rows(table: &str) -> Vec<Vec<String>> {
    table.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn the_study_says_which_tiles_differ_and_why() {
    let fixture = with_file(&field());
    let study = ["study", FIELD, "--range", "1e-2", "--out", "s", "--fsz1-stream"];
    fixture.fine(&[&study[..], &["T_6x20x30=T.fsz"]].concat());
    let sizes = rows(&fixture.read_text("s/fsz1.csv"));
    assert_eq!((sizes.len(), sizes[0][1].as_str(), sizes[0][2].as_str()), (1, "T.fsz", "3.125e-2"));
    let tiles = rows(&fixture.read_text("s/fsz1_tiles.csv"));
    let codecs: Vec<&str> = tiles.iter().map(|row| row[2].as_str()).collect();
    assert_eq!(codecs, ["fsz-paper", "fsz"]);
    for row in &tiles {
        let [all, by_rules, variant, same, reasons @ ..] = &row[3..] else { panic!("{row:?}") };
        let number = |cell: &String| cell.parse::<u64>().unwrap();
        // Its predictors were taken in turn, and hardly any by the rules.
        assert!(number(all) == 15 && number(by_rules) < 10, "{row:?}");
        assert!(number(same) <= number(variant), "{row:?}");
        let sum: u64 = reasons.iter().map(number).sum();
        assert_eq!(number(same) + sum, 15, "every tile is the same or has a reason: {row:?}");
    }
    assert!(fixture.read_text("s/report.html").contains("author's release"));
    let refused = |stream: &str, words: &str| {
        fixture.refused(&["study", FIELD, "--out", "t", "--fsz1-stream", stream], words);
    };
    refused("T.fsz", "FIELD=FILE");
    refused("U=T.fsz", "no field is named U: choose from T_6x20x30");
    refused("T_6x20x30=none.fsz", "none.fsz");
}

#[test]
fn the_rules_of_the_release_explain_every_tile_that_it_wrote() {
    let shared = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let (stream, original) =
        (shared.join("reference/ref_hacc_x.fsz"), shared.join("data/hacc_x_32768.f32"));
    if !stream.is_file() || !original.is_file() {
        return eprintln!(
            "SKIPPED: streams of the author's release: ../shared/reference is not there"
        );
    }
    let fixture = Fixture::new();
    let stream = format!("hacc_x_32768={}", stream.display());
    let field = original.to_str().unwrap();
    fixture.fine(&["study", field, "--range", "1e-3", "--out", "s", "--fsz1-stream", &stream]);
    for row in rows(&fixture.read_text("s/fsz1_tiles.csv")) {
        assert_eq!(row[3..5], ["128", "128"], "all 128 are as its sources say: {row:?}");
        assert_eq!(row.last().map(String::as_str), Some("0"), "none is unexplained: {row:?}");
    }
    let sizes = rows(&fixture.read_text("s/fsz1.csv"));
    let bound: f64 = sizes[0][2].parse().unwrap();
    let error: f64 = sizes[0][7].parse().unwrap();
    assert!(error > 0.99 * bound && error < 1.03 * bound, "{sizes:?}");
}
