//! `inspect`.

use crate::fixture::{BYTES, FIELD, Fixture};

#[test]
fn json_has_the_promised_keys() {
    let fixture = Fixture::with_stream();
    let report = fixture.json(&["inspect", "T.fsz", "--json"]);
    let whole = |key: &str| report[key].as_u64().unwrap_or_else(|| panic!("{key}"));
    assert_eq!(whole("format_version"), 1);
    assert_eq!((whole("elements"), whole("raw_bytes")), (BYTES / 4, BYTES));
    assert_eq!(whole("compressed_bytes"), fixture.read("T.fsz").len() as u64);
    assert_eq!(report["dtype"], "f32");
    assert_eq!(report["shape"], serde_json::json!([6, 20, 30]));
    assert!(["cpu", "cuda"].contains(&report["backend"].as_str().unwrap()));
    assert!(!report["backend_reason"].as_str().unwrap().is_empty());
    let ratio = report["compression_ratio"].as_f64().unwrap();
    assert!((ratio - BYTES as f64 / whole("compressed_bytes") as f64).abs() < 1e-9);
    assert_eq!(report["bound"]["kind"], "value-range");
    assert_eq!(report["bound"]["requested"], 1e-3);
    let bound = report["bound"]["absolute"].as_f64().unwrap();
    let certificate = &report["certificate"];
    assert!(certificate["max_abs_error"].as_f64().unwrap() <= bound);
    assert!(certificate["min"].as_f64().unwrap() < certificate["max"].as_f64().unwrap());
    for key in ["nan", "inf", "escaped"] {
        assert_eq!(certificate[key], 0, "{key}");
    }
    let tiles = &report["tiles"];
    let kinds =
        ["lz1", "lz2", "lz1_centered", "lz2_centered", "constant", "exceptions", "verbatim"];
    let sum: u64 = kinds.iter().map(|key| tiles[key].as_u64().unwrap()).sum();
    assert_eq!(tiles["count"], sum);
}

#[test]
fn text_is_short_and_spells_the_predictors_out() {
    let fixture = Fixture::with_stream();
    let text = fixture.fine(&["inspect", "T.fsz"]);
    assert!(text.lines().count() < 15, "{text}");
    for words in ["6x20x30", "value-range 0.001, absolute ", "first-, second-order Lorenzo"] {
        assert!(text.contains(words), "{text}");
    }
    // Nothing is said twice.
    fixture.fine(&["compress", FIELD, "-o", "A.fsz", "--absolute", "0.5", "--bound-in", "0,:,:=2"]);
    let text = fixture.fine(&["inspect", "A.fsz"]);
    assert!(text.contains("  bound          absolute 0.5\n"), "{text}");
    assert!(text.contains("box 0:1,0:20,0:30: absolute 2, max error"), "{text}");
}

#[test]
fn tiles_are_listed_as_csv() {
    let fixture = Fixture::with_stream();
    let run = fixture.run(&["inspect", "T.fsz", "--tiles", "tiles.csv"]);
    assert_eq!((run.code, run.err.as_str()), (0, "tiles.csv: 15 tiles\n"), "{run:?}");
    let csv = fixture.read_text("tiles.csv");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("index,kind,order,centered,bytes,escapes,rates"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len() as u64, (BYTES / 4).div_ceil(256));
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row[0], i.to_string());
        assert_eq!(row[6].split(' ').count(), 8);
    }
    fixture.refused(&["inspect", "T.fsz", "--tiles", "tiles.csv"], "--force");
    fixture.fine(&["inspect", "T.fsz", "--tiles", "tiles.csv", "--force"]);
    // One output at a time; with a file both.
    assert_eq!(fixture.fine(&["inspect", "T.fsz", "--tiles", "-"]), csv);
    fixture.refused(&["inspect", "T.fsz", "--tiles", "-", "--json"], "name a file for the tiles");
    let both = ["inspect", "T.fsz", "--tiles", "tiles.csv", "--force", "--json"];
    assert_eq!(fixture.json(&both)["dtype"], "f32");
    #[cfg(unix)]
    assert!(fixture.fine(&["inspect", "T.fsz", "--tiles", "/dev/null"]).contains("6x20x30"));
    #[cfg(target_os = "linux")]
    fixture.refused(&["inspect", "T.fsz", "--tiles", "/dev/full"], "/dev/full: No space left");
}

