//! What the device tells after each section, without a wait.

use std::slice;

use cudarc::driver::result;

use crate::cuda::{
    driver::{error::check, event::Event, workspace::Queue},
    host::lanes::Half,
    kernels::abi::Control,
};
use crate::error::Result;

/// What the device has told after each section, in pinned memory.
pub(super) struct Reports {
    at: *mut Control,
    pub events: Vec<Event>,
}

// SAFETY: the pinned memory is valid on every thread; what is written there is read once it is waited for.
unsafe impl Sync for Reports {}

impl Reports {
    /// In the pinned memory of a half, which has room for them.
    pub fn new(half: &Half, sections: usize) -> Result<Self> {
        let events = (0..sections).map(|_| Event::new()).collect::<Result<_>>()?;
        Ok(Reports { at: half.pinned().cast(), events })
    }

    /// Enqueues the copy of what is told after `section`.
    pub fn send_for(&self, section: usize, scratch: u64, queue: &Queue) -> Result<()> {
        // SAFETY: there is room for a report of each section; any bytes are one, and the scratch begins with it.
        check("cuMemcpyDtoHAsync", unsafe {
            let to = slice::from_raw_parts_mut(self.at.add(section), 1);
            result::memcpy_dtoh_async(to, scratch, queue.handle())
        })?;
        self.events[section].record(queue)
    }

    /// What was told after `section`, which has been waited for.
    pub fn read(&self, section: usize) -> Control {
        // SAFETY: any bytes are a report; the copy is over.
        unsafe { self.at.add(section).read_volatile() }
    }
}
