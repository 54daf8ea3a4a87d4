//! The program itself, with a window on a virtual screen: what the harness of the other tests stands in
//! for.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::fixture::Fixture;

/// The longest that anything may take: a software renderer begins slowly, more so on a busy machine.
const LONGEST: Duration = Duration::from_secs(180);

/// Columns and rows of the screen.
const SIDES: (usize, usize) = (1280, 800);

/// A process that ends with the test.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it is over already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A virtual screen of its own, and the tools that look at it.
pub struct Screen {
    _server: Running,
    display: String,
}

impl Screen {
    pub fn open() -> Result<Screen, String> {
        for tool in ["xdotool", "xwd"] {
            let found = Command::new("which").arg(tool).output().map_err(|e| e.to_string())?;
            if !found.status.success() {
                return Err(format!("{tool} is not installed"));
            }
        }
        // The server finds a free number and says it on this pipe.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &format!("{}x{}x24", SIDES.0, SIDES.1)])
            // Without this it begins anew when its last client goes, and takes one that is coming along.
            .args(["-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("Xvfb: {e}"))?;
        let said = server.stdout.take().ok_or("Xvfb has no output")?;
        let server = Running(server);
        let mut number = String::new();
        BufReader::new(said).read_line(&mut number).map_err(|e| e.to_string())?;
        if number.trim().is_empty() {
            return Err("Xvfb gave no screen".to_owned());
        }
        Ok(Screen { _server: server, display: format!(":{}", number.trim()) })
    }

    fn ask(&self, program: &str, args: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(args).env("DISPLAY", &self.display).output().expect("it starts")
    }

    /// The viewer with these words on this screen, its settings in a folder.
    pub fn viewer(&self, folder: &Path, args: &[&OsStr]) -> Running {
        let viewer = Command::new(env!("CARGO_BIN_EXE_fsz-viewer"))
            .args(args)
            .env("DISPLAY", &self.display)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_DATA_HOME", folder.join("data"))
            .env("XDG_RUNTIME_DIR", folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        Running(viewer.expect("it starts"))
    }

    /// Gives the keyboard to the viewer's window: there is no window manager that would.
    fn focus(&self) {
        let window = self.ask("xdotool", &["search", "--onlyvisible", "--name", "FSZ viewer"]);
        let name = String::from_utf8_lossy(&window.stdout).trim().to_owned();
        assert!(window.status.success() && !name.is_empty(), "no window of that name is seen");
        self.ask("xdotool", &["windowfocus", "--sync", &name]);
    }

    /// The points of the screen: the image behind the dump's header, whose length stands first.
    fn points(&self) -> Vec<u8> {
        let dump = self.ask("xwd", &["-root", "-silent"]).stdout;
        let Some(first) = dump.first_chunk::<4>() else { return Vec::new() };
        let colours = dump.get(76..80).map_or(0, |n| u32::from_be_bytes([n[0], n[1], n[2], n[3]]));
        let begin = u32::from_be_bytes(*first) + 12 * colours;
        dump.get(begin as usize..).unwrap_or_default().to_vec()
    }

    /// Waits until the screen is as wanted.
    pub fn wait(&self, viewer: &mut Child, what: &str, mut wanted: impl FnMut(Vec<u8>) -> bool) {
        let began = Instant::now();
        while !wanted(self.points()) {
            if let Some(ended) = viewer.try_wait().expect("it can be asked") {
                let mut said = String::new();
                if let Some(pipe) = &mut viewer.stderr {
                    pipe.read_to_string(&mut said).expect("it spoke text");
                }
                panic!("the viewer ended ({ended}) before {what}: {said}");
            }
            assert!(began.elapsed() < LONGEST, "no {what} for {LONGEST:?}");
            // Looking takes the processor that the viewer draws with.
            thread::sleep(Duration::from_millis(200));
        }
    }
}

/// The middle third of each row: panes, whatever the panels beside them do.
pub fn middle(points: &[u8]) -> Vec<u8> {
    points
        .chunks(4 * SIDES.0)
        .flat_map(|row| &row[row.len() / 3..2 * row.len() / 3])
        .copied()
        .collect()
}

pub fn colours(points: &[u8]) -> usize {
    points.as_chunks::<4>().0.iter().collect::<HashSet<_>>().len()
}

/// The time on processors that a process has taken, in hundredths of a second.
fn processor_time(process: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).expect("its times");
    // Behind the name, which may hold anything: user and system time are the 12th and 13th.
    let times = stat.rsplit_once(')').expect("a name").1;
    times.split_whitespace().skip(11).take(2).map(|t| t.parse::<u64>().expect("a time")).sum()
}

/// A window in which nothing happens takes no processor time: less than a hundredth of a processor.
fn idle(viewer: &Child) {
    let span = Duration::from_secs(2);
    let longest = Instant::now() + LONGEST;
    loop {
        let before = processor_time(viewer);
        thread::sleep(span);
        let taken = processor_time(viewer) - before;
        if taken <= 2 {
            return;
        }
        // The last figures may still be on their way.
        assert!(Instant::now() < longest, "an idle window takes {taken} of 200 hundredths");
    }
}

#[test]
fn the_window_shows_the_panes_and_hears_keys() {
    let screen = match Screen::open() {
        Ok(screen) => screen,
        Err(reason) => {
            eprintln!("SKIPPED: the viewer's real window: {reason}");
            return;
        }
    };
    let fixture = Fixture::new();
    let (file, original) = (fixture.path("wave.fsz"), fixture.path("wave_12x40x50.f32"));
    // Whatever draws the window decodes and paints too, be it in software.
    let args = [file.as_os_str(), "--original".as_ref(), original.as_ref()];
    let args = [&args[..], &["--decoder".as_ref(), "gpu".as_ref()]].concat();
    let mut viewer = screen.viewer(&fixture.path(""), &args);
    // Three panes of a field in viridis and blue to red: more colours than any frame around them.
    screen.wait(&mut viewer.0, "picture of the panes", |points| colours(&points) > 400);
    screen.focus();
    let mut still = Vec::new();
    screen.wait(&mut viewer.0, "stillness", |points| {
        let now = middle(&points);
        let same = now == still;
        still = now;
        same
    });
    idle(&viewer.0);
    screen.ask("xdotool", &["key", "End"]);
    screen.wait(&mut viewer.0, "other plane after a key", |points| middle(&points) != still);
}

#[test]
fn the_next_window_opens_what_the_last_one_showed() {
    let screen = match Screen::open() {
        Ok(screen) => screen,
        Err(reason) => {
            eprintln!("SKIPPED: the viewer's session in a real window: {reason}");
            return;
        }
    };
    let fixture = Fixture::new();
    let mut first = screen.viewer(&fixture.path(""), &[fixture.path("wave.fsz").as_os_str()]);
    screen.wait(&mut first.0, "picture of the pane", |points| colours(&points) > 450);
    screen.focus();
    screen.ask("xdotool", &["key", "ctrl+q"]);
    let began = Instant::now();
    let ended = loop {
        if let Some(ended) = first.0.try_wait().expect("it can be asked") {
            break ended;
        }
        assert!(began.elapsed() < LONGEST, "it does not end for {LONGEST:?}");
        thread::sleep(Duration::from_millis(100));
    };
    assert!(ended.success(), "{ended:?}");
    // Without a file there would be words only, in some 320 colours.
    let mut second = screen.viewer(&fixture.path(""), &[]);
    screen.wait(&mut second.0, "picture of the pane again", |points| colours(&points) > 450);
}

#[test]
fn a_second_call_hands_its_file_to_the_window() {
    let screen = match Screen::open() {
        Ok(screen) => screen,
        Err(reason) => {
            eprintln!("SKIPPED: one window for all calls: {reason}");
            return;
        }
    };
    let fixture = Fixture::new();
    let call = |name: &str| {
        let file = fixture.path(name);
        screen.viewer(&fixture.path(""), &["--single-instance".as_ref(), file.as_os_str()])
    };
    let mut first = call("wave.fsz");
    screen.wait(&mut first.0, "picture of the pane", |points| colours(&points) > 450);
    let mut still = Vec::new();
    screen.wait(&mut first.0, "stillness", |points| {
        let now = middle(&points);
        let same = now == still;
        still = now;
        same
    });
    let mut second = call("rough.fsz");
    let ended = second.0.wait().expect("it ends");
    assert!(ended.success(), "{ended:?}");
    screen.wait(&mut first.0, "other field", |points| middle(&points) != still);
}
