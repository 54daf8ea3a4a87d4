//! A CUDA driver without a GPU, for the tests of FSZ's kernels on machines that have none.
//!
//! In a file named `libcuda.so`, it takes the driver's place for programs that load that at run time: it reads the PTX that
//! they give it and executes it on the CPU, all lanes of a warp together. It is stricter than a device where that
//! finds errors:
//!
//! - Every access must be within an allocation and aligned; new memory, shared memory and registers hold no zeros.
//! - Nothing holds the lanes of a warp together but the instructions that name them (`shfl.sync`, `bar.warp.sync`),
//!   and a wait that can never end is an error.
//! - Work in a stream is done when something waits for it, and not before; `cp.async` copies when it is waited for.
//! - A launch that may begin before the one before it in its stream has ended does so, and goes as far as it can.
//! - What may not be done while a graph is captured, by the modes of capture and thread, is refused and ends the capture.
//!
//! It knows the instructions that `nvcc` makes of `cuda/` and no others; textures, clusters and several devices are not
//! there. Its compute capability is 8.0, or 9.0 with `FSZ_EMULATOR_CAPABILITY=90`. What it cannot show is a race between threads that its order of
//! execution does not meet, though `FSZ_EMULATOR_SEED=N` gives another order for each `N`; and how fast anything is:
//! `FSZ_EMULATOR_LOG=1` prints how many instructions each launch executes.

mod driver;
mod ptx;
mod run;
