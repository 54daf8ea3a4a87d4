//! Compression by the profile `dense`: the device counts the symbols of some boxes, the host chooses layout,
//! predictor and tables by them, and the device encodes.

use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
    slice,
};

use cudarc::driver::{result, sys};

use crate::cuda::{
    boxes::{
        encoding::{BoxEncoding, SentTables},
        last_choices::{Expected, FieldKind},
        resident_tables::Place,
        sampler::{Bring, OnDevice},
        scratch::{BEFORE_PARTS, Scratch},
    },
    compress::{ENTRIES_AT, image},
    decompress::VECTOR,
    device::Device,
    driver::{error::check, workspace::wait_for},
    kernels::{
        abi::{Arguments, BoxGrid, Control, MOST_BOXES, Sections, SymbolRow},
        kernel::Coder,
        relative::without_samples,
    },
    stream_kind::beyond_devices,
};
use crate::{
    bound::Limit,
    dtype::DType,
    element::Element,
    error::{Error, Result},
    format::{
        self, RelativePart, TileGrid,
        dense::{BOX, DIFFERENCE_SYMBOLS, RESIDUAL_SYMBOLS},
        header,
        sections::max_compressed_len,
    },
    model::Model,
    options::CompressOptions,
    profile::{
        Plan, Profile,
        dense::{Dense, SymbolSlots},
    },
    quantizer::{Linear, Quantizer},
    scalar::Scalar,
    schedule::too_small,
};

/// What is chosen for a field.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cuda) struct Chosen {
    pub dense: Dense,
    pub tables: Vec<u32>,
}

