//! The encoder as FORMAT.md states it, one element and one bit at a time, sharing no code with the codec.

use fsz::{Bound, Centering, DType, Element, Research};

use super::relative::Relative;

/// What a compression is told, spelled out.
#[derive(Clone, Debug)]
pub struct Request {
    pub shape: Vec<u64>,
    pub bound: Bound,
    pub missing: Vec<f64>,
    pub research: Research,
    pub name: Option<String>,
    pub step: Option<u64>,
    pub start: Option<Vec<u64>>,
}

impl Request {
    pub fn new(shape: &[u64], bound: Bound) -> Self {
        Request {
            shape: shape.to_vec(),
            bound,
            missing: Vec::new(),
            research: Research::default(),
            name: None,
            step: None,
            start: None,
        }
    }

    pub fn options(&self) -> fsz::CompressOptions {
        let mut o = fsz::CompressOptions::new(self.bound).research(self.research);
        for &m in &self.missing {
            o = o.missing(m);
        }
        if let Some(name) = &self.name {
            o = o.name(name);
        }
        if let Some(step) = self.step {
            o = o.time_step(step);
        }
        if let Some(start) = &self.start {
            o = o.start(start);
        }
        o
    }
}

struct Tile {
    rates: Vec<u8>,
    words: Vec<u32>,
    /// Words of µ and blocks.
    coded: usize,
}

