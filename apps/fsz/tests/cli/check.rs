//! `verify` and `compare`.

use crate::fixture::{FIELD, Fixture, field, largest_error};

#[test]
fn verify_is_content_with_its_original() {
    let fixture = Fixture::with_stream();
    let out = fixture.fine(&["verify", "T.fsz", "--original", FIELD]);
    assert!(out.contains("bound holds"), "{out}");
    fixture.fine(&["decompress", "T.fsz", "-o", "back.f32"]);
    let found = fixture.json(&["verify", "T.fsz", "--original", FIELD, "--json"]);
    assert_eq!(found["holds"], true);
    assert_eq!(found["max_abs_error"], largest_error(&fixture.read_f32("back.f32"), &field()));
    assert_eq!(found["max_abs_error"], found["certified_max_abs_error"]);
    assert_eq!((&found["bound_violations"], &found["altered"]), (&0.into(), &0.into()));
}

#[test]
fn verify_exits_1_when_the_bound_is_broken() {
    let fixture = Fixture::with_stream();
    let mut other = field();
    other[100] += 5.0;
    other[200] = f32::NAN;
    fixture.write_f32("other.f32", &other);
    let run = fixture.run(&["verify", "T.fsz", "--original", "other.f32"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("VIOLATED"), "{}", run.out);
    let run = fixture.run(&["verify", "T.fsz", "--original", "other.f32", "--json", "-q"]);
    assert_eq!(run.code, 1);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&found["bound_violations"], &found["altered"]), (&1.into(), &1.into()));
    // compare counts alike.
    let found = fixture.json(&["compare", "other.f32", "T.fsz", "--json"]);
    assert_eq!((&found["bound_violations"], &found["altered"]), (&1.into(), &1.into()));
}

#[test]
fn a_nan_of_other_bits_is_changed() {
    let fixture = Fixture::with_field();
    let mut spoiled = field();
    spoiled[200] = f32::NAN;
    fixture.write_f32("nan_6x20x30.f32", &spoiled);
    fixture.fine(&["compress", "nan_6x20x30.f32", "-o", "nan.fsz", "--abs", "1"]);
    let same = fixture.json(&["compare", "nan_6x20x30.f32", "nan.fsz", "--json"]);
    assert_eq!(same["altered"], 0);
    spoiled[200] = f32::from_bits(f32::NAN.to_bits() ^ 1);
    fixture.write_f32("other_6x20x30.f32", &spoiled);
    let found = fixture.json(&["compare", "other_6x20x30.f32", "nan.fsz", "--json"]);
    assert_eq!(found["altered"], 1);
    let run = fixture.run(&["verify", "nan.fsz", "--original", "other_6x20x30.f32", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, &found["altered"]), (1, &1.into()));
}

#[test]
fn values_that_a_reconstruction_lost_are_told() {
    let fixture = Fixture::with_field();
    let told = fixture.fine(&["compare", FIELD, FIELD]);
    assert!(told.ends_with("0 missing; 0 changed\n"), "{told}");
    let mut spoiled = field();
    (spoiled[100], spoiled[200]) = (f32::NAN, f32::INFINITY);
    fixture.write_f32("spoiled.f32", &spoiled);
    // No error of those that are left tells of them.
    let told = fixture.fine(&["compare", FIELD, "spoiled.f32"]);
    assert!(told.ends_with("0 missing; 0 changed, 2 lost\n"), "{told}");
    let found = fixture.json(&["compare", FIELD, "spoiled.f32", "--json"]);
    assert_eq!((&found["lost"], &found["altered"]), (&2.into(), &0.into()));
}

#[test]
fn a_field_of_one_value_has_no_psnr() {
    let fixture = Fixture::new();
    for (name, value) in [("a_600.f32", 3.3), ("b_600.f32", 3.4), ("n_600.f32", f32::NAN)] {
        fixture.write_f32(name, &[value; 600]);
    }
    let told = fixture.fine(&["compare", "a_600.f32", "b_600.f32"]);
    for figure in ["PSNR ", "NRMSE"] {
        assert!(told.contains(&format!("{figure:<18} none: the range is 0\n")), "{told}");
    }
    let found = fixture.json(&["compare", "a_600.f32", "b_600.f32", "--json"]);
    assert!(found["psnr"].is_null() && found["nrmse"].is_null(), "{found}");
    let told = fixture.fine(&["compare", "n_600.f32", "n_600.f32"]);
    assert!(told.contains("none: there is no finite value\n"), "{told}");
}

