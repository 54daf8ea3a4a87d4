//! A running simulation: its newest steps, compressed, and what is known of every step.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use fsz::DType;

use crate::model::document::Document;
use crate::model::tiles::Tile;

/// The most bytes that kept steps take, unless another number is asked for.
pub const BUDGET: u64 = 512_000_000;

/// The most points of a curve; older ones are dropped.
pub const POINTS: usize = 4096;

/// What of a variable's name tells that it is the uncompressed original of another.
pub const ORIGINAL: &str = "_original";

/// One step of a simulation.
#[derive(Debug)]
pub struct LiveStep {
    /// Its number, counted by the simulation.
    pub number: u64,
    /// When it was here.
    pub arrived: Instant,
    /// Its compressed variables.
    pub fields: Vec<LiveField>,
}

/// A variable of a step.
#[derive(Debug)]
pub struct LiveField {
    /// Its name.
    pub name: String,
    /// Its values, compressed.
    pub document: Document,
    /// The same uncompressed, of the newest step and where the simulation sends it under the name with
    /// `_original` behind it.
    pub original: Option<Document>,
}

impl LiveField {
    /// Bytes in memory: the streams, and what is known of their tiles.
    fn bytes(&self) -> u64 {
        let tiles = self.document.facts.as_ref().map_or(0, |facts| facts.tiles.len());
        self.document.compressed_bytes().unwrap_or(0) + (tiles * size_of::<Tile>()) as u64
    }
}

impl LiveStep {
    /// Bytes in memory, without originals.
    pub fn bytes(&self) -> u64 {
        self.fields.iter().map(LiveField::bytes).sum()
    }

    /// Whether it has a variable of this name.
    pub fn has(&self, variable: &str) -> bool {
        self.fields.iter().any(|field| field.name == variable)
    }

    /// The variable of a name; the first where there is none of it.
    pub fn field(&self, name: &str) -> Option<&LiveField> {
        self.fields.iter().find(|field| field.name == name).or(self.fields.first())
    }

    /// The same without originals, and whether it had any.
    fn without_originals(&self) -> Option<LiveStep> {
        let fields = || self.fields.iter();
        fields().any(|field| field.original.is_some()).then(|| LiveStep {
            number: self.number,
            arrived: self.arrived,
            fields: fields()
                .map(|f| LiveField {
                    name: f.name.clone(),
                    document: f.document.clone(),
                    original: None,
                })
                .collect(),
        })
    }
}

/// What is known of a variable at a step, without decoding it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LivePoint {
    /// The step.
    pub step: u64,
    /// Steps a second, from the time since the step before; none for the first.
    pub rate: Option<f64>,
    /// Raw bytes by compressed bytes.
    pub ratio: f64,
    /// Largest error, from the certificate.
    pub max_error: f64,
    /// The absolute bound.
    pub bound: f64,
}

/// How the simulation can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    /// No simulation has opened the stream yet, or not again.
    #[default]
    Waiting,
    /// Steps come.
    Connected,
    /// No step came for some seconds, though the stream is open.
    Silent,
    /// The simulation closed the stream; another one is waited for.
    Ended,
    /// The simulation is gone without closing the stream; another one is waited for.
    Lost,
}

impl Connection {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        match self {
            Connection::Waiting => "Waiting for a simulation",
            Connection::Connected => "Connected",
            Connection::Silent => "Connected; no new step",
            Connection::Ended => "The simulation ended; waiting for the next",
            Connection::Lost => "Connection lost; reconnecting",
        }
    }
}

/// A running simulation, as far as it is known.
#[derive(Clone, Debug)]
pub struct Live {
    /// The name of the stream.
    pub name: String,
    /// How it can be reached.
    pub connection: Connection,
    /// Why no step comes, where there is something to say of it.
    pub why: Option<String>,
    /// Grows with everything that happens.
    pub version: u64,
    /// Grows with another run of the simulation: its steps are none of those before.
    pub run: u64,
    /// The next step is of another run.
    pub anew: bool,
    /// The newest steps, oldest first.
    pub steps: VecDeque<Arc<LiveStep>>,
    /// Bytes of the kept steps.
    pub bytes: u64,
    /// The most that they may be; the newest step is kept whatever its size.
    pub budget: u64,
    /// By variable.
    pub points: BTreeMap<String, VecDeque<LivePoint>>,
    /// By variable, the steps from which on its shape or type is another than before.
    pub changes: BTreeMap<String, VecDeque<u64>>,
    /// Steps that the queue of the simulation dropped because this reader was late.
    pub skipped: u64,
    /// What went wrong and was not told yet.
    pub problems: Vec<String>,
    /// Shape and type of each variable when it was there last.
    pub layouts: BTreeMap<String, (Vec<u64>, DType)>,
}

impl Live {
    /// Nothing is known of a stream yet.
    pub fn new(name: String, budget: u64) -> Live {
        Live {
            name,
            connection: Connection::default(),
            why: None,
            version: 1,
            run: 0,
            anew: false,
            steps: VecDeque::new(),
            bytes: 0,
            budget,
            points: BTreeMap::new(),
            changes: BTreeMap::new(),
            layouts: BTreeMap::new(),
            skipped: 0,
            problems: Vec::new(),
        }
    }

