//! What decodes the planes that are looked at: the processor, any GPU that wgpu reaches, or a CUDA device.
//! Figures and the numbers under the cursor are the processor's always.

mod choice;
mod on_cuda;
mod on_gpu;
mod painting;
mod parts;
#[cfg(test)]
mod samples;
mod upload;
mod ways;

use std::sync::Arc;

use anyhow::Result;
use fsz::{Codec, Progress};
use fsz_wgpu::Gpu;

use crate::model::document::Document;
use crate::model::plane::{Place, Plane};
use crate::model::stream_facts::StreamFacts;
use crate::work::decoder::on_cuda::takes_little;
use crate::work::gpu_streams::{GpuStreams, is_of_device};

pub use crate::work::decoder::choice::{DecoderChoice, paints};

/// Decodes planes.
#[derive(Debug)]
pub struct Decoder {
    codec: Codec,
    gpu: Option<Gpu>,
    /// Where planes are brought that no GPU decoded, so that pictures are painted there.
    painter: Option<Gpu>,
    /// Fields that lie on the GPU.
    streams: GpuStreams,
    /// Nothing is waited for that the processor has sooner.
    hurries: bool,
    /// Others make the shaders; until they are there the processor decodes.
    awaits_shaders: bool,
    /// That of which the last plane was decoded before all of it was on the GPU.
    part: Option<Arc<StreamFacts>>,
    /// What the user should know once.
    note: Option<String>,
}

impl Decoder {
    /// The processor.
    pub fn cpu() -> Decoder {
        let streams = GpuStreams::default();
        Decoder {
            codec: Codec::cpu(),
            gpu: None,
            painter: None,
            streams,
            hurries: false,
            awaits_shaders: false,
            part: None,
            note: None,
        }
    }

    /// The same, with fields on the GPU that other threads use too.
    #[must_use]
    pub fn with_streams(self, streams: GpuStreams) -> Decoder {
        Decoder { streams, ..self }
    }

    /// The same where others make its shaders, as [`with_shaders`](crate::work::shaders::with_shaders) does. What needs
    /// those that are not there yet is left to the processor.
    #[must_use]
    pub fn awaiting_shaders(self) -> Decoder {
        Decoder { awaits_shaders: true, ..self }
    }

    /// While a series is played, the processor decodes what is still on its way to the GPU.
    pub fn hurry(&mut self, hurries: bool) {
        self.hurries = hurries;
    }

    /// The GPU that it decodes on.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_ref()
    }

    /// The GPU that shaders run on, to decode or to paint.
    pub fn gpu_in_use(&self) -> Option<&Gpu> {
        self.gpu.as_ref().or(self.painter.as_ref())
    }

    /// What decodes where no GPU does through wgpu.
    pub fn codec(&self) -> &Codec {
        &self.codec
    }

    /// What to tell the user, the first time that it is asked for.
    pub fn note(&mut self) -> Option<String> {
        self.note.take()
    }

    /// One plane of a document. Single precision is exact; of double precision a GPU gives values rounded
    /// to single, unless `exact` is asked for. What the processor decodes is cancelled with `progress`.
    ///
    /// # Errors
    /// When the stream is damaged there, or it is cancelled.
    pub fn plane(
        &mut self,
        document: &Document,
        place: Place,
        exact: bool,
        progress: &Progress,
    ) -> Result<Plane> {
        let is_first = !self.is_part(document);
        self.part = None;
        if self.gpu_of(document, exact).is_some() && self.may_use_gpu(document) {
            match self.plane_on_gpu(document, place) {
                Ok(Some(plane)) => return Ok(plane),
                // It is on its way there.
                Ok(None) => return document.plane(&self.codec, place, progress),
                // The processor knows what to say of a stream.
                Err(reason) => {
                    self.note = Some(told(document, &reason));
                    if is_of_device(&reason) {
                        self.gpu = None;
                        self.streams.wgpu.clear();
                    } else {
                        self.streams.wgpu.leave_out(document);
                    }
                }
            }
        }
        if self.is_cuda_of(document) {
            // The processor has such a plane before the stream is there.
            if is_first && !self.streams.cuda.has(document) && takes_little(document, place)? {
                self.part = document.facts.clone();
                return document.plane(&Codec::cpu(), place, progress);
            }
            if !self.is_there(document) {
                return document.plane(&Codec::cpu(), place, progress);
            }
            match self.plane_on_cuda(document, place) {
                Ok(plane) => return Ok(plane),
                // As above.
                Err(reason) => {
                    self.note = Some(told(document, &reason));
                    if is_of_device(&reason) {
                        self.codec = Codec::cpu();
                        self.streams.cuda.clear();
                    } else {
                        self.streams.cuda.leave_out(document);
                    }
                }
            }
        }
        document.plane(&Codec::cpu(), place, progress)
    }
}

