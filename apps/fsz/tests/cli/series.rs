//! `compress` and `decompress` of a series.

use crate::fixture::{FIELD, Fixture, field, largest_error};

/// The field at a step: it grows.
fn at(step: usize) -> Vec<f32> {
    field().into_iter().map(|v| v * (1.0 + step as f32)).collect()
}

const INPUTS: [&str; 3] = ["a_6x20x30.f32", "b_6x20x30.f32", "c_6x20x30.f32"];

fn with_steps() -> Fixture {
    let fixture = Fixture::new();
    for (step, name) in INPUTS.into_iter().enumerate() {
        fixture.write_f32(name, &at(step));
        age(&fixture, name);
    }
    fixture
}

/// Makes a file older than all that is made of it, however coarse the file system's clock.
fn age(fixture: &Fixture, name: &str) {
    let file = std::fs::File::options().write(true).open(fixture.path(name)).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
    // The time of this change is later than the one that was set.
    std::thread::sleep(std::time::Duration::from_millis(20));
}

/// What `inspect` says of the series' file of an input.
fn report(fixture: &Fixture, input: &str) -> serde_json::Value {
    let file = format!("out/{}.fsz", input.strip_suffix(".f32").unwrap());
    fixture.json(&["inspect", &file, "--json"])
}

fn compress<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&["compress"][..], &INPUTS, &["-o", "out"], options].concat()
}

/// The range of all steps.
fn range() -> f64 {
    let all = (0..3).flat_map(at).map(f64::from);
    let (min, max) = all.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
    max - min
}

#[test]
fn all_steps_have_a_share_of_one_range() {
    let fixture = with_steps();
    let told = fixture.fine(&compress(&["--range", "1e-3"]));
    assert!(told.starts_with("out: 3 steps, ") && told.lines().count() == 1, "{told}");
    for (step, input) in INPUTS.into_iter().enumerate() {
        let report = report(&fixture, input);
        assert_eq!(
            (&report["bound"]["kind"], &report["step"]),
            (&"value-range".into(), &step.into())
        );
        let bound = report["bound"]["absolute"].as_f64().unwrap();
        assert!((bound / (1e-3 * range()) - 1.0).abs() < 1e-9, "{bound}");
        let name = input.strip_suffix(".f32").unwrap();
        fixture.fine(&["decompress", &format!("out/{name}.fsz"), "-o", "x.f32", "--force"]);
        assert!(largest_error(&fixture.read_f32("x.f32"), &at(step)) <= bound);
    }
    // The same range, given.
    let first = fixture.read("out/a_6x20x30.fsz");
    let all = (0..3).flat_map(at).map(f64::from);
    let (min, max) = all.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
    let (min, max) = (min.to_string(), max.to_string());
    let given = ["--range", "1e-3", "--range-min", &min, "--range-max", &max, "--force"];
    fixture.fine(&compress(&given));
    assert_eq!(fixture.read("out/a_6x20x30.fsz"), first);
    fixture.refused(&compress(&["--range", "1e-3", "--range-min", "1"]), "--range-max");
    for (min, max) in [("nan", "1"), ("1", "nan"), ("2", "1"), ("0", "inf")] {
        let ends = ["--range-min", min, "--range-max", max, "--force"];
        let range = [&["--range", "1e-3"][..], &ends].concat();
        fixture.refused(&compress(&range), "both must be finite");
        let floor = [&["--relative", "1e-3", "--floor-range", "1e-3"][..], &ends].concat();
        fixture.refused(&compress(&floor), "both must be finite");
    }
    fixture.refused(
        &compress(&["--abs", "1", "--force", "--range-min", "1", "--range-max", "2"]),
        "--range",
    );
}

#[test]
fn a_floor_is_a_share_of_one_range_too() {
    let fixture = with_steps();
    let bound = ["--relative", "1e-3", "--floor-range", "1e-3"];
    let told = fixture.fine(&compress(&bound));
    assert!(told.contains("bound 0.001 of each value, or "), "{told}");
    for input in INPUTS {
        let floor = report(&fixture, input)["bound"]["floor"].as_f64().unwrap();
        assert!((floor / (1e-3 * range()) - 1.0).abs() < 1e-9, "{floor}");
    }
    let again = fixture.fine(&compress(&[&bound[..], &["--resume"]].concat()));
    assert!(again.contains("(3 kept)"), "{again}");
    let other = ["--relative", "1e-3", "--floor-range", "1e-4", "--resume"];
    let floor = |share: f64| fsz_figure::number::short(share * range());
    let (is, asked) = (floor(1e-3), floor(1e-4));
    let told = format!("out/a_6x20x30.fsz has the floor {is}, not {asked}: choose");
    fixture.refused(&compress(&other), &told);
    let other = ["--relative", "1e-3", "--floor", "1e-4", "--resume"];
    fixture.refused(&compress(&other), ", not pointwise-relative 0.001, floor 0.0001: choose");
}

/// Of values whose largest less the smallest one is beyond `f64`.
#[test]
fn a_floor_is_a_share_of_a_range_that_overflows() {
    let fixture = Fixture::new();
    let values = (0..600).map(|i| 1.7e308 * (0.05 * f64::from(i)).sin());
    fixture.write("a_600.f64", &values.flat_map(f64::to_le_bytes).collect::<Vec<u8>>());
    age(&fixture, "a_600.f64");
    let floor = |stream: &str| {
        fixture.json(&["inspect", stream, "--json"])["bound"]["floor"].as_f64().unwrap()
    };
    let bound = ["compress", "a_600.f64", "--relative", "1e-3", "--floor-range", "1e-3", "-o"];
    fixture.fine(&[&bound[..], &["alone.fsz"]].concat());
    fixture.fine(&[&bound[..], &["out/"]].concat());
    assert!(floor("alone.fsz") > 1e305);
    assert_eq!(floor("out/a_600.fsz"), floor("alone.fsz"));
    let ends = ["--range-min=-1.7e308", "--range-max", "1.7e308"];
    fixture.fine(&[&bound[..], &["given.fsz"], &ends].concat());
    assert_eq!(floor("given.fsz"), floor("alone.fsz"));
    let again = fixture.fine(&[&bound[..], &["out/", "--resume"]].concat());
    assert!(again.contains("(1 kept)"), "{again}");
    // Of a range that does not overflow it is another floor.
    let other = ["--range-min", "0", "--range-max", "1e308"];
    fixture.fine(&[&bound[..], &["out/", "--force"], &other].concat());
    fixture.refused(&[&bound[..], &["out/", "--resume"]].concat(), "has the floor 1e305, not 1.79");
}