/// The stream of `data`.
pub fn encode<T: Element>(data: &[T], request: &Request) -> Vec<u8> {
    let n = data.len();
    let f32_type = T::DTYPE == DType::F32;
    let missing: Vec<u64> = request.missing.iter().map(|&m| T::from_f64(m).to_bits64()).collect();
    let is_missing = |d: T| missing.contains(&d.to_bits64());
    let finite = |d: T| d.to_f64().is_finite() && !is_missing(d);

    // Bound
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for &d in data.iter().filter(|&&d| finite(d)) {
        min = min.min(d.to_f64());
        max = max.max(d.to_f64());
    }
    let (min, max) = (min + 0.0, max + 0.0);
    let any = min <= max;
    let range = |a: f64, b: f64| if (b - a).is_finite() { b - a } else { f64::MAX };
    let (asked, kind, eb, m) = match request.bound {
        Bound::Absolute(e) => {
            let mut sampled = 0f64;
            for k in 0u64.. {
                let run = (4096 * k) as usize;
                if run >= n {
                    break;
                }
                let i = run + (k * 2654435761 % (1 << 32) % 4096) as usize;
                if i < n && finite(data[i]) {
                    sampled = sampled.max(data[i].to_f64().abs());
                }
            }
            (e, 0u8, e, 1.25 * sampled)
        }
        Bound::ValueRange(r) if any => (r, 1, r * range(min, max), min.abs().max(max.abs())),
        Bound::ValueRange(r) => (r, 1, 0.0, 0.0),
        Bound::ValueRangeOf { ratio, min, max } => {
            (ratio, 2, ratio * range(min, max), min.abs().max(max.abs()))
        }
        Bound::Relative { eps, floor } => {
            let largest = eps * min.abs().max(max.abs());
            (eps, 3, if any { largest.max(floor) } else { floor }, 0.0)
        }
        other => panic!("{other:?} is searched by the codec"),
    };
    // Quantization step
    let toward_zero = |x: f64| -> f64 {
        if f32_type {
            let mut y = x as f32;
            if y.is_infinite() {
                y = f32::MAX;
            }
            while y as f64 > x {
                y = y.next_down();
            }
            y as f64
        } else {
            x
        }
    };
    let e = toward_zero(eb);
    let step_of = |e: f64, m: f64| {
        let slack = e / 8192.0 + if f32_type { 1.04 * m / 16777216.0 } else { 0.0 };
        let most = 2f64.powi(if f32_type { 126 } else { 1022 });
        let target = f64::max(2.0 * (e - slack), e).min(most);
        let smallest = if f32_type { f32::MIN_POSITIVE as f64 } else { f64::MIN_POSITIVE };
        if target < smallest {
            return (0.0, 0.0);
        }
        if !f32_type {
            return (target, 1.0 / target);
        }
        let mut s = toward_zero(target) as f32;
        let (mut best, mut miss) = (s, f64::INFINITY);
        for _ in 0..4096 {
            let off = ((1.0 / s) as f64 * s as f64 - 1.0).abs();
            if off < miss {
                (best, miss) = (s, off);
            }
            if off <= 2f64.powi(-32) {
                break;
            }
            s = s.next_down();
            if s < f32::MIN_POSITIVE {
                break;
            }
        }
        (best as f64, (1.0 / best) as f64)
    };
    let relative = match request.bound {
        Bound::Relative { eps, floor } => {
            Some(Relative::new((eps, floor), data, finite, toward_zero, step_of))
        }
        _ => None,
    };
    let (step, inverse) = if relative.is_some() { (0.0, 0.0) } else { step_of(e, m) };
    let mut shares = 0f64;

    // Quantize
    let quantize = |d: T| -> Option<(i64, f64)> {
        if let Some(relative) = &relative {
            let (q, error, _) = if finite(d) { relative.code(d) } else { None }?;
            return Some((q, error));
        }
        if !finite(d) || step == 0.0 {
            return None;
        }
        let q = (d.to_f64() * inverse).round_ties_even();
        if q.abs() > 536870911.0 {
            return None;
        }
        let error = if f32_type {
            ((d.to_f64() as f32) - (q as f32) * (step as f32)).abs() as f64
        } else {
            (d.to_f64() - q * step).abs()
        };
        (error <= e).then_some((q as i64, error))
    };

    let tile_len = request.research.block_len * request.research.blocks_per_tile;
    let mut largest = 0f64;
    let mut escaped = 0u64;
    let tiles: Vec<Tile> = data
        .chunks(tile_len)
        .map(|elements| {
            let codes: Vec<Option<(i64, f64)>> = elements.iter().map(|&d| quantize(d)).collect();
            let special = elements
                .iter()
                .zip(&codes)
                .find(|(d, c)| c.is_none() && !finite(**d))
                .map(|(d, _)| d.to_bits64());
            let bits: Vec<u64> = elements.iter().map(|d| d.to_bits64()).collect();
            let chain: Vec<i64> = codes.iter().flatten().map(|c| c.0).collect();
            let (tile, exact) = tile::<T>(&bits, &codes, &chain, special, &missing, request);
            escaped += exact as u64;
            if exact != elements.len() {
                for (_, error) in codes.iter().flatten() {
                    largest = largest.max(*error);
                }
                for d in elements.iter().filter(|&&d| finite(d)) {
                    let share = relative.as_ref().and_then(|r| r.code(*d)).map_or(0.0, |c| c.2);
                    shares = shares.max(share);
                }
            }
            tile
        })
        .collect();

    // Sections
    let count = |f: &dyn Fn(T) -> bool| data.iter().filter(|&&d| f(d)).count() as u64;
    let nan = count(&|d| !is_missing(d) && d.to_f64().is_nan());
    let inf = count(&|d| !is_missing(d) && d.to_f64().is_infinite());
    let gone = count(&|d| is_missing(d));
    let pad = |bytes: &mut Vec<u8>| bytes.resize(bytes.len().next_multiple_of(16), 0);
    let (mut rates, mut sizes, mut offsets, mut sums) = (vec![], vec![], vec![], vec![]);
    let mut payload: Vec<u32> = vec![];
    for (c, chunk) in tiles.chunks(16384 / tile_len).enumerate() {
        if c % 64 == 0 {
            offsets.extend((payload.len() as u64).to_le_bytes());
        }
        let begin = payload.len();
        let chunk_rates: Vec<u8> = chunk.iter().flat_map(|t| t.rates.clone()).collect();
        let mut sum = rows(&words_of(&chunk_rates), 512);
        for (t, tile) in chunk.iter().enumerate() {
            rates.extend(&tile.rates);
            payload.extend(&tile.words);
            sum = sum.wrapping_add(share(tile, t * tile_len, request.research.block_len));
        }
        sizes.extend(u16::try_from(payload.len() - begin).expect("fits").to_le_bytes());
        sums.extend(sum.to_le_bytes());
    }
    let mut metadata = vec![];
    for section in [rates, sizes, offsets, sums] {
        metadata.extend(section);
        pad(&mut metadata);
    }

    // Header
    let mut h = b"\x89FSZ\r\n\x1a\n".to_vec();
    h.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    h.extend([0; 8]);
    let r = &request.research;
    let features = u8::from(r.cross_block)
        + 2 * u8::from(r.centering != Centering::Off)
        + 4 * u8::from(r.order2)
        + 8 * u8::from(r.centering == Centering::Mean);
    let logs = [if r.block_len == 64 { 6 } else { 5 }, r.blocks_per_tile.trailing_zeros() as u8];
    h.extend([if f32_type { 1 } else { 2 }, request.shape.len() as u8, 0, 0]);
    h.extend([logs[0], logs[1], features, 0]);
    for x in [asked, eb, step] {
        h.extend(x.to_le_bytes());
    }
    let flags = u8::from(request.name.is_some())
        + 2 * u8::from(request.step.is_some())
        + 4 * u8::from(request.start.is_some());
    h.extend([kind, missing.len() as u8, flags, 0]);
    h.extend(rows(&words_of(&metadata), 0).to_le_bytes());
    h.extend((4 * payload.len() as u64).to_le_bytes());
    h.extend((n as u64).to_le_bytes());
    h.extend(largest.to_le_bytes());
    for end in [min, max] {
        h.extend(if any { end.to_le_bytes() } else { 0x7FF8_0000_0000_0000u64.to_le_bytes() });
    }
    for x in [nan, inf, gone, escaped, request.step.unwrap_or(0)] {
        h.extend(x.to_le_bytes());
    }
    for x in request.shape.iter().chain(request.start.iter().flatten()).chain(&missing) {
        h.extend(x.to_le_bytes());
    }
    if let Some(relative) = &relative {
        h.extend(relative.part(shares));
    }
    if let Some(name) = &request.name {
        h.extend((name.len() as u16).to_le_bytes());
        h.extend(name.as_bytes());
    }
    pad(&mut h);
    let header_len = h.len() as u16;
    h[10..12].copy_from_slice(&header_len.to_le_bytes());
    let total = (h.len() + metadata.len() + 4 * payload.len()) as u64;
    h[16..24].copy_from_slice(&total.to_le_bytes());
    let sum = rows(&words_of(&h), 0);
    h[12..16].copy_from_slice(&sum.to_le_bytes());

    h.extend(metadata);
    h.extend(payload.iter().flat_map(|w| w.to_le_bytes()));
    h
}

