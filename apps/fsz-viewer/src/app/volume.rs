//! The field in three dimensions: its picture is asked for, and what is seen in it leads to its place in the planes.

use anyhow::Result;
use fsz_wgpu::{Look, Mode, Section, TILE_KINDS, VolumeColours};

use crate::app::Viewer;
use crate::model::grid::Grid;
use crate::model::palette::kind_colour;
use crate::model::pane_kind::PaneKind;
use crate::model::volume::order::{VolumeNote, VolumeOrder, VolumePicture};
use crate::model::volume::unit::{in_unit, unit};
use crate::model::volume::volume_view::{Rendering, VolumeSource};
use crate::model::volume::{STEP, extent};

/// Opacity of the kinds of tiles that are shown.
const KIND_OPACITY: f32 = 0.5;

impl Viewer {
    /// Asks for the picture of the volume, unless it is there or being made.
    pub(crate) fn follow_volume(&mut self) {
        let Some(order) = self.volume_order() else {
            // A plane that is on its way is no reason to give it up.
            let shown = self.view_state.settings.volume.shown;
            if !shown && self.jobs.volume_ordered.take().is_some() {
                self.jobs.service.volumes.clear();
            }
            return;
        };
        let same = |known: &&VolumeOrder| {
            let moves = VolumeOrder { moving: known.moving, ..order.clone() };
            // What begins to move and does not is the same; when it ends, it is drawn finer.
            known.is_same(&moves) && (order.moving || !known.moving)
        };
        if self.jobs.volume_ordered.as_ref().filter(same).is_some() {
            return;
        }
        self.jobs.volume_orders = order.number;
        self.jobs.service.volumes.draw(order.clone());
        self.jobs.volume_ordered = Some(order);
    }

    /// The picture that the pane is to show; none where there is no pane for it.
    fn volume_order(&self) -> Option<VolumeOrder> {
        let (set, view) = (&self.session.set, &self.view_state);
        let planes = self.session.planes.as_deref()?;
        let volume = &view.settings.volume;
        let leader = set.leader().filter(|d| volume.shown && d.grid.is_solid())?;
        let [width, height] = view.volume.size;
        if width == 0 || height == 0 {
            return None;
        }
        let (sides, source) = (leader.grid.sides(), volume.source.of(set));
        let scale = view.volume_scale(set, Some(planes));
        let (low, high) = scale.ends();
        let unit = unit(leader.dtype, low, high);
        let mode = match volume.rendering(set) {
            Rendering::Mip => Mode::Mip,
            Rendering::Compositing => Mode::Compositing { depth: 1.0 / volume.density },
            Rendering::Isosurface => {
                Mode::Isosurface { value: in_unit(scale.value(f64::from(volume.iso)), unit) }
            }
        };
        let colours = match source {
            VolumeSource::Kinds => VolumeColours {
                map: std::array::from_fn(|i| {
                    TILE_KINDS.get(i).map_or(0, |&kind| word(kind_colour(kind)))
                }),
                opacity: std::array::from_fn(|i| {
                    let shown = volume.kinds.get(i).is_some_and(|&shown| shown);
                    if shown { KIND_OPACITY } else { 0.0 }
                }),
                range: None,
            },
            _ => VolumeColours {
                map: view.volume_map(set).table().map(word),
                opacity: volume.transfer.table(),
                range: Some((in_unit(low, unit), in_unit(high, unit), scale.is_log())),
            },
        };
        let place = self.session.place;
        let section = Section { axis: place.axis, index: place.plane, opacity: volume.section };
        let clip = volume.clip;
        let points = f64::from(width.max(height)) * f64::from(volume.orbit.zoom.max(1.0));
        let number = self.jobs.volume_orders + 1;
        Some(VolumeOrder {
            number,
            set: set.clone(),
            generation: self.session.generation,
            source,
            unit,
            clip,
            points: (points as u64).next_power_of_two(),
            look: Look {
                size: [width, height],
                rays: volume.orbit.rays(width as f32 / height as f32),
                extent: extent(sides),
                sides,
                clip: clip.into(),
                step: STEP,
                mode,
                section: (volume.section > 0.0).then_some(section),
            },
            colours,
            moving: view.volume.moving,
        })
    }

    /// A picture of the volume has come.
    pub(crate) fn volume_drawn(
        &mut self,
        number: u64,
        picture: Result<(VolumePicture, VolumeNote)>,
        last: bool,
    ) {
        if last {
            self.jobs.volume_answered = number;
        }
        self.view_state.volume.failed = picture.is_err();
        match picture {
            Ok((picture, note)) => {
                self.view_state.volume.take(number, picture);
                self.view_state.volume.note = Some(note);
            }
            Err(reason) => {
                let view = &mut self.view_state;
                if !view.volume.has(number) {
                    // That of another field or part would be taken for it.
                    view.pictures.leave(PaneKind::Volume, view.window_gpu.as_ref());
                }
                self.report(format!("The volume cannot be shown: {reason:#}"));
            }
        }
    }

    /// Asks what is seen at a point of the volume's picture, its coordinates from −1 to 1.
    pub(crate) fn pick(&mut self, at: [f32; 2]) {
        if let Some(order) = self.volume_order() {
            self.jobs.picking += 1;
            self.jobs.service.volumes.pick(order, at);
        }
    }

    /// What is seen there is known: the other panes go to it, and the cursor stays there.
    pub(crate) fn picked(&mut self, generation: u64, hit: Result<Option<[u64; 3]>>) {
        self.jobs.picking = self.jobs.picking.saturating_sub(1);
        match hit {
            Ok(Some(element)) if generation == self.session.generation => {
                let [plane, row, column] = Grid::point_of(element, self.session.place.axis);
                self.session.place.plane = plane;
                self.view_state.cursor = Some((row as usize, column as usize));
                self.view_state.pinned = true;
            }
            Ok(_) => {}
            Err(reason) => self.report(reason),
        }
    }
}

/// RGBA, red in the lowest byte.
fn word([r, g, b]: [u8; 3]) -> u32 {
    u32::from_le_bytes([r, g, b, 255])
}