#[test]
fn what_exists_is_kept_resumed_or_overwritten() {
    let fixture = with_steps();
    fixture.fine(&compress(&["--range", "1e-3"]));
    let before = fixture.read("out/b_6x20x30.fsz");
    fixture.refused(&compress(&["--range", "1e-3"]), "--resume");
    std::fs::remove_file(fixture.path("out/b_6x20x30.fsz")).unwrap();
    let told = fixture.fine(&compress(&["--range", "1e-3", "--resume"]));
    assert!(told.contains("(2 kept)"), "{told}");
    assert_eq!(fixture.read("out/b_6x20x30.fsz"), before);
    // A step that was added or changed changes the range that all share: then all of them are made anew.
    let longer: Vec<f32> = at(2).into_iter().map(|v| v * 2.0).collect();
    fixture.write_f32(INPUTS[2], &longer);
    let told = fixture.fine(&compress(&["--range", "1e-3", "--resume"]));
    assert!(told.contains("(3 replaced: inputs changed)"), "{told}");
    assert_ne!(fixture.read("out/b_6x20x30.fsz"), before);
    let told = fixture.fine(&compress(&["--abs", "0.5", "--force"]));
    assert!(!told.contains("there"), "{told}");
}

#[test]
fn a_step_is_kept_where_it_is_in_the_list() {
    let fixture = with_steps();
    let series = |inputs: &[&'static str]| {
        fixture.fine(&[&["compress"], inputs, &["-o", "out", "--abs", "1e-3", "--resume"]].concat())
    };
    series(&INPUTS[1..]);
    let told = series(&INPUTS);
    assert!(told.contains("(2 replaced: inputs changed)"), "{told}");
    let steps = INPUTS.map(|input| report(&fixture, input)["step"].as_u64());
    assert_eq!(steps, [Some(0), Some(1), Some(2)]);
    let told = series(&INPUTS);
    assert!(told.contains("(3 kept)"), "{told}");
}
/// What a file that all steps are coded like tells is in each of them.
#[test]
fn steps_coded_like_another_file_are_made_anew() {
    let fixture = with_steps();
    let dense = ["--abs", "0.01", "--profile", "dense"];
    for (step, model) in [(0, "first.fsz"), (2, "last.fsz")] {
        fixture.fine(&[&["compress", INPUTS[step], "-o", model], &dense[..]].concat());
    }
    let like = |model: &'static str| compress(&["--abs", "0.01", "--resume", "--like", model]);
    let streams =
        || INPUTS.map(|input| fixture.read(&format!("out/{}", input.replace("f32", "fsz"))));
    fixture.fine(&like("first.fsz"));
    let of_first = streams();
    assert!(fixture.fine(&like("first.fsz")).contains("(3 kept)"));
    let told = fixture.fine(&like("last.fsz"));
    assert!(told.contains("(3 replaced: --like another file)"), "{told}");
    assert!(streams().iter().zip(&of_first).all(|(now, before)| now != before));
    assert!(fixture.fine(&like("last.fsz")).contains("(3 kept)"));
    // The same file under another name, or written once more, is the same to them.
    std::fs::copy(fixture.path("last.fsz"), fixture.path("copy.fsz")).unwrap();
    assert!(fixture.fine(&like("copy.fsz")).contains("(3 kept)"));
    fixture.fine(&like("first.fsz"));
    assert_eq!(streams(), of_first);
}

/// As by `mv`, `cp -p` and what unpacks archives: files that were written before the streams come to the inputs' places.
#[cfg(unix)]
#[test]
fn an_input_that_was_replaced_by_an_older_file_has_changed() {
    let fixture = with_steps();
    let link = "link_6x20x30.f32";
    std::os::unix::fs::symlink(INPUTS[2], fixture.path(link)).unwrap();
    let others = ["other_6x20x30.f32", "restored_6x20x30.f32"];
    for (step, name) in others.into_iter().enumerate() {
        fixture.write_f32(name, &at(5 + step));
        age(&fixture, name);
    }
    let inputs = [INPUTS[0], INPUTS[1], link];
    let series = [&["compress"][..], &inputs, &["-o", "out", "--abs", "1e-3", "--resume"]].concat();
    fixture.fine(&series);
    assert!(fixture.fine(&series).contains("(3 kept)"));
    std::fs::rename(fixture.path(others[0]), fixture.path(INPUTS[1])).unwrap();
    std::fs::remove_file(fixture.path(link)).unwrap();
    std::os::unix::fs::symlink(others[1], fixture.path(link)).unwrap();
    let told = fixture.fine(&series);
    assert!(told.contains("(1 kept, 2 replaced: inputs changed)"), "{told}");
    let verified = [&["verify", "out", "--original"][..], &inputs].concat();
    assert!(fixture.fine(&verified).contains("all 3 streams hold"));
    assert!(fixture.fine(&series).contains("(3 kept)"));
}

