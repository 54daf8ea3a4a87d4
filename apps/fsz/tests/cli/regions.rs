//! Bounds by region: `compress --bound-in` and `--bound-where`, and what the other commands say of them.

use serde_json::json;

use crate::fixture::{FIELD, Fixture, SHAPE, field, npy};

const BOX: &str = "1:4,:,10:20=0.001";

/// The test field with a box and a mask.
fn fixture() -> Fixture {
    let fixture = Fixture::with_field();
    let mask: Vec<f32> = (0..SHAPE.iter().product()).map(mask).collect();
    fixture.write_f32("mask_6x20x30.f32", &mask);
    let bounds = ["--abs", "0.1", "--bound-in", BOX, "--bound-where", "mask_6x20x30.f32=0.5"];
    fixture.fine(&[&["compress", FIELD, "-o", "T.fsz"], &bounds[..]].concat());
    fixture
}

/// Every other row, by any number but 0 and NaN.
fn mask(i: usize) -> f32 {
    match i / 30 % 4 {
        0 => 7.0,
        1 => f32::NAN,
        2 => -0.5,
        _ => 0.0,
    }
}

/// What the element keeps.
fn bound(i: usize) -> f32 {
    let (x, z) = (i % 30, i / 600);
    match mask(i) {
        m if m != 0.0 && !m.is_nan() => 0.5,
        _ if (1..4).contains(&z) && (10..20).contains(&x) => 0.001,
        _ => 0.1,
    }
}

#[test]
fn each_value_keeps_the_bound_of_its_region() {
    let fixture = fixture();
    for command in ["decompress", "slice"] {
        let out = format!("{command}.f32");
        let (whole, first) = match command {
            "slice" => (vec!["slice", "T.fsz", "--axis", "0", "--index", "2", "-o", &out], 1200),
            _ => (vec!["decompress", "T.fsz", "-o", &out], 0),
        };
        fixture.fine(&whole);
        let back = fixture.read_f32(&out);
        assert_eq!(back.len(), if command == "slice" { 600 } else { 3600 });
        let mut worst = 0f32;
        for (k, (d, b)) in field()[first..].iter().zip(&back).enumerate() {
            assert!((d - b).abs() <= bound(first + k), "{k}: {d} became {b}");
            worst = worst.max((d - b).abs());
        }
        assert!(worst > 0.2);
    }
}

#[test]
fn a_mask_may_be_of_bool_or_bytes() {
    let fixture = fixture();
    let set = |i: usize| mask(i) != 0.0 && !mask(i).is_nan();
    let compress = |name: &str| {
        let mask = format!("{name}=0.5");
        let args = ["compress", FIELD, "-f", "-o", "M.fsz", "--abs", "0.1", "--bound-in", BOX];
        fixture.fine(&[&args[..], &["--bound-where", &mask]].concat());
        fixture.read("M.fsz")
    };
    let bytes: Vec<u8> = (0..3600).map(|i| u8::from(set(i))).collect();
    fixture.write("b.npy", &npy("|b1", "False", "6, 20, 30", &bytes));
    let more: Vec<u8> = bytes.iter().map(|set| set * 200).collect();
    fixture.write("u.npy", &npy("|u1", "False", "6, 20, 30", &more));
    // The first axis is the fastest.
    let turned =
        (0..3600).map(|i| bytes[i % 6 * 600 + i / 6 % 20 * 30 + i / 120]).collect::<Vec<u8>>();
    fixture.write("f.npy", &npy("|b1", "True", "6, 20, 30", &turned));
    for name in ["b.npy", "u.npy", "f.npy"] {
        assert!(compress(name) == fixture.read("T.fsz"), "{name}");
    }
    fixture.write("i.npy", &npy("<i4", "False", "900", &bytes));
    let with = |mask| ["compress", FIELD, "-o", "x.fsz", "--abs", "0.1", "--bound-where", mask];
    fixture.refused(&with("i.npy=1"), "--bound-where: i.npy: values of type '<i4': a mask is bool");
    fixture.write("s.npy", &npy("|b1", "False", "6, 20, 31", &bytes));
    fixture.refused(&with("s.npy=1"), "shape 6x20x31 of '|b1' does not fit");
    fixture.refused(&["compress", "b.npy", "-o", "x.fsz", "--abs", "1"], ".astype(numpy.float32)");
}

