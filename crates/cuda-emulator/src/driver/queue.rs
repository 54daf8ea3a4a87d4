//! Work in streams, done when something waits for it.

use std::{
    collections::{BTreeMap, VecDeque},
    ffi::c_uint,
    sync::Arc,
    thread::{self, ThreadId},
    time::Instant,
};

use cudarc::driver::sys::CUresult;

use super::{Answer, modules::Function};
use crate::run::{grid, memory::Reach, warp::Launch};

/// Something to do.
#[derive(Clone, Debug)]
pub(super) enum Work {
    Launch(Arc<Launching>),
    /// Bytes from an address to another one.
    Copy {
        from: u64,
        to: u64,
        len: usize,
    },
    /// Bytes that were in memory which the caller may use again.
    Write {
        bytes: Arc<[u8]>,
        to: u64,
    },
    /// A pattern, again and again.
    Fill {
        pattern: Vec<u8>,
        to: u64,
        count: usize,
    },
    /// An event is at its `n`th place.
    Record(u64, u64),
    /// Wait for that.
    Wait(u64, u64),
}

/// A kernel with its arguments.
#[derive(Debug)]
pub(super) struct Launching {
    pub function: Arc<Function>,
    pub grid: [u32; 3],
    pub threads: [u32; 3],
    pub shared: usize,
    pub all_at_once: bool,
    /// It may begin before a launch before it in its stream has ended.
    pub early: bool,
    pub arguments: Vec<u8>,
}

/// A stream.
#[derive(Debug, Default)]
struct Queue {
    work: VecDeque<Work>,
    /// It waits for the default stream, and that one for it.
    blocks: bool,
    /// While a graph is made of it.
    captured: Option<Capture>,
}

/// A graph in the making.
#[derive(Debug)]
struct Capture {
    /// What would have been done.
    work: Vec<Work>,
    /// How strict it is, and the thread that began it.
    mode: c_uint,
    thread: ThreadId,
    /// A call that is not allowed meanwhile was made.
    ended: bool,
}

/// How strict a capture or a thread is: what other threads do ends it too, what its own thread does, or neither.
const GLOBAL: c_uint = 0;
const RELAXED: c_uint = 2;

/// An event.
#[derive(Clone, Copy, Debug, Default)]
struct Event {
    /// The stream that it was last put into, and how often it was put into one.
    stream: u64,
    recorded: u64,
    /// How often it was reached, and when last.
    reached: u64,
    at: Option<Instant>,
    /// Whether the program is done with it: what waits for it does so all the same.
    ended: bool,
}

impl Event {
    fn is_over(&self) -> bool {
        self.ended && self.reached >= self.recorded
    }
}

/// All streams and events.
#[derive(Debug, Default)]
pub(super) struct Queues {
    streams: BTreeMap<u64, Queue>,
    events: BTreeMap<u64, Event>,
    next: u64,
}

/// The default stream, and those that stand for it or for a thread's own one.
fn is_default(stream: u64) -> bool {
    stream <= 2
}

/// The first number of a stream or event, above the default streams.
const FIRST: u64 = 0x100;

impl Queues {
    fn number(&mut self) -> u64 {
        self.next += 1;
        FIRST + self.next
    }

    pub fn new_stream(&mut self, blocks: bool) -> u64 {
        let number = self.number();
        self.streams.insert(number, Queue { blocks, ..Queue::default() });
        number
    }

    pub fn end_stream(&mut self, stream: u64) -> Answer {
        self.finish(stream)?;
        self.streams.remove(&stream).map(drop).ok_or(CUresult::CUDA_ERROR_INVALID_HANDLE)
    }

    fn stream(&mut self, stream: u64) -> Answer<&mut Queue> {
        self.streams.get_mut(&stream).ok_or(CUresult::CUDA_ERROR_INVALID_HANDLE)
    }