/// Another run has files of the same names, written before the streams of the first one.
#[test]
fn steps_of_another_folder_are_not_kept() {
    let fixture = Fixture::new();
    let runs = ["first", "second"];
    let by_run = |run: usize, step: usize| -> Vec<f32> {
        at(step).into_iter().map(|v| v + run as f32).collect()
    };
    let npy = |values: &[f32]| {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        crate::fixture::npy("<f4", "False", "6, 20, 30", &bytes)
    };
    for (run, folder) in runs.into_iter().enumerate() {
        std::fs::create_dir(fixture.path(folder)).unwrap();
        fixture.write_f32(&format!("{folder}/a_6x20x30.f32"), &by_run(run, 0));
        fixture.write(&format!("{folder}/b.npy"), &npy(&by_run(run, 1)));
        age(&fixture, &format!("{folder}/a_6x20x30.f32"));
        age(&fixture, &format!("{folder}/b.npy"));
    }
    for bound in
        [&["--abs", "1e-2"][..], &["--relative", "1e-3"], &["--abs", "1e-2", "--profile", "dense"]]
    {
        let told = |folder: &str| {
            let inputs = ["a_6x20x30.f32", "b.npy"].map(|name| format!("{folder}/{name}"));
            let [a, b] = inputs.each_ref().map(String::as_str);
            fixture.fine(&[&["compress", a, b, "-o", "out", "--resume"], bound].concat())
        };
        told("first");
        assert!(told("first").contains("(2 kept)"));
        assert!(told("second").contains("(2 replaced: inputs changed)"));
        let second = ["second/a_6x20x30.f32", "second/b.npy"];
        fixture.fine(&[&["verify", "out", "--original"][..], &second].concat());
        assert!(told("second").contains("(2 kept)"));
        std::fs::remove_dir_all(fixture.path("out")).unwrap();
    }
    fixture.fine(&["compress", "first/b.npy", "-o", "out/", "--abs", "1e-2"]);
    fixture.write("second/b.npy", &crate::fixture::npy("<f4", "False", "3600", &[0; 4 * 3600]));
    age(&fixture, "second/b.npy");
    let other = ["compress", "second/b.npy", "-o", "out/", "--abs", "1e-2", "--resume"];
    std::fs::copy(fixture.path("out/b.fsz"), fixture.path("copy.fsz")).unwrap();
    std::fs::rename(fixture.path("copy.fsz"), fixture.path("out/b.fsz")).unwrap();
    fixture.refused(&other, "out/b.fsz has the shape 6x20x30, not 3600:");
}

/// What is no number, and regions with bounds of their own, are as they were.
#[test]
fn steps_with_exceptions_are_kept() {
    let fixture = Fixture::new();
    let mut values = field();
    for (i, value) in values.iter_mut().enumerate() {
        match i % 5 {
            0 => *value = f32::NAN,
            1 => *value = -999.0,
            2 if i % 2 == 0 => *value = f32::NEG_INFINITY,
            _ => {}
        }
    }
    fixture.write_f32(FIELD, &values);
    age(&fixture, FIELD);
    for bound in [
        &["--abs", "1e-2", "--missing=-999", "--bound-in", "0:3,:,:=1"][..],
        &["--relative", "1e-2", "--missing=-999", "--floor", "0.5"],
        &["--abs", "1e-3", "--missing=-999", "--profile", "dense"],
    ] {
        let series = [&["compress", FIELD, "-o", "out/", "--resume"], bound].concat();
        fixture.fine(&series);
        let told = fixture.fine(&series);
        assert!(told.contains("(1 kept)"), "{bound:?}: {told}");
        std::fs::remove_dir_all(fixture.path("out")).unwrap();
    }
}

/// Solvers number their files by the ending.
#[test]
fn steps_may_be_the_endings_of_names() {
    let fixture = Fixture::new();
    let names = ["u.0001", "u.0002", "u.0010"];
    for (step, name) in names.into_iter().enumerate() {
        fixture.write_f32(name, &at(step));
    }
    let series = [&["compress"][..], &names, &["-o", "out", "--abs", "0.01"]].concat();
    fixture.refused(&series, "u.0001: unknown shape: give --shape");
    fixture.fine(&[&series[..], &["--shape", "6x20x30", "--dtype", "f32"]].concat());
    for (step, name) in names.into_iter().enumerate() {
        let report = fixture.json(&["inspect", &format!("out/{name}.fsz"), "--json"]);
        assert_eq!(report["step"], step);
    }
    let verified = fixture.fine(&[&["verify", "out", "--original"][..], &names].concat());
    assert!(verified.contains("all 3 streams hold"), "{verified}");
    fixture.fine(&["decompress", "out", "-o", "back"]);
    assert!(fixture.path("back/u.0010.npy").exists());
    let figures = fixture.path("b.json");
    let bench = ["bench", "u.0001", "u.0010", "--target-mb", "1", "--repeat", "1"];
    fixture
        .fine(&[&bench[..], &["--shape", "6x20x30", "--json", figures.to_str().unwrap()]].concat());
    let rows: serde_json::Value = serde_json::from_slice(&fixture.read("b.json")).unwrap();
    assert!(rows.as_array().unwrap().iter().any(|row| row["field"] == "u.0010"), "{rows}");
    let study = ["study", "u.0001", "u.0002", "-o", "s", "--shape", "6x20x30", "--range", "1e-2"];
    let told = fixture.run(&study).err;
    assert!(told.starts_with("u.0001 (1 of 2)") && told.contains("u.0002 (2 of 2)"), "{told}");
    // As a shell lists them.
    let names = ["u.10", "u.9"];
    names.into_iter().for_each(|name| fixture.write_f32(name, &at(0)));
    let run = fixture.run(&["compress", "u.10", "u.9", "-o", "o", "--abs", "1", "--shape", "3600"]);
    assert!(run.err.contains("warning: u.10 is step 0 and u.9 step 1"), "{run:?}");
}

/// Their own steps are not those of the list.
#[test]
fn streams_are_resumed_as_well() {
    let fixture = with_steps();
    for (input, step) in INPUTS.into_iter().zip(["5", "7", "9"]) {
        let stream = input.replace(".f32", ".fsz");
        fixture.fine(&["compress", input, "-o", &stream, "--abs", "1e-4", "--step", step]);
        age(&fixture, &stream);
    }
    let streams = INPUTS.map(|input| input.replace(".f32", ".fsz"));
    let inputs = streams.each_ref().map(String::as_str);
    let series = ["-o", "out", "--abs", "1e-3", "--resume"];
    fixture.fine(&[&["compress"][..], &inputs, &series].concat());
    let told = fixture.fine(&[&["compress"][..], &inputs, &series].concat());
    assert!(told.contains("(3 kept)"), "{told}");
    assert_eq!(report(&fixture, INPUTS[1])["step"], 7);
}

#[test]
fn a_damaged_step_is_made_anew_when_it_is_deleted() {
    let fixture = with_steps();
    fixture.fine(&compress(&["--range", "1e-3"]));
    let step = "out/b_6x20x30.fsz";
    let whole = fixture.read(step);
    fixture.write(step, &whole[..whole.len() / 2]);
    let resume = compress(&["--range", "1e-3", "--resume"]);
    fixture.refused(&resume, "; once it is deleted, --resume makes it anew");
    std::fs::remove_file(fixture.path(step)).unwrap();
    fixture.fine(&resume);
    assert_eq!(fixture.read(step), whole);
}

