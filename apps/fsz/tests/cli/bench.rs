//! `bench`.

use crate::workshop::{FIELD, Workshop};

#[test]
fn figures_on_screen_in_json_and_in_csv() {
    let shop = Workshop::with_field();
    let short = ["--target-mb", "1", "--repeat", "1", "--threads", "1,2"];
    let files = ["--json", "b.json", "--csv", "b.csv"];
    let table = shop
        .fine(&[&["bench", FIELD, "sparse", "--range", "1e-2,1e-3"], &short[..], &files].concat());
    assert!(table.contains("memcpy") && table.contains("of memcpy"), "{table}");
    let rows: serde_json::Value = serde_json::from_slice(&shop.read("b.json")).unwrap();
    let rows = rows.as_array().unwrap();
    let of = |field: &str, codec: &str| {
        rows.iter().filter(|r| r["field"] == field && r["codec"] == codec).count()
    };
    for field in ["T_6x20x30", "sparse"] {
        assert_eq!((of(field, "fsz"), of(field, "memcpy")), (4, 4));
        let zfp = if cfg!(feature = "zfp") { 2 } else { 0 };
        assert_eq!(of(field, "zfp-accuracy"), zfp);
    }
    for row in rows {
        for key in ["compress_gbs", "decompress_gbs", "compress_of_memcpy", "ratio"] {
            assert!(row[key].as_f64().unwrap() > 0.0, "{row}");
        }
        assert!(row["bytes"].as_u64().unwrap() >= 900_000, "{row}");
    }
    assert_eq!(shop.read_text("b.csv").lines().count(), 1 + rows.len());
    shop.refused(&[&["bench", FIELD], &short[..], &files].concat(), "--force");
}

#[test]
fn every_synthetic_field() {
    let shop = Workshop::new();
    let kinds = ["smooth", "smooth-noise", "offset", "sparse", "particles", "white-noise"];
    let table = shop.fine(&[&["bench", "--target-mb", "1", "--repeat", "1"], &kinds[..]].concat());
    for kind in kinds {
        assert!(table.contains(kind), "{table}");
    }
}

#[test]
fn misuse() {
    let shop = Workshop::with_field();
    shop.refused(&["bench"], "FILE");
    shop.refused(&["bench", "nosuch"], "No such file");
    shop.refused(&["bench", FIELD, "--repeat", "0"], "0");
    shop.refused(&["bench", FIELD, "--target-mb", "1", "--threads", "0"], "at least 1");
    shop.refused(&["bench", FIELD, "--target-mb", "1", "--range", "0"], "positive");
}
