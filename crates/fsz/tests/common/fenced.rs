//! Device memory whose neighbours on both sides are not mapped: an access beyond it faults.

use cudarc::driver::{CudaContext, sys};

/// Bytes of device memory that begin where a mapped page begins, or end (to 16 bytes) where one ends.
pub struct Fenced {
    reserved: (u64, usize),
    mapped: (u64, usize),
    pub address: u64,
    pub len: usize,
}

/// The side of the fence that the bytes lie at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    First,
    Last,
}

impl Fenced {
    /// `len` bytes of device 0.
    pub fn new(len: usize, side: Side) -> Self {
        CudaContext::new(0).and_then(|context| context.bind_to_thread()).expect("a context");
        let location = sys::CUmemLocation_st {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: 0,
        };
        // SAFETY: all of its fields are integers, enumerations with a zero, and a pointer.
        let mut wanted: sys::CUmemAllocationProp_st = unsafe { std::mem::zeroed() };
        wanted.type_ = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        wanted.location = location;
        let flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let access = sys::CUmemAccessDesc_st { location, flags };
        let least = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        let (mut page, mut base, mut handle) = (0, 0, 0);
        // SAFETY: the outputs are locals; sizes are multiples of the page; what is mapped lies within
        // what is reserved; the handle's memory lives until it is unmapped.
        unsafe {
            let get = sys::cuMemGetAllocationGranularity(&mut page, &wanted, least);
            get.result().expect("a granularity");
            let size = len.max(1).next_multiple_of(page);
            let reserve = sys::cuMemAddressReserve(&mut base, size + 2 * page, 0, 0, 0);
            reserve.result().expect("reserves");
            sys::cuMemCreate(&mut handle, size, &wanted, 0).result().expect("allocates");
            let start = base + page as u64;
            sys::cuMemMap(start, size, 0, handle, 0).result().expect("maps");
            sys::cuMemRelease(handle).result().expect("leaves it to the mapping");
            sys::cuMemSetAccess(start, size, &access, 1).result().expect("opens");
            let within = match side {
                Side::First => 0,
                Side::Last => (size - len) / 16 * 16,
            };
            let address = start + within as u64;
            Fenced { reserved: (base, size + 2 * page), mapped: (start, size), address, len }
        }
    }

    /// Copies bytes in.
    pub fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.len);
        // SAFETY: the bytes are on the host, and their room on the device was just measured.
        let copy = unsafe {
            sys::cuMemcpyHtoD_v2(self.address, bytes.as_ptr().cast(), bytes.len()).result()
        };
        copy.expect("writes");
    }

    /// All bytes.
    pub fn read(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        // SAFETY: there are `len` bytes on either side.
        let copy = unsafe {
            sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), self.address, self.len).result()
        };
        copy.expect("reads");
        bytes
    }
}

impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: mapped and reserved in `new`; the test has waited for what used it. A failure in a
        // destructor cannot be passed on, and the process ends soon.
        unsafe {
            let _ = sys::cuMemUnmap(self.mapped.0, self.mapped.1);
            let _ = sys::cuMemAddressFree(self.reserved.0, self.reserved.1);
        }
    }
}
