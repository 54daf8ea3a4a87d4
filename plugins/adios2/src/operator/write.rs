//! ADIOS2 blocks to payloads. What a device cannot compress the CPU compresses, and what cannot be
//! compressed is stored raw.

use std::{
    slice,
    time::{Duration, Instant},
};

use fsz::{
    Bound, Codec, CompressOptions, Stream,
    cuda::{CudaMemory, HostCompression, MemoryKind},
    format::FixedHeader,
    with_element,
};
use fsz_field::usual_fill_value;

use super::{
    NO_BOUND, Operator, attempt,
    choices::{self, Place},
    gather::gather,
    no_stream::NoStream,
    payload::{clip, put, write_raw},
    text,
};
use crate::{
    block::Block,
    codecs, device,
    envelope::{Envelope, MAX_DIMENSIONS, Mode},
    parameters::{Backend, Choose, Parameters},
    summary, warning,
};

/// ADIOS2 blocks up to this many bytes are stored raw without a warning where there is no room for their stream: its
/// header may outweigh what it saves.
const SMALL: usize = 4096;

/// A payload that was written.
#[derive(Clone, Copy, Debug)]
struct Written {
    bytes: usize,
    /// It was coded by what an earlier step chose.
    like_earlier: bool,
    /// Where a device read the values in its memory.
    on_device: Option<HostCompression>,
}

impl Written {
    fn of(bytes: usize) -> Self {
        Written { bytes, like_earlier: false, on_device: None }
    }
}

impl Operator {
    /// Writes the payload of an ADIOS2 block to `out` and returns its length.
    ///
    /// # Errors
    /// There are no values, or they are in memory of a device that does not respond; the operator has
    /// no bound and `may_fail`; or there is no room even for the values.
    ///
    /// # Safety
    /// `block.data` holds all its values, in host or CUDA memory, unless it is null. `out` is writable
    /// for `room` bytes.
    pub unsafe fn write(
        &self,
        mut block: Block<'_>,
        out: *mut u8,
        room: usize,
        may_fail: bool,
    ) -> Result<usize, String> {
        if let Some(refusal) = &self.refusal {
            if may_fail {
                return Err(refusal.clone());
            }
            warning::refused(&block.variable, refusal);
        }
        if block.data.is_null() && block.bytes() > 0 {
            return Err("ADIOS2 gave the operator no values: this engine does not support memory \
                        selections with an operator"
                .into());
        }
        if block.count.len() > MAX_DIMENSIONS {
            block.count = vec![block.elements() as u64];
            block.start = None;
        }
        let began = Instant::now();
        let mut memory = match attempt(|| CudaMemory::at(block.data).map_err(text)) {
            Ok(memory) => memory.filter(|_| block.bytes() > 0),
            // The driver cannot say; what the host can read is host memory.
            Err(_) if device::is_readable(block.data, block.span()) => None,
            Err(reason) => return Err(device::lost(&reason)),
        };
        // Alive until the block is written.
        let gathered;
        // A block without values may have no array either.
        if let Some(selection) = block.memory.take().filter(|_| block.bytes() > 0) {
            // SAFETY: promised by the caller.
            gathered = unsafe { gather(&self.codec()?, memory.as_ref(), &block, &selection) }?;
            block.data = gathered.as_ptr();
            memory = None;
        }
        // SAFETY: promised by the caller.
        let on_device = unsafe { self.write_on_device(memory.as_ref(), &block, room, out) };
        let written = match on_device {
            Ok(Some(written)) => written,
            none => {
                // Alive until the block is written.
                let copy;
                if let Some(memory) = memory.filter(|m| m.kind() == MemoryKind::Device) {
                    // SAFETY: promised by the caller.
                    let read = || unsafe { device::copy_to_host(&memory, block.bytes()) };
                    copy = attempt(read).map_err(|reason| device::lost(&reason))?;
                    block.data = copy.as_ptr();
                }
                // SAFETY: the values are in memory that the host reads now.
                unsafe { self.write_on_host(&block, none.err(), room, out) }?
            }
        };
        if self.parameters.verbose > 0 {
            summary::wrote(block.name(), block.bytes(), written.bytes, written.like_earlier);
            report(&block, written, began, self.parameters.verbose > 1);
        }
        Ok(written.bytes)
    }

