//! What a call works in, kept for the process: ADIOS2 makes operators by the step.

use std::{
    collections::BTreeMap,
    ptr, slice,
    sync::{Mutex, PoisonError},
};

use cudarc::driver::sys;
use fsz::cuda::{CudaStream, DeviceCodec, DeviceMemory};

use super::driver::{Primary, check};

/// Bytes of a pinned buffer. Two of them take turns: one is copied on the host while the other fills.
const SLOT: usize = 4 << 20;

/// Workspaces that no call is using, by device.
static IDLE: Mutex<BTreeMap<usize, Vec<Workspace>>> = Mutex::new(BTreeMap::new());

/// A CUDA stream of our own with a pinned buffer.
#[derive(Debug)]
struct Slot {
    queue: sys::CUstream,
    pinned: *mut u8,
}

/// Streams, pinned memory and device memory of one device.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub codec: DeviceCodec,
    stream: Option<DeviceMemory>,
    scratch: Option<DeviceMemory>,
    slots: Vec<Slot>,
    device: usize,
    primary: Primary,
}

// SAFETY: driver handles and pinned memory are valid on every thread, and one call at a time has them.
unsafe impl Send for Workspace {}

/// Runs `work` in a workspace of `device` with its primary context current. `work` waits for what it
/// began; a workspace in which something failed is not used again.
pub(crate) fn with<R>(
    device: usize,
    work: impl FnOnce(&mut Workspace) -> Result<R, String>,
) -> Result<R, String> {
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = idle().get_mut(&device).and_then(Vec::pop);
    let mut workspace = match taken {
        Some(workspace) => workspace,
        None => Workspace::new(device)?,
    };
    let answer = workspace.run(work)?;
    idle().entry(device).or_default().push(workspace);
    Ok(answer)
}

impl Workspace {
    fn new(device: usize) -> Result<Workspace, String> {
        let primary = Primary::retain(device)?;
        let codec = DeviceCodec::open(device).map_err(|error| error.to_string())?;
        // Whole before its parts are made, so that those made are freed when the next one fails.
        let mut made =
            Workspace { codec, stream: None, scratch: None, slots: Vec::new(), device, primary };
        for _ in 0..2 {
            let slot = {
                let _entered = made.primary.enter()?;
                Slot::new()?
            };
            made.slots.push(slot);
        }
        Ok(made)
    }

    fn run<R>(
        &mut self,
        work: impl FnOnce(&mut Workspace) -> Result<R, String>,
    ) -> Result<R, String> {
        let handle = Primary::retain(self.device)?;
        let _entered = handle.enter()?;
        work(self)
    }

    /// The CUDA stream of this workspace.
    pub fn queue(&self) -> CudaStream {
        self.slots[0].queue.cast()
    }

    /// Device memory for `stream` and `scratch` bytes.
    pub fn room(&mut self, stream: u64, scratch: u64) -> Result<(u64, u64), String> {
        let stream = grow(&mut self.stream, self.device, stream)?;
        let scratch = grow(&mut self.scratch, self.device, scratch)?;
        Ok((stream, scratch))
    }

    /// Copies `to.len()` bytes at device address `from` to the host, and waits.
    pub fn download(&self, to: &mut [u8], from: u64) -> Result<(), String> {
        let all = to.len();
        let pieces = all.div_ceil(SLOT);
        let length = |piece: usize| SLOT.min(all - piece * SLOT);
        for turn in 0..pieces + 1 {
            if turn < pieces {
                let slot = &self.slots[turn % 2];
                let at = from + (turn * SLOT) as u64;
                // SAFETY: the slot has room for a piece, its last piece was copied out the turn
                // before last, and the caller's device memory has the bytes.
                check("cuMemcpyDtoHAsync", unsafe {
                    sys::cuMemcpyDtoHAsync_v2(slot.pinned.cast(), at, length(turn), slot.queue)
                })?;
            }
            if let Some(piece) = turn.checked_sub(1) {
                let slot = &self.slots[piece % 2];
                slot.wait()?;
                let bytes = length(piece);
                // SAFETY: the copy to the slot is over, and filled as many bytes.
                let arrived = unsafe { slice::from_raw_parts(slot.pinned, bytes) };
                to[piece * SLOT..][..bytes].copy_from_slice(arrived);
            }
        }
        Ok(())
    }

    /// Copies `from` to device address `to`, and waits.
    pub fn upload(&self, to: u64, from: &[u8]) -> Result<(), String> {
        for (turn, piece) in from.chunks(SLOT).enumerate() {
            let slot = &self.slots[turn % 2];
            slot.wait()?;
            // SAFETY: the slot's last copy is over and it has room for a piece; the caller's device
            // memory has room for all.
            check("cuMemcpyHtoDAsync", unsafe {
                slot.pinned.copy_from_nonoverlapping(piece.as_ptr(), piece.len());
                let at = to + (turn * SLOT) as u64;
                sys::cuMemcpyHtoDAsync_v2(at, slot.pinned.cast(), piece.len(), slot.queue)
            })?;
        }
        self.slots.iter().try_for_each(Slot::wait)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let Ok(_entered) = self.primary.enter() else {
            return;
        };
        for slot in &self.slots {
            // SAFETY: made in `Slot::new`, and gone after this. What is under way is waited for
            // first; a failure leaves the memory to the end of the process.
            unsafe {
                let _ = sys::cuStreamSynchronize(slot.queue);
                let _ = sys::cuStreamDestroy_v2(slot.queue);
                let _ = sys::cuMemFreeHost(slot.pinned.cast());
            }
        }
    }
}

impl Slot {
    /// The context is current.
    fn new() -> Result<Slot, String> {
        let (mut queue, mut pinned) = (ptr::null_mut(), ptr::null_mut());
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: each call writes one handle or address.
        unsafe {
            check("cuStreamCreate", sys::cuStreamCreate(&mut queue, flags))?;
            let portable = sys::CU_MEMHOSTALLOC_PORTABLE;
            let made = check("cuMemHostAlloc", sys::cuMemHostAlloc(&mut pinned, SLOT, portable));
            if made.is_err() {
                let _ = sys::cuStreamDestroy_v2(queue);
            }
            made?;
        }
        Ok(Slot { queue, pinned: pinned.cast() })
    }

    fn wait(&self) -> Result<(), String> {
        // SAFETY: the stream lives as long as `self`.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.queue) })
    }
}

/// The address of `len` bytes in `memory`, which is made anew where it is too small.
fn grow(memory: &mut Option<DeviceMemory>, device: usize, len: u64) -> Result<u64, String> {
    let len = usize::try_from(len.max(16)).map_err(|_| "the block is too large")?;
    if let Some(large) = memory.as_ref().filter(|memory| memory.len() >= len) {
        return Ok(large.address());
    }
    // The old memory goes first: there may not be room for both.
    *memory = None;
    let made = DeviceMemory::new(device, len, 0).map_err(|error| error.to_string())?;
    Ok(memory.insert(made).address())
}
