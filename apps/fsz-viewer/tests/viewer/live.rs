//! A running simulation: a process of its own that writes an ADIOS2 stream, and is stopped and killed.
//! The operator must lie beside the programs: `cargo build -p fsz-adios2` puts it there.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use adios2::{Adios, Layout, Mode};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{
    Choice, Connection, Document, Live, LiveField, LiveStep, LiveView, Settings, Start, Viewer,
};
use tempfile::TempDir;

use crate::fixture::{LONGEST, SIDES, shows};

pub const CONFIG: &str = r#"<?xml version="1.0"?>
<adios-config>
  <operator name="fsz" type="plugin">
    <parameter key="PluginName" value="fsz"/>
    <parameter key="PluginLibrary" value="fsz_adios2"/>
    <parameter key="accuracy" value="0.01"/>
  </operator>
  <io name="live">
    <engine type="SST">
      <parameter key="RendezvousReaderCount" value="0"/>
      <parameter key="QueueLimit" value="2"/>
      <parameter key="QueueFullPolicy" value="Discard"/>
    </engine>
    <variable name="U"><operation operator="fsz"/></variable>
    <variable name="V"><operation operator="fsz"/></variable>
  </io>
</adios-config>
"#;

/// What the simulation is told: its stream, and how many planes its fields have.
pub const STREAM: &str = "FSZ_VIEWER_LIVE_STREAM";
const PLANES: &str = "FSZ_VIEWER_LIVE_PLANES";
/// Steps after which it ends by itself.
const STEPS: &str = "FSZ_VIEWER_LIVE_STEPS";

/// Between two steps.
pub const PACE: Duration = Duration::from_millis(40);

pub fn value(step: u64, i: u64) -> f32 {
    (i as f32 * 0.02).sin() * 10.0 + step as f32
}

/// The simulation. It writes the number of its last step into a file, so that others see that it goes on.
#[test]
#[ignore = "it is run by the tests below, in a process of its own"]
fn simulation() {
    let Some(stream) = std::env::var_os(STREAM).map(PathBuf::from) else {
        eprintln!("SKIPPED: a simulation: no stream is named");
        return;
    };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (planes, steps) = (number(PLANES).unwrap_or(6), number(STEPS).unwrap_or(u64::MAX));
    fsz_field::bp::load_operator().expect("cargo build -p fsz-adios2 comes first");
    let config = stream.with_extension("xml");
    std::fs::write(&config, CONFIG).unwrap();
    let io = Adios::with_config(&config).unwrap().declare_io("live").unwrap();
    let shape = [planes, 20, 30];
    let half = planes / 2 * 600;
    let u = io.define_variable::<f32>("U", &Layout::whole(&shape)).unwrap();
    let original = io.define_variable::<f32>("U_original", &Layout::whole(&shape)).unwrap();
    let v = io.define_variable::<f64>("V", &Layout::whole(&shape)).unwrap();
    let mut out = io.open(&stream, Mode::Write).unwrap();
    for step in 0..steps {
        let field: Vec<f32> = (0..planes * 600).map(|i| value(step, i)).collect();
        let doubles: Vec<f64> = field.iter().map(|v| f64::from(*v) * 2.0).collect();
        out.begin_step(None).unwrap();
        out.put(&u, &field).unwrap();
        out.put(&original, &field).unwrap();
        // Two ranks' share.
        out.put_block(&v, &[0, 0, 0], &[planes / 2, 20, 30], &doubles[..half as usize]).unwrap();
        let (start, count) = ([planes / 2, 0, 0], [planes - planes / 2, 20, 30]);
        out.put_block(&v, &start, &count, &doubles[half as usize..]).unwrap();
        out.end_step().unwrap();
        std::fs::write(stream.with_extension("step"), step.to_string()).unwrap();
        std::thread::sleep(PACE);
    }
    out.close().unwrap();
}

