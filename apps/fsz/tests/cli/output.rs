//! Where inputs come from and outputs go: standard input and output, pipes, links, long names.
#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::fixture::{FIELD, Fixture};

const COMPRESS: [&str; 5] = ["compress", FIELD, "--range", "1e-3", "-o"];

#[test]
fn standard_output_takes_the_data_alone() {
    let fixture = Fixture::with_stream();
    let stream = fixture.read("T.fsz");
    for output in ["-", "/dev/stdout", "/dev/fd/1"] {
        // A pipe.
        let ended = fixture.command(&[&COMPRESS[..], &[output]].concat()).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        assert!(ended.stdout == stream, "{output}");
        assert!(String::from_utf8_lossy(&ended.stderr).contains("ratio"), "{ended:?}");
        // A file that the shell has made, and one that is added to.
        for before in ["", "before"] {
            fixture.write("y.fsz", before.as_bytes());
            let file = OpenOptions::new().append(true).open(fixture.path("y.fsz")).unwrap();
            let mut command = fixture.command(&[&COMPRESS[..], &[output]].concat());
            assert!(command.stdout(file).stderr(Stdio::null()).status().unwrap().success());
            assert!(fixture.read("y.fsz") == [before.as_bytes(), &stream].concat(), "{output}");
        }
    }
    fixture.fine(&["decompress", "T.fsz", "-o", "back.f32"]);
    let ended = fixture.command(&["decompress", "T.fsz", "-o", "-"]).output().unwrap();
    assert!(ended.stdout == fixture.read("back.f32"));
    let slice = ["slice", "T.fsz", "--axis", "0", "--index", "0", "-o", "-"];
    let ended = fixture.command(&slice).output().unwrap();
    assert!(ended.stdout == fixture.read("back.f32")[..4 * 600]);
    fixture.fine(&["inspect", "T.fsz", "--tiles", "tiles.csv"]);
    assert_eq!(fixture.fine(&["inspect", "T.fsz", "--tiles", "-"]), fixture.read_text("tiles.csv"));
}

/// Values of a field that is decoded in three parts.
const PARTS: usize = 10_000_000;

/// A fixture with the stream of such a field, and its values.
pub fn with_parts() -> (Fixture, Vec<u8>) {
    let fixture = Fixture::new();
    let values: Vec<f32> = (0..PARTS).map(|i| (i / 1000) as f32).collect();
    fixture.write_f32("x_10000000.f32", &values);
    fixture.fine(&["compress", "x_10000000.f32", "-o", "x.fsz", "--abs", "0.1"]);
    fs::remove_file(fixture.path("x_10000000.f32")).unwrap();
    let bytes = fixture.read("x.fsz");
    let mut whole = vec![0f32; PARTS];
    fsz::Codec::cpu().decompress_into(&fsz::Stream::open(&bytes).unwrap(), &mut whole).unwrap();
    (fixture, whole.iter().flat_map(|value| value.to_le_bytes()).collect())
}

#[test]
fn parts_are_written_in_order_wherever_they_go() {
    let (fixture, whole) = with_parts();
    for threads in ["1", "2"] {
        let args = ["decompress", "x.fsz", "--threads", threads, "-o"];
        fixture.fine(&[&args[..], &["x.f32", "--force"]].concat());
        assert!(fixture.read("x.f32") == whole, "a file, {threads} threads");
        let ended = fixture.command(&[&args[..], &["-"]].concat()).output().unwrap();
        assert!(ended.status.success() && ended.stdout == whole, "a pipe, {threads} threads");
    }
    fs::remove_file(fixture.path("x.f32")).unwrap();
    let before = fixture.names();
    #[cfg(target_os = "linux")]
    {
        fixture.refused(&["decompress", "x.fsz", "-o", "/dev/full"], "No space left on device");
        for args in [
            &["inspect", "x.fsz"][..],
            &["--help"],
            &["slice", "--help"],
            &["--version"],
            &["decompress", "x.fsz", "-o", "-"],
            &["inspect", "x.fsz", "--tiles", "/dev/stdout"],
        ] {
            let full = fs::File::create("/dev/full").unwrap();
            let ended = fixture.command(args).stdout(full).output().unwrap();
            let told = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(2), "{args:?}");
            assert!(told.starts_with("error: standard output: No space left on device"), "{told}");
            assert_eq!(told.lines().count(), 1, "{args:?}: {told}");
        }
        // A file that may grow to the half, in blocks of 512 or 1024 bytes.
        let fsz = env!("CARGO_BIN_EXE_fsz");
        let limited = format!("ulimit -f 20000; exec {fsz} decompress x.fsz -o x.f32");
        let ended = fixture.program("sh", &["-c", &limited]).output().unwrap();
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    }
    assert_eq!(fixture.names(), before);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let fixture = Fixture::new();
    fixture.write_f32("x_1000000.f32", &vec![1.0; 1_000_000]);
    fixture.fine(&["compress", "x_1000000.f32", "-o", "x.fsz", "--abs", "1"]);
    let mut child = fixture.spawn(&["decompress", "x.fsz", "-o", "-"]);
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
}

