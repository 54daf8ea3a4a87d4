//! The filter's parameters in a file: HDF5's `cd_values`, words of 32 bits.
//!
//! ```text
//! the options, which a program gives            what the dataset is, which set_local appends
//! 0     revision of this list: 1                element type (FORMAT.md's number) + 256 if big-endian
//! 1     bound kind (FORMAT.md's number)         number f of fill values (at most 2)
//! 2, 3  bound                                   2 f words: fill values
//! 4     profile (FORMAT.md's number)            number of chunk dimensions
//! 5     number m of missing values              one word each: elements, the slowest dimension first
//! then  2 m words: missing values
//! then  bound kind 2 only: 4 words, minimum and maximum
//!       bound kind 3 only: 2 words, the floor, 0 for none
//! ```
//! An f64 takes two words, the low one first.

use fsz::{
    Bound, Profile,
    format::{BOUND_ABSOLUTE, BOUND_GIVEN_RANGE, BOUND_RELATIVE, BOUND_VALUE_RANGE, MAX_MISSING},
};

use crate::{
    Result,
    chunk::{ByteOrder, Chunk, dtypes},
    options::Options,
};

/// Of this list. A file of a later one is refused.
const REVISION: u32 = 1;

/// `H5S_MAX_RANK`.
pub(crate) const MAX_RANK: usize = 32;

/// At most this many fill values beside the missing ones.
const MAX_FILL: usize = 2;

/// The longest list.
pub(crate) const MAX_WORDS: usize = 6 + 2 * MAX_MISSING + 4 + 2 + 2 * MAX_FILL + 1 + MAX_RANK;

/// What a list says: the options, and behind them what the dataset is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CdValues {
    pub options: Options,
    /// None until HDF5 has created the dataset.
    pub chunk: Option<Chunk>,
}

impl CdValues {
    /// # Errors
    /// What is wrong with which word.
    pub fn read(words: &[u32]) -> Result<CdValues> {
        let mut words = Words { words, at: 0 };
        let revision = words.next()?;
        if revision != REVISION {
            return Err(format!(
                "cd_values[0] is {revision}: this release knows revision {REVISION} of the parameters"
            ));
        }
        let options = read_options(&mut words)?;
        let chunk = if words.is_at_end() { None } else { Some(read_chunk(&mut words)?) };
        if !words.is_at_end() {
            return Err(format!("{} cd_values where {} are enough", words.words.len(), words.at));
        }
        Ok(CdValues { options, chunk })
    }

    /// The list.
    pub fn write(&self) -> Vec<u32> {
        let Options { bound, profile, missing } = &self.options;
        let kind = match bound {
            Bound::ValueRange(_) => BOUND_VALUE_RANGE,
            Bound::ValueRangeOf { .. } => BOUND_GIVEN_RANGE,
            Bound::Relative { .. } => BOUND_RELATIVE,
            // No other kind is ever read.
            _ => BOUND_ABSOLUTE,
        };
        let mut words = vec![REVISION, kind.into()];
        words.extend(halves(bound.requested()));
        words.extend([profile.code().into(), missing.len() as u32]);
        words.extend(missing.iter().copied().flat_map(halves));
        match *bound {
            Bound::ValueRangeOf { min, max, .. } => {
                words.extend([min, max].into_iter().flat_map(halves));
            }
            Bound::Relative { floor, .. } => words.extend(halves(floor)),
            _ => {}
        }
        if let Some(Chunk { dtype, order, fill, shape }) = &self.chunk {
            words.push(u32::from(dtype.code()) | u32::from(*order == ByteOrder::Big) << 8);
            words.push(fill.len() as u32);
            words.extend(fill.iter().copied().flat_map(halves));
            words.push(shape.len() as u32);
            words.extend(shape);
        }
        words
    }
}

fn read_options(words: &mut Words<'_>) -> Result<Options> {
    let kind = words.next()?;
    let requested = words.number()?;
    let code = words.next()?;
    let profile = Profile::ALL.iter().copied().find(|profile| u32::from(profile.code()) == code);
    let profile =
        profile.ok_or_else(|| format!("cd_values[4] is {code}: no profile has this number"))?;
    let missing = words.numbers(MAX_MISSING, "missing values")?;
    let bound = match u8::try_from(kind) {
        Ok(BOUND_ABSOLUTE) => Bound::Absolute(requested),
        Ok(BOUND_VALUE_RANGE) => Bound::ValueRange(requested),
        Ok(BOUND_GIVEN_RANGE) => {
            let (min, max) = (words.number()?, words.number()?);
            Bound::ValueRangeOf { ratio: requested, min, max }
        }
        Ok(BOUND_RELATIVE) => Bound::Relative { eps: requested, floor: words.number()? },
        _ => return Err(format!("cd_values[1] is {kind}: no bound has this number")),
    };
    Ok(Options { bound, profile, missing })
}

fn read_chunk(words: &mut Words<'_>) -> Result<Chunk> {
    let at = words.at;
    let code = words.next()?;
    let dtype = dtypes().into_iter().find(|dtype| u32::from(dtype.code()) == code & 0xFF);
    let order = match code >> 8 {
        0 => Some(ByteOrder::Little),
        1 => Some(ByteOrder::Big),
        _ => None,
    };
    let (Some(dtype), Some(order)) = (dtype, order) else {
        return Err(format!("cd_values[{at}] is {code}: no element type has this number"));
    };
    let fill = words.numbers(MAX_FILL, "fill values")?;
    let at = words.at;
    let rank = words.next()? as usize;
    if !(1..=MAX_RANK).contains(&rank) {
        return Err(format!("cd_values[{at}] is {rank}: a chunk has 1 to {MAX_RANK} dimensions"));
    }
    let shape = (0..rank).map(|_| words.next()).collect::<Result<_>>()?;
    Ok(Chunk { dtype, order, fill, shape })
}

/// Words that are read in turn.
struct Words<'a> {
    words: &'a [u32],
    at: usize,
}

impl Words<'_> {
    fn is_at_end(&self) -> bool {
        self.at == self.words.len()
    }

    fn next(&mut self) -> Result<u32> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word.ok_or_else(|| format!("{} cd_values: some are missing", self.words.len()))
    }

    fn number(&mut self) -> Result<f64> {
        let (low, high) = (self.next()?, self.next()?);
        Ok(f64::from_bits(u64::from(high) << 32 | u64::from(low)))
    }

    fn numbers(&mut self, most: usize, what: &str) -> Result<Vec<f64>> {
        let at = self.at;
        let count = self.next()? as usize;
        if count > most {
            return Err(format!("cd_values[{at}] is {count}: at most {most} {what}"));
        }
        (0..count).map(|_| self.number()).collect()
    }
}

fn halves(number: f64) -> [u32; 2] {
    let bits = number.to_bits();
    [bits as u32, (bits >> 32) as u32]
}
