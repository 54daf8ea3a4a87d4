//! The elements of a chunk to rate bytes and payload words: quantize, predict, choose, pack.

use super::{
    checksum,
    choose::{self, Choice},
    escapes::{Positions, describe, push_bits},
    pack,
    predict::{self, VARIANTS},
};
use crate::{
    element::Element,
    format::{
        CHUNK, EscapeField, Pattern, RateByte, TILE, TILE_BLOCKS,
        geometry::{Geometry, MAX_TILE},
        tile_grid::TileShape,
    },
    missing::is_missing,
    profile::{ChunkEncoder, Plan},
    quantizer::Errors,
    research::Research,
    simd::{Level, Simd, portable::Portable},
    statistics::Statistics,
};

/// Encodes chunks by the paper's profile.
pub(super) struct Encoder<'a, T> {
    plan: &'a Plan<T>,
    research: Research,
    geometry: Geometry,
    level: Level,
    scratch: Box<Scratch<T>>,
}

impl<'a, T: Element> Encoder<'a, T> {
    pub fn new(research: Research, plan: &'a Plan<T>, level: Level) -> Self {
        let geometry = research.own_geometry();
        Encoder { plan, research, geometry, level, scratch: Scratch::new() }
    }
}

impl<T: Element> ChunkEncoder<T> for Encoder<'_, T> {
    fn encode(
        &mut self,
        elements: &[T],
        _: &[TileShape],
        rates: &mut [u8],
        payload: &mut Vec<u32>,
        statistics: &mut Statistics<T>,
    ) -> u32 {
        let Encoder { plan, research, geometry, level, ref mut scratch } = *self;
        let output = &mut Output { payload, statistics, scratch };
        let tiles = &Tiles { plan, research, geometry };
        match level {
            Level::Portable => tiles.encode(Portable, elements, rates, output),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { tiles.encode_avx2(elements, rates, output) }
            }
        }
    }
}

/// What all tiles share.
struct Tiles<'a, T> {
    plan: &'a Plan<T>,
    research: Research,
    geometry: Geometry,
}

/// What tiles are encoded to, and in.
struct Output<'a, T> {
    payload: &'a mut Vec<u32>,
    statistics: &'a mut Statistics<T>,
    scratch: &'a mut Scratch<T>,
}

/// Working memory of one thread.
pub(crate) struct Scratch<T> {
    /// Two places before the first code.
    chain: [i32; TILE + 2],
    codes: [i32; TILE],
    errors: [Errors<T>; TILE],
    coded: [u8; TILE],
    escapes: Vec<u32>,
}

