//! A sound stream whose header is overwritten at arbitrary places, its checksum made right.

use crate::{exercise, seal_header};
use arbitrary::Arbitrary;
use fsz::{Bound, Codec, CompressOptions, Dense, Profile, max_compressed_len};
use std::sync::LazyLock;

/// Which stream, and what is done to it.
#[derive(Arbitrary, Debug)]
pub struct Damage {
    /// Which of the streams below.
    stream: u8,
    /// Place and new value; places count from the start of the header.
    changes: Vec<(u8, u8)>,
    /// Bytes cut off from the end.
    cut: u16,
    length_follows: bool,
}

const STREAMS: [&[u8]; 4] = [
    include_bytes!("../../../../tests/golden/v1/f32-smooth-3d.fsz"),
    include_bytes!("../../../../tests/golden/v1/f64-masked-2d.fsz"),
    include_bytes!("../../../../tests/golden/v1/f32-empty.fsz"),
    include_bytes!("../../../../tests/golden/v1/f32-research-16x64.fsz"),
];

/// A stream of `dense`: any number from 128 on.
static DENSE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let (data, shape) = (Vec::from_iter((0..600).map(|i| (i % 30 * (i / 30)) as f32)), [20, 30]);
    let largest = max_compressed_len(&shape, fsz::DType::F32).unwrap();
    let mut out = vec![0; usize::try_from(largest).unwrap()];
    let options = CompressOptions::new(Bound::Absolute(0.5)).profile(Profile::Dense(Dense::new()));
    let length = Codec::cpu().compress_into(&data, &shape, &options, &mut out).unwrap();
    out.truncate(length);
    out
});

impl Damage {
    /// Does it, and uses the result.
    pub fn exercise(&self) {
        let mut bytes = match self.stream {
            128.. => DENSE.clone(),
            stream => STREAMS[usize::from(stream) % STREAMS.len()].to_vec(),
        };
        for &(at, value) in &self.changes {
            if let Some(byte) = bytes.get_mut(usize::from(at)) {
                *byte = value;
            }
        }
        bytes.truncate(bytes.len() - usize::from(self.cut).min(bytes.len()));
        if self.length_follows && bytes.len() >= 24 {
            let length = bytes.len() as u64;
            bytes[16..24].copy_from_slice(&length.to_le_bytes());
        }
        seal_header(&mut bytes);
        exercise(&bytes);
    }
}
