//! Rate bytes and payload words back to the elements of tiles: unpack, integrate, dequantize.

use std::ops::Range;

use super::{
    checksum, choose,
    escapes::{self, bits_at, coded_count, pattern_bits, place_exceptions},
    integrate,
    predict::{VARIANTS, Variant, residuals},
    tile::TileLayout,
    unpack,
};
use crate::{
    element::Element,
    error::{Error, Result},
    format::{
        EscapeField, EscapeKind, RateByte, TILE, WORD,
        geometry::{Geometry, MAX_TILE},
    },
    profile::{ChunkDecoder, Decoding, Plan, StoredChunk},
    quantizer::Dequantizer,
    research::Research,
    simd::{Level, Simd, portable::Portable},
    tile_cost::{TileCoding, TileCost},
    tile_record::Predictor,
};

/// What all tiles of a stream share.
#[derive(Clone, Copy)]
struct Tiles<'a, T> {
    values: Dequantizer<T>,
    missing_bits: &'a [u64],
    research: Research,
    geometry: Geometry,
}

/// Decodes chunks of the paper's profile.
pub(super) struct Decoder<'a, T> {
    tiles: Tiles<'a, T>,
    level: Level,
    chunk: Chunk,
    work: Work<T>,
}

/// The chunk at hand: its rate bytes, its payload, and the first word of each tile, one more than tiles.
#[derive(Default)]
struct Chunk {
    rates: Vec<u8>,
    words: Vec<u32>,
    starts: Vec<u32>,
    lens: Vec<usize>,
}

struct Work<T> {
    codes: Box<[i32; TILE]>,
    tile: Box<[T; MAX_TILE]>,
}

impl<'a, T: Element> Decoder<'a, T> {
    pub fn new(research: Research, stream: Decoding<'a>, level: Level) -> Self {
        let tiles = Tiles {
            values: stream.dequantizer(),
            missing_bits: stream.missing_bits,
            research,
            geometry: research.own_geometry(),
        };
        let work = Work { codes: Box::new([0; TILE]), tile: Box::new([T::default(); MAX_TILE]) };
        Decoder { tiles, level, chunk: Chunk::default(), work }
    }

    /// Reads a chunk and checks its checksum.
    #[inline(always)]
    fn read<S: Simd>(&mut self, simd: S, chunk: StoredChunk<'_>) -> Result<()> {
        // Nothing is there until all of it is known to be right.
        let Chunk { rates, words, starts, lens } = &mut self.chunk;
        let geometry = self.tiles.geometry;
        lens.clear();
        rates.clear();
        rates.extend_from_slice(chunk.heads);
        words.clear();
        words.extend(chunk.payload.as_chunks::<WORD>().0.iter().map(|b| u32::from_le_bytes(*b)));
        starts.clear();
        starts.push(0);
        let mut sum = checksum::of_rates(rates);
        let (mut at, mut first) = (0, 0);
        for (rates, tile) in rates.chunks_exact(geometry.blocks).zip(chunk.tiles) {
            let count = tile.len();
            let layout = TileLayout::read(rates, count, T::DTYPE, geometry)?;
            let end = at + layout.words();
            let tile = words.get(at..end).ok_or_else(|| {
                Error::corrupt(format!(
                    "the tiles of chunk {} are longer than the chunk",
                    chunk.number
                ))
            })?;
            let share = checksum::of_tile(simd, rates, tile, layout.coded, first, geometry);
            sum = sum.wrapping_add(share);
            if self.tiles.values.has_no_codes() && (layout.field.is_none() || layout.coded > 0) {
                return Err(Error::corrupt("a tile has codes but the quantization step is 0"));
            }
            at = end;
            first += geometry.tile_len();
            starts.push(at as u32);
        }
        if at != words.len() {
            return Err(Error::corrupt(format!(
                "the tiles of chunk {} are shorter than the chunk",
                chunk.number
            )));
        }
        if sum != chunk.checksum {
            return Err(chunk.damaged());
        }
        lens.extend(chunk.tiles.iter().map(|t| t.len()));
        Ok(())
    }

