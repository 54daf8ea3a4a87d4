//! ADIOS2 files. The operator must lie beside the programs: `cargo build -p fsz-adios2` puts it there.

use adios2::{Adios, Layout, Mode};
use egui_kittest::kittest::Queryable;
use fsz_viewer::{Choice, Role, Settings, Start, Viewer};

use crate::fixture::{Fixture, LONGEST, harness, settle, shows};

const CONFIG: &str = r#"<?xml version="1.0"?>
<adios-config>
  <operator name="fsz" type="plugin">
    <parameter key="PluginName" value="fsz"/>
    <parameter key="PluginLibrary" value="fsz_adios2"/>
    <parameter key="accuracy" value="0.01"/>
  </operator>
  <io name="fsz">
    <engine type="BP5"/>
    <variable name="halves"><operation operator="fsz"/></variable>
    <variable name="whole"><operation operator="fsz"/></variable>
  </io>
  <io name="plain"><engine type="BP5"/></io>
</adios-config>
"#;

/// Three steps of `whole`, one ADIOS2 block each, and of `halves`, two; through FSZ and plain.
fn write(fixture: &Fixture) {
    fsz_field::bp::load_operator().expect("cargo build -p fsz-adios2 comes first");
    std::fs::write(fixture.path("adios2.xml"), CONFIG).unwrap();
    for name in ["fsz", "plain"] {
        let config = fixture.path("adios2.xml");
        let io = Adios::with_config(&config).unwrap().declare_io(name).unwrap();
        let whole = io.define_variable::<f32>("whole", &Layout::whole(&fixture.shape)).unwrap();
        let halves = io.define_variable::<f32>("halves", &Layout::whole(&fixture.shape)).unwrap();
        let mut out = io.open(fixture.path(&format!("{name}.bp")), Mode::Write).unwrap();
        for step in 0..3 {
            let values = at(fixture, step);
            out.begin_step(None).unwrap();
            out.put(&whole, &values).unwrap();
            out.put_block(&halves, &[0, 0, 0], &[6, 40, 50], &values[..12000]).unwrap();
            out.put_block(&halves, &[6, 0, 0], &[6, 40, 50], &values[12000..]).unwrap();
            out.end_step().unwrap();
        }
        out.close().unwrap();
    }
}

/// Start and count of an ADIOS2 block.
type Block = ([u64; 3], [u64; 3]);

const WHOLE: Block = ([0, 0, 0], [12, 40, 50]);
const FIRST_HALF: Block = ([0, 0, 0], [6, 40, 50]);

/// One step of `whole`, of which each block holds what the field has there; through FSZ.
fn write_blocks(fixture: &Fixture, config: &str, file: &str, blocks: &[Block]) {
    fsz_field::bp::load_operator().expect("cargo build -p fsz-adios2 comes first");
    std::fs::write(fixture.path("adios2.xml"), config).unwrap();
    let io = Adios::with_config(&fixture.path("adios2.xml")).unwrap().declare_io("fsz").unwrap();
    let variable = io.define_variable::<f32>("whole", &Layout::whole(&fixture.shape)).unwrap();
    let mut out = io.open(fixture.path(file), Mode::Write).unwrap();
    out.begin_step(None).unwrap();
    for (start, count) in blocks {
        let inside = |i: &usize| {
            let index = [i / 2000, i / 50 % 40, i % 50].map(|i| i as u64);
            (0..3).all(|a| (start[a]..start[a] + count[a]).contains(&index[a]))
        };
        let values: Vec<f32> = (0..24000).filter(inside).map(|i| fixture.values[i]).collect();
        out.put_block(&variable, start, count, &values).unwrap();
    }
    out.end_step().unwrap();
    out.close().unwrap();
}

fn at(fixture: &Fixture, step: u64) -> Vec<f32> {
    fixture.values.iter().map(|v| v + step as f32).collect()
}

