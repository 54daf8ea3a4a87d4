//! What kernels are told, as they read it (`cuda/encode`, `cuda/decode`), and how the two sides make sure
//! that they mean the same bytes.

use std::fmt;

use crate::{
    dtype::DType,
    element::Element,
    format::{
        self, MAX_DIMS, MAX_HEADER, MAX_MISSING, TileGrid,
        dense::{DIFFERENCE_SYMBOLS, Layout, SLOTS},
    },
    profile::dense::{Dense, MOST_CASES, Predictor},
    scalar::Scalar,
    statistics::ValueRange,
};

/// A struct that kernels share.
pub(crate) trait Shared {
    /// Its size in bytes, then where each of its fields begins.
    const LAYOUT: &'static [u32];
}

/// Structs in the memory layout of C++. Their layouts are compared with those that a module was compiled
/// with when it is loaded.
macro_rules! shared {
    ($($(#[$meta:meta])* struct $name:ident $(<$T:ident: $bound:ident>)? { $($field:ident: $type:ty,)* })*) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub(crate) struct $name $(<$T: $bound>)? {
                $(pub $field: $type,)*
            }

            impl $(<$T: $bound>)? Shared for $name $(<$T>)? {
                const LAYOUT: &'static [u32] = &[
                    size_of::<Self>() as u32,
                    $(std::mem::offset_of!(Self, $field) as u32,)*
                ];
            }
        )*
    };
}

/// An element type as kernels have it.
pub(crate) trait KernelElement: Element {
    /// An unsigned integer of its size.
    type Bits: Copy + fmt::Debug;
    /// Bits in the low end.
    fn bits(bits: u64) -> Self::Bits;
}

impl KernelElement for f32 {
    type Bits = u32;
    fn bits(bits: u64) -> u32 {
        bits as u32
    }
}

impl KernelElement for f64 {
    type Bits = u64;
    fn bits(bits: u64) -> u64 {
        bits
    }
}

