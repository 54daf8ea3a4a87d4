//! The value under the pinned cursor over the steps of a simulation that are kept: each is read from the tile that holds
//! it, in the background.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fsz::{Codec, Progress};

use crate::app::Viewer;
use crate::model::document::Document;
use crate::model::live::LiveSeries;
use crate::work::event::Found;
use crate::work::jobs::READING_SERIES;

/// Of so many steps reading them is no work that the window tells of: one comes at a time.
const FEW: usize = 8;

/// How long values that were read are held back, so that a curve is not drawn for each.
const TOGETHER: Duration = Duration::from_millis(100);

impl Viewer {
    /// Has the value read in the steps in which it is not known yet.
    pub(crate) fn follow_series(&mut self) {
        let wanted = self.wanted_series();
        let Some(view) = &mut self.session.live else { return self.stop_series() };
        let version = view.live.version;
        let series = view.series.take();
        let series = series.filter(|known| wanted.as_ref().is_some_and(|w| known.is_like(w)));
        let is_new = series.is_none();
        view.series = series.or(wanted);
        if is_new {
            self.stop_series();
        }
        let Some(view) = &mut self.session.live else { return };
        let Some(series) = &mut view.series else { return };
        if self.jobs.reading_series.is_some() || series.version == version {
            return;
        }
        series.version = version;
        series.forget_before(view.live.steps.front().map_or(u64::MAX, |step| step.number));
        // The newest first: it is what is looked at.
        let steps = view.live.steps.iter().rev().filter(|step| !series.knows(step.number));
        let lacking = steps.filter_map(|step| {
            let field = step.field(&series.variable).filter(|f| f.name == series.variable)?;
            let fits = field.document.shape() == series.shape;
            fits.then(|| (step.number, field.document.clone()))
        });
        let (lacking, position): (Vec<_>, _) = (lacking.collect(), series.position);
        if lacking.is_empty() {
            return;
        }
        let numbers: Vec<u64> = lacking.iter().map(|(number, _)| *number).collect();
        let many = numbers.len() > FEW;
        let progress = self.jobs.service.background.run(move |progress, tell| {
            read(&lacking, position, progress, |values| tell(Found::Values(values)));
        });
        if many {
            self.jobs.add_background(READING_SERIES.to_owned(), progress.clone());
        }
        self.jobs.reading_series = Some((progress, numbers));
    }

    /// The element under the pinned cursor, of which nothing is known.
    fn wanted_series(&self) -> Option<LiveSeries> {
        let (leader, place) = (self.session.set.leader()?, self.session.place);
        let (row, column) = self.view_state.cursor.filter(|_| self.view_state.pinned)?;
        let position = leader.grid.position(place.axis, place.plane, row, column)?;
        let variable = self.session.choice.variable.clone();
        Some(LiveSeries {
            variable,
            shape: leader.shape().to_vec(),
            position,
            ..Default::default()
        })
    }

    /// What is being read is of no use any more.
    fn stop_series(&mut self) {
        if let Some((progress, _)) = self.jobs.reading_series.take() {
            progress.cancel();
        }
    }

    /// Values were read.
    pub(crate) fn series_read(&mut self, progress: &Arc<Progress>, values: Vec<[f64; 2]>) {
        let wanted =
            self.jobs.reading_series.as_ref().is_some_and(|(p, _)| Arc::ptr_eq(p, progress));
        let series = self.session.live.as_mut().and_then(|view| view.series.as_mut());
        if let Some(series) = series.filter(|_| wanted) {
            series.add(values);
        }
    }

    /// There come no more of them. What was not read of what was asked for is left out: it is damaged, or the user does not
    /// want to wait for it.
    pub(crate) fn series_ended(&mut self, progress: &Arc<Progress>) {
        let ended = self.jobs.reading_series.take_if(|(p, _)| Arc::ptr_eq(p, progress));
        let series = self.session.live.as_mut().and_then(|view| view.series.as_mut());
        if let (Some((_, asked)), Some(series)) = (ended, series) {
            series.leave_out(asked);
            // Steps may have come meanwhile.
            series.version = 0;
        }
    }
}