    /// Puts work into a stream; the default one does it at once.
    pub fn push(&mut self, stream: u64, work: Work) -> Answer {
        if is_default(stream) {
            self.finish_blocking()?;
            return self.run(&work);
        }
        let queue = self.stream(stream)?;
        match &mut queue.captured {
            Some(Capture { ended: true, .. }) => {
                return Err(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            }
            Some(captured) => captured.work.push(work),
            None => queue.work.push_back(work),
        }
        Ok(())
    }

    /// Whether a graph is made of a stream.
    pub fn is_captured(&self, stream: u64) -> bool {
        self.streams.get(&stream).is_some_and(|queue| queue.captured.is_some())
    }

    pub fn begin_capture(&mut self, stream: u64, mode: c_uint) -> Answer {
        let queue = self.stream(stream)?;
        match queue.captured {
            Some(_) => Err(CUresult::CUDA_ERROR_ILLEGAL_STATE),
            None => {
                let thread = thread::current().id();
                queue.captured = Some(Capture { work: Vec::new(), mode, thread, ended: false });
                Ok(())
            }
        }
    }

    pub fn end_capture(&mut self, stream: u64) -> Answer<Vec<Work>> {
        match self.stream(stream)?.captured.take() {
            None => Err(CUresult::CUDA_ERROR_ILLEGAL_STATE),
            Some(Capture { ended: true, .. }) => {
                Err(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
            }
            Some(captured) => Ok(captured.work),
        }
    }

    /// Ends the captures that a call does not go with, and refuses the call with `why` where there are such.
    fn unless(&mut self, which: impl Fn(&Queue, &Capture) -> bool, why: CUresult) -> Answer {
        let mut answer = Ok(());
        for queue in self.streams.values_mut() {
            if let Some(mut captured) = queue.captured.take() {
                if which(queue, &captured) {
                    captured.ended = true;
                    answer = Err(why);
                }
                queue.captured = Some(captured);
            }
        }
        answer
    }

    /// Before a call that the driver takes for unsafe while a graph is made, on a thread that is so strict.
    pub fn allow(&mut self, mode: c_uint) -> Answer {
        let own = thread::current().id();
        self.unless(
            |_, captured| match captured.thread == own {
                _ if mode == RELAXED => false,
                true => captured.mode != RELAXED,
                false => captured.mode == GLOBAL && mode == GLOBAL,
            },
            CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        )
    }

    /// Before a wait for the whole device.
    pub fn allow_wait(&mut self) -> Answer {
        self.unless(|_, _| true, CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
    }

    /// Whether nothing is left to do in a stream.
    pub fn is_done(&mut self, stream: u64) -> Answer<bool> {
        Ok(is_default(stream) || self.stream(stream)?.work.is_empty())
    }

    /// Does what is in a stream.
    pub fn finish(&mut self, stream: u64) -> Answer {
        if is_default(stream) {
            return self.finish_blocking();
        }
        if let Some(captured) = &mut self.stream(stream)?.captured {
            captured.ended = true;
            return Err(CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
        while self.step(stream)? {}
        Ok(())
    }

    /// Does the first thing in a stream, and with it a launch behind it that may begin early; false where there is
    /// nothing.
    fn step(&mut self, stream: u64) -> Answer<bool> {
        let queue = self.stream(stream)?;
        let Some(work) = queue.work.pop_front() else { return Ok(false) };
        if let (Work::Launch(first), Some(Work::Launch(next))) = (&work, queue.work.front())
            && next.early
        {
            let next = Arc::clone(next);
            queue.work.pop_front();
            next.run(Some(first))?;
        } else {
            self.run(&work)?;
        }
        Ok(true)
    }

    /// What the default stream waits for.
    pub fn finish_blocking(&mut self) -> Answer {
        self.unless(|queue, _| queue.blocks, CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)?;
        self.finish_those(|queue| queue.blocks)
    }

    pub fn finish_all(&mut self) -> Answer {
        self.finish_those(|_| true)
    }

    fn finish_those(&mut self, which: impl Fn(&Queue) -> bool) -> Answer {
        let wanted = |(&stream, queue): (&u64, &Queue)| {
            (which(queue) && queue.captured.is_none()).then_some(stream)
        };
        let streams: Vec<u64> = self.streams.iter().filter_map(wanted).collect();
        streams.into_iter().try_for_each(|stream| self.finish(stream))
    }

    fn run(&mut self, work: &Work) -> Answer {
        match work {
            Work::Launch(launching) => launching.run(None),
            &Work::Copy { from, to, len } => {
                // SAFETY: the caller of the copy vouches for both, until it has waited for the stream.
                unsafe { (from as *const u8).copy_to(to as *mut u8, len) };
                Ok(())
            }
            Work::Write { bytes, to } => {
                // SAFETY: as above.
                unsafe { (*to as *mut u8).copy_from(bytes.as_ptr(), bytes.len()) };
                Ok(())
            }
            Work::Fill { pattern, to, count } => {
                let at = *to as *mut u8;
                for n in 0..*count {
                    // SAFETY: as above; the room is `count` patterns long.
                    unsafe { at.add(n * pattern.len()).copy_from(pattern.as_ptr(), pattern.len()) };
                }
                Ok(())
            }
            Work::Record(event, n) => {
                if let Some(found) = self.events.get_mut(event) {
                    found.reached = found.reached.max(*n);
                    found.at = Some(Instant::now());
                    if found.is_over() {
                        self.events.remove(event);
                    }
                }
                Ok(())
            }
            Work::Wait(event, n) => self.reach(*event, *n),
        }
    }

    pub fn new_event(&mut self) -> u64 {
        let number = self.number();
        self.events.insert(number, Event::default());
        number
    }

    pub fn end_event(&mut self, event: u64) -> Answer {
        let found = self.event(event)?;
        found.ended = true;
        if found.is_over() {
            self.events.remove(&event);
        }
        Ok(())
    }

    fn event(&mut self, event: u64) -> Answer<&mut Event> {
        let found = self.events.get_mut(&event).filter(|found| !found.ended);
        found.ok_or(CUresult::CUDA_ERROR_INVALID_HANDLE)
    }

    /// Puts an event behind what is in a stream.
    pub fn record(&mut self, event: u64, stream: u64) -> Answer {
        let found = self.event(event)?;
        found.stream = stream;
        found.recorded += 1;
        let n = found.recorded;
        self.push(stream, Work::Record(event, n))
    }

    /// Lets a stream wait for an event, as it was last put into one.
    pub fn wait(&mut self, stream: u64, event: u64) -> Answer {
        let n = self.event(event)?.recorded;
        self.push(stream, Work::Wait(event, n))
    }

    /// Whether an event was reached since it was last put into a stream.
    pub fn is_reached(&mut self, event: u64) -> Answer<bool> {
        let event = self.event(event)?;
        Ok(event.reached >= event.recorded)
    }

    /// Does what is before an event.
    pub fn finish_event(&mut self, event: u64) -> Answer {
        let n = self.event(event)?.recorded;
        self.reach(event, n)
    }

    fn reach(&mut self, event: u64, n: u64) -> Answer {
        while let Some(found) = self.events.get(&event).copied() {
            if found.reached >= n {
                break;
            }
            if !self.step(found.stream)? {
                break;
            }
        }
        Ok(())
    }

    /// Milliseconds between two events.
    pub fn between(&mut self, begin: u64, end: u64) -> Answer<f32> {
        match (self.event(begin)?.at, self.event(end)?.at) {
            (Some(begin), Some(end)) => {
                Ok(1e3 * end.saturating_duration_since(begin).as_secs_f32())
            }
            _ => Err(CUresult::CUDA_ERROR_NOT_READY),
        }
    }
}

impl Launching {
    /// Runs it, and `before`, which has not ended when it begins.
    fn run(&self, before: Option<&Self>) -> Answer {
        let Launching { function, grid, threads, shared, all_at_once, arguments, .. } = self;
        let reach = Reach::now();
        let launch = Launch {
            program: &function.program,
            arguments,
            grid: *grid,
            threads: *threads,
            reach: &reach,
            after: before.is_none().into(),
        };
        let mut run_before = || match before.map(|before| before.run(None)) {
            Some(Err(why)) => Err(format!("the launch before: {why:?}")),
            _ => Ok(()),
        };
        let begun = Instant::now();
        match grid::run(&launch, function.program.shared + shared, *all_at_once, &mut run_before) {
            Ok(cost) => {
                if std::env::var_os("FSZ_EMULATOR_LOG").is_some() {
                    let name = &function.name;
                    eprintln!(
                        "{name}: {grid:?} × {threads:?}, {} instructions of warps, {:.1?}",
                        cost.instructions,
                        begun.elapsed()
                    );
                }
                Ok(())
            }
            Err(why) => {
                eprintln!("CUDA emulator: {}: {why}", function.name);
                Err(CUresult::CUDA_ERROR_LAUNCH_FAILED)
            }
        }
    }
}
