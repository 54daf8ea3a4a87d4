//! Copies between a device and host memory, at the bus's speed: several threads copy pieces to and from pinned
//! memory while the device copies others. A single thread is slower than the bus, and copies from pageable
//! memory by the driver are slower than that.

use std::{
    ops::Range,
    slice,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use cudarc::driver::{result, sys};

use crate::cuda::{
    device::Device,
    driver::{
        context::Context,
        error::check,
        pinned::Pinned,
        pointer::{CudaMemory, MemoryKind},
        workspace::Queue,
    },
};
use crate::{
    error::{Error, Result},
    exec::Execution,
};

/// Bytes that go through pinned memory at a time, at most and, where there are several threads, at least.
/// The device takes some 8 µs from one copy to the next of another CUDA stream.
pub(crate) const PIECE: usize = 4 << 20;
const LEAST_PIECE: usize = 256 << 10;
/// Threads that copy, at most: more bring nothing. Each has two pieces of pinned memory.
const MOST_LANES: usize = 16;
/// Copies of fewer bytes are left to the driver.
pub(crate) const SMALL: usize = 1 << 20;
/// Bytes of a call's output up to which the calling thread alone copies: a plane comes sooner than other threads
/// wake.
pub(crate) const ALONE: usize = 4 << 20;
/// Bytes of a piece of an output that its owner has pinned: the fewer there are, the less the device waits between them.
const PINNED_OUTPUT_PIECE: usize = 2 * PIECE;
/// Bytes of memory that its owner has pinned, between two looks at who waits.
const WATCHED: usize = 64 << 20;

/// Lanes that no call is using.
#[derive(Debug, Default)]
pub(crate) struct Lanes(Mutex<Vec<Lane>>);

/// What one thread copies through: two pieces, so that one is copied by the device while the other is by the host.
#[derive(Debug)]
pub(crate) struct Lane {
    pub halves: [Half; 2],
}

#[derive(Debug)]
pub(crate) struct Half {
    queue: Queue,
    /// Kept until more is needed.
    pinned: Pinned,
}

/// Host memory that is filled from device memory at `from`, `piece` bytes at a time.
pub(crate) struct Pieces<'a> {
    pub to: &'a mut [u8],
    pub from: sys::CUdeviceptr,
    /// At most [`PIECE`], but where the owner of the host memory has pinned it.
    pub piece: usize,
}

/// Told of bytes that were copied; an error ends the copy.
pub(crate) type Done<'a> = &'a (dyn Fn(usize) -> Result<()> + Sync);

impl Device {
    /// Copies `from` to device address `to`, and waits. The context is current, and `queue` one of it.
    ///
    /// # Safety
    /// `to` has room for `from`, which are numbers.
    pub unsafe fn upload<T: Copy>(
        &self,
        queue: &Queue,
        to: sys::CUdeviceptr,
        from: &[T],
        run: Execution<'_>,
        done: Done<'_>,
    ) -> Result<()> {
        let len = size_of_val(from);
        // SAFETY: numbers as bytes; they have no padding.
        let from = unsafe { slice::from_raw_parts(from.as_ptr().cast::<u8>(), len) };
        if len < SMALL || is_pinned(from) {
            for (i, piece) in from.chunks(WATCHED).enumerate() {
                let copied = queue.upload(to + (i * WATCHED) as u64, piece);
                // Also after an error nothing may be under way in the caller's memory.
                queue.wait()?;
                copied?;
                done(piece.len())?;
            }
            return Ok(());
        }
        let (piece, lanes) = shares(len, run.threads);
        let next = AtomicUsize::new(0);
        self.on_lanes((lanes, piece), run, |lane| {
            for n in 0usize.. {
                let at = next.fetch_add(piece, Ordering::Relaxed);
                if at >= len {
                    break;
                }
                let part = &from[at..len.min(at + piece)];
                let half = &lane.halves[n % 2];
                half.queue.wait()?;
                half.send(to + at as u64, part)?;
                done(part.len())?;
            }
            Ok(())
        })
    }