shared! {
    /// `Sections` in `cuda/format/format.cuh`.
    struct Sections {
        elements: u64,
        tiles: u64,
        chunks: u64,
        rates: u64,
        sizes: u64,
        offsets: u64,
        sums: u64,
        payload: u64,
    }

    /// `StreamView` in `cuda/decode/stream_view.cuh`.
    struct StreamView {
        bytes: u64,
        capacity: u64,
        header_first: u64,
        header_kind: u64,
        missing_at: u64,
        relative_at: u64,
        sections: Sections,
    }

    /// `Move` in `cuda/region/move.cuh`.
    struct Move {
        from: u64,
        to: u64,
        len: u64,
    }

    /// `Gap` in `cuda/region/fill.cuh`.
    struct Gap {
        begin: u64,
        end: u64,
        at: u64,
        len: u64,
    }

    /// `FillState` in `cuda/region/fill.cuh`.
    struct FillState {
        first: u64,
        closed: u64,
    }

    /// `Filling` in `cuda/region/fill.cuh`.
    struct Filling<T: KernelElement> {
        field: u64,
        elements: u64,
        width: u64,
        marks: u64,
        gaps: u64,
        gap_count: u64,
        state: u64,
        segment: u64,
        sources: u64,
        missing: Missing<T>,
    }

    /// `OutputRange` in `cuda/decode/output.cuh`.
    struct OutputRange {
        out: u64,
        begin: u64,
        end: u64,
    }

    /// `OutputBox` in `cuda/decode/output.cuh`.
    struct OutputBox {
        out: u64,
        dims: u32,
        shape: [u64; MAX_DIMS],
        start: [u64; MAX_DIMS],
        count: [u64; MAX_DIMS],
    }

    /// `BoxGrid` in `cuda/profile/dense/grid.cuh`.
    struct BoxGrid {
        shape: [u64; 4],
        counts: [u32; 4],
        cell: [u32; 4],
        extent: [u32; 4],
        tiles: u32,
        chunk_tiles: u32,
        predictor: u32,
        fine: u32,
    }

    /// `BoxGrids` in `cuda/profile/dense/encode/plain/program.cuh`.
    struct BoxGrids {
        grid: [BoxGrid; Layout::ALL.len()],
    }

    /// `BoxesToTiles` in `cuda/profile/dense/decode/out/output.cuh`.
    struct BoxesToTiles {
        out: u64,
        before: u64,
        first: u32,
        end: u32,
    }

    /// `Missing` in `cuda/encode/control.cuh`.
    struct Missing<T: KernelElement> {
        bits: [T::Bits; MAX_MISSING],
        count: u32,
    }

    /// `CompressArgs` in `cuda/encode/arguments.cuh`.
    struct CompressArgs<T: KernelElement> {
        field: u64,
        stream: u64,
        capacity: u64,
        control: u64,
        entries: u64,
        sections: Sections,
        missing: Missing<T>,
    }

    /// `BoundAsked` in `cuda/encode/bound.cuh`.
    struct BoundAsked {
        kind: u32,
        fine: u32,
        asked: f64,
        min: f64,
        max: f64,
    }

    /// `Survey` in `cuda/encode/bound.cuh`.
    struct Survey {
        bound: BoundAsked,
        parts: u64,
        count: u32,
        reserved: u32,
    }

    /// `RelativeBound` in `cuda/encode/relative_quantizer.cuh`.
    struct RelativeBound<T: KernelElement> {
        eps: T,
        floor: T,
        linear_step: T,
        inverse: T,
        edge: T::Bits,
        low: T::Bits,
        stride: T::Bits,
        reciprocal: T::Bits,
        origin: T::Bits,
        samples: u64,
        sampled: u64,
        shift: u32,
        knee: u32,
        curved: u32,
        relative_at: u32,
    }

    /// `RelativeArgs` in `cuda/encode/relative_quantizer.cuh`.
    struct RelativeArgs<T: KernelElement> {
        arguments: CompressArgs<T>,
        bound: RelativeBound<T>,
    }

    /// `HeaderImage` in `cuda/encode/finish.cuh`.
    struct HeaderImage {
        words: [u32; MAX_HEADER / 4],
        len: u32,
    }

    /// `Statistics` in `cuda/encode/control.cuh`.
    struct Statistics {
        max_key: u64,
        min_key: u64,
        max_error: u64,
        max_relative_error: u64,
        nan: u64,
        inf: u64,
        missing: u64,
        escaped: u64,
    }

    /// `Control` in `cuda/encode/control.cuh`.
    struct Control {
        stream_len: u64,
        status: u32,
        surveyed: [u32; 4],
        begun: u32,
        encoded: u32,
        metadata_sum: u32,
        absolute_bound: f64,
        step: f64,
        inverse: f64,
        limit: f64,
        payload_words: u64,
        statistics: Statistics,
        origin: u64,
    }

    /// `DenseWork` in `cuda/profile/dense/encode/memory.cuh`.
    struct DenseWork {
        programs: u64,
        rows: u64,
        tables: u64,
        slots: u64,
        rooms: u64,
        table_words: u32,
        half_words: u32,
        predictors: u32,
        ahead: u32,
        first_chunk: u32,
        reserved: u32,
    }

    /// `BoxCounts` in `cuda/profile/dense/encode/count_boxes.cuh`.
    struct BoxCounts {
        histogram: [[u64; DIFFERENCE_SYMBOLS]; Dense::CONTEXTS],
        raw_bits: u64,
        elements: u64,
        fits: [u32; 8],
        exact: u32,
        reserved: u32,
    }

    /// `BoxTask` in `cuda/profile/dense/encode/count_boxes.cuh`.
    struct BoxTask {
        grid: BoxGrid,
        programs: u64,
        counts: u64,
        exact: u64,
        boxes: u32,
        places: u32,
    }

    /// `BoxTasks` in `cuda/profile/dense/encode/count_boxes.cuh`.
    struct BoxTasks {
        task: [BoxTask; MOST_TASKS],
        tasks: u32,
        reach: u32,
    }

    /// `SymbolRow` in `cuda/profile/dense/encode/code/rans_encoder.cuh`.
    struct SymbolRow {
        reciprocal: u32,
        start: u16,
        frequency: u16,
    }
}

/// What a kernel of compression is told, whatever the bound.
pub(crate) trait Arguments: Copy {
    /// That of the field.
    type Element: KernelElement;
    /// The same as a value.
    const DTYPE: DType = <Self::Element as Scalar>::DTYPE;
    /// The part that is the same for all bounds.
    fn common(&mut self) -> &mut CompressArgs<Self::Element>;
}

impl<T: KernelElement> Arguments for CompressArgs<T> {
    type Element = T;
    fn common(&mut self) -> &mut CompressArgs<T> {
        self
    }
}

impl<T: KernelElement> Arguments for RelativeArgs<T> {
    type Element = T;
    fn common(&mut self) -> &mut CompressArgs<T> {
        &mut self.arguments
    }
}

impl Sections {
    /// Of a stream of which no more is known.
    pub fn unknown(elements: u64) -> Self {
        Sections {
            elements,
            tiles: 0,
            chunks: 0,
            rates: 0,
            sizes: 0,
            offsets: 0,
            sums: 0,
            payload: 0,
        }
    }

    pub fn new(elements: u64, sections: &format::Sections) -> Self {
        Sections {
            elements,
            tiles: sections.tiles,
            chunks: sections.chunks,
            rates: sections.heads.start,
            sizes: sections.sizes.start,
            offsets: sections.offsets.start,
            sums: sections.sums.start,
            payload: sections.payload,
        }
    }
}

impl BoxGrid {
    /// Whether no box is interpolated.
    pub fn is_lorenzo(&self) -> bool {
        self.predictor == Predictor::Lorenzo.code() as u32
    }

