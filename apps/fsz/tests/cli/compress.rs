//! `compress` and `decompress`.

use crate::fixture::{BYTES, FIELD, Fixture, field, largest_error};

#[test]
fn a_raw_field_comes_back_within_the_bound() {
    let fixture = Fixture::with_field();
    let out = fixture.fine(&["compress", FIELD, "-o", "T.fsz", "--abs", "0.01"]);
    assert!(out.contains("ratio") && out.lines().count() == 1, "{out}");
    fixture.fine(&["decompress", "T.fsz", "-o", "back.f32"]);
    assert!(largest_error(&fixture.read_f32("back.f32"), &field()) <= 0.01);
    assert_eq!(fixture.names(), ["T.fsz", FIELD, "back.f32"]);
}

#[test]
fn npy_goes_in_and_out_without_a_shape() {
    let fixture = Fixture::with_stream();
    fixture.fine(&["decompress", "T.fsz", "-o", "T.npy"]);
    let npy = fixture.read("T.npy");
    assert!(npy.starts_with(b"\x93NUMPY\x01\x00"));
    assert!(String::from_utf8_lossy(&npy[..128]).contains("'shape': (6, 20, 30)"));
    assert_eq!(npy.len() as u64, 128 + BYTES);
    fixture.fine(&["compress", "T.npy", "-o", "again.fsz", "--abs", "0.01"]);
    assert_eq!(
        fixture.json(&["inspect", "again.fsz", "--json"])["shape"],
        serde_json::json!([6, 20, 30])
    );
}

#[test]
fn a_step_is_coded_like_another() {
    let fixture = Fixture::with_field();
    let dense = ["--abs", "0.01", "--profile", "dense"];
    fixture.fine(&[&["compress", FIELD, "-o", "T.fsz"], &dense[..]].concat());
    let like = ["compress", FIELD, "--abs", "0.01", "--like", "T.fsz"];
    fixture.fine(&[&like[..], &["-o", "again.fsz"]].concat());
    assert_eq!(fixture.read("T.fsz"), fixture.read("again.fsz"));
    // Of another bound it has the layout and the tables.
    fixture.fine(&["compress", FIELD, "-o", "fine.fsz", "--abs", "0.001", "--like", "T.fsz"]);
    fixture.fine(&["decompress", "fine.fsz", "-o", "back.f32"]);
    assert!(largest_error(&fixture.read_f32("back.f32"), &field()) <= 0.001);
    let layout = |file| fixture.json(&["inspect", file, "--json"])["layout"].clone();
    assert_eq!(layout("fine.fsz"), layout("T.fsz"));
    for (other, words) in [
        (["--profile", "dense"], "cannot be used with"),
        (["--layout", "line"], "cannot be used with"),
        (["--bound-in", "0:1,:,:=1"], "cannot be used with"),
        (["--block-len", "64"], "omit the research options"),
    ] {
        fixture.refused(&[&like[..], &["-o", "no.fsz"], &other[..]].concat(), words);
    }
    let cubes = [&["compress", FIELD, "-o", "cubes.fsz"], &dense[..], &["--layout", "brick"]];
    fixture.fine(&cubes.concat());
    fixture.write_f32("T_3600.f32", &field());
    fixture.refused(
        &["compress", "T_3600.f32", "-o", "no.fsz", "--abs", "0.01", "--like", "cubes.fsz"],
        "like a stream of layout brick: a field of shape [3600] does not fill such boxes; name a stream of its own shape, or none",
    );
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let fixture = Fixture::new();
    let long: Vec<f32> = (0..200_000).map(|i| (i as f32 * 1e-3).sin()).collect();
    fixture.write_f32("x_200000.f32", &long);
    for threads in ["1", "2", "3"] {
        let out = format!("{threads}.fsz");
        let range = ["--range", "1e-4", "--threads", threads];
        fixture.fine(&[&["compress", "x_200000.f32", "-o", &out], &range[..]].concat());
    }
    assert_eq!(fixture.read("1.fsz"), fixture.read("2.fsz"));
    assert_eq!(fixture.read("1.fsz"), fixture.read("3.fsz"));
    fixture.fine(&["decompress", "1.fsz", "-o", "one.f32", "--threads", "1"]);
    fixture.fine(&["decompress", "1.fsz", "-o", "two.f32", "--threads", "2"]);
    assert_eq!(fixture.read("one.f32"), fixture.read("two.f32"));
}

