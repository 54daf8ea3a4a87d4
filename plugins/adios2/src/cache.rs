//! The values of the ADIOS2 blocks that were read last.
//!
//! ADIOS2 asks for a whole ADIOS2 block at each Get, however small the part that the program reads. A
//! block that is asked for again is kept, so that later Gets copy it. The first time only its payload is
//! remembered: a program that reads each block once pays nothing for that.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

/// The most bytes that payloads and values together may take; README.md says it.
pub(crate) const MOST: usize = 512 << 20;
/// Values of fewer bytes are decoded faster than they are looked for.
const LEAST: usize = 64 << 10;

/// A payload, and its values once it was asked for again.
#[derive(Debug)]
struct Block {
    payload: Vec<u8>,
    values: Option<Vec<u8>>,
}

impl Block {
    fn bytes(&self) -> usize {
        self.payload.len() + self.values.as_ref().map_or(0, Vec::len)
    }
}

/// The most recent one last.
#[derive(Debug)]
pub(crate) struct Cache {
    blocks: Mutex<VecDeque<Arc<Block>>>,
    most: usize,
}

/// That of the process.
pub(crate) static CACHE: Cache = Cache::new(MOST);

impl Cache {
    const fn new(most: usize) -> Cache {
        Cache { blocks: Mutex::new(VecDeque::new()), most }
    }

    /// Fills `out` with the values of a payload: from memory, or by `decode`.
    ///
    /// # Errors
    /// Those of `decode`.
    pub fn read(
        &self,
        payload: &[u8],
        out: &mut [u8],
        decode: impl FnOnce(&mut [u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        if out.len() < LEAST || payload.len() + out.len() > self.most {
            return decode(out);
        }
        let known = self.take(payload);
        match known.as_ref().and_then(|block| block.values.as_deref()) {
            Some(values) if values.len() == out.len() => out.copy_from_slice(values),
            _ => decode(out)?,
        }
        let again = known.is_some();
        let block = known.filter(|block| block.values.is_some()).or_else(|| {
            // Without memory nothing is kept.
            let values = if again { Some(copy(out)?) } else { None };
            Some(Arc::new(Block { payload: copy(payload)?, values }))
        });
        block.into_iter().for_each(|block| self.keep(block));
        Ok(())
    }

    /// Takes the block with this payload out of the list.
    fn take(&self, payload: &[u8]) -> Option<Arc<Block>> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let index = blocks.iter().position(|block| block.payload == payload)?;
        blocks.remove(index)
    }

    /// Puts a block at the end and drops the oldest ones that there is no room for.
    fn keep(&self, block: Arc<Block>) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.push_back(block);
        let mut bytes: usize = blocks.iter().map(|block| block.bytes()).sum();
        while bytes > self.most {
            bytes -= blocks.pop_front().map_or(bytes, |block| block.bytes());
        }
    }
}

fn copy(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).ok()?;
    copy.extend_from_slice(bytes);
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A payload of 2 bytes, its values of `LEAST` bytes.
    fn read(cache: &Cache, number: u8, decoded: &mut usize) {
        let mut out = vec![0; LEAST];
        let decode = |out: &mut [u8]| {
            *decoded += 1;
            out.fill(number);
            Ok(())
        };
        cache.read(&[number, 1], &mut out, decode).unwrap();
        assert!(out.iter().all(|&byte| byte == number));
    }

    #[test]
    fn a_block_that_is_read_again_and_again_is_decoded_twice() {
        let cache = Cache::new(3 * (LEAST + 2));
        let mut decoded = 0;
        for _ in 0..10 {
            for number in 0..3 {
                read(&cache, number, &mut decoded);
            }
        }
        assert_eq!(decoded, 6);
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let cache = Cache::new(2 * (LEAST + 2));
        let mut decoded = 0;
        for _ in 0..5 {
            for number in 0..20 {
                read(&cache, number, &mut decoded);
            }
        }
        let kept = |cache: &Cache| {
            cache.blocks.lock().unwrap().iter().map(|block| block.bytes()).sum::<usize>()
        };
        assert!(kept(&cache) <= cache.most);
        let small = Cache::new(LEAST);
        read(&small, 1, &mut decoded);
        assert_eq!(kept(&small), 0);
    }

    #[test]
    fn damage_is_not_kept() {
        let cache = Cache::new(MOST);
        for _ in 0..3 {
            let mut out = vec![0; LEAST];
            assert!(cache.read(&[1], &mut out, |_| Err("damaged".into())).is_err());
        }
        assert!(cache.blocks.lock().unwrap().is_empty());
    }
}
