//! Chunks of boxes from payload.

use std::ops::Range;

use super::{
    Choice, Predictor,
    boxes::pass_context,
    chunk::{Head, Mode},
    encode::Orders,
    escapes::{Escapes, Mask},
    lorenzo::{self, Lane},
    mask,
    order::{Order, Step},
    predict::{Interpolation, Lanes, Steps},
    rans::{self, DecodingTables},
    tables::Tables,
};
use crate::{
    element::Element,
    error::{Error, Result},
    format::{
        WORD,
        checksum::byte_rows,
        dense::{LANES, LORENZO_CONTEXTS, LOW, Taps},
        tile_grid::TileShape,
    },
    profile::{ChunkDecoder, Decoding, StoredChunk},
    simd::Level,
    tile_record::{Storage, TileCost, TileRecord},
};

pub(super) struct Decoder<'a, T> {
    choice: Choice,
    level: Level,
    stream: Decoding<'a>,
    lattice: T,
    tables: DecodingTables,
    orders: Orders,
    /// The chunk that was loaded: its payload, tiles, and elements as soon as they are decoded.
    payload: Vec<u8>,
    tiles: Vec<TileShape>,
    number: u64,
    elements: Option<Vec<T>>,
    values: Vec<i32>,
    masks: Vec<u8>,
}

/// What stands in a chunk before its symbols.
struct Parts<'p, T> {
    head: Head,
    /// A record for each box, empty where the head tells of none.
    escapes: Vec<Escapes>,
    /// The elements of verbatim boxes, in order.
    verbatim: Vec<T>,
    /// The words behind.
    symbols: &'p [[u8; WORD]],
}

impl<'a, T: Element> Decoder<'a, T> {
    pub fn new(choice: Choice, stream: Decoding<'a>, tables: &[u32], level: Level) -> Result<Self> {
        let step = T::from_f64(stream.quantization_step);
        Ok(Decoder {
            choice,
            level,
            stream,
            lattice: step.mul(T::from_f64(2f64.powi(-(choice.fine as i32)))),
            tables: DecodingTables::new(&Tables::read(tables)?),
            orders: Orders::default(),
            payload: Vec::new(),
            tiles: Vec::new(),
            number: 0,
            elements: None,
            values: Vec::new(),
            masks: Vec::new(),
        })
    }

    /// The records of a chunk's boxes. The bytes of its symbols are shared out evenly among the elements
    /// that have any.
    pub fn records(
        mut self,
        chunk: StoredChunk<'_>,
        first: u64,
        take: &mut dyn FnMut(TileRecord),
    ) -> Result<()> {
        self.load(chunk)?;
        let escaped = self.decode_all()?;
        let head = Head::read(chunk.payload, chunk.tiles.len())?;
        let verbatim = |i: usize| head.boxes[i].mode == Mode::Verbatim;
        let coded_mode = |i: usize| !matches!(head.boxes[i].mode, Mode::Verbatim | Mode::Exact);
        let exact = |i: usize| (chunk.tiles[i].len() * T::DTYPE.size()) as u64;
        let boxes = 0..chunk.tiles.len();
        let stored: u64 = boxes.clone().filter(|&i| verbatim(i)).map(exact).sum();
        let coded: u64 = boxes.clone().filter(|&i| !verbatim(i)).map(exact).sum();
        let symbols = chunk.payload.len() as u64 - stored;
        for i in boxes {
            let own = head.boxes[i];
            let all = escaped[i] as usize == chunk.tiles[i].len() && coded_mode(i);
            take(TileRecord {
                index: first + i as u64,
                storage: if all { Storage::Constant } else { own.storage() },
                predictor: own.predictor(),
                bytes: if verbatim(i) { exact(i) } else { symbols * exact(i) / coded.max(1) },
                escapes: escaped[i],
                rates: [0; 16],
                blocks: 0,
            });
        }
        Ok(())
    }

