//! Reading values of variables.

use std::{
    marker::PhantomData,
    sync::{PoisonError, atomic::Ordering},
};

use adios2_sys as sys;
use bytemuck::allocation::try_zeroed_vec;

use crate::{
    Element, Engine, Error, Result, ShapeKind,
    call::{c_sizes, check, element_count},
    context::lock_operator_table,
    variable,
};

/// Which step a read is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The step that [`Engine::begin_step`] opened, in [`Mode::Read`](crate::Mode::Read).
    Current,
    /// The n-th step, from 0, in which the variable was written, in
    /// [`Mode::ReadRandomAccess`](crate::Mode::ReadRandomAccess).
    At(u64),
}

/// Which elements a read is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Selection {
    /// A whole global array or value. A local array has no whole; with a single ADIOS2 block, that
    /// block.
    All,
    /// A box of a global array.
    Box {
        /// First element.
        start: Vec<u64>,
        /// Extents.
        count: Vec<u64>,
    },
    /// One ADIOS2 block.
    Block(u64),
    /// A box inside one ADIOS2 block, relative to its first element. In a global array whose ADIOS2
    /// blocks overlap, the values are those of the array at that place.
    BlockBox {
        /// The ADIOS2 block.
        block: u64,
        /// First element, counted from the first of the ADIOS2 block.
        start: Vec<u64>,
        /// Extents.
        count: Vec<u64>,
    },
}

impl Engine {
    /// Reads the selected elements in C order.
    ///
    /// # Errors
    /// [`Error::NoSuchVariable`], [`Error::WrongType`], [`Error::OutOfRange`] for a step, ADIOS2
    /// block or box that is not there, [`Error::Call`] when ADIOS2 or an operator fails, for
    /// instance on corrupt data.
    pub fn read<T: Element>(
        &self,
        name: &str,
        step: Step,
        selection: &Selection,
    ) -> Result<Vec<T>> {
        let _one = self.lock()?;
        let (raw, elements) = self.select::<T>(name, step, selection)?;
        let mut values = zeros(name, elements)?;
        self.get(raw, name, &mut values, sys::adios2_mode_sync)?;
        Ok(values)
    }

    /// Reads the selected elements in C order into `out`.
    ///
    /// # Errors
    /// As [`Engine::read`], and [`Error::InvalidArgument`] when `out` has another length.
    pub fn read_into<T: Element>(
        &self,
        name: &str,
        step: Step,
        selection: &Selection,
        out: &mut [T],
    ) -> Result<()> {
        let _one = self.lock()?;
        let (raw, elements) = self.select::<T>(name, step, selection)?;
        check_length(name, elements, out.len())?;
        self.get(raw, name, out, sys::adios2_mode_sync)
    }