#[test]
fn a_step_of_a_damaged_payload_is_made_anew() {
    for profile in ["paper", "dense"] {
        let fixture = with_steps();
        let bound = ["--range", "1e-3", "--profile", profile];
        fixture.fine(&compress(&bound));
        let step = "out/b_6x20x30.fsz";
        let whole = fixture.read(step);
        let payload = fsz::Stream::open(&whole).unwrap().payload().len();
        let places = [payload, payload / 2, 1].map(|back| Some(whole.len() - back));
        for damaged in [None].into_iter().chain(places) {
            let mut bytes = whole.clone();
            damaged.into_iter().for_each(|at| bytes[at] ^= 0x10);
            fixture.write(step, &bytes);
            let told = fixture.fine(&compress(&[&bound[..], &["--resume"]].concat()));
            let expected = match damaged {
                None => "(3 kept)",
                Some(_) => "(2 kept, 1 replaced: damaged)",
            };
            assert!(told.contains(expected), "{profile}, {damaged:?}: {told}");
            assert!(fixture.read(step) == whole, "{profile}, {damaged:?}");
        }
    }
}

#[test]
fn a_series_of_other_options_is_not_resumed() {
    let fixture = with_steps();
    fixture.fine(&compress(&["--range", "1e-3", "--missing", "1e20", "--name", "T"]));
    let before = fixture.read("out/b_6x20x30.fsz");
    // A step is left to be made.
    std::fs::remove_file(fixture.path("out/c_6x20x30.fsz")).unwrap();
    let same = ["--resume", "--missing", "1e20"];
    let refused = |options: &[&'static str], words: &str| {
        let options = compress(&[&same[..], options].concat());
        fixture.refused(&options, &format!("out/a_6x20x30.fsz has {words}"));
        fixture.refused(&options, "with --force in place of --resume");
        assert!(!fixture.path("out/c_6x20x30.fsz").exists());
        assert_eq!(fixture.read("out/b_6x20x30.fsz"), before);
    };
    refused(&["--range", "1e-2"], "the bound value-range 0.001, not value-range 0.01:");
    refused(&["--abs", "1"], "the bound value-range 0.001, not absolute 1:");
    refused(
        &["--range", "1e-3", "--profile", "dense", "--name", "U"],
        "the profile paper, not dense; the name T, not U:",
    );
    refused(&["--range", "1e-3", "--name", ""], "the name T, not none:");
    refused(&["--range", "1e-3", "--missing", "7"], "the missing values 1e20, not 1e20, 7:");
    refused(&["--range", "1e-3", "--no-centering"], "other research options:");
    refused(&["--range", "1e-3", "--bound-in", ":,:,:=1e-4"], "other bounds by region:");
    refused(&["--range", "1e-3", "--range-min", "0", "--range-max", "1"], "a bound of a range of ");
    refused(&["--range", "1e-3", "--shape", "3600"], "the shape 6x20x30, not 3600:");
    // The same options, in other words.
    let told = fixture.fine(&compress(&[&same[..], &["--range", "0.001"]].concat()));
    assert!(told.contains("(2 kept)"), "{told}");
    // Nothing that an earlier run left.
    fixture.write("out/b_6x20x30.fsz", b"notes");
    let options = compress(&[&same[..], &["--range", "1e-3"]].concat());
    fixture.refused(&options, "out/b_6x20x30.fsz: not an FSZ stream");
    assert_eq!(fixture.read("out/b_6x20x30.fsz"), b"notes");
}

