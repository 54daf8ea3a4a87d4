//! Decoding large fields of boxes in slabs: the payload of the next one goes up, and what was decoded comes back, while the
//! device decodes. So the bus is busy in both directions.

mod cut;

use std::{
    ops::Range,
    slice,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use cudarc::driver::sys;

use self::cut::{Slab, cut};
use crate::cuda::{
    decompress::{DECOMPRESS_SCRATCH, Decompression, VECTOR, clear_behind, outcome, vectors},
    device::Device,
    driver::{
        event::Event,
        workspace::{Queue, Workspace},
    },
    host::lanes::{Half, Pieces, shares, shares_to},
    kernels::abi::StreamView,
    stream_kind::StreamKind,
};
use crate::{
    element::Element,
    error::{Error, Result},
    exec::Execution,
    profile::Profile,
    stream::Stream,
};

/// Bytes of a slab, about: in fewer, the device decodes slower than the bus copies; the first of more is waited for longer.
const SLAB: usize = 32 << 20;

/// Whether a field is decoded in slabs.
pub(crate) fn serve<T>(stream: &Stream<'_>, out: &[T]) -> bool {
    matches!(stream.header().profile, Profile::Dense(_)) && size_of_val(out) >= SLAB
}

/// Decodes a whole field. What the kernels cannot check of a part of a stream, its index, was checked when it was opened.
pub(crate) fn to_host<T: Element>(
    device: &Device,
    stream: &Stream<'_>,
    out: &mut [T],
    run: Execution<'_>,
) -> Result<()> {
    let kind = StreamKind::of_field(stream)?;
    let slabs = cut(stream.grid(), &stream.header().shape, (SLAB / size_of::<T>()) as u64);
    let (bytes, payload, index) = (stream.as_bytes(), stream.payload(), stream.index());
    let start = kind.sections.payload;
    let len = start as usize + payload.len();
    let tables = vectors(&index.payload(kind.sections.chunks)?, payload);
    let parts = parts(stream, &slabs, run.threads)?;
    // SAFETY: numbers as bytes; any bytes are numbers.
    let to = unsafe { slice::from_raw_parts_mut(out.as_mut_ptr().cast::<u8>(), size_of_val(out)) };
    let (piece, lanes) = shares_to(to, run.threads);
    device.work(|Workspace { queue, field, stream: room, scratch, .. }| {
        let at = room.room(len + VECTOR)?;
        let out_at = field.room(to.len())?;
        let status = scratch.room(DECOMPRESS_SCRATCH)?;
        // SAFETY: the memory was sized above.
        unsafe {
            clear_behind(at + len as u64, queue.handle())?;
            kind.clear(status, queue.handle())?;
            device.upload(queue, at, &bytes[..start as usize], run, &|_| run.check())?;
            let to = at + start + tables.start as u64;
            device.upload(queue, to, &payload[tables], run, &|_| run.check())?;
        }
        let flow = Flow {
            device,
            kind: &kind,
            view: kind.view(at, len as u64)?,
            slabs: &slabs,
            payload,
            payload_at: at + start,
            out: out_at,
            status,
            queue,
            decoded: slabs.iter().map(|_| Event::new()).collect::<Result<_>>()?,
            state: Mutex::new(State::new(&parts, slabs.len())),
            parts,
            changed: Condvar::new(),
        };
        let pieces = Pieces { to, from: out_at, piece };
        let done = |bytes: usize| run.advance(bytes as u64);
        let make = |half: &Half, bytes: Range<usize>| flow.make(half, bytes.end / size_of::<T>());
        // SAFETY: the field's room is that of the output, and this call's alone.
        let copied = unsafe { device.download_made(pieces, lanes, run, &done, make) };
        let State { failed, .. } = flow.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or(copied, Err)?;
        outcome(queue, status)
    })
}

/// A part of the payload, and the slab that waits for it.
struct Part {
    slab: usize,
    bytes: Range<usize>,
}

/// What chunks up to the end of each slab take, as parts for several threads.
fn parts(stream: &Stream<'_>, slabs: &[Slab], threads: usize) -> Result<Vec<Part>> {
    let (payload, index) = (stream.payload(), stream.index());
    let (mut parts, mut taken) = (Vec::new(), 0);
    for (slab, own) in slabs.iter().enumerate() {
        let end = vectors(&index.payload(own.chunks.end - 1)?, payload).end;
        let size = shares(end - taken, threads).0;
        while taken < end {
            let bytes = taken..end.min(taken + size);
            taken = bytes.end;
            parts.push(Part { slab, bytes });
        }
    }
    Ok(parts)
}

struct State {
    /// The next part that nobody sends yet.
    next: usize,
    /// Parts of each slab that are not on the device.
    missing: Vec<usize>,
    /// Slabs whose decoding is enqueued.
    launched: usize,
    /// What failed first.
    failed: Option<Error>,
}

impl State {
    fn new(parts: &[Part], slabs: usize) -> Self {
        let mut missing = vec![0; slabs];
        parts.iter().for_each(|part| missing[part.slab] += 1);
        State { next: 0, missing, launched: 0, failed: None }
    }
}

/// A decompression under way.
struct Flow<'a> {
    device: &'a Device,
    kind: &'a StreamKind,
    view: StreamView,
    slabs: &'a [Slab],
    payload: &'a [u8],
    /// Where the payload, the field and the report are on the device.
    payload_at: sys::CUdeviceptr,
    out: sys::CUdeviceptr,
    status: u64,
    /// Decodes one slab after another.
    queue: &'a Queue,
    /// Where each is decoded.
    decoded: Vec<Event>,
    parts: Vec<Part>,
    state: Mutex<State>,
    /// A slab was launched, or something failed.
    changed: Condvar,
}