    /// Reads several variables, steps or selections at once, which lets ADIOS2 order and overlap
    /// the work. All buffers are filled when this returns.
    ///
    /// # Errors
    /// The closure's error, or [`Error::Call`]. If the deferred work itself fails the engine
    /// becomes unusable: open the file again.
    pub fn get_batch<'data, R>(
        &self,
        fill: impl FnOnce(&mut GetBatch<'_, 'data>) -> Result<R>,
    ) -> Result<R> {
        let mut batch = GetBatch { engine: self, finished: false, data: PhantomData };
        let filled = fill(&mut batch);
        let performed = batch.perform();
        let result = filled?;
        performed.map(|()| result)
    }

    /// Applies step and selection; returns the variable and the number of elements selected. The
    /// caller holds the lock until after the get.
    fn select<T: Element>(
        &self,
        name: &str,
        step: Step,
        selection: &Selection,
    ) -> Result<(*mut sys::adios2_variable, usize)> {
        if self.failed.lock().unwrap_or_else(PoisonError::into_inner).contains(name) {
            return Err(Error::Unsupported(format!(
                "a read of {name:?} failed before, and BP4 would repeat it: open the file again"
            )));
        }
        let raw = variable::inquire_typed::<T>(&self.io, name)?;
        self.select_step(raw, name, step)?;
        let kind = variable::describe(&self.io, raw)?.kind;
        let is_array = matches!(kind, ShapeKind::GlobalArray | ShapeKind::JoinedArray);
        match (kind, selection) {
            (ShapeKind::GlobalValue, Selection::All) => Ok((raw, 1)),
            (_, Selection::All) if is_array || kind == ShapeKind::LocalValue => {
                let shape = self.shape_of(raw, kind, step)?;
                self.select_box(raw, name, &vec![0; shape.len()], &shape)
            }
            (_, Selection::Box { start, count }) if is_array || kind == ShapeKind::LocalValue => {
                let shape = self.shape_of(raw, kind, step)?;
                check_box(name, "the array", &shape, start, count)?;
                self.select_box(raw, name, start, count)
            }
            (ShapeKind::LocalArray, Selection::All) => self.select_block(raw, name, step, None),
            (_, Selection::Block(block)) if kind != ShapeKind::GlobalValue => {
                self.select_block(raw, name, step, Some(*block))
            }
            (_, Selection::BlockBox { block, start, count }) if kind != ShapeKind::GlobalValue => {
                let info = self.block_of(raw, name, step, Some(*block))?;
                check_box(name, "the ADIOS2 block", &info.count, start, count)?;
                match info.start {
                    Some(origin) => {
                        let start: Vec<_> = origin.iter().zip(start).map(|(o, s)| o + s).collect();
                        self.select_box(raw, name, &start, count)
                    }
                    None => {
                        self.set_block(raw, name, info.id)?;
                        self.select_box(raw, name, start, count)
                    }
                }
            }
            (ShapeKind::LocalArray, _) => Err(Error::InvalidArgument(format!(
                "{name:?} consists of local arrays: choose a part of one of its ADIOS2 blocks"
            ))),
            _ => Err(Error::InvalidArgument(format!(
                "{name:?} is a single value, of which no part can be chosen"
            ))),
        }
    }

    /// The extents of the whole at the selected step.
    fn shape_of(
        &self,
        raw: *mut sys::adios2_variable,
        kind: ShapeKind,
        step: Step,
    ) -> Result<Vec<u64>> {
        // Only with all steps at hand BP5 may tell another step's.
        if kind != ShapeKind::LocalValue && matches!(step, Step::At(_)) && self.is_modern() {
            return Ok(self.blocks_locked(raw, step)?.shape.clone());
        }
        variable::shape(&self.io, raw)
    }

    fn select_box(
        &self,
        raw: *mut sys::adios2_variable,
        name: &str,
        start: &[u64],
        count: &[u64],
    ) -> Result<(*mut sys::adios2_variable, usize)> {
        let elements = element_count(count)?;
        let (start, count) = (c_sizes(start)?, c_sizes(count)?);
        // SAFETY: the variable is alive and locked; both lists have `count.len()` entries and are
        // copied.
        let code = unsafe {
            self.io.context.api.adios2_set_selection(
                raw,
                count.len(),
                start.as_ptr(),
                count.as_ptr(),
            )
        };
        check(code, || format!("selecting a box of {name:?}"))?;
        Ok((raw, elements))
    }

    fn select_block(
        &self,
        raw: *mut sys::adios2_variable,
        name: &str,
        step: Step,
        block: Option<u64>,
    ) -> Result<(*mut sys::adios2_variable, usize)> {
        let info = self.block_of(raw, name, step, block)?;
        self.set_block(raw, name, info.id)?;
        if info.start.is_none() {
            // BP4 would keep the start of an earlier box inside a local array.
            return self.select_box(raw, name, &vec![0; info.count.len()], &info.count);
        }
        Ok((raw, element_count(&info.count)?))
    }

    fn set_block(&self, raw: *mut sys::adios2_variable, name: &str, block: u64) -> Result<()> {
        // SAFETY: the variable is alive and locked.
        let code = unsafe { self.io.context.api.adios2_set_block_selection(raw, block as usize) };
        check(code, || format!("selecting ADIOS2 block {block} of {name:?}"))
    }

    /// The ADIOS2 block of a number; without one, the only one.
    fn block_of(
        &self,
        raw: *mut sys::adios2_variable,
        name: &str,
        step: Step,
        block: Option<u64>,
    ) -> Result<crate::BlockInfo> {
        let listed = self.blocks_locked(raw, step)?;
        let total = listed.blocks.len();
        let index = match block {
            None if total == 1 => 0,
            None => {
                return Err(Error::InvalidArgument(format!(
                    "{name:?} is a local array of {total} ADIOS2 blocks: choose one"
                )));
            }
            Some(block) => usize::try_from(block).unwrap_or(usize::MAX),
        };
        if index >= total {
            return Err(Error::OutOfRange(format!(
                "{name:?} has {total} ADIOS2 blocks at this step, so there is no block {index}"
            )));
        }
        Ok(listed.blocks[index].clone())
    }

    /// The get itself. The caller holds the lock and has selected `out.len()` elements.
    fn get<T: Element>(
        &self,
        raw: *mut sys::adios2_variable,
        name: &str,
        out: &mut [T],
        launch: sys::adios2_mode,
    ) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let _operators = lock_operator_table();
        // SAFETY: engine and variable are alive and locked; `out` has room for the selection and
        // any bytes are a value of `T`. A synchronous launch is done with `out` on return; a
        // deferred one comes from a GetBatch, which performs it within the buffer's lifetime.
        let code = unsafe {
            self.io.context.api.adios2_get(self.raw, raw, out.as_mut_ptr().cast(), launch)
        };
        let read = check(code, || format!("reading {name:?}"));
        if read.is_err() && !self.is_modern() {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        }
        read
    }
}