/// Of raw values, without a shape on the command line, it is the one in the name.
#[test]
fn steps_of_another_shape_are_not_kept() {
    let fixture = with_steps();
    let told = |options: &[&'static str]| compress(&[&["--abs", "1"], options].concat());
    fixture.fine(&told(&["--shape", "3600"]));
    std::fs::remove_file(fixture.path("out/c_6x20x30.fsz")).unwrap();
    fixture.refused(&told(&["--resume"]), "out/a_6x20x30.fsz has the shape 3600, not 6x20x30:");
    assert!(!fixture.path("out/c_6x20x30.fsz").exists());
    let same = fixture.fine(&told(&["--shape", "3600", "--resume"]));
    assert!(same.contains("(2 kept)"), "{same}");
    // By half as many values of twice the size.
    fixture.fine(&told(&["--shape", "1800", "--dtype", "f64", "--force"]));
    let words = "has the shape 1800, not 3600; the type f64, not f32:";
    fixture.refused(&told(&["--shape", "3600", "--resume"]), words);
}

#[test]
fn a_layout_and_a_field_without_range_are_resumed_too() {
    let fixture = with_steps();
    for input in INPUTS {
        fixture.write_f32(input, &[2.5; 3600]);
        age(&fixture, input);
    }
    let dense = ["--range", "1e-3", "--profile", "dense", "--layout", "plane", "--name", ""];
    fixture.fine(&compress(&dense));
    let told = fixture.fine(&compress(&[&dense[..], &["--resume"]].concat()));
    assert!(told.contains("(3 kept)"), "{told}");
    let other = [&dense[..5], &["line", "--resume"]].concat();
    fixture.refused(&compress(&other), "the layout plane, not line:");
}

#[test]
fn a_single_file_is_not_resumed() {
    let fixture = Fixture::with_field();
    let words = ["compress", FIELD, "-o", "x.fsz", "--abs", "1", "--resume"];
    fixture.refused(&words, "--resume continues a series");
}

/// What is wrong with one of many fields is told with its name.
#[test]
fn an_error_names_the_step() {
    let fixture = with_steps();
    fixture.write_f32("noise_40x50.f32", &[1.0, 7.5, -3.0, 2.25].repeat(500));
    let series = ["compress", INPUTS[0], "noise_40x50.f32", "-o", "out"];
    let run = fixture.run(&[&series[..], &["--max-bytes", "300"]].concat());
    assert!(run.err.starts_with(&format!("error: {}: a limit of 300 bytes", INPUTS[0])), "{run:?}");
    let run = fixture.run(&[&series[..], &["--abs", "1", "--bound-in", "0,:,:=2"]].concat());
    assert!(run.err.contains("error: noise_40x50.f32: --bound-in: a box"), "{run:?}");
}

#[test]
fn a_folder_as_output_makes_a_series_of_one() {
    let fixture = Fixture::with_field();
    fixture.fine(&["compress", FIELD, "-o", "new/", "--abs", "0.1"]);
    fixture.fine(&["inspect", "new/T_6x20x30.fsz"]);
    // One is one.
    let told = fixture.fine(&["verify", "new"]);
    assert!(told.contains("\nthe stream is intact, max error "), "{told}");
    let told = fixture.fine(&["verify", "new", "--original", FIELD]);
    assert!(told.contains("\nthe stream holds, max error "), "{told}");
    assert_eq!(fixture.fine(&["decompress", "new", "-o", "back"]), "back: 1 field, 14.4 kB\n");
    // Without the stroke it is a file.
    fixture.fine(&["compress", FIELD, "-o", "file", "--abs", "0.1"]);
    assert!(fixture.path("file").is_file());
}

#[test]
fn a_failure_in_the_first_step_leaves_no_folder() {
    let fixture = with_steps();
    fixture.fine(&["compress", INPUTS[0], "-o", "bad.fsz", "--abs", "1"]);
    let mut bytes = fixture.read("bad.fsz");
    *bytes.last_mut().unwrap() ^= 1;
    fixture.write("bad.fsz", &bytes);
    fixture.refused(&["compress", "bad.fsz", INPUTS[1], "-o", "new/out", "--abs", "1"], "bad.fsz");
    // What is complete stays.
    let late = fixture.run(&["compress", INPUTS[1], "bad.fsz", "-o", "new/out", "--abs", "1"]);
    assert!(late.code == 2 && late.err.contains("completed steps are kept"), "{}", late.err);
    assert!(fixture.path("new/out/b_6x20x30.fsz").exists());
}

#[test]
fn misuse() {
    let fixture = with_steps();
    std::fs::create_dir(fixture.path("sub")).unwrap();
    fixture.write_f32("sub/a_6x20x30.f32", &at(0));
    let twice = ["compress", INPUTS[0], "sub/a_6x20x30.f32", "-o", "out", "--abs", "1"];
    fixture.refused(&twice, "two inputs");
    fixture.refused(&["compress", INPUTS[0], "none.f32", "-o", "out", "--abs", "1"], "none.f32");
    // A wrong bound is told before the folder is made.
    for (bound, words) in [
        (&["--abs", "-1"][..], "absolute bound -1"),
        (&["--relative", "0.7"], "bound 0.7: it must be at most 0.5"),
        (&["--relative", "0.1", "--floor-range", "-1"], "--floor-range -1: it must be finite"),
    ] {
        fixture.refused(&[&["compress", INPUTS[0], INPUTS[1], "-o", "new"], bound].concat(), words);
    }
    fixture.refused(
        &["compress", INPUTS[0], INPUTS[1], "-o", FIELD, "--abs", "1", "--variable", "T"],
        "T",
    );
    let two = ["compress", INPUTS[0], INPUTS[1], "--abs", "1", "-o"];
    fixture.refused(&[&two[..], &[INPUTS[2]]].concat(), "is a file: several inputs go to a folder");
    let file = "sub/a_6x20x30.f32";
    for inside in [format!("{file}/"), format!("{file}/new"), format!("{file}/new/")] {
        let told = "sub/a_6x20x30.f32: is a file: name a folder";
        fixture.refused(&[&two[..], &[&inside]].concat(), told);
    }
    fixture.refused(&[&two[..], &["-"]].concat(), "not to standard output");
    // What has this name changes nothing.
    std::fs::create_dir(fixture.path("-")).unwrap();
    fixture.refused(&[&two[..], &["-"]].concat(), "not to standard output");
    let one = fixture.command(&["compress", INPUTS[0], "--abs", "1", "-o", "-"]).output().unwrap();
    assert!(one.stdout.starts_with(b"\x89FSZ"), "{one:?}");
    let names = ["--variable", "T", "--variable", "U"];
    fixture.refused(
        &[&["compress", INPUTS[0], "-o", "x.fsz", "--abs", "1"][..], &names].concat(),
        "folder",
    );
}

/// A series whose second step never ends by itself soon: zeros that take no room on disk.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_keeps_what_is_complete_and_resume_goes_on() {
    use std::time::{Duration, Instant};

    let fixture = with_steps();
    let zeros = fixture.path("z_2000000000.f32");
    std::fs::File::create(zeros).unwrap().set_len(8_000_000_000).unwrap();
    let inputs = [INPUTS[0], "z_2000000000.f32"];
    let options = ["-o", "out", "--abs", "1e-3", "--threads", "1"];
    let child = fixture.spawn(&[&["compress"][..], &inputs, &options].concat());
    let deadline = Instant::now() + Duration::from_secs(60);
    while !fixture.path("out/a_6x20x30.fsz").exists() {
        assert!(Instant::now() < deadline, "the first step is never complete");
        std::thread::sleep(Duration::from_millis(1));
    }
    crate::interrupt::signal(&child, libc::SIGINT);
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{told}");
    assert!(told.contains("continue with --resume"), "{told}");
    let files: Vec<_> = std::fs::read_dir(fixture.path("out")).unwrap().collect();
    assert_eq!(files.len(), 1);
    // A shorter step in place of the long one.
    fixture.write_f32("z_7.f32", &[1.0; 7]);
    let inputs = [INPUTS[0], "z_7.f32"];
    let words = [&["compress"][..], &inputs, &["-o", "out", "--abs", "1e-3", "--resume"]].concat();
    assert!(fixture.fine(&words).contains("2 steps (1 kept)"));
}

