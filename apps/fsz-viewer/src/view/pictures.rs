//! The pictures in the panes, made anew when they are not what they should be any more.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use anyhow::Result;
use fsz_metrics::Limit;

use crate::model::pane_kind::PaneKind;
use crate::model::plane::{Place, Plane, Special};
use crate::model::planes::Planes;
use crate::model::scale::Scale;
use crate::model::scene::Scene;
use crate::model::session::Session;
use crate::model::set::Set;
use crate::model::settings::{RangeMode, Settings};
use crate::model::stream_facts::StreamFacts;
use crate::view::gpu_paint::GpuPainter;
use crate::view::paint::{self, CpuPainter};
use crate::view::painter::{Painted, Painter};
use crate::view::pane::Picture;
use crate::view::window_gpu::WindowGpu;

/// Ranges of the planes that are shown, of errors from 0 to the largest; kept until others are.
#[derive(Debug, Default)]
pub struct Ranges {
    of: Option<(Option<(Place, u64)>, RangeMode)>,
    ranges: [Option<(f64, f64)>; PaneKind::ALL.len()],
    special: Special,
}

impl Ranges {
    /// Finds them, unless they are known.
    pub fn follow(&mut self, session: &Session, planes: &Planes, mode: RangeMode) {
        // Not by what is open now: its planes may be still to come.
        let of = Some((session.shown, mode));
        if self.of == of {
            return;
        }
        let missing = session.set.leader().map_or(&[][..], |d| d.missing());
        let bounded = session.set.bound().is_some();
        let range = |kind: PaneKind, plane: &Plane| match mode {
            // Where there is a bound nobody asks for it.
            _ if kind.is_error() => (!bounded).then(|| (0.0, paint::largest(plane))),
            RangeMode::Percentile => plane.percentiles(0.01, missing),
            _ => plane.range(missing),
        };
        let ranges = PaneKind::ALL.map(|kind| planes.of(kind).and_then(|plane| range(kind, plane)));
        let special = match facts(&session.set) {
            // The certificate tells it.
            Some(_) => Special::default(),
            None => {
                let of_values = PaneKind::ALL.into_iter().filter(|kind| !kind.is_error());
                let shown = of_values.filter_map(|kind| planes.of(kind));
                shown.map(|plane| plane.special(missing)).fold(Special::default(), Special::or)
            }
        };
        *self = Ranges { of, ranges, special };
    }

    /// What lies on no scale: of the field where its facts tell, else of the planes that are shown.
    pub fn special(&self, set: &Set) -> Special {
        facts(set).map_or(self.special, |facts| Special {
            nan: facts.certificate.nan > 0,
            infinite: facts.certificate.inf > 0,
            missing: facts.certificate.missing > 0,
        })
    }

    fn of(&self, kind: PaneKind) -> Option<(f64, f64)> {
        self.ranges[kind as usize]
    }

    /// The range of the colours of a pane's values.
    pub fn scale(&self, kind: PaneKind, set: &Set, planes: &Planes, settings: &Settings) -> Scale {
        let (low, high) = self.known(kind, set, planes, settings.range).unwrap_or((0.0, 1.0));
        Scale { low, high, log: settings.log }
    }

    /// That range; none where there is no finite value.
    pub fn known(
        &self,
        kind: PaneKind,
        set: &Set,
        planes: &Planes,
        mode: RangeMode,
    ) -> Option<(f64, f64)> {
        let field =
            facts(set).map(|f| (f.certificate.min, f.certificate.max)).filter(|r| r.0 <= r.1);
        let field = field.or_else(|| set.leader()?.decoded_range);
        // The panes share the range of the first that there is.
        let first = PaneKind::ALL.into_iter().find(|&w| !w.is_error() && planes.of(w).is_some());
        match mode {
            RangeMode::Field => field.or_else(|| self.of(first?)),
            RangeMode::Plane | RangeMode::Percentile => first.and_then(|first| self.of(first)),
            RangeMode::Own => self.of(kind),
        }
    }

    /// The error of the last colour of a pane: the bound of each value, or without one the plane's
    /// largest.
    pub fn limit(&self, kind: PaneKind, set: &Set) -> Limit {
        let largest = || self.of(kind).map_or(0.0, |(_, largest)| largest);
        set.limit().unwrap_or_else(|| largest().into())
    }
}

/// What the subject's stream tells of it.
fn facts(set: &Set) -> Option<&StreamFacts> {
    set.subject.as_ref()?.facts.as_deref()
}

/// The pictures of the panes.
#[derive(Debug, Default)]
pub struct Pictures([Picture; PaneKind::ALL.len()]);

impl Pictures {
    /// The picture of a pane.
    pub fn of(&self, kind: PaneKind) -> &Picture {
        &self.0[kind as usize]
    }

    /// Whether any of them lies on the window's GPU.
    pub fn any_on_gpu(&self) -> bool {
        self.0.iter().any(Picture::is_on_gpu)
    }

    /// A pane has nothing to show any more.
    pub fn leave(&mut self, kind: PaneKind, gpu: Option<&WindowGpu>) {
        self.0[kind as usize].leave(gpu);
    }

