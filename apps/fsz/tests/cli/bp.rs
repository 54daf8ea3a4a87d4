//! ADIOS2 files. The operator must lie beside the program: `cargo build -p fsz-adios2` puts it
//! there.

use std::path::Path;

use adios2::{Adios, Layout, Mode};

use crate::fixture::{FIELD, Fixture, field, largest_error};

const CONFIG: &str = r#"<?xml version="1.0"?>
<adios-config>
  <operator name="fsz" type="plugin">
    <parameter key="PluginName" value="fsz"/>
    <parameter key="PluginLibrary" value="fsz_adios2"/>
    <parameter key="accuracy" value="0.01"/>
  </operator>
  <io name="out">
    <engine type="BP5"/>
    <variable name="T"><operation operator="fsz"/></variable>
    <variable name="whole"><operation operator="fsz"/></variable>
  </io>
</adios-config>
"#;

/// The values of `T` at a step.
fn at(step: u64) -> Vec<f32> {
    field().into_iter().map(|v| v + step as f32).collect()
}

/// Two steps of `T` in two ADIOS2 blocks, `whole` in one, `plain` not compressed, and an integer.
fn write(fixture: &Fixture) {
    fsz_field::bp::load_operator().expect("cargo build -p fsz-adios2 comes first");
    fixture.write("adios2.xml", CONFIG.as_bytes());
    let io = Adios::with_config(&fixture.path("adios2.xml")).unwrap().declare_io("out").unwrap();
    let shape = [6, 20, 30];
    let t = io.define_variable::<f32>("T", &Layout::whole(&shape)).unwrap();
    let whole = io.define_variable::<f32>("whole", &Layout::whole(&shape)).unwrap();
    let plain = io.define_variable::<f32>("plain", &Layout::local(&[3])).unwrap();
    let count = io.define_variable::<i32>("count", &Layout::Value).unwrap();
    let mut out = io.open(Path::new(&fixture.path("out.bp")), Mode::Write).unwrap();
    for step in 0..2 {
        out.begin_step(None).unwrap();
        let values = at(step);
        out.put_block(&t, &[0, 0, 0], &[2, 20, 30], &values[..1200]).unwrap();
        out.put_block(&t, &[2, 0, 0], &[4, 20, 30], &values[1200..]).unwrap();
        out.put(&whole, &values).unwrap();
        out.put(&plain, &[1.0, 2.0, 3.0]).unwrap();
        out.put(&count, &[7]).unwrap();
        out.end_step().unwrap();
    }
    out.close().unwrap();
}