#[test]
fn of_equal_errors_the_first_is_told() {
    let fixture = Fixture::new();
    let names = ["a_6x20x30.f32", "b_6x20x30.f32"];
    names.iter().for_each(|name| fixture.write_f32(name, &field()));
    fixture.fine(&[&["compress", "-o", "out", "--abs", "0.1"], &names[..]].concat());
    let shown = fixture.fine(&["inspect", "out"]);
    assert!(shown.ends_with(" at step 0, a_6x20x30.fsz\n"), "{shown}");
    let verified = fixture.fine(&[&["verify", "out", "--original"], &names[..]].concat());
    assert!(verified.ends_with(" in out/a_6x20x30.fsz\n"), "{verified}");
    // Streams that tell no step are none.
    for name in ["a", "b"] {
        let input = format!("{name}_6x20x30.f32");
        fixture.fine(&["compress", &input, "-o", &format!("{name}.fsz"), "--abs", "0.1"]);
    }
    let shown = fixture.fine(&["inspect", "a.fsz", "b.fsz"]);
    assert!(shown.ends_with(" in a.fsz\n"), "{shown}");
}

#[test]
fn a_folder_is_shown_over_its_steps() {
    let fixture = with_steps();
    fixture.fine(&compress(&["--range", "1e-3", "--name", "T"]));
    let run = fixture.run(&["inspect", "out", "--plot", "plot.svg"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (0, "plot.svg: ratio and error of 3 steps\n"),
        "{run:?}"
    );
    let text = run.out;
    // The folder, a head, three steps, and all together.
    assert_eq!(text.lines().count(), 6, "{text}");
    assert!(text.contains("c_6x20x30.fsz") && text.contains("T: 3 steps, "), "{text}");
    let svg = fixture.read_text("plot.svg");
    assert!(svg.starts_with("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 480 500'>"));
    // Ratio, error and bound.
    assert_eq!(svg.matches("<polyline").count(), 3, "{svg}");
    for words in ["compression ratio", "largest error", ">T bound<", ">step<"] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
    fixture.refused(&["inspect", "out", "--plot", "plot.svg"], "--force");
    // One output at a time; with a file both.
    assert_eq!(fixture.fine(&["inspect", "out", "--plot", "-"]), svg);
    let both = ["inspect", "out", "--json", "--plot"];
    fixture.refused(&[&both[..], &["-"]].concat(), "name a file for the plot");
    let quiet = fixture.run(&[&both[..], &["plot.svg", "--force", "--quiet"]].concat());
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""), "{quiet:?}");
    let folder = fixture.json(&["inspect", "out", "--json"]);
    let steps: Vec<u64> = folder["streams"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stream| stream["step"].as_u64().unwrap())
        .collect();
    assert_eq!(steps, [0, 1, 2]);
    assert_eq!(folder["streams"][1]["file"], "b_6x20x30.fsz");
    fixture.refused(&["inspect", "out/a_6x20x30.fsz", "--plot", "p.svg"], "--plot");
    fixture.refused(&["inspect", "out", "--tiles", "t.csv"], "--tiles");
    assert!(text.ends_with(" at step 0, a_6x20x30.fsz\n"), "{text}");
}

/// Also where a name is no text, or has what is part of a path elsewhere.
#[cfg(unix)]
#[test]
fn streams_have_the_names_of_their_inputs() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let fixture = Fixture::new();
    let inputs = [&b"a\xff.npy"[..], b"a\xfe.npy", b"a\\b.npy"].map(OsStr::from_bytes);
    fixture.write_f32(FIELD, &field());
    fixture.fine(&["compress", FIELD, "-o", "x.fsz", "--abs", "1"]);
    fixture.fine(&["decompress", "x.fsz", "-o", "x.npy"]);
    for input in inputs {
        std::fs::copy(fixture.path("x.npy"), fixture.path("").join(input)).unwrap();
    }
    let run = |before: &[&str]| fixture.command(before).args(inputs).output().unwrap();
    let compressed = run(&["compress", "-o", "out", "--abs", "1"]);
    assert!(compressed.status.success(), "{compressed:?}");
    let names = [&b"a\xff.fsz"[..], b"a\xfe.fsz", b"a\\b.fsz"].map(OsStr::from_bytes);
    assert!(names.iter().all(|name| fixture.path("out").join(name).exists()));
    let verified = run(&["verify", "out", "--original"]);
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn a_damaged_file_of_a_folder_does_not_hide_the_others() {
    let fixture = with_steps();
    fixture.fine(&compress(&["--range", "1e-3"]));
    fixture.write("out/b_6x20x30.fsz", &fixture.read("out/b_6x20x30.fsz")[..500]);
    fixture.write("out/d.fsz", b"notes");
    for options in [&["inspect", "out"][..], &["-q", "inspect", "out"]] {
        let run = fixture.run(options);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.out.contains("a_6x20x30.fsz") && run.out.contains("2 steps, "), "{run:?}");
        let errors: Vec<&str> = run.err.lines().collect();
        assert!(errors[0].starts_with("error: out/b_6x20x30.fsz: truncated"), "{run:?}");
        assert!(errors[1].starts_with("error: out/d.fsz: not an FSZ stream"), "{run:?}");
        assert_eq!(errors.len(), 2, "{run:?}");
    }
    let run = fixture.run(&["inspect", "out", "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    let folder: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(folder["streams"].as_array().unwrap().len(), 2);
    assert_eq!(folder["unreadable"][0]["file"], "b_6x20x30.fsz");
    assert!(folder["unreadable"][0]["reason"].as_str().unwrap().contains("truncated"));
}

#[test]
fn what_is_sound_of_a_damaged_folder_is_verified_and_decompressed() {
    let fixture = with_steps();
    fixture.fine(&compress(&["--range", "1e-3"]));
    let [a, b, c] = ["out/a_6x20x30.fsz", "out/b_6x20x30.fsz", "out/c_6x20x30.fsz"];
    fixture.write(a, b"");
    let mut damaged = fixture.read(b);
    *damaged.last_mut().unwrap() ^= 1;
    fixture.write(b, &damaged);
    std::fs::create_dir(fixture.path("out/d.fsz")).unwrap();
    let told =
        ["a_6x20x30.fsz: trunc", "b_6x20x30.fsz: corrupt", "d.fsz: a folder", "e.fsz: No such"];
    let told = &told[..if cfg!(unix) { 4 } else { 3 }];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", fixture.path("out/e.fsz")).unwrap();
        let pipe = fixture.path("out/pipe.fsz");
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    }
    let check = |run: &crate::fixture::Run, last: String| {
        assert_eq!(run.code, 1, "{run:?}");
        assert_eq!(run.err.lines().count(), told.len(), "{run:?}");
        for (line, told) in run.err.lines().zip(told) {
            assert!(line.starts_with(&format!("error: out/{told}")), "{told}: {run:?}");
        }
        assert!(run.out.contains(&last), "{last}: {run:?}");
    };
    let failed = format!("{} of {} streams FAILED", told.len(), told.len() + 1);
    let run = fixture.run(&["verify", "out"]);
    check(&run, failed.clone());
    assert!(run.out.contains(&format!("{c}: intact")), "{run:?}");
    check(
        &fixture.run(&["decompress", "out", "-o", "back"]),
        format!("back: 1 field, 14.4 kB, {failed}\n"),
    );
    assert_eq!(std::fs::read_dir(fixture.path("back")).unwrap().count(), 1);
    fixture.fine(&["decompress", c, "-o", "x.npy"]);
    assert!(fixture.read("back/c_6x20x30.npy") == fixture.read("x.npy"));
    // A name that nothing has may be misspelt.
    fixture.refused(&["decompress", c, "none.fsz", "-o", "new"], "none.fsz: No such file");
}

