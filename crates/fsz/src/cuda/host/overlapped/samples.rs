//! Boxes that a choice looks at before the field is on the device: the host gathers them, and the device fetches them to their
//! places in the field, where the rest of it arrives meanwhile. It reads them where the host has put them: copies would wait
//! for those of the field.

use std::{cell::RefCell, hint::black_box, sync::Arc};

use super::Flow;
use crate::cuda::{
    boxes::sampler::box_grid,
    host::lanes::Half,
    kernels::{
        abi::BoxGrid,
        kernel::{Kernel, Operation},
        module::{Launch, pointer},
    },
};
use crate::{
    error::{Error, Result},
    exec::Execution,
    format::{Run, TileGrid, dense::BOX},
    profile::dense::{Choice, Spread},
};

/// Boxes that are gathered at a time.
const BOXES: usize = 32;
/// Bytes of their numbers, before their elements.
const NUMBERS: usize = size_of::<u32>() * BOXES;

/// Boxes of a field that are to be brought to the device.
pub(super) struct Sample {
    grids: Arc<(TileGrid, BoxGrid)>,
    tiles: Vec<u32>,
}

/// What has been asked for: the boxes' extent, and which boxes of the field.
pub(super) type Brought = RefCell<Vec<([u64; 4], Spread)>>;

impl Flow<'_, '_> {
    /// Sees to it that boxes of `data` are on the device, with the help of other lanes. Called by the one that chooses, of which
    /// `half` is idle.
    pub(super) fn bring(
        &self,
        half: &Half,
        (data, brought): (&[u8], &Brought),
        (grid, boxes): (&TileGrid, Spread),
        run: Execution<'_>,
    ) -> Result<()> {
        let asked = (grid.axes().extent, boxes);
        if brought.borrow().contains(&asked) {
            return Ok(());
        }
        let tiles: Vec<u32> = (0..boxes.count(grid)).map(|i| boxes.tile(grid, i) as u32).collect();
        let grids = Arc::new((grid.clone(), box_grid(grid, Choice::default())?));
        let sample = |tiles: &[u32]| Sample { grids: Arc::clone(&grids), tiles: tiles.to_vec() };
        self.state().samples.extend(tiles.chunks(BOXES).map(sample));
        self.changed.notify_all();
        loop {
            run.check()?;
            let Some(sample) = self.state().take_sample() else { break };
            self.send(half, data, &sample)?;
        }
        self.wait_for_samples()?;
        brought.borrow_mut().push(asked);
        Ok(())
    }

    /// Waits until other lanes have sent what they took.
    fn wait_for_samples(&self) -> Result<()> {
        let mut state = self.state();
        while state.sending > 0 {
            if state.failed.is_some() {
                // What failed first is what is told.
                return Err(Error::Cancelled);
            }
            state = self.wait(state);
        }
        Ok(())
    }

    /// Brings a sample to the device through a half that is idle, and waits.
    pub(super) fn send(&self, half: &Half, data: &[u8], sample: &Sample) -> Result<()> {
        let Sample { grids, tiles } = sample;
        let (grid, boxes) = &**grids;
        let (coder, dtype) = (self.compression.kind.coder(), self.compression.kind.dtype);
        let room = BOX * dtype.size();
        let mut runs = Vec::new();
        let mut numbers = half.hold(NUMBERS + BOXES * room, |pinned| {
            let (numbers, elements) = pinned.split_at_mut(NUMBERS);
            let numbers = numbers.as_chunks_mut::<4>().0;
            for ((tile, number), room) in
                tiles.iter().zip(numbers).zip(elements.chunks_exact_mut(room))
            {
                *number = tile.to_le_bytes();
                runs.clear();
                runs.extend(grid.runs((*tile).into()));
                gather(data, &runs, dtype.size(), room);
            }
        })?;
        let module = self.device.kernels.compress_boxes(coder, dtype)?;
        let launch = Launch::new(tiles.len() as u64, module.shapes.gather_threads);
        let kernel = Kernel { operation: Operation::Scatter(coder), dtype };
        let (mut field, mut boxes) = (self.places.field, *boxes);
        let mut elements = numbers + NUMBERS as u64;
        let mut arguments = [
            pointer(&mut field),
            pointer(&mut boxes),
            pointer(&mut numbers),
            pointer(&mut elements),
        ];
        // SAFETY: the arguments are those of the kernel; the boxes are of the field, and behind their numbers. Where a piece
        // of the field arrives at the same time, it brings the same bytes.
        unsafe { module.launch(kernel, launch, half.queue().handle(), &mut arguments)? };
        half.queue().wait()?;
        self.state().sending -= 1;
        self.changed.notify_all();
        Ok(())
    }
}

/// Copies runs of elements of `size` bytes to `room`, one behind the other.
fn gather(data: &[u8], runs: &[Run], size: usize, mut room: &mut [u8]) {
    // Runs lie far from each other: a look at the first byte of each lets the processor fetch many at once.
    let first = runs.iter().fold(0, |all, (begin, _)| all ^ data[*begin as usize * size]);
    black_box(first);
    for &(begin, len) in runs {
        let begin = begin as usize * size;
        let (row, rest) = room.split_at_mut(len * size);
        row.copy_from_slice(&data[begin..begin + row.len()]);
        room = rest;
    }
}