#[test]
fn inspect_lists_variables_steps_and_blocks() {
    let fixture = Fixture::new();
    write(&fixture);
    let file = fixture.json(&["inspect", "out.bp", "--json"]);
    let variables = file["variables"].as_array().unwrap();
    let names: Vec<&str> = variables.iter().map(|v| v["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["T", "count", "plain", "whole"]);
    let steps = variables[0]["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    let blocks = steps[1]["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[1]["start"], serde_json::json!([2, 0, 0]));
    assert_eq!(blocks[1]["count"], serde_json::json!([4, 20, 30]));
    assert_eq!(blocks[1]["storage"], "fsz");
    assert_eq!(blocks[1]["fsz"]["bound"]["absolute"], 0.01);
    assert_eq!(blocks[1]["fsz"]["shape"], serde_json::json!([4, 20, 30]));
    assert_eq!(variables[2]["steps"][0]["blocks"][0]["storage"], "other");

    let text = fixture.fine(&["inspect", "out.bp", "--plot", "out.svg"]);
    // Steps, and the sums of the two variables that are compressed.
    assert_eq!(text.lines().count(), 2 + 4 * 2 + 2, "{text}");
    assert_eq!(text.matches(" f32   local ").count(), 2, "{text}");
    assert!(text.contains("6x20x30") && text.contains("whole: 2 steps, "), "{text}");
    assert_eq!(fixture.read_text("out.svg").matches("<polyline").count(), 2 * 3);
    fixture.refused(&["inspect", "out.bp", "--tiles", "t.csv"], "extract");
    fixture.refused(&["verify", "out.bp"], "out.bp: an ADIOS2 file: use fsz extract");
}

#[test]
fn require_compressed_is_a_check_for_scripts() {
    let fixture = Fixture::new();
    write(&fixture);
    let check = |more: &[&'static str]| {
        fixture.run(&[&["inspect", "--require-compressed", "out.bp"], more].concat())
    };
    let all = check(&[]);
    assert_eq!((all.code, all.out.lines().count()), (1, 2 + 4 * 2 + 2));
    assert_eq!(all.err, "not compressed: plain: 2 of 2 ADIOS2 blocks, from step 0\n");
    assert_eq!(check(&["--variable", "T", "--variable", "whole"]).code, 0);
    let json = check(&["--variable", "T", "--variable", "count", "--json"]);
    assert_eq!(json.code, 1);
    assert!(json.err.starts_with("not compressed: count: "), "{}", json.err);
    assert_eq!(json.out.matches("\"steps\"").count(), 2);
    fixture.refused(
        &["inspect", "--require-compressed", "out.bp", "--variable", "Q"],
        "out.bp: no variable Q; available: T, count, plain, whole",
    );
}

#[test]
fn a_file_without_a_finished_step_is_told() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.path("out.bp")).unwrap();
    for name in ["data.0", "md.0", "md.idx", "mmd.0"] {
        fixture.write(&format!("out.bp/{name}"), b"");
    }
    let told = fixture.run(&["inspect", "out.bp"]);
    assert_eq!(told.code, 0);
    assert!(told.err.starts_with("out.bp: no variables; "), "{}", told.err);
    assert_eq!(fixture.run(&["inspect", "--require-compressed", "out.bp"]).code, 1);
    fixture.refused(&["compress", "out.bp", "--abs", "1", "-o", "T.fsz"], "out.bp: no variables; ");
    fixture.refused(&["compress", "out.bp", "--abs", "1", "-o", "T/"], "out.bp: no variables; ");
}

#[test]
fn extract_takes_payloads_and_arrays() {
    let fixture = Fixture::new();
    write(&fixture);
    let t = ["extract", "out.bp", "--variable", "T", "--step", "1"];
    let and = |more: &[&'static str]| [&t[..], more].concat();
    fixture.fine(&and(&["--block", "1", "-o", "b.fsz"]));
    let report = fixture.json(&["inspect", "b.fsz", "--json"]);
    assert_eq!(report["shape"], serde_json::json!([4, 20, 30]));
    fixture.fine(&["decompress", "b.fsz", "-o", "b.f32"]);
    assert!(largest_error(&fixture.read_f32("b.f32"), &at(1)[1200..]) <= 0.01);

    fixture.fine(&and(&["-o", "T.f32"]));
    assert!(largest_error(&fixture.read_f32("T.f32"), &at(1)) <= 0.01);
    assert_eq!(fixture.read_f32("T.f32")[1200..], fixture.read_f32("b.f32"));
    let told = fixture.fine(&["extract", "out.bp", "--variable", "plain", "-o", "plain.f32"]);
    assert!(told.starts_with("plain.f32: plain, step 0, "), "{told}");
    assert_eq!(fixture.read_f32("plain.f32"), [1.0, 2.0, 3.0]);

    fixture.fine(&["extract", "out.bp", "--variable", "whole", "--step", "1", "-o", "whole.fsz"]);
    fixture.write_f32("one.f32", &at(1));
    fixture.fine(&["verify", "whole.fsz", "--original", "one.f32"]);
    let by_step = ["verify", "whole.fsz", "--original", "out.bp", "--variable", "whole"];
    fixture.refused(&by_step, "whole has 2 steps: choose one with --step");
    // What the file holds was decoded already.
    let lossy = fixture.command(&[&by_step[..], &["--step", "1"]].concat()).output().unwrap();
    assert_eq!(lossy.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&lossy.stdout).contains("or this is not the original"));
}