/// A shell's * puts s10 before s2: steps that were counted so are the wrong ones.
#[test]
fn steps_that_are_not_in_the_order_of_their_numbers_are_told() {
    let fixture = Fixture::new();
    let told = |names: &[&str]| {
        for name in names {
            fixture.write_f32(name, &field());
        }
        let options = ["-o", "out", "-f", "--abs", "1", "--shape", "6x20x30"];
        let run = fixture.run(&[&["compress"][..], names, &options].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run.err
    };
    let back = told(&["s1.f32", "s10.f32", "s2.f32"]);
    assert!(back.starts_with("warning: s10.f32 is step 1 and s2.f32 step 2, as they were named;"));
    assert!(told(&["T2_a.f32", "T1_a.f32"]).starts_with("warning: "));
    for in_order in [
        &["s1.f32", "s2.f32", "s10.f32"][..],
        &["U_1.f32", "T_0.f32"],
        &["t0.25.f32", "t0.3.f32", "t1.f32", "t1.2.3.f32", "t1.2.10.f32"],
        &["2001-12-31.f32", "2002-01-01.f32"],
        &["b.f32", "a.f32"],
    ] {
        assert_eq!(told(in_order), "", "{in_order:?}");
    }
}

/// As a shell's <(COMMAND) makes them: each has a lower number than the one before.
#[cfg(unix)]
#[test]
fn pipes_have_numbers_of_their_own() {
    let fixture = Fixture::new();
    for name in ["p2", "p1"] {
        assert!(fixture.program("mkfifo", &[name]).status().unwrap().success());
    }
    let child = fixture.spawn(&["compress", "p2", "p1", "-o", "out", "--abs", "1", "--shape", "3"]);
    for name in ["p2", "p1"] {
        fixture.write_f32(name, &[1.0, 2.0, 3.0]);
    }
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
}

#[test]
fn all_streams_of_a_series_are_verified() {
    let fixture = with_steps();
    fixture.fine(&compress(&["--range", "1e-3"]));
    let verify = [&["verify", "out", "--original"][..], &INPUTS].concat();
    let told = fixture.fine(&verify);
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[1].starts_with("out/b_6x20x30.fsz: bound holds: max error "), "{told}");
    assert!(lines[3].starts_with("all 3 streams hold, max error "), "{told}");
    assert!(lines[3].ends_with(" in out/a_6x20x30.fsz"), "{told}");
    // Files and originals in any order, and the streams behind.
    let [a, b, c] = ["out/a_6x20x30.fsz", "out/b_6x20x30.fsz", "out/c_6x20x30.fsz"];
    assert!(fixture.fine(&["verify", c, a, "--original", INPUTS[0], INPUTS[2]]).contains("all 2"));
    let behind = [&["verify", "--original"][..], &INPUTS, &["out"]].concat();
    assert_eq!(fixture.fine(&behind), told);
    fixture.fine(&["verify", "--original", INPUTS[1], b]);

    // One field by two bounds.
    fixture.fine(&["compress", INPUTS[0], INPUTS[1], "-o", "loose", "--range", "1e-2"]);
    let both = fixture.fine(&[&["verify", "out", "loose", "--original"][..], &INPUTS].concat());
    assert!(both.contains("\nloose/b_6x20x30.fsz: bound holds: "), "{both}");
    assert!(both.contains("\nall 5 streams hold, "), "{both}");

    // What is wrong with one is told with the others.
    let mut moved = at(1);
    moved[7] += 2.0;
    fixture.write_f32(INPUTS[1], &moved);
    let mut damaged = fixture.read(c);
    *damaged.last_mut().unwrap() ^= 1;
    fixture.write(c, &damaged);
    let run = fixture.run(&verify);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.out.lines().count(), 3, "{run:?}");
    assert!(run.out.contains("out/a_6x20x30.fsz: bound holds"), "{run:?}");
    assert!(run.out.contains("out/b_6x20x30.fsz: bound VIOLATED"), "{run:?}");
    assert!(run.out.contains("\n2 of 3 streams FAILED, max error "), "{run:?}");
    assert!(run.err.starts_with("error: out/c_6x20x30.fsz: corrupt"), "{run:?}");
    let run = fixture.run(&[&verify[..], &["--json"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let streams = &found["streams"];
    assert_eq!((&found["holds"], &streams[0]["holds"]), (&false.into(), &true.into()));
    assert_eq!(
        (&streams[1]["original"], &streams[1]["bound_violations"]),
        (&INPUTS[1].into(), &1.into())
    );
    assert!(streams[2]["error"].as_str().unwrap().contains("corrupt"));
    let quiet = fixture.run(&[&["-q"][..], &verify].concat());
    assert_eq!((quiet.code, quiet.out.as_str()), (1, ""));
}

#[test]
fn nothing_of_a_series_is_left_unverified() {
    let fixture = with_steps();
    fixture.fine(&compress(&["--abs", "1"]));
    let verify =
        |originals: &[&'static str]| [&["verify", "out", "--original"][..], originals].concat();
    // What lacks its counterpart is told, and the others are checked.
    let run = fixture.run(&verify(&INPUTS[..2]));
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.starts_with("error: out/c_6x20x30.fsz: no original is named c_6x20x30"));
    assert!(run.out.contains("out/b_6x20x30.fsz: bound holds"), "{run:?}");
    assert!(run.out.contains("\n1 of 3 streams FAILED, max error "), "{run:?}");
    fixture.write_f32("d.f32", &at(0));
    let run = fixture.run(&verify(&[&INPUTS[..], &["d.f32"]].concat()));
    let told = "\nall 3 streams hold, 1 original WITHOUT a stream, max error ";
    assert!(run.code == 1 && run.out.contains(told), "{run:?}");
    let run = fixture.run(&verify(&[&INPUTS[..], &["d.f32", "--json"]].concat()));
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.err, "error: d.f32: there is no stream of this name\n");
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&found["holds"], &found["streams"][2]["holds"]), (&false.into(), &true.into()));
    let half = &found["streams"][3];
    assert!(half["file"].is_null() && half["holds"].is_null(), "{half}");
    assert_eq!(
        (&half["original"], &half["error"]),
        (&"d.f32".into(), &"d.f32: there is no stream of this name".into())
    );
    fixture.refused(&verify(&["d.f32"]), "out/a_6x20x30.fsz: no original is named a_6x20x30");
    fixture.refused(&verify(&["a_6x20x30.f32", "./a_6x20x30.f32"]), "have one name");
    fixture.refused(&verify(&[&INPUTS[..], &["none.f32"]].concat()), "none.f32: No such file");
    fixture.refused(&[&verify(&INPUTS)[..], &["--step", "1"]].concat(), "--step is of one stream");
    fixture.refused(&["verify", "--original", INPUTS[0]], "a compressed file is missing");
}