#[test]
fn the_bound_of_each_region_is_verified_and_told() {
    let fixture = fixture();
    let text = fixture.fine(&["verify", "T.fsz", "--original", FIELD]);
    assert!(
        text.contains("bound holds") && text.contains("box 1:4,0:20,10:20: max error"),
        "{text}"
    );
    let found = fixture.json(&["verify", "T.fsz", "--original", FIELD, "--json"]);
    assert_eq!(found["holds"], json!(true));
    assert_eq!(found["regions"][0]["absolute_bound"], json!(0.001));
    assert_eq!(found["regions"][1]["bound_violations"], json!(0));
    let report = fixture.json(&["inspect", "T.fsz", "--json"]);
    assert_eq!(report["regions"][0]["place"], json!("box 1:4,0:20,10:20"));
    assert_eq!(report["regions"][0]["elements"], json!(600));
    assert_eq!(report["regions"][1]["elements"], json!(1800));
    let text = fixture.fine(&["inspect", "T.fsz"]);
    assert!(text.contains("in region      mask of 60 runs: absolute 0.5"), "{text}");
    let seen = fixture.json(&["compare", FIELD, "T.fsz", "--json"]);
    assert_eq!(seen["bound_violations"], json!(0));
    assert_eq!(seen["region_bounds"], json!([{ "bound": 0.001 }, { "bound": 0.5 }]));

    // A value in the box that is off by more than the box allows, and by less than what holds outside of it.
    let mut other = field();
    other[600 + 30 + 12] += 0.05;
    other[30] += 0.05;
    fixture.write_f32("other_6x20x30.f32", &other);
    let run = fixture.run(&["verify", "T.fsz", "--original", "other_6x20x30.f32", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(run.code, 1);
    assert_eq!(found["regions"][0]["bound_violations"], json!(1));
    let seen = fixture.json(&["compare", "other_6x20x30.f32", "T.fsz", "--json"]);
    assert!(seen["bound_violations"].as_u64().unwrap() >= 1);
    let seen = fixture.json(&["compare", FIELD, "T.fsz", "--json", "--bound", "0.001"]);
    assert!(seen["bound_violations"].as_u64().unwrap() > 100);
}

#[test]
fn shares_and_their_floor_are_those_of_the_whole_field() {
    let fixture = Fixture::with_field();
    let span = {
        let (low, high) =
            field().iter().fold((f32::MAX, f32::MIN), |(a, b), &d| (a.min(d), b.max(d)));
        f64::from(high) - f64::from(low)
    };
    let box_ = ["--bound-in", "0,0:3,:=1e-4"];
    fixture.fine(&[&["compress", FIELD, "-o", "r.fsz", "--range", "1e-2"], &box_[..]].concat());
    let report = fixture.json(&["inspect", "r.fsz", "--json"]);
    let absolute = report["regions"][0]["bound"]["absolute"].as_f64().unwrap();
    assert!((absolute / (1e-4 * span) - 1.0).abs() < 1e-9, "{absolute}");
    let relative = ["--relative", "1e-2", "--floor", "0.01"];
    fixture.fine(&[&["compress", FIELD, "-o", "p.fsz"], &relative[..], &box_].concat());
    let report = fixture.json(&["inspect", "p.fsz", "--json"]);
    // In the words of the bound outside.
    let told = ["kind", "requested", "floor"].map(|key| &report["regions"][0]["bound"][key]);
    assert_eq!(told, [&json!("pointwise-relative"), &json!(1e-4), &json!(0.01)]);
    assert_eq!((told[0], told[2]), (&report["bound"]["kind"], &report["bound"]["floor"]));
    for stream in ["r.fsz", "p.fsz"] {
        assert!(fixture.fine(&["verify", stream, "--original", FIELD]).contains("holds"));
    }
}

#[test]
fn what_is_no_region_is_an_error() {
    let fixture = fixture();
    for (arguments, said) in [
        (["--bound-in", "0:2,:=1"], "ranges for 2 of 3 axes: "),
        (["--bound-in", "0:7,:,:=1"], "0:7 is not inside an axis of 6"),
        (["--bound-in", "3:2,:,:=1"], "3:2 ends before it begins"),
        (["--bound-in", "3:3,:,:=1"], "3:3 holds no element: END is not included"),
        (["--bound-in", "7:9,:,:=1"], "--bound-in: 7:9 is not inside an axis of 6"),
        (["--bound-in", ":,20:,:=1"], "--bound-in: 20: holds no element of an axis of 20"),
        (["--bound-in", "0,0,0"], "a bound is missing"),
        (["--bound-in", "0,0,0=-1"], "positive"),
        (["--bound-where", "none.npy=1"], "none.npy"),
        (["--bound-where", "T_6x20x30.f32"], "a bound is missing"),
    ] {
        let command = ["compress", FIELD, "-o", "x.fsz", "--abs", "0.1"];
        let run = fixture.run(&[&command[..], &arguments].concat());
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.err.contains(said), "{arguments:?}: {}", run.err);
    }
    let target = ["compress", FIELD, "-o", "x.fsz", "--psnr", "60", "--bound-in", BOX];
    assert!(fixture.run(&target).err.contains("a target"));
    fixture.write_f32("small_4.f32", &[1.0; 4]);
    let other = ["compress", FIELD, "-o", "x.fsz", "--abs", "1", "--bound-where", "small_4.f32=1"];
    assert_eq!(fixture.run(&other).code, 2);
}

#[test]
fn a_mask_that_is_set_nowhere_is_told() {
    let fixture = fixture();
    fixture.write_f32("none_6x20x30.f32", &[0.0; 3600]);
    fixture.write_f32("U_6x20x30.f32", &field());
    let masks = ["--bound-where", "mask_6x20x30.f32=0.5", "--bound-where", "none_6x20x30.f32=0.01"];
    let told = |inputs: &[&str], out: &str, more: &[&str]| {
        let args = [&["compress", "-f", "--abs", "0.1", "-o", out], inputs, more].concat();
        let run = fixture.run(&args);
        assert_eq!(run.code, 0, "{}", run.err);
        run.err
    };
    let words = "warning: mask 2 is set nowhere: no value keeps its bound\n";
    assert_eq!(told(&[FIELD], "x.fsz", &masks), words);
    assert_eq!(told(&[FIELD, "U_6x20x30.f32"], "s/", &masks), words);
    assert_eq!(told(&[FIELD], "x.fsz", &masks[..2]), "");
    assert_eq!(told(&[FIELD], "x.fsz", &[&masks[..], &["-q"]].concat()), "");
}

#[test]
fn a_series_has_its_regions_in_each_step_and_is_resumed_by_them() {
    let fixture = Fixture::with_field();
    fixture.write_f32("U_6x20x30.f32", &field());
    let command = |region: &'static str| {
        let steps = ["compress", FIELD, "U_6x20x30.f32", "-o", "out/", "--abs", "0.1", "--resume"];
        fixture.fine(&[&steps[..], &["--bound-in", region]].concat())
    };
    command(BOX);
    let again = command(BOX);
    assert!(again.contains('2'), "{again}");
    let written =
        || std::fs::metadata(fixture.path("out/T_6x20x30.fsz")).unwrap().modified().unwrap();
    let before = written();
    command(BOX);
    assert_eq!(written(), before);
    let other = ["--abs", "0.1", "--resume", "--bound-in", "1:4,:,10:20=0.002"];
    let other = [&["compress", FIELD, "U_6x20x30.f32", "-o", "out/"][..], &other].concat();
    fixture.refused(&other, "other bounds by region");
    assert_eq!(written(), before);
}

