//! Which of its ways a decoder takes with a document, now: what suits it, what is there of it, and what that is called.

use std::sync::Arc;

use fsz::{Backend, Codec, DType};
use fsz_wgpu::Gpu;

use crate::model::document::Document;
use crate::model::scale::suits_single;
use crate::model::stream_facts::StreamFacts;
use crate::work::decoder::Decoder;

impl Decoder {
    /// Whether the shaders of slices are there, or are to be waited for.
    pub(super) fn has_shaders(&self, gpu: &Gpu, document: Option<&Document>) -> bool {
        let profile = document.and_then(|d| d.facts.as_ref()).map(|facts| &facts.header.profile);
        !self.awaits_shaders || gpu.is_software() || gpu.is_prepared(profile)
    }

    /// Whether a document that the GPU decodes is decoded there now.
    pub(super) fn is_there(&self, document: &Document) -> bool {
        let has = || match self.is_cuda() {
            true => self.streams.cuda.has(document),
            false => self.streams.wgpu.has(document),
        };
        self.may_use_gpu(document) && (!self.hurries || has() || self.is_part(document))
    }

    /// Whether the GPU's shaders for a document are there or waited for.
    pub(super) fn may_use_gpu(&self, document: &Document) -> bool {
        self.gpu.as_ref().is_none_or(|gpu| self.has_shaders(gpu, Some(document)))
    }

    /// Whether the last plane was one of this document, of which just the part that it takes was brought to the GPU.
    pub(super) fn is_part(&self, document: &Document) -> bool {
        let of = |known: &Arc<StreamFacts>| {
            document.facts.as_ref().is_some_and(|facts| Arc::ptr_eq(known, facts))
        };
        self.part.as_ref().is_some_and(of)
    }

    /// Whether CUDA decodes.
    pub(super) fn is_cuda(&self) -> bool {
        self.codec.backend() == Backend::Cuda
    }

    /// The GPU that it decodes a document on; none where the processor or CUDA does it.
    pub fn gpu_of(&self, document: &Document, exact: bool) -> Option<&Gpu> {
        let takes = || suits(document, exact) && !self.streams.wgpu.leaves_out(document);
        self.gpu.as_ref().filter(|_| takes())
    }

    /// Whether CUDA decodes a document.
    pub(super) fn is_cuda_of(&self, document: &Document) -> bool {
        self.is_cuda() && document.facts.is_some() && !self.streams.cuda.leaves_out(document)
    }

    /// What it is called, for the status bar; of a document that it decodes.
    pub fn name(&self, document: Option<&Document>, exact: bool) -> String {
        match &self.gpu {
            Some(gpu)
                if document.is_none_or(|d| self.gpu_of(d, exact).is_some() && self.is_there(d)) =>
            {
                let rounded = document.is_some_and(|document| document.dtype == DType::F64);
                let how = if rounded { ", rounded to f32 for display" } else { "" };
                format!("the GPU ({}){how}", gpu.name())
            }
            _ if self.is_cuda()
                && document.is_none_or(|d| self.is_cuda_of(d) && self.is_there(d)) =>
            {
                "CUDA".to_owned()
            }
            _ => format!("the CPU ({})", Codec::cpu().instructions()),
        }
    }
}

/// Whether a GPU's values of it will do: they are exact in single precision; in double precision they are
/// to be looked at, where single precision tells the values apart.
fn suits(document: &Document, exact: bool) -> bool {
    let Some(facts) = &document.facts else { return false };
    let range = &facts.certificate;
    document.dtype == DType::F32 || !exact && suits_single(range.min, range.max)
}

#[cfg(test)]
mod tests {
    use fsz::{Profile, Progress};

    use super::*;
    use crate::model::plane::Place;
    use crate::work::decoder::DecoderChoice;
    use crate::work::decoder::samples::{alone, compressed, value};

    /// What is on its way to the GPU is decoded by the processor while a series is played.
    #[test]
    fn a_series_that_is_played_waits_for_no_upload() {
        let _alone = alone();
        let mut decoder = Decoder::open(DecoderChoice::Gpu, None);
        if decoder.gpu.is_none() {
            let reason = decoder.note().expect("it says why");
            eprintln!("SKIPPED: a series decoded on a GPU: {reason}");
            return;
        }
        let of = |shift: usize| {
            let values: Vec<f32> = (0..5 * 12 * 33).map(|i| value(i + shift) as f32).collect();
            compressed(&[5, 12, 33], &values, Profile::default())
        };
        let (first, second) = (of(0), of(100));
        decoder.hurry(true);
        let name = |decoder: &Decoder, document| decoder.name(Some(document), false);
        for document in [&first, &second] {
            let early = decoder.plane(document, Place::default(), false, &Progress::new()).unwrap();
            assert!(
                !decoder.streams.wgpu.has(document) && name(&decoder, document).contains("CPU")
            );
            decoder.prepare(document);
            assert!(decoder.streams.wgpu.has(document) && name(&decoder, document).contains("GPU"));
            let late = decoder.plane(document, Place::default(), false, &Progress::new()).unwrap();
            let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
            assert!(early.values.iter().zip(&late.values).all(same));
        }
        decoder.hurry(false);
        assert!(name(&decoder, &of(7)).contains("GPU"));
    }
}
