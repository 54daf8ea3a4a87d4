//! Compressing a field in host memory while it is on its way to the device: its chunks are encoded section by
//! section as they arrive, and what they come to goes back while others arrive. Where the encoder chooses by a look at the
//! field, the boxes that it looks at are sent before the rest.

mod encoder;
mod plan;
mod reports;
mod samples;
mod state;

use std::{
    cell::RefCell,
    mem, slice,
    sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
};

use self::{
    encoder::Encoder,
    plan::Plan,
    reports::Reports,
    state::{Pending, State, Task},
};
use crate::cuda::{
    boxes::compress::BoxCompression,
    compress::{FieldCompression, Places, verdict},
    device::Device,
    driver::workspace::Queue,
    host::lanes::{Half, PIECE, is_pinned, shares},
    kernels::abi::Control,
};
use crate::{
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::TileGrid,
    missing::is_missing,
    options::CompressOptions,
    profile::dense::Spread,
    schedule::too_small,
    value_range::sampled_magnitude,
};

/// Bytes of fields from which on this is worth its launches: of 64 MiB on an H200 it is not, of 256 MiB it is.
const FROM: usize = 128 << 20;
/// The same where an encoder chooses, which takes longer than 256 MiB are on their way.
const FROM_OF_CHOOSING: usize = 512 << 20;
/// Bytes of a section, about: of a large field enough for all multiprocessors.
const SECTION: usize = 32 << 20;
/// The same where boxes are coded: a launch takes as long as a chunk, and up to twice as many chunks take hardly longer.
const SECTION_OF_BOXES: usize = 64 << 20;
/// Pieces of a field that its owner has pinned that are under way at once: they keep the bus busy, and other lanes are free.
const PINNED_AT_ONCE: usize = 4;
/// Threads at least where an encoder chooses: fewer take longer to gather what it looks at than is gained.
const CHOOSING_THREADS: usize = 4;

/// Whether a field of so many bytes in host memory is better compressed so, and can be: it will be at `field` on the device.
pub(crate) fn suits(
    compression: &FieldCompression,
    bytes: usize,
    threads: usize,
    (device, field): (&Device, u64),
) -> Result<bool> {
    let worth = match compression.boxes() {
        Some(boxes) if boxes.chooses() => bytes >= FROM_OF_CHOOSING && threads >= CHOOSING_THREADS,
        _ => bytes >= FROM,
    };
    Ok(worth && compression.by_ranges(device, field)?)
}

/// An element as large as the largest of the samples of a field, and not missing.
pub(crate) fn largest_sample<T: Element>(
    data: &[T],
    options: &CompressOptions,
    run: Execution<'_>,
) -> Result<T> {
    let missing = options.missing_values::<T>();
    let largest = T::from_f64(sampled_magnitude(data, &missing, run)?);
    // Where that is a missing value, the sample was its negative.
    Ok(if is_missing(largest, &missing) { T::ZERO.sub(largest) } else { largest })
}

/// Compresses `data`, of whose samples `largest` is as large as the largest, into `out`, which has the bytes that the stream may
/// have, where that [`suits`]. The context is current.
pub(crate) fn compress<T: Element>(
    device: &Device,
    compression: &FieldCompression,
    (data, largest): (&[T], T),
    (queue, places): (&Queue, Places),
    out: &mut [u8],
    run: Execution<'_>,
) -> Result<usize> {
    // Where the field's first element will be, the sample is before.
    let sent = queue.upload(places.field, slice::from_ref(&largest));
    // SAFETY: the memory is the caller's workspace, sized for the compression, which waits before it is used again.
    let begun = sent.and_then(|()| unsafe {
        let one = (places.field, 1);
        compression.begin(device, one, places.field, places.scratch, queue.handle())
    });
    // Also after an error nothing may be under way from the sample.
    queue.wait()?;
    begun?;

    let section = if compression.boxes().is_some() { SECTION_OF_BOXES } else { SECTION };
    // SAFETY: numbers as bytes; they have no padding.
    let bytes = unsafe { slice::from_raw_parts(data.as_ptr().cast(), size_of_val(data)) };
    let direct = is_pinned(bytes);
    let plan = Plan::new::<T>(data.len(), run.threads, section, direct);
    let lanes = shares(bytes.len(), run.threads).1;
    let sections = plan.sections.len();
    let reports_len = sections * size_of::<Control>();
    device.with_lane(reports_len, |lane| {
        let flow = Flow {
            device,
            compression,
            queue,
            places,
            plan: &plan,
            at_once: if direct { PINNED_AT_ONCE } else { usize::MAX },
            encoder: OnceLock::new(),
            reports: Reports::new(&lane.halves[0], sections)?,
            state: Mutex::new(State::new(sections, out)),
            changed: Condvar::new(),
        };
        let ended = flow.begin().and_then(|()| {
            device.on_lanes((lanes, PIECE), run, |lane| {
                flow.work(&lane.halves, (bytes, direct), run).unwrap_or_else(|why| flow.fail(why));
                Ok(())
            })
        });
        // Also after an error nothing may be under way in memory that is used again.
        let waited = queue.wait();
        let Flow { reports, state, .. } = flow;
        let State { head, failed, .. } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or(ended, Err).and(waited)?;
        let len = verdict(&reports.read(sections - 1), places.stream.1)? as usize;
        // SAFETY: the stream begins with as many bytes, and all work on it has been waited for.
        unsafe { device.download(queue, head, places.stream.0, run, &|_| run.check())? };
        Ok(len)
    })
}

