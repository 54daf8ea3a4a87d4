//! Misuse and unreadable inputs: one line that says what to do, exit code 2, nothing written.

use crate::fixture::{FIELD, Fixture};

#[test]
fn arguments() {
    let fixture = Fixture::with_field();
    fixture.refused(&[], "a command is required");
    fixture.refused(&["squash"], "unrecognized subcommand 'squash'");
    fixture.refused(&["compress", FIELD, "-o", "x.fsz"], "--abs");
    fixture.refused(&["compress", FIELD, "-o", "x.fsz", "--abs", "1", "--range", "1"], "--range");
    fixture.refused(
        &["compress", FIELD, "-o", "x.fsz", "--abs", "much"],
        "invalid value 'much' for '--abs <E>': a number is needed, such as 0.01 or 1e-3",
    );
    fixture.refused(&["bench", FIELD, "--range", "1e-2,"], "'' for '--range <E>': a number is");
    for floor in ["--floor", "--floor-range"] {
        for bound in ["--abs", "--range", "--psnr"] {
            fixture.refused(
                &["compress", FIELD, "-o", "x.fsz", bound, "1", floor, "1"],
                "--floor and --floor-range go with --relative or --mantissa-bits, and with no other bound",
            );
        }
    }
    let abs = |e| ["compress", FIELD, "-o", "x.fsz", "--abs", e];
    fixture.refused(&abs("0"), "positive");
    fixture.refused(&abs("-1"), "positive");
    fixture.refused(&abs("nan"), "positive");
    let and = |more: &[&'static str]| [&abs("1")[..], more].concat();
    fixture.refused(&and(&["--shape", "6x"]), "30x192x288");
    fixture.refused(&and(&["--shape", "1x1x1x1x1x1x1x1x3600"]), "at most 8");
    fixture.refused(
        &and(&["--shape", "7"]),
        "14400 bytes, but shape 7 takes 28 bytes as f32; wrong --shape",
    );
    fixture.refused(&and(&["--dtype", "i32"]), "use f32 or f64");
    fixture.refused(&and(&["--dtype", "f64"]), "wrong --dtype");
    fixture.refused(&and(&["--threads", "0"]), "at least 1");
    if fsz::devices().is_err() {
        fixture.refused(&and(&["--backend", "cuda"]), "--backend cpu");
    }
    fixture.refused(&and(&["--variable", "U"]), "ADIOS2 file");
    fixture.refused(&and(&["--block", "1"]), "--block 1: T_6x20x30.f32 is not an ADIOS2 file");
    let slice = ["slice", FIELD, "--axis", "0", "--index", "0", "-o", "x.npy", "--step", "1"];
    fixture.refused(&slice, "--step 1: T_6x20x30.f32 is not an ADIOS2 file");
    let series = ["compress", FIELD, "-o", "series/", "--abs", "1", "--step", "1"];
    fixture.refused(&series, "the step of their place in the list");
    fixture.refused(&and(&["--block-len", "33"]), "32");
    fixture.refused(&and(&["--no-centering", "--mean-centering"]), "cannot be used with");
    for missing in ["1e39", "-1e39", "1e-50"] {
        fixture.refused(&and(&["--missing", missing]), "no f32 is near it");
    }
    fixture.refused(&["compare", FIELD, FIELD, "--missing", "1e39"], "out of range for f32");
    let ratio = ["compress", FIELD, "-o", "x.fsz", "--ratio", "1e9"];
    fixture.refused(
        &ratio,
        "no bound found gives this field a compression ratio of 1000000000: the largest",
    );
    let missing = ["1", "2", "3", "4", "5"].map(|v| ["--missing", v]).concat();
    fixture.refused(&and(&missing), "at most 4");
}

#[test]
fn what_is_wrong_with_arguments_comes_with_a_tip_and_the_usage() {
    let fixture = Fixture::with_stream();
    let told = |args: &[&str]| {
        let run = fixture.run(args);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{args:?}");
        run.err
    };
    assert_eq!(
        told(&["inspect", "--quite"]),
        "error: unexpected argument '--quite' found\n\n  tip: a similar argument exists: '--quiet'\n\n\
         Usage: fsz inspect --quiet <IN>...\n\nFor more information, try '--help'.\n"
    );
    let missing = told(&["slice", "T.fsz"]);
    assert!(missing.contains("\n  --axis <N>\n  --index <N>\n"), "{missing}");
    let profile = told(&["compress", FIELD, "-o", "x", "--abs", "1", "--profile", "fine"]);
    assert!(profile.contains("\n  [possible values: paper, dense]\n"), "{profile}");
    let abs = told(&["compress", FIELD, "-o", "x.fsz", "-abs", "1"]);
    assert!(abs.contains("tip: the long names of options begin with two dashes: --abs\n"), "{abs}");
    for args in [
        &["compress", "-dash.npy", "-o", "x.fsz", "--abs", "1"][..],
        &["inspect", "-dash.npy"],
        &["compress", FIELD, "-o", "-dash.npy", "--abs", "1"],
    ] {
        let name = told(args);
        let tip = "tip: a file whose name begins with - is named with its folder: ./-dash.npy\n";
        assert!(name.contains(tip), "{name}");
    }
    assert!(told(&[]).starts_with("error: a command is required\n"));
}

#[test]
fn negative_numbers_are_values() {
    let fixture = Fixture::with_stream();
    fixture.fine(&["compress", FIELD, "-o", "m.fsz", "--abs", "1", "--missing", "-999"]);
    fixture.refused(&["compare", FIELD, "T.fsz", "--bound", "-1"], "--bound -1: it must be");
    fixture.refused(&["bench", FIELD, "--relative", "-1"], "bound -1");
    for (accuracy, told) in [("-1", "-1"), ("inf", "inf"), ("nan", "NaN")] {
        let words = format!("--accuracy {told}: it must be a positive, finite number");
        fixture.refused(&["adios2", "--accuracy", accuracy], &words);
    }
    let slice = ["slice", "T.fsz", "-o", "x.npy", "--index", "0", "--axis", "-1"];
    fixture.refused(&slice, "invalid value '-1' for '--axis <N>': a whole number from 0 is needed");
    let size = ["compress", FIELD, "-o", "x.fsz", "--max-bytes", "3k"];
    fixture.refused(
        &size,
        "'3k' for '--max-bytes <N>': a whole number from 0 is needed, in digits alone",
    );
    let size = [&size[..4], &["--max-bytes", "99999999999999999999"]].concat();
    fixture
        .refused(&size, "'99999999999999999999' for '--max-bytes <N>': a whole number below 2^64");
    let mask = [&size[..4], &["--abs", "1", "--bound-where", "=1"]].concat();
    fixture.refused(&mask, "a mask is missing: name its file before =");
    let bits = ["compress", FIELD, "-o", "x.fsz", "--mantissa-bits"];
    for wrong in ["52", "-1", "5.5", "many"] {
        let words = "for '--mantissa-bits <N>': a whole number from 0 to 51 is needed";
        fixture.refused(&[&bits[..], &[wrong]].concat(), words);
    }
    let words = "a whole number from 1 to 16384 is needed";
    fixture.refused(&["picture", "T.fsz", "-o", "p.png", "--size", "0"], words);
    fixture.refused(&["bench", FIELD, "--repeat", "0"], "a whole number from 1 to");
    // In all ways to write one.
    let compress = ["compress", FIELD, "-o", "x.fsz"];
    for number in ["-1e-3", "-1E-3", "-.5e+2", "-inf"] {
        fixture.refused(&[&compress[..], &["--range", number]].concat(), "must be a positive");
        let missing = ["-f", "--abs", "1", "--missing", number, "--missing", "7"];
        fixture.fine(&[&["compress", FIELD, "-o", "m.fsz"], &missing[..]].concat());
    }
    let range = [&compress[..], &["--range", "-1:1"]].concat();
    fixture.refused(&range, "invalid value '-1:1' for '--range <E>'");
    fixture.refused(&[&compress[..], &["--range", "--force"]].concat(), "invalid value '--force'");
    // What only begins as one, where other things than numbers are values, is told apart by =.
    let bound_in = [&compress[..], &["--abs", "1", "--bound-in", "-1:1,:,:=2"]].concat();
    fixture.refused(&bound_in, "joined to its option: --bound-in=-1:1,:,:=2");
    fixture.fine(&["compress", FIELD, "-o", "i.fsz", "--abs", "1", "--missing=-inf"]);
}

#[test]
fn outputs_are_what_their_names_say() {
    let fixture = Fixture::with_stream();
    let slice = ["slice", "T.fsz", "--axis", "0", "--index", "0", "-o"];
    let of_raw = ["slice", FIELD, "--axis", "0", "--index", "0", "-o"];
    for command in [&["decompress", "T.fsz", "-o"][..], &slice, &of_raw] {
        for name in ["y.f64", "y.F64", "y.d64"] {
            let words =
                "the values are f32, and their type is not changed: name the output y.f32 or y.npy";
            fixture.refused(&[command, &[name]].concat(), words);
        }
        for name in ["y.fsz", "y.npz", "y.nc", "y.csv", "y.TXT", "y.npy.gz"] {
            let words = "values are written raw or as .npy, not as .";
            fixture.refused(&[command, &[name]].concat(), words);
        }
        for name in ["y.f32", "y.npy", "y.bin", "y"] {
            fixture.fine(&[command, &[name, "-f"]].concat());
        }
    }
    let wide: Vec<u8> = (0..600).flat_map(|i| f64::from(i).to_le_bytes()).collect();
    fixture.write("w_600.f64", &wide);
    fixture.fine(&["compress", "w_600.f64", "-o", "w.fsz", "--abs", "1"]);
    let words = "y.f32: the values are f64, and their type is not changed: name the output y.f64";
    fixture.refused(&["decompress", "w.fsz", "-o", "y.f32", "-f"], words);
    fixture.fine(&["decompress", "w.fsz", "-o", "y.f64"]);

    let words = "a picture is written as .png, not as .jpg: name the output p.png";
    fixture.refused(&["picture", "T.fsz", "-o", "p.jpg"], words);
    fixture.refused(&["picture", "T.fsz", "-o", "p.SVG"], "not as .svg: name the output p.png");
    let words = "a stream is written as .fsz, not as .npy: name the output s.fsz";
    fixture.refused(&["compress", FIELD, "-o", "s.npy", "--abs", "1"], words);
    let words = "a stream is written as .fsz, not as .gz: name the output s.fsz";
    fixture.refused(&["compress", FIELD, "-o", "s.gz", "--abs", "1"], words);
    let words = "a table is written as .csv, not as .png: name the output t.csv";
    fixture.refused(&["inspect", "T.fsz", "--tiles", "t.png"], words);
    let words = "a plot is written as .svg, not as .png: name the output p.svg";
    fixture.refused(&["inspect", ".", "--plot", "p.png"], words);
    // Also of these, one that is there would be lost.
    let bench = ["bench", FIELD, "--target-mb", "1", "--repeat", "1"];
    for name in ["other.fsz", "y.f32", "y.npy"] {
        let table = "a table is written as .csv, not as .";
        fixture.refused(&["inspect", "T.fsz", "-f", "--tiles", name], table);
        fixture.refused(&[&bench[..], &["-f", "--csv", name]].concat(), table);
        let report = "a report is written as .json, not as .";
        fixture.refused(&[&bench[..], &["-f", "--json", name]].concat(), report);
        let plot = "a plot is written as .svg, not as .";
        fixture.refused(&["inspect", "T.fsz", "T.fsz", "-f", "--plot", name], plot);
    }
    let words = "a report is written as .json, not as .csv: name the output b.json";
    fixture.refused(&[&bench[..], &["--json", "b.csv"]].concat(), words);
    fixture.fine(&["picture", "T.fsz", "-o", "p.png"]);
    // As thumbnailers name them.
    fixture.fine(&["picture", "T.fsz", "-o", ".thumbnail.AB12CD"]);
}

#[test]
fn inputs() {
    let fixture = Fixture::with_stream();
    fixture
        .refused(&["compress", "absent.f32", "-o", "x.fsz", "--abs", "1"], "absent.f32: No such");
    fixture.write("T.bin", b"\x00\x01\x02\x03\x04\x05\x06");
    fixture.refused(
        &["compress", "T.bin", "-o", "x.fsz", "--abs", "1"],
        "no whole number of f32 or f64",
    );
    fixture.write("bad.npy", b"\x93NUMPY\x01\x00\xff");
    fixture.refused(&["compress", "bad.npy", "-o", "x.fsz", "--abs", "1"], "damaged");
    fixture.refused(&["inspect", FIELD], "not a .fsz");
    // What is known, but not read.
    fixture.write("T.npz", b"PK\x03\x04archive");
    fixture.write("zip.npy", b"PK\x03\x04archive");
    fixture.write("T.nc", b"\x89HDF\r\n\x1a\nfile");
    std::fs::create_dir(fixture.path("store.zarr")).unwrap();
    fixture.write("store.zarr/zarr.json", b"{}");
    for (file, words) in [
        ("T.npz", "an archive of arrays (.npz), which is not read: save one array with numpy.save"),
        ("zip.npy", "an archive of arrays (.npz), which is not read"),
        ("T.nc", "an HDF5 or netCDF-4 file, which is not read"),
        ("store.zarr", "a Zarr store, which is not read: save one array with numpy.save"),
        ("/dev/null", "neither a regular file nor a pipe"),
    ] {
        fixture.refused(&["compress", file, "-o", "x.fsz", "--abs", "1"], words);
        fixture.refused(&["compare", FIELD, file], words);
        fixture.refused(&["inspect", file], words);
        fixture.refused(&["bench", file], words);
        fixture.refused(&["verify", "T.fsz", "--original", file], words);
    }
    // What a shape would make values of.
    fixture.write("classic.nc", b"CDF\x02file");
    fixture.write("T.f32.gz", b"\x1f\x8b\x08file");
    fixture.write("T.csv", b"280.5, 281.5\n279.5, 282.5\n");
    fixture.write("none.f32", b"");
    for (file, words) in [
        ("classic.nc", "a netCDF file, which is not read: save one variable with numpy.save"),
        ("T.f32.gz", "compressed by gzip: decompress it first"),
        ("T.csv", "text, it seems, which is not read: save the values with numpy.save"),
        ("none.f32", "none.f32: empty: no values to read"),
    ] {
        fixture.refused(&["compress", file, "-o", "x.fsz", "--abs", "1"], words);
    }
    fixture.write("words.bin", b"abcdefgh");
    fixture.fine(&["compress", "words.bin", "-o", "words.fsz", "--abs", "1", "--shape", "2"]);
    fixture.refused(
        &["study", "smoth", "--out", "s"],
        "smoth: No such file, and no synthetic field of this name",
    );
    fixture.refused(&["decompress", "T.bin", "-o", "x.f32"], "not a compressed file");
    fixture.refused(&["compare", FIELD, "none.fsz"], "No such file");
    fixture.refused(&["verify", "none.fsz", "--original", FIELD], "No such file");
    fixture.refused(
        &["verify", "T.fsz", "--original", "T.bin"],
        "T.bin: 7 bytes, but shape 6x20x30 takes 14400 bytes as f32; the shape is that of T.fsz",
    );
    std::fs::create_dir(fixture.path("folder")).unwrap();
    fixture.refused(&["slice", "T.fsz", "--axis", "0", "--index", "0", "-o", "folder"], "folder");
    for command in [&["verify"][..], &["inspect"]] {
        let originals = ["--original", FIELD];
        let originals: &[&str] = if command == ["verify"] { &originals } else { &[] };
        fixture.refused(&[command, &["folder"], originals].concat(), "a folder without .fsz files");
    }
    let folder = "T.fsz: is a file: name a folder";
    fixture.refused(&["study", FIELD, "--range", "1e-2", "--out", "T.fsz"], folder);
    // By all names of the option.
    for out in ["--out", "--output", "-o"] {
        fixture.refused(&["man", out, "T.fsz"], folder);
        fixture.refused(&["study", FIELD, out, "T.fsz"], folder);
    }
    fixture.refused(
        &["compress", FIELD, "-o", "none/x.fsz", "--abs", "1"],
        "the folder none does not exist: create it",
    );
}

#[test]
fn a_damaged_stream() {
    let fixture = Fixture::with_stream();
    let whole = fixture.read("T.fsz");
    for len in [0, 4, 8, 100, whole.len() / 2, whole.len() - 1] {
        fixture.write("cut.fsz", &whole[..len]);
        for command in ["inspect", "decompress"] {
            let args = [command, "cut.fsz", "-o", "x.f32"];
            let args = if command == "inspect" { &args[..2] } else { &args[..] };
            fixture.refused(args, "cut.fsz");
        }
    }
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    fixture.write("flip.fsz", &flipped);
    let words = "error: flip.fsz: corrupt";
    fixture.refused(&["decompress", "flip.fsz", "-o", "x.f32"], words);
    fixture.refused(&["verify", "flip.fsz", "--original", FIELD], words);
    fixture.refused(&["compare", FIELD, "flip.fsz"], words);
    fixture.refused(&["slice", "flip.fsz", "--axis", "0", "--index", "5", "-o", "x.npy"], words);
    fixture.refused(&["picture", "flip.fsz", "--axis", "0", "--index", "5", "-o", "x.png"], words);
    // The tables of dense are read for its tiles.
    fixture.fine(&["compress", FIELD, "-o", "d.fsz", "--abs", "0.1", "--profile", "dense"]);
    let mut dense = fixture.read("d.fsz");
    let middle = dense.len() / 2;
    dense[middle..].iter_mut().for_each(|byte| *byte ^= 1);
    fixture.write("flip.fsz", &dense);
    fixture.refused(&["inspect", "flip.fsz", "--tiles", "t.csv"], words);
}

#[test]
fn a_name_does_not_make_a_stream() {
    let fixture = Fixture::with_field();
    std::fs::copy(fixture.path(FIELD), fixture.path("T.fsz")).unwrap();
    let words = "not an FSZ stream";
    fixture.refused(&["decompress", "T.fsz", "-o", "x.f32"], words);
    fixture.refused(&["inspect", "T.fsz"], words);
    fixture.refused(&["verify", "T.fsz", "--original", FIELD], words);
    fixture.refused(&["slice", "T.fsz", "--axis", "0", "--index", "0", "-o", "x.npy"], words);
    fixture.refused(&["compare", FIELD, "T.fsz"], words);
    fixture.refused(&["compress", "T.fsz", "-o", "x.fsz", "--abs", "1"], words);
    fixture.refused(&["study", "T.fsz", "--out", "."], words);
    for (folder, words) in [
        ("a.bp", "a.bp: an ADIOS2 file: extract an ADIOS2 block first with fsz extract"),
        ("series", "series: a folder without .fsz files"),
    ] {
        std::fs::create_dir(fixture.path(folder)).unwrap();
        let like = ["compress", FIELD, "-o", "x.fsz", "--abs", "1", "--like", folder];
        fixture.refused(&like, words);
    }
}

#[cfg(not(feature = "adios2"))]
#[test]
fn adios2_files_in_a_build_without_it() {
    let fixture = Fixture::with_field();
    std::fs::create_dir(fixture.path("a.bp")).unwrap();
    fixture.refused(&["inspect", "a.bp"], "--features adios2");
    fixture.refused(&["extract", "a.bp", "--variable", "U", "-o", "x.fsz"], "--features adios2");
    let other = ["extract", FIELD, "--variable", "U", "-o", "x.fsz"];
    fixture.refused(&other, &format!("{FIELD}: not an ADIOS2 file"));
    fixture.refused(&["compress", "a.bp", "-o", "x.fsz", "--abs", "1"], "--features adios2");
}

#[test]
fn a_system_that_starts_no_threads_is_told_in_one_line() {
    let fixture = Fixture::with_stream();
    // No system has memory for a stack of that size.
    let run = |args: &[&str]| {
        let ended =
            fixture.command(args).env("RUST_MIN_STACK", (1u64 << 50).to_string()).output().unwrap();
        (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
    };
    for args in [
        &["compress", FIELD, "-o", "x.fsz", "--abs", "1"][..],
        &["compress", FIELD, "-o", "x.fsz", "--psnr", "60", "--threads", "1"],
        &["decompress", "T.fsz", "-o", "x.npy"],
        &["slice", "T.fsz", "--axis", "0", "--index", "0", "-o", "x.npy"],
        &["picture", "T.fsz", "-o", "x.png"],
        &["verify", "T.fsz"],
        &["verify", "T.fsz", "--original", FIELD],
        &["compare", FIELD, "T.fsz"],
        &["study", FIELD, "--out", "x"],
        &["bench", "smooth", "--target-mb", "1"],
    ] {
        let (code, told) = run(args);
        assert_eq!(code, Some(2), "{args:?}: {told}");
        assert!(told.starts_with("error: cannot start threads: "), "{args:?}: {told}");
        assert!(told.contains("ulimit -u") && told.lines().count() == 1, "{args:?}: {told}");
    }
    assert_eq!(run(&["inspect", "T.fsz"]), (Some(0), String::new()));
    assert_eq!(fixture.names(), ["T.fsz", FIELD]);
}

/// Of several inputs any could be meant.
#[cfg(target_os = "linux")]
#[test]
fn want_of_memory_names_the_file() {
    let fixture = Fixture::new();
    // Zeros that take no room on disk.
    let zeros = std::fs::File::create(fixture.path("z_67108864.f32")).unwrap();
    zeros.set_len(4 << 26).unwrap();
    fixture.fine(&["compress", "z_67108864.f32", "-o", "z.fsz", "--abs", "1"]);
    let two =
        ["compress", "z_67108864.f32", "-o", "two.fsz", "--abs", "1", "--shape", "2x33554432"];
    fixture.fine(&two);
    let limited = |mb: u32, args: &[&str]| {
        let fsz = env!("CARGO_BIN_EXE_fsz");
        // Else glibc takes 64 MB or more for each thread that is the first to want some, as they come.
        let one = "MALLOC_ARENA_MAX=1";
        let fsz = format!("ulimit -v {mb}000; {one} exec {fsz} \"$@\" --threads 1");
        let ended = fixture.program("sh", &[&["-c", &fsz, "fsz"], args].concat()).output().unwrap();
        String::from_utf8(ended.stderr).unwrap()
    };
    for (args, words) in [
        (&["compare", "z_67108864.f32", "z.fsz"][..], "z.fsz: out of memory for a field"),
        (
            &["compress", "z_67108864.f32", "-o", "x.fsz", "--abs", "1", "-f"],
            "z_67108864.f32: out of memory for a stream",
        ),
        (
            &["compress", "z_67108864.f32", "-o", "x.fsz", "--abs=1", "-f", "--bound-in=0:9=0.1"],
            "z_67108864.f32: out of memory for the regions' places",
        ),
        (
            &[
                "slice",
                "z_67108864.f32",
                "--shape=1x67108864",
                "--axis=0",
                "--index=0",
                "-o",
                "/dev/null",
            ],
            "z_67108864.f32: out of memory for a field of shape 1x67108864",
        ),
        (
            &["study", "z_67108864.f32", "--out", "s", "--range", "1e-2"],
            "z_67108864.f32: out of memory for a field of shape 67108864",
        ),
        (
            &["slice", "two.fsz", "--axis=0", "--index=0", "-o", "/dev/null"],
            "two.fsz: out of memory for a field of shape 33554432",
        ),
    ] {
        // What a program takes beside its fields is not known.
        let told: Vec<String> = (150..650).step_by(50).map(|mb| limited(mb, args)).collect();
        assert!(told.iter().any(|told| told.starts_with(&format!("error: {words}"))), "{told:?}");
        assert!(!told.iter().any(|told| told.starts_with("error: out of memory")), "{told:?}");
        assert!(!told.iter().any(|told| told.contains("memory allocation")), "{told:?}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let fixture = Fixture::new();
    assert!(fixture.fine(&["--help"]).contains("Exit codes"));
    assert!(fixture.fine(&["compress", "--help"]).contains("Research"));
    // The choice of bench is not that of the other commands.
    let bench = fixture.fine(&["bench", "--help"]);
    assert_eq!(bench.matches("auto").count(), 1, "{bench}");
    assert!(fixture.fine(&["--version"]).starts_with("fsz "));
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let fixture = Fixture::with_stream();
    for args in [&["inspect", "T.fsz", "--json"][..], &["completions", "zsh"], &["--help"]] {
        let mut child = fixture.spawn(args);
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{args:?}");
        assert!(ended.stderr.is_empty(), "{args:?}");
    }
}
