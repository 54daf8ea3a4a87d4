//! The linked pictures in the middle.

use egui::{Ui, Vec2};

use crate::app::Viewer;
use crate::arrangement::{Panes, in_rows, show_only};
use crate::pane::{Pane, Touch};
use crate::pane_kind::PaneKind;
use crate::scene::Overlay;
use crate::service::Planes;

impl Viewer {
    pub(super) fn panes(&mut self, ui: &mut Ui) {
        let Some(planes) = self.planes.take() else {
            let empty = self.set.leader().is_some_and(|d| d.grid.elements() == 0);
            ui.centered_and_justified(|ui| {
                ui.label(if empty { "The field has no elements." } else { "Decoding …" })
            });
            return;
        };
        self.paint(ui, &planes);
        let shown = self.shown(&planes);
        let moved = self.settings.arrangement.take();
        let moved = moved.and_then(|mut tree| show_only(&mut tree, &shown).then_some(tree));
        let (mut hovered, mut planes_to_go) = (None, 0);
        self.visible = egui::Rect::EVERYTHING;
        let mut smallest = Vec2::INFINITY;
        let titles = PaneKind::ALL.map(|kind| self.title(kind, &planes));
        let mut panes = Panes {
            titles: titles.clone(),
            moved: moved.is_some(),
            draw: |ui: &mut Ui, kind: PaneKind| {
                let touch = self.pane(ui, kind, &titles[kind as usize], &planes);
                hovered = hovered.or(touch.hovered);
                planes_to_go += touch.planes;
                smallest = smallest.min(touch.size);
                self.visible = self.visible.intersect(touch.visible);
                touch.taken
            },
        };
        let in_rows = || in_rows(&shown, planes.size(), ui.available_size());
        let mut tree = moved.unwrap_or_else(in_rows);
        tree.ui(&mut panes, ui);
        self.settings.arrangement = panes.moved.then_some(tree);
        if smallest != self.camera.smallest {
            self.camera.smallest = smallest;
            ui.ctx().request_repaint();
        }
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
    pub(crate) fn title(&self, kind: PaneKind, planes: &Planes) -> String {
        let error = || format!("{} error", self.settings.error.name());
        let [_, other] = self.codecs();
        match kind {
            PaneKind::Original => "Original".to_owned(),
            PaneKind::Reconstruction if self.blink && planes.original.is_some() => {
                "Original (blink)".to_owned()
            }
            PaneKind::Reconstruction => match self.settings.overlay {
                Overlay::Off => "Reconstruction".to_owned(),
                overlay => format!("Reconstruction, {}", overlay.name().to_lowercase()),
            },
            PaneKind::Error => error(),
            PaneKind::Other => self.set.other.as_ref().map_or(other, |d| d.title.clone()),
            PaneKind::OtherError => format!("{}, {other}", error()),
        }
    }

    /// The panes that there is something to show in.
    pub(crate) fn shown(&self, planes: &Planes) -> Vec<PaneKind> {
        let there = PaneKind::ALL.into_iter().filter(|&kind| planes.of(kind).is_some());
        let there: Vec<PaneKind> = there.collect();
        let layout = self.settings.layout;
        let shows = |kind: &&PaneKind| layout.shows(**kind == PaneKind::Original, kind.is_error());
        let shown: Vec<PaneKind> = there.iter().filter(shows).copied().collect();
        // A layout without a pane is of use when more is open.
        if shown.is_empty() { there } else { shown }
    }

    fn pane(&mut self, ui: &mut Ui, kind: PaneKind, title: &str, planes: &Planes) -> Touch {
        let pictures = &self.pictures;
        let picture = match kind {
            PaneKind::Reconstruction if self.blink && planes.original.is_some() => {
                pictures.of(PaneKind::Original)
            }
            kind => pictures.of(kind),
        };
        let wipe = match (kind, self.wipe) {
            (PaneKind::Original, Some(at)) => Some((pictures.of(PaneKind::Reconstruction), at)),
            _ => None,
        };
        let bar = self.bar(kind, self.scale(kind, planes));
        let pane = Pane { title, picture, wipe, size: planes.size(), bar: Some(bar) };
        pane.show(ui, &mut self.camera, self.cursor)
    }
}
