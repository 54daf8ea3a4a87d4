//! Memory that kernels and copies reach.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where shared memory begins among generic addresses. No processor of this kind has memory there.
pub(crate) const SHARED: u64 = 0x4000_0000_0000_0000;
/// Where a thread's own memory begins.
pub(crate) const PRIVATE: u64 = 0x5000_0000_0000_0000;

/// What kind of memory an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Of the device.
    Device,
    /// Of the host, and pinned.
    Pinned,
    /// Of both.
    Managed,
    /// Addresses without memory.
    Reserved,
}

/// An allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    pub len: u64,
    pub kind: Kind,
}

/// All allocations by their addresses, which are those of this process's own memory.
static ALLOCATIONS: Mutex<BTreeMap<u64, Allocation>> = Mutex::new(BTreeMap::new());

fn allocations() -> MutexGuard<'static, BTreeMap<u64, Allocation>> {
    ALLOCATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes of the device: little, so that a test can fill it.
pub(crate) const MEMORY: u64 = 1 << 30;

/// To what allocations are aligned, as the driver does it.
const ALIGNMENT: usize = 512;
/// What new memory holds: nothing that a program could take for zeros.
pub(crate) const UNWRITTEN: u8 = 0xCD;

fn layout(len: usize) -> Option<std::alloc::Layout> {
    std::alloc::Layout::from_size_align(len.max(1), ALIGNMENT).ok()
}

/// Allocations beyond this many bytes get their pages when they are used.
const WRITTEN: usize = 1 << 24;

/// New memory, and its address; none where the device is full.
pub(crate) fn allocate(len: usize, kind: Kind) -> Option<u64> {
    let mut allocations = allocations();
    let on_device = |allocation: &&Allocation| allocation.kind == Kind::Device;
    let used: u64 = allocations.values().filter(on_device).map(|a| a.len).sum();
    if kind == Kind::Device && used + len as u64 > MEMORY {
        return None;
    }
    let layout = layout(len)?;
    // SAFETY: the layout is at least a byte long.
    let at = unsafe { std::alloc::alloc(layout) };
    if at.is_null() {
        return None;
    }
    // SAFETY: so many bytes were allocated.
    unsafe { at.write_bytes(UNWRITTEN, if len < WRITTEN { len } else { 0 }) };
    allocations.insert(at as u64, Allocation { len: len as u64, kind });
    Some(at as u64)
}

/// Takes the allocation that begins at `address` back.
pub(crate) fn free(address: u64) -> bool {
    let Some(allocation) = allocations().remove(&address) else { return false };
    if let Some(layout) = layout(allocation.len as usize) {
        // SAFETY: `allocate` made it with the same layout, and it was known until now.
        unsafe { std::alloc::dealloc(address as *mut u8, layout) };
    }
    true
}

/// Addresses with or without memory, whoever made them.
pub(crate) fn register(address: u64, allocation: Allocation) {
    allocations().insert(address, allocation);
}

/// Forgets what was registered.
pub(crate) fn forget(address: u64) -> Option<Allocation> {
    allocations().remove(&address)
}

/// The allocation that holds an address.
pub(crate) fn find(address: u64) -> Option<Allocation> {
    let allocations = allocations();
    let (&begin, &allocation) = allocations.range(..=address).next_back()?;
    (address - begin < allocation.len.max(1)).then_some(allocation)
}

/// What kernels may reach at the moment.
#[derive(Debug)]
pub(crate) struct Reach {
    ranges: Vec<(u64, u64)>,
}

impl Reach {
    pub fn now() -> Self {
        let allocations = allocations();
        let usable = allocations.iter().filter(|(_, allocation)| allocation.kind != Kind::Reserved);
        Reach { ranges: usable.map(|(&at, allocation)| (at, at + allocation.len)).collect() }
    }

    /// The memory of an access, if all of it is within one allocation. `last` remembers the one of the access
    /// before.
    pub fn pointer(&self, address: u64, len: usize, last: &mut (u64, u64)) -> Option<*mut u8> {
        let end = address.checked_add(len as u64)?;
        if address < last.0 || end > last.1 {
            let at = self.ranges.partition_point(|&(begin, _)| begin <= address).checked_sub(1)?;
            *last = self.ranges[at];
        }
        (address >= last.0 && end <= last.1).then_some(address as *mut u8)
    }
}
