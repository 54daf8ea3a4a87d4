//! One chunk of a field to rate bytes and payload words: quantize, predict, choose, pack.

use crate::{
    bound::Quantizer,
    certificate::Tally,
    checksum::{WeightedSum, tile_share},
    choose::{self, Choice},
    element::Element,
    escape::{Exceptions, Field, Pattern, Positions, push_bits},
    geometry::{Geometry, MAX_TILE, TILE},
    options::Research,
    pack,
    predict::{self, VARIANTS},
    quantize,
    simd::{Level, Simd, portable::Portable},
    survey::is_missing,
};

/// What all tiles of a field share.
#[derive(Clone, Debug)]
pub(crate) struct Encoder<T> {
    pub quantizer: Quantizer<T>,
    pub missing: Vec<T>,
    pub missing_bits: Vec<u64>,
    pub research: Research,
    pub geometry: Geometry,
    /// The range is known, every element is finite and not missing, and every code is in reach of
    /// [`quantize::plain_tile`]; the tally then leaves the range out.
    pub known: bool,
}

/// Working memory of one thread.
pub(crate) struct Scratch {
    /// Two places before the first code.
    chain: [i32; TILE + 2],
    first: [i32; TILE],
    second: [i32; TILE],
}

impl Scratch {
    pub fn new() -> Box<Self> {
        Box::new(Scratch { chain: [0; TILE + 2], first: [0; TILE], second: [0; TILE] })
    }
}