    /// Compresses on a CUDA device, after the work that is pending on the values; None when the CPU is
    /// to compress.
    ///
    /// # Errors
    /// Why the device did not.
    ///
    /// # Safety
    /// As [`Operator::write`].
    unsafe fn write_on_device(
        &self,
        memory: Option<&CudaMemory>,
        block: &Block<'_>,
        room: usize,
        out: *mut u8,
    ) -> Result<Option<Written>, NoStream> {
        let backend = self.parameters.backend;
        attempt(|| {
            if let Some(memory) = memory {
                memory.synchronize().map_err(text)?;
            }
            if backend == Backend::Cpu || self.parameters.bound.is_none() {
                return Ok(None);
            }
            // A target is searched with values in host memory.
            let on_host = self.parameters.bound.is_some_and(Bound::is_target);
            match memory {
                Some(memory) if memory.kind() != MemoryKind::Pinned && on_host => Ok(None),
                Some(memory) if memory.kind() != MemoryKind::Pinned => {
                    let mut made = None;
                    let codec = self.codec()?;
                    let encode = |shape: &[u64], options: &CompressOptions, body: &mut [u8]| {
                        // SAFETY: the values are the caller's promise; waited for above.
                        let compressed = unsafe {
                            device::compress(&codec, memory, block.dtype, shape, options, body)
                        }
                        .map_err(text)?;
                        made = Some(compressed);
                        Ok(compressed.len)
                    };
                    // SAFETY: promised by the caller.
                    let written = unsafe { self.write_stream(block, room, out, encode) }?;
                    Ok(Some(Written { on_device: made, ..written }))
                }
                _ if backend == Backend::Cuda && block.bytes() > 0 => {
                    let Parameters { device, threads, .. } = self.parameters;
                    let codec = codecs::cuda(device, threads).map_err(text)?;
                    // SAFETY: host memory, as the driver says or as it is no CUDA memory.
                    let written = unsafe { self.write_from_host(&codec, block, room, out) }?;
                    Ok(Some(written))
                }
                _ => Ok(None),
            }
        })
    }

    /// Compresses on the CPU, or stores the values as they are. `on_device` tells why a device did not compress, if one
    /// was to.
    ///
    /// # Safety
    /// As [`Operator::write`], and the host reads the values.
    unsafe fn write_on_host(
        &self,
        block: &Block<'_>,
        on_device: Option<NoStream>,
        room: usize,
        out: *mut u8,
    ) -> Result<Written, String> {
        if self.refusal.is_none() {
            // SAFETY: promised by the caller.
            let compress = || unsafe { self.write_from_host(&self.codec()?, block, room, out) };
            let compressed = match on_device {
                // The CPU's stream is as long.
                Some(NoStream::NoRoom(length)) => Err(NoStream::NoRoom(length)),
                Some(NoStream::Failed(reason)) => {
                    attempt(compress).inspect(|_| warning::on_cpu(&block.variable, &reason))
                }
                None => attempt(compress),
            };
            match compressed {
                Ok(written) => return Ok(written),
                Err(NoStream::NoRoom(_)) if block.bytes() <= SMALL => {}
                Err(reason) => {
                    warning::stored_raw(&self.given, &block.variable, &reason.to_string());
                }
            }
        }
        // SAFETY: promised by the caller.
        unsafe { write_raw(block, room, out) }.map(Written::of)
    }

