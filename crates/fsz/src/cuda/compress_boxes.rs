//! Compression by the profile `dense`: the device counts the symbols of some boxes, the host chooses layout,
//! predictor and tables by them, and the device encodes.

use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
};

use cudarc::driver::{result, sys};

use super::{
    abi::{Arguments, BoxGrid, CompressArgs, Control, MOST_BOXES, Sections, SymbolRow},
    box_encoding::{BoxEncoding, SentTables},
    box_sampler::{Bring, OnDevice},
    box_scratch::{BEFORE_PARTS, Scratch},
    capture::not_captured,
    compress::image,
    decompress::VECTOR,
    device::Device,
    error::check,
    kernel::Coder,
    last_choices::FieldKind,
    relative::without_samples,
    resident_tables::Place,
    stream_kind::beyond_devices,
    workspace::wait_for,
};
use crate::{
    bound::Limit,
    dtype::DType,
    error::{Error, Result},
    format::{
        self, RelativePart, TileGrid,
        dense::{BOX, DIFFERENCE_SYMBOLS, RESIDUAL_SYMBOLS},
        header,
        sections::max_compressed_len,
    },
    options::CompressOptions,
    profile::{
        Plan, Profile,
        dense::{Dense, SymbolSlots},
    },
    quantizer::{Linear, Quantizer},
    scalar::Scalar,
    schedule::too_small,
};

/// A compression that chooses when it sees the field, or is to code it like another.
#[derive(Clone, Debug)]
pub(crate) struct BoxCompression {
    dense: Dense,
    coder: Coder,
    shape: Vec<u64>,
    dtype: DType,
    options: CompressOptions,
    /// What the header has of a pointwise-relative bound.
    part: Option<RelativePart>,
    most: u64,
    scratch: Scratch,
}

impl BoxCompression {
    pub fn new(
        dense: Dense,
        coder: Coder,
        shape: &[u64],
        dtype: DType,
        options: &CompressOptions,
        part: Option<RelativePart>,
    ) -> Result<Self> {
        let most = max_compressed_len(shape, dtype)?;
        let elements = format::geometry::element_count(shape).ok_or_else(too_large)?;
        // Of any layout it has as many boxes at least. What is below here goes with 64 bits.
        if elements / BOX as u64 > MOST_BOXES {
            return Err(beyond_devices());
        }
        Ok(BoxCompression {
            dense,
            coder,
            shape: shape.to_vec(),
            dtype,
            options: options.clone(),
            part,
            most,
            scratch: Scratch::new(elements, dtype),
        })
    }

    /// With room for so many bytes of samples.
    pub fn with_samples(mut self, len: u64) -> Self {
        self.scratch.slots_len = self.scratch.slots_len.max(len);
        self
    }

    /// Where samples are in the scratch before anything is counted.
    pub fn samples_at(&self) -> u64 {
        self.scratch.slots
    }

    /// Whether layout and tables are chosen by a look at the field.
    pub fn chooses(&self) -> bool {
        self.options.model.is_none()
    }

    pub fn max_len(&self) -> u64 {
        self.most
    }

    pub fn scratch_len(&self) -> u64 {
        self.scratch.slots + self.scratch.slots_len + BEFORE_PARTS
    }

    /// What must be zero before: control and entries.
    pub fn cleared_len(&self) -> u64 {
        self.scratch.programs
    }

    /// Fields for which choices are probably alike.
    fn kind(&self) -> FieldKind {
        FieldKind {
            shape: self.shape.clone(),
            dtype: self.dtype,
            coder: self.coder,
            dense: self.dense,
        }
    }

    /// The quantizer as the choice asks for it: where the logarithmic codes of a pointwise-relative bound begin
    /// does not count there.
    ///
    /// # Safety
    /// As [`encode`](Self::encode).
    unsafe fn quantizer<A: Arguments>(
        &self,
        field: &OnDevice<'_, A>,
    ) -> Result<Quantizer<A::Element>> {
        if let Limit::Relative { eps, floor } = self.options.limit()? {
            let profile = &self.options.profile;
            return Ok(Quantizer::Relative(without_samples((eps, floor), profile, || ())));
        }
        let first = |found: &[Control]| found[0];
        let mut arguments = field.arguments;
        let at = arguments.common().control;
        // SAFETY: the scratch begins with a control, of which any bytes are one.
        let control = unsafe { field.download(1, at, || Ok(()), first)? };
        let value = A::Element::from_f64;
        Ok(Quantizer::Linear(Linear {
            step: value(control.step),
            inverse: value(control.inverse),
            limit: value(control.limit),
        }))
    }

    /// Chooses, which waits for what is in the queue, where the field is not to be coded like another.
    ///
    /// # Safety
    /// As [`encode`](Self::encode).
    unsafe fn choose<A: Arguments>(&self, field: &OnDevice<'_, A>) -> Result<(Dense, Vec<u32>)> {
        not_captured(
            field.queue,
            "compressing by the profile dense looks at the field and waits for the device, so no CUDA graph can hold it: \
             code it like another stream",
        )?;
        // SAFETY: as the caller vouches.
        let quantizer = unsafe { self.quantizer(field)? };
        let missing_bits = self.options.missing_bits(self.dtype);
        let missing = missing_bits.iter().map(|&bits| A::Element::from_bits64(bits)).collect();
        let plan = Plan { quantizer, missing, missing_bits, known: false, ranged: false };
        let chosen = self.dense.choose::<A::Element>(field, &self.shape, &plan);
        match &chosen {
            Ok(_) => field.device.last_choices.keep(self.kind(), field.asked.take()),
            // Nothing may be under way from memory that is freed.
            Err(_) => field.wait()?,
        }
        chosen
    }

