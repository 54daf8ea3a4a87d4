//! One chunk of a field to rate bytes and payload words: quantize, predict, choose, pack.

use crate::{
    bound::Quantizer,
    certificate::Tally,
    checksum::{WeightedSum, tile_share},
    choose::{self, Choice},
    element::Element,
    escape::{Field, Pattern, Positions, describe, push_bits},
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
    /// The range is known; the tally's is not used.
    pub ranged: bool,
}

/// Working memory of one thread.
pub(crate) struct Scratch<T> {
    /// Two places before the first code.
    chain: [i32; TILE + 2],
    codes: [i32; TILE],
    errors: [T; TILE],
    coded: [u8; TILE],
    escapes: Vec<u32>,
}

impl<T: Element> Scratch<T> {
    pub fn new() -> Box<Self> {
        Box::new(Scratch {
            chain: [0; TILE + 2],
            codes: [0; TILE],
            errors: [T::ZERO; TILE],
            coded: [0; TILE],
            escapes: Vec::new(),
        })
    }
}

/// The elements of a tile that have no code.
struct Escaped<T> {
    positions: Positions,
    /// The first of them that is missing, NaN or infinite.
    special: Option<T>,
    count: usize,
    /// All elements of the tile are escaped and have the same bits.
    constant: bool,
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
        scratch: &mut Scratch<T>,
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
        scratch: &mut Scratch<T>,
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
        scratch: &mut Scratch<T>,
        tally: &mut Tally<T>,
    ) -> u32 {
        let mut checksum = 0u32;
        let tiles = data.chunks(self.geometry.tile_len());
        for (t, (tile, rates)) in tiles.zip(rates.chunks_mut(self.geometry.blocks)).enumerate() {
            let begin = out.len();
            if !self.product() {
                self.research_tile(tile, rates, out, scratch, tally);
            } else if let Ok(full) = <&[T; TILE]>::try_from(tile)
                && self.plain(simd, full, rates, out, scratch, tally)
            {
            } else {
                self.irregular(simd, tile, rates, out, scratch, tally);
            }
            let sum = WeightedSum::new().rates(rates).words(&out[begin..]);
            checksum = checksum.wrapping_add(tile_share(sum.value(), t));
        }
        checksum
    }

    /// Whether the geometry is the standard one and prediction crosses blocks.
    fn product(&self) -> bool {
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
        scratch: &mut Scratch<T>,
        tally: &mut Tally<T>,
    ) -> bool {
        let chain = &mut scratch.chain;
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
        let or = simd.magnitudes(chain);
        let choice = self.choose_standard(simd, chain, TILE, &or);
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
        write_rates(&choice, rates);
        pack::standard(simd, chain, &choice, out);
        true
    }

    /// Encodes any tile of standard geometry.
    #[inline(always)]
    fn irregular<S: Simd>(
        &self,
        simd: S,
        tile: &[T],
        rates: &mut [u8],
        out: &mut Vec<u32>,
        scratch: &mut Scratch<T>,
        tally: &mut Tally<T>,
    ) {
        let Scratch { chain, codes, errors, coded, escapes } = scratch;
        quantize::classify(tile, &self.quantizer, &self.missing, codes, errors, coded);
        let kept = Positions::of_ones(coded);
        let escaped = self.escaped(tile, kept.complement(tile.len()), tally);
        let mut len = 0;
        for run in kept.runs() {
            chain[2 + len..2 + len + run.len()].copy_from_slice(&codes[run.clone()]);
            len += run.len();
            if !self.ranged {
                for &d in &tile[run] {
                    tally.range.take(d, false);
                }
            }
        }
        if escaped.constant {
            return self.constant(tile[0], rates, out, tally, tile.len());
        }
        let mut choice = Choice::NOTHING;
        if len > 0 {
            predict::extend_right(chain, len, 1);
            predict::extend_left(chain);
            let mut or = simd.magnitudes(chain);
            if let Some(last) = or[1].get_mut(len / 32) {
                // The second differences do not end where the chain does.
                let block = &chain[len / 32 * 32..len + 2];
                *last = block.windows(3).fold(0, |or, w| {
                    let second = w[2].wrapping_sub(w[1]).wrapping_sub(w[1].wrapping_sub(w[0]));
                    or | second.unsigned_abs()
                });
            }
            choice = self.choose_standard(simd, chain, len, &or);
        }
        escapes.clear();
        let field = match escaped.count {
            0 => Some(None),
            _ => describe(tile, &escaped.positions, escaped.special, &self.missing_bits, escapes)
                .map(Some),
        };
        match field {
            Some(field) if choice.words + escapes.len() < tile.len() * T::DTYPE.words() => {
                write_rates(&choice, rates);
                if let Some(field) = field {
                    field.write(rates);
                }
                if choice.variant.order == 2 {
                    predict::extend_right(chain, len, 2);
                }
                pack::standard(simd, chain, &choice, out);
                out.extend_from_slice(escapes);
                tally.escaped += escaped.count as u64;
                for run in kept.runs() {
                    for &e in &errors[run] {
                        tally.max_error = if e > tally.max_error { e } else { tally.max_error };
                    }
                }
            }
            _ => verbatim(tile, rates, out, tally),
        }
    }

    /// The choice for a chain whose two places before the first code continue it to the left.
    #[inline(always)]
    fn choose_standard<S: Simd>(
        &self,
        simd: S,
        chain: &[i32; TILE + 2],
        len: usize,
        or: &[[u32; 8]; 2],
    ) -> Choice {
        let mu = choose::centering_value(&chain[2..2 + len], self.research.centering);
        let first = [chain[2], if len > 1 { chain[3] } else { chain[2] }];
        choose::standard(simd, or, len, first, mu, &self.research)
    }

    /// What is to be known of the escaped elements of a tile; they enter the tally's range.
    #[inline(always)]
    fn escaped(&self, tile: &[T], positions: Positions, tally: &mut Tally<T>) -> Escaped<T> {
        let count = positions.len();
        let mut special = None;
        for i in positions.iter() {
            let missing = is_missing(tile[i], &self.missing);
            if special.is_none() && (missing || !tile[i].is_finite()) {
                special = Some(tile[i]);
                if self.ranged {
                    break;
                }
            }
            if !self.ranged {
                tally.range.take(tile[i], missing);
            }
        }
        let constant =
            count == tile.len() && tile.iter().all(|d| d.to_bits64() == tile[0].to_bits64());
        Escaped { positions, special, count, constant }
    }

    fn constant(
        &self,
        value: T,
        rates: &mut [u8],
        out: &mut Vec<u32>,
        tally: &mut Tally<T>,
        count: usize,
    ) {
        let bits = value.to_bits64();
        let pattern = if self.geometry.is_standard() {
            Pattern::of(bits, T::DTYPE, &self.missing_bits)
        } else {
            Pattern::InPayload
        };
        rates.fill(0);
        Field::constant(pattern).write(rates);
        if pattern == Pattern::InPayload {
            push_bits(out, bits, T::DTYPE);
        }
        tally.escaped += count as u64;
    }

    /// Encodes a tile of any geometry, with any switches, element by element.
    #[inline(never)]
    fn research_tile(
        &self,
        tile: &[T],
        rates: &mut [u8],
        out: &mut Vec<u32>,
        scratch: &mut Scratch<T>,
        tally: &mut Tally<T>,
    ) {
        let standard = self.geometry.is_standard();
        let mut codes = [0i32; MAX_TILE];
        let mut len = 0;
        let mut max_error = T::ZERO;
        let mut positions = Positions::default();
        let mut special = None;
        for (i, &d) in tile.iter().enumerate() {
            let missing = is_missing(d, &self.missing);
            tally.range.take(d, missing);
            if let Some((q, error)) =
                if missing { None } else { quantize::code(d, &self.quantizer) }
            {
                codes[len] = q;
                len += 1;
                max_error = if error > max_error { error } else { max_error };
                continue;
            }
            if standard {
                positions.insert(i);
            }
            if special.is_none() && (missing || !d.is_finite()) {
                special = Some(d);
            }
        }
        if len == 0 && tile.iter().all(|d| d.to_bits64() == tile[0].to_bits64()) {
            return self.constant(tile[0], rates, out, tally, tile.len());
        }
        let exceptions = tile.len() - len;
        scratch.escapes.clear();
        let field = match exceptions {
            0 => Some(None),
            _ if !standard => None,
            _ => describe(tile, &positions, special, &self.missing_bits, &mut scratch.escapes)
                .map(Some),
        };
        let (choice, residuals) = self.choose(&codes[..len]);
        match field {
            Some(field) if choice.words + scratch.escapes.len() < tile.len() * T::DTYPE.words() => {
                write_rates(&choice, rates);
                if let Some(field) = field {
                    field.write(rates);
                }
                pack::any(&residuals[..self.geometry.tile_len()], &choice, self.geometry, out);
                out.extend_from_slice(&scratch.escapes);
                tally.escaped += exceptions as u64;
                tally.max_error =
                    if max_error > tally.max_error { max_error } else { tally.max_error };
            }
            _ => verbatim(tile, rates, out, tally),
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

/// Stores a tile as it is.
fn verbatim<T: Element>(tile: &[T], rates: &mut [u8], out: &mut Vec<u32>, tally: &mut Tally<T>) {
    rates.fill(0);
    Field::verbatim().write(rates);
    for &d in tile {
        push_bits(out, d.to_bits64(), T::DTYPE);
    }
    tally.escaped += tile.len() as u64;
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
