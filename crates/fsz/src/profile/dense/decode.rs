//! Chunks of boxes from payload.

use std::ops::Range;

use super::{
    Choice, Dense, Predictor,
    boxes::pass_context,
    chunk::{Head, Mode},
    costs,
    encode::Orders,
    escapes::{Escapes, Mask},
    items::{MaskBits, first_lanes},
    lorenzo, mask,
    order::Order,
    predict::{Contexts, Passes, Predicted, Rule, Walker, wrapped},
    rans::{self, DecodingTables},
    tables::{Alphabet, Tables},
    vector::{Vector, WIDTH},
};
use crate::{
    element::Element,
    error::{Error, Result},
    format::{
        WORD,
        dense::{CORNERS, LANES, LORENZO_CONTEXTS, LOW, Taps},
        tile_grid::TileShape,
    },
    profile::{ChunkDecoder, ChunkRecorder, Decoding, Plan, StoredChunk},
    quantizer::Dequantizer,
    simd::Level,
    tile_cost::TileCost,
    tile_record::{Storage, TileRecord},
};

pub(super) struct Decoder<'a, T> {
    dense: Dense,
    stream: Decoding<'a>,
    level: Level,
    tables: DecodingTables,
    boxes: Boxes<T>,
    /// The chunk that was loaded: its payload and zeros behind it, tiles, and elements as soon as they are
    /// decoded.
    payload: Vec<u8>,
    payload_len: usize,
    tiles: Vec<TileShape>,
    number: u64,
    elements: Vec<T>,
    decoded: bool,
}

/// Decodes boxes, one after another.
struct Boxes<T> {
    choice: Choice,
    level: Level,
    codes: Dequantizer<T>,
    points: Dequantizer<T>,
    orders: Orders,
    walker: Walker,
    /// Of a box's elements in C order.
    values: Vec<i32>,
    masks: Vec<u8>,
    /// The same as its points are coded.
    point_masks: Vec<u8>,
    /// The same of its points as they are coded.
    mask_bits: MaskBits,
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
    pub fn new(dense: Dense, stream: Decoding<'a>, tables: &[u32], level: Level) -> Result<Self> {
        let choice = dense.choice;
        let codes = stream.dequantizer::<T>();
        let boxes = Boxes {
            choice,
            level,
            codes,
            points: codes.finer(choice.fine),
            orders: Orders::default(),
            walker: Walker::default(),
            values: Vec::new(),
            masks: Vec::new(),
            point_masks: Vec::new(),
            mask_bits: MaskBits::default(),
        };
        Ok(Decoder {
            dense,
            stream,
            level,
            tables: DecodingTables::new(&Tables::read(tables)?),
            boxes,
            payload: Vec::new(),
            payload_len: 0,
            tiles: Vec::new(),
            number: 0,
            elements: Vec::new(),
            decoded: false,
        })
    }

    /// Decodes the chunk; gives the escaped elements of each box.
    fn decode_all(&mut self) -> Result<Vec<u32>> {
        let escaped = self.decode_boxes().map_err(|e| match e {
            Error::Corrupt(why) => Error::corrupt(format!("chunk {}: {why}", self.number)),
            other => other,
        })?;
        self.decoded = true;
        Ok(escaped)
    }

    fn parts(&self) -> Result<Parts<'_, T>> {
        let payload = &self.payload[..self.payload_len];
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

    fn decode_boxes(&mut self) -> Result<Vec<u32>> {
        let wrong = || Error::corrupt("symbols that no encoder writes");
        let Parts { head, escapes, verbatim, symbols } = self.parts()?;
        let has_symbols = head.boxes.iter().zip(&escapes).any(|(b, e)| b.has_symbols(e));
        let (states, words) = match symbols.split_first_chunk::<LANES>() {
            Some((states, words)) if has_symbols => (states.map(u32::from_le_bytes), words),
            None if has_symbols => return Err(wrong()),
            _ if !symbols.is_empty() => return Err(wrong()),
            _ => ([LOW; LANES], &[][..]),
        };
        if states.iter().any(|&state| state < LOW) {
            return Err(wrong());
        }
        let mut written = 2 * words.len();
        if head.odd {
            written = written.checked_sub(1).ok_or_else(wrong)?;
            if words[0][..2] != [0; 2] {
                return Err(wrong());
            }
        }
        let half_words = &self.payload[self.payload_len - 2 * written..].as_chunks::<2>().0;
        let mut rans = rans::Decoder::new(&self.tables, states, half_words, written, self.level);
        let (mut escaped, mut verbatim) = (Vec::with_capacity(escapes.len()), &verbatim[..]);
        let (boxes, elements) = (&mut self.boxes, &mut self.elements);
        elements.clear();
        for ((shape, b), escapes) in self.tiles.iter().zip(&head.boxes).zip(&escapes) {
            escaped.push(match b.mode {
                Mode::Exact => {
                    boxes.read_exact(shape.len(), &mut rans, elements);
                    shape.len() as u32
                }
                Mode::Verbatim => {
                    let (own, rest) = verbatim.split_at(shape.len());
                    verbatim = rest;
                    elements.extend_from_slice(own);
                    own.len() as u32
                }
                mode => {
                    let begin = elements.len();
                    let order = boxes.orders.of(*shape);
                    let masked = boxes.read_mask(&order, escapes, &mut rans);
                    boxes.read_values(&order, mode, head.base, &mut rans, elements)?;
                    boxes.put_escapes(escapes, &mut elements[begin..])?;
                    (masked + escapes.listed.len()) as u32
                }
            });
        }
        if rans.ended() { Ok(escaped) } else { Err(wrong()) }
    }
}