#[test]
fn a_pipe_with_a_name_is_written_to() {
    let fixture = Fixture::with_stream();
    let pipe = fixture.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
    let run = fixture.run(&[&COMPRESS[..], &["pipe"]].concat());
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{run:?}");
    assert!(run.err.contains("ratio"), "{run:?}");
    assert!(reader.join().unwrap() == fixture.read("T.fsz"));
}

#[test]
fn links_are_followed() {
    let fixture = Fixture::with_stream();
    symlink("target.fsz", fixture.path("link.fsz")).unwrap();
    for force in [&[][..], &["--force"]] {
        fixture.fine(&[&COMPRESS[..], &["link.fsz"], force].concat());
        assert!(fixture.read("target.fsz") == fixture.read("T.fsz"));
        assert!(fixture.path("link.fsz").is_symlink());
    }
    fixture.refused(&[&COMPRESS[..], &["link.fsz"]].concat(), "--force");
    fs::remove_file(fixture.path("target.fsz")).unwrap();
    fixture.fine(&[&COMPRESS[..], &["link.fsz", "--force"]].concat());
    assert!(fixture.path("link.fsz").is_symlink());
    assert!(File::open(fixture.path("target.fsz")).is_ok());
}

#[test]
fn long_names() {
    let fixture = Fixture::with_field();
    let name = format!("{}.fsz", "n".repeat(246));
    fixture.fine(&[&COMPRESS[..], &[&name]].concat());
    fixture.fine(&[&COMPRESS[..], &[&name, "--force"]].concat());
    assert_eq!(fixture.names(), [FIELD, &name]);
}

#[test]
fn an_input_is_never_the_output() {
    let fixture = Fixture::with_stream();
    let (field, stream) = (fixture.read(FIELD), fixture.read("T.fsz"));
    symlink(FIELD, fixture.path("link_6x20x30.f32")).unwrap();
    symlink("T.fsz", fixture.path("link.fsz")).unwrap();
    fs::create_dir(fixture.path("sub")).unwrap();
    let is_input =
        |args: &[&str]| fixture.refused(&[args, &["--force"]].concat(), "overwrite the input");
    is_input(&[&COMPRESS[..], &[FIELD]].concat());
    is_input(&[&COMPRESS[..], &["sub/../link_6x20x30.f32"]].concat());
    is_input(&["compress", "link_6x20x30.f32", "-o", FIELD, "--abs", "1"]);
    is_input(&["decompress", "link.fsz", "-o", "T.fsz"]);
    is_input(&["slice", "T.fsz", "--axis", "0", "--index", "0", "-o", "T.fsz"]);
    is_input(&["picture", "T.fsz", "-o", "link.fsz"]);
    is_input(&["inspect", "T.fsz", "--tiles", "T.fsz"]);
    is_input(&["inspect", ".", "--plot", "T.fsz"]);
    is_input(&["bench", FIELD, "--json", FIELD]);
    // A series, whose outputs are named after the inputs; a mask; the stream that values are coded like.
    is_input(&["compress", "T.fsz", "-o", "./", "--abs", "1"]);
    let mask = ["--abs", "1", "--bound-where", "T.fsz=1e-3"];
    is_input(&[&["compress", FIELD, "-o", "T.fsz"][..], &mask].concat());
    is_input(&[&COMPRESS[..], &["T.fsz", "--like", "link.fsz"]].concat());
    fixture.write("T_6x20x30.fsz", &stream);
    is_input(&[&COMPRESS[..], &["./", "--like", "T_6x20x30.fsz"]].concat());
    assert!(fixture.read(FIELD) == field && fixture.read("T.fsz") == stream);
}

