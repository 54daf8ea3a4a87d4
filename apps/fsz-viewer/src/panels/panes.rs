//! The linked pictures in the middle.

use egui::Ui;

use crate::app::Viewer;
use crate::colours::{Map, Scale};
use crate::document::Result;
use crate::paint::{self, ErrorMode, Overlay};
use crate::pane::{Bar, Pane, Picture};
use crate::plane::Plane;
use crate::scene::Scene;
use crate::service::Planes;
use crate::settings::RangeMode;
use crate::words::number;

/// One pane: its title, what it is of, and which of the viewer's pictures it is.
struct Slot {
    title: String,
    which: Which,
}

/// Title and colour bar of a pane take this much of its height.
const TRIMMINGS: f32 = 60.0;

/// The slots in as many rows as make the pictures largest.
fn arranged(slots: Vec<Slot>, planes: &Planes, space: egui::Vec2) -> Vec<Vec<Slot>> {
    let plane = planes.subject.as_ref().or(planes.original.as_ref());
    let side = plane.map_or(egui::Vec2::splat(1.0), |p| {
        egui::vec2(p.size.columns.max(1) as f32, p.size.rows.max(1) as f32)
    });
    let fit = |rows: usize| {
        let columns = slots.len().div_ceil(rows);
        let pane = space / egui::vec2(columns as f32, rows as f32) - egui::vec2(8.0, TRIMMINGS);
        (pane / side).min_elem()
    };
    let best = (1..=slots.len()).max_by(|&a, &b| fit(a).total_cmp(&fit(b)));
    let columns = slots.len().div_ceil(best.unwrap_or(1)).max(1);
    let mut rows = Vec::new();
    for slot in slots {
        match rows.last_mut() {
            Some(row) if Vec::len(row) < columns => row.push(slot),
            _ => rows.push(vec![slot]),
        }
    }
    rows
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Original,
    Subject,
    Error,
    Other,
    OtherError,
}

impl Viewer {
    pub(super) fn panes(&mut self, ui: &mut Ui) {
        let Some(planes) = self.planes.take() else {
            let empty = self.set.leader().is_some_and(|d| d.grid.elements() == 0);
            ui.centered_and_justified(|ui| {
                ui.label(if empty { "The field has no elements." } else { "decoding …" })
            });
            return;
        };
        let scale = self.scale(&planes);
        self.paint(ui, &planes, scale);
        let rows = arranged(self.slots(&planes), &planes, ui.available_size());
        let mut touched = Vec::new();
        let space = ui.available_size();
        let height = space.y / rows.len().max(1) as f32 - ui.spacing().item_spacing.y;
        for row in &rows {
            ui.allocate_ui(egui::vec2(space.x, height), |ui| {
                ui.columns(rows[0].len(), |columns| {
                    for (ui, slot) in columns.iter_mut().zip(row) {
                        ui.set_height(height);
                        touched.push(self.pane(ui, slot, &planes, scale));
                    }
                });
            });
        }
        self.planes = Some(planes);
        let clicked = ui.input(|i| i.pointer.primary_clicked());
        let mut hovered = None;
        for touch in touched {
            hovered = hovered.or(touch.hovered);
            if touch.planes != 0 {
                self.go(i64::from(touch.planes));
            }
        }
        if hovered.is_some() && clicked {
            self.pinned = !self.pinned;
        }
        if !self.pinned && hovered.is_some() {
            self.cursor = hovered;
        }
    }

    fn slots(&self, planes: &Planes) -> Vec<Slot> {
        let slot = |title: &str, which| Slot { title: title.to_owned(), which };
        let mut slots = Vec::new();
        if planes.original.is_some() {
            slots.push(slot("Original", Which::Original));
        }
        if planes.subject.is_some() {
            let shows = match self.settings.overlay {
                Overlay::Off => "Reconstruction".to_owned(),
                overlay => format!("Reconstruction and {}", overlay.name()),
            };
            let blinks = self.blink && planes.original.is_some();
            slots.push(slot(if blinks { "Original (blink)" } else { &shows }, Which::Subject));
        }
        if planes.error.is_some() {
            slots.push(slot(&format!("Error, {}", self.settings.error.name()), Which::Error));
        }
        if planes.other.is_some() {
            let title = self.set.other.as_ref().map_or("", |d| &d.title);
            slots.push(slot(&format!("The other: {title}"), Which::Other));
        }
        if planes.other_error.is_some() {
            slots.push(slot("Error of the other", Which::OtherError));
        }
        let layout = self.settings.layout;
        let shown = |which| {
            layout
                .shows(which == Which::Original, matches!(which, Which::Error | Which::OtherError))
        };
        // A layout without a pane is of use when more is open.
        if slots.iter().any(|slot| shown(slot.which)) {
            slots.retain(|slot| shown(slot.which));
        }
        slots
    }