    /// Copies from device address `from` to `to`, and waits. What writes there is done.
    ///
    /// # Safety
    /// `from` holds as many bytes, and `to` are numbers, which any bytes are.
    pub unsafe fn download<T: Copy>(
        &self,
        queue: &Queue,
        to: &mut [T],
        from: sys::CUdeviceptr,
        run: Execution<'_>,
        done: Done<'_>,
    ) -> Result<()> {
        let len = size_of_val(to);
        // SAFETY: numbers as bytes; any bytes are numbers.
        let to = unsafe { slice::from_raw_parts_mut(to.as_mut_ptr().cast::<u8>(), len) };
        if len < SMALL || is_pinned(to) {
            for (i, piece) in to.chunks_mut(WATCHED).enumerate() {
                queue.download(piece, from + (i * WATCHED) as u64)?;
                done(piece.len())?;
            }
            return Ok(());
        }
        let (piece, lanes) = shares(len, run.threads);
        let nothing = |_: &Half, _: Range<usize>| Ok(());
        let pieces = Pieces { to, from, piece };
        // SAFETY: what writes at `from` is done, and the caller vouches for the rest.
        unsafe { self.download_made(pieces, lanes, run, done, nothing) }
    }

    /// Copies pieces of device memory to host memory, each once `make` has enqueued on the queue of a half what
    /// writes these bytes of it, and waits.
    ///
    /// # Safety
    /// The device memory holds as many bytes as the host memory, and nothing but what `make` enqueues writes it.
    pub unsafe fn download_made(
        &self,
        Pieces { to, from, piece }: Pieces<'_>,
        lanes: usize,
        run: Execution<'_>,
        done: Done<'_>,
        make: impl Fn(&Half, Range<usize>) -> Result<()> + Sync,
    ) -> Result<()> {
        // Memory that its owner has pinned needs no copy by a thread.
        let direct = is_pinned(to);
        let pieces = Mutex::new(to.chunks_mut(piece).enumerate());
        let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        self.on_lanes((lanes, piece.min(PIECE)), run, |lane| {
            let mut before: Option<(usize, &mut [u8])> = None;
            for n in 0usize.. {
                let mut own = next();
                let ended = own.is_none();
                if let Some((i, part)) = &mut own {
                    let (half, at) = (&lane.halves[n % 2], *i * piece);
                    make(half, at..at + part.len())?;
                    let from = from + at as u64;
                    match direct {
                        false => half.fetch(from, part.len())?,
                        // SAFETY: the caller vouches for the device memory; also after an error the lane is waited
                        // for before the host memory is gone.
                        true => check("cuMemcpyDtoHAsync", unsafe {
                            result::memcpy_dtoh_async(part, from, half.queue.handle())
                        })?,
                    }
                }
                if let Some((_, part)) = std::mem::replace(&mut before, own) {
                    let half = &lane.halves[(n + 1) % 2];
                    match direct {
                        false => half.receive(part)?,
                        true => half.queue.wait()?,
                    }
                    done(part.len())?;
                }
                if ended {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Runs `work` on so many threads, each with a lane of its own for pieces of so many bytes, and waits for what it
    /// began.
    pub fn on_lanes(
        &self,
        (lanes, piece): (usize, usize),
        run: Execution<'_>,
        work: impl Fn(&Lane) -> Result<()> + Sync,
    ) -> Result<()> {
        run.on_threads(lanes, || {
            let _entered = self.context.enter()?;
            self.with_lane(piece, &work)
        })?;
        Ok(())
    }

    /// Runs `work` with a lane of its own, and waits for what it began there. The context is current.
    pub fn with_lane<R>(&self, piece: usize, work: impl FnOnce(&Lane) -> Result<R>) -> Result<R> {
        let idle = || self.lanes.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut lane = match taken {
            Some(lane) => lane,
            None => Lane::new(&self.context)?,
        };
        lane.halves.iter_mut().try_for_each(|half| half.reserve(piece))?;
        let answer = work(&lane);
        let waited = lane.halves.iter().try_for_each(|half| half.queue.wait());
        // Also after an error nothing may be under way in memory that is used again.
        if waited.is_ok() {
            idle().push(lane);
        }
        waited.and(answer)
    }
}

impl Lane {
    /// The context is current.
    fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(Lane { halves: [Half::new(context)?, Half::new(context)?] })
    }
}

impl Half {
    fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(Half { queue: Queue::new(context)?, pinned: Pinned::new(context) })
    }

    /// Makes room for a piece of so many bytes. Nothing is under way, and the context is current.
    fn reserve(&mut self, piece: usize) -> Result<()> {
        self.pinned.room(piece).map(drop)
    }

    /// Where the half's work is enqueued.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Enqueues the copy of `from` to device address `to`, where there is room for it. Nothing that was enqueued
    /// before uses the pinned memory.
    pub fn send(&self, to: sys::CUdeviceptr, from: &[u8]) -> Result<()> {
        let room = self.pinned.len();
        for (i, part) in from.chunks(room).enumerate() {
            if i > 0 {
                self.queue.wait()?;
            }
            // SAFETY: there is room for a piece, and what was copied from it is on the device.
            let pinned = unsafe { slice::from_raw_parts_mut(self.pinned.at(), part.len()) };
            pinned.copy_from_slice(part);
            self.queue.upload(to + (i * room) as u64, pinned)?;
        }
        Ok(())
    }

    /// Lets `make` write `len` bytes, a piece at most, to pinned memory, where kernels read them. Nothing that was enqueued
    /// before uses it.
    pub fn hold(&self, len: usize, make: impl FnOnce(&mut [u8])) -> Result<sys::CUdeviceptr> {
        self.check(len)?;
        // SAFETY: there is room, and nothing else uses it.
        make(unsafe { slice::from_raw_parts_mut(self.pinned.at(), len) });
        // Memory that a driver pins has one address for all, in the one address space of host and devices.
        Ok(self.pinned.at() as sys::CUdeviceptr)
    }

    /// Enqueues the copy of `len` bytes, a piece at most, at device address `from`, where they are.
    pub fn fetch(&self, from: sys::CUdeviceptr, len: usize) -> Result<()> {
        self.check(len)?;
        // SAFETY: there is room, what was in it was copied out before, and it is kept until the copy is over.
        check("cuMemcpyDtoHAsync", unsafe {
            let pinned = slice::from_raw_parts_mut(self.pinned.at(), len);
            result::memcpy_dtoh_async(pinned, from, self.queue.handle())
        })
    }

    /// Waits for the copy of as many bytes, and gives them.
    pub fn receive(&self, to: &mut [u8]) -> Result<()> {
        self.check(to.len())?;
        self.queue.wait()?;
        // SAFETY: the copy is over, and filled as many bytes.
        to.copy_from_slice(unsafe { slice::from_raw_parts(self.pinned.at(), to.len()) });
        Ok(())
    }

    fn check(&self, len: usize) -> Result<()> {
        let room = self.pinned.len();
        if len <= room {
            return Ok(());
        }
        Err(Error::Device(format!("a copy of {len} bytes through {room} of pinned memory")))
    }

    /// Pinned memory for a piece.
    pub fn pinned(&self) -> *mut u8 {
        self.pinned.at()
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        // Nothing may be under way in memory that is freed. Where that cannot be waited for, the context is at its end.
        let _ = self.queue.wait();
    }
}

/// Bytes of a piece, and threads that copy.
pub(crate) fn shares(len: usize, threads: usize) -> (usize, usize) {
    let threads = threads.clamp(1, MOST_LANES);
    let piece = len.div_ceil(2 * threads).clamp(LEAST_PIECE, PIECE);
    // Whole pages, so that no two threads touch one: of 64 KiB at most.
    let piece = piece.next_multiple_of(64 << 10).min(PIECE);
    (piece, len.div_ceil(2 * piece).clamp(1, threads))
}

/// Bytes of a piece of an output that is made piece by piece, and threads that copy.
pub(crate) fn shares_to(out: &[u8], threads: usize) -> (usize, usize) {
    let (piece, lanes) = shares(out.len(), threads);
    match piece == PIECE && is_pinned(out) {
        true => (PINNED_OUTPUT_PIECE, out.len().div_ceil(2 * PINNED_OUTPUT_PIECE).clamp(1, lanes)),
        false => (piece, lanes),
    }
}

/// Whether the owner of this memory has pinned it.
pub(crate) fn is_pinned(memory: &[u8]) -> bool {
    let Some(last) = memory.len().checked_sub(1) else { return false };
    let known = |at: *const u8| {
        CudaMemory::at(at).ok().flatten().is_some_and(|found| found.kind() == MemoryKind::Pinned)
    };
    known(memory.as_ptr()) && known(&raw const memory[last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_suit_the_size_and_the_threads() {
        assert_eq!(shares(SMALL, 16), (LEAST_PIECE, 2));
        assert_eq!(shares(1 << 30, 16), (PIECE, 16));
        assert_eq!(shares(1 << 30, 500), (PIECE, MOST_LANES));
        assert_eq!(shares(1 << 30, 1), (PIECE, 1));
        assert_eq!(shares(1 << 30, 0), (PIECE, 1));
        for len in [SMALL, SMALL + 1, 9_999_999, (1 << 30) + 12_345] {
            for threads in 1..20 {
                let (piece, lanes) = shares(len, threads);
                assert!((LEAST_PIECE..=PIECE).contains(&piece), "{len} {threads}: {piece}");
                assert!((1..=threads.min(MOST_LANES)).contains(&lanes), "{len} {threads}: {lanes}");
            }
        }
    }
}