impl<T: Element> Boxes<T> {
    /// Reads the mask of a box; gives the number of masked elements.
    fn read_mask(
        &mut self,
        order: &Order,
        escapes: &Escapes,
        rans: &mut rans::Decoder<'_>,
    ) -> usize {
        self.masks.clear();
        self.masks.resize(order.len, (escapes.mask == Mask::All) as u8);
        match escapes.mask {
            Mask::None => return 0,
            Mask::All => self.mask_bits.fill(order.len),
            Mask::Coded => {
                mask::walk(&mut self.walker, self.level, order, &mut ReadMask(rans));
                self.point_masks.clear();
                let flags = &self.walker.values[..order.len];
                self.point_masks.extend(flags.iter().map(|&flag| (flag == 1) as u8));
                order.restore(&self.point_masks, &mut self.masks);
                self.mask_bits.put(&self.point_masks);
            }
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
            own = base.wrapping_add(rans.one(Alphabet::Difference, LORENZO_CONTEXTS));
        }
        let (mut zero, mut kind) = (0, self.codes);
        match mode {
            Mode::Interpolated => {
                let Predictor::Interpolation(taps) = self.choice.predictor else {
                    return Err(Error::corrupt("interpolation in a stream without"));
                };
                self.interpolate(order, taps, rans);
                (zero, kind) = (own.wrapping_shl(fine), self.points);
            }
            Mode::Lorenzo(of) => self.differences(order.len, own, of, rans),
            Mode::Flat | Mode::Exact | Mode::Verbatim => {
                elements.resize(elements.len() + order.len, self.codes.value(base));
                return Ok(());
            }
        }
        if zero != 0 {
            self.values.iter_mut().for_each(|v| *v = zero.wrapping_add(*v));
        }
        kind.append(self.level, &self.values, elements);
        Ok(())
    }

    fn interpolate(&mut self, order: &Order, taps: Taps, rans: &mut rans::Decoder<'_>) {
        let fine = self.choice.fine;
        let masked = self.masks.contains(&1);
        let mut reader = ReadValues {
            masks: masked.then_some(&self.mask_bits),
            fine,
            contexts: Contexts::new(fine),
            flags: [0; LANES],
            rans,
        };
        self.walker.walk(self.level, Rule::Taps(taps), order, &mut reader);
        self.values.resize(order.len, 0);
        order.restore(&self.walker.values, &mut self.values);
    }

    fn read_exact(&mut self, len: usize, rans: &mut rans::Decoder<'_>, elements: &mut Vec<T>) {
        let mut bits = vec![0; len];
        for word in 0..T::DTYPE.words() {
            self.differences(len, 0, 1, rans);
            let words = bits.iter_mut().zip(&self.values);
            words.for_each(|(bits, &w)| *bits |= (w as u32 as u64) << (32 * word));
        }
        elements.extend(bits.into_iter().map(T::from_bits64));
    }

