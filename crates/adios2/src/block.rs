//! ADIOS2 blocks: the parts that writers contributed to a step of a variable.

use std::sync::{Arc, PoisonError};

use adios2_sys as sys;

use crate::{
    DataType, Engine, Error, Mode, Result, ShapeKind, Step,
    call::check_pointer,
    variable::{self, VariableInfo, describe},
};

/// ADIOS2's `JoinedDim`.
const JOINED: u64 = u64::MAX - 1;

/// One ADIOS2 block.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockInfo {
    /// Its number within the step, as [`Selection::Block`](crate::Selection::Block) takes it.
    pub id: u64,
    /// The rank that wrote it.
    pub writer: u64,
    /// Its place in the global array; None for a local array or a value.
    pub start: Option<Vec<u64>>,
    /// Its extents; empty for a value.
    pub count: Vec<u64>,
    /// Smallest and largest value, where the engine recorded them (BP4 does not say, and
    /// `StatsLevel=0` leaves them out).
    pub range: Option<(f64, f64)>,
}

impl BlockInfo {
    /// The number of elements.
    pub fn elements(&self) -> u64 {
        self.count.iter().product()
    }

    /// Whether it is a single value: of the step, or of a rank. ADIOS2 tells of the values of ranks as of a global
    /// array, with an ADIOS2 block for each.
    pub fn is_value(&self) -> bool {
        self.count.is_empty() || self.count == [1]
    }
}

/// The ADIOS2 blocks of one step of a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct StepBlocks {
    /// Global extents at this step; empty for values and local arrays.
    pub shape: Vec<u64>,
    /// In the order of their numbers.
    pub blocks: Vec<BlockInfo>,
}

impl StepBlocks {
    /// How far the ADIOS2 blocks of an array reach along each axis; None where they have no elements.
    fn extent(&self) -> Option<Vec<u64>> {
        let ends = self.blocks.iter().filter(|block| block.elements() > 0).filter_map(|block| {
            let sides = block.start.as_ref()?.iter().zip(&block.count);
            Some(sides.map(|(start, count)| start.saturating_add(*count)).collect::<Vec<_>>())
        });
        ends.reduce(|all, one| all.into_iter().zip(one).map(|(a, b)| a.max(b)).collect())
    }
}

impl Engine {
    /// The ADIOS2 blocks of one step of a variable, from the metadata alone.
    ///
    /// # Errors
    /// [`Error::NoSuchVariable`], [`Error::OutOfRange`] for a step that it does not have, and
    /// [`Error::Unsupported`] for a variable that skips steps of a BP4 file, if that cannot be read step by step.
    pub fn blocks(&self, name: &str, step: Step) -> Result<StepBlocks> {
        self.shared_blocks(name, step).map(Arc::unwrap_or_clone)
    }

    /// The same without a copy for calls that follow each other, as one for each of many ADIOS2 blocks: the last list is kept.
    ///
    /// # Errors
    /// As [`Engine::blocks`].
    pub fn shared_blocks(&self, name: &str, step: Step) -> Result<Arc<StepBlocks>> {
        let _one = self.lock()?;
        let raw = variable::inquire(&self.io, name)?;
        self.select_step(raw, name, step)?;
        self.blocks_locked(raw, step)
    }

    /// The caller holds the lock, and has selected the step.
    pub(crate) fn blocks_locked(
        &self,
        raw: *mut sys::adios2_variable,
        step: Step,
    ) -> Result<Arc<StepBlocks>> {
        let info = describe(&self.io, raw)?;
        let Step::At(at) = step else { return self.list_blocks(raw, info, step).map(Arc::new) };
        let mut last = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((name, _, blocks)) = last.as_ref().filter(|(_, listed, _)| *listed == at)
            && *name == info.name
        {
            return Ok(blocks.clone());
        }
        let name = info.name.clone();
        let blocks = Arc::new(self.list_blocks(raw, info, step)?);
        *last = Some((name, at, blocks.clone()));
        Ok(blocks)
    }

