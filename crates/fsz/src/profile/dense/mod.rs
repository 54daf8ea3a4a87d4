//! Interpolation from coarse to fine in boxes, quantized in the loop, coded by 32 interleaved rANS states
//! (FORMAT.md, *Dense*).

mod alike;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod bits;
mod boxes;
mod chunk;
mod costs;
mod count;
mod curve;
mod decode;
mod device;
mod encode;
mod escapes;
mod items;
mod levels;
mod lorenzo;
mod mask;
mod order;
mod points;
mod predict;
mod prepare;
mod rans;
mod sums;
mod symbols;
mod tables;
mod targets;
mod vector;

#[cfg(feature = "cuda")]
pub(crate) use prepare::{
    CHOOSING, Counted, FITTING, FITTING_SHARE, InReach, MOST_CASES, Sampler, Spread,
};
#[cfg(feature = "cuda")]
pub(crate) use tables::SymbolSlots;

pub use device::BoxDecoding;

use super::{ChunkDecoder, ChunkEncoder, ChunkRecorder, Coding, Decoding, Plan, StoredChunk};
#[cfg(feature = "cuda")]
use crate::choice::{UsualCost, Work};
use crate::{
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::{
        TileOrder,
        dense::{self, BOX, Layout, MOST_FINE, Taps},
    },
    quantizer::Relative,
    simd::Level,
    tile_record::TileKind,
};

/// The profile `dense`: interpolation in boxes, entropy-coded. By default the encoder chooses layout and
/// prediction for each field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    layout: Option<Layout>,
    /// What an encoder chose, and a header tells.
    choice: Choice,
}

/// How the boxes of a field are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub predictor: Predictor,
    /// log2 of the lattice points of a step.
    pub fine: u32,
    /// log2 of the boxes of a chunk.
    pub chunk: u32,
}

/// What boxes are predicted by; any box may be coded by Lorenzo prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predictor {
    Interpolation(Taps),
    Lorenzo,
}

/// log2 of the boxes of a chunk, by how many bits an element takes.
pub(crate) const CHUNKS: [u32; 3] = [3, 4, 5];

impl Choice {
    const STANDARD: Self = Choice {
        predictor: Predictor::Interpolation(Taps::Cubic),
        fine: MOST_FINE,
        chunk: CHUNKS[0],
    };
}

impl Default for Choice {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl Predictor {
    const ALL: [Predictor; 5] = [
        Predictor::Interpolation(Taps::Linear),
        Predictor::Interpolation(Taps::Cubic),
        Predictor::Interpolation(Taps::Smooth),
        Predictor::Interpolation(Taps::Blended),
        Predictor::Lorenzo,
    ];

    /// The number in the header.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Predictor::Interpolation(Taps::Linear) => dense::LINEAR,
            Predictor::Interpolation(Taps::Cubic) => dense::CUBIC,
            Predictor::Interpolation(Taps::Smooth) => dense::SMOOTH,
            Predictor::Interpolation(Taps::Blended) => dense::BLENDED,
            Predictor::Lorenzo => dense::LORENZO,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|predictor| predictor.code() == code)
    }
}

impl Default for Dense {
    fn default() -> Self {
        Self::new()
    }
}

impl Dense {
    /// The encoder chooses.
    pub const fn new() -> Self {
        Dense { layout: None, choice: Choice::STANDARD }
    }

    /// Boxes of this layout, whatever the encoder would choose. A region that does not fill such boxes, as the elements
    /// of a mask, has others.
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// The layout of the boxes; before a field is encoded, `None` where the encoder is to choose.
    pub fn chosen_layout(&self) -> Option<Layout> {
        self.layout
    }

    /// Contexts of all alphabets, and the first of differences and of flags.
    #[cfg(feature = "cuda")]
    pub(crate) const CONTEXTS: usize = tables::CONTEXTS;
    #[cfg(feature = "cuda")]
    pub(crate) const FIRST_DIFFERENCE: usize = tables::Alphabet::Difference.first();
    #[cfg(feature = "cuda")]
    pub(crate) const FIRST_FLAG: usize = tables::Alphabet::Flag.first();

    /// What it chooses for a field that lies elsewhere, and its tables.
    #[cfg(feature = "cuda")]
    pub(crate) fn choose<T: Element>(
        self,
        field: &dyn Sampler,
        shape: &[u64],
        plan: &Plan<T>,
    ) -> Result<(Self, Vec<u32>)> {
        prepare::prepare(self.layout, field, shape, plan)
    }

    /// First slot and frequency of each symbol of each context, by a stream's tables.
    #[cfg(feature = "cuda")]
    pub(crate) fn symbol_slots(tables: &[u32]) -> Result<Vec<SymbolSlots>> {
        Ok(tables::Tables::read(tables)?.slots().collect())
    }

    /// The parameters in the header of a stream that is coded so.
    #[cfg(feature = "cuda")]
    pub(crate) fn numbers_of(choice: Choice) -> [u8; 3] {
        Dense { layout: None, choice }.parameters()
    }

    /// Its parameters in the header.
    #[cfg(feature = "cuda")]
    pub(crate) fn numbers(&self) -> [u8; 3] {
        self.parameters()
    }