    /// Takes a step: older ones go where there is no room for all, and lose their originals. With another run
    /// of the simulation, which is one too where the numbers begin anew, so does everything.
    pub fn push(&mut self, step: LiveStep) {
        let before = self.steps.back().map(|last| (last.number, last.arrived));
        let anew = std::mem::take(&mut self.anew);
        let before = before.filter(|(number, _)| !anew && step.number > *number);
        if before.is_none() && !self.steps.is_empty() {
            self.steps.clear();
            self.points.clear();
            self.changes.clear();
            self.layouts.clear();
            (self.bytes, self.skipped) = (0, 0);
            self.run += 1;
        }
        self.skipped += before.map_or(0, |(number, _)| step.number - number - 1);
        if let Some(last) = self.steps.back_mut()
            && let Some(bare) = last.without_originals()
        {
            *last = Arc::new(bare);
        }
        for field in &step.fields {
            self.compare_layout(step.number, field);
            let Some(facts) = &field.document.facts else { continue };
            let rate = before.map(|(_, at)| (step.arrived - at).as_secs_f64().max(1e-6).recip());
            let points = self.points.entry(field.name.clone()).or_default();
            points.push_back(LivePoint {
                step: step.number,
                rate,
                ratio: field.document.ratio().unwrap_or(0.0),
                max_error: facts.certificate.max_abs_error,
                bound: facts.header.absolute_bound,
            });
            if points.len() > POINTS {
                points.pop_front();
            }
        }
        self.bytes += step.bytes();
        self.steps.push_back(Arc::new(step));
        while self.bytes > self.budget && self.steps.len() > 1 {
            self.bytes -= self.steps.pop_front().map_or(0, |step| step.bytes());
        }
        self.version += 1;
    }

    /// Notes where a variable's shape or type is another than when it was there last.
    fn compare_layout(&mut self, step: u64, field: &LiveField) {
        let layout = (field.document.shape().to_vec(), field.document.dtype);
        let before = self.layouts.insert(field.name.clone(), layout.clone());
        if before.is_none_or(|before| before == layout) {
            return;
        }
        let changes = self.changes.entry(field.name.clone()).or_default();
        changes.push_back(step);
        if changes.len() > POINTS {
            changes.pop_front();
        }
    }

    /// Whether any step that is kept has the variable.
    pub fn has(&self, variable: &str) -> bool {
        self.steps.iter().any(|step| step.has(variable))
    }

    /// Whether the newest step has the original of the variable.
    pub fn sends_original(&self, variable: &str) -> bool {
        let mut fields = self.steps.back().into_iter().flat_map(|step| &step.fields);
        fields.any(|field| field.name == variable && field.original.is_some())
    }

    /// The simulation is reached so, and no step comes for this reason; whether that is new.
    pub fn set(&mut self, connection: Connection, why: Option<String>) -> bool {
        let new = (&self.connection, &self.why) != (&connection, &why);
        if new {
            (self.connection, self.why) = (connection, why);
            self.version += 1;
        }
        new
    }

    /// Something went wrong.
    pub fn problem(&mut self, problem: String) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
            self.version += 1;
        }
    }

    /// A step that is kept; the nearest older one where it is not, or the oldest.
    pub fn step(&self, number: u64) -> Option<&Arc<LiveStep>> {
        let end = self.steps.partition_point(|step| step.number <= number);
        self.steps.get(end.saturating_sub(1))
    }
}

/// What is shown of a running simulation.
#[derive(Debug)]
pub struct LiveView {
    /// What is known of it.
    pub live: Live,
    /// The newest step is shown as it comes.
    pub following: bool,
    /// The step that is shown.
    pub shown: Option<u64>,
    /// The variable of it that is.
    pub variable: String,
    /// When it came, until it is on the screen.
    pub awaited: Option<Instant>,
    /// Step and seconds from its arrival to the screen.
    pub lags: VecDeque<[f64; 2]>,
    /// The element under the pinned cursor over the kept steps.
    pub series: Option<LiveSeries>,
}

/// An element over the kept steps in which its variable has the shape that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveSeries {
    /// The variable.
    pub variable: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// Where the element is in C order.
    pub position: u64,
    /// Step and value, by step, as far as they are read.
    pub points: Vec<[f64; 2]>,
    /// Steps that it is not read in: they are damaged, or it was cancelled.
    pub left_out: BTreeSet<u64>,
    /// What of the simulation it was last held against.
    pub version: u64,
}

impl LiveSeries {
    /// Whether another one is of the same element.
    pub fn is_like(&self, other: &LiveSeries) -> bool {
        self.position == other.position
            && self.shape == other.shape
            && self.variable == other.variable
    }

    /// Whether a step is read, or left out.
    pub fn knows(&self, step: u64) -> bool {
        let read = self.points.binary_search_by(|[at, _]| at.total_cmp(&(step as f64)));
        read.is_ok() || self.left_out.contains(&step)
    }

