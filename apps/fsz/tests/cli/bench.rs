//! `bench`.

use crate::fixture::{FIELD, Fixture};

/// A peer that copies, and says that it takes 0.5 and 0.25 ms.
const COPY: &str = r#"
name = "copy"
compress = ["sh", "-c", 'cp "$0" "$1" && echo encode 0.5', "{input}", "{compressed}"]
decompress = ["sh", "-c", 'cp "$0" "$1" && echo decode 0.25', "{compressed}", "{output}"]
time = { compress = { after = "encode", unit = "ms" }, decompress = { after = "decode", unit = "ms" } }
"#;

#[test]
fn figures_on_screen_in_json_and_in_csv() {
    let fixture = Fixture::with_field();
    let short = ["--target-mb", "1", "--repeat", "1", "--threads", "1,2"];
    let files = ["--json", "b.json", "--csv", "b.csv"];
    let bounds = ["--range", "1e-2,1e-3", "--absolute", "1e-2", "--profile", "paper,dense"];
    let words = [&["bench", FIELD, "sparse"][..], &bounds].concat();
    fixture.write("copy.toml", COPY.as_bytes());
    let all = [&words[..], &["--peer", "copy.toml"], &short[..], &files].concat();
    let run = fixture.run(&all);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.starts_with("b.json: written\nb.csv: written\n"), "{run:?}");
    let table = run.out;
    assert!(table.contains("memcpy") && table.contains("of memcpy"), "{table}");
    let rows: serde_json::Value = serde_json::from_slice(&fixture.read("b.json")).unwrap();
    let rows = rows.as_array().unwrap();
    let of = |field: &str, codec: &str| {
        rows.iter().filter(|r| r["field"] == field && r["codec"] == codec).count()
    };
    for field in ["T_6x20x30", "sparse"] {
        assert_eq!((of(field, "fsz"), of(field, "memcpy")), (4, 6));
        assert_eq!((of(field, "fsz dense"), of(field, "copy")), (4, 3));
        assert_eq!((of(field, "fsz absolute"), of(field, "fsz dense absolute")), (2, 2));
        let zfp = if cfg!(feature = "zfp") { 3 } else { 0 };
        assert_eq!(of(field, "zfp-accuracy"), zfp);
    }
    for row in rows {
        for key in ["compress_gbs", "decompress_gbs", "compress_of_memcpy", "ratio"] {
            assert!(row[key].as_f64().unwrap() > 0.0, "{row}");
        }
        assert!(row["bytes"].as_u64().unwrap() >= 900_000, "{row}");
    }
    assert_eq!(fixture.read_text("b.csv").lines().count(), 1 + rows.len());
    fixture.refused(&[&["bench", FIELD], &short[..], &files].concat(), "--force");
}

/// A program that reads it must find nothing else there.
#[test]
fn figures_go_to_standard_output_alone() {
    let fixture = Fixture::with_field();
    let bench = ["bench", FIELD, "--target-mb", "1", "--repeat", "1"];
    let json = fixture.fine(&[&bench[..], &["--json", "-"]].concat());
    serde_json::from_str::<serde_json::Value>(&json).unwrap();
    let csv = fixture.fine(&[&bench[..], &["--csv", "-"]].concat());
    assert!(csv.lines().all(|line| line.split(',').count() == 12), "{csv}");
    for both in ["-", "one.txt"] {
        fixture.refused(&[&bench[..], &["--json", both, "--csv", both]].concat(), "both go to");
    }
    assert_eq!(fixture.names(), [FIELD]);
    // By two paths.
    std::fs::create_dir(fixture.path("sub")).unwrap();
    let paths = ["--json", "one.txt", "--csv", "sub/../one.txt", "--force"];
    fixture.refused(&[&bench[..], &paths].concat(), "both go to");
    fixture.fine(&[&bench[..], &["--json", "one.txt", "--csv", "sub/one.txt"]].concat());
}

#[test]
fn every_synthetic_field() {
    let fixture = Fixture::new();
    let kinds = ["smooth", "smooth-noise", "offset", "sparse", "particles", "white-noise"];
    let table =
        fixture.fine(&[&["bench", "--target-mb", "1", "--repeat", "1"], &kinds[..]].concat());
    for kind in kinds {
        assert!(table.contains(kind), "{table}");
    }
}