/// Reads that ADIOS2 may defer to the end of the batch; [`Engine::get_batch`] makes it.
#[derive(Debug)]
pub struct GetBatch<'engine, 'data> {
    engine: &'engine Engine,
    finished: bool,
    data: PhantomData<&'data mut ()>,
}

impl<'data> GetBatch<'_, 'data> {
    /// As [`Engine::read_into`], deferred: `out` is filled when the batch returns.
    ///
    /// # Errors
    /// As [`Engine::read_into`].
    pub fn read_into<T: Element>(
        &mut self,
        name: &str,
        step: Step,
        selection: &Selection,
        out: &'data mut [T],
    ) -> Result<()> {
        let _one = self.engine.lock()?;
        let (raw, elements) = self.engine.select::<T>(name, step, selection)?;
        check_length(name, elements, out.len())?;
        self.engine.get(raw, name, out, sys::adios2_mode_deferred)
    }

    fn perform(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        let _one = self.engine.lock()?;
        let _operators = lock_operator_table();
        // SAFETY: the engine is open and locked; the buffers given so far outlive `'data`.
        let code = unsafe { self.engine.io.context.api.adios2_perform_gets(self.engine.raw) };
        let performed = check(code, || "reading deferred values".to_owned());
        if performed.is_err() {
            self.engine.broken.store(true, Ordering::Release);
        }
        performed
    }
}

impl Drop for GetBatch<'_, '_> {
    /// Work is left only when the closure panicked.
    fn drop(&mut self) {
        // A failure marks the engine as broken, which the next call reports.
        let _ = self.perform();
    }
}

/// Memory for a selection. A file may tell of any number of elements, of which few were written.
fn zeros<T: Element>(name: &str, elements: usize) -> Result<Vec<T>> {
    let too_large =
        |()| Error::OutOfRange(format!("out of memory for {elements} values of {name:?}"));
    try_zeroed_vec(elements).map_err(too_large)
}

fn check_length(name: &str, selected: usize, given: usize) -> Result<()> {
    if selected == given {
        return Ok(());
    }
    Err(Error::InvalidArgument(format!(
        "{name:?}: a buffer of {given} values for a selection of {selected}"
    )))
}

fn check_box(name: &str, of: &str, shape: &[u64], start: &[u64], count: &[u64]) -> Result<()> {
    let fits = start.len() == shape.len()
        && count.len() == shape.len()
        && shape
            .iter()
            .zip(start.iter().zip(count))
            .all(|(&extent, (&start, &count))| start <= extent && count <= extent - start);
    if fits {
        return Ok(());
    }
    Err(Error::OutOfRange(format!(
        "{name:?}: the box at {start:?} of {count:?} is not inside {of} of {shape:?}"
    )))
}
