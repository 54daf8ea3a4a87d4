//! A group of variables and attributes with one engine type.

use std::{fmt, fs, marker::PhantomData, path::Path, sync::Arc};

use adios2_sys as sys;

use crate::{
    Element, Engine, Error, Layout, Mode, Result, Variable, before_2_9,
    call::{c_sizes, c_string, check, check_pointer},
    context::{Context, lock_operator_table},
    cut_short, library,
};

/// A group of variables, attributes and engine settings: the unit that is opened as a file or a
/// stream. Cheap to clone; clones are the same group.
#[derive(Clone)]
pub struct Io {
    pub(crate) context: Arc<Context>,
    pub(crate) raw: *mut sys::adios2_io,
    pub(crate) name: String,
}

// SAFETY: `raw` is owned by the context, which `context` keeps alive, and is used under the
// context's lock only.
unsafe impl Send for Io {}
// SAFETY: as above.
unsafe impl Sync for Io {}

impl fmt::Debug for Io {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Io").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Io {
    pub(crate) fn new(context: Arc<Context>, raw: *mut sys::adios2_io, name: &str) -> Io {
        Io { context, raw, name: name.to_owned() }
    }

    /// Chooses the engine: `BP5` (the default), `BP4`, `SST`.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn set_engine(&self, engine: &str) -> Result<()> {
        let c_engine = c_string(engine)?;
        let _one = self.context.lock();
        // SAFETY: the IO is alive and locked; ADIOS2 copies the string.
        let code = unsafe { self.context.api.adios2_set_engine(self.raw, c_engine.as_ptr()) };
        check(code, || format!("choosing the engine {engine}"))
    }

    /// Sets one engine parameter, such as `StatsLevel`.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn set_parameter(&self, key: &str, value: &str) -> Result<()> {
        let (c_key, c_value) = (c_string(key)?, c_string(value)?);
        let _one = self.context.lock();
        // SAFETY: the IO is alive and locked; ADIOS2 copies both strings.
        let code = unsafe {
            self.context.api.adios2_set_parameter(self.raw, c_key.as_ptr(), c_value.as_ptr())
        };
        check(code, || format!("setting the parameter {key}={value}"))
    }

    /// Defines a variable for writing. Operators that the configuration file attaches to it are
    /// created here at the latest.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for extents that do not fit each other, [`Error::Call`] for a
    /// name that is taken.
    pub fn define_variable<T: Element>(&self, name: &str, layout: &Layout) -> Result<Variable<T>> {
        const NONE: &[u64] = &[];
        let (shape, start, count) = match layout {
            Layout::Value => (NONE, NONE, NONE),
            Layout::Local { count } => (NONE, NONE, count.as_slice()),
            Layout::Global { shape, start, count } => {
                if start.len() != shape.len() || count.len() != shape.len() {
                    return Err(Error::InvalidArgument(format!(
                        "{name:?}: shape {shape:?}, start {start:?} and count {count:?} differ in \
                         length"
                    )));
                }
                (shape.as_slice(), start.as_slice(), count.as_slice())
            }
        };
        let c_name = c_string(name)?;
        let (shape, start, count) = (c_sizes(shape)?, c_sizes(start)?, c_sizes(count)?);
        // ADIOS2 tells the kinds of shape apart by which lists are null.
        let pointer = |list: &Vec<usize>| {
            if list.is_empty() { std::ptr::null() } else { list.as_ptr() }
        };
        let _one = self.context.lock();
        let _operators = lock_operator_table();
        // SAFETY: the IO is alive and locked; each non-null list has `count.len()` entries; ADIOS2
        // copies name and lists.
        let raw = unsafe {
            self.context.api.adios2_define_variable(
                self.raw,
                c_name.as_ptr(),
                T::RAW,
                count.len(),
                pointer(&shape),
                pointer(&start),
                pointer(&count),
                sys::adios2_constant_dims_false,
            )
        };
        check_pointer(raw, || format!("defining the variable {name:?}"))?;
        Ok(Variable { name: name.to_owned(), element: PhantomData })
    }

    /// Opens a file or stream. An `Io` may have one engine of a name open at a time.
    ///
    /// # Errors
    /// [`Error::Call`] when it is missing, not readable, or not of this engine, [`Error::CutShort`] when a part of it is
    /// missing without which ADIOS2 would crash, [`Error::Unsupported`] for what ADIOS2 2.8 cannot read.
    pub fn open(&self, path: impl AsRef<Path>, mode: Mode) -> Result<Engine> {
        let path = path.as_ref();
        let c_path = c_string(&path.to_string_lossy())?;
        let has_random_access = library::has_random_access()?;
        if !has_random_access && mode.is_reader() {
            before_2_9::check(path, mode)?;
        }
        if mode == Mode::ReadRandomAccess {
            cut_short::check(path)?;
        }
        // As a program leaves it that ends in its first step. Where steps are awaited, opening waits for the first.
        let without_index = mode == Mode::ReadRandomAccess
            && fs::metadata(path.join("md.idx")).is_ok_and(|index| index.len() == 0);
        let one = self.context.lock();
        let raw_mode = mode.raw(has_random_access);
        // SAFETY: the IO is alive and locked; ADIOS2 copies the name and owns the engine.
        let raw = unsafe { self.context.api.adios2_open(self.raw, c_path.as_ptr(), raw_mode) };
        let raw = check_pointer(raw, || format!("opening {}", path.display()))?;
        drop(one);
        Engine::new(self.clone(), raw, path.to_owned(), mode, without_index)
    }
}
