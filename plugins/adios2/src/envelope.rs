//! The header before an FSZ stream, or before raw values, in an ADIOS2 payload.
//!
//! | offset | bytes | content, little-endian |
//! |---|---|---|
//! | 0 | 4 | magic `FSZA` |
//! | 4 | 1 | version, 1 |
//! | 5 | 1 | mode: 1 FSZ stream, 2 raw values |
//! | 6 | 1 | element size: 4 float, 8 double |
//! | 7 | 1 | number of dimensions, n |
//! | 8 | 8 | length of the whole payload |
//! | 16 | 8 | checksum of the header without this field and, for raw values, of the values |
//! | 24 | 1 | flags: bit 0, a start follows |
//! | 25 | 1 | 0 |
//! | 26 | 2 | length of the name, m |
//! | 28 | 4 | 0 |
//! | 32 | 8 n | count, slowest dimension first |
//! | | 8 n | start, if flagged |
//! | | m | variable name (raw values only: a stream has it in its own header) |
//! | | | body |
//!
//! A payload is self-describing: `data.*` files of BP5 can be searched for the magic and salvaged
//! without their metadata.

/// Bytes before the extents.
const FIXED: usize = 32;
const MAGIC: [u8; 4] = *b"FSZA";
const VERSION: u8 = 1;
/// Longest variable name that is recorded, in bytes.
pub(crate) const MAX_NAME: usize = 1024;
/// Most dimensions that the header can record.
pub(crate) const MAX_DIMENSIONS: usize = 255;

/// What the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// An FSZ stream.
    Stream = 1,
    /// The original values.
    Raw = 2,
}

/// The parts of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Envelope<'a> {
    pub mode: Mode,
    /// 4 or 8.
    pub element_size: u8,
    /// Extents of the ADIOS2 block, slowest first.
    pub count: Vec<u64>,
    /// Its place in the global array, where ADIOS2 gave it.
    pub start: Option<Vec<u64>>,
    /// Variable name, or empty.
    pub name: &'a [u8],
    pub body: &'a [u8],
}

/// The most bytes that a header can take.
pub(crate) fn max_header(dimensions: usize) -> usize {
    FIXED + 16 * dimensions + MAX_NAME
}

impl Envelope<'_> {
    /// Bytes before the body.
    pub fn header_len(&self) -> usize {
        let starts = usize::from(self.start.is_some());
        FIXED + 8 * self.count.len() * (1 + starts) + self.name.len()
    }

    /// The header's bytes; `body` must be the final one. At most [`MAX_DIMENSIONS`] dimensions and
    /// [`MAX_NAME`] bytes of name.
    pub fn header(&self) -> Vec<u8> {
        let length = self.header_len();
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(MAGIC);
        bytes.extend([VERSION, self.mode as u8, self.element_size, self.count.len() as u8]);
        bytes.extend(((length + self.body.len()) as u64).to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend([u8::from(self.start.is_some()), 0]);
        bytes.extend((self.name.len() as u16).to_le_bytes());
        bytes.extend([0; 4]);
        for extent in self.count.iter().chain(self.start.iter().flatten()) {
            bytes.extend(extent.to_le_bytes());
        }
        bytes.extend(self.name);
        let sum = checksum(&bytes, self.mode, self.body);
        bytes[16..24].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

/// Splits a payload into its parts and checks all but the body of a stream, which has checksums of its
/// own.
pub(crate) fn open(payload: &[u8]) -> Result<Envelope<'_>, String> {
    let short = || format!("the payload of {} bytes is truncated", payload.len());
    let fixed: &[u8; FIXED] = payload.first_chunk().ok_or_else(short)?;
    if fixed[..4] != MAGIC {
        return Err("this is not a payload of the FSZ operator (wrong magic)".into());
    }
    if fixed[4] != VERSION {
        return Err(format!(
            "the payload has version {} and this library reads version {VERSION}: update the FSZ operator",
            fixed[4]
        ));
    }
    let damaged = || String::from("the payload is damaged (its header fails its checksum)");
    let mode = match fixed[5] {
        1 => Mode::Stream,
        2 => Mode::Raw,
        _ => return Err(damaged()),
    };
    let (dimensions, flags) = (usize::from(fixed[7]), fixed[24]);
    if u64_at(fixed, 8) != payload.len() as u64 {
        return Err(format!(
            "the payload has {} bytes, its header says {}",
            payload.len(),
            u64_at(fixed, 8)
        ));
    }
    let name_len = usize::from(u16::from_le_bytes([fixed[26], fixed[27]]));
    let extents_len = 8 * dimensions * (1 + usize::from(flags & 1));
    let header_len = FIXED + extents_len + name_len;
    let (header, body) = payload.split_at_checked(header_len).ok_or_else(short)?;
    if checksum(header, mode, body) != u64_at(fixed, 16) {
        return Err(damaged());
    }
    let (extents, name) = header[FIXED..].split_at(extents_len);
    let mut extents = extents.chunks_exact(8).map(|bytes| u64_at(bytes, 0));
    let count = extents.by_ref().take(dimensions).collect();
    let start = (flags & 1 == 1).then(|| extents.collect());
    Ok(Envelope { mode, element_size: fixed[6], count, start, name, body })
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(word)
}

/// FNV-1a over 64-bit words. Each step is a bijection of the sum, so any change within one word
/// changes the result.
fn checksum(header: &[u8], mode: Mode, body: &[u8]) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    add(&header[..16]);
    add(&header[24..]);
    if mode == Mode::Raw {
        add(body);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(mode: Mode) -> Vec<u8> {
        let envelope = Envelope {
            mode,
            element_size: 4,
            count: vec![2, 3],
            start: Some(vec![10, 0]),
            name: b"U",
            body: b"twenty-four bytes of it.",
        };
        let mut bytes = envelope.header();
        assert_eq!(bytes.len(), envelope.header_len());
        bytes.extend(envelope.body);
        assert_eq!(open(&bytes).unwrap(), envelope);
        bytes
    }

    #[test]
    fn round_trips() {
        sample(Mode::Stream);
        sample(Mode::Raw);
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = sample(Mode::Stream);
        for length in 0..bytes.len() {
            assert!(open(&bytes[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn every_bit_flip_is_an_error() {
        let raw = sample(Mode::Raw);
        let stream = sample(Mode::Stream);
        let header = stream.len() - 24;
        for bit in 0..8 * raw.len() {
            let mut flipped = raw.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&flipped).is_err(), "raw, bit {bit}");
        }
        for bit in 0..8 * header {
            let mut flipped = stream.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&flipped).is_err(), "stream, bit {bit}");
        }
    }
}
