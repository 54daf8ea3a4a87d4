//! ADIOS2 blocks to payloads. Writing does not fail: what a device cannot compress the CPU compresses,
//! and what cannot be compressed is stored raw.

use std::{
    slice,
    time::{Duration, Instant},
};

use fsz::{
    Codec, CompressOptions,
    cuda::{CudaMemory, HostCompression, MemoryKind},
    with_element,
};

use super::{Operator, attempt, text};
use crate::{
    block::Block,
    device,
    envelope::{Envelope, MAX_DIMENSIONS, MAX_NAME, Mode, min_header},
    parameters::Backend,
    warning,
};

/// ADIOS2 blocks up to this many bytes are stored raw without a warning: the header of a stream may
/// outweigh what it saves.
const SMALL: usize = 4096;

impl Operator {
    /// Writes the payload of an ADIOS2 block to `out` and returns its length, which is never 0 while
    /// the values can be read: 0 only for device memory of a device that does not respond.
    ///
    /// # Safety
    /// `block.data` holds all its values, in host or CUDA memory. `out` is writable for what
    /// [`Operator::estimate`] said if it was asked on this thread just before, else for the values
    /// and the shortest header.
    pub unsafe fn write(&self, mut block: Block<'_>, out: *mut u8) -> usize {
        let dimensions = block.count.len();
        let roomy = self.has_estimated_room(&block, dimensions);
        if dimensions > MAX_DIMENSIONS {
            block.count = vec![block.elements() as u64];
            block.start = None;
        }
        let began = Instant::now();
        let memory = match attempt(|| CudaMemory::at(block.data).map_err(text)) {
            Ok(memory) => memory.filter(|_| block.bytes() > 0),
            // The driver cannot say; what the host can read is host memory.
            Err(_) if device::is_readable(block.data, block.bytes()) => None,
            Err(reason) => {
                warning::lost(&block.variable, &reason);
                return 0;
            }
        };
        // SAFETY: promised by the caller.
        let on_device = unsafe { self.write_on_device(memory.as_ref(), &block, roomy, out) };
        let (written, on_device) = match on_device {
            Some(done) => done,
            None => {
                // Alive until the block is written.
                let copy;
                if let Some(memory) = memory.filter(|m| m.kind() == MemoryKind::Device) {
                    // SAFETY: promised by the caller.
                    let read = || unsafe { device::copy_to_host(&memory, block.bytes()) };
                    copy = match attempt(read) {
                        Ok(copy) => copy,
                        Err(reason) => {
                            warning::lost(&block.variable, &reason);
                            return 0;
                        }
                    };
                    block.data = copy.as_ptr();
                }
                // SAFETY: the values are in memory that the host reads now.
                (unsafe { self.write_on_host(&block, roomy, out) }, None)
            }
        };
        if self.parameters.verbose > 0 {
            report(&block, written, began, on_device.filter(|_| self.parameters.verbose > 1));
        }
        written
    }

    /// Compresses on a CUDA device, after the work that is pending on the values; None when the CPU is
    /// to compress.
    ///
    /// # Safety
    /// As [`Operator::write`].
    unsafe fn write_on_device(
        &self,
        memory: Option<&CudaMemory>,
        block: &Block<'_>,
        roomy: bool,
        out: *mut u8,
    ) -> Option<(usize, Option<HostCompression>)> {
        let backend = self.parameters.backend;
        let compress = || -> Result<Option<(usize, Option<HostCompression>)>, String> {
            if let Some(memory) = memory {
                memory.synchronize().map_err(text)?;
            }
            if backend == Backend::Cpu || self.parameters.bound.is_none() {
                return Ok(None);
            }
            match memory {
                Some(memory) if memory.kind() != MemoryKind::Pinned => {
                    let mut made = None;
                    let encode = |shape: &[u64], options: &CompressOptions, body: &mut [u8]| {
                        // SAFETY: the values are the caller's promise; waited for above.
                        let compressed =
                            unsafe { device::compress(memory, block.dtype, shape, options, body) }
                                .map_err(text)?;
                        made = Some(compressed);
                        Ok(compressed.len)
                    };
                    // SAFETY: promised by the caller.
                    let written = unsafe { self.write_stream(block, roomy, out, encode) }?;
                    Ok(Some((written, made)))
                }
                _ if backend == Backend::Cuda && block.bytes() > 0 => {
                    let codec = Codec::cuda(self.parameters.device).map_err(text)?;
                    // SAFETY: host memory, as the driver says or as it is no CUDA memory.
                    let written = unsafe { self.write_from_host(&codec, block, roomy, out) }?;
                    Ok(Some((written, None)))
                }
                _ => Ok(None),
            }
        };
        attempt(compress).unwrap_or_else(|reason| {
            warning::on_cpu(&block.variable, &reason);
            None
        })
    }

    /// Compresses on the CPU, or stores the values as they are.
    ///
    /// # Safety
    /// As [`Operator::write`], and the host reads the values.
    unsafe fn write_on_host(&self, block: &Block<'_>, roomy: bool, out: *mut u8) -> usize {
        // SAFETY: promised by the caller.
        let compress = || unsafe { self.write_from_host(&self.codec()?, block, roomy, out) };
        attempt(compress).unwrap_or_else(|reason| {
            if block.bytes() > SMALL {
                warning::stored_raw(&block.variable, &reason);
            }
            // SAFETY: promised by the caller.
            unsafe { write_raw(block, roomy, out) }
        })
    }

