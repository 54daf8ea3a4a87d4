//! The 56 bytes before the stream.

use fsz::{DType, Error, Result};

/// The first bytes of a file.
pub const FSZ1_MAGIC: &[u8; 4] = b"FSZ1";
/// Bytes of the header.
pub const FSZ1_HEADER: usize = 56;
/// The version that there is.
const VERSION: u32 = 1;
/// The flag of `f64` fields; there are no others.
const FLAG_F64: u32 = 1;
/// Dimensions at most.
const MOST_DIMS: u32 = 3;

/// What the header tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Fsz1Header {
    /// Element type.
    pub dtype: DType,
    /// One to three sides, slowest axis first.
    pub shape: Vec<u64>,
    /// The absolute bound that the values were meant to keep.
    pub bound: f64,
}

impl Fsz1Header {
    /// The header of a file, and the stream after it.
    pub(super) fn read(bytes: &[u8]) -> Result<(Fsz1Header, &[u8])> {
        let truncated = |needed: u64| Error::Truncated { needed, got: bytes.len() as u64 };
        let Some((head, stream)) = bytes.split_first_chunk::<FSZ1_HEADER>() else {
            return Err(truncated(FSZ1_HEADER as u64));
        };
        if !head.starts_with(FSZ1_MAGIC) {
            return Err(Error::Corrupt("it does not begin with FSZ1".into()));
        }
        let (version, ndims, flags) = (word(head, 4), word(head, 8), word(head, 12));
        if version != VERSION {
            return Err(Error::Unsupported(format!("version {version} of the FSZ1 format")));
        }
        if flags & !FLAG_F64 != 0 {
            return Err(Error::Unsupported(format!("flags {flags:#x} of the FSZ1 format")));
        }
        if !(1..=MOST_DIMS).contains(&ndims) {
            return Err(Error::Corrupt(format!("{ndims} dimensions: there are 1 to {MOST_DIMS}")));
        }
        let sides = [16, 24, 32].map(|at| long(head, at));
        let (shape, unused) = sides.split_at(ndims as usize);
        if shape.contains(&0) || unused.iter().any(|&side| side != 1) {
            return Err(Error::Corrupt(format!("{ndims} sides of {sides:?}")));
        }
        if shape.iter().try_fold(8u64, |n, &side| n.checked_mul(side)).is_none() {
            return Err(Error::Corrupt(format!(
                "a shape of {shape:?} values does not fit 64 bits"
            )));
        }
        let header = Fsz1Header {
            dtype: if flags & FLAG_F64 == 0 { DType::F32 } else { DType::F64 },
            shape: shape.to_vec(),
            bound: bound(head, flags)?,
        };
        let payload = long(head, 48);
        match payload.cmp(&(stream.len() as u64)) {
            std::cmp::Ordering::Equal => Ok((header, stream)),
            std::cmp::Ordering::Greater => {
                Err(truncated(payload.saturating_add(FSZ1_HEADER as u64)))
            }
            std::cmp::Ordering::Less => Err(Error::Corrupt(format!(
                "{} bytes after the end of the stream",
                stream.len() as u64 - payload
            ))),
        }
    }

    /// Number of values.
    pub fn elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// What a code is multiplied by: twice the bound, in the field's type.
    pub fn step(&self) -> f64 {
        match self.dtype {
            DType::F32 => f64::from(2.0 * self.bound as f32),
            DType::F64 => 2.0 * self.bound,
        }
    }
}

/// The bound, which is an `f32` before four zeros in files of `f32`.
fn bound(head: &[u8; FSZ1_HEADER], flags: u32) -> Result<f64> {
    let bound = if flags & FLAG_F64 != 0 {
        f64::from_bits(long(head, 40))
    } else if word(head, 44) == 0 {
        f64::from(f32::from_bits(word(head, 40)))
    } else {
        return Err(Error::Corrupt("the bytes after the bound are not 0".into()));
    };
    let step = if flags & FLAG_F64 != 0 { 2.0 * bound } else { f64::from(2.0 * bound as f32) };
    if bound > 0.0 && step.is_finite() {
        return Ok(bound);
    }
    Err(Error::Corrupt(format!("a bound of {bound:e}")))
}

fn word(head: &[u8; FSZ1_HEADER], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&head[at..at + 4]);
    u32::from_le_bytes(bytes)
}

fn long(head: &[u8; FSZ1_HEADER], at: usize) -> u64 {
    u64::from(word(head, at)) | u64::from(word(head, at + 4)) << 32
}