    /// How the boxes of a stream are coded, or what stands for that where it is not chosen yet.
    #[cfg(feature = "cuda")]
    pub(crate) fn own_choice(&self) -> Choice {
        self.choice
    }

    /// The layout of a stream, or what stands for one that is not chosen yet.
    fn own_layout(&self) -> Layout {
        self.layout.unwrap_or(Layout::Line)
    }
}

impl Coding for Dense {
    const CODE: u8 = 1;
    const NAME: &'static str = "dense";
    const STANDARD: Self = Dense::new();

    #[cfg(feature = "cuda")]
    fn usual_cost(work: Work) -> UsualCost {
        match work {
            Work::Compress => UsualCost {
                cpu_speed: 0.35e9,
                cpu_fixed: 1e-3,
                cuda_fixed: 2e-3,
                cpu_choice: 20e-9,
                cuda_choice: 0.6e-9,
                compiling: 10.0,
            },
            Work::Decompress => UsualCost {
                cpu_speed: 0.55e9,
                cpu_fixed: 0.15e-3,
                cuda_fixed: 0.4e-3,
                cpu_choice: 0.0,
                cuda_choice: 0.0,
                compiling: 6.0,
            },
        }
    }

    fn head_len(&self) -> u64 {
        0
    }

    fn order(&self) -> TileOrder {
        match self.own_layout() {
            Layout::Line => TileOrder::Linear,
            layout => TileOrder::Boxes(layout.extent()),
        }
    }

    fn tile_len(&self) -> usize {
        BOX
    }

    fn chunk_tiles(&self) -> usize {
        1 << self.choice.chunk
    }

    fn size_len(&self) -> u64 {
        4
    }

    fn has_tables(&self) -> bool {
        true
    }

    fn least(self) -> Self {
        let chunk = CHUNKS[CHUNKS.len() - 1];
        Dense { layout: Some(self.own_layout()), choice: Choice { chunk, ..self.choice } }
    }

    fn of_part(self, shape: &[u64]) -> Self {
        match self.layout {
            Some(layout) if !prepare::fills(layout, shape) => Dense::new(),
            _ => self,
        }
    }

    fn prepare<T: Element>(
        self,
        data: &[T],
        shape: &[u64],
        plan: &Plan<T>,
        run: Execution<'_>,
    ) -> Result<(Self, Vec<u32>)> {
        prepare::prepare(self.layout, &prepare::InMemory { data, plan, run }, shape, plan)
    }

    fn fitted<T: Element>(self, shape: &[u64], relative: Option<&Relative<T>>) -> Result<Self> {
        prepare::fitted(self, shape, relative)
    }

    fn layout(&self) -> u8 {
        self.own_layout().code()
    }

    fn layout_name(&self) -> &'static str {
        self.own_layout().name()
    }

    fn parameters(&self) -> [u8; 3] {
        let Choice { predictor, fine, chunk } = self.choice;
        [predictor.code(), fine as u8, chunk as u8]
    }

    fn fine(&self) -> u32 {
        self.choice.fine
    }

    fn most_fine(&self) -> u32 {
        MOST_FINE
    }

    fn from_header(layout: u8, [predictor, fine, chunk]: [u8; 3]) -> Option<Result<Self>> {
        let layout = Layout::from_code(layout)?;
        let known = || {
            let predictor = Predictor::from_code(predictor)?;
            let (fine, chunk) = (fine as u32, chunk as u32);
            let sound = fine <= MOST_FINE && CHUNKS.contains(&chunk);
            sound.then_some(Dense {
                layout: Some(layout),
                choice: Choice { predictor, fine, chunk },
            })
        };
        Some(known().ok_or_else(|| Error::unsupported("these parameters of the profile dense")))
    }

    fn check_tables(self, tables: &[u32]) -> Result<()> {
        if tables::Tables::read(tables)?.are_complete() {
            return Ok(());
        }
        Err(Error::corrupt("the tables lack a flag, so that nothing can be coded by them"))
    }

    fn encoder<'a, T: Element>(
        self,
        plan: &'a Plan<T>,
        tables: &[u32],
        level: Level,
    ) -> Box<dyn ChunkEncoder<T> + 'a> {
        Box::new(encode::Encoder::new(self.choice, plan, tables, level))
    }

    fn decoder<'a, T: Element>(
        self,
        stream: Decoding<'a>,
        tables: &[u32],
        level: Level,
    ) -> Result<Box<dyn ChunkDecoder<T> + 'a>> {
        Ok(Box::new(decode::Decoder::new(self, stream, tables, level)?))
    }

    fn recorder<'a>(
        self,
        stream: Decoding<'a>,
        tables: &[u32],
    ) -> Result<Box<dyn ChunkRecorder + 'a>> {
        let level = Level::detect();
        crate::with_element!(stream.dtype, T => {
            Ok(Box::new(decode::Decoder::<T>::new(self, stream, tables, level)?))
        })
    }

    fn kinds(self, chunk: StoredChunk<'_>, take: &mut dyn FnMut(TileKind)) {
        if let Ok(head) = chunk::Head::read(chunk.payload, chunk.tiles.len()) {
            head.boxes.iter().for_each(|b| take(b.kind()));
        }
    }
}
