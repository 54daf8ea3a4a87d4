//! Compressed fields that lie on a GPU, for all threads that decode there.

use std::sync::Arc;

use anyhow::Result;
use fsz::cuda::DeviceStream;
use fsz::with_element;
use fsz_wgpu::{Gpu, GpuStream};

use crate::model::document::Document;
use crate::work::kept_streams::{KeptStreams, Part};

/// The CUDA device that decodes.
pub const CUDA_DEVICE: usize = 0;

/// Compressed fields that lie on a GPU, as wgpu reaches it and as CUDA does. Cheap to clone: all clones are the same.
#[derive(Clone, Debug, Default)]
pub struct GpuStreams {
    /// Those that wgpu decodes.
    pub wgpu: KeptStreams<GpuStream>,
    /// Those that CUDA decodes.
    pub cuda: KeptStreams<DeviceStream>,
}

impl GpuStreams {
    /// The streams of a document where wgpu decodes them, brought there unless they are.
    ///
    /// # Errors
    /// When a stream is damaged, or the GPU's memory is full.
    pub fn of(&self, gpu: &Gpu, document: &Document) -> Result<Arc<Vec<Part<GpuStream>>>> {
        let there = self.wgpu.of(document, |stream| Ok(GpuStream::upload(gpu, stream)?));
        noted(&self.wgpu, document, there)
    }

    /// The streams of a document where CUDA decodes them, brought there unless they are.
    ///
    /// # Errors
    /// When CUDA does not decode such a stream, or the device's memory is full.
    pub fn on_cuda(&self, document: &Document) -> Result<Arc<Vec<Part<DeviceStream>>>> {
        let there = self.cuda.of(document, |stream| {
            let there = DeviceStream::upload(CUDA_DEVICE, stream)?;
            // Kernels are compiled by their first call, which takes long the first time: they are there with the stream. A
            // stream that is damaged is told of when it is decoded.
            let axes = stream.header().shape.len();
            let (start, count) = (vec![0; axes], vec![1; axes]);
            let _ = with_element!(stream.header().dtype, T => {
                there.decompress_box_into(&start, &count, &mut [T::default()])
            });
            Ok(there)
        });
        noted(&self.cuda, document, there)
    }
}

/// The same; a document that its device does not take is left out from now on.
fn noted<S, R>(streams: &KeptStreams<S>, document: &Document, result: Result<R>) -> Result<R> {
    if result.as_ref().is_err_and(|reason| !is_of_device(reason)) {
        streams.leave_out(document);
    }
    result
}

/// Whether a device failed or is full, with which no stream can be decoded; otherwise it is about one stream.
pub fn is_of_device(reason: &anyhow::Error) -> bool {
    match reason.downcast_ref() {
        Some(fsz_wgpu::Error::Device(_) | fsz_wgpu::Error::NoAdapter(_)) => true,
        _ => matches!(reason.downcast_ref(), Some(fsz::Error::Device(_))),
    }
}