    /// # Safety
    /// As [`Operator::write_on_host`].
    unsafe fn write_from_host(
        &self,
        codec: &Codec,
        block: &Block<'_>,
        roomy: bool,
        out: *mut u8,
    ) -> Result<usize, String> {
        // SAFETY: promised by the caller.
        unsafe {
            with_element!(block.dtype, T => {
                let values = block.values::<T>();
                self.write_stream(block, roomy, out, |shape, options, body| {
                    codec.compress_into(&values, shape, options, body).map_err(text)
                })
            })
        }
    }

    /// The codec's options for a block.
    pub(super) fn options(
        &self,
        block: &Block<'_>,
        start: Option<&[u64]>,
    ) -> Result<CompressOptions, String> {
        let mut options =
            CompressOptions::new(self.parameters.bound.ok_or("no accuracy was given")?)
                .profile(self.parameters.profile);
        for &value in &self.parameters.missing {
            options = options.missing(value);
        }
        if !block.variable.is_empty() {
            options = options.name(clip(&block.variable));
        }
        Ok(match start {
            Some(start) => options.start(start),
            None => options,
        })
    }

    /// Writes the payload with the stream that `encode` makes.
    ///
    /// # Safety
    /// `out` is as [`Operator::write`] asks.
    unsafe fn write_stream(
        &self,
        block: &Block<'_>,
        roomy: bool,
        out: *mut u8,
        encode: impl FnOnce(&[u64], &CompressOptions, &mut [u8]) -> Result<usize, String>,
    ) -> Result<usize, String> {
        let (shape, start) = block.stream_shape();
        let options = self.options(block, start)?;
        let most = fsz::max_compressed_len(&shape, block.dtype).map_err(text)? as usize;
        let mut envelope = Envelope {
            mode: Mode::Stream,
            element_size: block.dtype.size() as u8,
            count: block.count.clone(),
            start: block.start.clone(),
            name: b"",
            body: &[],
        };
        let header_len = envelope.header_len();
        if roomy {
            // SAFETY: the estimate covers the longest header and the longest stream. The codec
            // only writes to the buffer.
            let out = unsafe { slice::from_raw_parts_mut(out, header_len + most) };
            let (header, body) = out.split_at_mut(header_len);
            let length = encode(&shape, &options, body)?;
            envelope.body = &body[..length];
            header.copy_from_slice(&envelope.header());
            return Ok(header_len + length);
        }
        let mut body = vec![0; most];
        let length = encode(&shape, &options, &mut body)?;
        if header_len + length > min_header(block.count.len()) + block.bytes() {
            return Err(format!("the engine provides no room for {length} bytes"));
        }
        envelope.body = &body[..length];
        // SAFETY: no longer than the values and the shortest header.
        Ok(unsafe { put(&envelope, out) })
    }
}

/// # Safety
/// As [`Operator::write`].
unsafe fn write_raw(block: &Block<'_>, roomy: bool, out: *mut u8) -> usize {
    let body = if block.bytes() == 0 {
        &[]
    } else {
        // SAFETY: the values are readable, as bytes too.
        unsafe { slice::from_raw_parts(block.data, block.bytes()) }
    };
    let envelope = Envelope {
        mode: Mode::Raw,
        element_size: block.dtype.size() as u8,
        count: block.count.clone(),
        // Without known room the header is the shortest.
        start: block.start.clone().filter(|_| roomy),
        name: if roomy { clip(&block.variable).as_bytes() } else { b"" },
        body,
    };
    // SAFETY: either the estimate covers the longest header and the values, or the header is the
    // shortest.
    unsafe { put(&envelope, out) }
}

/// # Safety
/// `out` is writable for the whole envelope, and is not part of its body.
unsafe fn put(envelope: &Envelope<'_>, out: *mut u8) -> usize {
    let header = envelope.header();
    // SAFETY: promised by the caller.
    unsafe {
        out.copy_from_nonoverlapping(header.as_ptr(), header.len());
        out.add(header.len()).copy_from_nonoverlapping(envelope.body.as_ptr(), envelope.body.len());
    }
    header.len() + envelope.body.len()
}

/// The part of a name that can be recorded.
fn clip(name: &str) -> &str {
    &name[..name.floor_char_boundary(MAX_NAME)]
}

fn report(block: &Block<'_>, written: usize, began: Instant, on_device: Option<HostCompression>) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = block.bytes() as f64 / written as f64;
    let all = milliseconds(began.elapsed());
    let parts = on_device.map_or_else(String::new, |made| {
        let [kernels, copy] = [made.kernels, made.copy].map(milliseconds);
        format!(" (kernels {kernels:.3} ms, copy to the host {copy:.3} ms)")
    });
    eprintln!(
        "FSZ: {} {:?}: {} to {written} bytes, ratio {ratio:.2}, {all:.3} ms{parts}",
        if block.variable.is_empty() { "a variable" } else { &block.variable },
        block.count,
        block.bytes(),
    );
}
