//! Small programs, through the driver's functions alone.

use std::ffi::{CString, c_uint, c_void};
use std::ptr::null_mut;

use cudarc::driver::sys::{
    CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig, CUresult,
};

use super::{device::*, events::*, graphs::*, launches::*, memory::*, modules::*, streams::*};

const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;

/// A kernel of this body, whose only argument `at` is in `%rd1`, and a place to write for each thread in `%rd2`.
fn kernel(body: &str) -> *const c_void {
    let text = format!(
        ".version 9.0\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 buffer[256];\n\
         .visible .entry k(.param .u64 k_param_0)\n{{\n.reg .pred %p<5>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n\
         ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n\
         add.s64 %rd2, %rd1, %rd3;\n{body}\nret;\n}}\n"
    );
    let text = CString::new(text).unwrap();
    let (mut module, mut function) = (null_mut(), std::ptr::null());
    // SAFETY: the text ends with a zero, and there is room for each handle.
    unsafe {
        assert_eq!(cuModuleLoadData(&mut module, text.as_ptr().cast()), SUCCESS, "{text:?}");
        assert_eq!(cuModuleGetFunction(&mut function, module, c"k".as_ptr()), SUCCESS, "{text:?}");
    }
    function
}

/// So many words of device memory, zeros.
fn words(count: usize) -> u64 {
    let mut at = 0;
    assert_eq!(cuInit(0), SUCCESS);
    // SAFETY: there is room for the address, and so many bytes behind it.
    unsafe {
        assert_eq!(cuMemAlloc_v2(&mut at, 4 * count), SUCCESS);
        assert_eq!(cuMemsetD8_v2(at, 0, 4 * count), SUCCESS);
    }
    at
}

fn launch(function: *const c_void, at: u64, threads: u32, stream: u64) -> CUresult {
    let mut argument = at;
    let mut arguments = [(&raw mut argument).cast::<c_void>()];
    let list = arguments.as_mut_ptr();
    // SAFETY: the function takes one address.
    unsafe { cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream, list, null_mut()) }
}

fn read<const N: usize>(at: u64) -> [u32; N] {
    let mut words = [0; N];
    // SAFETY: the tests read what they allocated.
    assert_eq!(unsafe { cuMemcpyDtoH_v2(words.as_mut_ptr() as u64, at, 4 * N) }, SUCCESS);
    words
}

/// What 64 threads write, each its word.
fn results(body: &str) -> [u32; 64] {
    let at = words(64);
    assert_eq!(launch(kernel(body), at, 64, 0), SUCCESS, "{body}");
    read(at)
}

#[test]
fn lanes_take_each_others_values() {
    let found = results(
        "shfl.sync.bfly.b32 %r2|%p1, %r1, 1, 31, -1;\nvote.sync.ballot.b32 %r3, %p1, -1;\n\
         setp.eq.s32 %p2, %r3, -1;\nselp.b32 %r2, %r2, 77, %p2;\nst.global.u32 [%rd2], %r2;",
    );
    assert!(found.iter().enumerate().all(|(i, &word)| word as usize == i ^ 1), "{found:?}");
}

#[test]
fn lanes_find_those_with_the_same_value() {
    let found = results(
        "and.b32 %r2, %r1, 3;\nmatch.any.sync.b32 %r3, %r2, -1;\nst.global.u32 [%rd2], %r3;",
    );
    assert!((0..).zip(found).all(|(i, word)| word == 0x1111_1111 << (i % 4)), "{found:?}");
}

#[test]
fn lanes_transpose_a_matrix() {
    // Half word j of row i is 8·i + j; a lane has two.
    let found = results(
        "and.b32 %r2, %r1, 31;\nmul.lo.u32 %r3, %r2, 131074;\nadd.u32 %r3, %r3, 65536;\n\
         movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r3;\nst.global.u32 [%rd2], %r4;",
    );
    let of = |lane: u32| {
        let (row, column) = (lane / 4, 2 * (lane % 4));
        (8 * column + row) | (8 * (column + 1) + row) << 16
    };
    assert!((0..).zip(found).all(|(i, word)| word == of(i % 32)), "{found:?}");
}

/// Lanes that went different ways meet at the instruction that names them, wherever the others were before.
#[test]
fn lanes_meet_again_behind_a_branch() {
    let found = results(
        "and.b32 %r2, %r1, 3;\nsetp.ne.u32 %p1, %r2, 0;\nmov.u32 %r4, 0;\n@%p1 bra REST;\n\
         LOOP:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, %r1;\n@%p2 bra LOOP;\n\
         REST:\nredux.sync.add.u32 %r5, %r4, -1;\nst.global.u32 [%rd2], %r5;",
    );
    // Every fourth lane counts up to its own number, and at least to one.
    let sum = |first: u32| (first..first + 32).step_by(4).map(|i| i.max(1)).sum::<u32>();
    assert!(found[..32].iter().all(|&word| word == sum(0)), "{found:?}");
    assert!(found[32..].iter().all(|&word| word == sum(32)), "{found:?}");
}