#[test]
fn a_step_of_a_variable_is_an_input_like_any_other() {
    let fixture = Fixture::new();
    write(&fixture);
    let t = ["--variable", "T", "--step", "1"];
    fixture.fine(&[&["compress", "out.bp", "-o", "c.fsz", "--abs", "0.1"], &t[..]].concat());
    let report = fixture.json(&["inspect", "c.fsz", "--json"]);
    assert_eq!((&report["name"], &report["step"]), (&"T".into(), &1.into()));
    fixture.fine(&["verify", "c.fsz", "--original", "out.bp"]);
    fixture.write_f32(FIELD, &at(1));
    let found = fixture.json(&[&["compare", "out.bp", FIELD, "--json"], &t[..]].concat());
    assert!(found["max_abs_error"].as_f64().unwrap() <= 0.01);
    let slice = ["slice", "out.bp", "--axis", "0", "--index", "1", "-o", "s.npy"];
    fixture.fine(&[&slice[..], &t].concat());
}

#[test]
fn a_field_of_an_adios2_file_is_compared_as_original_and_as_reconstruction() {
    let fixture = Fixture::new();
    write(&fixture);
    fixture.write_f32(FIELD, &at(1));
    let t = ["--variable", "T", "--step", "1"];
    fixture.fine(&[&["extract", "out.bp", "-o", "T.npy"], &t[..]].concat());
    let compare = |files: [&str; 2]| {
        let words = [&["compare"], &files[..], &["--json"], &t].concat();
        fixture.json(&words)["max_abs_error"].as_f64().unwrap()
    };
    let error = compare(["out.bp", FIELD]);
    assert!(error > 0.0 && error <= 0.01, "{error}");
    assert_eq!(compare([FIELD, "out.bp"]), error);
    for exact in [["T.npy", "out.bp"], ["out.bp", "T.npy"], ["out.bp", "out.bp"]] {
        assert_eq!(compare(exact), 0.0, "{exact:?}");
    }
    // The first step by default would be another field. So it is of a stream that does not tell its step.
    let payload = ["extract", "out.bp", "--variable", "whole", "--step", "1", "-o", "whole.fsz"];
    fixture.fine(&payload);
    for (files, name) in [
        (["out.bp", FIELD], "T"),
        (["out.bp", "T.npy"], "T"),
        ([FIELD, "out.bp"], "T"),
        (["out.bp", "out.bp"], "T"),
        (["out.bp", "whole.fsz"], "whole"),
    ] {
        let words = [&["compare"], &files[..], &["--variable", name]].concat();
        fixture.refused(&words, &format!("{name} has 2 steps: choose one with --step"));
    }
}

/// Streams have the names of variables and steps, whatever the file is called.
#[test]
fn steps_of_another_file_are_not_kept() {
    let fixture = Fixture::new();
    for (run, name) in ["first.bp", "second.bp"].into_iter().enumerate() {
        let io = Adios::new().unwrap().declare_io("out").unwrap();
        let t = io.define_variable::<f32>("T", &Layout::whole(&[6, 20, 30])).unwrap();
        let u = io.define_variable::<f32>("U", &Layout::whole(&[6, 20, 30])).unwrap();
        let mut out = io.open(Path::new(&fixture.path(name)), Mode::Write).unwrap();
        for step in 0..3 {
            out.begin_step(None).unwrap();
            // Both begin alike.
            out.put(&t, &at(step * (1 + run as u64))).unwrap();
            out.put(&u, &at(0)).unwrap();
            out.end_step().unwrap();
        }
        out.close().unwrap();
    }
    // The streams are younger than both, however coarse the file system's clock.
    std::thread::sleep(std::time::Duration::from_millis(20));
    let series =
        |file: &str| fixture.fine(&["compress", file, "-o", "out/", "--abs", "0.01", "--resume"]);
    series("first.bp");
    let again = series("first.bp");
    assert!(again.contains("(6 kept)"), "{again}");
    let second = series("second.bp");
    assert!(second.contains("(3 kept, 3 replaced: inputs changed)"), "{second}");
    let verified = fixture.fine(&["verify", "out", "--original", "second.bp"]);
    assert!(verified.contains("all 6 streams hold"), "{verified}");
}

