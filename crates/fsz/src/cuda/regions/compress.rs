//! Compressing a field in device memory with bounds by region: its streams one after another, each where it belongs.

use std::ops::Range;

use cudarc::driver::{result, sys};

use crate::cuda::{
    boxes::compress::{download, upload},
    compress::{FieldCompression, verdict},
    device::Device,
    driver::{
        capture::not_captured,
        error::check,
        workspace::{Workspace, wait_for},
    },
    kernels::{
        abi::Control,
        kernel::{Kernel, Operation},
        module::pointer,
        regions::moves,
    },
    regions::filling::{self, fill},
    stream_kind::StreamKind,
};
use crate::{
    bound::Bound,
    dtype::DType,
    element::Element,
    error::Result,
    format::{ALIGNMENT, CHECKSUM_ROW, MAX_HEADER, Sections, regions::Table},
    options::CompressOptions,
    region::{Frame, certificate, covered, held, of_field, of_region, width},
    schedule::too_small,
    statistics::ValueRange,
};

/// A compression with regions: what follows from shape, type and options.
#[derive(Clone, Debug)]
pub(crate) struct RegionCompression {
    /// That of streams before they are written.
    pub kind: StreamKind,
    options: CompressOptions,
    /// Looks at the whole field.
    survey: FieldCompression,
    /// Bytes of scratch memory: of the largest of the streams' compressions, which follow each other.
    pub scratch_len: u64,
    pub max_len: u64,
}

impl RegionCompression {
    /// As [`Compression::new`](crate::cuda::Compression::new), with regions.
    pub fn new(shape: &[u64], dtype: DType, options: &CompressOptions) -> Result<Self> {
        options.check(shape, dtype)?;
        let mut whole = CompressOptions::new(Bound::ValueRange(1.0));
        whole.missing.clone_from(&options.missing);
        let survey = FieldCompression::new(shape, dtype, &whole)?;
        // The memory of a compression does not depend on the field's range.
        let unknown = ValueRange::<f64>::empty();
        let field = FieldCompression::new(shape, dtype, &of_field(options, &unknown))?;
        let mut scratch_len = survey.scratch_len().max(field.scratch_len());
        for region in &options.regions {
            let own = of_region(options, region, &unknown);
            let own = FieldCompression::new(&region.place.shape(), dtype, &own)?;
            scratch_len = scratch_len.max(own.scratch_len());
        }
        Ok(RegionCompression {
            kind: StreamKind::unknown(shape, dtype, options)?,
            options: options.clone(),
            survey,
            scratch_len,
            max_len: options.max_compressed_len(shape, dtype)?,
        })
    }

    /// Compresses, and waits: the host must know how long the streams of regions are before it can tell where the others
    /// belong. They are made of a copy of the field in memory of the device's own.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) while a graph is captured;
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) where `capacity` is too small.
    ///
    /// # Safety
    /// As [`FieldCompression::launch`].
    pub unsafe fn launch(
        &self,
        device: &Device,
        field: u64,
        (stream, capacity): (u64, u64),
        scratch: u64,
        queue: sys::CUstream,
    ) -> Result<()> {
        // A graph would hold what the host found out once, and replay it on other values.
        not_captured(
            queue,
            "compressing with bounds by region waits for the device, so no CUDA graph can hold it: call it \
             outside of the capture",
        )?;
        device.work(|workspace| {
            let mut work = Work {
                device,
                compression: self,
                field,
                stream,
                capacity,
                scratch,
                queue,
                workspace,
            };
            // SAFETY: the caller's promise; the workspace is this call's alone, and waited for.
            let done = unsafe {
                match self.kind.dtype {
                    DType::F32 => work.compress::<f32>(),
                    DType::F64 => work.compress::<f64>(),
                }
            };
            // SAFETY: the queue is the caller's, alive.
            unsafe { wait_for(queue)? };
            done
        })
    }
}

/// A compression at work.
struct Work<'a> {
    device: &'a Device,
    compression: &'a RegionCompression,
    field: u64,
    stream: u64,
    capacity: u64,
    scratch: u64,
    queue: sys::CUstream,
    workspace: &'a mut Workspace,
}

