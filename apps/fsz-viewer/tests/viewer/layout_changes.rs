//! Steps that do not all have one shape and type: the viewer says so, and goes on with the new ones.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz::{Bound, Codec, DType};
use fsz_viewer::{
    Choice, Document, Live, LiveField, LiveStep, LiveView, Overlay, Settings, Start, Viewer,
};
use ndarray::{ArrayD, Dimension};
use tempfile::TempDir;

use crate::fixture::{SIDES, gpu_harness, harness, settle, shows};

fn compressed(shape: &[usize], dtype: DType) -> fsz::Stream<'static> {
    let wave = |index: ndarray::IxDyn| {
        let place = index.slice().iter().rev().zip([0.2, 0.13, 0.4]);
        place.map(|(&i, pace)| (i as f64 * pace).sin()).sum::<f64>()
    };
    let values = ArrayD::from_shape_fn(shape, wave);
    let bound = Bound::Absolute(1e-3);
    match dtype {
        DType::F32 => Codec::cpu().compress(values.mapv(|v| v as f32).view(), bound),
        DType::F64 => Codec::cpu().compress(values.view(), bound),
    }
    .expect("a stream")
}

fn field(name: &str, shape: &[usize], dtype: DType) -> LiveField {
    let stream = compressed(shape, dtype);
    let document = Document::from_stream(format!("run, {name}"), Path::new("run"), stream);
    LiveField { name: name.to_owned(), document: document.expect("sound"), original: None }
}

/// The shape and type of `U` in each step of a simulation; none where it has no `U`.
const STEPS: [Option<(&[usize], DType)>; 10] = [
    Some((&[6, 20, 30], DType::F32)),
    Some((&[6, 20, 30], DType::F32)),
    Some((&[9, 16, 25], DType::F32)),
    Some((&[9, 16, 25], DType::F64)),
    None,
    None,
    Some((&[9, 16, 25], DType::F64)),
    Some((&[40, 50], DType::F32)),
    Some((&[700], DType::F32)),
    Some((&[6, 20, 30], DType::F32)),
];

fn shape(viewer: &Harness<'_, Viewer>) -> Vec<u64> {
    viewer.state().session.set.subject.as_ref().expect("a field").shape().to_vec()
}

/// Brings step after step to a window that follows them.
fn follow(mut viewer: Harness<'_, Viewer>) {
    let began = Instant::now();
    viewer.state_mut().session.live = Some(LiveView::new(Live::new("run".to_owned(), 1 << 24)));
    (viewer.state_mut().view_state.cursor, viewer.state_mut().view_state.pinned) =
        (Some((3, 4)), true);
    for (number, u) in STEPS.into_iter().enumerate() {
        let mut fields = vec![field("V", &[4, 10, 12], DType::F32)];
        fields.extend(u.map(|(shape, dtype)| field("U", shape, dtype)));
        if number == 0 {
            fields.reverse();
        }
        let arrived = began + Duration::from_millis(100 * number as u64);
        let step = LiveStep { number: number as u64, arrived, fields };
        let live = |viewer: &mut Viewer| viewer.session.live.take().expect("a simulation");
        let mut view = live(viewer.state_mut());
        view.live.push(step);
        viewer.state_mut().session.live = Some(view);
        viewer.state_mut().show_step(number as u64);
        settle(&mut viewer);
        let state = viewer.state();
        assert_eq!(state.view_state.messages, [""; 0], "step {number}");
        assert_eq!(state.session.choice.variable, "U", "step {number}");
        assert!(state.session.planes.is_some(), "step {number}");
        let view = state.session.live.as_ref().expect("a simulation");
        match u {
            Some((sides, dtype)) => {
                let subject = state.session.set.subject.as_ref().expect("a field");
                let sides: Vec<u64> = sides.iter().map(|&n| n as u64).collect();
                assert_eq!((subject.shape(), subject.dtype), (&sides[..], dtype));
                assert_eq!(view.shown, Some(number as u64));
            }
            None => assert_eq!(view.shown, Some(3), "what was there last stays"),
        }
    }
    let notes = viewer.state().view_state.notes.join("\n");
    for told in [
        "run: U is 9 × 16 × 25 of f32 from step 2 on; it was 6 × 20 × 30 of f32",
        "run: U is 9 × 16 × 25 of f64 from step 3 on; it was 9 × 16 × 25 of f32",
        "run: U is not in every step; the last one shown stays",
        "run: U is 40 × 50 of f32 from step 7 on; it was 9 × 16 × 25 of f64",
        "run: U is 6 × 20 × 30 of f32 from step 9 on; it was 700 of f32",
    ] {
        assert!(notes.contains(told), "{told:?} is not in\n{notes}");
    }
    assert!(shows(&viewer, "Another shape or type from step 9 on"));
    let live = &viewer.state().session.live.as_ref().expect("a simulation").live;
    assert_eq!(live.changes["U"], [2, 3, 7, 8, 9]);
    assert!(!live.changes.contains_key("V"));
    assert_eq!(live.steps.len(), STEPS.len(), "older steps are kept");

    // Back to one of before.
    viewer.state_mut().follow(false);
    viewer.state_mut().show_step(1);
    settle(&mut viewer);
    assert_eq!(shape(&viewer), [6, 20, 30]);
    viewer.state_mut().view_state.cursor = Some((3, 4));
    viewer.state_mut().view_state.pinned = true;
    settle(&mut viewer);
    let view = viewer.state().session.live.as_ref().expect("a simulation");
    let series = view.series.as_ref().expect("a value over the steps");
    let steps: Vec<f64> = series.points.iter().map(|[step, _]| *step).collect();
    assert_eq!(steps, [0.0, 1.0, 9.0], "the element is another in other shapes");
    // A variable that never comes again is not waited for longer than its steps are kept.
    let mut gone = viewer.state_mut().session.live.take().expect("a simulation");
    gone.live.budget = 1;
    let fields = vec![field("V", &[4, 10, 12], DType::F32)];
    gone.live.push(LiveStep { number: 10, arrived: began + Duration::from_secs(9), fields });
    viewer.state_mut().session.live = Some(gone);
    viewer.state_mut().show_step(10);
    settle(&mut viewer);
    assert_eq!(viewer.state().session.choice.variable, "V");
    assert_eq!(shape(&viewer), [4, 10, 12]);
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
}