/// One tile, and how many of its elements are stored exactly.
fn tile<T: Element>(
    bits: &[u64],
    codes: &[Option<(i64, f64)>],
    chain: &[i64],
    special: Option<u64>,
    missing: &[u64],
    request: &Request,
) -> (Tile, usize) {
    let wide = T::DTYPE == DType::F64;
    let r = &request.research;
    let standard = r.block_len == 32 && r.blocks_per_tile == 8;
    let push = |words: &mut Vec<u32>, b: u64| {
        words.push(b as u32);
        if wide {
            words.push((b >> 32) as u32);
        }
    };
    let number = |b: u64| -> u32 {
        let quiet: [u64; 2] =
            if wide { [0x7FF8 << 48, 0xFFF8 << 48] } else { [0x7FC0_0000, 0xFFC0_0000] };
        match b {
            _ if b == quiet[0] => 0,
            _ if b == quiet[1] => 1,
            _ if missing.first() == Some(&b) => 2,
            _ => 3,
        }
    };
    let escape = |rates: &mut Vec<u8>, field: u32| {
        rates[0] |= 0x20;
        for k in 1..rates.len().min(8) {
            rates[k] |= ((field >> (3 * (k - 1)) & 7) as u8) << 5;
        }
    };
    let mut rates = vec![0u8; r.blocks_per_tile];
    let mut words = vec![];

    if chain.is_empty() && bits.iter().all(|&b| b == bits[0]) {
        let pattern = if standard { number(bits[0]) } else { 3 };
        escape(&mut rates, 1 | pattern << 2);
        if pattern == 3 {
            push(&mut words, bits[0]);
        }
        return (Tile { rates, words, coded: 0 }, bits.len());
    }

    let exceptions = codes.iter().filter(|c| c.is_none()).count();
    let masked = |i: usize| codes[i].is_none() && special == Some(bits[i]);
    let listed: Vec<usize> =
        (0..bits.len()).filter(|&i| codes[i].is_none() && !masked(i)).collect();
    if exceptions == 0 || standard && listed.len() <= 255 {
        let (order, mu, residuals) = cheapest(chain, r);
        if let Some(mu) = mu {
            rates[0] |= 0x40;
            words.push(mu as i32 as u32);
        }
        rates[0] |= (order as u8 - 1) << 7;
        for (k, block) in residuals.chunks(r.block_len).enumerate() {
            let rate = rate_of(block);
            rates[k] |= rate as u8;
            if rate > 0 {
                for plane in 0..=rate {
                    for half in block.chunks(32) {
                        let mut word = 0u32;
                        for (i, l) in half.iter().enumerate() {
                            let bit = match plane {
                                0 => u32::from(*l < 0),
                                _ => (l.unsigned_abs() >> (plane - 1)) as u32 & 1,
                            };
                            word |= bit << (31 - i);
                        }
                        words.push(word);
                    }
                }
            }
        }
        let coded = words.len();
        if exceptions > 0 {
            let mut field = 0;
            if let Some(s) = special {
                field |= number(s) << 2;
                if number(s) == 3 {
                    push(&mut words, s);
                }
                let mut ends = vec![];
                for i in 0..bits.len() {
                    if masked(i) != (ends.len() % 2 == 1) {
                        ends.push(i as u8);
                    }
                }
                if ends.len() > 32 {
                    field |= 63 << 4;
                    for w in 0..8 {
                        let mut word = 0u32;
                        for i in 0..32 {
                            let at = 32 * w + i;
                            word |= u32::from(at < bits.len() && masked(at)) << (31 - i);
                        }
                        words.push(word);
                    }
                } else {
                    field |= (ends.len() as u32) << 4;
                    ends.resize(ends.len().next_multiple_of(4), 0);
                    words.extend(words_of(&ends));
                }
            }
            field |= (listed.len() as u32) << 10;
            let mut positions: Vec<u8> = listed.iter().map(|&i| i as u8).collect();
            positions.resize(positions.len().next_multiple_of(4), 0);
            words.extend(words_of(&positions));
            for &i in &listed {
                push(&mut words, bits[i]);
            }
            escape(&mut rates, field);
        }
        if 4 * words.len() < bits.len() * T::DTYPE.size() {
            return (Tile { rates, words, coded }, exceptions);
        }
    }
    rates.fill(0);
    words.clear();
    escape(&mut rates, 2);
    bits.iter().for_each(|&b| push(&mut words, b));
    (Tile { rates, words, coded: 0 }, bits.len())
}