#[test]
fn a_series_is_decompressed_as_it_was_compressed() {
    let fixture = with_steps();
    fixture.fine(&compress(&["--range", "1e-3"]));
    let told = fixture.fine(&["decompress", "out", "-o", "back"]);
    assert_eq!(told, "back: 3 fields, 43.2 kB\n");
    for (step, input) in INPUTS.into_iter().enumerate() {
        let name = input.strip_suffix(".f32").unwrap();
        let (stream, back) = (format!("out/{name}.fsz"), format!("back/{name}.npy"));
        fixture.fine(&["decompress", &stream, "-o", "x.npy", "--force"]);
        assert!(fixture.read(&back) == fixture.read("x.npy"), "step {step}");
        fixture.fine(&["verify", &stream, "--original", input]);
    }
    fixture.refused(&["decompress", "out", "-o", "back"], "back/a_6x20x30.npy already exists");
    fixture.fine(&["decompress", "out", "-o", "back", "--force"]);
    let two = ["decompress", "out/a_6x20x30.fsz", "out/c_6x20x30.fsz", "-o"];
    fixture.fine(&[&two[..], &["two/"]].concat());
    assert!(fixture.read("two/c_6x20x30.npy") == fixture.read("back/c_6x20x30.npy"));
    assert!(!fixture.path("two/b_6x20x30.npy").exists());
    fixture.refused(&[&two[..], &["-"]].concat(), "a series goes to a folder");
    fixture.refused(&[&two[..], &["x.npy"]].concat(), "x.npy is a file");
    fixture.refused(&["decompress", "out", INPUTS[0], "-o", "new"], "not a compressed file");
    let twice = ["decompress", two[1], two[1], "-o", "new"];
    fixture.refused(&twice, "two inputs would have this output: inputs of one name go to");
    // A single file goes to a folder by its name.
    fixture.fine(&["decompress", two[1], "-o", "one/"]);
    assert!(fixture.read("one/a_6x20x30.npy") == fixture.read("back/a_6x20x30.npy"));
}

#[test]
fn several_inputs_do_not_make_a_folder_that_is_named_like_a_file() {
    let fixture = with_steps();
    let args = [&["compress"][..], &INPUTS, &["--abs", "1", "-o"]].concat();
    let words = "names one file, and 3 inputs go to a folder: name a folder, or end it with /";
    for name in ["T.fsz", "T.NPY"] {
        fixture.refused(&[&args[..], &[name]].concat(), &format!("{name} {words}"));
    }
    fixture.fine(&[&args[..], &["T.fsz/"]].concat());
    // It is there.
    fixture.fine(&[&args[..], &["T.fsz", "--force"]].concat());
    for name in ["back.npy", "back.f32"] {
        fixture.refused(&["decompress", "T.fsz", "-o", name], &format!("{name} {words}"));
        fixture.fine(&["decompress", "T.fsz", "-o", &format!("{name}/")]);
    }
    fixture.fine(&["compress", INPUTS[0], "--abs", "1", "-o", "one/"]);
    let words = "x.npy names one file, and what is in a folder goes to one: name a folder";
    fixture.refused(&["decompress", "one", "-o", "x.npy"], words);
}

#[test]
fn after_an_error_it_is_told_that_steps_can_be_kept() {
    let fixture = with_steps();
    fixture.write("d_6x20x30.f32", &fixture.read(INPUTS[0])[1..]);
    let args = [&["compress"][..], &INPUTS, &["d_6x20x30.f32", "--abs", "1", "-o", "out"]].concat();
    let run = fixture.run(&args);
    assert_eq!(run.code, 2);
    assert!(
        run.err.starts_with("completed steps are kept; continue with --resume\nerror: "),
        "{}",
        run.err
    );
    fixture.write("d_6x20x30.f32", &fixture.read(INPUTS[0]));
    assert!(fixture.fine(&[&args[..], &["--resume"]].concat()).contains("3 kept"));
    // Those of another bound that are not overwritten yet could not be resumed.
    fixture.write("b_6x20x30.f32", &fixture.read(INPUTS[0])[1..]);
    let other = [&["compress"][..], &INPUTS, &["--abs", "2", "-o", "out", "--force"]].concat();
    let run = fixture.run(&other);
    let words = "completed steps are overwritten, and the others as they were; run it again with --force\nerror: ";
    assert!(run.code == 2 && run.err.starts_with(words), "{}", run.err);
}