/// The kernel's text, and whether a launch of it is an error.
fn fails(body: &str) -> bool {
    let at = words(64);
    match launch(kernel(body), at, 64, 0) {
        CUresult::CUDA_SUCCESS => false,
        error => {
            assert_eq!(error, CUresult::CUDA_ERROR_LAUNCH_FAILED);
            true
        }
    }
}

#[test]
fn what_a_device_may_not_notice_is_an_error() {
    assert!(!fails("st.global.u32 [%rd2], %r1;"));
    assert!(fails("st.global.u32 [%rd2+4], %r1;"), "the last thread writes behind the end");
    assert!(fails("ld.global.u32 %r2, [%rd1+-4];"), "in front of the begin");
    assert!(fails("ld.global.u32 %r2, [%rd1+2];"), "not aligned");
    assert!(
        fails("mov.u32 %r2, buffer;\nst.shared.u32 [%r2+256], %r1;"),
        "outside of shared memory"
    );
    assert!(!fails("mov.u32 %r2, buffer;\nst.shared.u32 [%r2+252], %r1;"));
    let half = "setp.lt.u32 %p1, %r1, 16;\n@%p1 bar.warp.sync 0x00010000;";
    assert!(fails(half), "lanes that are not in the mask that they name");
    // Half of a warp waits for the other half, which waits at the barrier of the thread block.
    let each_other = "setp.lt.u32 %p1, %r1, 16;\n@%p1 bar.warp.sync -1;\nbar.sync 0;";
    assert!(fails(each_other));
}

/// A copy that nobody waited for is not done, however long ago it was asked for.
#[test]
fn copies_to_shared_memory_are_done_when_they_are_waited_for() {
    let copy = |wait: &str| {
        format!(
            "mov.u32 %r2, buffer;\nmad.lo.u32 %r2, %r1, 4, %r2;\nadd.u32 %r6, %r1, 5;\nst.global.u32 [%rd2], %r6;\nmov.u32 %r3, 0;\n\
             st.shared.u32 [%r2], %r3;\ncp.async.ca.shared.global [%r2], [%rd2], 4;\n\
             cp.async.commit_group;\n{wait}\nld.shared.u32 %r4, [%r2];\nst.global.u32 [%rd2], %r4;"
        )
    };
    let numbers = |first: u32| std::array::from_fn::<u32, 64, _>(|i| first + i as u32);
    assert_eq!(results(&copy("cp.async.wait_group 0;")), numbers(5));
    assert_eq!(results(&copy("cp.async.wait_all;")), numbers(5));
    assert_eq!(results(&copy("cp.async.wait_group 1;")), [0; 64]);
    assert_eq!(results(&copy("")), [0; 64]);
}

/// Threads of another warp see a phase end when all of the first one have arrived.
#[test]
fn phases_of_barriers_are_counted() {
    let found = results(
        "mov.u32 %r10, buffer;\nmov.u32 %r11, 32;\nsetp.eq.u32 %p1, %r1, 0;\n\
         @%p1 mbarrier.init.shared::cta.b64 [%r10], %r11;\nbar.sync 0;\nsetp.lt.u32 %p2, %r1, 32;\n\
         @%p2 bra FIRST;\nWAIT:\nmbarrier.test_wait.parity.shared::cta.b64 %p3, [%r10], 0;\n\
         @!%p3 bra WAIT;\nld.shared.u32 %r5, [%r10+64];\nst.global.u32 [%rd2], %r5;\nret;\n\
         FIRST:\nmov.u32 %r6, 9;\nst.shared.u32 [%r10+64], %r6;\n\
         mbarrier.arrive.shared::cta.b64 %rd9, [%r10];",
    );
    assert!(found[32..].iter().all(|&word| word == 9), "{found:?}");
}