impl<T: Element> Scratch<T> {
    pub fn new() -> Box<Self> {
        Box::new(Scratch {
            chain: [0; TILE + 2],
            codes: [0; TILE],
            errors: [Errors::NONE; TILE],
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

impl<T: Element> Tiles<'_, T> {
    /// # Safety
    /// The processor has the named instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
    unsafe fn encode_avx2(&self, data: &[T], rates: &mut [u8], output: &mut Output<'_, T>) -> u32 {
        // SAFETY: the caller vouches for the instructions.
        let simd = unsafe { crate::simd::avx2::Avx2::new() };
        self.encode(simd, data, rates, output)
    }

    /// Encodes the tiles of a chunk. Returns the chunk's checksum.
    #[inline(always)]
    fn encode<S: Simd>(
        &self,
        simd: S,
        data: &[T],
        rates: &mut [u8],
        output: &mut Output<'_, T>,
    ) -> u32 {
        let mut checksum = 0u32;
        // Those of each tile's blocks, for all rows at once.
        let mut products = [[0; TILE_BLOCKS]; CHUNK / TILE];
        let len = self.geometry.tile_len();
        let tiles = data.chunks(len).zip(rates.chunks_mut(self.geometry.blocks));
        for (t, (tile, rates)) in tiles.enumerate() {
            let begin = output.payload.len();
            let share = if !self.product() {
                let coded = self.research_tile(tile, rates, output);
                let words = &output.payload[begin..];
                checksum::of_tile(simd, rates, words, coded, t * len, self.geometry)
            } else if let Ok(full) = <&[T; TILE]>::try_from(tile)
                && self.plain(simd, full, rates, &mut products[t], output)
            {
                0
            } else {
                let coded = self.irregular(simd, tile, rates, &mut products[t], output);
                checksum::of_escapes(&output.payload[begin + coded..], t * len)
            };
            checksum = checksum.wrapping_add(share);
        }
        if self.product() {
            let tiles = data.len().div_ceil(len);
            checksum = checksum.wrapping_add(simd.hash_rows(&products[..tiles], 0));
        }
        checksum.wrapping_add(checksum::of_rates(rates))
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
        products: &mut [u64; TILE_BLOCKS],
        output: &mut Output<'_, T>,
    ) -> bool {
        let Output { payload, statistics, scratch } = output;
        let (z, known) = (&self.plan.quantizer, self.plan.known);
        let chain = &mut scratch.chain;
        let codes: &mut [i32; TILE] =
            chain.last_chunk_mut().expect("the chain is longer than a tile");
        let plain = if known {
            z.plain_tile::<S, true>(simd, tile, codes)
        } else {
            if self.plan.missing.iter().any(|m| contains(tile, m.to_bits64())) {
                return false;
            }
            z.plain_tile::<S, false>(simd, tile, codes)
        };
        let Some(plain) = plain else { return false };
        predict::extend_left(chain);
        let or = simd.magnitudes(chain);
        let choice = self.choose_standard(simd, chain, TILE, &or);
        if choice.words >= TILE * T::DTYPE.words() {
            return false;
        }
        if !known {
            let range = &mut statistics.range;
            range.min = if plain.min < range.min { plain.min } else { range.min };
            range.max = if plain.max > range.max { plain.max } else { range.max };
        }
        statistics.errors.merge(plain.errors);
        write_rates(&choice, rates);
        pack::standard(simd, chain, &choice, payload, products);
        true
    }

    /// Encodes any tile of standard geometry. Returns the words of µ and blocks.
    #[inline(always)]
    fn irregular<S: Simd>(
        &self,
        simd: S,
        tile: &[T],
        rates: &mut [u8],
        products: &mut [u64; TILE_BLOCKS],
        output: &mut Output<'_, T>,
    ) -> usize {
        let Output { payload, statistics, scratch } = output;
        let Scratch { chain, codes, errors, coded, escapes } = &mut **scratch;
        let Plan { quantizer, missing, missing_bits, ranged, .. } = self.plan;
        quantizer.classify(tile, missing, codes, errors, coded);
        let kept = Positions::of_ones(coded);
        let escaped = self.escaped(tile, kept.complement(tile.len()), statistics);
        let mut len = 0;
        for run in kept.runs() {
            chain[2 + len..2 + len + run.len()].copy_from_slice(&codes[run.clone()]);
            len += run.len();
            if !ranged {
                for &d in &tile[run] {
                    statistics.range.take(d, false);
                }
            }
        }
        if escaped.constant {
            self.constant(tile[0], rates, payload, statistics, tile.len());
            return 0;
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
            _ => {
                describe(tile, &escaped.positions, escaped.special, missing_bits, escapes).map(Some)
            }
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
                pack::standard(simd, chain, &choice, payload, products);
                payload.extend_from_slice(escapes);
                statistics.escaped += escaped.count as u64;
                for run in kept.runs() {
                    errors[run].iter().for_each(|&own| statistics.errors.merge(own));
                }
                choice.words
            }
            _ => verbatim(tile, rates, payload, statistics),
        }
    }

    /// The choice for a chain whose two places before the first code continue it to the left.
    #[inline(always)]
    fn choose_standard<S: Simd>(
        &self,
        simd: S,
        chain: &[i32; TILE + 2],
        len: usize,
        or: &[[u32; TILE_BLOCKS]; 2],
    ) -> Choice {
        let mu = choose::centering_value(&chain[2..2 + len], self.research.centering);
        let first = [chain[2], if len > 1 { chain[3] } else { chain[2] }];
        choose::standard(simd, or, len, first, mu, &self.research)
    }

    /// What is to be known of the escaped elements of a tile; they enter the statistics's range.
    #[inline(always)]
    fn escaped(
        &self,
        tile: &[T],
        positions: Positions,
        statistics: &mut Statistics<T>,
    ) -> Escaped<T> {
        let count = positions.len();
        let mut special = None;
        for i in positions.iter() {
            let missing = is_missing(tile[i], &self.plan.missing);
            if special.is_none() && (missing || !tile[i].is_finite()) {
                special = Some(tile[i]);
                if self.plan.ranged {
                    break;
                }
            }
            if !self.plan.ranged {
                statistics.range.take(tile[i], missing);
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
        statistics: &mut Statistics<T>,
        count: usize,
    ) {
        let bits = value.to_bits64();
        let pattern = if self.geometry.is_standard() {
            Pattern::of(bits, T::DTYPE, &self.plan.missing_bits)
        } else {
            Pattern::InPayload
        };
        rates.fill(0);
        EscapeField::constant(pattern).write(rates);
        if pattern == Pattern::InPayload {
            push_bits(out, bits, T::DTYPE);
        }
        statistics.escaped += count as u64;
    }

    /// Encodes a tile of any geometry, with any switches, element by element. Returns the words of µ and
    /// blocks.
    #[inline(never)]
    fn research_tile(&self, tile: &[T], rates: &mut [u8], output: &mut Output<'_, T>) -> usize {
        let Output { payload: out, statistics, scratch } = output;
        let standard = self.geometry.is_standard();
        let mut codes = [0i32; MAX_TILE];
        let mut len = 0;
        let mut errors = Errors::NONE;
        let mut positions = Positions::default();
        let mut special = None;
        for (i, &d) in tile.iter().enumerate() {
            let missing = is_missing(d, &self.plan.missing);
            statistics.range.take(d, missing);
            let code = if missing { None } else { self.plan.quantizer.code(d) };
            if let Some((q, own)) = code {
                codes[len] = q;
                len += 1;
                errors.merge(own);
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
            self.constant(tile[0], rates, out, statistics, tile.len());
            return 0;
        }
        let exceptions = tile.len() - len;
        scratch.escapes.clear();
        let field = match exceptions {
            0 => Some(None),
            _ if !standard => None,
            _ => describe(tile, &positions, special, &self.plan.missing_bits, &mut scratch.escapes)
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
                statistics.escaped += exceptions as u64;
                statistics.errors.merge(errors);
                choice.words
            }
            _ => verbatim(tile, rates, out, statistics),
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

/// Stores a tile as it is: no words of µ and blocks.
fn verbatim<T: Element>(
    tile: &[T],
    rates: &mut [u8],
    out: &mut Vec<u32>,
    statistics: &mut Statistics<T>,
) -> usize {
    rates.fill(0);
    EscapeField::verbatim().write(rates);
    for &d in tile {
        push_bits(out, d.to_bits64(), T::DTYPE);
    }
    statistics.escaped += tile.len() as u64;
    0
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
    if choice.variant.order == 2 {
        rates[0] |= RateByte::ORDER2;
    }
    if choice.variant.centered {
        rates[0] |= RateByte::CENTERED;
    }
}