    /// Takes values that were read.
    pub fn add(&mut self, values: Vec<[f64; 2]>) {
        self.points.extend(values);
        self.points.sort_unstable_by(|[a, _], [b, _]| a.total_cmp(b));
    }

    /// Those of these steps that are not read stay so.
    pub fn leave_out(&mut self, steps: Vec<u64>) {
        let left: Vec<u64> = steps.into_iter().filter(|step| !self.knows(*step)).collect();
        self.left_out.extend(left);
    }

    /// Forgets the steps before one.
    pub fn forget_before(&mut self, first: u64) {
        self.points.retain(|[step, _]| *step >= first as f64);
        self.left_out = self.left_out.split_off(&first);
    }
}

impl LiveView {
    /// Nothing is shown yet.
    pub fn new(live: Live) -> LiveView {
        LiveView {
            live,
            following: true,
            shown: None,
            variable: String::new(),
            awaited: None,
            lags: VecDeque::new(),
            series: None,
        }
    }

    /// Takes what is new of it. Of another run nothing is plotted yet, and a window that follows shows none of its steps.
    pub fn take(&mut self, live: Live) {
        if live.run != self.live.run {
            (self.awaited, self.series) = (None, None);
            self.shown = self.shown.filter(|_| !self.following);
            self.lags.clear();
        }
        self.live = live;
    }

    /// What was asked for is on the screen.
    pub fn seen(&mut self, now: Instant) {
        if let (Some(step), Some(arrived)) = (self.shown, self.awaited.take()) {
            self.lags.push_back([step as f64, (now - arrived).as_secs_f64()]);
            if self.lags.len() > POINTS {
                self.lags.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use fsz::{Bound, Codec};
    use ndarray::Array1;

    use super::*;

    fn step(number: u64, original: bool) -> LiveStep {
        let values = Array1::from_iter((0..5000).map(|i| ((i + number as usize) as f32).sin()));
        let stream = Codec::cpu().compress(values.view().into_dyn(), Bound::Absolute(1e-2));
        let name = || "U".to_owned();
        let document = Document::from_stream(name(), Path::new("run"), stream.unwrap()).unwrap();
        let original = original.then(|| document.clone());
        let arrived = Instant::now() + Duration::from_millis(100 * number);
        LiveStep { number, arrived, fields: vec![LiveField { name: name(), document, original }] }
    }

    #[test]
    fn memory_is_bounded_and_the_newest_stays() {
        let size = step(0, false).bytes();
        let mut live = Live::new("run".to_owned(), 4 * size + size / 2);
        for number in [0, 1, 2, 5, 6, 7] {
            live.push(step(number, true));
            assert!(live.bytes <= live.budget);
        }
        let numbers: Vec<u64> = live.steps.iter().map(|step| step.number).collect();
        assert_eq!((numbers, live.skipped), (vec![2, 5, 6, 7], 2));
        assert_eq!(live.bytes, live.steps.iter().map(|step| step.bytes()).sum::<u64>());
        let originals = live.steps.iter().map(|step| step.fields[0].original.is_some());
        assert_eq!(originals.collect::<Vec<_>>(), [false, false, false, true]);
        assert_eq!(live.step(4).map(|step| step.number), Some(2));
        assert_eq!(live.step(0).map(|step| step.number), Some(2));
        let points = &live.points["U"];
        assert_eq!(points.len(), 6, "curves go back further than steps");
        assert!(points.iter().all(|p| p.ratio > 1.0 && p.max_error <= p.bound));
        assert!((points[1].rate.unwrap() - 10.0).abs() < 0.1 && points[0].rate.is_none());
        live.budget = 1;
        live.push(step(8, false));
        assert_eq!(live.steps.len(), 1, "the newest is kept");
        // Another run of the simulation.
        live.push(step(0, false));
        assert_eq!((live.steps.len(), live.points["U"].len(), live.skipped), (1, 1, 0));
        // One of which the first steps were missed.
        live.anew = true;
        live.push(step(5, false));
        assert_eq!((live.steps.len(), live.points["U"].len(), live.skipped), (1, 1, 0));
        assert_eq!(live.points["U"][0].rate, None, "there is no step before");
        assert_eq!(live.run, 2);
        live.push(step(6, false));
        assert_eq!((live.steps.len(), live.run), (1, 2), "the same run goes on");
    }

    #[test]
    fn nothing_of_the_run_before_is_taken_for_this_one() {
        let mut live = Live::new("run".to_owned(), BUDGET);
        live.push(step(0, false));
        let mut view = LiveView::new(live.clone());
        (view.shown, view.awaited) = (Some(0), Some(Instant::now()));
        view.seen(Instant::now());
        let (variable, shape) = ("U".to_owned(), vec![5000]);
        view.series = Some(LiveSeries { variable, shape, position: 7, ..Default::default() });
        live.push(step(1, false));
        view.take(live.clone());
        assert!(view.shown == Some(0) && view.lags.len() == 1 && view.series.is_some());
        // Its first step has the number of one that is plotted.
        live.push(step(0, false));
        view.take(live);
        assert!(view.shown.is_none() && view.lags.is_empty() && view.series.is_none());
    }
}
