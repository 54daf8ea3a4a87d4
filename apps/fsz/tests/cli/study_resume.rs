//! `study`: interrupts, and what goes on after them.

use crate::fixture::{FIELD, Fixture, npy};

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_study_goes_on_and_ends_as_a_whole_one() {
    use std::time::{Duration, Instant};

    let fixture = Fixture::with_field();
    // A peer that copies, and writes down for which field; for the second one it stays for ever
    // unless the file `go` is there.
    let first = fixture.read_f32(FIELD).len();
    let compress = format!(
        "printf '%s\\n' \"$2\" >> calls; [ $2 = {first} ] || [ -e go ] || \
         {{ : > waits; exec tail -f /dev/null; }}; cp \"$0\" \"$1\""
    );
    let adapter = format!(
        "name = \"copy\"\n\
         compress = [\"sh\", \"-c\", '''{compress}''', \"{{input}}\", \"{{compressed}}\", \
         \"{{elements}}\"]\n\
         decompress = [\"cp\", \"{{compressed}}\", \"{{output}}\"]\n"
    );
    fixture.write("copy.toml", adapter.as_bytes());
    let words = |out: &'static str| {
        let mut words = vec!["study", FIELD, "smooth", "--synthetic-mb", "1", "--range", "1e-2"];
        words.extend(["--peer", "copy.toml", "--out", out]);
        words
    };

    let child = fixture.spawn(&words("cut"));
    let deadline = Instant::now() + Duration::from_secs(120);
    while !fixture.path("waits").exists() {
        assert!(Instant::now() < deadline, "the peer was not called");
        std::thread::sleep(Duration::from_millis(1));
    }
    crate::interrupt::signal(&child, libc::SIGINT);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    assert!(String::from_utf8_lossy(&ended.stderr).contains("--resume"), "{ended:?}");
    let names = |folder: &str| {
        let entries = std::fs::read_dir(fixture.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names("cut"), ["fields"], "no unfinished file");
    assert_eq!(names("cut/fields"), ["T_6x20x30.toml"]);

    fixture.write("go", b"");
    fixture.write("calls", b"");
    fixture.fine(&[words("cut"), vec!["--resume"]].concat());
    let calls = fixture.read_text("calls");
    assert_eq!(calls.lines().count(), 1, "the first field is not measured again: {calls}");
    fixture.fine(&words("whole"));
    assert_eq!(names("cut"), names("whole"));
    for name in names("whole").iter().filter(|name| name.ends_with(".csv")) {
        let [cut, whole] =
            ["cut", "whole"].map(|folder| fixture.read_text(&format!("{folder}/{name}")));
        assert_eq!(cut, whole, "{name}");
    }
}

/// Who runs it again without that measures all of them once more.
#[test]
fn an_error_tells_that_complete_fields_are_saved() {
    let fixture = Fixture::with_field();
    fixture.write("broken.npy", &npy("<f4", "False", "9,", b"too few"));
    let words = ["study", FIELD, "broken.npy", "--out", "s", "--range", "1e-2"];
    let told = fixture.run(&words);
    assert_eq!(told.code, 2);
    let kept = "completed fields are saved; continue with --resume\nerror: broken.npy: ";
    assert!(told.err.contains(kept), "{}", told.err);
    let told = fixture.run(&[&words[..], &["--resume"]].concat());
    assert!(!told.err.contains("--resume"), "{}", told.err);
    let none = fixture.run(&["study", "broken.npy", FIELD, "--out", "t"]);
    assert!(!none.err.contains("--resume"), "nothing is saved: {}", none.err);
}

#[test]
fn complete_fields_are_reused_with_the_same_options_only() {
    let fixture = Fixture::with_field();
    let words = ["study", FIELD, "smooth", "--synthetic-mb", "1", "--out", "s", "--range", "1e-2"];
    fixture.fine(&words);
    let first = fixture.read_text("s/ratio.csv");
    let record = fixture.read_text("s/fields/smooth.toml");
    std::fs::remove_file(fixture.path("s/report.html")).unwrap();
    // Records are reused as they are.
    let changed = record.replace("codec = \"cuszp-plain-model\"", "codec = \"from-the-cache\"");
    assert_ne!(changed, record);
    fixture.write("s/fields/smooth.toml", changed.as_bytes());
    fixture.write("s/fields/T_6x20x30.toml", b"damaged");
    let second = fixture.run(&[&words[..], &["--resume"]].concat());
    assert_eq!(second.code, 0, "{second:?}");
    assert!(second.err.contains("smooth (2 of 2): from cache"), "{second:?}");
    let second = fixture.read_text("s/ratio.csv");
    assert_eq!(second, replace_in_field(&first, "smooth", "cuszp-plain-model", "from-the-cache"));
    assert!(fixture.path("s/report.html").exists());
    // Other options: all of it anew.
    let words = ["study", FIELD, "smooth", "--out", "s", "--range", "1e-3", "--synthetic-mb", "1"];
    let third = fixture.run(&[&words[..], &["--resume"]].concat());
    assert!(third.err.contains("(measured again: options, file or program changed)"), "{third:?}");
    assert!(!fixture.read_text("s/ratio.csv").contains("from-the-cache"));
}

/// What is wrong with the folder is told before hours of measuring.
#[test]
fn tables_that_are_there_are_told_before_anything_is_measured() {
    let fixture = Fixture::with_field();
    std::fs::create_dir(fixture.path("s")).unwrap();
    fixture.write("s/claims.csv", b"mine");
    fixture.refused(&["study", FIELD, "--out", "s"], "s/claims.csv already exists");
    assert!(!fixture.path("s/fields").exists());
    std::fs::create_dir(fixture.path("s/ratio.csv")).unwrap();
    fixture.refused(&["study", FIELD, "--out", "s", "--force"], "s/ratio.csv: is a directory");
    assert!(!fixture.path("s/fields").exists());
}

fn replace_in_field(text: &str, field: &str, from: &str, to: &str) -> String {
    let line = |row: &str| {
        if row.starts_with(field) { row.replace(from, to) + "\n" } else { format!("{row}\n") }
    };
    text.lines().map(line).collect()
}