#[test]
fn cuda_gives_figures_or_says_why_not() {
    let fixture = Fixture::with_field();
    let words =
        ["bench", "--backend", "cuda", FIELD, "smooth", "--target-mb", "1", "--repeat", "1"];
    let files = ["--reference", "--json", "b.json", "--csv", "b.csv"];
    fixture.write("copy.toml", COPY.as_bytes());
    let all = [&words[..], &["--peer", "copy.toml"], &files].concat();
    if fsz::devices().is_err() {
        fixture.refused(&all, "driver");
        return;
    }
    let table = fixture.fine(&all);
    assert!(table.contains("geomean") && table.contains("paper-two-reads"), "{table}");
    let report: serde_json::Value = serde_json::from_slice(&fixture.read("b.json")).unwrap();
    let rows = report["rows"].as_array().unwrap();
    // Three bounds, three kernels and a peer, two fields.
    assert_eq!(rows.len(), 24);
    let (peers, rows): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row["kernel"] == "copy");
    for row in peers {
        let speed = |key: &str| row[key].as_f64().unwrap() * 1e9 / row["bytes"].as_f64().unwrap();
        assert!((speed("compress_gbs") - 2e3).abs() < 1e-6, "{row}");
        assert!((speed("decompress_gbs") - 4e3).abs() < 1e-6, "{row}");
        assert_eq!(
            (row["ratio"].as_f64(), row["error"]["of_bound"].as_f64()),
            (Some(1.0), Some(0.0))
        );
    }
    for row in &rows {
        let product = row["kernel"] == "fsz";
        assert!(row["compress_gbs"].as_f64().unwrap() > 0.0, "{row}");
        assert_eq!(row["decompress_gbs"].is_number(), product, "{row}");
        assert_eq!(row["same_payload"].as_bool(), (!product).then_some(true), "{row}");
    }
    let means = report["geomeans"].as_array().unwrap();
    assert_eq!(fixture.read_text("b.csv").lines().count(), 1 + 6 + rows.len() + means.len());
}

/// A wrong bound behind others would cost what was measured with these.
#[test]
fn bounds_are_checked_before_anything_is_measured() {
    let fixture = Fixture::with_field();
    fixture.write("copy.toml", COPY.replace("cp ", "touch measured; cp ").as_bytes());
    let bench = ["bench", FIELD, "--target-mb", "1", "--repeat", "1", "--peer", "copy.toml"];
    for (option, words) in [
        ("--range=0", "value-range bound 0: it must be"),
        ("--abs=nan", "absolute bound NaN: it must be"),
        ("--relative=0.7", "pointwise-relative bound 0.7: it must be"),
    ] {
        fixture.refused(&[&bench[..], &["--range", "1e-3", option]].concat(), words);
    }
    fixture.fine(&bench);
    assert!(fixture.path("measured").exists(), "the peer leaves a file where it ran");
}

#[test]
fn misuse() {
    let fixture = Fixture::with_field();
    fixture.refused(&["bench"], "FILE");
    fixture.refused(&["bench", "nosuch"], "No such file");
    fixture.refused(&["bench", "smooth", "nosuch"], "nosuch: No such file");
    fixture.refused(&["bench", FIELD, "--repeat", "0"], "0");
    for option in ["--range", "--relative", "--abs"] {
        let twice = ["bench", FIELD, option, "1e-2,1e-3,1e-2"];
        fixture.refused(&twice, &format!("{option}: 0.01 is named twice: omit one"));
    }
    fixture.refused(
        &["study", FIELD, "-o", "s", "--range", "0.01,1e-2"],
        "--range: 0.01 is named twice",
    );
    let shape = ["smooth", "--shape", "10x10x10"];
    let told = |size: &str| {
        format!("--shape 10x10x10: smooth is a synthetic field, whose size {size} tells")
    };
    fixture.refused(&[&["bench"], &shape[..]].concat(), &told("--target-mb"));
    fixture.refused(&[&["study", "--out", "s"], &shape[..]].concat(), &told("--synthetic-mb"));
    fixture.refused(&["bench", "smooth", "--variable", "U"], "smooth is not an ADIOS2 file");
    fixture.refused(&["bench", FIELD, "--reference"], "--backend cuda");
    // No device has this number.
    let device = ["bench", FIELD, "--device", "1000"];
    fixture.refused(&device, "--device 1000 is a CUDA device: use --backend cuda");
    for backend in ["cuda", "auto"] {
        let words = if fsz::devices().is_ok() { "device" } else { "driver" };
        fixture.refused(&[&device[..], &["--backend", backend]].concat(), words);
    }
    let adapter = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/peer.toml");
    fixture.refused(&["bench", FIELD, "--peer", adapter], "peer.toml: it needs a table `time`");
    fixture.refused(&["bench", FIELD, "--backend", "cuda", "--threads", "1"], "--backend cpu");
    fixture.refused(&["bench", FIELD, "--target-mb", "0"], "a whole number from 1");
    fixture.write("none_0x5.f32", b"");
    fixture.refused(&["bench", "none_0x5.f32"], "none_0x5.f32: no values to measure");
    for mb in ["0", "17592186044416"] {
        let study = ["study", "smooth", "--out", "s", "--synthetic-mb", mb];
        fixture.refused(&study, "a whole number from 1");
    }
    fixture.refused(&["bench", FIELD, "--target-mb", "1", "--threads", "0"], "at least 1");
    fixture.refused(&["bench", FIELD, "--target-mb", "1", "--range", "0"], "positive");
}
