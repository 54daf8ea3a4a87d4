//! The linked pictures in the middle.

use egui::Ui;

use crate::app::Viewer;
use crate::arrangement::{Panes, show_only};
use crate::paint::Overlay;
use crate::pane::{Pane, Touch};
use crate::service::Planes;
use crate::which::Which;

impl Viewer {
    pub(super) fn panes(&mut self, ui: &mut Ui) {
        let Some(planes) = self.planes.take() else {
            let empty = self.set.leader().is_some_and(|d| d.grid.elements() == 0);
            ui.centered_and_justified(|ui| {
                ui.label(if empty { "The field has no elements." } else { "decoding …" })
            });
            return;
        };
        self.paint(ui, &planes);
        let mut tree = self.settings.arrangement.clone();
        show_only(&mut tree, &self.shown(&planes));
        let (mut hovered, mut planes_to_go) = (None, 0);
        let titles = Which::ALL.map(|which| self.title(which, &planes));
        let mut panes = Panes {
            titles: titles.clone(),
            size: planes.size(),
            draw: |ui: &mut Ui, which: Which| {
                let touch = self.pane(ui, which, &titles[which as usize], &planes);
                hovered = hovered.or(touch.hovered);
                planes_to_go += touch.planes;
                self.visible = touch.visible;
                touch.taken
            },
        };
        tree.ui(&mut panes, ui);
        self.settings.arrangement = tree;
        self.planes = Some(planes);
        self.go(i64::from(planes_to_go));
        if hovered.is_some() && ui.input(|i| i.pointer.primary_clicked()) {
            self.pinned = !self.pinned;
        }
        if !self.pinned && hovered.is_some() {
            self.cursor = hovered;
        }
    }

    /// What a pane is called.
    pub(crate) fn title(&self, which: Which, planes: &Planes) -> String {
        match which {
            Which::Original => "Original".to_owned(),
            Which::Reconstruction if self.blink && planes.original.is_some() => {
                "Original (blink)".to_owned()
            }
            Which::Reconstruction => match self.settings.overlay {
                Overlay::Off => "Reconstruction".to_owned(),
                overlay => format!("Reconstruction and {}", overlay.name()),
            },
            Which::Error => format!("Error, {}", self.settings.error.name()),
            Which::Other => {
                let title = self.set.other.as_ref().map_or("", |d| &d.title);
                format!("The other: {title}")
            }
            Which::OtherError => "Error of the other".to_owned(),
        }
    }

    /// The panes that there is something to show in.
    pub(crate) fn shown(&self, planes: &Planes) -> Vec<Which> {
        let there = Which::ALL.into_iter().filter(|&which| planes.of(which).is_some());
        let there: Vec<Which> = there.collect();
        let layout = self.settings.layout;
        let shows = |which: &&Which| layout.shows(**which == Which::Original, which.is_error());
        let shown: Vec<Which> = there.iter().filter(shows).copied().collect();
        // A layout without a pane is of use when more is open.
        if shown.is_empty() { there } else { shown }
    }

    fn pane(&mut self, ui: &mut Ui, which: Which, title: &str, planes: &Planes) -> Touch {
        let pictures = &self.pictures;
        let picture = match which {
            Which::Reconstruction if self.blink && planes.original.is_some() => {
                pictures.of(Which::Original)
            }
            which => pictures.of(which),
        };
        let wipe = match (which, self.wipe) {
            (Which::Original, Some(at)) => Some((pictures.of(Which::Reconstruction), at)),
            _ => None,
        };
        let bar = self.bar(which, self.scale(which, planes));
        let pane = Pane { title, picture, wipe, size: planes.size(), bar: Some(bar) };
        pane.show(ui, &mut self.camera, self.cursor)
    }
}