    /// Takes the picture of the volume.
    ///
    /// # Errors
    /// When the GPU fails.
    pub fn put(
        &mut self,
        context: &egui::Context,
        number: u64,
        gpu: Option<&WindowGpu>,
        picture: Painted,
    ) -> Result<()> {
        let kind = PaneKind::Volume;
        self.0[kind as usize].update(context, kind.name(), number, gpu, || Ok(picture))
    }

    /// Makes those anew that are not what they should be.
    ///
    /// # Errors
    /// When the GPU fails.
    pub fn paint(
        &mut self,
        context: &egui::Context,
        (session, planes): (&Session, &Planes),
        settings: &Settings,
        ranges: &Ranges,
        gpu: Option<&WindowGpu>,
    ) -> Result<()> {
        let painter: &dyn Painter = match gpu {
            Some(_) => &GpuPainter,
            None => &CpuPainter,
        };
        let set = &session.set;
        let Some(leader) = set.leader() else { return Ok(()) };
        let tiles = set.subject.as_ref().and_then(|s| s.tiles()).filter(|tiles| tiles.is_read());
        for kind in PaneKind::ALL {
            let Some(plane) = planes.of(kind) else {
                if kind != PaneKind::Volume {
                    // It is of another field than the pictures beside it.
                    self.leave(kind, gpu);
                }
                continue;
            };
            let key = key(kind, (session.shown, tiles.is_some()), settings);
            let scene = Scene {
                map: settings.map,
                scale: ranges.scale(kind, set, planes, settings),
                missing: leader.missing(),
                error: settings.error,
                limit: ranges.limit(kind, set),
                regions: set.regions(),
                bounded: set.bound().is_some(),
                overlay: settings.overlay,
                opacity: settings.opacity,
                tiles,
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
            self.0[kind as usize].update(context, kind.name(), key, gpu, make)?;
        }
        Ok(())
    }
}

/// A number that is another when anything that a picture of these planes depends on is.
fn key(kind: PaneKind, planes: (Option<(Place, u64)>, bool), s: &Settings) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, planes).hash(&mut hasher);
    (s.map as u8, s.range as u8, s.log, s.error as u8).hash(&mut hasher);
    (s.overlay as u8, s.opacity.to_bits()).hash(&mut hasher);
    hasher.finish() | 1
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fsz_field::{Field, Shape};

    use super::*;
    use crate::model::document::Document;
    use crate::model::grid::PlaneSize;

    /// The plane of a field of two values.
    fn plane(values: [f32; 2]) -> Plane {
        Plane::new(PlaneSize { rows: 1, columns: 2 }, values.map(f64::from).to_vec())
    }

    /// Another field is open before its planes are there: until then the picture is that of the one before.
    #[test]
    fn pictures_are_those_of_the_planes_that_came() {
        let mut session = Session::default();
        let field = Field::new(Shape::new(&[1, 2]).unwrap(), vec![0f32, 1.0]).unwrap();
        session.set.original = Some(Document::of_values("two".into(), Path::new("two"), field));
        let (context, settings) = (egui::Context::default(), Settings::default());
        let (mut pictures, mut ranges) = (Pictures::default(), Ranges::default());
        let mut painted = |session: &Session, values| {
            let planes = Planes { original: Some(plane(values)), ..Planes::default() };
            ranges.follow(session, &planes, settings.range);
            let shown = (session, &planes);
            pictures.paint(&context, shown, &settings, &ranges, None).unwrap();
            let picture = pictures.of(PaneKind::Original).image().unwrap().unwrap();
            (picture.pixels, ranges.of(PaneKind::Original))
        };
        session.shown = Some((Place::default(), session.generation));
        let (first, _) = painted(&session, [0.0, 1.0]);
        session.generation += 1;
        assert_eq!(painted(&session, [0.0, 1.0]).0, first);
        session.shown = Some(session.current());
        let (second, range) = painted(&session, [5.0, 3.0]);
        assert_eq!(second, [first[1], first[0]]);
        assert_eq!(range, Some((3.0, 5.0)));
    }

    /// A line that wipes to the reconstruction would show that of the field before.
    #[test]
    fn a_field_without_a_reconstruction_has_no_picture_of_one() {
        let mut session = Session::default();
        let field = Field::new(Shape::new(&[1, 2]).unwrap(), vec![0f32, 1.0]).unwrap();
        session.set.original = Some(Document::of_values("two".into(), Path::new("two"), field));
        let (context, settings) = (egui::Context::default(), Settings::default());
        let (mut pictures, ranges) = (Pictures::default(), Ranges::default());
        for subject in [Some(plane([0.0, 1.0])), None] {
            let is_there = subject.is_some();
            let planes = Planes { original: Some(plane([0.0, 1.0])), subject, ..Planes::default() };
            session.generation += 1;
            session.shown = Some(session.current());
            let shown = (&session, &planes);
            pictures.paint(&context, shown, &settings, &ranges, None).unwrap();
            assert!(!pictures.of(PaneKind::Original).is_empty());
            assert_eq!(pictures.of(PaneKind::Reconstruction).is_empty(), !is_there);
        }
    }
}