/// How a field is coded.
enum Coded<'a> {
    By(Chosen),
    Like(&'a Model),
}

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
    /// Where the field is, if not where the device finds it.
    pub(in crate::cuda) home: Option<u64>,
    elements: u64,
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
            home: None,
            elements,
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
    fn kind(&self, mut arguments: impl Arguments) -> FieldKind {
        FieldKind {
            place: self.home.or(Some(arguments.common().field)),
            bound: Some(self.options.bound),
            relative: match self.options.limit() {
                Ok(Limit::Relative { eps, floor }) => Some((eps, floor)),
                _ => None,
            },
            shape: self.shape.clone(),
            dtype: self.dtype,
            coder: self.coder,
            dense: self.dense,
        }
    }

    /// What the control has of the bound, once what is before in the queue is done.
    ///
    /// # Safety
    /// As [`encode`](Self::encode).
    unsafe fn control<A: Arguments>(&self, field: &OnDevice<'_, A>) -> Result<Control> {
        let mut arguments = field.arguments;
        let at = arguments.common().control;
        let begun = Some(field.begun()?);
        // SAFETY: the scratch begins with a control, of which any bytes are one.
        unsafe { field.download_made(begun, (1, at), || Ok(()), |found: &[Control]| found[0]) }
    }

    /// The quantizer as the choice asks for it: where the logarithmic codes of a pointwise-relative bound begin
    /// does not count there.
    fn quantizer<T: Element>(&self, control: &Control) -> Result<Quantizer<T>> {
        if let Limit::Relative { eps, floor } = self.options.limit()? {
            let profile = &self.options.profile;
            return Ok(Quantizer::Relative(without_samples((eps, floor), profile, || ())));
        }
        Ok(Quantizer::Linear(Linear {
            step: T::from_f64(control.step),
            inverse: T::from_f64(control.inverse),
            limit: T::from_f64(control.limit),
        }))
    }

    /// Chooses, which waits for what is in the queue.
    fn choose<A: Arguments>(&self, field: &OnDevice<'_, A>, control: &Control) -> Result<Chosen> {
        let quantizer = self.quantizer(control)?;
        let missing_bits = self.options.missing_bits(self.dtype);
        let missing = missing_bits.iter().map(|&bits| A::Element::from_bits64(bits)).collect();
        let plan = Plan { quantizer, missing, missing_bits, known: false, ranged: false };
        let (dense, tables) = self.dense.choose::<A::Element>(field, &self.shape, &plan)?;
        field.device.last_choices.keep(self.kind(field.arguments), field.asked.take(), dense);
        Ok(Chosen { dense, tables })
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
        let field = self.on_device(device, arguments, queue, None);
        // SAFETY: as the caller vouches.
        unsafe {
            let coded = match &self.options.model {
                Some(model) => Coded::Like(model),
                None => match field.waiting(|| self.encode_as_expected(&field))? {
                    None => return Ok(()),
                    Some(chosen) => Coded::By(chosen),
                },
            };
            self.launch(&field, self.encoding(&field, coded)?)
        }
    }

    /// Enqueues the encoding of all chunks. The device goes on while the host waits for the tables alone.
    ///
    /// # Safety
    /// As [`encode`](Self::encode).
    unsafe fn launch<A: Arguments>(
        &self,
        field: &OnDevice<'_, A>,
        encoding: BoxEncoding,
    ) -> Result<()> {
        let all = 0..encoding.chunks();
        // SAFETY: as the caller vouches.
        let launched = unsafe { encoding.launch(field.device, all, field.arguments, field.queue) };
        launched.and(encoding.settle())
    }

    /// Chooses. Where it is probable enough what comes of it, the encoding is enqueued before; gives what was chosen
    /// where it is not, or is another one: then the scratch is as it was.
    ///
    /// # Safety
    /// As [`encode`](Self::encode).
    unsafe fn encode_as_expected<A: Arguments>(
        &self,
        field: &OnDevice<'_, A>,
    ) -> Result<Option<Chosen>> {
        // SAFETY: as the caller vouches.
        let control = unsafe { self.control(field)? };
        let Some(guess) = field.guess()? else { return self.choose(field, &control).map(Some) };
        // SAFETY: as the caller vouches.
        let begun = unsafe {
            let encoding = self.encoding(field, Coded::By(guess.clone()));
            encoding.and_then(|encoding| self.launch(field, encoding))
        };
        let chosen = self.choose(field, &control)?;
        if begun.is_ok() && chosen == guess {
            return Ok(None);
        }
        let mut arguments = field.arguments;
        let at = arguments.common().control;
        let len = self.cleared_len() - ENTRIES_AT;
        // SAFETY: the scratch begins with control and entries; the copy is waited for.
        unsafe {
            let cleared = result::memset_d8_async(at + ENTRIES_AT, 0, len as usize, field.queue);
            check("cuMemsetD8Async", cleared)?;
            upload(at, slice::from_ref(&control), field.queue)?;
        }
        field.wait()?;
        Ok(Some(chosen))
    }

    /// Makes ready what launches share: chooses, which waits for what is in the queue, where the field is not to be coded
    /// like another. `bring` is called before boxes of the field are looked at, of which nothing else need be there.
    ///
    /// # Safety
    /// As [`encode`](Self::encode), until what comes of this is settled or dropped.
    pub unsafe fn prepare<A: Arguments>(
        &self,
        device: &Device,
        arguments: A,
        queue: sys::CUstream,
        bring: Option<Bring<'_>>,
    ) -> Result<BoxEncoding> {
        let field = self.on_device(device, arguments, queue, bring);
        // SAFETY: as the caller vouches.
        unsafe {
            let coded = match &self.options.model {
                Some(model) => Coded::Like(model),
                None => {
                    let choose = || self.choose(&field, &self.control(&field)?);
                    Coded::By(field.waiting(choose)?)
                }
            };
            self.encoding(&field, coded)
        }
    }

    fn on_device<'a, A: Arguments>(
        &self,
        device: &'a Device,
        mut arguments: A,
        queue: sys::CUstream,
        bring: Option<Bring<'a>>,
    ) -> OnDevice<'a, A> {
        let scratch = arguments.common().control;
        OnDevice {
            device,
            coder: self.coder,
            arguments,
            elements: self.elements,
            scratch: self.scratch,
            at: scratch.next_multiple_of(VECTOR as u64),
            queue,
            bring,
            made: RefCell::default(),
            expected: match bring {
                None if self.chooses() => device.last_choices.expected(&self.kind(arguments)),
                // Of a field that is still on its way the boxes would have to be there.
                _ => Expected::default(),
            },
            ahead: RefCell::default(),
            asked: RefCell::default(),
            aside: OnceCell::new(),
            begun: OnceCell::new(),
        }
    }

    /// What launches share, by what was chosen, or by the stream that the field is to be coded like.
    ///
    /// # Safety
    /// As [`encode`](Self::encode), until what comes of this is settled or dropped.
    unsafe fn encoding<A: Arguments>(
        &self,
        field: &OnDevice<'_, A>,
        coded: Coded<'_>,
    ) -> Result<BoxEncoding> {
        let &OnDevice { device, queue, at, elements, .. } = field;
        let mut arguments = field.arguments;
        let capacity = arguments.common().capacity;
        let (dense, tables, resident) = match coded {
            Coded::By(Chosen { dense, tables }) => (dense, Cow::Owned(tables), None),
            Coded::Like(model) => {
                let resident = model.resident.on(device, &model.tables, queue)?;
                (self.dense, Cow::Borrowed(&model.tables[..]), Some(resident))
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
        let programs = field.programs(&[boxes])?[0];
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
pub(in crate::cuda) fn symbol_rows(contexts: &[SymbolSlots]) -> Vec<SymbolRow> {
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
