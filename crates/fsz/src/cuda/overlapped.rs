//! Compressing a field in host memory while it is on its way to the device: its chunks are encoded section by
//! section as they arrive, and what they come to goes back while others arrive.

use std::{
    mem,
    ops::Range,
    slice,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use cudarc::driver::result;

use super::{
    abi::Control,
    compress::{FieldCompression, verdict},
    device::Device,
    error::check,
    event::Event,
    lanes::{Half, PIECE, is_pinned, shares},
    workspace::Queue,
};
use crate::{
    element::Element, error::Result, exec::Execution, format::CHUNK, missing::is_missing,
    options::CompressOptions, schedule::too_small, value_range::sampled_magnitude,
};

/// Bytes of fields from which on this is worth its launches: of 64 MiB on an H200 it is not, of 256 MiB it is.
pub(crate) const FROM: usize = 128 << 20;

/// Bytes of a section, about: of a large field enough for all multiprocessors.
const SECTION: usize = 32 << 20;
/// Sections of a field, at least.
const FEWEST_SECTIONS: usize = 4;

/// Device memory of a compression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub field: u64,
    /// Where the stream is made, and bytes that it may have.
    pub stream: (u64, u64),
    pub scratch: u64,
}

/// An element as large as the largest of the samples of a field, and not missing.
pub(crate) fn largest_sample<T: Element>(
    data: &[T],
    options: &CompressOptions,
    run: Execution<'_>,
) -> T {
    let missing = options.missing_values::<T>();
    let largest = T::from_f64(sampled_magnitude(data, &missing, run));
    // Where that is a missing value, the sample was its negative.
    if is_missing(largest, &missing) { T::ZERO.sub(largest) } else { largest }
}

/// Compresses `data`, of whose samples `largest` is as large as the largest, into `out`, which has the bytes that the stream may
/// have. `compression` may be done [by ranges](FieldCompression::by_ranges). The context is current.
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

    let payload = compression.kind.sections.payload as usize;
    let (head, rest) = out.split_at_mut(payload);
    let plan = Plan::new::<T>(data.len(), run.threads);
    let lanes = shares(size_of_val(data), run.threads).1;
    let sections = plan.sections.len();
    let reports_len = sections * size_of::<Control>();
    let outcome = device.with_lane(reports_len, |lane| {
        let state = State::new(sections, rest);
        let flow = Flow {
            device,
            compression,
            queue,
            places,
            plan: &plan,
            reports: Reports::new(&lane.halves[0], sections)?,
            state: Mutex::new(state),
            changed: Condvar::new(),
        };
        // SAFETY: numbers as bytes; they have no padding.
        let data = unsafe { slice::from_raw_parts(data.as_ptr().cast(), size_of_val(data)) };
        let direct = is_pinned(data);
        let ended = device.on_lanes((lanes, plan.piece), run, |lane| {
            flow.work(&lane.halves, (data, direct), run).inspect_err(|_| flow.fail())
        });
        // Also after an error nothing may be under way in memory that is used again.
        let waited = queue.wait();
        ended.and(waited)?;
        Ok(flow.reports.read(sections - 1))
    })?;
    let len = verdict(&outcome, places.stream.1)? as usize;
    // SAFETY: the stream begins with as many bytes, and all work on it has been waited for.
    unsafe { device.download(queue, head, places.stream.0, run, &|_| run.check())? };
    Ok(len)
}

/// How a field is cut: into pieces, which are copied, and sections of them, which are encoded.
struct Plan {
    /// Bytes of the field, and of a piece.
    len: usize,
    piece: usize,
    /// Pieces of each section.
    sections: Vec<Range<usize>>,
    /// Bytes of a chunk.
    chunk: usize,
}

impl Plan {
    /// For so many elements of type `T`.
    fn new<T>(elements: usize, threads: usize) -> Self {
        let (len, chunk) = (elements * size_of::<T>(), CHUNK * size_of::<T>());
        let piece = shares(len, threads).0.next_multiple_of(chunk).min(PIECE / chunk * chunk);
        let pieces = len.div_ceil(piece);
        let of_section = (SECTION / piece).min(pieces / FEWEST_SECTIONS).max(1);
        let sections = (0..pieces)
            .step_by(of_section)
            .map(|first| first..pieces.min(first + of_section))
            .collect();
        Plan { len, piece, sections, chunk }
    }

    fn pieces(&self) -> usize {
        self.len.div_ceil(self.piece)
    }

    fn bytes(&self, piece: usize) -> Range<usize> {
        piece * self.piece..self.len.min((piece + 1) * self.piece)
    }