#[test]
fn variables_and_steps_of_a_pair_go_together() {
    let fixture = Fixture::new();
    write(&fixture);
    let start = Start {
        files: vec![fixture.path("fsz.bp")],
        original: Some(fixture.path("plain.bp")),
        choice: Some(Choice { variable: "whole".to_owned(), step: 1 }),
        ..Default::default()
    };
    let mut viewer = harness(start, Settings::default());
    for (variable, step, blocks) in
        [("whole", 1, 1), ("whole", 2, 1), ("halves", 2, 2), ("halves", 0, 2)]
    {
        viewer.state_mut().choose(Choice { variable: variable.to_owned(), step });
        settle(&mut viewer);
        let state = viewer.state();
        assert_eq!(state.view_state.messages, [""; 0]);
        assert_eq!(state.session.set.bound(), Some(0.01));
        let subject = state.session.set.subject.as_ref().expect("a reconstruction");
        assert_eq!(subject.facts.as_ref().map(|f| f.blocks), Some(blocks), "{variable}");
        let planes = state.session.planes.as_ref().expect("planes");
        let original = planes.original.as_ref().expect("the original");
        assert_eq!(original.at(30, 30), Some(f64::from(at(&fixture, step)[30 * 50 + 30])));
        let error = planes.error.as_ref().expect("the error");
        assert!(error.values.iter().all(|e| e.abs() <= 0.01));
        assert!(error.values.iter().any(|e| *e != 0.0), "it is a reconstruction");
    }
    assert!(shows(&viewer, "Variable"));
    assert!(viewer.query_all_by_label_contains("fsz.bp halves step 0").next().is_some());
    let command = viewer.state().command().expect("a command");
    assert!(
        command.starts_with("fsz compare /") && command.ends_with("--variable halves --step 0")
    );
    // Variable and step come back with the files.
    viewer.state_mut().choose(Choice { variable: "halves".to_owned(), step: 1 });
    settle(&mut viewer);
    let again = harness(Start::default(), viewer.state().kept());
    let title = again.state().session.set.subject.as_ref().map(|d| d.title.clone());
    assert_eq!(title.as_deref(), Some("fsz.bp halves step 1"));
    assert!(again.state().session.set.original.is_some());
}