impl Work<'_> {
    /// # Safety
    /// The addresses and the queue are those of [`RegionCompression::launch`]; after this the queue is waited for.
    unsafe fn compress<T: Element>(&mut self) -> Result<()> {
        let RegionCompression { kind, options, .. } = self.compression;
        // SAFETY: the caller's promise.
        let range = unsafe { self.range::<T>()? };
        let field = FieldCompression::new(&kind.shape, T::DTYPE, &of_field(options, &range))?;
        let room = field.max_len().min(self.capacity);
        let at = self.workspace.stream.room(room as usize)?;
        let mut header = [0u8; MAX_HEADER];
        // SAFETY: as above; the room was made above.
        let header = unsafe {
            let filled = self.field_without_regions::<T>()?;
            let len = self.encode(&field, filled, (at, room))?;
            let header = &mut header[..MAX_HEADER.min(len as usize)];
            download(header, at, self.queue)?;
            header
        };

        // Where the section begins does not depend on its length.
        let begin = Frame::new(header, 0)?.sections.regions.start;
        let places = || options.regions.iter().map(|region| &region.place);
        let (mut end, mut streams) = (Table::len_of(places()) as u64, Vec::new());
        for number in 0..options.regions.len() {
            let first = end.next_multiple_of(ALIGNMENT);
            // SAFETY: the caller's promise.
            let len = unsafe { self.region::<T>(number, &range, begin + first)? };
            streams.push(first..first + len);
            end = first + len;
        }
        let lens = Vec::from_iter(streams.iter().map(|stream| stream.end - stream.start));
        let table = Table::new(places()).before_streams(&lens, &certificate(range));
        // SAFETY: the caller's promise.
        unsafe { self.put_together(Frame::new(header, end)?, at, &table, &streams) }
    }

    /// Puts all around the streams of regions, which are where they belong: the field's, which is at `at`, and the table.
    ///
    /// # Safety
    /// As [`compress`](Self::compress).
    unsafe fn put_together(
        &self,
        frame: Frame,
        at: u64,
        table: &[u8],
        streams: &[Range<u64>],
    ) -> Result<()> {
        let whole = frame.stream_len();
        if whole > self.capacity {
            return Err(too_small());
        }
        let Sections { heads, regions, payload, .. } = frame.sections.clone();
        let ends = streams.iter().map(|stream| stream.end).chain([table.len() as u64]);
        // SAFETY: the output has room for all of the stream, as was looked at above, and none of its parts is another's;
        // table and header live until the queue has been waited for.
        unsafe {
            for end in ends {
                self.zero(regions.start + end, regions.start + end.next_multiple_of(ALIGNMENT))?;
            }
            upload(self.stream + regions.start, table, self.queue)?;
            for (from, to) in [(&frame.old_index, heads.start), (&frame.old_payload, payload)] {
                self.copy(at + from.start, self.stream + to, from.end - from.start)?;
            }
            let sum = self.sum_of_rows(regions.start..payload, frame.first_row())?;
            let header = frame.header(sum);
            upload(self.stream, &header, self.queue)?;
            let done = [Control::done(whole)];
            upload(self.scratch, &done, self.queue)?;
            wait_for(self.queue)
        }
    }

    /// The range of the whole field.
    ///
    /// # Safety
    /// As [`compress`](Self::compress).
    unsafe fn range<T: Element>(&self) -> Result<ValueRange<T>> {
        let &Work { device, compression, field, scratch, queue, .. } = self;
        let mut control = [Control::NONE];
        // SAFETY: the scratch has room for the survey; any bytes are a `Control`.
        unsafe {
            compression.survey.clear(scratch, queue)?;
            compression.survey.survey(device, field, scratch, queue)?;
            download(&mut control, scratch, queue)?;
        }
        Ok(control[0].range())
    }

    /// A copy of the field with the place of regions filled.
    ///
    /// # Safety
    /// As [`compress`](Self::compress).
    unsafe fn field_without_regions<T: Element>(&mut self) -> Result<u64> {
        let RegionCompression { kind, options, .. } = self.compression;
        let bytes = kind.elements() * size_of::<T>() as u64;
        let at = self.workspace.field.room((bytes as usize).max(16))?;
        let place = filling::Place {
            at,
            dtype: T::DTYPE,
            elements: kind.elements(),
            width: width(&kind.shape) as u64,
        };
        let runs = held(&options.regions, &kind.shape);
        let missing = options.missing_bits(T::DTYPE);
        // SAFETY: the room was made above; the caller vouches for the field.
        unsafe {
            self.copy(self.field, at, bytes)?;
            fill(self.device, place, &runs, &missing, &mut self.workspace.scratch, self.queue)?;
        }
        Ok(at)
    }

    /// Compresses a region to the output from `to` on; gives the length of its stream.
    ///
    /// # Safety
    /// As [`compress`](Self::compress).
    unsafe fn region<T: Element>(
        &mut self,
        number: usize,
        range: &ValueRange<T>,
        to: u64,
    ) -> Result<u64> {
        let RegionCompression { kind, options, .. } = self.compression;
        let region = &options.regions[number];
        let (shape, elements) = (region.place.shape(), region.place.elements());
        let at = self.workspace.field.room((elements as usize * size_of::<T>()).max(16))?;
        let mut list = Vec::new();
        let mut own = 0;
        for (first, len) in region.place.runs(&kind.shape) {
            list.extend(moves(first as usize, own, len));
            own += len;
        }
        let place = filling::Place { at, dtype: T::DTYPE, elements, width: width(&shape) as u64 };
        let runs = covered(&options.regions, number, &kind.shape);
        let missing = options.missing_bits(T::DTYPE);
        let compression =
            FieldCompression::new(&shape, T::DTYPE, &of_region(options, region, range))?;
        // SAFETY: the room was made above; the list lives until the queue has been waited for.
        unsafe {
            if !list.is_empty() {
                let there = self.workspace.scratch.room(size_of_val(&list[..]))?;
                upload(there, &list, self.queue)?;
                let module = self.device.kernels.regions(T::DTYPE)?;
                let listed = (there, list.len() as u64);
                module.move_elements(T::DTYPE, (self.field, at), listed, self.queue)?;
                wait_for(self.queue)?;
            }
            fill(self.device, place, &runs, &missing, &mut self.workspace.scratch, self.queue)?;
            let room = self.capacity.checked_sub(to).ok_or_else(too_small)?;
            self.encode(&compression, at, (self.stream + to, room))
        }
    }

    /// Compresses what lies at `from`, and waits for the length of its stream.
    ///
    /// # Safety
    /// As [`FieldCompression::launch`], with the scratch of this.
    unsafe fn encode(
        &self,
        compression: &FieldCompression,
        from: u64,
        (to, room): (u64, u64),
    ) -> Result<u64> {
        if room < compression.kind.sections.payload {
            return Err(too_small());
        }
        let mut control = [Control::NONE];
        // SAFETY: the caller's promise; any bytes are a `Control`.
        unsafe {
            compression.launch(self.device, from, (to, room), self.scratch, self.queue)?;
            download(&mut control, self.scratch, self.queue)?;
        }
        verdict(&control[0], room)
    }

    /// Zeroes the output from one byte up to another.
    ///
    /// # Safety
    /// It has as many bytes.
    unsafe fn zero(&self, from: u64, to: u64) -> Result<()> {
        let len = (to - from) as usize;
        // SAFETY: the caller's promise.
        let zeroed = || unsafe { result::memset_d8_async(self.stream + from, 0, len, self.queue) };
        if len > 0 { check("cuMemsetD8Async", zeroed()) } else { Ok(()) }
    }

    /// # Safety
    /// Both are device memory of so many bytes.
    unsafe fn copy(&self, from: u64, to: u64, len: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        let copied = || unsafe { result::memcpy_dtod_async(to, from, len as usize, self.queue) };
        if len > 0 { check("cuMemcpyDtoDAsync", copied()) } else { Ok(()) }
    }

    /// What bytes of the output, at multiples of a checksum's rows, add to the metadata checksum; the first one's row has
    /// the number `first`.
    ///
    /// # Safety
    /// As [`compress`](Self::compress); the output has them.
    unsafe fn sum_of_rows(&self, bytes: Range<u64>, mut first: u32) -> Result<u32> {
        let (mut rows, mut sum) = (self.stream + bytes.start, self.scratch);
        let mut count = (bytes.end - bytes.start) / (4 * CHECKSUM_ROW as u64);
        let dtype = self.compression.kind.dtype;
        let module = self.device.kernels.regions(dtype)?;
        let launch = module.shapes.any(count, self.device.multiprocessors);
        let kernel = Kernel { operation: Operation::SumRows, dtype };
        let arguments =
            &mut [pointer(&mut rows), pointer(&mut count), pointer(&mut first), pointer(&mut sum)];
        let mut found = [0u32];
        // SAFETY: the arguments are those of the kernel, and the scratch has room for a number.
        unsafe {
            check("cuMemsetD8Async", result::memset_d8_async(sum, 0, 4, self.queue))?;
            module.launch(kernel, launch, self.queue, arguments)?;
            download(&mut found, self.scratch, self.queue)?;
        }
        Ok(found[0])
    }
}
