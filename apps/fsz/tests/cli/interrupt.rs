//! Signals: the work ends and no unfinished file stays.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::fixture::{FIELD, Fixture, with_pipes};
use crate::output::with_parts;

/// What is waited for takes a moment, also on a busy machine.
const LONGEST: Duration = Duration::from_secs(120);

/// Sends a signal at once: on a busy machine the program would be over before another one, `kill`, is loaded.
pub fn signal(child: &Child, number: libc::c_int) {
    // SAFETY: it touches no memory; the child's number is its own until it was waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, number) };
}

/// Zeros that take no room on disk, and longer to work on than a signal to arrive.
const ZEROS: &str = "x_2000000000.f32";

/// A command that reads [`ZEROS`] is interrupted; what it gave.
fn interrupted(fixture: &Fixture, args: &[&str]) -> Output {
    let ended = reading(fixture, args, |_, child| signal(child, libc::SIGINT));
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    ended
}

/// Something happens to a command, or to the file, while it reads [`ZEROS`]; what it gave. No output may be left.
fn reading(
    fixture: &Fixture,
    args: &[&str],
    happens: impl FnOnce(&std::fs::File, &Child),
) -> Output {
    reading_by(fixture, fixture.command(args), happens)
}

/// The same of a command of one's own.
fn reading_by(
    fixture: &Fixture,
    command: Command,
    happens: impl FnOnce(&std::fs::File, &Child),
) -> Output {
    let zeros = std::fs::File::create(fixture.path(ZEROS)).unwrap();
    zeros.set_len(8_000_000_000).unwrap();
    let child = with_pipes(command);
    let deadline = Instant::now() + LONGEST;
    // The handler is set before the field is mapped.
    let maps = format!("/proc/{}/maps", child.id());
    while !std::fs::read_to_string(&maps).unwrap().contains(ZEROS) {
        assert!(Instant::now() < deadline, "the field was never opened");
        std::thread::sleep(Duration::from_millis(1));
    }
    happens(&zeros, &child);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(fixture.names(), [ZEROS]);
    ended
}