/// A simulation whose `U`, a local array, has another shape, and which has no `V`, while a file of the stream's
/// name and `change` is there.
#[test]
#[ignore = "it is run by the tests below, in a process of its own"]
fn changing_simulation() {
    let Some(stream) = std::env::var_os(STREAM).map(PathBuf::from) else {
        eprintln!("SKIPPED: a simulation that changes: no stream is named");
        return;
    };
    fsz_field::bp::load_operator().expect("cargo build -p fsz-adios2 comes first");
    let config = stream.with_extension("xml");
    std::fs::write(&config, CONFIG).unwrap();
    let io = Adios::with_config(&config).unwrap().declare_io("live").unwrap();
    let u = io.define_variable::<f32>("U", &Layout::local(&[6, 20, 30])).unwrap();
    let v = io.define_variable::<f64>("V", &Layout::whole(&[4, 10, 12])).unwrap();
    let mut out = io.open(&stream, Mode::Write).unwrap();
    for step in 0.. {
        let changed = stream.with_extension("change").exists();
        let count: [u64; 3] = if changed { [9, 16, 25] } else { [6, 20, 30] };
        let field: Vec<f32> = (0..count.iter().product()).map(|i| value(step, i)).collect();
        let doubles: Vec<f64> = (0..480).map(|i| f64::from(value(step, i))).collect();
        out.begin_step(None).unwrap();
        out.put_block(&u, &[], &count, &field).unwrap();
        if !changed {
            out.put(&v, &doubles).unwrap();
        }
        out.end_step().unwrap();
        std::thread::sleep(PACE);
    }
}

/// A process that ends with the test.
pub struct Process(Child);

impl Process {
    /// Runs one of the ignored tests.
    pub fn start(test: &str, variables: &[(&str, String)]) -> Process {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        command.args([test, "--exact", "--ignored"]);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Process(command.spawn().unwrap())
    }

    fn simulation(stream: &Path, more: &[(&str, String)]) -> Process {
        let mut variables = vec![(STREAM, stream.display().to_string())];
        variables.extend_from_slice(more);
        Process::start("live::simulation", &variables)
    }

    /// Sends a signal, such as STOP.
    fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail when it is over already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The last step that the simulation wrote.
fn written(stream: &Path) -> Option<u64> {
    std::fs::read_to_string(stream.with_extension("step")).ok()?.parse().ok()
}

/// A viewer of a stream, and what wakes it.
pub struct Window {
    pub viewer: Harness<'static, Viewer>,
    woken: Receiver<()>,
}

impl Window {
    pub fn open(stream: &Path, start: Start) -> Window {
        let (wake, woken) = channel();
        let wake = Arc::new(move || {
            // Nobody waits any more when the test is over.
            let _ = wake.send(());
        });
        let start = Start { live: Some(stream.to_owned()), ..start };
        let viewer = Viewer::new(start, Settings::default(), wake).expect("threads");
        let viewer = Harness::builder()
            .with_size(SIDES)
            .with_max_steps(8)
            .build_ui_state(|ui, viewer: &mut Viewer| viewer.ui(ui), viewer);
        Window { viewer, woken }
    }

    pub fn live(&self) -> &LiveView {
        self.viewer.state().session.live.as_ref().expect("a simulation is looked at")
    }

    /// Draws until something is so.
    pub fn until(&mut self, what: &str, so: impl Fn(&LiveView, &Viewer) -> bool) {
        let began = Instant::now();
        loop {
            self.viewer.step();
            assert!(self.viewer.state().session.live.is_some(), "disconnected before {what}");
            if so(self.live(), self.viewer.state()) {
                return;
            }
            let (live, state) = (self.live(), self.viewer.state());
            let known = (&live.live.connection, live.shown, &state.view_state.messages);
            assert!(began.elapsed() < LONGEST, "never {what}: {known:?}");
            // A frame now and then, as a window has them.
            let _ = self.woken.recv_timeout(Duration::from_millis(50));
        }
    }