/// What stands in the place of a mask has an error too, which may be the largest and occur nowhere in the field.
#[test]
fn the_certificate_of_a_stream_with_regions_is_told_as_a_limit() {
    let fixture = Fixture::with_field();
    let mask: Vec<f32> = (0..SHAPE.iter().product()).map(mask).collect();
    fixture.write_f32("mask_6x20x30.f32", &mask);
    let masked = ["--bound-where", "mask_6x20x30.f32=0.5"];
    let boxed = ["--bound-in", BOX];
    for regions in [&masked[..], &boxed, &[boxed, masked].concat()] {
        let args = ["compress", FIELD, "-f", "-o", "R.fsz", "--abs", "0.1"];
        let told = fixture.fine(&[&args[..], regions].concat());
        assert!(told.contains(", max error at most 0."), "{told}");
        let text = fixture.fine(&["inspect", "R.fsz"]);
        let count = text.matches("at most").count();
        assert_eq!(count, regions.len() / 2, "the field, and a box that a mask covers: {text}");
        assert!(text.lines().any(|l| l.contains("max error ") && l.contains(" at most 0.")));
        let report = fixture.json(&["verify", "R.fsz", "--original", FIELD, "--json"]);
        let [found, told] = ["max_abs_error", "certified_max_abs_error"].map(|name| &report[name]);
        assert!(found.as_f64().unwrap() <= told.as_f64().unwrap(), "{report}");
    }
    let told = fixture.fine(&["compress", FIELD, "-f", "-o", "R.fsz", "--abs", "0.1"]);
    assert!(!told.contains("at most"), "{told}");
}

/// In the line that sums up a series as well, until something has measured the field itself.
#[test]
fn the_largest_error_of_a_series_with_regions_is_told_as_a_limit() {
    let fixture = Fixture::with_field();
    fixture.write_f32("U_6x20x30.f32", &field());
    let steps = ["compress", FIELD, "U_6x20x30.f32", "-o", "out/", "--abs", "0.1"];
    let told = fixture.fine(&[&steps[..], &["--bound-in", BOX]].concat());
    let is_limit = |text: &str| text.lines().last().unwrap().contains("max error at most 0.");
    assert!(is_limit(&told), "{told}");
    assert!(told.ends_with("(bound 0.1; in regions 0.001)\n"), "{told}");
    for command in ["inspect", "verify"] {
        let told = fixture.fine(&[command, "out"]);
        assert!(is_limit(&told), "{told}");
    }
    let told = fixture.fine(&["verify", "out", "--original", FIELD, "U_6x20x30.f32"]);
    assert!(!told.contains("at most"), "{told}");
    fixture.fine(&[&steps[..], &["-f"]].concat());
    for command in ["inspect", "verify"] {
        let told = fixture.fine(&[command, "out"]);
        assert!(!told.contains("at most"), "{told}");
    }
}