    /// Decodes the chunk; gives the escaped elements of each box.
    fn decode_all(&mut self) -> Result<Vec<u32>> {
        let payload = std::mem::take(&mut self.payload);
        let decoded = self.decode_payload(&payload);
        self.payload = payload;
        let (elements, escaped) = decoded.map_err(|e| match e {
            Error::Corrupt(why) => Error::corrupt(format!("chunk {}: {why}", self.number)),
            other => other,
        })?;
        self.elements = Some(elements);
        Ok(escaped)
    }

    fn parts<'p>(&self, payload: &'p [u8]) -> Result<Parts<'p, T>> {
        let head = Head::read(payload, self.tiles.len())?;
        let words = payload[Head::len(self.tiles.len()) * WORD..].as_chunks::<WORD>().0;
        let mut at = words.iter();
        let mut rest = at.by_ref().map(|b| u32::from_le_bytes(*b));
        let (dtype, missing) = (T::DTYPE, self.stream.missing_bits);
        let mut escapes = Vec::with_capacity(self.tiles.len());
        for (b, shape) in head.boxes.iter().zip(&self.tiles) {
            escapes.push(match b.escapes {
                true => Escapes::read(&mut rest, shape.len(), dtype, missing)?,
                false => Escapes::NONE,
            });
        }
        let exact = head.boxes.iter().zip(&self.tiles).filter(|(b, _)| b.mode == Mode::Verbatim);
        let len: usize = exact.map(|(_, shape)| shape.len()).sum();
        if rest.len() < len * dtype.words() {
            return Err(Error::corrupt("verbatim elements are missing"));
        }
        let mut word = || rest.next().unwrap_or_default() as u64;
        let element = |_| {
            let low = word();
            T::from_bits64(if dtype.words() == 2 { low | word() << 32 } else { low })
        };
        let verbatim = (0..len).map(element).collect();
        Ok(Parts { head, escapes, verbatim, symbols: at.as_slice() })
    }

    fn decode_payload(&mut self, payload: &[u8]) -> Result<(Vec<T>, Vec<u32>)> {
        let wrong = || Error::corrupt("symbols that no encoder writes");
        let Parts { head, escapes, verbatim, symbols } = self.parts(payload)?;
        let mut elements = Vec::with_capacity(self.tiles.iter().map(|t| t.len()).sum());
        let (mut escaped, mut verbatim) = (Vec::new(), &verbatim[..]);
        let has_symbols = head.boxes.iter().zip(&escapes).any(|(b, e)| b.has_symbols(e));
        let (states, half_words) = match symbols.split_first_chunk::<LANES>() {
            Some((states, words)) if has_symbols => {
                (states.map(u32::from_le_bytes), words.as_flattened().as_chunks::<2>().0)
            }
            None if has_symbols => return Err(wrong()),
            _ if !symbols.is_empty() => return Err(wrong()),
            _ => ([LOW; LANES], &[][..]),
        };
        let half_words = match half_words.split_first() {
            Some((first, rest)) if head.odd && *first == [0; 2] => rest,
            _ if head.odd => return Err(wrong()),
            _ => half_words,
        };
        let tables = std::mem::replace(&mut self.tables, DecodingTables::empty());
        let mut rans = rans::Decoder::new(&tables, states, half_words, self.level);
        let mut read = || -> Result<()> {
            let tiles = std::mem::take(&mut self.tiles);
            for (i, shape) in tiles.iter().enumerate() {
                let mode = head.boxes[i].mode;
                if mode == Mode::Exact {
                    escaped.push(shape.len() as u32);
                    self.read_exact(shape.len(), &mut rans, &mut elements);
                    continue;
                }
                if mode == Mode::Verbatim {
                    let (own, rest) = verbatim.split_at(shape.len());
                    verbatim = rest;
                    elements.extend_from_slice(own);
                    escaped.push(own.len() as u32);
                    continue;
                }
                let order = self.orders.of(*shape);
                let begin = elements.len();
                let masked = self.read_mask(&order, &escapes[i], &mut rans);
                self.read_values(&order, mode, head.base, &mut rans, &mut elements)?;
                self.put_escapes(&escapes[i], &mut elements[begin..])?;
                escaped.push((masked + escapes[i].listed.len()) as u32);
            }
            self.tiles = tiles;
            if rans.ended() { Ok(()) } else { Err(wrong()) }
        };
        let outcome = read();
        self.tables = tables;
        outcome?;
        Ok((elements, escaped))
    }

    /// Reads the mask of a box; gives the number of masked elements.
    fn read_mask(
        &mut self,
        order: &Order,
        escapes: &Escapes,
        rans: &mut rans::Decoder<'_>,
    ) -> usize {
        self.masks.clear();
        self.masks.resize(order.len, (escapes.mask == Mask::All) as u8);
        if escapes.mask == Mask::Coded {
            mask::walk(order, &mut self.masks, |step, contexts, own| {
                rans.flags(contexts.iter().copied().enumerate().take(step.lanes), own);
            });
        }
        self.masks.iter().map(|&m| m as usize).sum()
    }

    fn read_values(
        &mut self,
        order: &Order,
        mode: Mode,
        base: i32,
        rans: &mut rans::Decoder<'_>,
        elements: &mut Vec<T>,
    ) -> Result<()> {
        let fine = self.choice.fine;
        let mut own = base;
        if matches!(mode, Mode::Interpolated | Mode::Lorenzo(_)) {
            let mut difference = [0; LANES];
            rans.differences(std::iter::once((0, LORENZO_CONTEXTS)), &mut difference);
            own = base.wrapping_add(difference[0]);
        }
        self.values.clear();
        self.values.resize(order.len, 0);
        match mode {
            Mode::Interpolated => {
                let taps = match self.choice.predictor {
                    Predictor::Interpolation(taps) => taps,
                    Predictor::Lorenzo => {
                        return Err(Error::corrupt("interpolation in a stream without"));
                    }
                };
                self.interpolate(order, taps, rans);
            }
            Mode::Lorenzo(order) => self.differences(own, order, rans),
            Mode::Flat | Mode::Exact | Mode::Verbatim => {}
        }
        let code = |q| T::from_code(q).mul(T::from_f64(self.stream.quantization_step));
        match mode {
            Mode::Lorenzo(_) => elements.extend(self.values.iter().map(|&q| code(q))),
            Mode::Flat => elements.resize(elements.len() + order.len, code(base)),
            Mode::Interpolated | Mode::Exact | Mode::Verbatim => {
                let zero = own.wrapping_shl(fine);
                let value = |&v: &i32| T::from_code(zero.wrapping_add(v)).mul(self.lattice);
                elements.extend(self.values.iter().map(value));
            }
        }
        Ok(())
    }

    fn interpolate(&mut self, order: &Order, taps: Taps, rans: &mut rans::Decoder<'_>) {
        struct Read<'r, 't> {
            masks: &'r [u8],
            masked: bool,
            flags: [u8; LANES],
            rans: &'r mut rans::Decoder<'t>,
        }
        impl Steps for Read<'_, '_> {
            fn passes(&mut self, order: &Order) {
                let contexts = order.passes.iter().map(pass_context).enumerate();
                self.rans.flags(contexts, &mut self.flags);
            }

            fn pass(&mut self, number: usize) -> bool {
                self.flags[number] == 1
            }

            #[inline(always)]
            fn step(&mut self, step: &Step, _: &Lanes, contexts: &Lanes, residuals: &mut Lanes) {
                if !self.masked {
                    return self.rans.first_residuals(step.lanes, contexts, residuals);
                }
                let lanes = step.at.iter().zip(contexts).enumerate().take(step.lanes);
                let coded = lanes.filter(|(_, (at, _))| self.masks[**at as usize] == 0);
                let coded = coded.map(|(lane, (_, &context))| (lane, context as u8));
                self.rans.residuals(coded, residuals);
            }
        }
        let mut values = std::mem::take(&mut self.values);
        let interpolation = Interpolation { taps, fine: self.choice.fine, level: self.level };
        let masked = self.masks.contains(&1);
        let mut reader = Read { masks: &self.masks, masked, flags: [0; LANES], rans };
        interpolation.walk(order, &mut values, &mut reader);
        self.values = values;
    }

    fn read_exact(&mut self, len: usize, rans: &mut rans::Decoder<'_>, elements: &mut Vec<T>) {
        let mut bits = vec![0; len];
        for word in 0..T::DTYPE.words() {
            self.values.clear();
            self.values.resize(len, 0);
            self.differences(0, 1, rans);
            let words = bits.iter_mut().zip(&self.values);
            words.for_each(|(bits, &w)| *bits |= (w as u32 as u64) << (32 * word));
        }
        elements.extend(bits.into_iter().map(T::from_bits64));
    }

    fn differences(&mut self, base: i32, order: u8, rans: &mut rans::Decoder<'_>) {
        let len = lorenzo::lane_len(self.values.len());
        let mut lanes = [Lane::default(); LANES];
        let mut differences = [0; LANES];
        let mut before = base;
        for step in 0..len {
            let n = lorenzo::lanes(self.values.len(), step);
            let contexts: [u8; LANES] = std::array::from_fn(|lane| match step {
                0 => LORENZO_CONTEXTS,
                _ => lanes[lane].context(),
            });
            rans.differences(contexts.into_iter().enumerate().take(n), &mut differences);
            for (lane, state) in lanes.iter_mut().enumerate().take(n) {
                let code = if step == 0 {
                    before = before.wrapping_add(differences[lane]);
                    *state = Lane::new(before);
                    before
                } else {
                    let code = state.prediction(order).wrapping_add(differences[lane]);
                    state.take(code, differences[lane]);
                    code
                };
                self.values[lane * len + step] = code;
            }
        }
    }

    /// Puts escaped elements into their places.
    fn put_escapes(&self, escapes: &Escapes, elements: &mut [T]) -> Result<()> {
        if escapes.mask != Mask::None {
            let pattern = T::from_bits64(escapes.pattern);
            for (element, &masked) in elements.iter_mut().zip(&self.masks) {
                *element = if masked == 1 { pattern } else { *element };
            }
        }
        for &(at, bits) in &escapes.listed {
            if self.masks[at as usize] == 1 {
                return Err(Error::corrupt("a listed element is masked"));
            }
            elements[at as usize] = T::from_bits64(bits);
        }
        Ok(())
    }
}

impl<T: Element> ChunkDecoder<T> for Decoder<'_, T> {
    fn load(&mut self, chunk: StoredChunk<'_>) -> Result<()> {
        self.elements = None;
        if byte_rows(chunk.payload, 0) != chunk.checksum {
            return Err(chunk.damaged());
        }
        self.payload.clear();
        self.payload.extend_from_slice(chunk.payload);
        self.tiles.clear();
        self.tiles.extend_from_slice(chunk.tiles);
        self.number = chunk.number;
        Ok(())
    }

    fn verify(&mut self) -> Result<()> {
        self.decode_all().map(drop)
    }

    fn decode(&mut self, tiles: Range<usize>, out: &mut [T]) -> Result<()> {
        if self.elements.is_none() {
            self.decode_all()?;
        }
        let len = |tiles: &[TileShape]| tiles.iter().map(|t| t.len()).sum::<usize>();
        let begin = len(&self.tiles[..tiles.start]);
        let elements = self.elements.as_ref().expect("decoded");
        out.copy_from_slice(&elements[begin..begin + len(&self.tiles[tiles])]);
        Ok(())
    }

    fn costs(&mut self, _: usize) -> Result<Vec<TileCost>> {
        Ok(Vec::new())
    }
}
