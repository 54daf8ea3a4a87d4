//! The linked pictures in the middle.

use egui::{Ui, Vec2};

use crate::model::grid::Grid;
use crate::model::pane_kind::PaneKind;
use crate::model::planes::Planes;
use crate::model::volume::volume_view::VolumeSource;
use crate::view::arrangement::{Panes, in_rows, show_only};
use crate::view::bars::{bar, title};
use crate::view::camera::Camera;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::pane::{Pane, Touch};
use crate::view::volume_pane::VolumePane;

/// The linked pictures in the middle.
pub fn panes(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let set = &input.session.set;
    let Some(planes) = &input.session.planes else {
        let empty = set.leader().is_some_and(|d| d.grid.elements() == 0);
        ui.centered_and_justified(|ui| {
            ui.label(match (empty, input.reading) {
                (true, _) => "The field has no elements.",
                (_, true) => "Decoding …",
                _ => "This plane cannot be decoded.",
            })
        });
        return Vec::new();
    };
    let mut commands = Vec::new();
    let shown = planes.shown(input.settings().layout, input.shows_volume());
    let moved = input.view.arrangement.clone();
    let moved = moved.and_then(|mut tree| show_only(&mut tree, &shown).then_some(tree));
    let (mut hovered, mut planes_to_go) = (None, 0);
    let mut camera = input.view.camera;
    let (mut smallest, mut visible) = (Vec2::INFINITY, egui::Rect::EVERYTHING);
    let mut of_volume = Vec::new();
    let titles = PaneKind::ALL.map(|kind| title(kind, set, planes, input.view));
    let mut panes = Panes {
        titles: titles.clone(),
        moved: moved.is_some(),
        draw: |ui: &mut Ui, kind: PaneKind| {
            if kind == PaneKind::Volume {
                let (taken, commands) = volume(ui, &titles[kind as usize], planes, input);
                of_volume = commands;
                return taken;
            }
            let touch = pane(ui, (kind, &titles[kind as usize]), planes, input, &mut camera);
            hovered = hovered.or(touch.hovered);
            planes_to_go += touch.planes;
            smallest = smallest.min(touch.size);
            visible = visible.intersect(touch.visible);
            touch.taken
        },
    };
    let in_rows = || in_rows(&shown, planes.size(), ui.available_size());
    let mut tree = moved.unwrap_or_else(in_rows);
    tree.ui(&mut panes, ui);
    match panes.moved {
        true if input.view.arrangement.as_ref() != Some(&tree) => {
            commands.push(Command::Arrange(Box::new(tree)));
        }
        // A tree of an older session may lack a pane.
        false if input.view.arrangement.is_some() => commands.push(Command::ResetPanes),
        _ => {}
    }
    commands.extend(of_volume);
    camera.smallest = smallest;
    if camera != input.view.camera || visible != input.view.visible {
        commands.push(Command::Look(camera, visible));
    }
    if planes_to_go != 0 {
        commands.push(Command::Go(i64::from(planes_to_go)));
    }
    let clicked = hovered.is_some() && ui.input(|i| i.pointer.primary_clicked());
    let pinned = input.view.pinned != clicked;
    if clicked {
        commands.push(Command::Pin(pinned));
    }
    if let Some(point) = hovered.filter(|_| !pinned && hovered != input.view.cursor) {
        commands.push(Command::Cursor(point));
    }
    commands
}

/// The pane of the volume: whether it is taken by its title, and what else the user wants.
fn volume(
    ui: &mut Ui,
    title: &str,
    planes: &Planes,
    input: &PanelInput<'_>,
) -> (bool, Vec<Command>) {
    let (set, known) = (&input.session.set, &input.settings().volume);
    let Some(leader) = set.leader() else { return (false, Vec::new()) };
    let place = input.session.place;
    let cursor = input
        .view
        .cursor
        .map(|(row, column)| Grid::place_of([place.plane, row as u64, column as u64], place.axis));
    let kinds = known.source.of(set) == VolumeSource::Kinds;
    let pane = VolumePane {
        title,
        picture: input.view.pictures.of(PaneKind::Volume),
        view: known,
        sides: leader.grid.sides(),
        section: (place.axis, place.plane),
        cursor,
        bar: (!kinds).then(|| bar(PaneKind::Volume, set, planes, input.view)),
    };
    let touch = pane.show(ui);
    let mut commands = Vec::new();
    let moving = ui.input(|i| i.pointer.any_down());
    if (touch.size, moving) != (input.view.volume.size, input.view.volume.moving) {
        commands.push(Command::VolumePane(touch.size, moving));
    }
    if touch.view != *known {
        commands.push(Command::Volume(Box::new(touch.view)));
    }
    commands.extend(touch.picked.map(Command::Pick));
    (touch.taken, commands)
}

fn pane(
    ui: &mut Ui,
    (kind, title): (PaneKind, &str),
    planes: &Planes,
    input: &PanelInput<'_>,
    camera: &mut Camera,
) -> Touch {
    let pictures = &input.view.pictures;
    let picture = match kind {
        PaneKind::Reconstruction if input.view.blink && planes.original.is_some() => {
            pictures.of(PaneKind::Original)
        }
        kind => pictures.of(kind),
    };
    let wipe = match (kind, input.view.wipe) {
        (PaneKind::Original, Some(at)) if planes.subject.is_some() => {
            Some((pictures.of(PaneKind::Reconstruction), at))
        }
        _ => None,
    };
    let bar = bar(kind, &input.session.set, planes, input.view);
    let pane = Pane { title, picture, wipe, size: planes.size(), bar: Some(bar) };
    pane.show(ui, camera, input.view.cursor)
}
