//! The pictures in the panes, made anew when they are not what they should be any more.

use anyhow::Result;
use egui::Ui;
use fsz_metrics::Limit;

use crate::app::Viewer;
use crate::gpu_paint::GpuPainter;
use crate::paint::{self, CpuPainter};
use crate::painter::Painter;
use crate::pane_kind::PaneKind;
use crate::plane::{Place, Plane};
use crate::scale::Scale;
use crate::scene::Scene;
use crate::service::Planes;
use crate::settings::RangeMode;

/// Ranges of the planes that are shown, of errors from 0 to the largest; kept until others are.
#[derive(Debug, Default)]
pub struct Ranges {
    of: Option<(u64, Place, RangeMode)>,
    ranges: [Option<(f64, f64)>; PaneKind::ALL.len()],
}

impl Viewer {
    pub(super) fn paint(&mut self, ui: &Ui, planes: &Planes) {
        self.measure_ranges(planes);
        if let Err(reason) = self.painted(ui, planes) {
            self.window_gpu = None;
            self.report(format!("{reason}; rendering on the CPU from now on"));
        }
    }

    fn painted(&mut self, ui: &Ui, planes: &Planes) -> Result<()> {
        let painter: &dyn Painter = match &self.window_gpu {
            Some(_) => &GpuPainter,
            None => &CpuPainter,
        };
        for kind in PaneKind::ALL {
            let Some(plane) = planes.of(kind) else { continue };
            let Some(leader) = self.set.leader() else { continue };
            let key = self.picture_key(kind, planes.place);
            let facts = self.set.subject.as_ref().and_then(|s| s.facts.as_ref());
            let scene = Scene {
                map: self.settings.map,
                scale: self.scale(kind, planes),
                missing: leader.missing(),
                error: self.settings.error,
                limit: self.limit(kind),
                bounded: self.set.bound().is_some(),
                overlay: self.settings.overlay,
                opacity: self.settings.opacity,
                tiles: facts.map(|f| &f.tiles),
                grid: &leader.grid,
                place: planes.place,
            };
            let original = planes.original.as_ref();
            let make = || match kind {
                PaneKind::Error => painter.errors(&scene, plane, planes.subject.as_ref(), original),
                PaneKind::OtherError => {
                    painter.errors(&scene, plane, planes.other.as_ref(), original)
                }
                _ => painter.values(&scene, plane, kind == PaneKind::Reconstruction),
            };
            self.pictures.at(kind).update(ui, kind.name(), key, self.window_gpu.as_ref(), make)?;
        }
        Ok(())
    }

    /// The range of the colours of a pane's values.
    pub(crate) fn scale(&self, kind: PaneKind, planes: &Planes) -> Scale {
        let facts = self.set.subject.as_ref().and_then(|s| s.facts.as_ref());
        let field = facts.map(|f| (f.certificate.min, f.certificate.max)).filter(|r| r.0 <= r.1);
        // The panes share the range of the first that there is.
        let first = PaneKind::ALL.into_iter().find(|&w| !w.is_error() && planes.of(w).is_some());
        let of = |kind: PaneKind| self.ranges.ranges[kind as usize];
        let range = match self.settings.range {
            RangeMode::Field => field.or_else(|| of(first?)),
            RangeMode::Plane | RangeMode::Percentile => first.and_then(of),
            RangeMode::Own => of(kind),
        };
        let (low, high) = range.unwrap_or((0.0, 1.0));
        Scale { low, high, log: self.settings.log }
    }

    /// The error of the last colour of a pane: the bound of each value, or without one the plane's largest.
    pub(crate) fn limit(&self, kind: PaneKind) -> Limit {
        let largest = || self.ranges.ranges[kind as usize].map_or(0.0, |(_, largest)| largest);
        self.set.limit().unwrap_or_else(|| largest().into())
    }

    fn measure_ranges(&mut self, planes: &Planes) {
        let of = Some((self.generation, planes.place, self.settings.range));
        if self.ranges.of == of {
            return;
        }
        let missing = self.set.leader().map_or(&[][..], |d| d.missing());
        let bounded = self.set.bound().is_some();
        let range = |kind: PaneKind, plane: &Plane| match self.settings.range {
            // Where there is a bound nobody asks for it.
            _ if kind.is_error() => (!bounded).then(|| (0.0, paint::largest(plane))),
            RangeMode::Percentile => plane.percentiles(0.01, missing),
            _ => plane.range(missing),
        };
        let ranges = PaneKind::ALL.map(|kind| planes.of(kind).and_then(|plane| range(kind, plane)));
        self.ranges = Ranges { of, ranges };
    }
}