#[test]
fn all_steps_are_a_series() {
    let fixture = Fixture::new();
    write(&fixture);
    let compress = ["compress", "out.bp", "-o", "out/", "--range", "1e-3"];
    let told = fixture.fine(&[&compress[..], &["--variable", "T", "--variable", "whole"]].concat());
    assert!(told.starts_with("out/: 4 steps, "), "{told}");
    let bounds = ["T.000000", "T.000001", "whole.000000", "whole.000001"].map(|name| {
        let report = fixture.json(&["inspect", &format!("out/{name}.fsz"), "--json"]);
        let (variable, step) = name.split_once('.').unwrap();
        assert_eq!(report["name"], variable);
        assert_eq!(report["step"], step.parse::<u64>().unwrap());
        report["bound"]["absolute"].as_f64().unwrap()
    });
    assert!(bounds.iter().all(|bound| (bound / bounds[0] - 1.0).abs() < 1e-3), "{bounds:?}");
    // All fields are chosen where none is: `plain` too, but no integers.
    let all = fixture.fine(&[&compress[..], &["--resume"]].concat());
    assert!(all.starts_with("out/: 6 steps (4 kept), "), "{all}");
    // Without the stroke it is one file, and that of one step.
    let file = ["compress", "out.bp", "-o", "one.fsz", "--abs", "0.1", "--variable", "T"];
    fixture.refused(&file, "T has 2 steps: choose one with --step, or end the output with /");
    std::fs::create_dir(fixture.path("other.bp")).unwrap();
    let into = ["compress", "out.bp", "-o", "other.bp/", "--abs", "0.1"];
    fixture.refused(&into, "other.bp/ is an ADIOS2 file: name another folder");
    let text = fixture.fine(&["inspect", "out"]);
    assert!(text.contains("T: 2 steps, ") && text.contains("whole: 2 steps, "), "{text}");
    let verified = fixture.fine(&["verify", "out", "--original", "out.bp"]);
    assert!(verified.contains("all 6 streams hold"), "{verified}");
    // A stream tells compare, too, of which variable and step it is.
    let found = fixture.json(&["compare", "out.bp", "out/T.000001.fsz", "--json"]);
    assert_eq!((&found["bound_violations"], &found["missing"]), (&0.into(), &0.into()));
    let other = ["compare", "out.bp", "out/T.000001.fsz", "--json", "--step", "0"];
    assert_ne!(fixture.json(&other)["bound_violations"], 0);
    let one =
        ["compress", "out.bp", "-o", "one/", "--abs", "0.1", "--variable", "T", "--step", "1"];
    assert!(fixture.fine(&one).starts_with("one/: 1 step, "));
    fixture.refused(&[&one[..7], &["Q"]].concat(), "available: T");
}

#[test]
fn without_the_operator_compressed_variables_are_told_what_they_lack() {
    let fixture = Fixture::new();
    write(&fixture);
    let read = |variable: &str| {
        let slice = ["slice", "out.bp", "--axis", "0", "--index", "0", "-o", "-", "--block", "0"];
        let mut command = fixture.command(&[&slice[..], &["--variable", variable]].concat());
        let output = command.env("ADIOS2_PLUGIN_PATH", "/none").output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, told) = read("T");
    assert_eq!(code, Some(2));
    let words = "if T was written through FSZ: the FSZ operator was not found at /none/libfsz_adios2.so: build it";
    assert!(told.contains(words), "{told}");
    assert_eq!(read("plain").0, Some(0));
    // So it is for what is in the file.
    let inspect = |variable: &str| {
        let mut command = fixture.command(&["inspect", "out.bp", "--variable", variable]);
        command.env("ADIOS2_PLUGIN_PATH", "/none").output().unwrap()
    };
    let told = inspect("T");
    assert_eq!(told.status.code(), Some(2));
    let error = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(error.contains("the FSZ operator was not found at /none/libfsz_adios2.so"), "{error}");
    let told = inspect("plain");
    assert_eq!((told.status.code(), &*told.stderr), (Some(0), &b""[..]));
}

