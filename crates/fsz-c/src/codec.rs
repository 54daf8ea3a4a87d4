//! Where the work is done.

use std::ffi::{CString, c_char};

use fsz::{Backend, Codec};

use crate::{
    handle::{self, Object},
    status::{Failure, Result, address_of, fszc_status, status_of, value_of},
};

/// Where a codec runs: FSZC_AUTO, FSZC_CPU, FSZC_CUDA or FSZC_CPU_PORTABLE. All of them write the same
/// bytes.
pub type fszc_backend = u32;
/// The CPU, or the first CUDA device for calls that are faster there: large ones. What the device does
/// not serve, or fails at, the CPU does.
pub const FSZC_AUTO: fszc_backend = 0;
/// The CPU.
pub const FSZC_CPU: fszc_backend = 1;
/// One CUDA device. The driver is loaded when the first codec asks for it.
pub const FSZC_CUDA: fszc_backend = 2;
/// The CPU without instructions that not every processor has; for tests.
pub const FSZC_CPU_PORTABLE: fszc_backend = 3;

/// Compresses fields and decompresses streams. May be used by many threads at once.
#[derive(Debug)]
pub struct fszc_codec {
    pub(crate) codec: Codec,
    description: CString,
}

impl Object for fszc_codec {
    const NAME: &'static str = "fszc_codec";
}

/// Makes a codec. `device` is the number of the CUDA device for FSZC_CUDA, and 0 for all others.
/// `threads` is how many threads the CPU codec starts for itself, at most 4 for each core: 0 for one thread
/// per core, shared by all such codecs of the process; 1 to work in the calling thread alone. Where the
/// system starts fewer, there are fewer. A process that was forked has none of its parent's threads:
/// there calls work in the calling thread, until it makes a codec with `threads` of its own.
///
/// FSZC_DEVICE says why a CUDA device cannot be used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_codec_new(
    backend: fszc_backend,
    device: usize,
    threads: usize,
    codec: *mut *mut fszc_codec,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    status_of(|| unsafe { handle::make(codec, || open(backend, device, threads)) })
}

fn open(backend: fszc_backend, device: usize, threads: usize) -> Result<fszc_codec> {
    if device != 0 && backend != FSZC_CUDA {
        return Err(Failure::invalid(format!(
            "device {device} with a backend other than FSZC_CUDA"
        )));
    }
    let codec = match backend {
        FSZC_AUTO => Codec::auto(),
        FSZC_CPU => Codec::cpu(),
        FSZC_CUDA => Codec::cuda(device)?,
        FSZC_CPU_PORTABLE => Codec::cpu_portable(),
        _ => {
            return Err(Failure::invalid(format!(
                "backend {backend}: FSZC_AUTO, FSZC_CPU, FSZC_CUDA or FSZC_CPU_PORTABLE is needed"
            )));
        }
    };
    let codec = if threads == 0 { codec } else { codec.threads(threads)? };
    let description = CString::new(codec.to_string()).unwrap_or_default();
    Ok(fszc_codec { codec, description })
}

/// Where the codec runs: FSZC_CPU or FSZC_CUDA; FSZC_AUTO when the call fails. Of a codec of FSZC_AUTO:
/// FSZC_CUDA where a device can be used, which is found out by starting it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_codec_backend(codec: *const fszc_codec) -> fszc_backend {
    value_of(FSZC_AUTO, || {
        // SAFETY: the header's rules for pointers.
        let codec = unsafe { handle::get(codec) }?;
        match codec.codec.backend() {
            Backend::Cpu => Ok(FSZC_CPU),
            Backend::Cuda => Ok(FSZC_CUDA),
            other => Err(Failure::invalid(format!("backend {}", other.name()))),
        }
    })
}

/// The codec in words, such as "CPU (AVX2)". Lives as long as the codec; NULL when the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_codec_description(codec: *const fszc_codec) -> *const c_char {
    // SAFETY: the header's rules for pointers.
    address_of(|| unsafe { Ok(handle::get(codec)?.description.as_ptr()) })
}

/// Frees the codec, when no call uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_codec_free(codec: *mut fszc_codec) {
    // SAFETY: the header's rules for pointers.
    value_of((), || unsafe { handle::free(codec) });
}