    /// [`read`](Self::read) compiled for wider vectors.
    ///
    /// # Safety
    /// The processor has the named instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
    unsafe fn read_avx2(&mut self, chunk: StoredChunk<'_>) -> Result<()> {
        // SAFETY: the caller vouches for the instructions.
        let simd = unsafe { crate::simd::avx2::Avx2::new() };
        self.read(simd, chunk)
    }

    /// # Safety
    /// The processor has the named instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
    unsafe fn decode_avx2(&mut self, tiles: Range<usize>, out: &mut [T]) -> Result<()> {
        // SAFETY: the caller vouches for the instructions.
        let simd = unsafe { crate::simd::avx2::Avx2::new() };
        self.tiles.decode(simd, &self.chunk, tiles, out, &mut self.work)
    }
}

impl<T: Element> ChunkDecoder<T> for Decoder<'_, T> {
    fn load(&mut self, chunk: StoredChunk<'_>) -> Result<()> {
        match self.level {
            Level::Portable => self.read(Portable, chunk),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { self.read_avx2(chunk) }
            }
        }
    }

    fn decode(&mut self, tiles: Range<usize>, out: &mut [T]) -> Result<()> {
        match self.level {
            Level::Portable => self.tiles.decode(Portable, &self.chunk, tiles, out, &mut self.work),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { self.decode_avx2(tiles, out) }
            }
        }
    }

    fn verify(&mut self) -> Result<()> {
        let Chunk { rates, words, starts, lens } = &self.chunk;
        let Tiles { missing_bits, geometry, .. } = self.tiles;
        for (t, (rates, &count)) in rates.chunks_exact(geometry.blocks).zip(lens).enumerate() {
            let layout = TileLayout::read(rates, count, T::DTYPE, geometry)?;
            if let Some(field) = layout.field {
                let words = &words[starts[t] as usize + layout.coded..starts[t + 1] as usize];
                escapes::check(words, field, missing_bits, count, T::DTYPE)?;
            }
        }
        Ok(())
    }

    /// The codes are the same by what was compressed and by what it is decoded to.
    fn costs(&mut self, tile: usize, _: &Plan<T>, _: Option<&[T]>) -> Result<Vec<TileCost>> {
        let Chunk { rates, words, starts, lens } = &self.chunk;
        let Tiles { research, geometry, .. } = self.tiles;
        let (blocks, count) = (geometry.blocks, lens[tile]);
        let rates = &rates[tile * blocks..(tile + 1) * blocks];
        let words = &words[starts[tile] as usize..starts[tile + 1] as usize];
        let layout = TileLayout::read(rates, count, T::DTYPE, geometry)?;
        let (mut coded, escapes) = words.split_at(layout.coded);
        let len = coded_count(escapes, layout.field, count, T::DTYPE)?;
        let mut codes = [0i32; MAX_TILE];
        let mut chosen = None;
        if len > 0 {
            let (variant, mu) = variant_of(rates, &mut coded);
            chosen = Some(Predictor::new(variant.order == 2, variant.centered));
            let codes = &mut codes[..geometry.tile_len()];
            unpack::any(coded, rates, geometry, codes);
            integrate::any(codes, variant, mu, geometry, research.cross_block);
        }
        let codes = &codes[..len];
        let centering = choose::centering_value(codes, research.centering);
        let cost = |variant: Variant| {
            let mu = if variant.centered { centering } else { 0 };
            let mut own = [0; MAX_TILE];
            let own = &mut own[..geometry.tile_len()];
            residuals(codes, variant.order, mu, geometry, research.cross_block, own);
            let (_, words) = choose::measure(own, geometry);
            let words = words + usize::from(variant.centered && len > 0);
            let predictor = Predictor::new(variant.order == 2, variant.centered);
            TileCost {
                coding: TileCoding::Lorenzo(predictor),
                bytes: (WORD * words) as u64,
                chosen: chosen == Some(predictor),
            }
        };
        let allowed = VARIANTS.into_iter().filter(|&v| choose::allowed(v, &research));
        Ok(allowed.map(cost).collect())
    }
}

