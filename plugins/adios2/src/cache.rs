//! The values of the ADIOS2 blocks that were read last.
//!
//! ADIOS2 asks for a whole ADIOS2 block at each Get, however small the part that the program reads. A
//! block that is asked for again is kept, so that later Gets copy it. Of others only the payload is
//! remembered, so that a program that reads each block once pays nothing. Once a program has asked for
//! a block again its next blocks are kept the first time, until one was kept in vain.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// The most bytes that payloads and values together may take; README.md says it.
pub(crate) const MOST: usize = 512 << 20;
/// Values of fewer bytes are decoded faster than they are looked for.
const LEAST: usize = 64 << 10;

/// A payload, and its values if they are kept.
#[derive(Debug)]
struct Block {
    payload: Vec<u8>,
    values: Option<Vec<u8>>,
    was_copied: AtomicBool,
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
    /// Whether the program seems to read blocks in parts.
    in_parts: AtomicBool,
}

/// That of the process.
pub(crate) static CACHE: Cache = Cache::new(MOST);

impl Cache {
    const fn new(most: usize) -> Cache {
        Cache { blocks: Mutex::new(VecDeque::new()), most, in_parts: AtomicBool::new(false) }
    }

    /// Fills `out` with the values of a payload: from memory, or by `decode`. `copy` fills a place with bytes of as many.
    ///
    /// # Errors
    /// Those of `decode`.
    pub fn read(
        &self,
        payload: &[u8],
        out: &mut [u8],
        decode: impl FnOnce(&mut [u8]) -> Result<(), String>,
        copy: impl Fn(&[u8], &mut [u8]),
    ) -> Result<(), String> {
        if out.len() < LEAST || payload.len() + out.len() > self.most {
            return decode(out);
        }
        let known = self.take(payload);
        if known.is_some() {
            self.in_parts.store(true, Relaxed);
        }
        if let Some(block) = known
            && let Some(values) = block.values.as_deref().filter(|v| v.len() == out.len())
        {
            copy(values, out);
            block.was_copied.store(true, Relaxed);
            self.keep(block);
            return Ok(());
        }
        decode(out)?;
        let copied = |bytes: &[u8]| {
            let mut place = fsz_field::zeroed(bytes.len() as u64, "a block that is kept").ok()?;
            copy(bytes, &mut place);
            Some(place)
        };
        let made = || {
            let values = if self.in_parts.load(Relaxed) { Some(copied(out)?) } else { None };
            let was_copied = AtomicBool::new(false);
            Some(Arc::new(Block { payload: copied(payload)?, values, was_copied }))
        };
        // Without memory nothing is kept.
        made().into_iter().for_each(|block| self.keep(block));
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
        while bytes > self.most
            && let Some(oldest) = blocks.pop_front()
        {
            bytes -= oldest.bytes();
            if oldest.values.is_some() && !oldest.was_copied.load(Relaxed) {
                self.in_parts.store(false, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(from: &[u8], to: &mut [u8]) {
        to.copy_from_slice(from);
    }

    /// A payload of 2 bytes, its values of `LEAST` bytes.
    fn read(cache: &Cache, number: u8, decoded: &mut usize) {
        let mut out = vec![0; LEAST];
        let decode = |out: &mut [u8]| {
            *decoded += 1;
            out.fill(number);
            Ok(())
        };
        cache.read(&[number, 1], &mut out, decode, copy).unwrap();
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
    fn the_next_blocks_of_a_program_that_reads_parts_are_decoded_once() {
        let cache = Cache::new(2 * (LEAST + 2));
        let mut decoded = 0;
        for number in 0..10 {
            for _ in 0..5 {
                read(&cache, number, &mut decoded);
            }
        }
        assert_eq!(decoded, 2 + 9);
        // Whole blocks from now on: after some in vain, none is kept.
        for number in 10..20 {
            read(&cache, number, &mut decoded);
        }
        let blocks = cache.blocks.lock().unwrap();
        assert!(blocks.back().unwrap().values.is_none());
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
            assert!(cache.read(&[1], &mut out, |_| Err("damaged".into()), copy).is_err());
        }
        assert!(cache.blocks.lock().unwrap().is_empty());
    }
}
