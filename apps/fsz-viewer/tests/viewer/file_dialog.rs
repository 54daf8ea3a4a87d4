//! The system's dialog for files, where there is none.

use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::channel;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use fsz_viewer::{Settings, Start, Viewer};

use crate::fixture::LONGEST;

/// Presses the buttons that ask for files and folders.
#[test]
#[ignore = "it is run by the test below, in a process that sees no desktop"]
fn asks() {
    if std::env::var_os("PATH").is_some() {
        eprintln!("SKIPPED: buttons without a desktop: this process sees one");
        return;
    }
    let (wake, woken) = channel();
    let wake = Arc::new(move || {
        // Nobody waits any more when the test is over.
        let _ = wake.send(());
    });
    let viewer = Viewer::new(Start::default(), Settings::default(), wake).expect("threads");
    let mut viewer = Harness::builder()
        .with_max_steps(8)
        .build_ui_state(|ui, viewer: &mut Viewer| viewer.ui(ui), viewer);
    for label in ["Open file …", "Open folder …"] {
        viewer.get_by_label(label).click();
        viewer.run_steps(2);
        woken.recv_timeout(LONGEST).expect("an answer");
        viewer.run_steps(2);
        let messages = &mut viewer.state_mut().view_state.messages;
        assert!(messages.concat().contains("type the path"), "{label}: {messages:?}");
        messages.clear();
        // Everything moves up.
        viewer.step();
    }
}

#[test]
fn a_desktop_without_one_is_told() {
    let program = std::env::current_exe().unwrap();
    let asked = Command::new(program)
        .args(["file_dialog::asks", "--exact", "--ignored", "--nocapture"])
        // No path to a program that draws dialogs, and no bus to a service that does.
        .env_clear()
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&asked.stderr);
    assert!(asked.status.success() && !told.contains("SKIPPED"), "{told}");
}
