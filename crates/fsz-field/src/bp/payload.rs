//! The compressed payload of an ADIOS2 block, without decoding it.
//!
//! ADIOS2 has no call for this. The FSZ operator does: it hands the payload to a sink that the reading
//! thread registered, and skips decoding. So this module registers one, reads a single element of the
//! ADIOS2 block, and keeps what the sink was given.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use adios2::{BlockInfo, Engine, Error, Result, Selection, Step};
use fsz::with_element;

use super::element_type;
use super::operator::{self, MODE_STREAM, Operator, RawPayload};

/// What an ADIOS2 block holds in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// An FSZ stream: `fsz::Stream::from_vec` opens it.
    Stream(Vec<u8>),
    /// The FSZ operator stored the values as they are, little-endian in C order.
    Raw(Vec<u8>),
    /// The variable was not compressed with FSZ; its values are to be read as usual.
    NotFsz,
}

impl Payload {
    /// Reads the payload of one ADIOS2 block of a variable, as the FSZ operator stored it.
    ///
    /// # Errors
    /// Those of [`Engine::read`], and [`Error::Unsupported`] when the operator's library is missing and the block cannot be read
    /// without it.
    pub fn read(engine: &Engine, name: &str, step: Step, block: u64) -> Result<Payload> {
        let Some(dtype) = element_type(engine.variable(name)?.dtype) else {
            // The operator takes no other type.
            return Ok(Payload::NotFsz);
        };
        let operator = match operator::operator() {
            Err(failure) if !failure.is_absent => return Err(failure.into()),
            found => found,
        };
        let blocks = &engine.shared_blocks(name, step)?.blocks;
        let info = usize::try_from(block).ok().and_then(|id| blocks.get(id)).ok_or_else(|| {
            let total = match blocks.len() {
                1 => "1 ADIOS2 block".to_owned(),
                total => format!("{total} ADIOS2 blocks"),
            };
            Error::OutOfRange(format!("{name} has {total} at this step, there is no block {block}"))
        })?;
        if info.count.is_empty() || info.elements() == 0 {
            return Ok(Payload::NotFsz);
        }
        // Where ADIOS2 blocks overlap, each of them answers for that element, from threads that have
        // no sink; the whole of one is then asked for by its number. (Of all others that would not do: ADIOS2 2.9.0 reads
        // some of them beyond the end of a BP5 file, for ever.)
        let selection = if is_alone(info, blocks) {
            let (start, count) = (vec![0; info.count.len()], vec![1; info.count.len()]);
            Selection::BlockBox { block, start, count }
        } else {
            Selection::Block(block)
        };
        let mut caught = Vec::new();
        let registered = operator.as_ref().ok().map(|found| Registered::new(found, &mut caught));
        let read = with_element!(dtype, T => engine.read::<T>(name, step, &selection).map(drop));
        drop(registered);
        match (read, operator) {
            (Err(_), Err(missing)) => return Err(missing.into()),
            // What can be read without the operator was not compressed by it.
            (read, _) => read?,
        }
        caught.retain(|caught: &Caught| {
            // Where there is little room, values are stored raw as one dimension.
            (caught.count == info.count || caught.count == [info.elements()])
                && (caught.start.is_none() || caught.start == info.start)
        });
        Ok(caught.pop().map_or(Payload::NotFsz, |caught| caught.payload))
    }
}

/// Whether no other ADIOS2 block holds the first element of this one.
fn is_alone(info: &BlockInfo, blocks: &[BlockInfo]) -> bool {
    let Some(first) = &info.start else {
        return true;
    };
    let holds = |block: &&BlockInfo| {
        let start = block.start.iter().flatten();
        start
            .zip(&block.count)
            .zip(first)
            .all(|((&start, &count), &first)| (start..start.saturating_add(count)).contains(&first))
    };
    blocks.iter().filter(holds).count() == 1
}

/// One payload that the sink was given.
struct Caught {
    start: Option<Vec<u64>>,
    count: Vec<u64>,
    payload: Payload,
}

/// The sink of this thread, for as long as this lives.
struct Registered<'a> {
    operator: &'a Operator,
    caught: PhantomData<&'a mut Vec<Caught>>,
}

impl<'a> Registered<'a> {
    fn new(operator: &'a Operator, caught: &'a mut Vec<Caught>) -> Registered<'a> {
        let user: *mut Vec<Caught> = caught;
        // SAFETY: `sink` takes exactly this user pointer, which stays valid until Drop takes the sink
        // away; the library calls it on this thread only.
        unsafe { (operator.set_sink)(Some(sink), user.cast()) };
        Registered { operator, caught: PhantomData }
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        // SAFETY: no sink needs no user pointer.
        unsafe { (self.operator.set_sink)(None, std::ptr::null_mut()) };
    }
}

/// # Safety
/// `user` is the `Vec<Caught>` of the [`Registered`] of this thread; `payload` is as fsz_adios2.h says.
unsafe extern "C" fn sink(user: *mut c_void, payload: *const RawPayload) -> c_int {
    // SAFETY: see above; nothing else uses the list while it is registered.
    let (caught, payload) = unsafe { (&mut *user.cast::<Vec<Caught>>(), &*payload) };
    let extents = |list: *const u64| {
        // SAFETY: a list that is not null has `ndims` entries.
        unsafe { std::slice::from_raw_parts(list, payload.ndims) }.to_vec()
    };
    // SAFETY: `bytes` is valid for `length` bytes during this call.
    let bytes = unsafe { std::slice::from_raw_parts(payload.bytes, payload.length) }.to_vec();
    caught.push(Caught {
        start: (!payload.start.is_null()).then(|| extents(payload.start)),
        count: extents(payload.count),
        payload: match payload.mode {
            MODE_STREAM => Payload::Stream(bytes),
            _ => Payload::Raw(bytes),
        },
    });
    1
}