#[test]
fn an_empty_stream() {
    let fixture = Fixture::new();
    fixture.write("e_0.f32", &[]);
    fixture.fine(&["compress", "e_0.f32", "-o", "e.fsz", "--abs", "1"]);
    let report = fixture.json(&["inspect", "e.fsz", "--json"]);
    assert_eq!((&report["elements"], &report["tiles"]["count"]), (&0.into(), &0.into()));
    assert!(report["certificate"]["min"].is_null());
    let text = fixture.fine(&["inspect", "e.fsz"]);
    assert!(text.contains("range          none: no finite values\n"), "{text}");
    assert!(!fixture.names().contains(&FIELD.to_owned()));
}

#[test]
fn the_ends_of_a_narrow_range_are_told_apart() {
    let fixture = Fixture::new();
    fixture.write_f32("p_4.f32", &[101325.0, 101325.125, 101325.5, 101325.25]);
    fixture.fine(&["compress", "p_4.f32", "-o", "p.fsz", "--range", "1e-3"]);
    let text = fixture.fine(&["inspect", "p.fsz"]);
    assert!(text.contains("range          101325 to 101325.5\n"), "{text}");
}

#[test]
fn only_what_there_is_is_explained() {
    let fixture = Fixture::with_field();
    fixture.fine(&["compress", FIELD, "-o", "d.fsz", "--abs", "0.1", "--profile", "dense"]);
    assert!(!fixture.fine(&["inspect", "d.fsz"]).contains("Lorenzo"));
    fixture.write_f32("c_4.f32", &[1.5; 4]);
    fixture.fine(&["compress", "c_4.f32", "-o", "c.fsz", "--psnr", "50"]);
    let text = fixture.fine(&["inspect", "c.fsz"]);
    assert!(text.contains("rms 0, PSNR inf dB") && !text.contains("Lorenzo"), "{text}");
    fixture.refused(&["inspect", "d.fsz", "--require-compressed"], "need a .bp file");
}

/// A name may hold any characters, but none of them reaches the terminal as an order.
#[test]
fn names_are_shown_without_control_characters() {
    let fixture = Fixture::with_field();
    std::fs::create_dir(fixture.path("out")).unwrap();
    let name = ["--name", "T\u{1b}[31m\nT"];
    fixture.fine(&[&["compress", FIELD, "-o", "out/T.fsz", "--abs", "1"][..], &name].concat());
    for input in ["out/T.fsz", "out"] {
        let text = fixture.fine(&["inspect", input]);
        assert!(text.contains("T\u{fffd}[31m\u{fffd}T") && !text.contains('\u{1b}'), "{text}");
    }
    assert_eq!(fixture.json(&["inspect", "out/T.fsz", "--json"])["name"], name[1]);
}

