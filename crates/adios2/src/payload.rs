//! The compressed payload of an ADIOS2 block, without decoding it.
//!
//! ADIOS2 has no call for this. The FSZ operator does: it hands the payload to a sink that the
//! reading thread registered, and skips decoding. So this module registers one, reads a single
//! element of the ADIOS2 block, and keeps what the sink was given.

use std::{
    ffi::{c_int, c_void},
    marker::PhantomData,
};

use adios2_sys as sys;

use crate::{
    BlockInfo, DataType, Engine, Error, Result, Selection, Step,
    plugin::{self, MODE_STREAM, Plugin, RawPayload},
    variable,
};

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

impl Engine {
    /// The payload of one ADIOS2 block of a variable, as the FSZ operator stored it.
    ///
    /// # Errors
    /// Those of [`Engine::read`], and [`Error::Plugin`] when the operator library is missing.
    pub fn payload(&self, name: &str, step: Step, block: u64) -> Result<Payload> {
        let dtype = self.variable(name)?.dtype;
        match dtype {
            DataType::F32 => self.payload_of::<f32>(name, step, block),
            DataType::F64 => self.payload_of::<f64>(name, step, block),
            // The operator takes no other type.
            _ => Ok(Payload::NotFsz),
        }
    }

    fn payload_of<T: crate::Element>(&self, name: &str, step: Step, block: u64) -> Result<Payload> {
        let plugin = plugin::plugin()?;
        let _one = self.lock()?;
        let raw = variable::inquire_typed::<T>(&self.io, name)?;
        self.select_step(raw, name, step)?;
        let info = self.block_of(raw, name, step, Some(block))?;
        if info.count.is_empty() || info.elements() == 0 {
            return Ok(Payload::NotFsz);
        }
        let first = Selection::BlockBox {
            block,
            start: vec![0; info.count.len()],
            count: vec![1; info.count.len()],
        };
        // Where ADIOS2 blocks lie on each other, each of them answers for that element, from
        // threads that have no sink; the whole of one is then asked for by its number.
        let selection =
            if self.is_alone(raw, step, &info)? { first } else { Selection::Block(block) };
        let mut caught = self.catch::<T>(plugin, name, step, &selection)?;
        caught.retain(|caught| {
            caught.count == info.count && (caught.start.is_none() || caught.start == info.start)
        });
        Ok(caught.pop().map_or(Payload::NotFsz, |caught| caught.payload))
    }

    /// Whether no other ADIOS2 block holds the first element of this one. The caller holds the
    /// lock.
    fn is_alone(
        &self,
        raw: *mut sys::adios2_variable,
        step: Step,
        info: &BlockInfo,
    ) -> Result<bool> {
        let Some(first) = &info.start else {
            return Ok(true);
        };
        let holds = |block: &BlockInfo| {
            let start = block.start.iter().flatten();
            start.zip(&block.count).zip(first).all(|((&start, &count), &first)| {
                (start..start.saturating_add(count)).contains(&first)
            })
        };
        Ok(self.blocks_locked(raw, step)?.blocks.iter().filter(|block| holds(block)).count() == 1)
    }

    /// Reads a selection with the sink in place. The caller holds the lock.
    fn catch<T: crate::Element>(
        &self,
        plugin: &Plugin,
        name: &str,
        step: Step,
        selection: &Selection,
    ) -> Result<Vec<Caught>> {
        let (raw, elements) = self.select::<T>(name, step, selection)?;
        let mut values = vec![T::default(); elements];
        let mut caught: Vec<Caught> = Vec::new();
        let registered = Registered::new(plugin, &mut caught);
        let read = self.get(raw, name, &mut values, sys::adios2_mode_sync);
        drop(registered);
        read.map(|()| caught)
    }
}

/// One payload that the sink was given.
struct Caught {
    start: Option<Vec<u64>>,
    count: Vec<u64>,
    payload: Payload,
}

/// The sink of this thread, for as long as this lives.
struct Registered<'a> {
    plugin: &'a Plugin,
    caught: PhantomData<&'a mut Vec<Caught>>,
}

impl<'a> Registered<'a> {
    fn new(plugin: &'a Plugin, caught: &'a mut Vec<Caught>) -> Registered<'a> {
        let user: *mut Vec<Caught> = caught;
        // SAFETY: `sink` takes exactly this user pointer, which stays valid until Drop takes the
        // sink away; the library calls it on this thread only.
        unsafe { (plugin.set_sink)(Some(sink), user.cast()) };
        Registered { plugin, caught: PhantomData }
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        // SAFETY: no sink needs no user pointer.
        unsafe { (self.plugin.set_sink)(None, std::ptr::null_mut()) };
    }
}

/// # Safety
/// `user` is the `Vec<Caught>` of the [`Registered`] of this thread; `payload` is as fsz_adios2.h
/// says.
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
        payload: if payload.mode == MODE_STREAM {
            Payload::Stream(bytes)
        } else {
            Payload::Raw(bytes)
        },
    });
    1
}

/// The outcome in words, for messages to people.
impl std::fmt::Display for Payload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Payload::Stream(bytes) => write!(f, "an FSZ stream of {} bytes", bytes.len()),
            Payload::Raw(bytes) => write!(f, "{} bytes stored raw by FSZ", bytes.len()),
            Payload::NotFsz => f.write_str("not compressed with FSZ"),
        }
    }
}

impl Payload {
    /// The FSZ stream, or an error that says that there is none.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for [`Payload::Raw`] and [`Payload::NotFsz`].
    pub fn into_stream(self) -> Result<Vec<u8>> {
        match self {
            Payload::Stream(bytes) => Ok(bytes),
            other => Err(Error::Unsupported(format!("this ADIOS2 block is {other}"))),
        }
    }
}