/// What a command writes to standard output with these bytes in standard input.
fn piped(fixture: &Fixture, args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child =
        fixture.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let ended = std::thread::scope(|scope| {
        // It is closed when all is written.
        scope.spawn(move || pipe.write_all(input).unwrap());
        child.wait_with_output().unwrap()
    });
    assert!(ended.status.success(), "{args:?}");
    ended.stdout
}

#[test]
fn standard_input_and_pipes_are_read_like_files() {
    let fixture = Fixture::with_stream();
    let (stream, field) = (fixture.read("T.fsz"), fixture.read(FIELD));
    for input in ["-", "/dev/stdin"] {
        let raw = ["compress", input, "--shape", "6x20x30", "--range", "1e-3", "-o", "-"];
        assert!(piped(&fixture, &raw, &field) == stream, "{input}");
        let values = piped(&fixture, &["decompress", input, "-o", "-"], &stream);
        fixture.write("back.f32", &values);
        fixture.fine(&["verify", "T.fsz", "--original", FIELD]);
        let told = piped(&fixture, &["verify", input, "--original", FIELD], &stream);
        assert!(String::from_utf8(told).unwrap().contains("bound holds"));
        let told = piped(&fixture, &["verify", "T.fsz", "--original", input], &field);
        assert!(String::from_utf8(told).unwrap().contains("bound holds"));
        let study =
            ["study", input, "--out", "s", "--force", "--range", "1e-3", "--relative", "1e-3"];
        piped(&fixture, &study, &stream);
        let told = piped(&fixture, &["compare", FIELD, input], &stream);
        let expected = fixture.fine(&["compare", FIELD, "T.fsz"]);
        assert_eq!(String::from_utf8(told).unwrap(), expected);
        let report = piped(&fixture, &["inspect", input, "--json"], &stream);
        let expected = fixture.fine(&["inspect", "T.fsz", "--json"]);
        assert_eq!(String::from_utf8(report).unwrap(), expected);
    }
    // A file that the shell opens, and nothing at all.
    let file = File::open(fixture.path("T.fsz")).unwrap();
    let mut command = fixture.command(&["inspect", "-", "--json"]);
    assert!(command.stdin(file).output().unwrap().status.success());
    fixture.refused(&["inspect", "-"], "not a .fsz or .bp file");
    fixture.refused(&["compress", "-", "-o", "x.fsz", "--abs", "1"], "-: empty: no values to read");
}

/// What is not read is told by its first bytes, however much comes behind them.
#[cfg(unix)]
#[test]
fn a_pipe_of_what_is_not_read_is_not_read_to_its_end() {
    let fixture = Fixture::new();
    let compress = ["compress", "-", "-o", "x.fsz", "--abs", "1"];
    for (args, start) in [
        (&compress[..], &b"\x89HDF\r\n\x1a\n"[..]),
        (&["decompress", "-", "-o", "x.npy"], b"\x93NUMPY\x01\x00"),
        (&["verify", "/dev/stdin"], b"\x93NUMPY\x01\x00"),
        (&["inspect", "-"], b"\x93NUMPY\x01\x00"),
    ] {
        let mut command = fixture.command(args);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(start).unwrap();
        // Far more than a pipe holds.
        let rest = pipe.write_all(&vec![0; 1 << 25]);
        drop(pipe);
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(2), "{args:?}: {ended:?}");
        assert_eq!(rest.unwrap_err().kind(), std::io::ErrorKind::BrokenPipe, "{args:?}");
    }
}