    /// # Safety
    /// As [`Operator::write_on_host`].
    unsafe fn write_from_host(
        &self,
        codec: &Codec,
        block: &Block<'_>,
        room: usize,
        out: *mut u8,
    ) -> Result<Written, NoStream> {
        // SAFETY: promised by the caller.
        unsafe {
            with_element!(block.dtype, T => {
                let values = block.values::<T>();
                self.write_stream(block, room, out, |shape, options, body| {
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
        let bound = self.parameters.bound.ok_or(NO_BOUND)?;
        let mut options = CompressOptions::new(bound).profile(self.parameters.profile);
        let first = || block.start.clone().unwrap_or_else(|| vec![0; block.count.len()]);
        for (ranges, own) in &self.parameters.boxes {
            let region = ranges.in_part(&first(), &block.count, bound.with_requested(*own));
            let region = region.map_err(|error| format!("bound_in: {error}"))?;
            options = region.into_iter().fold(options, CompressOptions::region);
        }
        for mask in &self.masks {
            options = mask.region(block, bound)?.into_iter().fold(options, CompressOptions::region);
        }
        for &value in &self.parameters.missing {
            options = options.missing(value);
        }
        let options = options.name(clip(&block.variable));
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
        room: usize,
        out: *mut u8,
        mut encode: impl FnMut(&[u64], &CompressOptions, &mut [u8]) -> Result<usize, String>,
    ) -> Result<Written, NoStream> {
        let (shape, start) = block.stream_shape();
        let place = self.place(block);
        let options = self.options(block, start)?;
        let most = options.max_compressed_len(&shape, block.dtype).map_err(text)? as usize;
        let mut envelope = Envelope {
            mode: Mode::Stream,
            element_size: block.dtype.size() as u8,
            count: block.count.clone(),
            start: block.start.clone(),
            name: b"",
            body: &[],
        };
        let encode = |body: &mut [u8]| -> Result<(usize, bool), String> {
            if let Some(place) = &place
                && let Some(like_earlier) = choices::of(place)
            {
                let like_earlier = like_earlier.with_bound(options.bound());
                let length = encode(&shape, &like_earlier, body)?;
                if choices::followed(place, length) {
                    return Ok((length, true));
                }
            }
            let length = encode(&shape, &options, body)?;
            if let Some(place) = place {
                choices::chose(place, options.clone(), &body[..length]);
            }
            Ok((length, false))
        };
        let header_len = envelope.header_len();
        if header_len + most <= room {
            // SAFETY: there is room for it. The codec only writes to the buffer.
            let out = unsafe { slice::from_raw_parts_mut(out, header_len + most) };
            fsz::ask_for_huge_pages(out);
            let (header, body) = out.split_at_mut(header_len);
            let (length, like_earlier) = encode(body)?;
            envelope.body = &body[..length];
            warn_of_stream(block, &options, envelope.body);
            header.copy_from_slice(&envelope.header());
            return Ok(Written { like_earlier, ..Written::of(header_len + length) });
        }
        let mut body = fsz_field::zero_bytes(most as u64).map_err(|error| error.to_string())?;
        let (length, like_earlier) = encode(&mut body)?;
        if header_len + length > room {
            return Err(NoStream::NoRoom(length));
        }
        envelope.body = &body[..length];
        warn_of_stream(block, &options, envelope.body);
        // SAFETY: there is room for it.
        let bytes = unsafe { put(&envelope, out) };
        Ok(Written { like_earlier, ..Written::of(bytes) })
    }

    /// Where a block is known again at the next step, if it is to be: BP4 does not tell of which variable it is.
    fn place(&self, block: &Block<'_>) -> Option<Place> {
        let again = self.parameters.choose == Choose::Changed && !block.variable.is_empty();
        again.then(|| Place {
            parameters: self.given.clone(),
            variable: block.variable.clone().into_owned(),
            dtype: block.dtype,
            count: block.count.clone(),
            start: block.start.clone(),
        })
    }
}

/// Tells where a stream is not what its parameters are likely to be meant for. A range is judged where it is that of the
/// ADIOS2 block: an absolute bound may well be larger than what little happens in one of many.
fn warn_of_stream(block: &Block<'_>, options: &CompressOptions, stream: &[u8]) {
    let bound = options.bound();
    if matches!(bound, Bound::ValueRange(_) | Bound::Psnr(_)) {
        warn_of_fill_value(block, stream);
    }
    let is_judged = match bound {
        Bound::ValueRange(share) | Bound::ValueRangeOf { ratio: share, .. } => share >= 1.0,
        bound => bound.is_target(),
    };
    if is_judged && let Ok(stream) = Stream::open(stream) {
        match bound {
            Bound::Ratio(asked) => warn_of_ratio(block, &stream, asked),
            _ => warn_of_bound(block, &stream),
        }
    }
}

/// Tells where an end of the range that a bound is a share of is likely to be no value. Only the first bytes of the stream
/// are read: such bounds are usual, and streams in device memory may be long.
fn warn_of_fill_value(block: &Block<'_>, stream: &[u8]) {
    let Some(header) = stream.first_chunk() else { return };
    let FixedHeader { min, max, .. } = FixedHeader::read(header);
    if let Some((end, value)) = usual_fill_value(block.dtype, min, max) {
        warning::fill_value(&block.variable, end, &value);
    }
}

/// Tells where the stream has another ratio than the one asked for. One without errors, as of a field that is constant at
/// first, costs nobody anything, unless it is longer than the values.
fn warn_of_ratio(block: &Block<'_>, stream: &Stream<'_>, asked: f64) {
    if stream.missed_ratio().is_some() && (stream.certificate().max_abs_error > 0.0 || asked < 1.0)
    {
        warning::missed_ratio(&block.variable, stream.compression_ratio(), asked);
    }
}

/// Tells where the bound reaches from the smallest value to the largest, as of a share in per cent.
fn warn_of_bound(block: &Block<'_>, stream: &Stream<'_>) {
    let (certificate, bound) = (stream.certificate(), stream.header().absolute_bound);
    let span = certificate.max - certificate.min;
    // Exact values may have any bound, and who gives parts one of their own may want nothing of the rest.
    if certificate.max_abs_error > 0.0 && bound >= span && stream.regions().is_empty() {
        warning::coarse_bound(&block.variable, bound, span);
    }
}

fn report(block: &Block<'_>, written: Written, began: Instant, times: bool) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let Written { bytes, like_earlier, on_device } = written;
    let ratio = block.bytes() as f64 / bytes as f64;
    let all = milliseconds(began.elapsed());
    let parts = on_device.filter(|_| times).map_or_else(String::new, |made| {
        let [kernels, copy] = [made.kernels, made.copy].map(milliseconds);
        format!(" (kernels {kernels:.3} ms, copy to the host {copy:.3} ms)")
    });
    let like = if like_earlier { ", coded like an earlier step" } else { "" };
    eprintln!(
        "FSZ: {} {:?}: {} to {bytes} bytes, ratio {ratio:.2}, {all:.3} ms{parts}{like}",
        block.name(),
        block.count,
        block.bytes(),
    );
}