#[test]
fn of_a_simulation() {
    let viewer = Viewer::new(Start::default(), Settings::default(), Arc::new(|| ()));
    let viewer = Harness::builder()
        .with_size(SIDES)
        .with_max_steps(8)
        .build_ui_state(|ui, viewer: &mut Viewer| viewer.ui(ui), viewer.expect("threads"));
    follow(viewer);
}

/// Streams and textures of other steps are on the GPU then.
#[test]
fn of_a_simulation_on_the_gpu() {
    let settings = Settings { overlay: Overlay::Variants, ..Settings::default() };
    if let Some(viewer) = gpu_harness(Start::default(), settings) {
        follow(viewer);
    }
}

/// A folder of files of other shapes and types, one of which is no stream.
#[test]
fn of_a_series_of_files() {
    let folder = TempDir::new().expect("a folder");
    let series = folder.path().join("steps");
    std::fs::create_dir(&series).expect("a folder");
    for (number, (shape, dtype)) in STEPS.into_iter().flatten().enumerate() {
        let bytes = compressed(shape, dtype).as_bytes().to_vec();
        std::fs::write(series.join(format!("U-{number}.fsz")), bytes).expect("written");
    }
    let forged: Vec<u8> = std::fs::read(series.join("U-4.fsz")).expect("a file");
    std::fs::write(series.join("U-4.fsz"), &forged[..forged.len() / 2]).expect("written");
    let start = Start { files: vec![series], ..Start::default() };
    for mut viewer in
        [Some(harness(start.clone(), Settings::default())), gpu_harness(start, Settings::default())]
            .into_iter()
            .flatten()
    {
        let expected: Vec<_> = STEPS.into_iter().flatten().collect();
        for step in [1, 2, 3, 4, 5, 6, 7, 2, 0] {
            let before = shape(&viewer);
            let choice = Choice { variable: "steps".to_owned(), step: step as u64 };
            viewer.state_mut().choose(choice);
            settle(&mut viewer);
            if step == 4 {
                assert_eq!(shape(&viewer), before, "what cannot be read leaves all as it was");
                continue;
            }
            let sides: Vec<u64> = expected[step].0.iter().map(|&n| n as u64).collect();
            assert_eq!(shape(&viewer), sides, "step {step}");
            assert!(viewer.state().session.planes.is_some(), "step {step}");
        }
        let state = &viewer.state().view_state;
        assert!(state.messages.iter().all(|m| m.contains("U-4.fsz")), "{:?}", state.messages);
        assert!(!state.messages.is_empty());
        let notes = state.notes.join("\n");
        for told in [
            "steps is 9 × 16 × 25 of f32 from step 2 on; it was 6 × 20 × 30 of f32",
            "steps is 9 × 16 × 25 of f64 from step 3 on; it was 9 × 16 × 25 of f32",
            "steps is 700 of f32 from step 6 on; it was 40 × 50 of f32",
        ] {
            assert!(notes.contains(told), "{told:?} is not in\n{notes}");
        }
        // Playing goes through all of them.
        viewer.get_by_label("Play").click();
        for _ in 0..20 {
            viewer.step();
            assert!(viewer.state_mut().settle(crate::fixture::LONGEST), "nothing came");
        }
        assert!(viewer.state().session.planes.is_some());
    }
}