/// A folder that somebody made by mistake, as well as a file.
#[test]
fn what_is_named_like_standard_input_or_output_changes_nothing() {
    let fixture = Fixture::with_stream();
    let (stream, field) = (fixture.read("T.fsz"), fixture.read(FIELD));
    let check = || {
        let raw = ["compress", "-", "--shape", "6x20x30", "--range", "1e-3", "-o", "-"];
        assert!(piped(&fixture, &raw, &field) == stream);
        assert!(piped(&fixture, &["decompress", "-", "-o", "-"], &stream).len() == field.len());
        let told = piped(&fixture, &["verify", "-", "--original", FIELD], &stream);
        assert!(String::from_utf8(told).unwrap().contains("bound holds"));
        let report = piped(&fixture, &["inspect", "-", "--json"], &stream);
        let expected = fixture.fine(&["inspect", "T.fsz", "--json"]);
        assert_eq!(String::from_utf8(report).unwrap(), expected);
    };
    fixture.write("-", &field);
    check();
    std::fs::remove_file(fixture.path("-")).unwrap();
    fixture.refused(&["man", "-o", "-"], "goes to a folder, not to standard output: name one");
    fixture.refused(&["study", FIELD, "-o", "-"], "goes to a folder, not to standard output");
    assert!(!fixture.path("-").exists());
    std::fs::create_dir(fixture.path("-")).unwrap();
    check();
    fixture.write("-/U.fsz", &stream);
    check();
}

/// Though what stands for that begins with -.
#[test]
fn a_mask_is_read_from_standard_input() {
    let fixture = Fixture::with_field();
    let compress = ["compress", FIELD, "-o", "-", "--abs", "0.1", "--bound-where"];
    let field = fixture.read(FIELD);
    let own = piped(&fixture, &[&compress[..], &["-=0.01"]].concat(), &field);
    let mask = format!("{FIELD}=0.01");
    assert!(own == piped(&fixture, &[&compress[..], &[&mask]].concat(), b""));
    fixture.refused(&[&compress[..], &["--force"]].concat(), "a bound is missing");
}

/// Each would be taken for the other.
#[test]
fn standard_input_is_one_input() {
    let fixture = Fixture::with_stream();
    let words = "standard input is named twice, and holds one input: name a file for the other";
    for other in ["-", "/dev/stdin"] {
        fixture.refused(&["compare", "-", other], words);
        fixture.refused(&["verify", "-", "--original", other], words);
        fixture.refused(&["verify", other, "T.fsz", "-"], words);
        fixture.refused(&["decompress", "-", other, "-o", "out"], words);
        fixture.refused(&["compress", "-", other, "-o", "out", "--abs", "1"], words);
        let compress = ["compress", "-", "-o", "x.fsz", "--abs", "1"];
        fixture.refused(&[&compress[..], &["--like", other]].concat(), words);
        let mask = format!("--bound-where={other}=0.1");
        fixture.refused(&[&compress[..], &[&mask]].concat(), words);
        fixture.refused(&["bench", "-", other], words);
        fixture.refused(&["study", other, "-", "-o", "out"], words);
    }
}

/// Rust opens `/dev/null` in its place, where all would be lost.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_output_is_told() {
    let fixture = Fixture::with_stream();
    let closed = |args: &[&str]| {
        let fsz = concat!("exec ", env!("CARGO_BIN_EXE_fsz"), " \"$@\" >&-");
        let ended = fixture.program("sh", &[&["-c", fsz, "fsz"], args].concat()).output().unwrap();
        (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
    };
    let told =
        "error: standard output is closed: redirect it, or name a file for the output\n".to_owned();
    for args in [
        &["compress", FIELD, "--abs", "1", "-o", "-"][..],
        &["decompress", "T.fsz", "-o", "/dev/stdout"],
        &["slice", "T.fsz", "--axis", "0", "--index", "0", "-o", "-"],
        &["inspect", "T.fsz"],
        &["inspect", "T.fsz", "--tiles", "-"],
        &["verify", "T.fsz"],
        &["compare", FIELD, "T.fsz", "--json"],
        &["--help"],
    ] {
        assert_eq!(closed(args), (Some(2), told.clone()), "{args:?}");
    }
    // What is done is done; nobody is told.
    assert_eq!(closed(&["decompress", "T.fsz", "-o", "T.npy"]), (Some(0), String::new()));
    assert_eq!(fixture.names(), ["T.fsz", "T.npy", FIELD]);
    // Where somebody wants nothing of it, it is open.
    let mut command = fixture.command(&["decompress", "T.fsz", "-o", "-"]);
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null").unwrap();
    assert!(command.stdout(nothing).stderr(Stdio::null()).status().unwrap().success());
}