#[test]
fn an_input_that_becomes_shorter_is_told() {
    for threads in ["1", "2"] {
        let args = ["compress", ZEROS, "-o", "x.fsz", "--abs", "1e-3", "--threads", threads];
        let shorten = |zeros: &std::fs::File, _: &Child| zeros.set_len(0).unwrap();
        let ended = reading(&Fixture::new(), &args, shorten);
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(told.starts_with("error: an input became shorter"), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

#[test]
fn an_interrupted_compression_leaves_nothing() {
    let args = ["compress", ZEROS, "-o", "x.fsz", "--abs", "1e-3", "--threads", "1"];
    interrupted(&Fixture::new(), &args);
}

/// As under `nohup`, and in the background of a script.
#[test]
fn signals_that_the_program_was_started_to_ignore_are_ignored() {
    let fixture = Fixture::new();
    let script = format!(
        "trap '' HUP TERM; exec {} compress {ZEROS} -o x.fsz --abs 1e-3 --threads 1",
        env!("CARGO_BIN_EXE_fsz")
    );
    let ended = reading_by(&fixture, fixture.program("sh", &["-c", &script]), |_, child| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:\t")).unwrap();
        let ignored = u64::from_str_radix(mask, 16).unwrap();
        let is_ignored = |signal: libc::c_int| ignored >> (signal - 1) & 1 == 1;
        assert!(is_ignored(libc::SIGHUP) && is_ignored(libc::SIGTERM), "{mask}");
        assert!(!is_ignored(libc::SIGINT), "{mask}");
        signal(child, libc::SIGHUP);
        signal(child, libc::SIGINT);
    });
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
}

/// There is nothing to continue from.
#[test]
fn nothing_is_kept_where_nothing_was_complete() {
    let series = ["compress", ZEROS, "-o", "out/", "--abs", "1e-3", "--threads", "1"];
    for args in [&series[..], &["study", ZEROS, "--out", "out", "--threads", "1"]] {
        let ended = interrupted(&Fixture::new(), args);
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(told.starts_with("interrupted: ") && !told.contains("--resume"), "{told}");
    }
}

/// Whatever is under way: the rest may never come.
#[test]
fn an_interrupt_ends_a_wait_for_a_pipe() {
    let fixture = Fixture::with_stream();
    let names = fixture.names();
    for args in [
        &["compare", "-", "T.fsz"][..],
        &["compress", "-", "-o", "x.fsz", "--abs", "1"],
        &["study", "-", "--shape", "6x20x30", "--out", "s"],
    ] {
        let mut command = fixture.command(args);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let start: &[u8] = if args[0] == "compress" { b"\x89FSZ\r\n\x1a\n" } else { &[0; 8] };
        pipe.write_all(start).unwrap();
        // A pipe holds less: when this is written, the program reads what is behind the start.
        pipe.write_all(&[0; 1 << 20]).unwrap();
        slept(&child, None);
        signal(&child, libc::SIGINT);
        assert_eq!(ended(&mut child).code(), Some(130), "{args:?}");
    }
    assert_eq!(fixture.names(), names);
}

/// Waits for the end of a program that waits for nothing.
fn ended(child: &mut Child) -> std::process::ExitStatus {
    let deadline = Instant::now() + LONGEST;
    loop {
        match child.try_wait().unwrap() {
            Some(ended) => return ended,
            None if Instant::now() > deadline => {
                child.kill().unwrap();
                panic!("it does not end");
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Nobody may ever read on: one interrupt is enough for what does not see that it was cancelled.
#[test]
fn an_interrupt_ends_a_write_that_nobody_reads() {
    let (fixture, _) = with_parts();
    let mut child = fixture.spawn(&["decompress", "x.fsz", "-o", "-"]);
    let mut pipe = child.stdout.take().unwrap();
    // A pipe holds less than a part: the program is now writing the first one, and waits.
    pipe.read_exact(&mut [0; 1000]).unwrap();
    slept(&child, None);
    signal(&child, libc::SIGINT);
    assert_eq!(ended(&mut child).code(), Some(130));
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(told.ends_with("interrupted: no unfinished output is left\n"), "{told}");
}

#[test]
fn an_interrupted_comparison_says_so() {
    let ended = interrupted(&Fixture::new(), &["compare", ZEROS, ZEROS, "--threads", "1"]);
    assert!(ended.stdout.is_empty() && ended.stderr.starts_with(b"interrupted"), "{ended:?}");
}

/// How often the thread that answers signals has gone to sleep; none where it is awake. On a busy machine it may have no
/// name yet when the program is far ahead.
fn answers(child: &Child) -> Option<String> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
    // A thread may end before it is looked at.
    let status = |thread: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(thread.ok()?.path().join("status")).ok()
    };
    let text = threads.filter_map(status).find(|text| text.starts_with("Name:\tctrl-c\n"))?;
    let line = |start: &str| text.lines().find(|line| line.starts_with(start));
    line("State:\tS").and(line("voluntary")).map(str::to_owned)
}

/// Waits until the thread that answers signals sleeps, and has done so more often than it had.
fn slept(child: &Child, before: Option<&str>) -> String {
    let deadline = Instant::now() + LONGEST;
    loop {
        match answers(child) {
            Some(now) if Some(now.as_str()) != before => return now,
            _ => assert!(Instant::now() < deadline, "nobody answers signals"),
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn an_interrupt_between_parts_ends_the_output() {
    let (fixture, whole) = with_parts();
    let mut child = fixture.spawn(&["decompress", "x.fsz", "-o", "-"]);
    let mut pipe = child.stdout.take().unwrap();
    let mut seen = vec![0; 1000];
    // A pipe holds less than a part: the program is now writing the first one, and waits.
    pipe.read_exact(&mut seen).unwrap();
    // One that has not begun to wait for signals goes to sleep without an answer.
    let before = slept(&child, None);
    signal(&child, libc::SIGINT);
    slept(&child, Some(&before));
    pipe.read_to_end(&mut seen).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    assert!(seen.len() < whole.len() && seen == whole[..seen.len()]);
}

#[test]
fn a_signal_at_any_time_leaves_no_temporary_file() {
    let fixture = Fixture::new();
    fixture.fine(&["man", "--out", "man"]);
    let pages = || {
        let entries = std::fs::read_dir(fixture.path("man")).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let all = pages().len();
    // Every page is an output: most of the program's time is spent where one is named.
    for run in 0..60 {
        let args = ["man", "--out", "man", "--force"];
        let mut child = fixture.command(&args).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(500 * (run % 30)));
        signal(&child, [libc::SIGINT, libc::SIGTERM, libc::SIGHUP][run as usize % 3]);
        child.wait().unwrap();
        assert_eq!(pages().len(), all, "run {run}: {:?}", pages());
    }
}

#[test]
fn a_file_size_limit_is_an_error_and_leaves_nothing() {
    let fixture = Fixture::with_stream();
    let before = fixture.names();
    // In blocks of 512 or 1024 bytes.
    let limited =
        format!("ulimit -f 4; exec {} decompress T.fsz -o T.f32", env!("CARGO_BIN_EXE_fsz"));
    assert!(fixture.read(FIELD).len() > 4096);
    let ended = fixture.program("sh", &["-c", &limited]).output().unwrap();
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert!(String::from_utf8_lossy(&ended.stderr).contains("File too large"), "{ended:?}");
    assert_eq!(fixture.names(), before);
}