    pub fn until_shown(&mut self, step: u64) {
        self.until(&format!("step {step}"), |live, viewer| {
            live.shown.is_some_and(|shown| shown >= step) && viewer.session.planes.is_some()
        });
    }
}

#[test]
fn steps_come_pause_and_are_kept() {
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let mut window = Window::open(&stream, Start::default());
    window.until("a window that waits", |live, _| live.live.connection == Connection::Waiting);
    assert!(shows(&window.viewer, "Waiting for a simulation"));
    window.until("the reason", |live, _| live.live.why.is_some());
    let text = format!("There is no {}.sst: a simulation writes it", stream.display());
    assert!(window.viewer.query_all_by_label_contains(&text).next().is_some());
    let _simulation = Process::simulation(&stream, &[]);
    window.until_shown(6);
    // On a busy machine it may be silent for a while.
    window.until("a connection", |live, _| live.live.connection == Connection::Connected);
    assert!(shows(&window.viewer, "Connected"));
    assert_eq!(window.live().live.why, None);
    assert!(shows(&window.viewer, "Original: U_original, sent uncompressed"));
    window.until("an error within the bound", |_, viewer| {
        let planes = viewer.session.planes.as_ref();
        let error = planes.and_then(|planes| planes.error.as_ref());
        error.is_some_and(|e| e.values.iter().all(|e| e.abs() <= 0.01) && e.values[9] != 0.0)
    });
    window.viewer.get_by_label("Pause").click();
    window.until("a pause", |live, _| !live.following);
    let shown = window.live().shown.unwrap();
    // The simulation goes on, and its steps are kept.
    window.until("more steps", |live, _| live.live.steps.back().unwrap().number > shown + 5);
    assert_eq!(window.live().shown, Some(shown), "a window that pauses stays where it is");
    let first = window.live().live.steps.front().unwrap().number;
    window.viewer.get_by_label("previous step").click();
    window.until("the step before", |live, _| live.shown.is_some_and(|now| now < shown));
    let back = window.live().shown.unwrap();
    assert!(window.viewer.state_mut().settle(LONGEST));
    let planes = window.viewer.state().session.planes.as_ref().expect("planes");
    let found = planes.subject.as_ref().and_then(|plane| plane.at(3, 4)).unwrap();
    assert!((found - f64::from(value(back, 94))).abs() <= 0.01 + 1e-5, "{found} at step {back}");
    assert!(planes.original.is_none(), "originals are kept of the newest step only");
    // The value under the pinned cursor over the steps, each within the bound.
    let state = window.viewer.state_mut();
    (state.view_state.cursor, state.view_state.pinned) = (Some((3, 4)), true);
    window.until("a series", |live, _| live.series.as_ref().is_some_and(|s| s.points.len() > 5));
    let series = window.live().series.clone().unwrap();
    assert_eq!((series.position, series.points[0][0]), (94, first as f64));
    for [step, found] in &series.points {
        let written = f64::from(value(*step as u64, 94));
        assert!((found - written).abs() <= 0.01 + 1e-5, "{found} for {written} at step {step}");
    }
    // Another variable, of two ADIOS2 blocks.
    let choice = Choice { variable: "V".to_owned(), step: 0 };
    window.viewer.state_mut().choose(choice);
    window.viewer.get_by_label("Resume").click();
    window.until("the newest step of V", |live, viewer| {
        let subject = viewer.session.set.subject.as_ref();
        let blocks = subject.and_then(|d| d.facts.as_ref()).map(|facts| facts.blocks);
        live.following && live.shown.is_some_and(|now| now > shown + 5) && blocks == Some(2)
    });
    assert_eq!(viewer_notes(&window), "", "another variable is no change of shape");
    let live = &window.live().live;
    let points = &live.points["V"];
    assert!(points.iter().all(|p| p.max_error <= 0.01 && p.ratio > 1.0 && p.bound == 0.01));
    assert!(points.iter().skip(1).all(|p| p.rate.is_some_and(|rate| rate > 0.0)));
    assert!(live.bytes > 0 && live.bytes <= live.budget && !window.live().lags.is_empty());
    for text in
        ["Kept compressed", "Steps per second", "Lag from arrival", "Ratio: ", "Max error (pink"]
    {
        assert!(window.viewer.query_all_by_label_contains(text).next().is_some(), "no {text}");
    }
    assert_eq!(window.viewer.state().view_state.messages, [""; 0]);
    assert!(window.viewer.state().kept().session.is_none(), "a stream is not opened again");
}

#[test]
fn kept_steps_stay_within_their_memory() {
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let _simulation = Process::simulation(&stream, &[]);
    let budget = 20_000;
    let mut window = Window::open(&stream, Start { live_budget: Some(budget), ..Start::default() });
    let points = |live: &LiveView| live.live.points.get("U").map_or(0, |points| points.len());
    window.until("more steps than are kept", |live, _| points(live) > 10);
    let live = window.live();
    assert!(live.live.bytes <= budget && live.live.steps.len() > 1, "{} bytes", live.live.bytes);
    assert!(live.live.steps.len() < points(live), "curves go back further");
}

/// The program itself on a virtual screen, beside a simulation.
#[cfg(target_os = "linux")]
#[test]
fn the_real_window_follows_a_simulation_and_the_next_one() {
    use crate::real_window::{Screen, colours, middle};
    let screen = match Screen::open() {
        Ok(screen) => screen,
        Err(reason) => {
            eprintln!("SKIPPED: a running simulation in a real window: {reason}");
            return;
        }
    };
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let simulation = Process::simulation(&stream, &[]);
    let args = ["--live".as_ref(), stream.as_os_str()];
    let mut viewer = screen.viewer(folder.path(), &args);
    screen.wait(&mut viewer.0, "picture of a step", |points| colours(&points) > 450);
    let changes = |viewer: &mut std::process::Child, what: &str| {
        let mut seen = Vec::new();
        screen.wait(viewer, what, |points| {
            seen.push(middle(&points));
            seen.len() > 1 && seen.first() != seen.last()
        });
    };
    changes(&mut viewer.0, "next step, which nobody asked for");
    drop(simulation);
    let mut before = Vec::new();
    screen.wait(&mut viewer.0, "stillness without a simulation", |points| {
        std::mem::replace(&mut before, middle(&points)) == before
    });
    let _next = Process::simulation(&stream, &[]);
    screen.wait(&mut viewer.0, "step of the next simulation", |points| middle(&points) != before);
    changes(&mut viewer.0, "steps that go on");
}

/// What the panel shows, with steps that come at times of its own.
#[test]
fn the_panel_looks_as_it_did() {
    let Some(mut viewer) =
        crate::fixture::gpu_window(Start::default(), Settings::default(), [900.0, 1180.0])
    else {
        return;
    };
    let began = Instant::now();
    let mut live = Live::new("run".to_owned(), 1 << 20);
    for number in [0, 1, 2, 3, 5, 6] {
        let field: Vec<f32> = (0..3600).map(|i| value(number, i)).collect();
        let view = ndarray::ArrayView::from_shape((6, 20, 30), &field).unwrap();
        let bound = fsz::Bound::Absolute(0.01 + number as f64 * 1e-3);
        let stream = fsz::Codec::cpu().compress(view, bound).unwrap();
        let document = Document::from_stream("run, U".to_owned(), Path::new("run"), stream);
        let name = "U".to_owned();
        let fields = vec![LiveField { name, document: document.unwrap(), original: None }];
        let arrived = began + Duration::from_millis(100 * number + 10 * (number % 3));
        live.push(LiveStep { number, arrived, fields });
    }
    live.set(Connection::Silent, None);
    let mut view = LiveView::new(live);
    view.lags = (0..6).map(|step| [f64::from(step), 0.02 + 0.001 * f64::from(step % 2)]).collect();
    view.following = false;
    viewer.state_mut().session.live = Some(view);
    viewer.state_mut().show_step(5);
    let state = viewer.state_mut();
    (state.view_state.cursor, state.view_state.pinned) = (Some((3, 4)), true);
    crate::fixture::settle(&mut viewer);
    viewer.state_mut().follow(false);
    crate::snapshots::look_in_both(&mut viewer, "live");
}

#[test]
fn a_simulation_that_is_killed_or_ends_is_told_and_the_next_one_is_shown() {
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let simulation = Process::simulation(&stream, &[]);
    let mut window = Window::open(&stream, Start::default());
    window.until_shown(3);
    drop(simulation);
    window.until("a lost connection", |live, _| live.live.connection == Connection::Lost);
    assert!(shows(&window.viewer, "Connection lost; reconnecting"));
    assert!(window.viewer.state().session.planes.is_some(), "the last step stays");
    // Another one under the same name, of another shape, that ends by itself.
    let more = [(PLANES, "9".to_owned()), (STEPS, "150".to_owned())];
    let _next = Process::simulation(&stream, &more);
    window.until("steps of the next one", |live, viewer| {
        let shape = viewer.session.set.subject.as_ref().map(|d| d.shape().to_vec());
        live.live.connection == Connection::Connected && shape == Some(vec![9, 20, 30])
    });
    let notes = viewer_notes(&window);
    assert!(notes.contains("U is 9 × 20 × 30 of f32 from step"), "{notes}");
    window.until("its end", |live, _| live.live.connection == Connection::Ended);
    assert!(shows(&window.viewer, "The simulation ended; waiting for the next"));
    let steps = &window.live().live.steps;
    assert!(steps.iter().all(|step| step.fields[0].document.shape() == [9, 20, 30]));
    assert_eq!(window.viewer.state().view_state.messages, [""; 0]);
}

#[test]
fn a_simulation_whose_variables_change_or_pause_is_followed() {
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let mut window = Window::open(&stream, Start::default());
    window.until("a window that waits", |live, _| live.live.connection == Connection::Waiting);
    let variables = [(STREAM, stream.display().to_string())];
    let _simulation = Process::start("live::changing_simulation", &variables);
    let shape = |viewer: &Viewer| viewer.session.set.subject.as_ref().map(|d| d.shape().to_vec());
    window.until_shown(1);
    assert_eq!(shape(window.viewer.state()), Some(vec![6, 20, 30]));
    std::fs::write(stream.with_extension("change"), "").unwrap();
    window.until("the new shape", |_, viewer| shape(viewer) == Some(vec![9, 16, 25]));
    let changed = window.live().shown.unwrap();
    window.until_shown(changed + 3);
    assert!(viewer_notes(&window).contains("U is 9 × 16 × 25 of f32 from step"));
    let without = |live: &LiveView| !live.live.steps.back().unwrap().has("V");
    window.until("steps without V", |live, _| without(live));
    std::fs::remove_file(stream.with_extension("change")).unwrap();
    window.until("the return of V", |live, _| !without(live));
    window.until("the shape of before", |_, viewer| shape(viewer) == Some(vec![6, 20, 30]));
    let choice = Choice { variable: "V".to_owned(), step: 0 };
    window.viewer.state_mut().choose(choice);
    window
        .until("V", |live, viewer| live.variable == "V" && shape(viewer) == Some(vec![4, 10, 12]));
    assert_eq!(window.viewer.state().view_state.messages, [""; 0]);
}

pub fn viewer_notes(window: &Window) -> String {
    window.viewer.state().view_state.notes.join("\n")
}

/// As one leaves it that was killed.
#[test]
fn a_stream_that_nobody_answers_at_is_told() {
    use base64::Engine;
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let contact = stream.with_extension("sst");
    let mut window = Window::open(&stream, Start::default());
    let why = |live: &LiveView| live.live.why.clone().unwrap_or_default();
    // ADIOS2 would wait without end for what is to stand in the first, and end the program over the second.
    for text in ["", "#ADIOS2-SST v0\nnobody\n"] {
        std::fs::write(&contact, text).unwrap();
        window.until("no contact", |live, _| why(live).contains("run.sst is no contact file"));
        std::fs::remove_file(&contact).unwrap();
        window.until("its absence", |live, _| why(live).starts_with("There is no "));
    }
    // A port that was given back.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (at, address) = (u32::from(port), [1, 0, 0, 127]);
    let [port, ip, host] = [0x8df2_c994, 0x9802_3901, 0xc490_e7deu32].map(u32::to_le_bytes);
    let list = [[0, 3, 0, 0], port, at.to_le_bytes(), ip, address, host, [0; 4]].concat();
    let list = base64::prelude::BASE64_STANDARD.encode(list);
    std::fs::write(&contact, format!("#ADIOS2-SST v0\n0x7fcbd4036780:{list}")).unwrap();
    window.until("a refusal", |live, _| why(live).contains("but no simulation answers: "));
    assert!(shows(&window.viewer, "Waiting for a simulation"));
    assert!(window.viewer.query_all_by_label_contains("remove it, or start").next().is_some());
    // One that opens the stream is shown all the same.
    let _simulation = Process::simulation(&stream, &[]);
    window.until_shown(1);
}

#[test]
fn a_simulation_that_stalls_is_told_and_goes_on() {
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let simulation = Process::simulation(&stream, &[]);
    let mut window = Window::open(&stream, Start::default());
    window.until_shown(2);
    simulation.signal("STOP");
    window.until("silence", |live, _| live.live.connection == Connection::Silent);
    assert!(window.viewer.query_all_by_label_contains("or stands still").next().is_some());
    let shown = window.live().shown.unwrap();
    simulation.signal("CONT");
    window.until_shown(shown + 3);
    assert_eq!(window.live().live.connection, Connection::Connected);
}

/// A viewer without a window, until it is killed.
#[test]
#[ignore = "it is run by the test below, in a process of its own"]
fn spectator() {
    let Some(stream) = std::env::var_os(STREAM).map(PathBuf::from) else {
        eprintln!("SKIPPED: a viewer of a stream: no stream is named");
        return;
    };
    let mut window = Window::open(&stream, Start::default());
    window.until_shown(1);
    std::fs::write(stream.with_extension("seen"), "").unwrap();
    loop {
        window.viewer.step();
        let _ = window.woken.recv_timeout(Duration::from_millis(50));
    }
}

#[test]
fn a_viewer_that_stalls_or_is_killed_does_not_stop_the_simulation() {
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let _simulation = Process::simulation(&stream, &[]);
    let goes_on = |steps: u64| {
        let (from, began) = (written(&stream).unwrap_or(0), Instant::now());
        while written(&stream).unwrap_or(0) < from + steps {
            assert!(began.elapsed() < LONGEST, "the simulation stands at step {from}");
            std::thread::sleep(PACE);
        }
    };
    let spectator = Process::start("live::spectator", &[(STREAM, stream.display().to_string())]);
    let began = Instant::now();
    while !stream.with_extension("seen").exists() {
        assert!(began.elapsed() < LONGEST, "the viewer sees nothing");
        std::thread::sleep(PACE);
    }
    spectator.signal("STOP");
    goes_on(10);
    spectator.signal("CONT");
    goes_on(5);
    drop(spectator);
    goes_on(10);
    // The next viewer comes to a simulation that runs.
    let mut window = Window::open(&stream, Start::default());
    window.until_shown(written(&stream).unwrap_or(0));
}