    fn section_of(&self, piece: usize) -> usize {
        piece / (self.sections[0].end - self.sections[0].start)
    }

    fn chunks(&self, section: usize) -> Range<u64> {
        let Range { start, end } = self.sections[section];
        let chunk = |at: usize| at.div_ceil(self.chunk) as u64;
        chunk(start * self.piece)..chunk(self.len.min(end * self.piece))
    }
}

/// What the device has told after each section, in pinned memory.
struct Reports {
    at: *mut Control,
    events: Vec<Event>,
}

// SAFETY: the pinned memory is valid on every thread; what is written there is read once it is waited for.
unsafe impl Sync for Reports {}

impl Reports {
    /// In the pinned memory of a half, which has room for them.
    fn new(half: &Half, sections: usize) -> Result<Self> {
        let events = (0..sections).map(|_| Event::new()).collect::<Result<_>>()?;
        Ok(Reports { at: half.pinned().cast(), events })
    }

    /// Enqueues the copy of what is told after `section`.
    fn send_for(&self, section: usize, scratch: u64, queue: &Queue) -> Result<()> {
        // SAFETY: there is room for a report of each section; any bytes are one, and the scratch begins with it.
        check("cuMemcpyDtoHAsync", unsafe {
            let to = slice::from_raw_parts_mut(self.at.add(section), 1);
            result::memcpy_dtoh_async(to, scratch, queue.handle())
        })?;
        self.events[section].record(queue)
    }

    /// What was told after `section`, which has been waited for.
    fn read(&self, section: usize) -> Control {
        // SAFETY: any bytes are a report; the copy is over.
        unsafe { self.at.add(section).read_volatile() }
    }
}

/// A compression under way.
struct Flow<'a, 'o> {
    device: &'a Device,
    compression: &'a FieldCompression,
    queue: &'a Queue,
    places: Places,
    plan: &'a Plan,
    reports: Reports,
    state: Mutex<State<'o>>,
    /// A section was launched, or something failed.
    changed: Condvar,
}

struct State<'o> {
    /// The next piece that nobody copies yet.
    next: usize,
    /// Pieces of each section that are on the device.
    arrived: Vec<usize>,
    /// Sections that are launched, and those of them that are known to be done.
    launched: usize,
    done: usize,
    /// Bytes of the payload that the done sections came to, and those that somebody copies.
    made: usize,
    taken: usize,
    /// Where the payload goes that nobody copies yet.
    rest: &'o mut [u8],
    failed: bool,
}

/// What is under way in a half.
enum Pending<'o> {
    Nothing,
    /// A piece of the field.
    Up(usize),
    /// A part of the payload.
    Down(&'o mut [u8]),
}

/// What a lane is to do.
enum Task<'o> {
    Up(usize),
    /// From this byte of the payload on.
    Down(usize, &'o mut [u8]),
}

impl<'o> State<'o> {
    fn new(sections: usize, rest: &'o mut [u8]) -> Self {
        let arrived = vec![0; sections];
        State { next: 0, arrived, launched: 0, done: 0, made: 0, taken: 0, rest, failed: false }
    }

    /// Takes a part of the payload to copy, a whole piece of it or the last one.
    fn take(&mut self, piece: usize) -> Option<Task<'o>> {
        let (ready, last) = (self.made - self.taken, self.done == self.arrived.len());
        if ready == 0 || (ready < piece && !last) {
            return None;
        }
        let (part, rest) = mem::take(&mut self.rest).split_at_mut(ready.min(piece));
        self.rest = rest;
        let at = self.taken;
        self.taken += part.len();
        Some(Task::Down(at, part))
    }
}