/// A compression under way.
struct Flow<'a, 'o> {
    device: &'a Device,
    compression: &'a FieldCompression,
    queue: &'a Queue,
    places: Places,
    plan: &'a Plan,
    /// Pieces of the field that are under way at once, at most.
    at_once: usize,
    /// Once that is known.
    encoder: OnceLock<Encoder>,
    reports: Reports,
    state: Mutex<State<'o>>,
    /// There is something to be done, or something failed.
    changed: Condvar,
}

impl<'o> Flow<'_, 'o> {
    fn state(&self) -> MutexGuard<'_, State<'o>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State<'o>>) -> MutexGuard<'s, State<'o>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets lanes that wait go.
    fn fail(&self, why: Error) {
        self.state().failed.get_or_insert(why);
        self.changed.notify_all();
    }

    /// Settles how the field is encoded, where that needs no look at it.
    fn begin(&self) -> Result<()> {
        if self.compression.boxes().is_some_and(BoxCompression::chooses) {
            return Ok(());
        }
        self.state().chosen = true;
        self.encode_by(self.prepare(&|_, _| Ok(()))?)
    }

    /// How the field is encoded; `bring` as for [`FieldCompression::prepare_boxes`].
    fn prepare(&self, bring: &dyn Fn(&TileGrid, Spread) -> Result<()>) -> Result<Encoder> {
        let (device, places, queue) = (self.device, self.places, self.queue.handle());
        // SAFETY: the memory is sized for the compression, which is waited for before the encoding is gone.
        let prepared = unsafe { self.compression.prepare_boxes(device, places, queue, bring)? };
        Ok(prepared.map_or(Encoder::Tiles, |encoding| Encoder::Boxes(Box::new(encoding))))
    }

    /// Chooses how the field is encoded.
    fn choose(&self, halves: &[Half; 2], data: &[u8], run: Execution<'_>) -> Result<()> {
        let brought = RefCell::default();
        let encoder = self
            .prepare(&|grid, boxes| self.bring(&halves[0], (data, &brought), (grid, boxes), run))?;
        self.encode_by(encoder)
    }

    /// Encodes by this encoder what has arrived, and what will.
    fn encode_by(&self, encoder: Encoder) -> Result<()> {
        let mut state = self.state();
        let payload = encoder.payload(self.compression) as usize;
        let Some((head, rest)) = mem::take(&mut state.rest).split_at_mut_checked(payload) else {
            return Err(too_small());
        };
        (state.head, state.rest) = (head, rest);
        // Payload comes of what is launched.
        self.changed.notify_all();
        self.launch(self.encoder.get_or_init(|| encoder), &mut state)
    }

    /// What a lane does until all is done.
    fn work(
        &self,
        halves: &[Half; 2],
        (data, direct): (&[u8], bool),
        run: Execution<'_>,
    ) -> Result<()> {
        let mut pending = [Pending::Nothing, Pending::Nothing];
        for n in 0usize.. {
            let half = n % 2;
            self.end(&halves[half], mem::replace(&mut pending[half], Pending::Nothing), run)?;
            let task = match self.task(false)? {
                Task::Later => {
                    // Others may wait for what is under way here.
                    let other = mem::replace(&mut pending[1 - half], Pending::Nothing);
                    self.end(&halves[1 - half], other, run)?;
                    self.task(true)?
                }
                task => task,
            };
            match task {
                Task::End => return Ok(()),
                Task::Later => {}
                // The first task of a lane, so that nothing is under way there.
                Task::Choose => self.choose(halves, data, run)?,
                Task::Sample(sample) => self.send(&halves[half], data, &sample)?,
                Task::Up(piece) => {
                    let bytes = self.plan.bytes(piece);
                    let to = self.places.field + bytes.start as u64;
                    match direct {
                        true => halves[half].queue().upload(to, &data[bytes])?,
                        false => halves[half].send(to, &data[bytes])?,
                    }
                    pending[half] = Pending::Up(piece);
                }
                Task::Down(at, part) => {
                    let payload = self.payload() + at as u64;
                    halves[half].fetch(self.places.stream.0 + payload, part.len())?;
                    pending[half] = Pending::Down(part);
                }
            }
        }
        Ok(())
    }

    /// Where the payload begins, once the encoder is known.
    fn payload(&self) -> u64 {
        self.encoder.get().map_or(0, |encoder| encoder.payload(self.compression))
    }

    /// Waits for what is under way in a half.
    fn end(&self, half: &Half, pending: Pending<'_>, run: Execution<'_>) -> Result<()> {
        match pending {
            Pending::Nothing => Ok(()),
            Pending::Up(piece) => {
                half.queue().wait()?;
                self.arrived(piece)?;
                run.advance(self.plan.bytes(piece).len() as u64)
            }
            Pending::Down(part) => {
                half.receive(part)?;
                run.check()
            }
        }
    }

    /// Counts a piece that is on the device, and launches what can be.
    fn arrived(&self, piece: usize) -> Result<()> {
        let mut state = self.state();
        state.arrived[self.plan.section_of(piece)] += 1;
        state.copying -= 1;
        // Another may be copied, and payload comes of what is launched.
        self.changed.notify_all();
        match self.encoder.get() {
            Some(encoder) => self.launch(encoder, &mut state),
            None => Ok(()),
        }
    }

    /// Launches the sections that have arrived.
    fn launch(&self, encoder: &Encoder, state: &mut State<'o>) -> Result<()> {
        while let Some(pieces) = self.plan.sections.get(state.launched)
            && state.arrived[state.launched] == pieces.len()
        {
            let bytes = self.plan.end_of(state.launched);
            let elements = (bytes / self.compression.kind.dtype.size()) as u64;
            let chunks = state.chunks..encoder.chunks_within(self.compression, elements);
            state.chunks = chunks.end;
            if !chunks.is_empty() {
                let (device, compression) = (self.device, self.compression);
                // SAFETY: the memory is sized for the compression; the chunks are there, and those before them enqueued.
                unsafe {
                    encoder.encode((device, compression), chunks, self.places, self.queue)?;
                }
            }
            self.reports.send_for(state.launched, self.places.scratch, self.queue)?;
            state.launched += 1;
        }
        Ok(())
    }

    /// What is to be done next: what the choice waits for first, then payload, for the field has no other place where it would
    /// be in the way. Where nothing can be done at once, that is told, or waited for; a lane in which something is under way
    /// does not wait.
    fn task(&self, wait: bool) -> Result<Task<'o>> {
        let mut state = self.state();
        loop {
            if state.failed.is_some() {
                return Ok(Task::End);
            }
            if !mem::replace(&mut state.chosen, true) {
                return Ok(Task::Choose);
            }
            if let Some(sample) = state.take_sample() {
                return Ok(Task::Sample(sample));
            }
            while state.done < state.launched && self.reports.events[state.done].is_past()? {
                self.count(&mut state)?;
            }
            if let Some(task) = state.take_made(PIECE) {
                return Ok(task);
            }
            if state.next < self.plan.pieces() && state.copying < self.at_once {
                state.next += 1;
                state.copying += 1;
                return Ok(Task::Up(state.next - 1));
            }
            if !wait {
                return Ok(Task::Later);
            }
            if state.done == self.plan.sections.len() {
                return Ok(Task::End);
            }
            if state.done < state.launched {
                // Other lanes launch what arrives meanwhile.
                let done = state.done;
                drop(state);
                self.reports.events[done].wait()?;
                state = self.state();
            } else {
                // The lanes that copy the rest of the field, or the one that chooses, launch it.
                state = self.wait(state);
            }
        }
    }

    /// Counts a section in that is done.
    fn count(&self, state: &mut State<'o>) -> Result<()> {
        let report = self.reports.read(state.done);
        let last = state.done + 1 == self.plan.sections.len();
        let encoder = self.encoder.get().filter(|_| !last);
        let behind = encoder.map_or(0, Encoder::behind_payload);
        let made = (4 * report.payload_words as usize).saturating_sub(behind);
        if report.status != 0 || made > state.taken + state.rest.len() {
            return Err(too_small());
        }
        state.made = made;
        state.done += 1;
        Ok(())
    }
}
