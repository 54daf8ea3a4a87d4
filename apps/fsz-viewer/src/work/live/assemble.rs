//! A step's variables, of the payloads that came.

use std::path::Path;

use anyhow::{Context, Result, bail};
use fsz::Stream;

use crate::model::document::Document;

/// One ADIOS2 block: the index of its first element in the array, its shape, and its stream.
pub struct Block {
    /// None for a local array.
    pub start: Option<Vec<u64>>,
    /// Elements along each axis.
    pub count: Vec<u64>,
    /// An FSZ stream, as it came.
    pub bytes: Vec<u8>,
}

/// A variable of the streams of its ADIOS2 blocks. Nothing is decoded.
///
/// # Errors
/// When a stream is damaged or not that of its block, and when the blocks make up no array.
pub fn variable(
    path: &Path,
    name: &str,
    step: u64,
    shape: &[u64],
    blocks: Vec<Block>,
) -> Result<Document> {
    let stream = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let title = format!("{stream}, {name}, step {step}");
    let mut parts = Vec::new();
    for (number, block) in blocks.into_iter().enumerate() {
        let stream = Stream::from_vec(block.bytes);
        let stream = stream.with_context(|| format!("{title}: ADIOS2 block {number}"))?;
        if stream.header().shape != block.count {
            bail!(
                "{title}: ADIOS2 block {number} has shape {:?}, its stream {:?}",
                block.count,
                stream.header().shape
            );
        }
        parts.push((block.start, stream));
    }
    let whole = parts.len() == 1 && (shape.is_empty() || parts[0].1.header().shape == shape);
    if whole {
        let (_, stream) = parts.remove(0);
        return Document::from_stream(title.clone(), path, stream).with_context(|| title);
    }
    let placed = parts.into_iter().map(|(start, stream)| Some((start?, stream)));
    let placed: Option<Vec<_>> = placed.collect();
    let placed = placed.with_context(|| format!("{title}: a local array of several blocks"))?;
    let document = Document::from_blocks(title.clone(), path, shape, placed);
    let document = document.with_context(|| title.clone())?;
    document.with_context(|| format!("{title}: its ADIOS2 blocks make up no array"))
}

#[cfg(test)]
mod tests {
    use fsz::{Bound, Codec, Progress};
    use ndarray::ArrayD;

    use super::*;

    fn block(start: [u64; 2], count: [u64; 2]) -> Block {
        let shape = count.map(|n| n as usize);
        let values = ArrayD::from_shape_fn(&shape[..], |i| (i[0] as f32 * 0.3).sin() + i[1] as f32);
        let stream = Codec::cpu().compress(values.view(), Bound::Absolute(1e-3)).unwrap();
        let bytes = stream.as_bytes().to_vec();
        Block { start: Some(start.to_vec()), count: count.to_vec(), bytes }
    }

    fn of(shape: &[u64], blocks: Vec<Block>) -> Result<Document> {
        variable(Path::new("run"), "U", 7, shape, blocks)
    }

    fn reason(found: Result<Document>) -> String {
        format!("{:#}", found.expect_err("it is refused"))
    }

    #[test]
    fn blocks_make_up_an_array() {
        let halves = || vec![block([0, 0], [10, 30]), block([10, 0], [20, 30])];
        let found = of(&[30, 30], halves()).unwrap();
        assert_eq!(
            (found.shape(), found.facts.as_ref().map(|f| f.blocks)),
            (&[30, 30][..], Some(2))
        );
        assert_eq!(found.title, "run, U, step 7");
        assert_eq!(of(&[10, 30], vec![block([0, 0], [10, 30])]).unwrap().shape(), [10, 30]);
        let twice = vec![block([0, 0], [10, 30]), block([5, 0], [20, 30])];
        assert!(reason(of(&[30, 30], twice)).contains("make up no array"));
    }

    /// Every byte of a stream that comes over the wire, changed, cut and made longer.
    #[test]
    fn forged_streams_end_in_a_message_or_a_document() {
        let whole = block([0, 0], [10, 30]);
        let mut refused = 0;
        for at in 0..whole.bytes.len() {
            let mut bytes = whole.bytes.clone();
            bytes[at] ^= 0x55;
            let forged = Block { bytes, start: whole.start.clone(), count: whole.count.clone() };
            match of(&[10, 30], vec![forged]) {
                // The payload is checked when it is decoded.
                Ok(document) => {
                    assert!(document.values(&Codec::cpu(), &Progress::new()).is_err(), "byte {at}")
                }
                Err(reason) => {
                    refused += 1;
                    assert!(format!("{reason:#}").contains("run, U, step 7"), "byte {at}");
                }
            }
        }
        assert!(refused > 100, "headers are checked at once");
        for bytes in [Vec::new(), whole.bytes[..60].to_vec(), vec![0xff; 4096]] {
            let forged = Block { bytes, start: whole.start.clone(), count: whole.count.clone() };
            assert!(reason(of(&[10, 30], vec![forged])).contains("ADIOS2 block 0"));
        }
        let other = Block { count: vec![30, 10], ..block([0, 0], [10, 30]) };
        assert!(reason(of(&[30, 10], vec![other])).contains("has shape [30, 10]"));
    }
}
