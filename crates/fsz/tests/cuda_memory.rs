//! Calls while device memory is short. In a program of its own: it fills the device.
#![cfg(feature = "cuda")]

mod common;

use common::{
    compress,
    inputs::{KINDS, field},
    or_skip,
};
use cudarc::driver::{CudaContext, sys};
use fsz::{Bound, Codec, CompressOptions, Stream, cuda::DeviceStream};

const MIB: usize = 1 << 20;

/// All memory of the device but some, in blocks.
struct Filled(Vec<u64>);

impl Filled {
    fn but(bytes: usize) -> Self {
        let allocate = |bytes| {
            let mut at = 0;
            // SAFETY: writes one address; the context is current.
            let answer = unsafe { sys::cuMemAlloc_v2(&mut at, bytes) };
            (answer == sys::CUresult::CUDA_SUCCESS).then_some(at)
        };
        let rest = allocate(bytes).expect("is free");
        let mut blocks = Vec::new();
        for shift in (20..40).rev() {
            blocks.extend(std::iter::from_fn(|| allocate(1 << shift)));
        }
        free(rest);
        Filled(blocks)
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        self.0.drain(..).for_each(free);
    }
}

fn free(at: u64) {
    // SAFETY: allocated in `Filled::but`, and freed once.
    let answer = unsafe { sys::cuMemFree_v2(at) };
    assert_eq!(answer, sys::CUresult::CUDA_SUCCESS);
}

#[test]
fn what_calls_have_left_is_there_for_others() {
    let Some(codec) = or_skip("full memory", Codec::cuda(0)) else { return };
    let context = CudaContext::new(0).expect("a context");
    context.bind_to_thread().expect("a context");
    if context.total_mem().expect("a device") > 4 << 30 {
        eprintln!(
            "SKIPPED: full memory: a device of more than 4 GiB, whose driver needs some for itself"
        );
        return;
    }
    let options = CompressOptions::new(Bound::Absolute(1e-3));
    let small: Vec<f32> = field(KINDS[0], 1000, 1);
    let bytes = compress(&codec, &small, &[1000], &options);
    let stream = DeviceStream::upload(0, &Stream::open(&bytes).expect("opens")).expect("uploads");
    let large: Vec<f32> = field(KINDS[0], MIB, 2);
    let shape = [large.len() as u64];
    let expected = compress(&Codec::cpu(), &large, &shape, &options);
    let call = || compress(&codec, &large, &shape, &options);
    // Two calls at once: the one within the other takes memory of its own, and leaves it.
    let mut found = [vec![], vec![]];
    let read = |_: &[f32]| stream.decompress_box_with(&[0], &[9], |_: &[f32]| ()).expect("decodes");
    stream.decompress_box_with(&[0], &[9], read).expect("decodes");
    let filled = Filled::but(3 * large.len() * size_of::<f32>());
    let read = |_: &[f32]| found[0] = call();
    stream.decompress_box_with(&[0], &[9], read).expect("decodes");
    found[1] = call();
    drop(filled);
    assert!(found.iter().all(|found| *found == expected));
}