impl<T: Element> Tiles<'_, T> {
    #[inline(always)]
    fn decode<S: Simd>(
        &self,
        simd: S,
        Chunk { rates, words, starts, .. }: &Chunk,
        tiles: Range<usize>,
        out: &mut [T],
        Work { codes, tile }: &mut Work<T>,
    ) -> Result<()> {
        let blocks = self.geometry.blocks;
        for (out, t) in out.chunks_mut(self.geometry.tile_len()).zip(tiles) {
            let rates = &rates[t * blocks..(t + 1) * blocks];
            let words = &words[starts[t] as usize..starts[t + 1] as usize];
            if self.plain(rates)
                && let Ok(out) = <&mut [T; TILE]>::try_from(&mut *out)
            {
                self.standard(simd, words, rates, codes, out);
            } else {
                let tile = &mut tile[..self.geometry.tile_len()];
                self.careful(simd, words, rates, codes, tile, out)?;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn plain(&self, rates: &[u8]) -> bool {
        !RateByte(rates[0]).escapes() && self.geometry.is_standard() && self.research.cross_block
    }

    /// A full tile of standard geometry without escapes.
    #[inline(always)]
    fn standard<S: Simd>(
        &self,
        simd: S,
        mut words: &[u32],
        rates: &[u8],
        codes: &mut [i32; TILE],
        out: &mut [T; TILE],
    ) {
        let (variant, mu) = variant_of(rates, &mut words);
        if words.is_empty() {
            out.fill(self.values.value(mu));
            return;
        }
        unpack::standard(simd, words, rates, codes);
        integrate::standard(simd, codes, variant, mu);
        self.values.values(codes, out);
    }

    /// Any tile; `tile` has room for a full one.
    #[inline(never)]
    fn careful<S: Simd>(
        &self,
        simd: S,
        words: &[u32],
        rates: &[u8],
        codes: &mut [i32; TILE],
        tile: &mut [T],
        out: &mut [T],
    ) -> Result<()> {
        let dtype = T::DTYPE;
        let layout = TileLayout::read(rates, out.len(), dtype, self.geometry)?;
        let (coded, escapes) = words.split_at(layout.coded);
        match layout.field {
            Some(EscapeField { kind: EscapeKind::Constant, pattern, .. }) => {
                let bits = pattern_bits(escapes, pattern, dtype, self.missing_bits)?;
                out.fill(T::from_bits64(bits));
            }
            Some(EscapeField { kind: EscapeKind::Verbatim, .. }) => {
                for (d, words) in out.iter_mut().zip(escapes.chunks_exact(dtype.words())) {
                    *d = T::from_bits64(bits_at(words, dtype));
                }
            }
            field => {
                match <&mut [T; TILE]>::try_from(&mut *tile) {
                    Ok(full) if self.geometry.is_standard() && self.research.cross_block => {
                        self.standard(simd, coded, rates, codes, full);
                    }
                    _ => self.research_tile(coded, rates, tile),
                }
                match field {
                    Some(field) => place_exceptions(escapes, field, self.missing_bits, tile, out)?,
                    None => out.copy_from_slice(&tile[..out.len()]),
                }
            }
        }
        Ok(())
    }

    /// The chain of a tile of any geometry, with any switches.
    fn research_tile(&self, mut words: &[u32], rates: &[u8], tile: &mut [T]) {
        let (variant, mu) = variant_of(rates, &mut words);
        let mut codes = [0i32; MAX_TILE];
        let codes = &mut codes[..tile.len()];
        unpack::any(words, rates, self.geometry, codes);
        integrate::any(codes, variant, mu, self.geometry, self.research.cross_block);
        self.values.values(codes, tile);
    }
}

/// Order and centering of a tile with codes; takes µ off the front of its words.
#[inline(always)]
fn variant_of(rates: &[u8], words: &mut &[u32]) -> (Variant, i32) {
    let first = RateByte(rates[0]);
    let variant = Variant { order: 1 + u8::from(first.order2()), centered: first.centered() };
    let mut mu = 0;
    if variant.centered {
        mu = words[0] as i32;
        *words = &words[1..];
    }
    (variant, mu)
}