    /// `None` for a field of more than [`MOST_BOXES`].
    pub fn new(grid: &TileGrid, [predictor, fine, _]: [u8; 3]) -> Option<Self> {
        let axes = grid.axes();
        if grid.tiles() > MOST_BOXES {
            return None;
        }
        let narrow = |numbers: [u64; 4]| numbers.map(|n| n as u32);
        Some(BoxGrid {
            shape: axes.shape,
            counts: narrow(axes.counts),
            cell: narrow(axes.cell),
            extent: narrow(axes.extent),
            tiles: grid.tiles() as u32,
            chunk_tiles: grid.tiles_per_chunk() as u32,
            predictor: predictor.into(),
            fine: fine.into(),
        })
    }
}

/// Boxes of a field at most: a kernel counts those of some cells in 32 bits.
pub(crate) const MOST_BOXES: u64 = 1 << 26;

/// Cases that are counted at once.
pub(crate) const MOST_TASKS: usize = MOST_CASES;

impl SymbolRow {
    /// Of a symbol's first slot and frequency; `escape` are those of the symbol in the place of one that the
    /// context lacks.
    pub fn new((start, frequency): (u16, u16), escape: (u16, u16)) -> Self {
        /// Says that the row is that of the escape.
        const ESCAPES: u16 = 0x8000;
        if frequency == 0 {
            let row = Self::new(escape, escape);
            return SymbolRow { frequency: row.frequency | ESCAPES, ..row };
        }
        let more = if frequency == 1 { SLOTS as u16 - 1 } else { 0 };
        let reciprocal = RECIPROCALS[usize::from(frequency)];
        SymbolRow { reciprocal, start: start + more, frequency }
    }
}

/// By frequency: ⌊n / f⌋ is the high word of n · reciprocal, shifted; n is below 2³¹. For f = 1 that is n − 1, and
/// the row's `start` makes up for it.
const RECIPROCALS: [u32; SLOTS as usize + 1] = {
    let mut reciprocals = [u32::MAX; SLOTS as usize + 1];
    let mut f = 2;
    while f < reciprocals.len() {
        let shift = f.next_power_of_two().ilog2();
        reciprocals[f] = (1u64 << (shift + 31)).div_ceil(f as u64) as u32;
        f += 1;
    }
    reciprocals
};

impl<T: KernelElement> Missing<T> {
    /// Of these bits, at most [`MAX_MISSING`].
    pub fn new(missing: &[u64]) -> Self {
        let mut bits = [T::bits(0); MAX_MISSING];
        bits.iter_mut().zip(missing).for_each(|(own, &given)| *own = T::bits(given));
        Missing { bits, count: missing.len() as u32 }
    }
}

impl Control {
    /// Before anything is known.
    pub const NONE: Self = Control {
        stream_len: 0,
        status: 0,
        surveyed: [0; 4],
        begun: 0,
        encoded: 0,
        metadata_sum: 0,
        absolute_bound: 0.0,
        step: 0.0,
        inverse: 0.0,
        limit: 0.0,
        payload_words: 0,
        statistics: Statistics {
            max_key: 0,
            min_key: 0,
            max_error: 0,
            max_relative_error: 0,
            nan: 0,
            inf: 0,
            missing: 0,
            escaped: 0,
        },
        origin: 0,
    };

    /// Of a finished compression to a stream of so many bytes.
    pub fn done(stream_len: u64) -> Self {
        Control { stream_len, ..Self::NONE }
    }

    /// The range that a survey of the whole field found.
    pub fn range<T: Element>(&self) -> ValueRange<T> {
        let Statistics { max_key, min_key, nan, inf, missing, .. } = self.statistics;
        let special = ValueRange { nan, inf, missing, ..ValueRange::empty() };
        if max_key == 0 {
            return special;
        }
        // Keys order as numbers do: with the sign's bit, the bits of a number without it, else the complement.
        let sign = 1 << (T::DTYPE.size() * 8 - 1);
        let bits = sign | (sign - 1);
        let number =
            |key: u64| T::from_bits64(if key & sign != 0 { key ^ sign } else { !key & bits });
        ValueRange { max: number(max_key), min: number(!min_key & bits), ..special }
    }
}

impl OutputBox {
    /// The box of `count` elements, none 0, from `start` on. `shape` has at most 8 axes.
    pub fn new(shape: &[u64], start: &[u64], count: &[u64], out: u64) -> Self {
        let mut place = OutputBox {
            out,
            dims: 1,
            shape: [1; MAX_DIMS],
            start: [0; MAX_DIMS],
            count: [1; MAX_DIMS],
        };
        // A field of 0 dimensions is one of one axis of one element.
        place.dims = shape.len().max(1) as u32;
        place.shape[..shape.len()].copy_from_slice(shape);
        place.start[..shape.len()].copy_from_slice(start);
        place.count[..shape.len()].copy_from_slice(count);
        place
    }

    /// The first and the last element of the box in the field.
    pub fn corners(&self) -> (u64, u64) {
        let (mut first, mut last) = (0, 0);
        for axis in 0..self.dims as usize {
            first = first * self.shape[axis] + self.start[axis];
            last = last * self.shape[axis] + self.start[axis] + self.count[axis] - 1;
        }
        (first, last)
    }
}