#[test]
fn verify_exits_1_when_the_certificate_is_wrong() {
    let fixture = Fixture::with_stream();
    fixture.fine(&["decompress", "T.fsz", "-o", "back.f32"]);
    let run = fixture.run(&["verify", "T.fsz", "--original", "back.f32"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("certificate WRONG"), "{}", run.out);
}

#[test]
fn verify_refuses_another_shape() {
    let fixture = Fixture::with_stream();
    fixture.fine(&["compress", FIELD, "-o", "flat.fsz", "--shape", "3600", "--abs", "1"]);
    fixture.fine(&["decompress", "flat.fsz", "-o", "flat.npy"]);
    fixture.refused(&["verify", "T.fsz", "--original", "flat.npy"], "3600");
}

/// A file of f32 is not read as half as many f64, to which it would fit.
#[test]
fn a_raw_file_has_the_type_that_its_name_tells() {
    let fixture = Fixture::with_stream();
    fixture.write("half_6x20x15.f64", &fixture.read(FIELD));
    fixture.fine(&["compress", "half_6x20x15.f64", "-o", "half.fsz", "--abs", "1"]);
    let words = "T_6x20x30.f32: 14400 bytes, but shape 6x20x15 takes 7200 bytes as f32; as f64 it would fit half";
    fixture.refused(&["verify", "half.fsz", "--original", FIELD], words);
    fixture.refused(&["compare", FIELD, "half.fsz"], words);
    fixture.refused(&["compare", "half_6x20x15.f64", FIELD], words);
    // It may be told otherwise, and a name that tells no type has that of the other.
    fixture.fine(&["compare", FIELD, "half.fsz", "--dtype", "f64"]);
    fixture.write("half.dat", &fixture.read(FIELD));
    fixture.fine(&["verify", "half.fsz", "--original", "half.dat"]);
    fixture.fine(&["compare", "half.dat", "half.fsz"]);
}

/// Another type is no wrong --dtype, which verify has not.
#[test]
fn verify_refuses_another_type() {
    let fixture = Fixture::with_stream();
    let wide: Vec<u8> = field().iter().flat_map(|&v| f64::from(v).to_le_bytes()).collect();
    fixture.write("wide_6x20x30.f64", &wide);
    fixture.fine(&["compress", "wide_6x20x30.f64", "-o", "wide.fsz", "--abs", "1"]);
    fixture.fine(&["decompress", "wide.fsz", "-o", "wide.npy"]);
    fixture.refused(
        &["verify", "T.fsz", "--original", "wide.npy"],
        "wide.npy is f64 of shape 6x20x30, and the stream f32 of shape 6x20x30: this is not the original",
    );
}

#[test]
fn verify_without_an_original_tells_whether_a_stream_is_intact() {
    let fixture = Fixture::with_stream();
    let told = fixture.fine(&["verify", "T.fsz"]);
    assert!(
        told.starts_with("T.fsz: intact: every checksum matches; certified max error "),
        "{told}"
    );
    let (found, report) = (
        fixture.json(&["verify", "T.fsz", "--json"]),
        fixture.json(&["inspect", "T.fsz", "--json"]),
    );
    assert_eq!((&found["intact"], &found["holds"]), (&true.into(), &serde_json::Value::Null));
    assert_eq!(found["certified_max_abs_error"], report["certificate"]["max_abs_error"]);
    let mut damaged = fixture.read("T.fsz");
    let at = damaged.len() - 100;
    damaged[at] ^= 1;
    std::fs::create_dir(fixture.path("series")).unwrap();
    for (name, bytes) in [("a", &fixture.read("T.fsz")), ("b", &damaged)] {
        fixture.write(&format!("series/{name}.fsz"), bytes);
    }
    fixture.refused(&["verify", "series/b.fsz"], "corrupt FSZ stream");
    let run = fixture.run(&["verify", "series"]);
    assert_eq!(run.code, 1);
    assert!(
        run.out.starts_with("series/a.fsz: intact") && run.out.contains("1 of 2"),
        "{}",
        run.out
    );
    assert!(run.err.starts_with("error: series/b.fsz: corrupt FSZ stream"), "{}", run.err);
    fixture.write("series/b.fsz", &fixture.read("T.fsz"));
    assert!(fixture.fine(&["verify", "series"]).contains("\nall 2 streams are intact, max error "));
    fixture.refused(&["verify", "T.fsz", "--step", "1"], "--original");
}

#[test]
fn compare_a_stream() {
    let fixture = Fixture::with_stream();
    let found = fixture.json(&["compare", FIELD, "T.fsz", "--json"]);
    let number = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("{key}"));
    assert!(number("max_abs_error") > 0.0);
    assert!(number("psnr") > 60.0 && number("psnr") < 80.0);
    assert!(number("nrmse") < 1e-3);
    assert!(number("ssim") > 0.9 && number("ssim") <= 1.0);
    let report = fixture.json(&["inspect", "T.fsz", "--json"]);
    assert_eq!(found["compression_ratio"], report["compression_ratio"]);
    assert_eq!(found["bits_per_value"], report["bits_per_value"]);
    assert_eq!(found["bound_violations"], 0);
    assert!(fixture.fine(&["compare", FIELD, "T.fsz"]).contains("PSNR"));
}

