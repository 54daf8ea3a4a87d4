//! A module as the device gets it: whole, or each kernel by itself when it is first launched.

use std::ffi::{CStr, CString, c_void};

use cudarc::driver::{result, sys};

use crate::cuda::{
    driver::{error::check, workspace::wait_for},
    kernels::{fatbin, part::Part, ptx},
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
        // In a stream of its own: the default one may not be used while a graph is captured.
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking);
        let stream = check("cuStreamCreate", stream)?;
        // SAFETY: `at` holds as many bytes; the stream was made above, and is waited for before the words are read.
        let (copied, waited) = unsafe {
            let copied =
                check("cuMemcpyDtoHAsync", result::memcpy_dtoh_async(&mut words, at, stream));
            let waited = wait_for(stream);
            // A failure leaves it to the end of the process.
            let _ = result::stream::destroy(stream);
            (copied, waited)
        };
        waited.and(copied)?;
        Ok(words)
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
