//! Draws the viewer's window beside a running simulation into a PNG file, without a display: what the
//! pictures of the documentation are made with.
//!
//! `live_picture OUT.png STREAM VARIABLE STEP`

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{Choice, Settings, Start, Viewer};

/// The longest that a step may be waited for.
const LONGEST: Duration = Duration::from_secs(120);

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [out, stream, variable, step] = args.as_slice() else {
        return Err("usage: live_picture OUT.png STREAM VARIABLE STEP".into());
    };
    let step: u64 = step.parse()?;
    let start = Start {
        live: Some(PathBuf::from(stream)),
        choice: Some(Choice { variable: variable.clone(), step: 0 }),
        ..Default::default()
    };
    let (wake, woken) = channel();
    let wake = Arc::new(move || {
        // Nobody waits any more when the picture is drawn.
        let _ = wake.send(());
    });
    let mut harness =
        Harness::builder().with_size([1400.0, 900.0]).with_max_steps(8).build_ui_state(
            |ui, viewer: &mut Viewer| viewer.ui(ui),
            Viewer::new(start, Settings::default(), wake)?,
        );
    let until = |harness: &mut Harness<'_, Viewer>, step: u64| {
        let began = Instant::now();
        loop {
            harness.step();
            let state = harness.state();
            if let Some(message) = state.view_state.messages.first() {
                return Err(message.clone());
            }
            let shown = state.session.live.as_ref().and_then(|live| live.shown);
            if shown.is_some_and(|shown| shown >= step) && state.session.planes.is_some() {
                return Ok(shown.unwrap_or(step));
            }
            if began.elapsed() > LONGEST {
                return Err(format!("step {step} did not come within two minutes"));
            }
            // A frame now and then, as a window has them.
            let _ = woken.recv_timeout(Duration::from_millis(50));
        }
    };
    // The middle of the field, and a value of it over the steps.
    until(&mut harness, 0)?;
    let planes = harness.state().session.set.leader().map_or(0, |field| field.shape()[0]);
    harness.state_mut().session.place.plane = planes / 2;
    harness.run_steps(4);
    let pane = harness.query_by_role_and_label(egui::Role::Image, "Reconstruction");
    if let Some(place) = pane.map(|pane| pane.rect().center()) {
        harness.hover_at(place);
        harness.run_steps(2);
        harness.state_mut().view_state.pinned = true;
    }
    until(&mut harness, step)?;
    if !harness.state_mut().settle(LONGEST) {
        return Err("decoding took longer than two minutes".into());
    }
    harness.run_steps(3);
    harness.render()?.save(out)?;
    Ok(())
}