impl<T: Element> Encoder<T> {
    /// Encodes one chunk: its rate bytes to `rates`, its payload appended to `out`. Returns the chunk's
    /// checksum.
    pub fn chunk(
        &self,
        level: Level,
        data: &[T],
        rates: &mut [u8],
        out: &mut Vec<u32>,
        scratch: &mut Scratch,
        tally: &mut Tally<T>,
    ) -> u32 {
        match level {
            Level::Portable => self.chunk_with(Portable, data, rates, out, scratch, tally),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { self.chunk_avx2(data, rates, out, scratch, tally) }
            }
        }
    }

    /// # Safety
    /// The processor has the named instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
    unsafe fn chunk_avx2(
        &self,
        data: &[T],
        rates: &mut [u8],
        out: &mut Vec<u32>,
        scratch: &mut Scratch,
        tally: &mut Tally<T>,
    ) -> u32 {
        // SAFETY: the caller vouches for the instructions.
        let simd = unsafe { crate::simd::avx2::Avx2::new() };
        self.chunk_with(simd, data, rates, out, scratch, tally)
    }

    #[inline(always)]
    fn chunk_with<S: Simd>(
        &self,
        simd: S,
        data: &[T],
        rates: &mut [u8],
        out: &mut Vec<u32>,
        scratch: &mut Scratch,
        tally: &mut Tally<T>,
    ) -> u32 {
        let mut checksum = 0u32;
        let tiles = data.chunks(self.geometry.tile_len());
        for (t, (tile, rates)) in tiles.zip(rates.chunks_mut(self.geometry.blocks)).enumerate() {
            let begin = out.len();
            match <&[T; TILE]>::try_from(tile) {
                Ok(full) if self.fast_path() => {
                    if !self.plain(simd, full, rates, out, scratch, tally) {
                        self.careful(tile, rates, out, tally);
                    }
                }
                _ => self.careful(tile, rates, out, tally),
            }
            let sum = WeightedSum::new().rates(rates).words(&out[begin..]);
            checksum = checksum.wrapping_add(tile_share(sum.value(), t));
        }
        checksum
    }

    fn fast_path(&self) -> bool {
        self.geometry.is_standard() && self.research.cross_block
    }

    /// Encodes a full tile whose elements all have codes. Returns false, having done nothing, for another.
    #[inline(always)]
    fn plain<S: Simd>(
        &self,
        simd: S,
        tile: &[T; TILE],
        rates: &mut [u8],
        out: &mut Vec<u32>,
        scratch: &mut Scratch,
        tally: &mut Tally<T>,
    ) -> bool {
        let Scratch { chain, first, second } = scratch;
        let codes: &mut [i32; TILE] =
            chain.last_chunk_mut().expect("the chain is longer than a tile");
        let plain = if self.known {
            quantize::plain_tile::<T, S, true>(simd, tile, &self.quantizer, codes)
        } else {
            if self.missing.iter().any(|m| contains(tile, m.to_bits64())) {
                return false;
            }
            quantize::plain_tile::<T, S, false>(simd, tile, &self.quantizer, codes)
        };
        let Some(plain) = plain else { return false };
        predict::extend_left(chain);
        let or = simd.differences(chain, first, second);
        let (q0, q1) = (chain[2], chain[3]);
        let mu = choose::centering_value(&chain[2..], self.research.centering);
        let choice = choose::standard(&or, q0, q1, mu, &self.research);
        if choice.words >= TILE * T::DTYPE.words() {
            return false;
        }
        if !self.known {
            tally.range.min = if plain.min < tally.range.min { plain.min } else { tally.range.min };
            tally.range.max = if plain.max > tally.range.max { plain.max } else { tally.range.max };
        }
        if plain.max_error > tally.max_error {
            tally.max_error = plain.max_error;
        }
        let residuals = if choice.variant.order == 1 { first } else { second };
        residuals[..2].copy_from_slice(&predict::boundary(choice.variant.order, q0, q1, choice.mu));
        write_rates(&choice, rates);
        pack::standard(simd, residuals, &choice, out);
        true
    }

    /// Encodes any tile, in any geometry, element by element.
    #[inline(never)]
    fn careful(&self, tile: &[T], rates: &mut [u8], out: &mut Vec<u32>, tally: &mut Tally<T>) {
        let dtype = T::DTYPE;
        let mut codes = [0i32; MAX_TILE];
        let mut len = 0;
        let mut max_error = T::ZERO;
        let mut escaped = Positions::default();
        let mut special = None;
        let mut constant = true;
        for (i, &d) in tile.iter().enumerate() {
            let missing = is_missing(d, &self.missing);
            tally.range.take(d, missing);
            constant &= d.to_bits64() == tile[0].to_bits64();
            match if missing { None } else { quantize::code(d, &self.quantizer) } {
                Some((q, error)) => {
                    codes[len] = q;
                    len += 1;
                    max_error = if error > max_error { error } else { max_error };
                }
                None => {
                    if self.geometry.is_standard() {
                        escaped.insert(i);
                    }
                    if special.is_none() && (missing || !d.is_finite()) {
                        special = Some(d);
                    }
                }
            }
        }
        let codes = &codes[..len];
        let exceptions = tile.len() - len;
        rates.fill(0);
        if len == 0 && constant {
            self.constant(tile[0], rates, out);
            tally.escaped += tile.len() as u64;
            return;
        }

        let described = if exceptions == 0 {
            Some(None)
        } else if self.geometry.is_standard() {
            Exceptions::describe(tile, &escaped, special, &self.missing_bits).map(Some)
        } else {
            None
        };
        if let Some(exceptions_of_tile) = described {
            let (choice, residuals) = self.choose(codes);
            let extra = exceptions_of_tile.as_ref().map_or(&[][..], Exceptions::words);
            if choice.words + extra.len() < tile.len() * dtype.words() {
                write_rates(&choice, rates);
                if let Some(e) = &exceptions_of_tile {
                    e.field.write(rates);
                }
                pack::any(&residuals[..self.geometry.tile_len()], &choice, self.geometry, out);
                out.extend_from_slice(extra);
                tally.escaped += exceptions as u64;
                tally.max_error =
                    if max_error > tally.max_error { max_error } else { tally.max_error };
                return;
            }
        }
        Field::verbatim().write(rates);
        for &d in tile {
            push_bits(out, d.to_bits64(), dtype);
        }
        tally.escaped += tile.len() as u64;
    }

    fn constant(&self, value: T, rates: &mut [u8], out: &mut Vec<u32>) {
        let bits = value.to_bits64();
        let pattern = if self.geometry.is_standard() {
            Pattern::of(bits, T::DTYPE, &self.missing_bits)
        } else {
            Pattern::InPayload
        };
        Field::constant(pattern).write(rates);
        if pattern == Pattern::InPayload {
            push_bits(out, bits, T::DTYPE);
        }
    }

    /// The cheapest variant of a chain and its residuals, by evaluating each.
    fn choose(&self, codes: &[i32]) -> (Choice, [i32; MAX_TILE]) {
        let mut best = ([0; MAX_TILE], Choice::NOTHING);
        if codes.is_empty() {
            return (best.1, best.0);
        }
        best.1.words = usize::MAX;
        let mean = choose::centering_value(codes, self.research.centering);
        let len = self.geometry.tile_len();
        for variant in VARIANTS {
            if !choose::allowed(variant, &self.research) {
                continue;
            }
            let mu = if variant.centered { mean } else { 0 };
            let mut residuals = [0; MAX_TILE];
            let cross_block = self.research.cross_block;
            predict::residuals(
                codes,
                variant.order,
                mu,
                self.geometry,
                cross_block,
                &mut residuals[..len],
            );
            let (rates, words) = choose::measure(&residuals[..len], self.geometry);
            let words = words + usize::from(variant.centered);
            if words < best.1.words {
                best = (residuals, Choice { variant, mu, rates, words });
            }
        }
        (best.1, best.0)
    }
}

/// Whether an element has these bits.
#[inline(always)]
fn contains<T: Element>(tile: &[T; TILE], bits: u64) -> bool {
    let mut found = false;
    for d in tile {
        found |= d.to_bits64() == bits;
    }
    found
}

fn write_rates(choice: &Choice, rates: &mut [u8]) {
    let blocks = rates.len();
    rates.copy_from_slice(&choice.rates[..blocks]);
    rates[0] |= (choice.variant.order - 1) << 7 | u8::from(choice.variant.centered) << 6;
}