    /// Reads the codes of a box as differences.
    fn differences(&mut self, len: usize, base: i32, order: u8, rans: &mut rans::Decoder<'_>) {
        self.values.resize(len, 0);
        lorenzo::read(&mut self.values, base, order, rans, self.level);
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

/// Reads the mask of a box.
struct ReadMask<'r, 't>(&'r mut rans::Decoder<'t>);

impl mask::Flags for ReadMask<'_, '_> {
    #[inline(always)]
    fn step(&mut self, _: usize, contexts: &[u8; LANES], lanes: usize, flags: &mut [i32]) {
        let rows = contexts.map(|context| Alphabet::Flag.row(context));
        let flags = flags.first_chunk_mut().expect("room behind");
        self.0.step(Alphabet::Flag, first_lanes(lanes), &rows, flags);
    }
}

/// Reads the values of an interpolated box.
struct ReadValues<'r, 't> {
    masks: Option<&'r MaskBits>,
    fine: u32,
    contexts: Contexts,
    flags: [i32; LANES],
    rans: &'r mut rans::Decoder<'t>,
}

impl ReadValues<'_, '_> {
    /// The residuals of a step, 0 of masked points; `first` is the number of its first point in the box.
    #[inline(always)]
    fn residuals(&mut self, first: usize, lanes: usize, rows: &[u8; LANES], out: &mut [i32]) {
        let out = out.first_chunk_mut().expect("room behind");
        let Some(masks) = self.masks else {
            return self.rans.step(Alphabet::Residual, first_lanes(lanes), rows, out);
        };
        let coded = masks.coded(first, lanes);
        self.rans.step(Alphabet::Residual, coded, rows, out);
        for (lane, r) in out.iter_mut().enumerate() {
            *r = if coded >> lane & 1 == 1 { *r } else { 0 };
        }
    }
}

impl Passes for ReadValues<'_, '_> {
    #[inline(always)]
    fn corners<V: Vector>(&mut self, order: &Order, values: &mut [i32]) {
        if order.corners == 0 {
            return;
        }
        let corner = [Alphabet::Residual.row(CORNERS); LANES];
        self.residuals(1, order.corners, &corner, &mut values[1..]);
        let value = V::load(&values[1..]).shift_left(self.fine);
        wrapped(value).store(&mut values[1..]);
        let mut rows = [0; LANES];
        let mut passes = 0;
        for (grid, _) in order.passes() {
            rows[passes] = Alphabet::Flag.row(pass_context(grid.fine));
            passes += 1;
        }
        self.rans.step(Alphabet::Flag, first_lanes(passes), &rows, &mut self.flags);
    }

    #[inline(always)]
    fn pass<V: Vector>(&mut self, points: Predicted<'_>, values: &mut [i32]) {
        let pass = points.pass;
        if self.flags[points.number] == 1 {
            let mut first = 0;
            for &lanes in &pass.steps {
                let mut rows = [0; LANES];
                self.contexts.of::<V>(points, first, &mut rows);
                let own = &mut values[first..];
                self.residuals(pass.first + first, lanes as usize, &rows, own);
                self.contexts.take::<V>(own, lanes as usize);
                first += lanes as usize;
            }
            for k in (0..pass.len).step_by(WIDTH) {
                let r = V::load(&values[k..]).shift_left(self.fine);
                let value = V::load(&points.predictions[k..]).add(r);
                wrapped(value).store(&mut values[k..]);
            }
        } else {
            self.contexts.skip(pass);
            for k in (0..pass.len).step_by(WIDTH) {
                wrapped(V::load(&points.predictions[k..])).store(&mut values[k..]);
            }
        }
    }
}

impl<T: Element> ChunkRecorder for Decoder<'_, T> {
    /// The records of a chunk's boxes. The bytes of its symbols are shared out evenly among the elements
    /// that have any.
    fn records(
        &mut self,
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
}

impl<T: Element> ChunkDecoder<T> for Decoder<'_, T> {
    fn load(&mut self, chunk: StoredChunk<'_>) -> Result<()> {
        self.decoded = false;
        if self.level.byte_rows(chunk.payload, 0) != chunk.checksum {
            return Err(chunk.damaged());
        }
        self.payload.clear();
        self.payload.extend_from_slice(chunk.payload);
        self.payload.resize(chunk.payload.len() + 2 * rans::READ_AHEAD, 0);
        self.payload_len = chunk.payload.len();
        self.tiles.clear();
        self.tiles.extend_from_slice(chunk.tiles);
        self.number = chunk.number;
        Ok(())
    }

    fn verify(&mut self) -> Result<()> {
        self.decode_all().map(drop)
    }

    fn decode(&mut self, tiles: Range<usize>, out: &mut [T]) -> Result<()> {
        if !self.decoded {
            self.decode_all()?;
        }
        let len = |tiles: &[TileShape]| tiles.iter().map(|t| t.len()).sum::<usize>();
        let begin = len(&self.tiles[..tiles.start]);
        out.copy_from_slice(&self.elements[begin..begin + len(&self.tiles[tiles])]);
        Ok(())
    }

    fn costs(
        &mut self,
        tile: usize,
        plan: &Plan<T>,
        original: Option<&[T]>,
    ) -> Result<Vec<TileCost>> {
        let shape = self.tiles[tile];
        let mut decoded = vec![T::ZERO; shape.len()];
        self.decode(tile..tile + 1, &mut decoded)?;
        let head = Head::read(&self.payload[..self.payload_len], self.tiles.len())?;
        let elements = original.unwrap_or(&decoded);
        let mut costs = costs::of_box(self.dense, plan, self.level, shape, elements);
        costs::mark(&mut costs, head.boxes[tile].mode, self.dense.choice.predictor);
        Ok(costs)
    }
}
