//! The tables of a stream that others are coded like, in memory of the devices that do so: a call then copies nothing,
//! and a CUDA graph can hold it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::cuda::{
    boxes::compress::symbol_rows,
    device::Device,
    driver::{capture::not_captured, workspace::Buffer},
};
use crate::{error::Result, profile::dense::Dense};
use cudarc::driver::sys;

/// What all compressions of one model share. Freed with the last of them: by a driver's call that waits for what is under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResidentTables(Arc<Mutex<Vec<Resident>>>);

#[derive(Debug)]
struct Resident {
    device: usize,
    _memory: Buffer,
    place: Place,
}

/// Device addresses of the coder's rows, and of the tables as a stream has them.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Place {
    pub rows: u64,
    pub tables: u64,
}

impl ResidentTables {
    /// Where they are on a device whose context is current. The first call brings them there.
    pub(in crate::cuda) fn on(
        &self,
        device: &Device,
        tables: &[u32],
        queue: sys::CUstream,
    ) -> Result<Place> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = all.iter().find(|own| own.device == device.ordinal) {
            return Ok(own.place);
        }
        not_captured(
            queue,
            "the first compression like another stream brings its tables to the device, so no CUDA graph can hold it: \
             call it once before the capture",
        )?;
        let rows = symbol_rows(&Dense::symbol_slots(tables)?);
        let mut memory = Buffer::new(&device.context);
        let at = memory.room(size_of_val(&rows[..]) + size_of_val(tables))?;
        let place = Place { rows: at, tables: at + size_of_val(&rows[..]) as u64 };
        // In a stream of the device's own: the default one may not be used while another graph is captured.
        device.work(|workspace| {
            workspace.queue.upload(place.rows, &rows)?;
            workspace.queue.upload(place.tables, tables)?;
            workspace.queue.wait()
        })?;
        all.push(Resident { device: device.ordinal, _memory: memory, place });
        Ok(place)
    }
}
