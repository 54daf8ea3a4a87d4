//! Device memory that notices when a byte beside it is written.

use fsz::cuda::DeviceMemory;

/// What memory holds where nobody may write.
const GUARD: u8 = 0xA5;
/// Bytes of it on both sides.
const MARGIN: usize = 4096;

/// Device memory of `len` bytes between margins.
pub struct Guarded {
    pub memory: DeviceMemory,
    pub at: usize,
    pub len: usize,
}

impl Guarded {
    pub fn new(len: usize, offset: usize) -> Self {
        let memory = DeviceMemory::new(0, len + offset + 2 * MARGIN, GUARD).expect("allocates");
        Guarded { memory, at: MARGIN + offset, len }
    }

    pub fn address(&self) -> u64 {
        self.memory.address() + self.at as u64
    }

    /// The bytes, after a look at both margins.
    pub fn bytes(&self, what: &str) -> Vec<u8> {
        let mut all = vec![0; self.memory.len()];
        self.memory.read(0, &mut all).expect("reads");
        let end = self.at + self.len;
        assert!(all[..self.at].iter().all(|&b| b == GUARD), "{what}: written before the beginning");
        assert!(all[end..].iter().all(|&b| b == GUARD), "{what}: written behind the end");
        all[self.at..end].to_vec()
    }
}
