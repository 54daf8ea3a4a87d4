//! `devices`, `adios2`, `completions` and `man`.

use crate::fixture::Fixture;

#[test]
fn devices_say_what_answers_and_why_not() {
    let fixture = Fixture::new();
    let devices = fixture.json(&["devices", "--json"]);
    assert_eq!((&devices[0]["backend"], &devices[0]["available"]), (&"cpu".into(), &true.into()));
    assert_eq!(devices[1]["backend"], "cuda");
    let detail = devices[1]["detail"].as_str().unwrap();
    if devices[1]["available"] == true {
        assert!(devices[1]["name"].is_string() && devices[1]["kernels"].is_string(), "{devices}");
    } else {
        assert!(detail.contains("driver") || detail.contains("compute capability"), "{detail}");
    }
    let text = fixture.fine(&["devices"]);
    assert!(text.contains(detail));
    if devices[1]["available"] == true {
        let auto = devices.as_array().unwrap().last().unwrap();
        assert_eq!(auto["backend"], "auto");
        assert_eq!(auto["calls"].as_array().unwrap().len(), 8);
        assert!(auto["start_seconds"].as_f64().unwrap() > 0.0 && text.contains("first call"));
    } else {
        fixture.refused(&["devices", "--calibrate"], "driver");
    }
}

#[test]
fn adios2_gives_a_ready_xml() {
    let fixture = Fixture::new();
    let xml = fixture.fine(&[
        "adios2",
        "--xml",
        "--accuracy",
        "1e-5",
        "--io",
        "Out<put",
        "--variable",
        "U",
        "--variable",
        "V",
    ]);
    for part in [
        "<parameter key=\"PluginName\" value=\"fsz\"/>",
        "<parameter key=\"PluginLibrary\" value=\"fsz_adios2\"/>",
        "<parameter key=\"accuracy\" value=\"0.00001\"/>",
        "<io name=\"Out&lt;put\">",
        "<variable name=\"V\"><operation operator=\"fsz\"/></variable>",
    ] {
        assert!(xml.contains(part), "{xml}");
    }
    assert!(fixture.fine(&["adios2"]).contains("<adios-config>"));
    fixture.refused(&["adios2", "--accuracy", "0"], "positive");
}

#[test]
fn adios2_says_where_its_plugin_path_cannot_lead() {
    let fixture = Fixture::new();
    let mut before = fixture.path("before");
    std::fs::create_dir(&before).unwrap();
    copy_program(&before.join("fsz"));
    std::fs::write(before.join("libfsz_adios2.so"), "").unwrap();
    let names = [("a b", "a b"), ("it's, a", r"it'\''s, a"), ("c:d", "c:d"), ("plain,é", "")];
    for (folder, shown) in names {
        std::fs::rename(&before, fixture.path(folder)).unwrap();
        before = fixture.path(folder);
        let program = before.join("fsz");
        let run = |args: &[&str]| {
            let ended = fixture.program(program.to_str().unwrap(), args).output().unwrap();
            assert!(ended.status.success(), "{ended:?}");
            (String::from_utf8(ended.stdout).unwrap(), String::from_utf8(ended.stderr).unwrap())
        };
        let (out, _) = run(&["adios2"]);
        let (path, told) = run(&["adios2", "--path"]);
        let warned = [&out, &told].map(|said| said.contains("in a folder whose path has a space"));
        assert_eq!(warned, [!shown.is_empty(); 2], "{folder}: {out}{told}");
        assert!(path.ends_with(&format!("{folder}\n")), "{path}");
        if folder.contains(' ') {
            assert!(out.contains(&format!("/{shown}'\n")), "{out}");
        }
    }
}

/// Copies the program; not by this process: a child that another thread starts meanwhile would hold the
/// file open for writing, and then it cannot be run.
fn copy_program(to: &std::path::Path) {
    let copied = std::process::Command::new("cp").arg(env!("CARGO_BIN_EXE_fsz")).arg(to).status();
    assert!(copied.unwrap().success());
}

#[test]
fn view_starts_the_viewer_beside_the_program() {
    let fixture = Fixture::new();
    std::fs::create_dir_all(fixture.path("bin")).unwrap();
    let program = fixture.path("bin/fsz");
    copy_program(&program);
    let view = || {
        let mut view = std::process::Command::new(&program);
        view.args(["view", "a.fsz", "--original", "b.npy"]).output().unwrap()
    };
    let alone = view();
    assert_eq!(alone.status.code(), Some(2));
    let told = String::from_utf8_lossy(&alone.stderr);
    for way in ["build --release -p fsz-viewer", "install --locked --path apps/fsz-viewer"] {
        assert!(told.contains(&format!("cargo {way}")), "{told}");
    }
    // A script as the viewer, made executable by another process for the same reason.
    let viewer = |script: &str| {
        fixture.write("viewer", format!("#!/bin/sh\n{script}\n").as_bytes());
        let made = std::process::Command::new("install")
            .args(["-m", "755"])
            .args([fixture.path("viewer"), fixture.path("bin/fsz-viewer")])
            .status();
        assert!(made.unwrap().success());
    };
    viewer("echo \"$@\"");
    let together = view();
    assert_eq!(together.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&together.stdout), "a.fsz --original b.npy\n");
    // What is wrong is told once.
    viewer("echo 'error: it is' >&2; exit 3");
    let failed = view();
    assert_eq!(failed.status.code(), Some(3));
    assert_eq!(String::from_utf8_lossy(&failed.stderr), "error: it is\n");
    viewer("kill -KILL $$");
    let killed = view();
    assert_eq!(killed.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&killed.stderr).contains("the viewer ended with signal"));
}