#[test]
fn compare_plain_values() {
    let fixture = Fixture::with_stream();
    fixture.fine(&["decompress", "T.fsz", "-o", "back.f32"]);
    fixture.fine(&["decompress", "T.fsz", "-o", "back.npy"]);
    let stream = fixture.json(&["compare", FIELD, "T.fsz", "--json"]);
    for (original, reconstructed) in [(FIELD, "back.f32"), (FIELD, "back.npy"), ("back.npy", FIELD)]
    {
        let found =
            fixture.json(&["compare", original, reconstructed, "--json", "--bound", "1e-9"]);
        assert_eq!(found["max_abs_error"], stream["max_abs_error"]);
        assert!(found["compression_ratio"].is_null());
        assert!(found["bound_violations"].as_u64().unwrap() > 100);
    }
    let equal = fixture.json(&["compare", FIELD, FIELD, "--json"]);
    assert!(equal["psnr"].is_null(), "infinite");
    assert_eq!((&equal["ssim"], &equal["max_abs_error"]), (&1.0.into(), &0.0.into()));
    assert!(equal["bound_violations"].is_null(), "no bound");
}

/// A large stream is compared as it is decoded.
#[test]
fn compare_by_parts_finds_the_same() {
    let fixture = Fixture::new();
    let value = |i: usize| (i as f32 * 1e-3).sin() + (i * 7919 % 1000) as f32 * 1e-4;
    let mut values: Vec<f32> = (0..53 * 400 * 400).map(value).collect();
    values[1_000_000..1_000_300].fill(f32::NAN);
    values[5_000_000..5_000_700].fill(1e20);
    let original = "large_53x400x400.f32";
    fixture.write_f32(original, &values);
    let compress = ["compress", original, "-o", "large.fsz", "--abs", "1e-2", "--missing", "1e20"];
    fixture.fine(&[&compress[..], &["--bound-in", "7:30,:,50:300=1e-3"]].concat());
    fixture.fine(&["decompress", "large.fsz", "-o", "back.f32"]);
    let figures = |reconstructed: &str, more: &[&str]| {
        let compare = ["compare", original, reconstructed, "--json"];
        let mut found = fixture.json(&[&compare[..], more].concat());
        let found = found.as_object_mut().unwrap();
        // Those of the stream's file.
        found.retain(|name, _| !["compression_ratio", "bits_per_value"].contains(&name.as_str()));
        (found.remove("region_bounds"), found.clone())
    };
    let (regions, found) = figures("large.fsz", &[]);
    assert_eq!(regions, Some(serde_json::json!([{ "bound": 1e-3 }])));
    assert_eq!(found, figures("back.f32", &["--bound", "0.01", "--missing", "1e20"]).1);
    // A bound of one's own takes the place of theirs.
    let own = ["--bound", "0.0005", "--missing", "1e20"];
    let (regions, found) = figures("large.fsz", &own);
    assert_eq!((regions, &found), (None, &figures("back.f32", &own).1));
    assert!(found["bound_violations"].as_u64().unwrap() > 1000);

    let mut damaged = fixture.read("large.fsz");
    *damaged.last_mut().unwrap() ^= 1;
    fixture.write("damaged.fsz", &damaged);
    fixture.refused(&["compare", original, "damaged.fsz"], "damaged.fsz: corrupt FSZ stream");
}

