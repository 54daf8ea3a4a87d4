//! Draws the viewer's window into a PNG file, without a display: what the pictures of the
//! documentation are made with.
//!
//! `picture OUT.png COMPRESSED ORIGINAL VARIABLE STEP PLANE`

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{Choice, Place, Settings, Start, Viewer};

/// The longest that reading and decoding may take.
const LONGEST: Duration = Duration::from_secs(120);

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [out, compressed, original, variable, step, plane] = args.as_slice() else {
        return Err("usage: picture OUT.png COMPRESSED ORIGINAL VARIABLE STEP PLANE".into());
    };
    let start = Start {
        files: vec![PathBuf::from(compressed)],
        original: Some(PathBuf::from(original)),
        place: Some(Place { axis: 0, plane: plane.parse()? }),
        choice: Some(Choice { variable: variable.clone(), step: step.parse()? }),
        ..Default::default()
    };
    let settings = serde_json::from_str::<Settings>(r#"{"overlay":"Variants"}"#)?;
    let viewer = Viewer::new(start, settings, Arc::new(|| ()))?;
    let mut harness = Harness::builder()
        .with_size([1400.0, 900.0])
        .build_ui_state(|ui, viewer: &mut Viewer| viewer.ui(ui), viewer);
    let settle = |harness: &mut Harness<'_, Viewer>| {
        harness.run_steps(2);
        let settled = harness.state_mut().settle(LONGEST);
        harness.run_steps(3);
        settled
    };
    let mut settled = settle(&mut harness);
    let original = harness.query_by_role_and_label(egui::Role::Image, "Original");
    if let Some(place) = original.map(|pane| pane.rect().center()) {
        harness.hover_at(place);
        settled &= settle(&mut harness);
    }
    if !settled {
        return Err("reading and decoding took longer than two minutes".into());
    }
    if let Some(message) = harness.state().view_state.messages.first() {
        return Err(message.clone().into());
    }
    harness.render()?.save(out)?;
    Ok(())
}