#[test]
fn local_arrays_of_a_series_are_refused_before_anything_is_compressed() {
    let fixture = Fixture::new();
    let io = Adios::new().unwrap().declare_io("out").unwrap();
    let field = io.define_variable::<f32>("A", &Layout::whole(&[2])).unwrap();
    let parts = io.define_variable::<f32>("parts", &Layout::local(&[2])).unwrap();
    let mut out = io.open(Path::new(&fixture.path("out.bp")), Mode::Write).unwrap();
    out.put(&field, &[1.0, 2.0]).unwrap();
    out.put_block(&parts, &[], &[2], &[1.0, 2.0]).unwrap();
    out.put_block(&parts, &[], &[3], &[1.0, 2.0, 3.0]).unwrap();
    out.close().unwrap();
    let into = |more: &[&'static str]| {
        [&["compress", "out.bp", "-o", "s/", "--abs", "0.1"][..], more].concat()
    };
    let words = "parts consists of 2 local arrays: choose one with --block";
    fixture.refused(&into(&[]), &format!("out.bp: {words}, or other variables with --variable\n"));
    fixture.refused(&into(&["--variable", "A", "--variable", "parts"]), words);
    fixture.fine(&into(&["--variable", "parts", "--block", "1"]));
    fixture.fine(&into(&["--variable", "A"]));
}

/// ADIOS2 goes on to the next folder; without that, what it reads through the operator there would pass for not compressed.
#[test]
fn a_library_that_cannot_be_loaded_is_passed_over() {
    let fixture = Fixture::new();
    write(&fixture);
    fixture.write("libfsz_adios2.so", b"");
    let library = std::fs::canonicalize(fsz_field::bp::load_operator().unwrap()).unwrap();
    let inspect = |folders: &str| {
        let mut command = fixture.command(&["inspect", "out.bp", "--variable", "T", "--json"]);
        command.env("ADIOS2_PLUGIN_PATH", folders).output().unwrap()
    };
    let broken = fixture.path("").display().to_string();
    let told = inspect(&format!("{broken}:{}", library.parent().unwrap().display()));
    let found: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(found["variables"][0]["steps"][0]["blocks"][0]["storage"], "fsz");
    // Where it is the only one, it is told why it is not loaded.
    let told = inspect(&broken);
    let error = String::from_utf8_lossy(&told.stderr).into_owned();
    assert_eq!(told.status.code(), Some(2), "{error}");
    assert!(error.contains("libfsz_adios2.so: file too short"), "{error}");
}

#[test]
fn the_only_field_need_not_be_named() {
    let fixture = Fixture::new();
    let write = |path: &str, fields: &[&str]| {
        let io = Adios::new().unwrap().declare_io("out").unwrap();
        let count = io.define_variable::<i32>("count", &Layout::Value).unwrap();
        let time = io.define_variable::<f64>("time", &Layout::Value).unwrap();
        let mut out = io.open(Path::new(&fixture.path(path)), Mode::Write).unwrap();
        out.put(&count, &[7]).unwrap();
        out.put(&time, &[0.5]).unwrap();
        for name in fields {
            let v = io.define_variable::<f32>(name, &Layout::whole(&[6, 20, 30])).unwrap();
            out.put(&v, &at(0)).unwrap();
        }
        out.close().unwrap();
    };
    write("one.bp", &["T"]);
    write("two.bp", &["T", "U"]);
    write("none.bp", &[]);
    let slice = |path| ["slice", path, "--axis", "0", "--index", "0", "-o", "slice.npy"];
    fixture.fine(&slice("one.bp"));
    fixture.fine(&["compress", "one.bp", "-o", "T.fsz", "--abs", "0.1"]);
    fixture.fine(&["verify", "T.fsz", "--original", "one.bp"]);
    std::fs::remove_file(fixture.path("slice.npy")).unwrap();
    fixture.refused(&slice("two.bp"), "two.bp: choose one with --variable: T, U\n");
    fixture.refused(&slice("none.bp"), "none.bp: no arrays of float or double");
}

