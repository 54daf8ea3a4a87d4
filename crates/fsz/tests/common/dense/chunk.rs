//! FORMAT.md, *Dense: chunks*.

use super::{
    Field,
    coder::Coder,
    interpolate, lorenzo, mask,
    order::Point,
    record::{Masked, Record, element, take},
};

/// A chunk's payload, taken apart.
pub struct Chunk<'a> {
    field: &'a Field,
    sides: &'a [Point],
    /// The mode of each box.
    pub modes: Vec<u32>,
    base: i32,
    records: Vec<Record>,
    verbatim: &'a [u32],
    coder: Option<Coder<'a>>,
}

const VERBATIM: u32 = 5;

impl<'a> Chunk<'a> {
    pub fn new(field: &'a Field, mut words: &'a [u32], sides: &'a [Point]) -> Self {
        let heads = take(&mut words, sides.len().div_ceil(8));
        let nibbles: Vec<u32> =
            (0..8 * heads.len()).map(|t| heads[t / 8] >> (4 * (t % 8)) & 15).collect();
        let (own, behind) = nibbles.split_at(sides.len());
        assert!(behind.iter().all(|nibble| *nibble == 0));
        let modes: Vec<u32> = own.iter().map(|nibble| nibble & 7).collect();
        let head = take(&mut words, 1)[0];
        let records: Vec<Record> = own
            .iter()
            .map(|nibble| match nibble >> 3 {
                0 => Record::none(),
                _ => Record::read(field, &mut words),
            })
            .collect();
        let is_verbatim = modes.iter().zip(sides).filter(|(mode, _)| **mode == VERBATIM);
        let verbatim: usize = is_verbatim.map(|(_, s)| s.iter().product::<usize>()).sum();
        let verbatim = take(&mut words, verbatim * field.words);
        let has_symbols = modes.iter().zip(&records).any(|(mode, record)| match mode {
            0 => record.mask == Masked::Coded,
            mode => *mode != VERBATIM,
        });
        let odd = head & 1 == 1;
        let coder = has_symbols.then(|| Coder::new(words, odd));
        assert!(has_symbols || (words.is_empty() && !odd));
        Chunk { field, sides, modes, base: head as i32 >> 1, records, verbatim, coder }
    }

    /// The bits of the elements of each box.
    pub fn decode(mut self) -> Vec<Vec<u64>> {
        let boxes = (0..self.sides.len()).map(|t| self.decode_box(t)).collect();
        if let Some(coder) = self.coder {
            coder.end();
        }
        assert!(self.verbatim.is_empty());
        boxes
    }

    fn decode_box(&mut self, t: usize) -> Vec<u64> {
        let Chunk { field, sides, modes, base, records, verbatim, coder } = self;
        let (field, sides, record, base) = (*field, sides[t], &records[t], *base);
        let n = sides.iter().product();
        if modes[t] == VERBATIM {
            return take(verbatim, n * field.words).chunks(field.words).map(element).collect();
        }
        let masked = match record.mask {
            Masked::None => vec![false; n],
            Masked::All => vec![true; n],
            Masked::Coded => mask::coded(field, symbols(coder), sides),
        };
        let mut bits: Vec<u64> = match modes[t] {
            0 => vec![field.code(base); n],
            1 => {
                let coder = symbols(coder);
                let own = lorenzo::base(field, coder, base);
                let values = interpolate::values(field, coder, sides, &masked);
                values.into_iter().map(|v| field.point(own, v)).collect()
            }
            mode @ (2 | 3) => {
                let coder = symbols(coder);
                let own = lorenzo::base(field, coder, base);
                let codes = lorenzo::codes(field, coder, own, mode as usize - 1, n);
                codes.into_iter().map(|q| field.code(q)).collect()
            }
            4 => {
                let mut bits = vec![0; n];
                for word in 0..field.words {
                    let codes = lorenzo::codes(field, symbols(coder), 0, 1, n);
                    for (bits, code) in bits.iter_mut().zip(codes) {
                        *bits |= u64::from(code as u32) << (32 * word);
                    }
                }
                bits
            }
            mode => panic!("mode {mode}"),
        };
        for (bits, _) in bits.iter_mut().zip(&masked).filter(|(_, masked)| **masked) {
            *bits = record.pattern;
        }
        for &(at, exact) in &record.listed {
            assert!(!masked[at]);
            bits[at] = exact;
        }
        bits
    }
}

/// The coder of a chunk that has one.
fn symbols<'c, 'a>(coder: &'c mut Option<Coder<'a>>) -> &'c mut Coder<'a> {
    coder.as_mut().expect("symbols")
}