#[test]
fn compare_leaves_missing_values_out() {
    let fixture = Fixture::new();
    let mut values = field();
    values[50..150].fill(1e20);
    fixture.write_f32("m_6x20x30.f32", &values);
    let args = ["compress", "m_6x20x30.f32", "-o", "m.fsz", "--range", "1e-3"];
    fixture.fine(&[&args[..], &["--missing", "1e20"]].concat());
    let found = fixture.json(&["compare", "m_6x20x30.f32", "m.fsz", "--json"]);
    assert_eq!((&found["missing"], &found["altered"]), (&100.into(), &0.into()));
    assert!(found["psnr"].as_f64().unwrap() < 80.0, "the range is that of the rest");
}

#[test]
fn compare_refuses_what_does_not_fit() {
    let fixture = Fixture::with_stream();
    fixture.write("d_6x20x30.f64", &[0; 8 * 3600]);
    fixture.refused(&["compare", "d_6x20x30.f64", "T.fsz"], "f64");
    fixture.write_f32("small_3.f32", &[0.0; 3]);
    let words =
        "small_3.f32: 12 bytes, but shape 6x20x30 takes 14400 bytes as f32; the shape is that of ";
    fixture.refused(&["compare", "small_3.f32", "T.fsz"], &format!("{words}T.fsz: is this"));
    fixture.refused(&["compare", FIELD, "small_3.f32"], &format!("{words}{FIELD}: is this"));
    let shape = ["compare", "small_3.f32", "T.fsz", "--shape", "6"];
    fixture.refused(&shape, "but shape 6 takes 24 bytes as f32; wrong --shape");
    fixture.refused(&["compare", FIELD, "T.fsz", "--bound", "nan"], "bound");
}

/// Streams tell missing values by their bits: a 0 that is named leaves −0 a number.
#[test]
fn a_negative_zero_is_not_the_missing_zero() {
    let fixture = Fixture::new();
    let values: Vec<f32> = (0..300).map(|i| [0.0, -0.0, i as f32][i % 3]).collect();
    fixture.write_f32("z_300.f32", &values);
    for profile in ["paper", "dense"] {
        let options = ["--abs", "0.25", "--missing", "0", "--force", "--profile", profile];
        fixture.fine(&[&["compress", "z_300.f32", "-o", "z.fsz"][..], &options].concat());
        let out = fixture.fine(&["verify", "z.fsz", "--original", "z_300.f32"]);
        assert!(out.contains("bound holds"), "{out}");
        let found = fixture.json(&["compare", "z_300.f32", "z.fsz", "--json"]);
        assert_eq!((&found["missing"], &found["altered"]), (&100.into(), &0.into()));
        assert_eq!((&found["compared"], &found["bound_violations"]), (&200.into(), &0.into()));
    }
}

/// Of noise around a bound the largest error is often none that an `f32` holds, and the certificate rounds it to one.
#[test]
fn errors_that_the_type_does_not_hold_are_no_wrong_certificate() {
    let fixture = Fixture::new();
    let noise =
        |power: i32| (0..3600).map(move |i| ((i * 7919 % 1000) as f32 / 1000.0).powi(power));
    let mut rounded = 0;
    for (power, range) in [(1, "0.1"), (2, "0.05"), (3, "0.03")] {
        fixture.write_f32("n_60x60.f32", &noise(power).collect::<Vec<_>>());
        let compress = ["compress", "n_60x60.f32", "-o", "n.fsz", "-f", "--range", range];
        for more in [&[][..], &["--bound-in", "0:30,:=0.2"]] {
            for profile in ["paper", "dense"] {
                fixture.fine(&[&compress[..], &["--profile", profile], more].concat());
                let verify = ["verify", "n.fsz", "--original", "n_60x60.f32", "--json"];
                let found = fixture.json(&verify);
                assert_eq!(found["holds"], true, "{power} {profile} {more:?}: {found}");
                let differs = found["max_abs_error"] != found["certified_max_abs_error"];
                rounded += usize::from(more.is_empty() && differs);
            }
        }
    }
    assert!(rounded > 0);
}