#[test]
fn f64_and_missing_values() {
    let fixture = Fixture::new();
    let mut values: Vec<f64> = (0..1000).map(|i| f64::from(i).sqrt()).collect();
    let fill = f64::from(1e20f32);
    values[10..400].fill(1e20);
    values[500] = fill;
    values[501] = f64::NAN;
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    fixture.write("m.f64", &bytes);
    let names = ["--missing", "1e20", "--missing", "100000002004087734272"];
    let args = ["compress", "m.f64", "-o", "m.fsz", "--range", "1e-3", "--shape", "10x100"];
    fixture.fine(&[&args[..], &names].concat());
    let report = fixture.json(&["inspect", "m.fsz", "--json"]);
    assert_eq!(report["certificate"]["missing"], 391);
    assert_eq!(report["certificate"]["nan"], 1);
    assert_eq!(report["dtype"], "f64");
    assert!(report["bound"]["absolute"].as_f64().unwrap() < 0.04, "the range is that of the rest");
    fixture.fine(&["verify", "m.fsz", "--original", "m.f64"]);
    let negative = ["compress", "m.f64", "-o", "n.fsz", "--abs", "1", "--shape", "1000"];
    fixture.fine(&[&negative[..], &["--missing", "-999", "--dtype", "f64"]].concat());
}