#[test]
fn adios2_finds_the_operator_beside_the_program_in_lib_or_where_adios2_looks() {
    let fixture = Fixture::new();
    std::fs::create_dir_all(fixture.path("prefix/bin")).unwrap();
    std::fs::create_dir_all(fixture.path("prefix/lib/fsz/adios2")).unwrap();
    let program = fixture.path("prefix/bin/fsz");
    copy_program(&program);
    let ask_with = |searched: &str| {
        let mut command = std::process::Command::new(&program);
        command.args(["adios2", "--path"]).env("ADIOS2_PLUGIN_PATH", searched);
        let ended = command.output().unwrap();
        (ended.status.code().unwrap(), String::from_utf8(ended.stdout).unwrap())
    };
    let ask = || ask_with("/none");
    assert_eq!(ask(), (2, String::new()));
    std::fs::create_dir_all(fixture.path("site")).unwrap();
    fixture.write("site/libfsz_adios2.so", b"");
    let site = fixture.path("site").display().to_string();
    assert_eq!(ask_with(&format!("/none:{site}")), (0, format!("{site}\n")));
    for folder in ["prefix/lib/fsz/adios2", "prefix/lib", "prefix/bin"] {
        fixture.write(&format!("{folder}/libfsz_adios2.so"), b"");
        let (code, path) = ask();
        assert_eq!(code, 0);
        let found = std::fs::canonicalize(path.trim_end()).unwrap();
        assert_eq!(found, std::fs::canonicalize(fixture.path(folder)).unwrap());
    }
}

#[test]
fn completions_for_every_shell() {
    let fixture = Fixture::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = fixture.fine(&["completions", shell]);
        assert!(script.contains("decompress") && script.contains("range"), "{shell}");
    }
    fixture.refused(&["completions", "dos"], "dos");
}

#[test]
fn manual_pages() {
    let fixture = Fixture::new();
    fixture.fine(&["man", "--out", "man"]);
    for page in ["fsz.1", "fsz-compress.1", "fsz-study.1"] {
        assert!(fixture.read_text(&format!("man/{page}")).contains(".TH"), "{page}");
    }
    // The pages that the first one refers to are there.
    let first = fixture.read_text("man/fsz.1").replace('\\', "");
    let referred =
        first.split_whitespace().filter_map(|word| word.strip_suffix("fR(1)")?.strip_prefix("fB"));
    let pages: Vec<&str> = referred.filter(|page| page.starts_with("fsz-")).collect();
    assert_eq!(pages.len(), 15, "{first}");
    assert!(pages.iter().all(|page| fixture.path(&format!("man/{page}.1")).exists()), "{pages:?}");
    // The forms of man(7), and second names.
    let compress = fixture.read_text("man/fsz-compress.1").replace('\\', "");
    let version = env!("CARGO_PKG_VERSION");
    for part in [
        &*format!(".TH FSZ-COMPRESS 1 \"\" \"fsz {version}\" \"FSZ manual\"\n"),
        "\nfBfszfR fBcompressfR [fIoptionsfR] fB--outputfR fIOUT.fszfR {fB--absfR fIEfR|",
        "|fB--max-bytesfR fINfR} fIINfR...\n.SH DESCRIPTION\nSeveral inputs, ",
        ".TP\nfB-ofR, fB--outputfR fIOUT.fszfR\n",
        ".TP\nfB--absfR, fB--absolutefR fIEfR\n",
        ".SS \"Series (several inputs, ",
        ".SH \"WHICH BOUND ANSWERS WHICH QUESTION\"\n.TP\nfB--abs EfR\nNo value is off ",
        ".SH \"EXIT STATUS\"\n.TP\nfB0fR\nsuccess\n",
        ".SH \"SEE ALSO\"\nfBfszfR(1)\n",
    ] {
        assert!(compress.contains(part), "{part}: {compress}");
    }
    let shells = fixture.read_text("man/fsz-completions.1");
    assert!(shells.contains("\nShell: bash, elvish, "), "{shells}");
    assert!(shells.is_ascii() && compress.contains("[u2026]"));
    fixture.refused(&["man", "--out", "man"], "--force");
    fixture.fine(&["man", "--out", "man", "--force"]);
    // None comes beside one that is there.
    std::fs::create_dir(fixture.path("other")).unwrap();
    fixture.write("other/fsz-verify.1", b"");
    fixture.refused(&["man", "--out", "other"], "other/fsz-verify.1 already exists");
    assert_eq!(std::fs::read_dir(fixture.path("other")).unwrap().count(), 1);
}
