//! Rate bytes and payload words back to the elements of tiles: unpack, integrate, dequantize.

use std::ops::Range;

use crate::{
    dequantize::dequantize,
    element::Element,
    error::Result,
    escape::{ESCAPES, Field, Kind, bits_at, pattern_bits, place_exceptions},
    geometry::{Geometry, MAX_TILE, TILE},
    header::Header,
    index::{Index, tile_shape},
    integrate,
    options::Research,
    predict::Variant,
    simd::{Level, Simd, portable::Portable},
    unpack,
};

/// What all tiles of a stream share.
#[derive(Clone, Debug)]
pub(crate) struct Decoder<'a, T> {
    step: T,
    missing_bits: &'a [u64],
    research: Research,
    geometry: Geometry,
    level: Level,
}

/// Working memory of one thread: the chunk at hand.
pub(crate) struct Workspace<T> {
    words: Vec<u32>,
    starts: Vec<u32>,
    codes: Box<[i32; TILE]>,
    tile: Box<[T; MAX_TILE]>,
}

impl<T: Element> Workspace<T> {
    pub fn new() -> Self {
        Workspace {
            words: Vec::new(),
            starts: Vec::new(),
            codes: Box::new([0; TILE]),
            tile: Box::new([T::default(); MAX_TILE]),
        }
    }

    /// Loads and checks a chunk.
    pub fn load(&mut self, index: &Index<'_>, chunk: u64) -> Result<()> {
        index.load(chunk, &mut self.words, &mut self.starts)
    }
}

impl<'a, T: Element> Decoder<'a, T> {
    pub fn new(header: &'a Header, level: Level) -> Self {
        Decoder {
            step: T::from_f64(header.quantization_step),
            missing_bits: &header.missing_bits,
            research: header.research,
            geometry: header.geometry,
            level,
        }
    }

    /// Decodes the tiles `tiles` (counted within the chunk) of a chunk. `out` takes their elements.
    pub fn chunk(
        &self,
        index: &Index<'_>,
        chunk: u64,
        tiles: Range<usize>,
        out: &mut [T],
        work: &mut Workspace<T>,
    ) -> Result<()> {
        work.load(index, chunk)?;
        self.loaded(index.rates(chunk), tiles, out, work)
    }

    /// The same for the chunk that `work` holds, with its rate bytes.
    pub fn loaded(
        &self,
        rates: &[u8],
        tiles: Range<usize>,
        out: &mut [T],
        work: &mut Workspace<T>,
    ) -> Result<()> {
        match self.level {
            Level::Portable => self.loaded_with(Portable, rates, tiles, out, work),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { self.loaded_avx2(rates, tiles, out, work) }
            }
        }
    }

    /// # Safety
    /// The processor has the named instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
    unsafe fn loaded_avx2(
        &self,
        rates: &[u8],
        tiles: Range<usize>,
        out: &mut [T],
        work: &mut Workspace<T>,
    ) -> Result<()> {
        // SAFETY: the caller vouches for the instructions.
        let simd = unsafe { crate::simd::avx2::Avx2::new() };
        self.loaded_with(simd, rates, tiles, out, work)
    }

    #[inline(always)]
    fn loaded_with<S: Simd>(
        &self,
        simd: S,
        rates: &[u8],
        tiles: Range<usize>,
        out: &mut [T],
        work: &mut Workspace<T>,
    ) -> Result<()> {
        let Workspace { words, starts, codes, tile } = work;
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
        rates[0] & ESCAPES == 0 && self.geometry.is_standard() && self.research.cross_block
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
            out.fill(T::from_code(mu).mul(self.step));
            return;
        }
        unpack::standard(simd, words, rates, codes);
        integrate::standard(simd, codes, variant, mu);
        dequantize(codes, self.step, out);
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
        let shape = tile_shape(rates, out.len(), dtype, self.geometry)?;
        let (coded, escapes) = words.split_at(shape.coded);
        match shape.field {
            Some(Field { kind: Kind::Constant, pattern, .. }) => {
                let bits = pattern_bits(escapes, pattern, dtype, self.missing_bits)?;
                out.fill(T::from_bits64(bits));
            }
            Some(Field { kind: Kind::Verbatim, .. }) => {
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
        dequantize(codes, self.step, tile);
    }
}

/// Order and centering of a tile with codes; takes µ off the front of its words.
#[inline(always)]
fn variant_of(rates: &[u8], words: &mut &[u32]) -> (Variant, i32) {
    let variant = Variant { order: 1 + (rates[0] >> 7), centered: rates[0] & 0x40 != 0 };
    let mut mu = 0;
    if variant.centered {
        mu = words[0] as i32;
        *words = &words[1..];
    }
    (variant, mu)
}
