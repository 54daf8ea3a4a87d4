//! An open file or stream, and its steps.

use std::{
    collections::{HashMap, HashSet},
    fmt, fs, mem,
    path::{Path, PathBuf},
    process,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use adios2_sys as sys;

use crate::{
    Error, Io, Result, StepBlocks, VariableInfo,
    call::{check, read_string, take_names},
    steps::{self, Visit},
    variable,
};

/// How an engine is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Write a new file or stream, replacing what was there.
    Write,
    /// Write further steps to a file.
    Append,
    /// Read step by step, as a stream arrives; see [`Step::Current`](crate::Step::Current).
    Read,
    /// Read a file with all its steps at hand; see [`Step::At`](crate::Step::At).
    ReadRandomAccess,
}

impl Mode {
    /// For an ADIOS2 that has a mode for random access, or not: BP4, which is all that 2.8 can read so, has all steps
    /// at hand as long as none is begun.
    pub(crate) fn raw(self, has_random_access: bool) -> sys::adios2_mode {
        match self {
            Mode::Write => sys::adios2_mode_write,
            Mode::Append => sys::adios2_mode_append,
            Mode::ReadRandomAccess if has_random_access => sys::adios2_mode_readRandomAccess,
            Mode::Read | Mode::ReadRandomAccess => sys::adios2_mode_read,
        }
    }

    pub(crate) fn is_reader(self) -> bool {
        matches!(self, Mode::Read | Mode::ReadRandomAccess)
    }
}

/// What [`Engine::begin_step`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepStatus {
    /// The step is open.
    Ready,
    /// No step yet; try again.
    NotReady,
    /// There will be no further step.
    EndOfStream,
}

/// An open file or stream. Dropping it closes it; [`Engine::close`] also reports errors.
pub struct Engine {
    pub(crate) io: Io,
    pub(crate) raw: *mut sys::adios2_engine,
    pub(crate) mode: Mode,
    kind: String,
    path: PathBuf,
    /// What a second reader found in the file; None where it failed.
    visits: OnceLock<Option<HashMap<String, Vec<Visit>>>>,
    open: bool,
    /// A BP5 file in which no step is finished: ADIOS2 crashes when it closes one (seen in 2.12.1).
    without_steps: bool,
    /// Set when a write or deferred transfers failed: ADIOS2 may still hold pointers into buffers that
    /// are gone, or half an entry of a variable, so it must never be given the chance to use them.
    pub(crate) broken: AtomicBool,
    /// Variables of a BP4 reader of which a read failed: ADIOS2 keeps the failed request, with its
    /// pointer, and would serve it again with the next one.
    pub(crate) failed: Mutex<HashSet<String>>,
    /// The variable and step with all steps at hand whose ADIOS2 blocks were listed last: of thousands a list takes ADIOS2
    /// milliseconds, and to read one of them takes one.
    pub(crate) listed: Mutex<Option<(String, u64, Arc<StepBlocks>)>>,
}