/// Reads an element of each document until that is cancelled, and tells step and value of some at a time.
fn read(
    steps: &[(u64, Document)],
    position: u64,
    progress: &Progress,
    tell: impl Fn(Vec<[f64; 2]>),
) {
    progress.begin(steps.len() as u64);
    let (mut values, mut told) = (Vec::new(), Instant::now());
    for (number, document) in steps {
        if progress.check().is_err() {
            return;
        }
        let value = document.exact(&Codec::cpu(), position);
        values.extend(value.map(|value| [*number as f64, value]));
        if told.elapsed() > TOGETHER {
            tell(std::mem::take(&mut values));
            told = Instant::now();
        }
        if progress.advance(1).is_err() {
            return;
        }
    }
    tell(values);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use fsz::{Bound, CompressOptions, Dense, Profile};

    use super::*;
    use crate::app::Start;
    use crate::model::live::{Live, LiveField, LiveStep, LiveView};
    use crate::model::settings::Settings;

    const LONGEST: Duration = Duration::from_secs(60);

    fn document(number: u64) -> Document {
        let value = |(z, y, x)| (z + y * x) as f32 + number as f32;
        let field = ndarray::Array3::from_shape_fn((2, 3, 4), value);
        let options =
            CompressOptions::new(Bound::Absolute(0.01)).profile(Profile::Dense(Dense::new()));
        let stream = Codec::cpu().compress_with(field.view(), &options).unwrap();
        Document::from_stream("run".into(), Path::new("run"), stream).unwrap()
    }

    fn push(live: &mut Live, number: u64, document: Document) {
        let fields = vec![LiveField { name: "U".into(), document, original: None }];
        live.push(LiveStep { number, arrived: Instant::now(), fields });
    }

    /// A window that shows a simulation of so many steps, with the cursor pinned.
    fn viewer(steps: u64) -> Viewer {
        let wake = Arc::new(|| ());
        let mut viewer = Viewer::new(Start::default(), Settings::default(), wake).unwrap();
        let mut live = Live::new("run".into(), 1 << 30);
        (0..steps).for_each(|number| push(&mut live, number, document(number)));
        viewer.session.live = Some(LiveView::new(live));
        viewer.show_step(steps - 1);
        pin(&mut viewer, (1, 2));
        viewer
    }

    fn pin(viewer: &mut Viewer, at: (usize, usize)) {
        (viewer.view_state.cursor, viewer.view_state.pinned) = (Some(at), true);
    }

    fn live(viewer: &mut Viewer) -> &mut Live {
        &mut viewer.session.live.as_mut().unwrap().live
    }

    fn points(viewer: &Viewer) -> &[[f64; 2]] {
        &viewer.session.live.as_ref().unwrap().series.as_ref().expect("it is pinned").points
    }

    #[test]
    fn values_are_read_beside_the_window_and_new_steps_follow() {
        let mut viewer = viewer(30);
        viewer.poll();
        assert_eq!(points(&viewer), [[0.0; 2]; 0], "the window does not wait for them");
        let work = viewer.jobs.works.iter().find(|work| work.name == READING_SERIES);
        assert!(work.is_some_and(|work| work.background), "it is shown, and can be cancelled");
        // More come while they are read.
        push(live(&mut viewer), 30, document(30));
        assert!(viewer.settle(LONGEST));
        let found = points(&viewer);
        assert_eq!(
            found.iter().map(|[step, _]| *step as u64).collect::<Vec<_>>(),
            (0..31).collect::<Vec<_>>()
        );
        assert!(
            found.iter().all(|[step, value]| (value - (2.0 + step)).abs() <= 0.01),
            "{found:?}"
        );
        // Those that are kept no more go, and one alone is no work that is told of.
        live(&mut viewer).budget = 1;
        push(live(&mut viewer), 31, document(31));
        viewer.poll();
        assert!(!viewer.jobs.works.iter().any(|work| work.name == READING_SERIES));
        assert!(viewer.settle(LONGEST));
        assert_eq!(points(&viewer).iter().map(|[step, _]| *step).collect::<Vec<_>>(), [31.0]);
    }

    #[test]
    fn what_is_cancelled_is_not_read_again_and_what_comes_then_is() {
        let mut viewer = viewer(30);
        viewer.poll();
        viewer.jobs.cancel(READING_SERIES);
        assert!(viewer.settle(LONGEST));
        let read: HashSet<u64> = points(&viewer).iter().map(|[step, _]| *step as u64).collect();
        push(live(&mut viewer), 30, document(30));
        assert!(viewer.settle(LONGEST));
        let now: HashSet<u64> = points(&viewer).iter().map(|[step, _]| *step as u64).collect();
        assert_eq!(now, &read | &HashSet::from([30]));
        // Of another element all are wanted.
        pin(&mut viewer, (2, 2));
        assert!(viewer.settle(LONGEST));
        assert_eq!(points(&viewer).len(), 31);
    }

    #[test]
    fn another_element_plane_or_none_stops_what_is_read() {
        let mut viewer = viewer(30);
        assert!(viewer.settle(LONGEST));
        // Reading that takes as long as it likes.
        let reading = |viewer: &mut Viewer| {
            let progress = Progress::new();
            viewer.jobs.reading_series = Some((progress.clone(), Vec::new()));
            progress
        };
        let first = reading(&mut viewer);
        viewer.poll();
        assert!(first.check().is_ok(), "it is of what is looked at");
        viewer.session.place.plane = 1;
        viewer.poll();
        assert!(first.check().is_err());
        assert!(viewer.settle(LONGEST));
        assert_eq!(points(&viewer).len(), 30);
        assert!(points(&viewer).iter().all(|[step, value]| (value - (3.0 + step)).abs() <= 0.01));
        let second = reading(&mut viewer);
        viewer.view_state.pinned = false;
        viewer.poll();
        assert!(second.check().is_err() && viewer.jobs.reading_series.is_none());
        assert!(viewer.session.live.as_ref().is_some_and(|view| view.series.is_none()));
    }

    #[test]
    fn a_step_that_is_damaged_is_left_out_and_not_tried_for_ever() {
        let mut viewer = viewer(12);
        let field = ndarray::Array3::from_shape_fn((2, 3, 4), |(z, y, x)| (z + y * x) as f32);
        let stream = Codec::cpu().compress(field.view(), Bound::Absolute(0.01)).unwrap();
        let mut bytes = stream.into_vec();
        *bytes.last_mut().unwrap() ^= 0x10;
        let stream = fsz::Stream::from_vec(bytes).unwrap();
        let damaged = Document::from_stream("run".into(), Path::new("run"), stream).unwrap();
        push(live(&mut viewer), 12, damaged);
        assert!(viewer.settle(LONGEST), "it comes to an end");
        assert_eq!(points(&viewer).len(), 12);
        let series = viewer.session.live.as_ref().and_then(|view| view.series.as_ref());
        assert!(series.is_some_and(|series| series.left_out.contains(&12)));
    }
}