#[cfg(unix)]
#[test]
fn names_of_files_are_shown_without_control_characters() {
    let fixture = Fixture::with_field();
    std::fs::create_dir(fixture.path("out")).unwrap();
    fixture.fine(&["compress", FIELD, "-o", "out/T\u{1b}[31m\nT.fsz", "--abs", "1"]);
    for command in ["inspect", "verify"] {
        let text = fixture.fine(&[command, "out"]);
        assert!(text.contains("T\u{fffd}[31m\u{fffd}T.fsz"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    fixture.write("out/broken\u{1b}[31m.fsz", b"none");
    let told = fixture.run(&["inspect", "out"]).err;
    assert!(told.contains("broken\u{fffd}[31m.fsz: not an FSZ stream"), "{told}");
}

/// Whatever a command says of a file.
#[cfg(unix)]
#[test]
fn summaries_show_names_without_control_characters() {
    let fixture = Fixture::with_field();
    let name = |ending: &str| format!("T\u{1b}[31m\n\u{9b}31m.{ending}");
    let [stream, npy, raw, png] = ["fsz", "npy", "f32", "png"].map(name);
    std::fs::rename(fixture.path(FIELD), fixture.path(&raw)).unwrap();
    let shape = ["--shape", "6x20x30"];
    let slice = ["--axis", "0", "--index", "0"];
    let shown = |args: &[&str]| {
        let run = fixture.run(args);
        let told = format!("{}{}", run.out, run.err);
        assert_eq!(run.code, 0, "{args:?}: {told}");
        assert!(told.contains("T\u{fffd}[31m\u{fffd}\u{fffd}31m"), "{args:?}: {told}");
        assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{args:?}: {told}");
    };
    shown(&[&["compress", &raw, "-o", &stream, "--abs", "1"][..], &shape].concat());
    shown(&["inspect", &stream]);
    shown(&["verify", &stream]);
    shown(&["decompress", &stream, "-o", &npy]);
    shown(&[&["slice", &stream, "-o", &npy, "--force"][..], &slice].concat());
    shown(&["picture", &stream, "-o", &png]);
    shown(&[&["bench", &raw, "--target-mb", "1", "--repeat", "1"][..], &shape].concat());
    // The shell puts it in the place of a *.
    let odd = format!("--{stream}");
    let told = fixture.run(&["inspect", &odd]);
    assert_eq!(told.code, 2);
    assert!(told.err.contains("unexpected argument '--T\u{fffd}[31m"), "{}", told.err);
    assert!(!told.err.contains(|c: char| c.is_control() && c != '\n'), "{}", told.err);
}

#[test]
fn json_keeps_names_and_escapes_their_control_characters() {
    let fixture = Fixture::with_field();
    let name = "T\u{1b}[31m\u{9b}31m\u{7f}\n\"";
    fixture.fine(&["compress", FIELD, "-o", "T.fsz", "--abs", "1", "--name", name]);
    let text = fixture.fine(&["inspect", "T.fsz", "--json"]);
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text}");
    assert_eq!(fixture.json(&["inspect", "T.fsz", "--json"])["name"], name);
}

/// Of streams that do not tell their steps, as of other programs, these are counted.
#[test]
fn steps_of_a_folder_are_in_the_order_of_their_numbers() {
    let fixture = Fixture::with_stream();
    std::fs::create_dir(fixture.path("out")).unwrap();
    let names = ["out/U-2.fsz", "out/U-10.fsz", "out/U-100.fsz"];
    for name in names {
        fixture.write(name, &fixture.read("T.fsz"));
    }
    let found = fixture.json(&["inspect", "out", "--json"]);
    let files = found["streams"].as_array().unwrap().iter();
    let files: Vec<String> =
        files.map(|s| format!("out/{}", s["file"].as_str().unwrap())).collect();
    assert_eq!(files, names);
}

/// As of a folder, but in the order in which they are named, and by their paths.
#[test]
fn several_files_are_shown_together() {
    let fixture = Fixture::with_stream();
    for bound in ["0.1", "0.01"] {
        fixture.fine(&["compress", FIELD, "-o", &format!("{bound}.fsz"), "--abs", bound]);
    }
    std::fs::create_dir(fixture.path("folder")).unwrap();
    std::fs::rename(fixture.path("0.01.fsz"), fixture.path("folder/0.01.fsz")).unwrap();
    let all = ["inspect", "T.fsz", "0.1.fsz", "folder"];
    let text = fixture.fine(&all);
    let first: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(first, ["file", "T.fsz", "0.1.fsz", "folder/0.01.fsz", "3"], "{text}");
    let report = fixture.json(&[&all[..], &["--json"]].concat());
    assert_eq!(report["streams"][2]["file"], "folder/0.01.fsz");
    assert_eq!(report["streams"][1]["bound"]["absolute"], 0.1);
    let plot = fixture.fine(&[&all[..], &["--plot", "-"]].concat());
    assert!(plot.starts_with("<svg"), "{plot}");
    // What is no stream is told, and the others are shown; what is not there is a mistake.
    let run = fixture.run(&["inspect", "T.fsz", FIELD]);
    assert_eq!((run.code, run.out.lines().count()), (1, 2), "{run:?}");
    assert!(run.err.starts_with(&format!("error: {FIELD}: not an FSZ stream")), "{run:?}");
    fixture.refused(&["inspect", "T.fsz", "none.fsz"], "none.fsz: No such file");
    std::fs::create_dir(fixture.path("out.bp")).unwrap();
    fixture.refused(&["inspect", "T.fsz", "out.bp"], "out.bp: an ADIOS2 file: inspect it alone");
    fixture.refused(&["inspect", "T.fsz", "0.1.fsz", "--tiles", "t.csv"], "--tiles needs a .fsz");
}