/// What to tell where a device does not decode a document, or anything any more.
fn told(document: &Document, reason: &anyhow::Error) -> String {
    match is_of_device(reason) {
        true => format!("{reason}; decoding on the CPU from now on"),
        false => format!("{}: {reason}; decoding it on the CPU", document.title),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fsz::{Profile, Stream};

    use super::*;
    use crate::work::decoder::samples::{alone, check, document, profiles, several, with_regions};

    #[test]
    fn a_gpu_gives_the_planes_of_the_processor() {
        let _alone = alone();
        for choice in [DecoderChoice::Gpu, DecoderChoice::Cuda] {
            let mut decoder = Decoder::open(choice, None);
            if let Some(reason) = decoder.note() {
                eprintln!("SKIPPED: planes decoded as {choice:?}: {reason}");
                continue;
            }
            // More documents than are kept, in turns.
            let shapes = [&[2500][..], &[30, 70], &[5, 12, 33], &[2, 3, 8, 9]];
            let of = |profile| shapes.map(|shape| document(shape, profile));
            let mut documents = profiles().map(of).concat();
            documents.extend(profiles().map(several));
            documents.extend(profiles().map(with_regions));
            for document in documents.iter().chain(&documents) {
                let grid = &document.grid;
                for axis in 0..grid.axes() {
                    for plane in [0, grid.planes(axis) / 2, grid.planes(axis) - 1] {
                        check(&mut decoder, document, Place { axis, plane });
                    }
                }
            }
            assert_eq!(
                (decoder.gpu.is_some(), decoder.is_cuda()),
                match choice {
                    DecoderChoice::Cuda => (false, true),
                    _ => (true, false),
                }
            );
        }
    }

    /// Of a damaged stream the planes before the damage are the processor's; those of others stay on the GPU.
    #[test]
    fn a_damaged_stream_leaves_the_gpu_to_others() {
        let _alone = alone();
        for choice in [DecoderChoice::Gpu, DecoderChoice::Cuda] {
            let mut decoder = Decoder::open(choice, None);
            if let Some(reason) = decoder.note() {
                eprintln!("SKIPPED: a damaged stream decoded as {choice:?}: {reason}");
                continue;
            }
            let damaged = document(&[40, 48, 64], Profile::default());
            let mut bytes = Vec::new();
            let copied = damaged.with_stream(|stream| {
                bytes.extend_from_slice(stream.as_bytes());
                Ok(())
            });
            copied.unwrap();
            let last = bytes.len() - 40;
            bytes[last] ^= 0x10;
            let stream = Stream::from_vec(bytes).unwrap();
            let damaged = Document::from_stream("bad".into(), Path::new("bad"), stream).unwrap();
            let whole = document(&[5, 12, 33], Profile::default());
            let bad = Place { axis: 0, plane: 39 };
            assert!(decoder.plane(&damaged, bad, true, &Progress::new()).is_err());
            // Across this axis a plane takes nearly all of it.
            assert!(
                decoder
                    .plane(&damaged, Place { axis: 2, plane: 3 }, true, &Progress::new())
                    .is_err()
            );
            let told = decoder.note().expect("it says why");
            assert!(
                told.starts_with("bad: ") && told.ends_with("decoding it on the CPU"),
                "{told}"
            );
            check(&mut decoder, &damaged, Place::default());
            assert!(decoder.name(Some(&damaged), true).contains("CPU"));
            check(&mut decoder, &whole, Place::default());
            check(&mut decoder, &whole, Place { axis: 2, plane: 3 });
            let name = decoder.name(Some(&whole), true);
            assert!(name.contains("GPU") || name == "CUDA", "{name}");
            assert_eq!(decoder.note(), None);
        }
    }
}
