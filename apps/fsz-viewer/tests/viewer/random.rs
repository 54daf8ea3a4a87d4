//! What nobody planned: files of all kinds, opened, changed, cut short and removed, between keys, clicks and drags at random.
//! Each seed does the same every time; `FSZ_VIEWER_SEEDS=100..200` tries others.

use std::path::PathBuf;

use egui::{Key, Modifiers, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use fsz::{Bound, Codec, CompressOptions, Dense, Profile, Region};
use fsz_viewer::{Role, Settings, Start, Viewer};
use ndarray::ArrayD;
use tempfile::TempDir;

use crate::fixture::{SIDES, harness, settle};

/// The same numbers for the same seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.next(all.len())]
    }
}

const SHAPES: [&[usize]; 9] = [
    &[],
    &[1],
    &[3000],
    &[7, 1],
    &[20, 31],
    &[6, 20, 31],
    &[1, 1, 1],
    &[2, 1, 3, 2, 1, 2, 5, 4],
    &[0, 4, 5],
];

/// Fields of every shape and type, of values that are hard, plain and by each profile and kind of bound.
struct Files {
    folder: TempDir,
    names: Vec<String>,
}

impl Files {
    fn new(dice: &mut Dice) -> Files {
        let mut files = Files { folder: TempDir::new().unwrap(), names: Vec::new() };
        for shape in SHAPES {
            files.put(dice, shape);
        }
        std::fs::create_dir(files.path("steps")).unwrap();
        for step in 0..4 {
            let from = files.path(&format!("stream-{}.fsz", dice.next(SHAPES.len())));
            std::fs::copy(from, files.path("steps").join(format!("U-{step}.fsz"))).unwrap();
        }
        files.names.push("steps".to_owned());
        for (name, bytes) in [
            ("noise.fsz", vec![7; 300]),
            ("release.fsz", crate::fsz1::file()),
            ("T_20x31.zfp", vec![0xa5; 640]),
            ("text.npy", b"not an array".to_vec()),
            ("unknown.dat", vec![1; 128]),
        ] {
            std::fs::write(files.path(name), bytes).unwrap();
            files.names.push(name.to_owned());
        }
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&mut self, dice: &mut Dice, shape: &[usize]) {
        let number = SHAPES.iter().position(|other| *other == shape).unwrap();
        let kind = dice.next(5);
        let value = |i: usize| match kind {
            0 => f64::NAN,
            1 => -1e20,
            2 if i % 7 == 3 => f64::INFINITY,
            3 => (i as f64 * 0.1).sin() * 1e30,
            _ => (i as f64 * 0.01).cos() * 9.0 + i as f64 * 1e-3,
        };
        let count: usize = shape.iter().product();
        let values: Vec<f64> = (0..count).map(value).collect();
        let bounds = [
            Bound::Absolute(1e-2),
            Bound::ValueRange(1e-3),
            Bound::Relative { eps: 1e-3, floor: 1e-4 },
        ];
        let profile =
            if dice.next(2) == 0 { Profile::default() } else { Profile::Dense(Dense::new()) };
        let mut options = CompressOptions::new(*dice.of(&bounds)).profile(profile);
        if dice.next(3) == 0 {
            let start = vec![0; shape.len()];
            let end: Vec<u64> = shape.iter().map(|side| (*side as u64).div_ceil(2)).collect();
            options = options.region(Region::in_box(&start, &end, Bound::Absolute(1.0)));
        }
        let (stream, bytes) = match dice.next(2) {
            0 => {
                let values: Vec<f32> = values.iter().map(|v| *v as f32).collect();
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                let field = ArrayD::from_shape_vec(shape, values).unwrap();
                (Codec::cpu().compress_with(field.view(), &options), bytes)
            }
            _ => {
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                let field = ArrayD::from_shape_vec(shape, values).unwrap();
                (Codec::cpu().compress_with(field.view(), &options), bytes)
            }
        };
        let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
        let end = if bytes.len() == 4 * count { "f32" } else { "f64" };
        let raw = format!("plain-{number}_{}.{end}", sides.join("x"));
        std::fs::write(self.path(&raw), bytes).unwrap();
        let name = format!("stream-{number}.fsz");
        let plain = || CompressOptions::new(Bound::Absolute(0.5));
        let whole = stream.unwrap_or_else(|_| {
            // Not every bound fits every field.
            let zeros = ArrayD::<f32>::zeros(shape);
            Codec::cpu().compress_with(zeros.view(), &plain()).unwrap()
        });
        std::fs::write(self.path(&name), whole.as_bytes()).unwrap();
        self.names.extend([raw, name]);
    }
}

const KEYS: [Key; 19] = [
    Key::ArrowLeft,
    Key::ArrowRight,
    Key::PageUp,
    Key::PageDown,
    Key::Home,
    Key::End,
    Key::Num1,
    Key::Num2,
    Key::Num3,
    Key::Num0,
    Key::V,
    Key::D,
    Key::B,
    Key::P,
    Key::Questionmark,
    Key::Escape,
    Key::Enter,
    Key::Tab,
    Key::Space,
];

/// Names that lead out of the window, or write files where the tests run.
fn leads_out(label: &str) -> bool {
    ["…", "Export", "PNG", "CSV", "Write", "Copy", "figure", "frames"]
        .iter()
        .any(|word| label.contains(word))
}