impl<'o> Flow<'_, 'o> {
    fn state(&self) -> MutexGuard<'_, State<'o>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets lanes that wait go.
    fn fail(&self) {
        self.state().failed = true;
        self.changed.notify_all();
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
            let task = match self.task()? {
                Some(task) => Some(task),
                None => {
                    // Others may wait for what is under way here.
                    let other = mem::replace(&mut pending[1 - half], Pending::Nothing);
                    self.end(&halves[1 - half], other, run)?;
                    self.last_task()?
                }
            };
            pending[half] = match task {
                None => return Ok(()),
                Some(Task::Up(piece)) => {
                    let bytes = self.plan.bytes(piece);
                    let to = self.places.field + bytes.start as u64;
                    match direct {
                        true => halves[half].queue().upload(to, &data[bytes])?,
                        false => halves[half].send(to, &data[bytes])?,
                    }
                    Pending::Up(piece)
                }
                Some(Task::Down(at, part)) => {
                    let payload = self.compression.kind.sections.payload + at as u64;
                    halves[half].fetch(self.places.stream.0 + payload, part.len())?;
                    Pending::Down(part)
                }
            };
        }
        Ok(())
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

    /// Counts a piece that is on the device, and launches the sections that are whole then.
    fn arrived(&self, piece: usize) -> Result<()> {
        let mut state = self.state();
        state.arrived[self.plan.section_of(piece)] += 1;
        while let Some(pieces) = self.plan.sections.get(state.launched)
            && state.arrived[state.launched] == pieces.len()
        {
            let Places { field, stream, scratch } = self.places;
            let chunks = self.plan.chunks(state.launched);
            let queue = self.queue.handle();
            // SAFETY: the memory is sized for the compression; the chunks are there, and those before them enqueued.
            unsafe {
                let (device, compression) = (self.device, self.compression);
                compression.encode_chunks(device, field, chunks, stream, scratch, queue)?;
            }
            self.reports.send_for(state.launched, scratch, self.queue)?;
            state.launched += 1;
            self.changed.notify_all();
        }
        Ok(())
    }

    /// What is to be done next, as far as that need not be waited for: payload first, for the field has no other
    /// place where it would be in the way.
    fn task(&self) -> Result<Option<Task<'o>>> {
        let mut state = self.state();
        while state.done < state.launched && self.reports.events[state.done].is_past()? {
            self.count(&mut state)?;
        }
        if let Some(task) = state.take(self.plan.piece) {
            return Ok(Some(task));
        }
        let piece = state.next;
        if state.failed || piece == self.plan.pieces() {
            return Ok(None);
        }
        state.next += 1;
        Ok(Some(Task::Up(piece)))
    }

    /// What is to be done once the whole field is on its way; none when all of the payload is.
    fn last_task(&self) -> Result<Option<Task<'o>>> {
        let mut state = self.state();
        loop {
            if state.failed {
                return Ok(None);
            }
            if let Some(task) = state.take(self.plan.piece) {
                return Ok(Some(task));
            }
            if state.done == self.plan.sections.len() {
                return Ok(None);
            }
            if state.done < state.launched {
                self.reports.events[state.done].wait()?;
                self.count(&mut state)?;
            } else {
                // The lanes that copy the rest of the field launch it.
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Counts a section in that is done.
    fn count(&self, state: &mut State<'o>) -> Result<()> {
        let report = self.reports.read(state.done);
        let made = 4 * report.payload_words as usize;
        if report.status != 0 || made > state.taken + state.rest.len() {
            return Err(too_small());
        }
        state.made = made;
        state.done += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T>(elements: usize, threads: usize) {
        let plan = Plan::new::<T>(elements, threads);
        let what = format!("{elements} of {} bytes, {threads} threads", size_of::<T>());
        let (mut bytes, mut pieces, mut chunks) = (0, 0, 0);
        for (section, range) in plan.sections.iter().enumerate() {
            assert_eq!((range.start, plan.chunks(section).start), (pieces, chunks), "{what}");
            for piece in range.clone() {
                let part = plan.bytes(piece);
                assert!(part.start == bytes && (1..=PIECE).contains(&part.len()), "{what}");
                assert_eq!(plan.section_of(piece), section, "{what}");
                bytes = part.end;
            }
            (pieces, chunks) = (range.end, plan.chunks(section).end);
        }
        assert_eq!((bytes, pieces), (elements * size_of::<T>(), plan.pieces()), "{what}");
        assert_eq!(chunks, elements.div_ceil(CHUNK) as u64, "{what}");
        assert!(plan.sections.len() >= FEWEST_SECTIONS, "{what}");
    }

    #[test]
    fn sections_are_whole_chunks_and_all_of_the_field() {
        for threads in [1, 2, 7, 16, 200] {
            for elements in [FROM / 4, FROM / 4 + 1, 99_999_999, (1 << 30) + 12_345] {
                check::<f32>(elements, threads);
                check::<f64>(elements / 2, threads);
            }
        }
    }

    #[test]
    fn payload_is_taken_in_whole_pieces_but_the_last() {
        let mut out = [0; 100];
        let mut state = State::new(2, &mut out);
        let mut take = |made, done| {
            (state.made, state.done) = (made, done);
            match state.take(30) {
                Some(Task::Down(at, part)) => Some((at, part.len())),
                _ => None,
            }
        };
        assert_eq!(take(29, 1), None);
        assert_eq!(take(65, 1), Some((0, 30)));
        assert_eq!(take(65, 1), Some((30, 30)));
        assert_eq!(take(65, 1), None);
        assert_eq!(take(80, 2), Some((60, 20)));
        assert_eq!(take(80, 2), None);
    }
}
