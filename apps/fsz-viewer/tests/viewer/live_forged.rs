//! Steps of a running simulation that are damaged or forged, and a simulation whose variable has another type: through
//! a real stream, from a process of its own.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use adios2::{Adios, Engine, Io, Layout, Mode};
use fsz::format::{Sections, at};
use fsz::{Bound, Codec, CompressOptions, DType, Stream};
use fsz_viewer::{Start, Viewer};
use tempfile::TempDir;

use crate::live::{CONFIG, PACE, Process, STREAM, Window, value, viewer_notes};
use crate::seal::{seal, seal_metadata};

const SHAPE: [u64; 3] = [6, 20, 30];

/// What is wrong with a step.
const WRONG: [&str; 3] = ["payload", "index", "shape"];

/// The simulation's stream; none where a person runs these tests by hand.
fn named() -> Option<PathBuf> {
    let stream = std::env::var_os(STREAM).map(PathBuf::from);
    if stream.is_none() {
        eprintln!("SKIPPED: a simulation: no stream is named");
    }
    stream
}

fn open(stream: &PathBuf) -> (Io, Engine) {
    fsz_field::bp::load_operator().expect("cargo build -p fsz-adios2 comes first");
    let config = stream.with_extension("xml");
    fs::write(&config, CONFIG).unwrap();
    let io = Adios::with_config(&config).unwrap().declare_io("live").unwrap();
    let out = io.open(stream, Mode::Write).unwrap();
    (io, out)
}

/// Writes a step now and then, until the process is killed.
fn write_steps(mut out: Engine, mut put: impl FnMut(&mut Engine, u64)) {
    for step in 0.. {
        out.begin_step(None).unwrap();
        put(&mut out, step);
        out.end_step().unwrap();
        std::thread::sleep(PACE);
    }
}

fn field(step: u64) -> Vec<f32> {
    (0..SHAPE.iter().product()).map(|i| value(step, i)).collect()
}

/// The stream that the operator makes of a step.
fn compressed(step: u64) -> Vec<u8> {
    let field = ndarray::ArrayD::from_shape_vec(&SHAPE.map(|n| n as usize)[..], field(step));
    let options = CompressOptions::new(Bound::Absolute(0.01)).name("U").start(&[0; 3]);
    Codec::cpu().compress_with(field.unwrap().view(), &options).unwrap().into_vec()
}

/// The same, damaged or forged.
fn wrong(what: &str, sound: &[u8]) -> Vec<u8> {
    let Sections { sizes, payload, .. } = Stream::open(sound).unwrap().sections().clone();
    let mut bytes = sound.to_vec();
    match what {
        // As a wire or a memory may damage it: the chunk's checksum tells.
        "payload" => bytes[payload as usize] ^= 0x10,
        // The checksums are right, what they are of is not.
        "index" => {
            bytes[sizes.start as usize..sizes.end as usize].fill(0xFF);
            seal_metadata(&mut bytes);
        }
        "shape" => {
            bytes[at::elements..][..8].copy_from_slice(&(1u64 << 40).to_le_bytes());
            seal(&mut bytes);
        }
        other => panic!("{other}"),
    }
    assert_ne!(bytes, sound);
    bytes
}

/// Overwrites the places of this process's memory that hold `sound`, all but itself; how many these are.
fn replace_in_memory(sound: &[u8], forged: &[u8]) -> usize {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let memory = File::options().read(true).write(true).open("/proc/self/mem").unwrap();
    let mut replaced = 0;
    for line in maps.lines().filter(|line| line.contains(" rw-p ")) {
        let (first, end) =
            line.split_once(' ').and_then(|(range, _)| range.split_once('-')).unwrap();
        let address = |text| u64::from_str_radix(text, 16).unwrap();
        let (first, end) = (address(first), address(end));
        let mut part = vec![0; (end - first) as usize];
        if memory.read_exact_at(&mut part, first).is_err() {
            continue;
        }
        let own = [sound, &part]
            .map(|own| own.as_ptr().addr() as u64..own.as_ptr_range().end.addr() as u64);
        let mut from = 0;
        while let Some(found) = part[from..].windows(16).position(|window| window == &sound[..16]) {
            let at = from + found;
            from = at + 16;
            let place = first + at as u64;
            let is_own = own.iter().any(|own| own.contains(&place));
            if !is_own && part[at..].starts_with(sound) {
                memory.write_all_at(forged, place).unwrap();
                replaced += 1;
            }
        }
    }
    replaced
}