    /// The caller holds the lock, and has selected the step.
    fn list_blocks(
        &self,
        raw: *mut sys::adios2_variable,
        info: VariableInfo,
        step: Step,
    ) -> Result<StepBlocks> {
        let api = self.io.context.api;
        let number = self.step_number(&info, step)?;
        let is_array = matches!(info.kind, ShapeKind::GlobalArray | ShapeKind::JoinedArray);
        let dimensions = variable::dimensions(&self.io, raw)?;
        // SAFETY: engine and variable are alive and locked, and the step exists.
        let found = unsafe { api.adios2_inquire_blockinfo(self.raw, raw, number) };
        let found =
            check_pointer(found, || format!("listing the ADIOS2 blocks of {:?}", info.name))?;
        // SAFETY: a result of this call that is not null is valid until freed, just below.
        let list = unsafe { &*found };
        // For local arrays BP4 reports the dimensions of the global shape: none.
        let dims = if info.kind == ShapeKind::LocalArray {
            dimensions
        } else {
            usize::try_from(list.Dims).unwrap_or(0)
        };
        let blocks = (0..list.nblocks).map(|index| {
            // SAFETY: BlocksInfo holds `nblocks` entries.
            let block = unsafe { &*list.BlocksInfo.add(index) };
            // SAFETY: Start and Count are null or hold `dims` entries.
            let (start, count) =
                unsafe { (extents(block.Start, dims), extents(block.Count, dims)) };
            let count = count.unwrap_or_default();
            let range = if !self.is_modern() {
                None
            } else if list.IsValue != 0 {
                number_in(&block.Value, info.dtype).map(|value| (value, value))
            } else {
                range_of(block, info.dtype)
            };
            BlockInfo {
                id: index as u64,
                writer: u64::try_from(block.WriterID).unwrap_or(0),
                start: start.filter(|_| is_array),
                range: range.filter(|_| !count.contains(&0)),
                count,
            }
        });
        let blocks: Vec<_> = blocks.collect();
        // SAFETY: Shape is null or holds `dims` entries.
        let shape = unsafe { extents(list.Shape, dims) };
        // SAFETY: freed once; no reference into it is left.
        unsafe { api.adios2_free_blockinfo(found) };
        let shape = match shape {
            _ if !is_array => Vec::new(),
            // In place of the side along which BP4 joins ADIOS2 blocks it lists a number that no side has.
            Some(shape) if !shape.contains(&JOINED) => shape,
            _ => info.shape,
        };
        let mut found = StepBlocks { shape, blocks };
        if let (true, Step::At(step)) = (is_array && self.is_modern(), step)
            && found.extent().as_ref() != Some(&found.shape)
            && let Some(visit) = self.visits(&info.name).and_then(|all| all.get(step as usize))
        {
            // BP5 calls a joined array a global one, and tells for every step the shape of the last. The ADIOS2
            // blocks of a step fill its own.
            found.shape.clone_from(&visit.shape);
        }
        Ok(found)
    }

    /// The number by which the engine knows a step of this variable. BP4 wants the engine's step
    /// and reads past the end of an empty list for one that the variable skips.
    fn step_number(&self, info: &VariableInfo, step: Step) -> Result<usize> {
        let number = match step {
            Step::Current => self.current_step_locked()?,
            Step::At(step) if self.is_modern() => step,
            Step::At(step) if info.first_step + info.steps == self.steps_locked()? => {
                info.first_step + step
            }
            Step::At(step) => {
                let visits = self.visits(&info.name).unwrap_or_default();
                let visit = usize::try_from(step).ok().and_then(|step| visits.get(step));
                let unknown = || {
                    let name = &info.name;
                    let why = "which steps of its BP4 file have it cannot be read";
                    Error::Unsupported(format!("{name:?} skips steps, and {why}"))
                };
                visit.ok_or_else(unknown)?.number
            }
        };
        Ok(number as usize)
    }

    /// Selects the step that a call is about. The caller holds the lock.
    pub(crate) fn select_step(
        &self,
        raw: *mut sys::adios2_variable,
        name: &str,
        step: Step,
    ) -> Result<()> {
        match (self.mode, step) {
            (Mode::Read, Step::Current) => Ok(()),
            (Mode::ReadRandomAccess, Step::At(step)) => {
                let info = describe(&self.io, raw)?;
                if step >= info.steps {
                    return Err(Error::OutOfRange(format!(
                        "{name:?} has {} steps, so there is no step {step}",
                        info.steps
                    )));
                }
                // SAFETY: the variable is alive and locked.
                let code =
                    unsafe { self.io.context.api.adios2_set_step_selection(raw, step as usize, 1) };
                crate::call::check(code, || format!("selecting step {step} of {name:?}"))
            }
            (mode, step) => Err(Error::InvalidArgument(format!(
                "{step:?} does not go with Mode::{mode:?}: use Step::Current with Mode::Read and \
                 Step::At with Mode::ReadRandomAccess"
            ))),
        }
    }
}

fn range_of(block: &sys::adios2_blockinfo, dtype: DataType) -> Option<(f64, f64)> {
    let range = (number_in(&block.MinUnion, dtype)?, number_in(&block.MaxUnion, dtype)?);
    // Without statistics ADIOS2 leaves the empty range, whose minimum is above its maximum.
    (range.0 <= range.1).then_some(range)
}

/// # Safety
/// `list` is null or holds `dims` entries.
unsafe fn extents(list: *const usize, dims: usize) -> Option<Vec<u64>> {
    if list.is_null() {
        return None;
    }
    // SAFETY: promised by the caller.
    let list = unsafe { std::slice::from_raw_parts(list, dims) };
    Some(list.iter().map(|&extent| extent as u64).collect())
}

/// The number in a union of ADIOS2's primitive types.
fn number_in(union: &sys::adios2_PrimitiveStdtypeUnion, dtype: DataType) -> Option<f64> {
    // SAFETY: ADIOS2 fills the member of the variable's type, and every bit pattern of each of
    // these is a value.
    unsafe {
        Some(match dtype {
            DataType::F32 => f64::from(union.f),
            DataType::F64 => union.d,
            DataType::I8 => f64::from(union.int8),
            DataType::I16 => f64::from(union.int16),
            DataType::I32 => f64::from(union.int32),
            DataType::I64 => union.int64 as f64,
            DataType::U8 => f64::from(union.uint8),
            DataType::U16 => f64::from(union.uint16),
            DataType::U32 => f64::from(union.uint32),
            DataType::U64 => union.uint64 as f64,
            _ => return None,
        })
    }
}
