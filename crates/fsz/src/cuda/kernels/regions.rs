//! The module of regions, whose kernels serve all profiles: loading it, and how its kernels are launched.

use cudarc::driver::sys;

use crate::cuda::kernels::{
    abi::{FillState, Filling, Gap, Missing, Move, Shared},
    kernel::{Kernel, Operation},
    module::{Kernels, Launch, Module, of_type, other_version, pointer},
    part::Part,
};
use crate::{dtype::DType, error::Result, with_element};

const OPERATIONS: [Operation; 8] = [
    Operation::MoveElements,
    Operation::MarkGaps,
    Operation::FindFirst,
    Operation::FillGaps,
    Operation::FindSources,
    Operation::CarrySources,
    Operation::FillOpen,
    Operation::SumRows,
];
/// Elements of a move or a gap at most: a warp takes one.
pub(crate) const SHARE: usize = 1 << 10;
const WARP: u64 = 32;

/// How the structs lie in memory that a driver shares with the module.
fn layouts(dtype: DType) -> [&'static [u32]; 5] {
    let (missing, filling) =
        with_element!(dtype, T => (Missing::<T>::LAYOUT, Filling::<T>::LAYOUT));
    [Move::LAYOUT, Gap::LAYOUT, FillState::LAYOUT, missing, filling]
}

/// How the kernels of regions are launched: `fsz_shapes` of their module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionShapes {
    threads: u32,
}

impl RegionShapes {
    /// With a thread to each of `all`.
    pub fn threads(&self, all: u64) -> Launch {
        Launch::new(all.div_ceil(self.threads.into()).max(1), self.threads)
    }

    /// With a warp to each of `all`.
    pub fn warps(&self, all: u64) -> Launch {
        self.threads(all * WARP)
    }

    /// For kernels of any grid on `all` of something: as many threads as have something to do, at most enough for so many
    /// multiprocessors.
    pub fn any(&self, all: u64, multiprocessors: u32) -> Launch {
        let launch = self.threads(all);
        Launch { grid: launch.grid.min(8 * u64::from(multiprocessors)), ..launch }
    }
}

impl Kernels {
    /// The module of regions. The context is current.
    pub fn regions(&self, dtype: DType) -> Result<&Module<RegionShapes>> {
        self.once(of_type(&self.regions, dtype), || {
            let (image, words) = self.open(Part::Regions(dtype), &layouts(dtype))?;
            let &[threads] = &words[..] else { return Err(other_version()) };
            Ok(Module::new(image, &OPERATIONS, dtype, RegionShapes { threads }))
        })
    }
}

/// Moves of `len` elements side by side, none longer than a warp should take.
pub(crate) fn moves(from: usize, to: usize, len: usize) -> impl Iterator<Item = Move> {
    (0..len).step_by(SHARE).map(move |at| Move {
        from: (from + at) as u64,
        to: (to + at) as u64,
        len: (len - at).min(SHARE) as u64,
    })
}

impl Module<RegionShapes> {
    /// Enqueues `count` moves, a list in device memory, from one place to another.
    ///
    /// # Safety
    /// All of it is device memory of the current context, and has what the moves say, until the queue is past the launch.
    pub unsafe fn move_elements(
        &self,
        dtype: DType,
        (mut from, mut to): (u64, u64),
        (mut list, mut count): (u64, u64),
        queue: sys::CUstream,
    ) -> Result<()> {
        let kernel = Kernel { operation: Operation::MoveElements, dtype };
        let arguments =
            &mut [pointer(&mut from), pointer(&mut to), pointer(&mut list), pointer(&mut count)];
        // SAFETY: the arguments are those of the kernel; the caller vouches for the memory.
        unsafe { self.launch(kernel, self.shapes.warps(count), queue, arguments) }
    }
}