impl Flow<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets what is enqueued in a half from now on find the elements up to `end`.
    fn make(&self, half: &Half, end: usize) -> Result<()> {
        let slab = self.slabs.partition_point(|slab| slab.end < end as u64);
        // The payload of the next slab goes up while this one comes back.
        self.send(half, slab + 1).and_then(|()| self.wait(half, slab)).map_err(|why| {
            self.state().failed.get_or_insert(why);
            self.changed.notify_all();
            Error::Device("decoding a slab failed".into())
        })
    }

    /// Sends what nobody sends yet of the payload of the slabs up to `slab`.
    fn send(&self, half: &Half, slab: usize) -> Result<()> {
        loop {
            let mut state = self.state();
            let Some(part) = self.parts.get(state.next).filter(|part| part.slab <= slab) else {
                return Ok(());
            };
            state.next += 1;
            drop(state);
            let to = self.payload_at + part.bytes.start as u64;
            half.send(to, &self.payload[part.bytes.clone()])?;
            half.queue().wait()?;
            self.state().missing[part.slab] -= 1;
            self.launch()?;
        }
    }

    /// Enqueues the decoding of the next slabs whose payload has arrived.
    fn launch(&self) -> Result<()> {
        let mut state = self.state();
        while let Some(slab) = self.slabs.get(state.launched)
            && state.missing[state.launched] == 0
        {
            let &Flow { device, kind, ref view, out, status, .. } = self;
            let queue = self.queue.handle();
            let decompression = Decompression { device, kind, view, out, status, queue };
            // SAFETY: the memory is sized for stream and field, and the payload up to the slab's end is there; one slab
            // after another uses the report.
            unsafe { decompression.chunks(slab.chunks.clone())? };
            self.decoded[state.launched].record(self.queue)?;
            state.launched += 1;
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Lets a half wait for a slab, of which others may send the payload.
    fn wait(&self, half: &Half, slab: usize) -> Result<()> {
        // A slab without payload of its own comes behind the one before.
        self.launch()?;
        let mut state = self.state();
        while state.launched <= slab {
            if state.failed.is_some() {
                return Err(Error::Device("another thread failed".into()));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        self.decoded[slab].hold(half.queue())
    }
}