fn rate_of(block: &[i64]) -> u32 {
    64 - block.iter().map(|l| l.unsigned_abs()).max().unwrap_or(0).leading_zeros()
}

/// Order, µ and residuals of a variant.
type Variant = (usize, Option<i64>, Vec<i64>);

/// The cheapest variant.
fn cheapest(chain: &[i64], r: &Research) -> Variant {
    let len = r.block_len * r.blocks_per_tile;
    let mut best: Option<(i64, Variant)> = None;
    for (order, centered) in [(1, false), (2, false), (1, true), (2, true)] {
        if order == 2 && !r.order2 || centered && r.centering == Centering::Off {
            continue;
        }
        if chain.is_empty() && centered {
            continue;
        }
        let mu = match r.centering {
            _ if !centered => 0,
            Centering::Mean => {
                let sum: i64 = chain.iter().sum();
                (sum as f64 / chain.len() as f64).round_ties_even() as i64
            }
            _ => chain[0],
        };
        let mut residuals = vec![0; len];
        for i in 0..chain.len() {
            let back = |k: usize| {
                let first = if r.cross_block { 0 } else { i / r.block_len * r.block_len };
                if i >= first + k { chain[i - k] - mu } else { 0 }
            };
            residuals[i] = match order {
                1 => back(0) - back(1),
                _ => back(0) - 2 * back(1) + back(2),
            };
        }
        let mut cost = 4 * i64::from(centered);
        for block in residuals.chunks(r.block_len) {
            let rate = rate_of(block) as i64;
            cost += if rate == 0 { 0 } else { (4 + 4 * rate) * (r.block_len as i64 / 32) };
        }
        if best.as_ref().is_none_or(|(c, _)| cost < *c) {
            best = Some((cost, (order, centered.then_some(mu), residuals)));
        }
    }
    best.expect("order 1 is always there").1
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|b| b.iter().rev().fold(0, |w, &x| w << 8 | x as u32)).collect()
}