    /// The range of the colours of values.
    fn scale(&self, planes: &Planes) -> Scale {
        let missing = self.set.leader().map_or(&[][..], |d| d.missing());
        let plane = planes.original.as_ref().or(planes.subject.as_ref());
        let field = self
            .set
            .subject
            .as_ref()
            .and_then(|s| s.facts.as_ref())
            .map(|f| (f.certificate.min, f.certificate.max));
        let of_plane = || plane.and_then(|p| p.range(missing));
        let range = match self.settings.range {
            RangeMode::Field => field.filter(|r| r.0 <= r.1).or_else(of_plane),
            RangeMode::Plane => of_plane(),
            RangeMode::Percentile => plane.and_then(|p| p.percentiles(0.01, missing)),
        };
        let (low, high) = range.unwrap_or((0.0, 1.0));
        Scale { low, high, log: self.settings.log }
    }

    /// Makes the pictures that are not what they should be any more.
    fn paint(&mut self, ui: &Ui, planes: &Planes, scale: Scale) {
        if let Err(reason) = self.painted(ui, planes, scale) {
            self.brush = None;
            self.say(format!("{reason}; pictures are painted on the CPU from here on"));
        }
    }

    fn painted(&mut self, ui: &Ui, planes: &Planes, scale: Scale) -> Result<()> {
        let keys = ["original", "subject", "error", "other", "other error"]
            .map(|name| self.picture_key(name, planes.place));
        let Some(leader) = self.set.leader() else { return Ok(()) };
        let facts = self.set.subject.as_ref().and_then(|s| s.facts.as_ref());
        let scene = Scene {
            gpu: self.brush.is_some(),
            map: self.settings.map,
            scale,
            missing: leader.missing(),
            error: self.settings.error,
            bound: self.set.bound(),
            overlay: self.settings.overlay,
            opacity: self.settings.opacity,
            tiles: facts.map(|f| &f.tiles),
            grid: &leader.grid,
            place: planes.place,
        };
        let (brush, pictures) = (self.brush.as_ref(), &mut self.pictures);
        let original = planes.original.as_ref();
        if let Some(plane) = original {
            let make = || scene.values(plane, false);
            pictures.original.update(ui, "original", keys[0], brush, make)?;
        }
        if let Some(plane) = &planes.subject {
            let make = || scene.values(plane, true);
            pictures.subject.update(ui, "subject", keys[1], brush, make)?;
        }
        if let Some(error) = &planes.error {
            let make = || scene.errors(error, planes.subject.as_ref(), original);
            pictures.error.update(ui, "error", keys[2], brush, make)?;
        }
        if let Some(plane) = &planes.other {
            let make = || scene.values(plane, false);
            pictures.other.update(ui, "other", keys[3], brush, make)?;
        }
        if let Some(error) = &planes.other_error {
            let make = || scene.errors(error, planes.other.as_ref(), original);
            pictures.other_error.update(ui, "other error", keys[4], brush, make)?;
        }
        Ok(())
    }

    fn pane(
        &mut self,
        ui: &mut Ui,
        slot: &Slot,
        planes: &Planes,
        scale: Scale,
    ) -> crate::pane::Touch {
        let p = &self.pictures;
        let original = planes.original.is_some();
        let (picture, plane): (&Picture, &Option<Plane>) = match slot.which {
            Which::Original => (&p.original, &planes.original),
            Which::Subject if self.blink && original => (&p.original, &planes.subject),
            Which::Subject => (&p.subject, &planes.subject),
            Which::Error => (&p.error, &planes.error),
            Which::Other => (&p.other, &planes.other),
            Which::OtherError => (&p.other_error, &planes.other_error),
        };
        let wipe = match (slot.which, self.wipe) {
            (Which::Original, Some(at)) => Some((&p.subject, at)),
            _ => None,
        };
        let bar = match slot.which {
            Which::Error | Which::OtherError => self.error_bar(plane.as_ref()),
            _ => Bar {
                table: self.settings.map.table(),
                labels: [number(scale.low), String::new(), number(scale.high)],
            },
        };
        let size = plane.as_ref().map_or(Default::default(), |p| p.size);
        let pane = Pane { title: &slot.title, picture, wipe, size, bar: Some(bar) };
        pane.show(ui, &mut self.camera, self.cursor)
    }

    fn error_bar(&self, plane: Option<&Plane>) -> Bar {
        let bound = self.set.bound();
        let limit = number(bound.unwrap_or_else(|| plane.map_or(0.0, paint::largest)));
        let alarm = if bound.is_some() { "pink: beyond the bound" } else { "" };
        match self.settings.error {
            ErrorMode::Signed => Bar {
                table: Map::BlueRed.table(),
                labels: [format!("−{limit}"), alarm.to_owned(), format!("+{limit}")],
            },
            ErrorMode::Absolute => {
                Bar { table: Map::Magma.table(), labels: ["0".to_owned(), alarm.to_owned(), limit] }
            }
            ErrorMode::Relative => Bar {
                table: Map::Magma.table(),
                labels: ["1e-6 of the value".to_owned(), alarm.to_owned(), "1".to_owned()],
            },
        }
    }
}