    /// Enqueues the encoding; chooses before, and waits for what is in the queue, where the field is not to be coded like
    /// another.
    ///
    /// # Safety
    /// As `FieldCompression::launch`; `A` is that of the bound and the element type.
    pub unsafe fn encode<A: Arguments>(
        &self,
        device: &Device,
        arguments: A,
        queue: sys::CUstream,
    ) -> Result<()> {
        // SAFETY: as the caller vouches.
        let encoding = unsafe { self.prepare(device, arguments, queue, None)? };
        let all = 0..encoding.chunks();
        // SAFETY: as the caller vouches. The device goes on while the host waits for the tables alone.
        let launched = unsafe { encoding.launch(device, all, arguments, queue) };
        launched.and(encoding.settle())
    }

    /// Makes ready what launches share: chooses, which waits for what is in the queue, where the field is not to be coded
    /// like another. `bring` is called before boxes of the field are looked at, of which nothing else need be there.
    ///
    /// # Safety
    /// As [`encode`](Self::encode), until what comes of this is settled or dropped.
    pub unsafe fn prepare<A: Arguments>(
        &self,
        device: &Device,
        mut arguments: A,
        queue: sys::CUstream,
        bring: Option<Bring<'_>>,
    ) -> Result<BoxEncoding> {
        let &mut CompressArgs { control: scratch, capacity, .. } = arguments.common();
        let at = scratch.next_multiple_of(VECTOR as u64);
        let elements = format::geometry::element_count(&self.shape).ok_or_else(too_large)?;
        let sampled = OnDevice {
            device,
            coder: self.coder,
            arguments,
            elements,
            scratch: self.scratch,
            at,
            queue,
            bring,
            made: RefCell::default(),
            expected: match bring {
                None if self.chooses() => device.last_choices.expected(&self.kind()),
                // Of a field that is still on its way the boxes would have to be there.
                _ => Vec::new(),
            },
            ahead: RefCell::default(),
            asked: RefCell::default(),
            aside: OnceCell::new(),
        };
        let (dense, tables, resident) = match &self.options.model {
            Some(model) => {
                let resident = model.resident.on(device, &model.tables, queue)?;
                (self.dense, Cow::Borrowed(&model.tables[..]), Some(resident))
            }
            None => {
                // SAFETY: as the caller vouches.
                let (dense, tables) = unsafe { self.choose(&sampled)? };
                (dense, Cow::Owned(tables), None)
            }
        };
        let profile = Profile::Dense(dense);
        let grid = TileGrid::new(&profile, &self.shape).ok_or_else(too_large)?;
        let header_len = header::header_len(&self.shape, &self.options) as u64;
        let sections = format::Sections::new(header_len, &grid, &profile).ok_or_else(too_large)?;
        if capacity < sections.payload {
            return Err(too_small());
        }
        let boxes = BoxGrid::new(&grid, dense.numbers()).ok_or_else(beyond_devices)?;
        let table_words = tables.len() as u32;
        let programs = sampled.programs(&[boxes])?[0];
        let (place, sent) = match resident {
            Some(place) => (place, None),
            None => {
                let place =
                    Place { rows: at + self.scratch.rows, tables: at + self.scratch.tables };
                // SAFETY: both places have the room, and are the call's until what comes of this is settled.
                let sent = unsafe { SentTables::new(place, tables.into_owned(), queue)? };
                (place, Some(sent))
            }
        };
        Ok(BoxEncoding {
            coder: self.coder,
            grid,
            boxes,
            sections: Sections::new(elements, &sections),
            programs,
            place,
            table_words,
            slots: at + self.scratch.slots,
            slots_len: self.scratch.slots_len,
            image: image(&self.shape, self.dtype, &self.options, &profile, self.part),
            sent,
        })
    }
}

/// The rows of all contexts.
pub(super) fn symbol_rows(contexts: &[SymbolSlots]) -> Vec<SymbolRow> {
    let escape = |context: usize| match context {
        c if c < Dense::FIRST_DIFFERENCE => RESIDUAL_SYMBOLS - 1,
        c if c < Dense::FIRST_FLAG => DIFFERENCE_SYMBOLS - 1,
        _ => 1,
    };
    let mut rows = Vec::with_capacity(contexts.len() * DIFFERENCE_SYMBOLS);
    for (context, slots) in contexts.iter().enumerate() {
        let escape = slots[escape(context)];
        rows.extend(slots.iter().map(|&slot| SymbolRow::new(slot, escape)));
    }
    rows
}

/// Copies device memory to the host, and waits.
///
/// # Safety
/// `from` holds as many bytes, and any bytes are a `V`; `queue` is alive.
pub(crate) unsafe fn download<V: Copy>(
    to: &mut [V],
    from: u64,
    queue: sys::CUstream,
) -> Result<()> {
    // SAFETY: the caller's promise; the wait ends the borrow's use.
    unsafe {
        let copied = check("cuMemcpyDtoHAsync", result::memcpy_dtoh_async(to, from, queue));
        wait_for(queue)?;
        copied
    }
}

/// Enqueues a copy of host memory.
///
/// # Safety
/// `to` has the room; `from` lives until the queue is past the copy.
pub(crate) unsafe fn upload<V: Copy>(to: u64, from: &[V], queue: sys::CUstream) -> Result<()> {
    // SAFETY: the caller's promise.
    check("cuMemcpyHtoDAsync", unsafe { result::memcpy_htod_async(to, from, queue) })
}

fn too_large() -> Error {
    Error::invalid("the field is too large")
}