/// Work in a stream is done when something waits for it, in order of events.
#[test]
fn streams_and_graphs_wait() {
    let add =
        kernel("ld.global.u32 %r2, [%rd2];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd2], %r2;");
    let at = words(2);
    let (mut first, mut second, mut event) = (0, 0, 0);
    // SAFETY: there is room for the handles.
    unsafe {
        assert_eq!(cuStreamCreate(&mut first, 1), SUCCESS);
        assert_eq!(cuStreamCreate(&mut second, 1), SUCCESS);
        assert_eq!(cuEventCreate(&mut event, 0), SUCCESS);
    }
    assert_eq!(launch(add, at, 2, first), SUCCESS);
    assert_eq!(read::<2>(at), [0, 0], "the default stream does not wait for this one");
    assert_eq!(cuEventQuery(event), SUCCESS, "it is in no stream");
    assert_eq!(cuEventRecord(event, first), SUCCESS);
    assert_eq!(launch(add, at, 2, first), SUCCESS);
    assert_eq!(cuStreamWaitEvent(second, event, 0), SUCCESS);
    assert_eq!(cuStreamSynchronize(second), SUCCESS);
    assert_eq!(read::<2>(at), [1, 1], "what is before the event, and no more");
    assert_eq!(cuStreamSynchronize(first), SUCCESS);
    assert_eq!(read::<2>(at), [2, 2]);

    // What waits for an event does so when the event is destroyed meanwhile.
    let (mut brief, two) = (0, words(2));
    // SAFETY: there is room for the handle.
    assert_eq!(unsafe { cuEventCreate(&mut brief, 0) }, SUCCESS);
    assert_eq!(launch(add, two, 2, first), SUCCESS);
    assert_eq!(cuEventRecord(brief, first), SUCCESS);
    assert_eq!(cuStreamWaitEvent(second, brief, 0), SUCCESS);
    assert_eq!(cuEventDestroy_v2(brief), SUCCESS);
    assert_eq!(cuEventQuery(brief), CUresult::CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(cuStreamSynchronize(second), SUCCESS);
    assert_eq!(read::<2>(two), [1, 1]);

    let (mut graph, mut executable) = (null_mut(), null_mut());
    // Other tests do what would end a stricter one.
    const THREAD_LOCAL: c_uint = 1;
    const RELAXED: c_uint = 2;
    let unsupported = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    let ended = CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    let refused: [&dyn Fn() -> CUresult; 2] =
        [&|| cuStreamSynchronize(first), &|| cuEventQuery(event)];
    for call in refused {
        assert_eq!(cuStreamBeginCapture_v2(first, THREAD_LOCAL), SUCCESS);
        assert_eq!(call(), unsupported);
        assert_eq!(launch(add, at, 2, first), ended);
        // SAFETY: there is room for the handle.
        assert_eq!(unsafe { cuStreamEndCapture(first, &mut graph) }, ended);
    }
    assert_eq!(cuStreamBeginCapture_v2(first, RELAXED), SUCCESS);
    assert_eq!(cuEventQuery(event), SUCCESS);
    assert_eq!(launch(add, at, 2, first), SUCCESS);
    // SAFETY: there is room for the handles, and each is used while it is alive.
    unsafe {
        assert_eq!(cuStreamEndCapture(first, &mut graph), SUCCESS);
        assert_eq!(cuGraphInstantiateWithFlags(&mut executable, graph, 0), SUCCESS);
        assert_eq!(cuGraphDestroy(graph), SUCCESS);
        assert_eq!(read::<2>(at), [2, 2], "captured work is not done");
        for _ in 0..3 {
            assert_eq!(cuGraphLaunch(executable, first), SUCCESS);
        }
        assert_eq!(cuStreamDestroy_v2(first), SUCCESS);
        assert_eq!(cuGraphExecDestroy(executable), SUCCESS);
    }
    assert_eq!(read::<2>(at), [5, 5]);
    assert_eq!(cuMemFree_v2(at), SUCCESS);
    assert_eq!(cuMemFree_v2(at), CUresult::CUDA_ERROR_INVALID_VALUE, "it is free already");
}

#[test]
fn what_is_not_known_is_refused() {
    let load = |text: &str| {
        let text = CString::new(text).unwrap();
        let mut module = null_mut();
        // SAFETY: the text ends with a zero.
        unsafe { cuModuleLoadData(&mut module, text.as_ptr().cast()) }
    };
    assert_eq!(load(".version 9.0\n.target sm_90\n"), CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_eq!(load("\x7fELF"), CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_eq!(load(".target sm_80\n.entry k( {"), CUresult::CUDA_ERROR_INVALID_PTX);
}

/// What two launches of a stream write: the first adds 5 to each word, and the second, which begins early, what it finds
/// before and behind its wait, side by side.
#[test]
fn a_launch_that_begins_early_waits_for_the_one_before() {
    let (at, mut stream) = (words(64), 0);
    let first = kernel("griddepcontrol.launch_dependents;\nred.global.add.u32 [%rd2], 5;");
    let next = kernel(
        "ld.global.u32 %r2, [%rd2];\ngriddepcontrol.wait;\nld.global.u32 %r3, [%rd2];\n\
         mad.lo.u32 %r4, %r2, 100, %r3;\nst.global.u32 [%rd2], %r4;",
    );
    let mut argument = at;
    let mut arguments = [(&raw mut argument).cast::<c_void>()];
    let value = CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 };
    let id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    let mut attributes = [CUlaunchAttribute { id, pad: [0; 4], value }];
    // SAFETY: there is room for the stream; function and arguments fit; the attribute has its value.
    unsafe {
        assert_eq!(cuStreamCreate(&mut stream, 1), SUCCESS);
        assert_eq!(launch(first, at, 64, stream), SUCCESS);
        let config = CUlaunchConfig {
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 64,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: stream as *mut _,
            attrs: attributes.as_mut_ptr(),
            numAttrs: 1,
        };
        let launched = cuLaunchKernelEx(&config, next, arguments.as_mut_ptr(), null_mut());
        assert_eq!(launched, SUCCESS);
    }
    assert_eq!(cuStreamSynchronize(stream), SUCCESS);
    assert_eq!(read::<64>(at), [5; 64]);
}
