//! The operator: ADIOS2 blocks to payloads and back.
//!
//! Writing does not fail: what a device cannot compress the CPU compresses, and what cannot be
//! compressed is stored raw. Reading fails with a message.

mod choices;
mod gather;
mod mask;
mod no_stream;
mod payload;
mod read;
mod write;

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

use fsz::{Codec, DType, FloatMode};

use mask::Mask;
pub(crate) use read::open_stream;

use crate::{
    block::Block,
    codecs,
    envelope::{MAX_DIMENSIONS, max_header},
    parameters::Parameters,
    summary,
};

/// What is missing where a variable has no bound.
const NO_BOUND: &str = "it has no bound: set accuracy at the operator or at the variable";

#[cfg(target_endian = "big")]
compile_error!("raw payloads are little-endian copies of memory");

thread_local! {
    /// The last estimate that ADIOS2 asked for on this thread: operator, elements, bytes per element,
    /// dimensions. BP5 and SST ask just before they write, and provide that much room; BP4 does not
    /// ask, and provides about as much as the values take.
    static ESTIMATED: Cell<Option<(usize, usize, usize, usize)>> = const { Cell::new(None) };
}

/// An operator with its parameters. Cheap to create: thread pools are shared.
#[derive(Debug)]
pub(crate) struct Operator {
    parameters: Parameters,
    /// The parameters by which what was chosen is known again.
    given: String,
    masks: Vec<Mask>,
    /// Why it does not compress: what is wrong with its parameters.
    refusal: Option<String>,
}

impl Operator {
    /// An operator with parameters as ADIOS2 passes them. With wrong ones, unless it may fail, one that
    /// compresses nothing.
    ///
    /// # Errors
    /// A message that begins with the name of the offending parameter.
    pub fn new<'a>(
        parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
        may_fail: bool,
    ) -> Result<Operator, String> {
        let _mode = FloatMode::standard();
        let parameters: Vec<_> = parameters.into_iter().collect();
        let lasting = |(key, _): &&(&str, &str)| !key.to_lowercase().starts_with("range");
        let given = parameters.iter().filter(lasting);
        let given = given.map(|(key, value)| format!("{key}={value}\n")).collect();
        let parsed = Parameters::parse(parameters).and_then(|parameters| {
            // Started here, where a failure can still be reported.
            codecs::cpu(parameters.threads).map_err(|error| format!("threads: {error}"))?;
            let masks = parameters.masks.iter().map(Mask::open).collect::<Result<_, _>>()?;
            Ok((parameters, masks))
        });
        let operator = match parsed {
            Ok((parameters, masks)) => {
                let refusal = parameters.bound.is_none().then(|| NO_BOUND.into());
                Operator { parameters, given, masks, refusal }
            }
            Err(refusal) if may_fail => return Err(refusal),
            Err(refusal) => {
                let parameters = Parameters::default();
                Operator { parameters, given, masks: Vec::new(), refusal: Some(refusal) }
            }
        };
        if operator.parameters.verbose > 0 {
            summary::defined();
        }
        Ok(operator)
    }

    /// A variable has this operator.
    pub fn attach(&self) {
        if self.parameters.verbose > 0 {
            summary::attached();
        }
    }

    /// Whether it has no bound or wrong parameters.
    pub fn refuses(&self) -> bool {
        self.refusal.is_some()
    }

    fn codec(&self) -> Result<Codec, String> {
        codecs::cpu(self.parameters.threads).map_err(text)
    }

    fn identity(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// The most bytes that [`Operator::write`] can take for such an ADIOS2 block.
    pub fn estimate(&self, elements: usize, element_size: usize, dimensions: usize) -> usize {
        ESTIMATED.set(Some((self.identity(), elements, element_size, dimensions)));
        most(elements, element_size, dimensions)
    }

    /// The room that ADIOS2 gives for this ADIOS2 block: as much as [`Operator::estimate`] said if it
    /// was asked on this thread just before, else the values and `slack` bytes.
    pub fn room(&self, block: &Block<'_>, slack: usize) -> usize {
        let (elements, size, dimensions) =
            (block.elements(), block.dtype.size(), block.count.len());
        if ESTIMATED.take() == Some((self.identity(), elements, size, dimensions)) {
            most(elements, size, dimensions)
        } else {
            block.bytes() + slack
        }
    }
}

/// The element type of this many bytes, 4 or 8.
pub(crate) fn element_type(size: usize) -> DType {
    if size == 8 { DType::F64 } else { DType::F32 }
}

/// The most bytes that a payload can take; the largest number where that overflows, which ADIOS2
/// cannot allocate.
fn most(elements: usize, element_size: usize, dimensions: usize) -> usize {
    let stream = fsz::max_compressed_len(&[elements as u64], element_type(element_size))
        .ok()
        .and_then(|length| usize::try_from(length).ok())
        .unwrap_or(usize::MAX);
    // A raw body is never longer than the longest stream.
    stream.saturating_add(max_header(dimensions.min(MAX_DIMENSIONS)))
}

/// What `work` returns, or that it panicked. How the program's thread computes with floats changes no number.
pub(crate) fn attempt<R, E: From<String>>(work: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
    let _mode = FloatMode::standard();
    let panicked = |_| Err(String::from("the codec panicked (please report this)").into());
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}

pub(crate) fn text(error: fsz::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