#[test]
fn play_goes_through_the_steps() {
    let fixture = Fixture::new();
    write(&fixture);
    let start = Start { files: vec![fixture.path("fsz.bp")], ..Default::default() };
    let mut viewer = harness(start, Settings::default());
    viewer.get_by_label("Play").click();
    let mut seen = std::collections::BTreeSet::new();
    // A drawn window asks for one step at most.
    for _ in 0..12 {
        viewer.step();
        assert!(viewer.state_mut().settle(LONGEST), "nothing came for a minute");
        let title = viewer.state().session.set.subject.as_ref().expect("a field").title.clone();
        seen.insert(title.chars().last());
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
}

/// Four ADIOS2 blocks of one plane each, which are cut across the planes that are looked at.
const QUARTERS: [Block; 4] = [
    ([0, 0, 0], [12, 13, 50]),
    ([0, 13, 0], [12, 27, 21]),
    ([0, 13, 21], [7, 27, 29]),
    ([7, 13, 21], [5, 27, 29]),
];

#[test]
fn tiles_of_several_blocks_lie_at_their_places() {
    let fixture = Fixture::new();
    write_blocks(&fixture, CONFIG, "quarters.bp", &QUARTERS);
    let mut viewer = fixture.viewer("quarters.bp", Some("wave_12x40x50.f32"));
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    assert!(shows(&viewer, "ADIOS2 blocks"));
    let subject = viewer.state().session.set.subject.clone().expect("a reconstruction");
    let facts = subject.facts.as_ref().expect("facts of the streams");
    let tiles: u64 = QUARTERS
        .iter()
        .map(|(_, c)| c.iter().product::<u64>().div_ceil(fsz::format::TILE as u64))
        .sum();
    assert_eq!((facts.blocks, facts.tiles.len() as u64), (4, tiles));
    // Every plane of every axis is put together of what the blocks hold of it.
    for key in [egui::Key::Num1, egui::Key::Num2, egui::Key::Num3] {
        viewer.key_press(key);
        for _ in 0..3 {
            viewer.key_press(egui::Key::PageUp);
            settle(&mut viewer);
            let planes = viewer.state().session.planes.as_ref().expect("planes");
            let (a, b) = (planes.original.as_ref().unwrap(), planes.subject.as_ref().unwrap());
            for (a, b) in a.values.iter().zip(&b.values) {
                assert!((a - b).abs() <= 0.01 || a.is_nan() && b.is_nan(), "{a} {b}");
            }
        }
    }
    // The overlay and the reasons of a tile come from the block that holds it.
    viewer.key_press(egui::Key::V);
    settle(&mut viewer);
    let pane = "Reconstruction, tile kinds";
    let pane = viewer.get_by_role_and_label(egui::Role::Image, pane).rect();
    viewer.hover_at(pane.center());
    settle(&mut viewer);
    assert!(viewer.query_all_by_label_contains("of ADIOS2 block").next().is_some());
    assert!(viewer.query_all_by_label_contains("bytes").next().is_some());
}

/// As of a program that wrote a part of it in this step.
#[test]
fn a_block_that_is_a_part_of_its_array_lies_at_its_place() {
    let fixture = Fixture::new();
    write_blocks(&fixture, CONFIG, "part.bp", &[([6, 0, 0], [6, 40, 50])]);
    let mut viewer = fixture.viewer("part.bp", Some("wave_12x40x50.f32"));
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    for (plane, is_written) in [(2, false), (9, true)] {
        viewer.state_mut().session.place.plane = plane;
        settle(&mut viewer);
        let planes = viewer.state().session.planes.as_ref().expect("planes");
        let value = planes.subject.as_ref().and_then(|plane| plane.at(30, 30)).expect("a value");
        let written = f64::from(fixture.values[(plane as usize * 40 + 30) * 50 + 30]);
        assert!((value - if is_written { written } else { 0.0 }).abs() <= 0.01, "{plane}: {value}");
    }
}

#[test]
fn blocks_on_each_other_are_read_by_adios2() {
    let fixture = Fixture::new();
    write_blocks(&fixture, CONFIG, "twice.bp", &[WHOLE, FIRST_HALF]);
    let viewer = fixture.viewer("twice.bp", Some("wave_12x40x50.f32"));
    let subject = viewer.state().session.set.subject.as_ref().expect("a reconstruction");
    assert!(subject.facts.is_none() && subject.decoded_bound == Some(0.01));
    assert!(shows(&viewer, "0 (0.000 %)"), "the bound is kept");
}

/// With a share of each block's own range as bound.
#[test]
fn blocks_of_several_bounds_keep_the_largest() {
    let fixture = Fixture::new();
    let mode = r#"<parameter key="mode" value="rel"/></operator>"#;
    let config = CONFIG.replace("</operator>", mode);
    write_blocks(&fixture, &config, "shares.bp", &[FIRST_HALF, WHOLE]);
    let viewer = fixture.viewer("shares.bp", Some("wave_12x40x50.f32"));
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    let subject = viewer.state().session.set.subject.as_ref().expect("a reconstruction");
    let numbers = || fixture.values.iter().copied().filter(|v| v.is_finite());
    let range = numbers().fold(f32::MIN, f32::max) - numbers().fold(f32::MAX, f32::min);
    let bound = subject.decoded_bound.expect("a bound");
    assert!((bound / (0.01 * f64::from(range)) - 1.0).abs() < 1e-6, "{bound}");
}

/// Where the process that has no operator finds the files.
const FILES: &str = "FSZ_VIEWER_FILES_WITHOUT_OPERATOR";

/// The operator is there for the whole of a process, so one without it is a process of its own.
#[test]
fn without_the_operator_what_it_made_ends_in_a_message() {
    let fixture = Fixture::new();
    write(&fixture);
    let program = std::env::current_exe().unwrap();
    let ran = std::process::Command::new(program)
        .args(["bp::in_a_process_without_the_operator", "--exact", "--ignored", "--nocapture"])
        .env("ADIOS2_PLUGIN_PATH", fixture.path("no-operator"))
        .env(FILES, fixture.path(""))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let why = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed"), "{}\n{said}\n{why}", ran.status);
}

#[test]
#[ignore = "it is run by the test above, in a process without the operator"]
fn in_a_process_without_the_operator() {
    let Some(folder) = std::env::var_os(FILES).map(std::path::PathBuf::from) else {
        eprintln!("SKIPPED: files without the operator: they are not named");
        return;
    };
    let open = |name: &str| {
        let start = Start { files: vec![folder.join(name)], ..Default::default() };
        harness(start, Settings::default())
    };
    let viewer = open("fsz.bp");
    let said = viewer.state().view_state.messages.join("");
    assert!(said.contains("fsz.bp") && said.contains("ADIOS2_PLUGIN_PATH"), "{said}");
    assert!(viewer.state().session.set.leader().is_none());
    let viewer = open("plain.bp");
    assert_eq!(
        viewer.state().view_state.messages,
        [""; 0],
        "what was not compressed takes no operator"
    );
    assert!(viewer.state().session.set.original.is_some());
}

/// Reading by ADIOS2 goes on behind a cancellation, beside what is read next.
#[test]
fn what_is_cancelled_leaves_what_is_read_next_as_it_is() {
    let fixture = Fixture::new();
    write(&fixture);
    let mut viewer = harness(Start::default(), Settings::default());
    for round in 0..20 {
        let name = ["fsz.bp", "plain.bp"][round % 2];
        viewer.state_mut().open(&fixture.path(name), Role::Subject);
        viewer.run_steps(round % 3);
        let buttons: Vec<_> = viewer.query_all_by_label("Cancel").collect();
        buttons.iter().for_each(|button| button.click());
        viewer.run_steps(2);
    }
    let choice = Some(Choice { variable: "halves".to_owned(), step: 2 });
    let start = Start { files: vec![fixture.path("fsz.bp")], choice, ..Start::default() };
    // In another window, too.
    for viewer in [&mut harness(start, Settings::default()), &mut viewer] {
        viewer.state_mut().open(&fixture.path("fsz.bp"), Role::Subject);
        settle(viewer);
        let state = viewer.state();
        assert_eq!(state.view_state.messages, [""; 0]);
        let planes = state.session.planes.as_ref().and_then(|planes| planes.subject.as_ref());
        let step = state.session.choice.step;
        let value = f64::from(at(&fixture, step)[7 * 50 + 9]);
        assert!((planes.expect("a plane").at(7, 9).unwrap() - value).abs() <= 0.01 + 1e-4);
    }
}

/// They stand first by name.
#[test]
fn local_arrays_are_told_of_and_hide_no_other_variable() {
    let fixture = Fixture::new();
    let io = Adios::new().unwrap().declare_io("out").unwrap();
    let particles =
        io.define_variable::<f32>("a particle's mass", &Layout::Local { count: vec![4] }).unwrap();
    let whole = io.define_variable::<f32>("whole", &Layout::whole(&fixture.shape)).unwrap();
    let mut out = io.open(fixture.path("both.bp"), Mode::Write).unwrap();
    out.begin_step(None).unwrap();
    out.put(&particles, &[1.0; 4]).unwrap();
    out.put(&particles, &[2.0; 4]).unwrap();
    out.put(&whole, &fixture.values).unwrap();
    out.end_step().unwrap();
    out.close().unwrap();
    let mut viewer = fixture.viewer("both.bp", None);
    let title = |viewer: &Viewer| viewer.session.set.leader().map(|d| d.title.clone());
    assert_eq!(title(viewer.state()).as_deref(), Some("both.bp whole step 0, recompressed"));
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    viewer.state_mut().choose(Choice { variable: "a particle's mass".to_owned(), step: 0 });
    settle(&mut viewer);
    let told = viewer.state().view_state.messages.join("");
    assert!(
        told.contains("a particle's mass consists of 2 local arrays")
            && told.contains("fsz extract"),
        "{told}"
    );
}