// SAFETY: `raw` is owned by the context, which `io` keeps alive, and is used under the context's
// lock only.
unsafe impl Send for Engine {}
// SAFETY: as above.
unsafe impl Sync for Engine {}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("io", &self.io.name)
            .field("kind", &self.kind)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// `without_index`: the file had no index of its steps before it was opened.
    pub(crate) fn new(
        io: Io,
        raw: *mut sys::adios2_engine,
        path: PathBuf,
        mode: Mode,
        without_index: bool,
    ) -> Result<Engine> {
        let one = io.context.lock();
        let kind = read_string("reading the engine type", |buffer, size| {
            // SAFETY: the engine was just opened; the lock is held; the buffer fits `size`.
            unsafe { io.context.api.adios2_engine_get_type(buffer, size, raw) }
        });
        drop(one);
        let broken = AtomicBool::new(false);
        let (failed, listed) = (Mutex::default(), Mutex::default());
        let (kind, open) = (kind?, true);
        let without_steps = without_index && kind == "BP5Reader";
        let visits = OnceLock::new();
        Ok(Engine {
            io,
            raw,
            mode,
            kind,
            path,
            visits,
            open,
            without_steps,
            broken,
            failed,
            listed,
        })
    }

    /// The engine type as ADIOS2 names it, for instance `BP5Writer` or `BP4Reader`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// BP5 and SST, and whatever else keeps its metadata in that form. BP4 and BP3 record no
    /// minimum and maximum where the C API sees them, and are less robust in several ways.
    pub(crate) fn is_modern(&self) -> bool {
        !self.kind.starts_with("BP4") && !self.kind.starts_with("BP3")
    }

    /// The steps of a file in which a variable was written, as a reader finds them that goes from step to
    /// step; None where they cannot be read.
    pub(crate) fn visits(&self, name: &str) -> Option<&[Visit]> {
        let engine = self.kind.trim_end_matches("Reader");
        let visits = self.visits.get_or_init(|| steps::visit(&self.path, engine).ok());
        visits.as_ref()?.get(name).map(Vec::as_slice)
    }

    /// The group of variables and attributes that this engine serves.
    pub fn io(&self) -> &Io {
        &self.io
    }

    /// Takes the context's lock, unless the engine must not be used any more.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, ()>> {
        if self.broken.load(Ordering::Acquire) {
            return Err(Error::Unsupported(
                "this engine is unusable since a transfer failed: open it again".into(),
            ));
        }
        Ok(self.io.context.lock())
    }

    /// Begins a step. A `timeout` of None waits without limit.
    ///
    /// # Errors
    /// [`Error::Call`], also when the stream broke.
    pub fn begin_step(&mut self, timeout: Option<Duration>) -> Result<StepStatus> {
        let seconds = timeout.map_or(-1.0, |timeout| timeout.as_secs_f32());
        let step_mode = if self.mode.is_reader() {
            sys::adios2_step_mode_read
        } else {
            sys::adios2_step_mode_append
        };
        let doing = || "beginning a step".to_owned();
        let mut status = sys::adios2_step_status_other_error;
        let _one = self.lock()?;
        // SAFETY: the engine is open and locked; the output is a local.
        let code = unsafe {
            self.io.context.api.adios2_begin_step(self.raw, step_mode, seconds, &mut status)
        };
        check(code, doing)?;
        match status {
            sys::adios2_step_status_ok => Ok(StepStatus::Ready),
            sys::adios2_step_status_not_ready => Ok(StepStatus::NotReady),
            sys::adios2_step_status_end_of_stream => Ok(StepStatus::EndOfStream),
            _ => Err(Error::Call { doing: doing(), failure: crate::CallFailure::Other }),
        }
    }

    /// Ends the step: a writer writes it out, a reader releases it.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn end_step(&mut self) -> Result<()> {
        let _one = self.lock()?;
        // SAFETY: the engine is open and locked.
        let code = unsafe { self.io.context.api.adios2_end_step(self.raw) };
        check(code, || "ending a step".to_owned())
    }

    /// The current step, counted from 0.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn current_step(&self) -> Result<u64> {
        let _one = self.lock()?;
        self.current_step_locked()
    }

    pub(crate) fn current_step_locked(&self) -> Result<u64> {
        let mut step = 0usize;
        // SAFETY: the engine is open and locked; the output is a local.
        let code = unsafe { self.io.context.api.adios2_current_step(&mut step, self.raw) };
        check(code, || "asking for the current step".to_owned())?;
        Ok(step as u64)
    }

    /// The number of steps of a file opened for reading.
    ///
    /// # Errors
    /// [`Error::Call`] for engines that cannot know, such as a stream.
    pub fn steps(&self) -> Result<u64> {
        let _one = self.lock()?;
        self.steps_locked()
    }

    pub(crate) fn steps_locked(&self) -> Result<u64> {
        let mut steps = 0usize;
        // SAFETY: the engine is open and locked; the output is a local.
        let code = unsafe { self.io.context.api.adios2_steps(&mut steps, self.raw) };
        check(code, || "counting the steps".to_owned())?;
        Ok(steps as u64)
    }

    /// All variables of the file (random access) or of the current step (streaming).
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn variables(&self) -> Result<Vec<VariableInfo>> {
        let _one = self.lock()?;
        let mut size = 0usize;
        // SAFETY: the IO is alive and locked; the list and its strings come from malloc and are
        // ours.
        let names = unsafe {
            let names = self.io.context.api.adios2_available_variables(self.io.raw, &mut size);
            take_names(names, size)
        };
        names
            .iter()
            .map(|name| variable::describe(&self.io, variable::inquire(&self.io, name)?))
            .collect()
    }

    /// One variable by its name.
    ///
    /// # Errors
    /// [`Error::NoSuchVariable`], [`Error::Call`].
    pub fn variable(&self, name: &str) -> Result<VariableInfo> {
        let _one = self.lock()?;
        variable::describe(&self.io, variable::inquire(&self.io, name)?)
    }

    /// Closes the file or stream. A writer's last step is complete after this.
    ///
    /// # Errors
    /// [`Error::Call`]; the engine is closed in any case.
    pub fn close(mut self) -> Result<()> {
        self.close_once()
    }

    fn close_once(&mut self) -> Result<()> {
        if !mem::replace(&mut self.open, false) {
            return Ok(());
        }
        if self.without_steps || self.broken.load(Ordering::Acquire) {
            // Closing, or destroying the context, could use what must not be used: keep both.
            mem::forget(Arc::clone(&self.io.context));
            return Ok(());
        }
        let _one = self.io.context.lock();
        // SAFETY: the engine is open and locked, and `open` is false from now on.
        let code = unsafe { self.io.context.api.adios2_close(self.raw) };
        if self.kind == "BP5Reader" {
            remove_profile(&self.path);
        }
        check(code, || format!("closing the engine of {:?}", self.io.name))
    }
}

/// Removes the file of its times that a reader of BP5 leaves in `/tmp` whatever it is told (seen of ADIOS2
/// 2.10.2 to 2.12.1).
fn remove_profile(path: &Path) {
    if let Some(name) = path.file_name() {
        let mut file = name.to_owned();
        file.push(format!("_{:x}_profiling.json", process::id()));
        // There is none of other versions.
        let _ = fs::remove_file(Path::new("/tmp").join(file));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A failure cannot be reported from here; ADIOS2 has printed it.
        let _ = self.close_once();
    }
}
