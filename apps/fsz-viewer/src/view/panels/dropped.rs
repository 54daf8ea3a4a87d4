//! Files that are dropped on the window.

use std::path::Path;

use egui::Ui;
use fsz_field::Kind;

use crate::model::set::{Role, Set};
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::work::open::is_read_once;
use crate::work::series::is_of_values;

/// Opens what is dropped.
pub fn dropped(ui: &Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let paths: Vec<_> =
        ui.input(|i| i.raw.dropped_files.iter().map(|f| f.path().to_path_buf()).collect());
    let open = |path: std::path::PathBuf| {
        let role = role_of(&path, &input.session.set);
        Command::Open(path, role)
    };
    paths.into_iter().map(open).collect()
}

/// What a file that is dropped on the window is likely to be.
fn role_of(path: &Path, set: &Set) -> Role {
    if is_read_once(path) {
        return Role::Subject;
    }
    let opened = set.subject.is_some();
    if path.is_dir() && opened && is_of_values(path) {
        return Role::Original;
    }
    match Kind::of(path) {
        // A stream of another compressor, to compare with what is open.
        Ok(Kind::Zfp) if opened => Role::Other,
        Ok(Kind::Raw | Kind::Npy) if opened => match set.original.is_some() {
            true => Role::Other,
            false => Role::Original,
        },
        _ => Role::Subject,
    }
}
