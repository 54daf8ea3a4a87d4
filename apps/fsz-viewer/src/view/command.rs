//! What the user wants, as the panels tell it.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Rect, Theme};
use fsz::Progress;
use fsz_field::Hints;

use crate::model::catalog::Choice;
use crate::model::comparison::MatchMode;
use crate::model::pane_kind::PaneKind;
use crate::model::raw_dialog::RawDialog;
use crate::model::set::Role;
use crate::model::settings::Setting;
use crate::model::volume::volume_view::VolumeView;
use crate::view::arrangement::Arrangement;
use crate::view::camera::Camera;

/// What the user wants.
#[derive(Clone, Debug)]
pub enum Command {
    /// Ask for a file by the system's dialog, under this title.
    Ask(Role, &'static str),
    /// Ask for a folder likewise: an ADIOS2 file, or a series.
    AskFolder,
    /// Open a file.
    Open(PathBuf, Role),
    /// The path in the menu is typed.
    TypePath(String),
    /// What a file does not tell of itself is being typed.
    EditRaw(RawDialog),
    /// The question about a file is answered; none closes it.
    AnswerRaw(Option<Hints>),
    /// Go to another variable or step.
    Choose(Choice),
    /// Go on to the next step as soon as one is shown, or stay.
    Play(bool),
    /// Play from the last step to the first.
    Backwards(bool),
    /// Show an axis.
    Face(usize),
    /// Go along the axis.
    Go(i64),
    /// Go to a plane.
    Plane(u64),
    /// Change a setting.
    Set(Setting),
    /// Put the panes back in rows.
    ResetPanes,
    /// The panes stand so.
    Arrange(Box<Arrangement>),
    /// The panes show this part of the plane.
    Look(Camera, Rect),
    /// Fit the plane into the panes.
    Fit,
    /// The point under the pointer.
    Cursor((usize, usize)),
    /// Let the cursor stay where it is, or go.
    Pin(bool),
    /// Show the original in the reconstruction's place.
    Blink(bool),
    /// Where the line lies that wipes from original to reconstruction.
    Wipe(Option<f32>),
    /// Show the keys.
    Help(bool),
    /// Hide the panels at both sides, or show them again.
    Bare(bool),
    /// Light or dark.
    Theme(Theme),
    /// Missing values are typed.
    TypeMissing(String),
    /// Compress the original in memory.
    Recompress,
    /// Compare with zfp, or close the comparison.
    Compare(Option<MatchMode>),
    /// Plot rate and distortion.
    Sweep,
    /// Stop that.
    StopSweep,
    /// Measure the whole field.
    Measure,
    /// Stop a work.
    Cancel(Arc<Progress>),
    /// Take a message away.
    DismissMessage(usize),
    /// Take a note away.
    DismissNote(usize),
    /// Write a file of this name.
    Export(Export, String),
    /// The name of a stream in the menu is typed.
    TypeStream(String),
    /// Show the simulation that writes a stream.
    Connect(PathBuf),
    /// Close the connection to it.
    Disconnect,
    /// Show its newest step as it comes, or stay.
    Follow(bool),
    /// Stay at a step that is kept.
    Step(u64),
    /// Look at the volume so.
    Volume(Box<VolumeView>),
    /// The pane of the volume has so many points, and whether something moves.
    VolumePane([u32; 2], bool),
    /// Go to what is seen at a point of the volume's picture, its coordinates from −1 to 1.
    Pick([f32; 2]),
    /// Read how all tiles are stored.
    ReadTiles,
    /// Close the window.
    Quit,
}

/// What can be written into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Export {
    /// Panes as a figure.
    Figure(Vec<PaneKind>),
    /// The figures of the whole field and of the plane.
    Metrics,
    /// The tiles.
    Tiles,
    /// Points of rate and distortion.
    RateDistortion,
    /// The plane of every step of a series: a file each in a folder, or as one picture that moves.
    Steps {
        /// As one picture.
        animated: bool,
    },
}
