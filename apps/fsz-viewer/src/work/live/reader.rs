//! The thread that reads a stream: it connects, reads step after step, and connects again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use adios2::{Adios, Engine, Mode, Selection, ShapeKind, Step, StepStatus};
use anyhow::{Result, anyhow, bail};
use fsz::{DType, with_element};
use fsz_field::bp::{Payload, VariableInfo};
use fsz_field::{Field, Shape};

use crate::model::document::Document;
use crate::model::live::{Connection, LiveField, LiveStep, ORIGINAL};
use crate::work::event::Wake;
use crate::work::live::Shared;
use crate::work::live::assemble::{Block, variable};
use crate::work::live::contact;
use crate::work::live::signal::Signal;
use crate::work::live::why;

/// How often it is looked for a simulation.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often it is looked for a step. ADIOS2 is not told to wait: where a step arrives just when its time is over,
/// ADIOS2 2.12 cancels a timer that has ended, and the program with it.
const POLL: Duration = Duration::from_millis(20);

/// Without a step for so long, a simulation that is connected is silent.
const SILENCE: Duration = Duration::from_secs(3);

/// How long ADIOS2 tries to reach a simulation, in seconds.
const OPEN_SECONDS: &str = "2";

/// A stream that did not answer is tried again after so long, or as soon as it is opened anew.
const RETRY: Duration = Duration::from_secs(10);

/// The thread that reads a stream.
pub struct Reader {
    pub name: PathBuf,
    pub shared: Shared,
    pub ending: Arc<Signal>,
    pub wake: Wake,
}

/// Why a connection is over.
enum End {
    /// The window does not want it any more.
    Stopped,
    /// The simulation closed the stream.
    Closed,
    /// It is gone.
    Lost,
}

impl Reader {
    /// Reads until it is ended.
    pub fn run(&self) {
        // Without the operator every step would be a problem.
        if let Err(reason) = fsz_field::bp::load_operator() {
            self.problem(&anyhow!("{reason}"));
        }
        let mut tried: Option<(SystemTime, Instant)> = None;
        let mut run = None;
        while !self.ending.wait(PATIENCE) {
            // A simulation that opens the stream writes this file, and removes it when it closes the
            // stream; one that is killed leaves it.
            let file = contact::contact(&self.name);
            let written = match contact::written(&file) {
                Ok(Some(written)) => written,
                Ok(None) => {
                    self.wait(why::no_contact_file(&file));
                    continue;
                }
                Err(reason) => {
                    self.wait(why::no_contact(&file, &reason));
                    continue;
                }
            };
            if tried.is_some_and(|(known, at)| known == written && at.elapsed() < RETRY) {
                continue;
            }
            // Ten seconds later it is no news any more.
            if tried.is_none_or(|(known, _)| known != written) {
                self.wait(why::connecting(&file));
            }
            match self.open() {
                Ok(engine) => {
                    tried = None;
                    // A lost simulation may be there again.
                    let another = run.replace(written) != Some(written);
                    self.shared.lock().anew |= another;
                    self.set(Connection::Connected, Some(why::NO_STEP.to_owned()));
                    match self.follow(engine) {
                        End::Stopped => return,
                        End::Closed => self.set(Connection::Ended, None),
                        End::Lost => {
                            tried = Some((written, Instant::now()));
                            self.set(Connection::Lost, None);
                        }
                    }
                }
                Err(reason) => {
                    tried = Some((written, Instant::now()));
                    self.wait(why::no_answer(&file, &reason));
                }
            }
        }
    }

    fn open(&self) -> adios2::Result<Engine> {
        let io = Adios::new()?.declare_io("live")?;
        io.set_engine("SST")?;
        io.set_parameter("OpenTimeoutSecs", OPEN_SECONDS)?;
        io.open(&self.name, Mode::Read)
    }

    /// Takes step after step.
    fn follow(&self, mut engine: Engine) -> End {
        // What is not compressed is asked about once.
        let mut plain = BTreeSet::new();
        let (mut last, mut ready) = (Instant::now(), true);
        loop {
            if self.ending.wait(if ready { Duration::ZERO } else { POLL }) {
                return End::Stopped;
            }
            let step = engine.begin_step(Some(Duration::ZERO));
            ready = matches!(step, Ok(StepStatus::Ready));
            match step {
                Ok(StepStatus::Ready) => {
                    let step = read(&self.name, &engine, &mut plain, |reason| self.problem(reason));
                    if engine.end_step().is_err() {
                        return End::Lost;
                    }
                    last = Instant::now();
                    self.set(Connection::Connected, None);
                    match step {
                        Ok(step) => self.push(step),
                        Err(reason) => self.problem(&reason),
                    }
                }
                Ok(StepStatus::NotReady) if last.elapsed() > SILENCE => {
                    self.set(Connection::Silent, Some(why::SILENT.to_owned()));
                }
                Ok(StepStatus::NotReady) => {}
                Ok(StepStatus::EndOfStream) => return End::Closed,
                Err(_) => return End::Lost,
            }
        }
    }