/// A simulation that forges the steps of its stream, as the file of the stream's name and `forge` says.
#[test]
#[ignore = "it is run by the tests below, in a process of its own"]
fn forging_simulation() {
    let Some(stream) = named() else { return };
    let (io, out) = open(&stream);
    let u = io.define_variable::<f32>("U", &Layout::whole(&SHAPE)).unwrap();
    write_steps(out, |out, step| {
        out.put(&u, &field(step)).unwrap();
        if let Ok(what) = fs::read_to_string(stream.with_extension("forge")) {
            let sound = compressed(step);
            let replaced = replace_in_memory(&sound, &wrong(&what, &sound));
            assert!(replaced > 0, "the step is nowhere in memory");
        }
    });
}

/// A simulation whose `U` is of double precision.
#[test]
#[ignore = "it is run by the test below, in a process of its own"]
fn simulation_of_doubles() {
    let Some(stream) = named() else { return };
    let (io, out) = open(&stream);
    let u = io.define_variable::<f64>("U", &Layout::whole(&SHAPE)).unwrap();
    write_steps(out, |out, step| {
        let doubles: Vec<f64> = field(step).into_iter().map(f64::from).collect();
        out.put(&u, &doubles).unwrap();
    });
}

/// Every kind of wrong step is told, and sound ones are shown again after it.
#[test]
fn forged_steps_are_told_and_sound_ones_shown_again() {
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let variables = [(STREAM, stream.display().to_string())];
    let _simulation = Process::start("live_forged::forging_simulation", &variables);
    let mut window = Window::open(&stream, Start::default());
    let messages = |viewer: &Viewer| viewer.view_state.messages.join("\n");
    for what in WRONG {
        let shown = window.live().shown.unwrap_or(0);
        window.until_shown(shown + 2);
        assert_eq!(messages(window.viewer.state()), "", "before steps with a wrong {what}");
        // Whole or not at all, for the simulation reads it at any time.
        fs::write(stream.with_extension("told"), what).unwrap();
        fs::rename(stream.with_extension("told"), stream.with_extension("forge")).unwrap();
        window.until(&format!("a message of a wrong {what}"), |_, viewer| {
            messages(viewer).contains("corrupt FSZ stream")
        });
        fs::remove_file(stream.with_extension("forge")).unwrap();
        let last = window.live().live.steps.back().map_or(0, |step| step.number);
        window.until_shown(last + 3);
        assert!(window.viewer.state_mut().settle(crate::fixture::LONGEST));
        let state = window.viewer.state();
        let step = state.session.live.as_ref().and_then(|live| live.shown).unwrap();
        let planes = state.session.planes.as_ref().expect("planes");
        let found = planes.subject.as_ref().and_then(|plane| plane.at(3, 4)).unwrap();
        assert!((found - f64::from(value(step, 94))).abs() <= 0.01 + 1e-5, "{found} at {step}");
        window.viewer.state_mut().view_state.messages.clear();
    }
}

#[test]
fn a_variable_of_another_type_is_shown_in_it() {
    let folder = TempDir::new().unwrap();
    let stream = folder.path().join("run");
    let variables = [(STREAM, stream.display().to_string())];
    let simulation = Process::start("live_forged::forging_simulation", &variables);
    let mut window = Window::open(&stream, Start::default());
    window.until_shown(2);
    let dtype = |viewer: &Viewer| viewer.session.set.subject.as_ref().map(|d| d.dtype);
    assert_eq!(dtype(window.viewer.state()), Some(DType::F32));
    drop(simulation);
    let _next = Process::start("live_forged::simulation_of_doubles", &variables);
    window.until("double precision", |_, viewer| dtype(viewer) == Some(DType::F64));
    let changed = window.live().shown.unwrap();
    window.until_shown(changed + 2);
    let notes = viewer_notes(&window);
    assert!(notes.contains("U is 6 × 20 × 30 of f64 from step"), "{notes}");
    assert_eq!(window.viewer.state().view_state.messages, [""; 0]);
}