/// ADIOS2 tells of the values that ranks write as of an array of as many.
#[test]
fn values_of_ranks_are_no_fields() {
    let fixture = Fixture::new();
    fsz_field::bp::load_operator().expect("cargo build -p fsz-adios2 comes first");
    fixture.write("adios2.xml", CONFIG.as_bytes());
    let io = Adios::with_config(&fixture.path("adios2.xml")).unwrap().declare_io("out").unwrap();
    let t = io.define_variable::<f32>("T", &Layout::whole(&[6, 20, 30])).unwrap();
    let time = io.define_variable::<f64>("t", &Layout::Value).unwrap();
    let layout = Layout::global(&[2], &[0], &[1]);
    let seconds = io.define_variable::<f64>("seconds", &layout).unwrap();
    let mut out = io.open(Path::new(&fixture.path("ranks.bp")), Mode::Write).unwrap();
    out.put(&t, &at(0)).unwrap();
    out.put(&time, &[0.5]).unwrap();
    out.put_block(&seconds, &[0], &[1], &[0.5]).unwrap();
    out.put_block(&seconds, &[1], &[1], &[0.75]).unwrap();
    out.close().unwrap();
    fixture.fine(&["inspect", "--require-compressed", "ranks.bp"]);
    fixture.fine(&["slice", "ranks.bp", "--axis", "0", "--index", "0", "-o", "slice.npy"]);
    fixture.fine(&["compress", "ranks.bp", "-o", "all/", "--abs", "0.1"]);
    assert!(!fixture.path("all/seconds.000000.fsz").exists());
    let into = |more: &[&'static str]| {
        [&["compress", "ranks.bp", "-o", "some/", "--abs", "0.1"][..], more].concat()
    };
    // Nor is what all write; who names it is told so.
    fixture.refused(&into(&["--variable", "t"]), "ranks.bp: t is a single value: name arrays");
    fixture.refused(&into(&["--variable", "T", "--variable", "t"]), "t is a single value");
    fixture.refused(&into(&["--variable", "T", "--step", "1"]), "T has 1 step; there is no step 1");
    fixture.refused(&into(&["--step", "1"]), "no array of float or double has a step 1");
    let part = ["extract", "ranks.bp", "-o", "t.npy", "--block", "0", "--variable", "t"];
    fixture.refused(&part, "a single value, of which no part can be chosen");
    // By their name they are an array.
    fixture.fine(&["compress", "ranks.bp", "-o", "s.fsz", "--abs", "0.1", "--variable", "seconds"]);
    let asked = ["inspect", "--require-compressed", "ranks.bp", "--variable", "seconds"];
    assert_eq!(fixture.run(&asked).code, 1);
}

#[test]
fn a_single_value_of_several_steps_is_not_told_to_go_to_a_folder() {
    let fixture = Fixture::new();
    let io = Adios::new().unwrap().declare_io("out").unwrap();
    let time = io.define_variable::<f64>("time", &Layout::Value).unwrap();
    let mut out = io.open(Path::new(&fixture.path("out.bp")), Mode::Write).unwrap();
    for step in 0..2 {
        out.begin_step(None).unwrap();
        out.put(&time, &[f64::from(step)]).unwrap();
        out.end_step().unwrap();
    }
    out.close().unwrap();
    let compress = ["compress", "out.bp", "-o", "t.fsz", "--abs", "0.1", "--variable", "time"];
    fixture.refused(&compress, "out.bp: time has 2 steps: choose one with --step\n");
    fixture.fine(&[&compress[..], &["--step", "1"]].concat());
}

