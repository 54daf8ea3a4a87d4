//! A module as the device gets it: whole, or each kernel by itself when it is first launched.

use std::ffi::{CStr, CString, c_void};

use cudarc::driver::{result, sys};

use super::{
    error::{check, ok},
    fatbin,
    part::Part,
    ptx,
};
use crate::error::{Error, Result};

/// Where the kernels of a module come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Image {
    /// All of them, compiled beforehand.
    Whole(sys::CUmodule),
    /// The driver compiles those that are launched, from the text, and keeps what it made.
    Kernels { variables: sys::CUmodule, text: &'static str },
}

// SAFETY: driver handles are valid on every thread of the process.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// The image of a part for this device where the build carries one, else its PTX. What is loaded is never
    /// unloaded.
    pub fn open(part: Part, capability: i32) -> Result<Self> {
        if let Some(Ok(module)) = fatbin::of(part).map(load) {
            return Ok(Image::Whole(module));
        }
        let text = part.ptx(capability);
        let variables = load_text(&ptx::only(text, None))?;
        Ok(Image::Kernels { variables, text })
    }

    /// All kernels of some PTX at once.
    pub fn whole(text: &str) -> Result<sys::CUmodule> {
        load_text(&format!("{text}\0"))
    }

    /// The kernel `name`. A driver that has not seen it before takes about a second to compile it.
    pub fn function(&self, name: &str) -> Result<sys::CUfunction> {
        let _relaxed = Relaxed::new()?;
        let module = match *self {
            Image::Whole(module) => module,
            Image::Kernels { text, .. } => load_text(&ptx::only(text, Some(name)))?,
        };
        let name = CString::new(name).map_err(|e| Error::Device(e.to_string()))?;
        // SAFETY: the module is loaded and never unloaded.
        check("cuModuleGetFunction", unsafe { result::module::get_function(module, name) })
    }

    /// Reads the variable `name`, `u32`s.
    pub fn words(&self, name: &CStr) -> Result<Vec<u32>> {
        let (Image::Whole(module) | Image::Kernels { variables: module, .. }) = *self;
        // SAFETY: the module is loaded.
        let found = unsafe { result::module::get_global(module, CString::from(name)) };
        let (at, len) = check("cuModuleGetGlobal", found)?;
        let mut words = vec![0; len / size_of::<u32>()];
        // SAFETY: `at` holds as many bytes.
        check("cuMemcpyDtoH", unsafe { result::memcpy_dtoh_sync(&mut words, at) })?;
        Ok(words)
    }
}

/// While this lives, kernels can be loaded on this thread although a CUDA graph is being captured.
struct Relaxed(sys::CUstreamCaptureMode);

impl Relaxed {
    fn new() -> Result<Self> {
        let mut mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: exchanges the mode of this thread for that.
        ok("cuThreadExchangeStreamCaptureMode", unsafe {
            sys::cuThreadExchangeStreamCaptureMode(&mut mode)
        })?;
        Ok(Relaxed(mode))
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        // SAFETY: as above. A failure means that the driver is gone.
        let _ = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut self.0) };
    }
}

/// Loads PTX, which ends with a zero.
fn load_text(text: &str) -> Result<sys::CUmodule> {
    assert!(text.ends_with('\0'), "the driver reads up to a zero");
    load(text.as_bytes())
}

/// Loads PTX that ends with a zero, or a whole image.
fn load(image: &[u8]) -> Result<sys::CUmodule> {
    let at = image.as_ptr().cast::<c_void>();
    // SAFETY: the driver reads the text up to the zero, or what the image says of its own length.
    check("cuModuleLoadData", unsafe { result::module::load_data(at) })
}