    fn push(&self, step: LiveStep) {
        if !step.fields.is_empty() {
            self.shared.lock().push(step);
            (self.wake)();
        }
    }

    /// There is no connection, be it the first or the next, for this reason.
    fn wait(&self, why: String) {
        let connection = self.shared.lock().connection.clone();
        self.set(connection, Some(why));
    }

    fn set(&self, connection: Connection, why: Option<String>) {
        // It is told again and again; the window is drawn for what is new.
        let new = self.shared.lock().set(connection, why);
        if new {
            (self.wake)();
        }
    }

    fn problem(&self, reason: &anyhow::Error) {
        self.shared.lock().problem(format!("{reason:#}"));
        (self.wake)();
    }
}

/// Reads the compressed variables of the current step, and the originals of those that have one. A variable
/// that cannot be read is a problem; the others are read all the same.
fn read(
    name: &Path,
    engine: &Engine,
    plain: &mut BTreeSet<String>,
    mut problem: impl FnMut(&anyhow::Error),
) -> Result<LiveStep> {
    let number = engine.current_step()?;
    let variables = engine.variables()?;
    let arrays = || {
        let shown = |v: &&VariableInfo| {
            let array = matches!(v.kind, ShapeKind::GlobalArray | ShapeKind::LocalArray);
            array && element_type(v).is_some()
        };
        variables.iter().filter(shown)
    };
    let mut fields = Vec::new();
    for info in arrays() {
        if plain.contains(&info.name) {
            continue;
        }
        match compressed(name, engine, number, &info.name) {
            Ok(Found::Streams(document)) => {
                fields.push(LiveField {
                    name: info.name.clone(),
                    document: *document,
                    original: None,
                });
            }
            Ok(Found::Plain) => _ = plain.insert(info.name.clone()),
            // It may come again.
            Ok(Found::Nothing) => {}
            Err(reason) => problem(&reason),
        }
    }
    for field in &mut fields {
        let wanted = format!("{}{ORIGINAL}", field.name);
        let Some(info) = arrays().find(|v| v.name == wanted && plain.contains(&v.name)) else {
            continue;
        };
        match original(name, engine, info, &field.document) {
            Ok(original) => field.original = Some(original),
            Err(reason) => problem(&reason),
        }
    }
    if fields.is_empty() && plain.len() == arrays().count() {
        problem(&anyhow!("{}: no variable is compressed with FSZ", name.display()));
    }
    Ok(LiveStep { number, arrived: Instant::now(), fields })
}

fn element_type(info: &VariableInfo) -> Option<DType> {
    match info.dtype.name() {
        "f32" => Some(DType::F32),
        "f64" => Some(DType::F64),
        _ => None,
    }
}

/// What a step has of a variable.
enum Found {
    /// FSZ streams that make up an array.
    Streams(Box<Document>),
    /// Values that are not compressed with FSZ.
    Plain,
    /// No element.
    Nothing,
}

/// A variable of the current step.
fn compressed(path: &Path, engine: &Engine, step: u64, name: &str) -> Result<Found> {
    let found = engine.blocks(name, Step::Current)?;
    let mut blocks = Vec::new();
    for block in found.blocks.iter().filter(|block| block.elements() > 0) {
        let Payload::Stream(bytes) = Payload::read(engine, name, Step::Current, block.id)? else {
            return Ok(Found::Plain);
        };
        blocks.push(Block { start: block.start.clone(), count: block.count.clone(), bytes });
    }
    if blocks.is_empty() {
        return Ok(Found::Nothing);
    }
    let document = variable(path, name, step, &found.shape, blocks)?;
    Ok(Found::Streams(Box::new(document.live())))
}

/// The uncompressed values of a variable, in the shape and type of its compressed pair.
fn original(
    path: &Path,
    engine: &Engine,
    info: &VariableInfo,
    compressed: &Document,
) -> Result<Document> {
    let name = &info.name;
    let shape = engine.blocks(name, Step::Current)?.shape;
    if shape != compressed.shape() || element_type(info) != Some(compressed.dtype) {
        bail!(
            "{}: {name} differs in shape or type from its compressed pair, and is not shown",
            path.display()
        );
    }
    let shape = Shape::new(&shape)?;
    let field = with_element!(compressed.dtype, T => {
        Field::new(shape, engine.read::<T>(name, Step::Current, &Selection::All)?)?
    });
    Ok(Document::of_values(format!("{}, {name}", path.display()), path, field).live())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::model::live::Live;

    #[test]
    fn a_silent_simulation_wakes_the_window_once() {
        let woken = Arc::new(AtomicU64::new(0));
        let count = woken.clone();
        let reader = Reader {
            name: "run".into(),
            shared: Shared(Arc::new(Mutex::new(Live::new("run".to_owned(), 1)))),
            ending: Arc::default(),
            wake: Arc::new(move || _ = count.fetch_add(1, Ordering::Relaxed)),
        };
        (0..9).for_each(|_| reader.set(Connection::Silent, None));
        assert_eq!(woken.load(Ordering::Relaxed), 1);
        reader.set(Connection::Connected, None);
        assert_eq!(woken.load(Ordering::Relaxed), 2);
    }
}