/// ADIOS2 awaits the rest of a data file that was cut short, without end.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_a_wait_for_data_that_never_come() {
    use std::io::{BufRead, BufReader};
    use std::time::{Duration, Instant};

    use crate::interrupt::signal;

    let fixture = Fixture::new();
    write(&fixture);
    let data = std::fs::OpenOptions::new().write(true).open(fixture.path("out.bp/data.0")).unwrap();
    data.set_len(data.metadata().unwrap().len() / 2).unwrap();
    for output in ["s/", "whole.fsz"] {
        let mut args =
            vec!["compress", "out.bp", "--abs", "1", "--variable", "whole", "-o", output];
        args.extend((output == "whole.fsz").then_some(["--step", "1"]).into_iter().flatten());
        let mut child = fixture.spawn(&args);
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        assert!(line.contains("out.bp: still reading"), "{line}");
        signal(&child, libc::SIGINT);
        let ended = loop {
            if let Some(ended) = child.try_wait().unwrap() {
                break ended;
            }
            if Instant::now() > deadline {
                child.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(ended.code(), Some(130), "{output}");
    }
}

#[test]
fn misuse() {
    let fixture = Fixture::new();
    write(&fixture);
    let extract = |more: &[&'static str]| [&["extract", "out.bp", "-o", "x.fsz"], more].concat();
    fixture.refused(&extract(&["--variable", "Q"]), "available: T, count, plain, whole");
    fixture.refused(&extract(&["--variable", "T", "--step", "2"]), "no step 2");
    fixture.refused(&extract(&["--variable", "T"]), "--block");
    fixture.refused(&extract(&["--variable", "T", "--block", "2"]), "no block 2");
    fixture.refused(&extract(&["--variable", "plain"]), "not compressed with FSZ");
    let array = ["extract", "out.bp", "-o", "x.npy", "--variable"];
    fixture.refused(&[&array[..], &["count"]].concat(), "i32");
    fixture.refused(&[&array[..], &["T", "--block", "9"]].concat(), "no block 9");
    fixture.refused(
        &["compress", "out.bp", "-o", "x.fsz", "--abs", "1"],
        "choose one with --variable, or end the output with / to compress all of them: T, plain, whole\n",
    );
    let within = ["extract", "out.bp", "-o", "out.bp/data.0", "--force", "--variable", "whole"];
    fixture.refused(&within, "overwrite the input");
    fixture.refused(&["inspect", "none.bp"], "No such file");
    fixture.write_f32(FIELD, &field());
    for inputs in [["out.bp", FIELD], [FIELD, "out.bp"], ["out.bp", "out.bp"]] {
        let series = ["compress", inputs[0], inputs[1], "-o", "s/", "--abs", "1"];
        fixture.refused(&series, "out.bp: an ADIOS2 file is a series of its own");
    }
    let t = ["--variable", "T", "--step", "1"];
    for command in [
        &["compress", "out.bp", "-o", "x.fsz", "--abs", "1"][..],
        &["compress", "out.bp", "-o", "new/", "--abs", "1"],
        &["slice", "out.bp", "-o", "x.npy", "--axis", "0", "--index", "0"],
        &["picture", "out.bp", "-o", "x.png"],
        &["compare", "out.bp", FIELD],
    ] {
        let words = "out.bp: the file's shape is 6x20x30, not 3600: omit --shape";
        fixture.refused(&[command, &t, &["--shape", "3600"]].concat(), words);
        let words = "out.bp: the file's values are f32, not f64: omit --dtype";
        fixture.refused(&[command, &t, &["--dtype", "f64"]].concat(), words);
        // Of the raw file it is true, too.
        fixture.fine(&[command, &t, &["--shape", "6x20x30", "--dtype", "f32"]].concat());
    }
}
