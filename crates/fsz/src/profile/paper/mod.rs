//! The coding of the FSZ paper: tiles of 256 consecutive elements in blocks of 32, first- and second-order
//! Lorenzo prediction with and without centering, bit-planes (FORMAT.md, *Predict* to *Escapes*).

mod checksum;
mod choose;
mod decode;
mod encode;
mod escapes;
mod integrate;
mod pack;
mod predict;
mod tile;
mod unpack;

use super::{ChunkDecoder, ChunkEncoder, ChunkRecorder, Coding, Decoding, Plan, StoredChunk};
#[cfg(feature = "cuda")]
use crate::choice::{UsualCost, Work};
use crate::{
    dtype::DType,
    element::Element,
    error::{Error, Result},
    format::{CHUNK, RateByte, TileOrder, WORD, geometry::Geometry, unsupported},
    research::{Centering, Research},
    simd::Level,
    tile_record::{Storage, TileKind, TileRecord},
};
use tile::TileLayout;

const CROSS_BLOCK: u8 = 1;
const CENTERING: u8 = 2;
const ORDER2: u8 = 4;
const MEAN: u8 = 8;

impl Research {
    /// The geometry, which has been checked.
    fn own_geometry(self) -> Geometry {
        Geometry { block_len: self.block_len, blocks: self.blocks_per_tile }
    }
}

impl Coding for Research {
    const CODE: u8 = 0;
    const NAME: &'static str = "paper";
    const STANDARD: Self = Research::STANDARD;

    #[cfg(feature = "cuda")]
    fn usual_cost(work: Work) -> UsualCost {
        let (cpu_speed, compiling) = match work {
            Work::Compress => (2.0e9, 1.2),
            Work::Decompress => (3.2e9, 0.9),
        };
        let (cpu_fixed, cuda_fixed) = (10e-6, 0.1e-3);
        UsualCost { cpu_speed, cpu_fixed, cuda_fixed, cpu_choice: 0.0, cuda_choice: 0.0, compiling }
    }

    fn head_len(&self) -> u64 {
        self.blocks_per_tile as u64
    }

    fn order(&self) -> TileOrder {
        TileOrder::Linear
    }

    fn tile_len(&self) -> usize {
        self.own_geometry().tile_len()
    }

    fn chunk_tiles(&self) -> usize {
        CHUNK / Coding::tile_len(self)
    }

    fn layout(&self) -> u8 {
        0
    }

    fn layout_name(&self) -> &'static str {
        "linear"
    }

    fn parameters(&self) -> [u8; 3] {
        let feature = |on: bool, mask: u8| if on { mask } else { 0 };
        let features = feature(self.cross_block, CROSS_BLOCK)
            | feature(self.centering != Centering::Off, CENTERING)
            | feature(self.order2, ORDER2)
            | feature(self.centering == Centering::Mean, MEAN);
        [self.block_len.ilog2() as u8, self.blocks_per_tile.ilog2() as u8, features]
    }

    fn from_header(layout: u8, [block, blocks, features]: [u8; 3]) -> Option<Result<Self>> {
        if layout != 0 {
            return None;
        }
        if !matches!(block, 5 | 6) || !matches!(blocks, 2..=4) {
            return Some(Err(Error::unsupported("this tile geometry")));
        }
        let centering = match features & (CENTERING | MEAN) {
            0 => Centering::Off,
            CENTERING => Centering::FirstCode,
            MEAN => return Some(Err(Error::corrupt("a mean of codes that are not centered"))),
            _ => Centering::Mean,
        };
        if features > (CROSS_BLOCK | CENTERING | ORDER2 | MEAN) {
            return Some(Err(unsupported("predictor features", features, &[])));
        }
        Some(Ok(Research {
            cross_block: features & CROSS_BLOCK != 0,
            centering,
            order2: features & ORDER2 != 0,
            block_len: 1 << block,
            blocks_per_tile: 1 << blocks,
        }))
    }

    fn encoder<'a, T: Element>(
        self,
        plan: &'a Plan<T>,
        _: &[u32],
        level: Level,
    ) -> Box<dyn ChunkEncoder<T> + 'a> {
        Box::new(encode::Encoder::new(self, plan, level))
    }

    fn decoder<'a, T: Element>(
        self,
        stream: Decoding<'a>,
        _: &[u32],
        level: Level,
    ) -> Result<Box<dyn ChunkDecoder<T> + 'a>> {
        Ok(Box::new(decode::Decoder::new(self, stream, level)))
    }

    fn recorder<'a>(self, stream: Decoding<'a>, _: &[u32]) -> Result<Box<dyn ChunkRecorder + 'a>> {
        Ok(Box::new(Recorder { dtype: stream.dtype, geometry: self.own_geometry() }))
    }

    fn kinds(self, chunk: StoredChunk<'_>, take: &mut dyn FnMut(TileKind)) {
        let geometry = self.own_geometry();
        chunk
            .heads
            .chunks_exact(geometry.blocks)
            .for_each(|rates| take(tile::kind(rates, geometry)));
    }
}

struct Recorder {
    dtype: DType,
    geometry: Geometry,
}

impl ChunkRecorder for Recorder {
    fn records(
        &mut self,
        chunk: StoredChunk<'_>,
        first: u64,
        take: &mut dyn FnMut(TileRecord),
    ) -> Result<()> {
        let Recorder { dtype, geometry } = *self;
        let mut rest = chunk.payload;
        let tiles = chunk.heads.chunks_exact(geometry.blocks).zip(chunk.tiles);
        for (index, (rates, tile)) in (first..).zip(tiles) {
            let count = tile.len();
            let layout = TileLayout::read(rates, count, dtype, geometry)?;
            let (own, after) = rest
                .split_at_checked(WORD * layout.words())
                .ok_or_else(|| Error::corrupt("tiles longer than their chunk"))?;
            rest = after;
            let behind = own[WORD * layout.coded..].as_chunks::<WORD>().0;
            let behind: Vec<u32> = behind.iter().map(|b| u32::from_le_bytes(*b)).collect();
            let coded = escapes::coded_count(&behind, layout.field, count, dtype)?;
            let mut stored = [0; 16];
            for (s, r) in stored.iter_mut().zip(rates) {
                *s = RateByte(*r).rate();
            }
            let storage = layout.storage();
            let has_codes = matches!(storage, Storage::Coded | Storage::Exceptions);
            take(TileRecord {
                index,
                storage,
                predictor: has_codes.then(|| tile::predictor(RateByte(rates[0]))),
                bytes: (rates.len() + own.len()) as u64,
                escapes: (count - coded) as u32,
                rates: stored,
                blocks: rates.len() as u8,
            });
        }
        Ok(())
    }
}