#[test]
fn a_fill_value_that_nobody_named_is_told() {
    let fixture = Fixture::new();
    let told = |dtype: &str, missing: &[&str]| {
        let args =
            ["compress", "x_10.raw", "-o", "x.fsz", "-f", "--range", "0.1", "--dtype", dtype];
        let output = fixture.command(&[&args[..], missing].concat()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let values = |fill: f64| (0..10).map(move |i| if i == 3 { fill } else { f64::from(i) });
    let single: Vec<u8> = values(9.96921e36).flat_map(|v| (v as f32).to_le_bytes()).collect();
    fixture.write("x_10.raw", &single);
    assert!(told("f32", &[]).contains("largest value is 9.96921e36: "));
    assert_eq!(told("f32", &["--missing=9.96921e36"]), "");
    assert_eq!(told("f32", &["--quiet"]), "");
    let double: Vec<u8> = values(-1e20).flat_map(f64::to_le_bytes).collect();
    fixture.write("x_10.raw", &double);
    assert!(told("f64", &[]).contains("smallest value is -1e20: "));
    assert_eq!(told("f64", &["--missing=-1e20"]), "");
    // As a field of f32 has it, which was converted.
    let converted = values(f64::from(1e20f32)).flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
    fixture.write("x_10.raw", &converted);
    assert!(told("f64", &[]).contains("add --missing=1.0000000200408773e20"));
    assert_eq!(told("f64", &["--missing=1.0000000200408773e20"]), "");
    // Of measurements, and of other programs; 9999 may be a value like others.
    for (fill, text) in [(-9999.0, "smallest value is -9999: "), (9.999e20, "9.999e20: ")] {
        let single: Vec<u8> = values(fill).flat_map(|v| (v as f32).to_le_bytes()).collect();
        fixture.write("x_10.raw", &single);
        assert!(told("f32", &[]).contains(text), "{text}");
        assert_eq!(told("f32", &[&format!("--missing={fill:e}")]), "");
    }
    let plain: Vec<u8> = values(9999.0).flat_map(f64::to_le_bytes).collect();
    fixture.write("x_10.raw", &plain);
    assert_eq!(told("f64", &[]), "");
}

#[test]
fn a_bound_that_leaves_nothing_is_told() {
    let fixture = Fixture::new();
    let line = |from: f32, step: f32| (0..10).map(|i| from + i as f32 * step).collect::<Vec<f32>>();
    fixture.write_f32("x_10.f32", &line(300.0, 0.5));
    fixture.write_f32("y_10.f32", &line(300.0, 0.25));
    fixture.write_f32("flat_10.f32", &line(300.0, 0.0));
    let told = |inputs: &[&str], bound: &[&str]| {
        let out = if inputs.len() == 1 { "x.fsz" } else { "s/" };
        let args = [&["compress", "-f", "-o", out][..], inputs, bound].concat();
        let output = fixture.command(&args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let words = "is not smaller than the field's range, max - min = 4.5: ";
    for bound in [["--abs", "4.5"], ["--range", "1"], ["--relative", "0.02"]] {
        assert!(told(&["x_10.f32"], &bound).contains(words), "{bound:?}");
        assert_eq!(told(&["flat_10.f32"], &bound), "");
    }
    for bound in [["--abs", "4"], ["--range", "0.9"], ["--relative", "0.01"]] {
        assert_eq!(told(&["x_10.f32"], &bound), "", "{bound:?}");
    }
    assert_eq!(told(&["x_10.f32"], &["--abs", "9", "--bound-in", "0:5=0.1"]), "");
    assert_eq!(told(&["x_10.f32"], &["--abs", "9", "-q"]), "");
    // The smallest bound that there is, which loses nothing of such values.
    fixture.write_f32("tiny_10.f32", &line(0.0, 1e-44));
    assert_eq!(told(&["tiny_10.f32"], &["--psnr", "60"]), "");
    assert!(told(&["x_10.f32", "y_10.f32"], &["--abs", "4.5"]).contains(words));
    // One flat step is no mistake.
    assert_eq!(told(&["x_10.f32", "flat_10.f32"], &["--abs", "4.5"]), "");
    assert_eq!(told(&["y_10.f32", "x_10.f32"], &["--abs", "3"]), "");
}

#[test]
fn missing_values_need_only_fit_their_type() {
    let fixture = Fixture::new();
    fixture.write("m_1000.f64", &[0; 8000]);
    let args = ["compress", "m_1000.f64", "-o", "m.fsz", "--abs", "1"];
    fixture.fine(&[&args[..], &["--missing", "1e39", "--missing", "1e-50"]].concat());
    fixture.write("m_1000.f32", &[0; 4000]);
    let args = ["compress", "m_1000.f32", "-o", "n.fsz", "--abs", "1"];
    // Neither has an exact counterpart in f32.
    fixture.fine(&[&args[..], &["--missing", "0.1", "--missing", "9.96921e36"]].concat());
}

#[test]
fn the_bound_of_a_huge_range_is_finite() {
    let fixture = Fixture::new();
    let values = [1e308f64, -1e308, 0.0, 1.0];
    fixture.write("r_4.f64", &values.map(f64::to_le_bytes).concat());
    fixture.fine(&["compress", "r_4.f64", "-o", "r.fsz", "--range", "3"]);
    let report = fixture.json(&["inspect", "r.fsz", "--json"]);
    assert!(report["bound"]["absolute"].as_f64().is_some_and(f64::is_finite), "{report}");
    fixture.fine(&["verify", "r.fsz", "--original", "r_4.f64"]);
}

#[test]
fn an_absurd_number_of_threads_is_capped() {
    let fixture = Fixture::with_field();
    fixture.fine(&["compress", FIELD, "-o", "T.fsz", "--abs", "1", "--threads", "1000000"]);
    fixture.fine(&["decompress", "T.fsz", "-o", "T.f32", "--threads", "1000000"]);
}

#[test]
fn a_stream_is_one_under_any_name() {
    let fixture = Fixture::with_stream();
    let report = fixture.json(&["inspect", "T.fsz", "--json"]);
    fixture.fine(&["slice", "T.fsz", "--axis", "0", "--index", "2", "-o", "slice.npy"]);
    for name in ["S_6x20x30.f32", "S.raw", "S.npy", "S.bp", "S"] {
        std::fs::copy(fixture.path("T.fsz"), fixture.path(name)).unwrap();
        assert_eq!(fixture.json(&["inspect", name, "--json"]), report, "{name}");
        fixture.fine(&["decompress", name, "-o", "back.f32", "--force"]);
        assert_eq!(fixture.read("back.f32").len() as u64, BYTES, "{name}");
        fixture.fine(&["verify", name, "--original", FIELD]);
        fixture.fine(&["slice", name, "--axis", "0", "--index", "2", "-o", "s.npy", "--force"]);
        assert_eq!(fixture.read("s.npy"), fixture.read("slice.npy"), "{name}");
        let found = fixture.json(&["compare", FIELD, name, "--json"]);
        assert_eq!(found["bound_violations"], 0, "{name}");
        assert!(found["compression_ratio"].is_number(), "{name}");
    }
}

#[test]
fn an_empty_field_and_a_single_value() {
    let fixture = Fixture::new();
    fixture.write("e_0x4.f32", &[]);
    fixture.write_f32("s_1.f32", &[2.5]);
    for name in ["e_0x4.f32", "s_1.f32"] {
        fixture.fine(&["compress", name, "-o", "x.fsz", "--range", "0.1", "--force"]);
        fixture.fine(&["verify", "x.fsz", "--original", name]);
        fixture.fine(&["decompress", "x.fsz", "-o", "x.f32", "--force"]);
        assert_eq!(fixture.read("x.f32"), fixture.read(name));
    }
}

#[test]
fn name_and_step_are_recorded() {
    let fixture = Fixture::with_field();
    let args = ["compress", FIELD, "-o", "T.fsz", "--abs", "1", "--name", "T", "--step", "7"];
    fixture.fine(&args);
    let report = fixture.json(&["inspect", "T.fsz", "--json"]);
    assert_eq!((&report["name"], &report["step"]), (&"T".into(), &7.into()));
}

/// Without its missing values a stream that is compressed again would lose their bits.
#[test]
fn what_a_stream_tells_is_kept_when_it_is_compressed_again() {
    let fixture = Fixture::new();
    let mut values = field();
    values[10..400].fill(-5e5);
    fixture.write_f32(FIELD, &values);
    let told = ["--missing=-5e5", "--name", "T", "--step", "7"];
    fixture.fine(&[&["compress", FIELD, "-o", "T.fsz", "--range", "1e-4"][..], &told].concat());
    let report = |args: &[&str]| {
        fixture.fine(&[&["compress", "T.fsz", "-o", "U.fsz", "-f"], args].concat());
        fixture.json(&["inspect", "U.fsz", "--json"])
    };
    for bound in [&["--range", "1e-3"][..], &["--relative", "1e-3", "--floor-range", "1e-4"]] {
        let again = report(bound);
        assert_eq!((&again["name"], &again["step"]), (&"T".into(), &7.into()));
        assert_eq!(again["missing"], serde_json::json!([-5e5]));
        assert_eq!(again["certificate"]["missing"], 390);
        fixture.fine(&["verify", "U.fsz", "--original", "T.fsz"]);
    }
    let other = report(&["--abs", "1", "--missing", "3", "--name", "U", "--step", "9"]);
    assert_eq!((&other["name"], &other["step"]), (&"U".into(), &9.into()));
    assert_eq!(other["missing"], serde_json::json!([3.0]));
    assert!(report(&["--abs", "1", "--name", ""])["name"].is_null());
    // A series has one range, and keeps what it has of its steps.
    std::fs::copy(fixture.path("T.fsz"), fixture.path("V.fsz")).unwrap();
    let series = ["compress", "T.fsz", "V.fsz", "-o", "out", "--range", "1e-3"];
    fixture.fine(&series);
    let step = fixture.json(&["inspect", "out/V.fsz", "--json"]);
    assert_eq!(step["missing"], serde_json::json!([-5e5]));
    assert!(step["bound"]["absolute"].as_f64().unwrap() < 1.0, "{step}");
    fixture.fine(&[&series[..], &["--resume"]].concat());
    let other = [&series[..], &["--resume", "--missing", "3"]].concat();
    fixture.refused(&other, "has the missing values -500000, not 3");
}

#[test]
fn missing_values_of_an_original_are_excluded_as_well() {
    let fixture = Fixture::new();
    let mut values = field();
    values[10..400].fill(1e20);
    fixture.write_f32(FIELD, &values);
    fixture.fine(&["compress", FIELD, "-o", "T.fsz", "--abs", "1e-4", "--missing", "1e20"]);
    fixture.fine(&["compress", "T.fsz", "-o", "U.fsz", "--abs", "0.1"]);
    fixture.fine(&["decompress", "U.fsz", "-o", "U.npy"]);
    let figures = |args: &[&str]| fixture.json(&[&["compare", "--json"], args].concat());
    let (stream, plain) = (figures(&["T.fsz", "U.fsz"]), figures(&["T.fsz", "U.npy"]));
    assert_eq!((&stream["missing"], &plain["missing"]), (&390.into(), &390.into()));
    assert_eq!(stream["psnr"], plain["psnr"]);
    let named = figures(&["T.fsz", "U.npy", "--missing", "3"]);
    assert_eq!(named["missing"], 0);
}

#[test]
fn research_switches_are_recorded() {
    let fixture = Fixture::with_field();
    let args = ["compress", FIELD, "-o", "T.fsz", "--abs", "0.01", "--no-cross-block"];
    let more = ["--mean-centering", "--no-order2", "--block-len", "64", "--blocks-per-tile", "4"];
    fixture.fine(&[&args[..], &more].concat());
    let research = &fixture.json(&["inspect", "T.fsz", "--json"])["research"];
    let expected = serde_json::json!({
        "cross_block": false, "centering": "mean", "order2": false, "block_len": 64,
        "blocks_per_tile": 4
    });
    assert_eq!(*research, expected);
    assert!(fixture.fine(&["inspect", "T.fsz"]).contains("4 blocks of 64"));
    fixture.fine(&["verify", "T.fsz", "--original", FIELD]);
}

#[test]
fn overwriting_takes_force() {
    let fixture = Fixture::with_stream();
    let before = fixture.read("T.fsz");
    fixture.refused(&["compress", FIELD, "-o", "T.fsz", "--abs", "1"], "--force");
    fixture.refused(&["decompress", "T.fsz", "-o", FIELD], "--force");
    assert_eq!(fixture.read("T.fsz"), before);
    fixture.fine(&["compress", FIELD, "-o", "T.fsz", "--abs", "1", "--force"]);
    assert_ne!(fixture.read("T.fsz"), before);
}

#[test]
fn quiet_is_quiet() {
    let fixture = Fixture::with_field();
    let run = fixture.run(&["-q", "compress", FIELD, "-o", "T.fsz", "--abs", "1"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    let run = fixture.run(&["decompress", "T.fsz", "-o", "x.f32", "--quiet"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
}

#[test]
fn targets_resolve_to_a_bound_that_inspect_tells() {
    let fixture = Fixture::new();
    let wave = |i: usize| (i as f32 * 1e-3).sin() + (i * 7919 % 1000) as f32 * 1e-6;
    fixture.write_f32("x_90000.f32", &(0..90_000).map(wave).collect::<Vec<_>>());
    let compress = |words: &[&str]| {
        let args = ["compress", "x_90000.f32", "-o", "x.fsz", "--force"];
        fixture.fine(&[&args[..], words].concat());
        fixture.json(&["inspect", "x.fsz", "--json"])
    };
    for profile in ["paper", "dense"] {
        let report = compress(&["--psnr", "70", "--profile", profile]);
        assert_eq!(report["bound"]["kind"], "PSNR");
        assert_eq!(report["bound"]["requested"], 70.0);
        let squares = report["bound"]["mean_squared_error"].as_f64().expect("it is measured");
        let range = ["max", "min"].map(|end| report["certificate"][end].as_f64().unwrap());
        let psnr = 20.0 * ((range[0] - range[1]) / squares.sqrt()).log10();
        assert!((70.0..70.5).contains(&psnr), "{psnr}");
        let text = fixture.fine(&["inspect", "x.fsz"]);
        assert!(text.contains("PSNR 70, absolute ") && text.contains(" dB"), "{text}");

        let report = compress(&["--ratio", "8", "--profile", profile]);
        let ratio = report["compression_ratio"].as_f64().unwrap();
        assert!((ratio / 8.0 - 1.0).abs() < 0.03, "{ratio}");
        assert!(report["bound"].get("mean_squared_error").is_none());

        compress(&["--max-bytes", "30000", "--profile", profile]);
        let len = fixture.read("x.fsz").len();
        assert!((27_000..=30_000).contains(&len), "{len}");
    }
    fixture.fine(&["verify", "x.fsz", "--original", "x_90000.f32"]);
    for limit in ["300", "0"] {
        let args = ["compress", "x_90000.f32", "-o", "y.fsz", "--max-bytes", limit];
        let words = format!("a limit of {limit} bytes is too small for this field: ");
        fixture.refused(&args, &words);
        fixture.refused(&args, "the smallest has");
    }
    fixture.refused(&["compress", "x_90000.f32", "-o", "y.fsz", "--psnr", "-1"], "positive");
    assert_eq!(fixture.names(), ["x.fsz", "x_90000.f32"]);
}

#[test]
fn mantissa_bits_are_a_relative_bound() {
    let fixture = Fixture::with_field();
    let compress = |out: &str, bound: &[&str]| {
        fixture.fine(&[&["compress", FIELD, "-o", out], bound].concat());
        fixture.read(out)
    };
    let bits = compress("bits.fsz", &["--mantissa-bits", "7"]);
    assert_eq!(bits, compress("share.fsz", &["--relative", "0.00390625"]));
    fixture.fine(&["decompress", "bits.fsz", "-o", "back.f32"]);
    for (found, value) in fixture.read_f32("back.f32").into_iter().zip(field()) {
        assert!((f64::from(found) - f64::from(value)).abs() <= 0.00390625 * f64::from(value.abs()));
    }
    let floor = compress("floor.fsz", &["--mantissa-bits", "7", "--floor", "2"]);
    assert!(floor.len() < bits.len());
    let refused = |bound: &[&str], words: &str| {
        fixture.refused(&[&["compress", FIELD, "-o", "x.fsz"], bound].concat(), words);
    };
    refused(&["--mantissa-bits", "52"], "51");
    refused(&["--mantissa-bits", "7", "--relative", "0.1"], "--relative");
    refused(&["--abs", "1", "--floor", "1"], "--mantissa-bits");
    fixture.write("x_2.f64", &[0; 16]);
    let wide = |bits| ["compress", "x_2.f64", "-o", "wide.fsz", "--mantissa-bits", bits];
    fixture.refused(&wide("27"), "--mantissa-bits 27: of f64 at most 26");
    fixture.fine(&wide("26"));
    // A floor of nothing is none, whatever it is a share of.
    assert_eq!(compress("none.fsz", &["--mantissa-bits", "7", "--floor-range", "0"]), bits);
    for share in ["-1", "nan", "inf"] {
        refused(&["--mantissa-bits", "7", "--floor-range", share], "it must be finite");
    }
}

#[test]
fn a_relative_bound_is_verified_value_by_value() {
    let fixture = Fixture::new();
    let value =
        |i: usize| ((i as f32 * 1e-3).sin() * 20.0).exp() * if i % 90 == 7 { -1.0 } else { 1.0 };
    let values: Vec<f32> = (0..90_000).map(value).collect();
    fixture.write_f32("x_90000.f32", &values);
    for profile in ["paper", "dense"] {
        for floor in [&[][..], &["--floor", "0.5"], &["--floor-range", "1e-9"]] {
            let args = ["compress", "x_90000.f32", "-o", "x.fsz", "-f", "--relative", "1e-2"];
            fixture.fine(&[&args[..], &["--profile", profile], floor].concat());
            let report = fixture.json(&["inspect", "x.fsz", "--json"]);
            assert_eq!(report["bound"]["kind"], "pointwise-relative");
            assert_eq!(report["bound"]["requested"], 0.01);
            let told = report["bound"]["floor"].as_f64().expect("a floor");
            assert_eq!(told > 0.0, !floor.is_empty(), "{told}");
            let worst = report["certificate"]["max_relative_error"].as_f64().expect("it is told");
            assert!(worst > 0.009 && worst < 0.01, "{worst}");
            let found = fixture.json(&["verify", "x.fsz", "--original", "x_90000.f32", "--json"]);
            assert_eq!(found["holds"], true, "{found}");
            assert_eq!(found["max_relative_error"], worst);
            let found = fixture.json(&["compare", "x_90000.f32", "x.fsz", "--json"]);
            assert_eq!((&found["bound_violations"], &found["bound"]), (&0.into(), &told.into()));
        }
    }
    // A value that is off by more than its own share, and by less than that of the largest.
    let mut other = values;
    other[1000] *= 1.05;
    fixture.write_f32("y_90000.f32", &other);
    let run = fixture.run(&["verify", "x.fsz", "--original", "y_90000.f32"]);
    assert_eq!(run.code, 1, "{}", run.out);
    let told = ["violations: 1,", "0.01 of each value"].map(|words| run.out.contains(words));
    assert_eq!(told, [true; 2], "{}", run.out);
    let refused = |words: &[&str], why| {
        fixture.refused(&[&["compress", "x_90000.f32", "-o", "z.fsz"], words].concat(), why);
    };
    refused(&["--relative", "0.7"], "at most 0.5");
    refused(&["--relative", "0.1", "--floor", "-1"], "floor");
    refused(&["--abs", "0.1", "--floor", "1"], "--relative");
    refused(&["--relative", "0.1", "--floor", "1", "--floor-range", "1"], "--floor-range");
}

#[test]
fn a_device_writes_and_reads_the_files_of_the_processor() {
    if let Err(reason) = fsz::devices() {
        assert!(std::env::var_os("FSZ_REQUIRE_CUDA").is_none(), "{reason}");
        return eprintln!("SKIPPED: files through a device: {reason}");
    }
    let fixture = Fixture::with_field();
    for how in [
        &["--range", "1e-3"][..],
        &["--relative", "1e-2"],
        &["--profile", "dense", "--abs", "0.01"],
    ] {
        let compress = |backend, to| {
            let command = ["compress", FIELD, "--force", "--backend", backend, "-o", to];
            fixture.fine(&[&command, how].concat());
            fixture.read(to)
        };
        assert!(compress("cuda", "there.fsz") == compress("cpu", "here.fsz"), "{how:?}");
        for backend in ["cuda", "cpu"] {
            let raw = format!("{backend}.f32");
            fixture.fine(&["decompress", "there.fsz", "--force", "--backend", backend, "-o", &raw]);
        }
        assert!(fixture.read("cuda.f32") == fixture.read("cpu.f32"), "{how:?}");
        fixture.fine(&["verify", "--original", FIELD, "there.fsz", "--backend", "cuda"]);
    }
}

#[test]
fn a_ratio_that_is_missed_is_told() {
    let fixture = Fixture::with_field();
    let compress = |words: &[&str]| {
        let args = ["compress", FIELD, "-f", "--ratio"];
        let run = fixture.run(&[&args[..], words].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run.err
    };
    assert_eq!(compress(&["4", "-o", "x.fsz"]), "");
    // What loses nothing is nobody's trouble.
    for profile in ["paper", "dense"] {
        let told = compress(&["0.5", "-o", "x.fsz", "--profile", profile]);
        let exact =
            told.starts_with("the ratio is ") && told.contains(", not 0.5: all values are exact");
        assert!(exact, "{told}");
    }
    assert_eq!(compress(&["0.5", "-o", "series/"]), "");
    assert_eq!(compress(&["0.5", "-o", "x.fsz", "--quiet"]), "");
    // From the bound that keeps two values to that of which one is enough it jumps.
    let two: Vec<f32> = (0..5000).map(|i| if i % 3 == 2 { 1e5 } else { 1.0 }).collect();
    fixture.write_f32("two_5000.f32", &two);
    for output in ["two.fsz", "pair/"] {
        let run = fixture.run(&["compress", "two_5000.f32", "-o", output, "--ratio", "30"]);
        let told = run.err.starts_with("warning: the ratio is 54.") && run.err.contains("it jumps");
        assert!(told, "{run:?}");
    }
}

/// The bound is held against what was decoded, not against the first original.
#[test]
fn what_was_compressed_before_is_told() {
    let fixture = Fixture::with_stream();
    let first = fixture.json(&["inspect", "T.fsz", "--json"]);
    let own = first["certificate"]["max_abs_error"].as_f64().unwrap();
    for output in ["again.fsz", "series/"] {
        let run = fixture.run(&["compress", "T.fsz", "-o", output, "--abs", "0.5"]);
        let told = "T.fsz was compressed before, with errors of up to ";
        let numbers = run.err.strip_prefix(told).expect("a remark").trim_end();
        let (found, both) = numbers.split_once(": both together are up to ").unwrap();
        let [found, both] = [found, both].map(|number| number.parse::<f64>().unwrap());
        assert!((found / own - 1.0).abs() < 1e-5, "{run:?}");
        let stream = output.replace("series/", "series/T.fsz");
        let error = fixture.json(&["compare", FIELD, &stream, "--json"])["max_abs_error"].as_f64();
        assert!(
            error.unwrap() > 0.5 && error.unwrap() <= both * (1.0 + 1e-5),
            "{error:?}: {run:?}"
        );
    }
    // Of what lost nothing there is nothing to say.
    fixture.fine(&["compress", FIELD, "-o", "exact.fsz", "--abs", "1e-30"]);
    let run = fixture.run(&["compress", "exact.fsz", "-o", "x.fsz", "--abs", "0.5"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}
