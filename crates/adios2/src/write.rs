//! Writing values of variables.

use std::{marker::PhantomData, sync::atomic::Ordering};

use adios2_sys as sys;

use crate::{
    Element, Engine, Error, Result, Variable,
    call::{c_sizes, check, element_count},
    variable,
};

impl Engine {
    /// Writes the variable's current part (as defined, or as last set by [`Engine::put_block`]) of
    /// this step. `data` is in C order and may be reused as soon as this returns.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when `data` has another length than the part. [`Error::Call`] when
    /// ADIOS2 or an operator refuses; the engine is unusable then, and its file ends with the last step.
    pub fn put<T: Element>(&mut self, variable: &Variable<T>, data: &[T]) -> Result<()> {
        self.put_with(variable, None, data, sys::adios2_mode_sync)
    }

    /// Writes one ADIOS2 block of this step: the part at `start` of `count` elements per dimension
    /// of a global array, or, with an empty `start`, a local array of extents `count`. May be
    /// called several times a step.
    ///
    /// # Errors
    /// As [`Engine::put`].
    pub fn put_block<T: Element>(
        &mut self,
        variable: &Variable<T>,
        start: &[u64],
        count: &[u64],
        data: &[T],
    ) -> Result<()> {
        self.put_with(variable, Some((start, count)), data, sys::adios2_mode_sync)
    }

    /// Writes several variables or ADIOS2 blocks, letting ADIOS2 defer the work to the end of the
    /// batch. The values must outlive this call, which the lifetime `'data` says.
    ///
    /// # Errors
    /// The closure's error, or [`Error::Call`]. If the deferred work itself fails the engine
    /// becomes unusable.
    pub fn put_batch<'data, R>(
        &mut self,
        fill: impl FnOnce(&mut PutBatch<'_, 'data>) -> Result<R>,
    ) -> Result<R> {
        let mut batch = PutBatch { engine: self, finished: false, data: PhantomData };
        let filled = fill(&mut batch);
        let performed = batch.perform();
        let result = filled?;
        performed.map(|()| result)
    }

    fn put_with<T: Element>(
        &mut self,
        variable: &Variable<T>,
        block: Option<(&[u64], &[u64])>,
        data: &[T],
        launch: sys::adios2_mode,
    ) -> Result<()> {
        let part = Part { address: data.as_ptr(), elements: data.len() };
        self.put_part(variable, block, part, launch)
    }

    fn put_part<T: Element>(
        &mut self,
        variable: &Variable<T>,
        block: Option<(&[u64], &[u64])>,
        part: Part<T>,
        launch: sys::adios2_mode,
    ) -> Result<()> {
        let api = self.io.context.api;
        let doing = || format!("writing {:?}", variable.name);
        let _one = self.lock()?;
        let raw = variable::inquire_typed::<T>(&self.io, &variable.name)?;
        if let Some((start, count)) = block {
            if !start.is_empty() && start.len() != count.len() {
                return Err(Error::InvalidArgument(format!(
                    "start {start:?} and count {count:?} differ in length"
                )));
            }
            let (start, count) = (c_sizes(start)?, c_sizes(count)?);
            let start = if start.is_empty() { std::ptr::null() } else { start.as_ptr() };
            // SAFETY: `raw` was inquired under the lock that is held; `count`, and `start` unless
            // null, have `count.len()` entries and are copied.
            let code = unsafe { api.adios2_set_selection(raw, count.len(), start, count.as_ptr()) };
            check(code, doing)?;
        }
        let mut elements = 0usize;
        // SAFETY: as above; the output is a local.
        check(unsafe { api.adios2_selection_size(&mut elements, raw) }, doing)?;
        if elements != part.elements {
            return Err(Error::InvalidArgument(format!(
                "{:?}: {} values given for a part of {elements}",
                variable.name, part.elements
            )));
        }
        // SAFETY: the engine is open and locked; the part holds `elements` values of the variable's
        // type. With a synchronous launch ADIOS2 is done with them when this returns; a deferred
        // launch comes from a PutBatch, which performs the work within the values' lifetime.
        let put =
            check(unsafe { api.adios2_put(self.raw, raw, part.address.cast(), launch) }, doing);
        if put.is_err() {
            // ADIOS2 has half an entry of the variable, which ending the step would read.
            self.broken.store(true, Ordering::Release);
        }
        put
    }
}

/// Values to write, in any memory.
#[derive(Clone, Copy)]
struct Part<T> {
    address: *const T,
    elements: usize,
}

/// Writes that ADIOS2 may defer to the end of the batch; [`Engine::put_batch`] makes it.
#[derive(Debug)]
pub struct PutBatch<'engine, 'data> {
    engine: &'engine mut Engine,
    finished: bool,
    data: PhantomData<&'data ()>,
}

impl<'data> PutBatch<'_, 'data> {
    /// As [`Engine::put`], deferred.
    ///
    /// # Errors
    /// As [`Engine::put`].
    pub fn put<T: Element>(&mut self, variable: &Variable<T>, data: &'data [T]) -> Result<()> {
        self.engine.put_with(variable, None, data, sys::adios2_mode_deferred)
    }

    /// As [`Engine::put_block`], deferred.
    ///
    /// # Errors
    /// As [`Engine::put_block`].
    pub fn put_block<T: Element>(
        &mut self,
        variable: &Variable<T>,
        start: &[u64],
        count: &[u64],
        data: &'data [T],
    ) -> Result<()> {
        element_count(count)?;
        self.engine.put_with(variable, Some((start, count)), data, sys::adios2_mode_deferred)
    }

    /// As [`PutBatch::put`], for elements that the host may not be able to read, such as those in GPU
    /// memory: for an ADIOS2 or an operator that supports them.
    ///
    /// # Safety
    /// `address` points to as many elements as the variable's part has, in C order, until the batch is
    /// over. Whatever ADIOS2 does with them on the host must be possible: without an operator it copies
    /// them, and unless `StatsLevel` is 0 it finds their range.
    ///
    /// # Errors
    /// As [`Engine::put`].
    pub unsafe fn put_address<T: Element>(
        &mut self,
        variable: &Variable<T>,
        address: *const T,
        elements: usize,
    ) -> Result<()> {
        let part = Part { address, elements };
        self.engine.put_part(variable, None, part, sys::adios2_mode_deferred)
    }

    fn perform(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        let _one = self.engine.lock()?;
        // SAFETY: the engine is open and locked; the values put so far outlive `'data`.
        let code = unsafe { self.engine.io.context.api.adios2_perform_puts(self.engine.raw) };
        let performed = check(code, || "writing deferred values".to_owned());
        if performed.is_err() {
            self.engine.broken.store(true, Ordering::Release);
        }
        performed
    }
}

impl Drop for PutBatch<'_, '_> {
    /// Work is left only when the closure panicked.
    fn drop(&mut self) {
        // A failure marks the engine as broken, which the next call reports.
        let _ = self.perform();
    }
}