fn row(id: usize, words: impl Iterator<Item = (u32, usize)>) -> u32 {
    let key = (id as u128 + 1) * 0x9E37_79B9;
    let products: u128 = words.map(|(w, j)| w as u128 * MULTIPLIERS[j] as u128).sum();
    mix((key + products % ((1 << 32) + 1)) as u32)
}

/// Rows of four words.
pub fn rows(words: &[u32], first: usize) -> u32 {
    let mut sum = 0u32;
    for (r, four) in words.chunks(4).enumerate() {
        sum = sum.wrapping_add(row(first + r, four.iter().copied().zip(0..)));
    }
    sum
}

/// What a tile adds to the checksum of its chunk.
fn share(tile: &Tile, first: usize, block_len: usize) -> u32 {
    let (blocks, behind) = tile.words.split_at(tile.coded);
    let mut sum = rows(behind, 1024 + first / 2);
    let mut at = usize::from(tile.rates[0] & 0x40 != 0);
    for (b, rate) in tile.rates.iter().enumerate() {
        let rate = (rate & 31) as usize;
        let halves = block_len / 32;
        let words = if rate == 0 { 0 } else { rate + 1 };
        for half in 0..halves {
            let mu = (b + half == 0 && tile.rates[0] & 0x40 != 0).then(|| (blocks[0], 32));
            let own = (0..words).map(|k| (blocks[at + k * halves + half], k));
            sum = sum.wrapping_add(row(first / 32 + b * halves + half, mu.into_iter().chain(own)));
        }
        at += words * halves;
    }
    sum
}

/// FORMAT.md, *Checksums*.
const MULTIPLIERS: [u32; 33] = [
    0x0364_6DD1,
    0x02F3_9581,
    0x02DC_81CF,
    0x0383_6D05,
    0x02ED_EA07,
    0x02E5_46FB,
    0x032D_AF27,
    0x020A_2E25,
    0x0344_6A65,
    0x02F6_9D8D,
    0x02C7_BD87,
    0x02AB_5D25,
    0x0221_ED67,
    0x03DB_2EFF,
    0x035D_A58D,
    0x025A_4AC5,
    0x0398_5825,
    0x03B8_7F37,
    0x0255_B3CF,
    0x039F_4117,
    0x03AD_8059,
    0x03E3_7AA3,
    0x038A_EA47,
    0x0398_A8E1,
    0x0219_95A9,
    0x02A4_BADB,
    0x0353_3689,
    0x036D_A2F9,
    0x022D_09D3,
    0x0236_6BD7,
    0x039F_2C2D,
    0x032B_570F,
    0x030F_E8C7,
];

fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^= x >> 16;
    x
}
