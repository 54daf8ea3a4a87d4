//! The processes that share the box. Without MPI there is one.

use std::{
    ffi::{CString, OsStr, c_char, c_int, c_void},
    fmt,
    ops::Range,
    path::Path,
    rc::Rc,
};

use adios2::Adios;
use anyhow::{Context, bail, ensure};
use libloading::Library;

/// This process among all of them.
#[derive(Clone)]
pub struct Ranks {
    mpi: Option<Rc<Mpi>>,
    rank: usize,
    size: usize,
    /// The same on this machine.
    node_rank: usize,
    node_size: usize,
}

impl Ranks {
    /// One process alone.
    pub fn alone() -> Ranks {
        Ranks { mpi: None, rank: 0, size: 1, node_rank: 0, node_size: 1 }
    }

    /// Starts MPI by `library`, which `mpi/ranks.c` was made into.
    pub fn start(library: &OsStr) -> anyhow::Result<Ranks> {
        let name = Path::new(library).display().to_string();
        // SAFETY: the library is the one that the user built for this; loading MPI has no other needs.
        let mpi = unsafe { Mpi::load(library) }
            .with_context(|| format!("{name} cannot be used; mpi/ranks.c says how it is built"))?;
        let mut numbers = [0 as c_int; 4];
        let [rank, size, node_rank, node_size] = &mut numbers;
        // SAFETY: MPI is started once, by the main thread; the outputs are locals.
        check("MPI_Init", unsafe { (mpi.start)(rank, size, node_rank, node_size) })?;
        let [rank, size, node_rank, node_size] = numbers.map(|n| n.unsigned_abs() as usize);
        Ok(Ranks { mpi: Some(Rc::new(mpi)), rank, size, node_rank, node_size })
    }

    /// This process's number, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Its number on this machine, and how many there are.
    pub fn on_node(&self) -> (usize, usize) {
        (self.node_rank, self.node_size)
    }

    /// Of `planes` planes, those of this process: as many on each, or one more on the first ones.
    pub fn share(&self, planes: usize) -> anyhow::Result<Range<usize>> {
        ensure!(
            planes >= self.size,
            "{planes} planes are too few for {} processes: give --size a larger first number",
            self.size
        );
        let begin = |rank: usize| rank * (planes / self.size) + rank.min(planes % self.size);
        Ok(begin(self.rank)..begin(self.rank + 1))
    }

    /// ADIOS2 for all processes together.
    pub fn adios(&self, config: Option<&Path>) -> anyhow::Result<Adios> {
        let Some(mpi) = &self.mpi else {
            return Ok(match config {
                Some(config) => Adios::with_config(config)?,
                None => Adios::new()?,
            });
        };
        let config =
            config.map(|path| CString::new(path.to_string_lossy().as_bytes())).transpose()?;
        // The library must be the one that this crate calls.
        adios2::library_path()?;
        // SAFETY: null or a string that outlives the call; nobody else has the context.
        Ok(unsafe {
            Adios::from_raw((mpi.adios2)(config.as_ref().map_or(std::ptr::null(), |c| c.as_ptr())))
        }?)
    }

    /// The largest of each number over all processes.
    pub fn largest<const N: usize>(&self, mut values: [f64; N]) -> anyhow::Result<[f64; N]> {
        if let Some(mpi) = &self.mpi {
            // SAFETY: as many numbers as said.
            check("MPI_Allreduce", unsafe { (mpi.largest)(values.as_mut_ptr(), N as c_int) })?;
        }
        Ok(values)
    }

    /// Fills the first and the last plane of `field` with the neighbours' planes, around the box.
    pub fn exchange<T: Copy>(&self, field: &mut [T], plane: usize) -> anyhow::Result<()> {
        let end = field.len();
        let Some(mpi) = self.mpi.as_ref().filter(|_| self.size > 1) else {
            field.copy_within(plane..2 * plane, end - plane);
            field.copy_within(end - 2 * plane..end - plane, 0);
            return Ok(());
        };
        let bytes = c_int::try_from(plane * size_of::<T>())
            .context("a plane is too large: give --size smaller second and third numbers")?;
        let (above, below) = ((self.rank + 1) % self.size, (self.rank + self.size - 1) % self.size);
        for (out, to, into, from) in
            [(end - 2 * plane, above, 0, below), (plane, below, end - plane, above)]
        {
            let field = field.as_mut_ptr();
            // SAFETY: both planes are in the field, apart from each other (it has three or more), and of
            // numbers without padding.
            let code = unsafe {
                let (out, into) = (field.add(out), field.add(into));
                (mpi.exchange)(out.cast(), to as c_int, into.cast(), from as c_int, bytes)
            };
            check("MPI_Sendrecv", code)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.size)
    }
}

/// The functions of `mpi/ranks.c`.
struct Mpi {
    start: unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int,
    adios2: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    largest: unsafe extern "C" fn(*mut f64, c_int) -> c_int,
    exchange: unsafe extern "C" fn(*const c_void, c_int, *mut c_void, c_int, c_int) -> c_int,
    end: unsafe extern "C" fn() -> c_int,
    /// Keeps them there.
    _library: Library,
}

impl Mpi {
    /// # Safety
    /// `library` is made of `mpi/ranks.c`.
    unsafe fn load(library: &OsStr) -> Result<Mpi, libloading::Error> {
        // SAFETY: the caller vouches for what is loaded, so the types are those of the source.
        unsafe {
            let library = Library::new(library)?;
            Ok(Mpi {
                start: *library.get(b"ranks_start")?,
                adios2: *library.get(b"ranks_adios2")?,
                largest: *library.get(b"ranks_largest")?,
                exchange: *library.get(b"ranks_exchange")?,
                end: *library.get(b"ranks_end")?,
                _library: library,
            })
        }
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        // SAFETY: MPI was started, and whoever used it is gone.
        unsafe { (self.end)() };
    }
}

fn check(call: &str, code: c_int) -> anyhow::Result<()> {
    if code != 0 {
        bail!("{call} failed with code {code}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_shared_without_gaps() {
        for (planes, size) in [(1, 1), (7, 3), (8, 8), (13, 4)] {
            let mut next = 0;
            for rank in 0..size {
                let ranks = Ranks { rank, size, ..Ranks::alone() };
                let mine = ranks.share(planes).unwrap();
                assert_eq!(mine.start, next);
                assert!(!mine.is_empty());
                next = mine.end;
            }
            assert_eq!(next, planes);
        }
        let ranks = Ranks { size: 3, ..Ranks::alone() };
        assert!(ranks.share(2).unwrap_err().to_string().contains("--size"));
    }

    #[test]
    fn alone_the_box_meets_itself() {
        let mut field = [0, 1, 2, 3, 0];
        Ranks::alone().exchange(&mut field, 1).unwrap();
        assert_eq!(field, [3, 1, 2, 3, 1]);
    }
}
