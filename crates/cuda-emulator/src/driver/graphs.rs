//! Graphs: work of one stream, kept and done again.

use std::ffi::{c_int, c_uint, c_ulonglong};

use cudarc::driver::sys::CUresult;

use super::{code, give, queue::Work, queues};

/// What was captured.
#[derive(Clone, Debug)]
pub(super) struct Graph(Vec<Work>);

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamBeginCapture_v2(stream: u64, mode: c_uint) -> CUresult {
    code(queues().begin_capture(stream, mode))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamIsCapturing(stream: u64, status: *mut c_int) -> CUresult {
    let status_now = queues().is_captured(stream).into();
    // SAFETY: promised by the caller.
    code(unsafe { give(status, status_now) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamEndCapture(stream: u64, graph: *mut *mut Graph) -> CUresult {
    let captured = queues().end_capture(stream);
    // SAFETY: promised by the caller.
    code(captured.and_then(|work| unsafe { give(graph, Box::into_raw(Box::new(Graph(work)))) }))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithFlags(
    executable: *mut *mut Graph,
    graph: *mut Graph,
    _flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the graph is one that was captured here.
    let copy = unsafe { (*graph).clone() };
    // SAFETY: promised by the caller.
    code(unsafe { give(executable, Box::into_raw(Box::new(copy))) })
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphLaunch(executable: *mut Graph, stream: u64) -> CUresult {
    // SAFETY: it was instantiated here and is not destroyed.
    let work = unsafe { &(*executable).0 };
    let mut queues = queues();
    code(work.iter().try_for_each(|work| queues.push(stream, work.clone())))
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphDestroy(graph: *mut Graph) -> CUresult {
    // SAFETY: made by `Box::into_raw`, and not used again.
    drop(unsafe { Box::from_raw(graph) });
    CUresult::CUDA_SUCCESS
}

/// # Safety
/// As in `cuda.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecDestroy(executable: *mut Graph) -> CUresult {
    // SAFETY: promised by the caller.
    unsafe { cuGraphDestroy(executable) }
}