fn act(viewer: &mut Harness<'_, Viewer>, files: &Files, dice: &mut Dice) -> String {
    match dice.next(12) {
        0..=2 => {
            // Often one that fits what is open.
            let leader = viewer.state().session.set.leader();
            let shape = leader
                .map(|leader| leader.shape().iter().map(|side| *side as usize).collect::<Vec<_>>());
            let number = SHAPES.iter().position(|other| Some(*other) == shape.as_deref());
            let fits = |name: &&String| number.is_some_and(|n| name.contains(&format!("-{n}")));
            let fitting: Vec<&String> = files.names.iter().filter(fits).collect();
            let any = fitting.is_empty() || dice.next(3) == 0;
            let name = if any { dice.of(&files.names) } else { dice.of(&fitting) };
            let role = *dice.of(&[Role::Subject, Role::Original, Role::Other]);
            viewer.state_mut().open(&files.path(name), role);
            format!("open {name} as {role:?}")
        }
        3 | 4 => {
            let key = *dice.of(&KEYS);
            viewer.key_press(key);
            format!("{key:?}")
        }
        5 => {
            let at =
                Pos2::new(dice.next(SIDES[0] as usize) as f32, dice.next(SIDES[1] as usize) as f32);
            viewer.hover_at(at);
            format!("hover at {at:?}")
        }
        6 => {
            let at = Pos2::new(500.0 + dice.next(400) as f32, 200.0 + dice.next(400) as f32);
            for pressed in [true, false] {
                let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
                viewer.input_mut().events.push(egui::Event::PointerMoved(at));
                let pos = at + egui::vec2(if pressed { 0.0 } else { dice.next(60) as f32 }, 0.0);
                viewer.input_mut().events.push(egui::Event::PointerButton {
                    pos,
                    button,
                    pressed,
                    modifiers,
                });
                viewer.step();
            }
            format!("click at {at:?}")
        }
        7..=9 => {
            let roles = [
                egui::Role::Button,
                egui::Role::CheckBox,
                egui::Role::RadioButton,
                egui::Role::ComboBox,
            ];
            let role = *dice.of(&roles);
            let labels: Vec<String> = viewer
                .query_all_by_role(role)
                .filter_map(|node| node.accesskit_node().label())
                .filter(|label| !leads_out(label) && viewer.query_all_by_label(label).count() == 1)
                .collect();
            if labels.is_empty() {
                return "nothing".to_owned();
            }
            let label = dice.of(&labels);
            viewer.get_by_label(label).click();
            format!("press {label}")
        }
        10 => {
            let name = dice.of(&files.names);
            let path = files.path(name);
            let told = match dice.next(3) {
                0 => std::fs::remove_file(&path).map(|()| "removed"),
                1 => std::fs::read(&path).and_then(|bytes| {
                    std::fs::write(&path, &bytes[..bytes.len() / 2]).map(|()| "cut short")
                }),
                _ => std::fs::read(&path).and_then(|mut bytes| {
                    let at = dice.next(bytes.len().max(1));
                    bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 0x41);
                    std::fs::write(&path, bytes).map(|()| "damaged")
                }),
            };
            format!("{name}: {told:?}")
        }
        _ => {
            let name = dice.of(&files.names);
            viewer.state_mut().open(&files.path(name), Role::Subject);
            for _ in 0..dice.next(3) {
                viewer.key_press(*dice.of(&KEYS));
                viewer.step();
            }
            format!("open {name} and keys at once")
        }
    }
}

/// What is to be so whatever was done.
fn check(viewer: &Viewer) {
    let session = &viewer.session;
    let Some(leader) = session.set.leader() else { return };
    for field in
        [&session.set.original, &session.set.subject, &session.set.other].into_iter().flatten()
    {
        assert_eq!((field.shape(), field.dtype), (leader.shape(), leader.dtype));
    }
    assert_eq!(session.place.within(&leader.grid), session.place);
    if let Some(planes) = &session.planes {
        assert_eq!(planes.place, session.place);
        let size = leader.grid.plane(planes.place.axis);
        let all =
            [&planes.original, &planes.subject, &planes.other, &planes.error, &planes.other_error];
        assert!(all.into_iter().flatten().all(|plane| plane.size == size));
    } else if leader.grid.elements() > 0 && !viewer.busy() {
        // Else, as where a series is played, it is on its way.
        let told = &viewer.view_state.messages;
        assert!(!told.is_empty(), "no plane of {} is shown, and nothing says why", leader.title);
    }
    assert!(viewer.view_state.messages.iter().all(|message| message.len() > 10));
}

fn seeds() -> std::ops::Range<u64> {
    let told = std::env::var("FSZ_VIEWER_SEEDS").unwrap_or_default();
    let range = told.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    range.unwrap_or(0..5)
}

#[test]
fn whatever_is_done_the_window_goes_on() {
    for seed in seeds() {
        let mut dice = Dice(seed);
        let files = Files::new(&mut dice);
        let mut viewer = harness(Start::default(), Settings::default());
        for _ in 0..25 {
            let done = act(&mut viewer, &files, &mut dice);
            // Printed where the test fails.
            println!("seed {seed}: {done}");
            if dice.next(3) > 0 {
                settle(&mut viewer);
                check(viewer.state());
            }
        }
        settle(&mut viewer);
        check(viewer.state());
    }
}
