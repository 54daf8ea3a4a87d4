//! What decodes the planes that are looked at: the processor, any GPU that wgpu reaches, or a CUDA device.
//! Figures and the numbers under the cursor are the processor's always.

use std::sync::Arc;

use clap::ValueEnum;
use fsz::{Codec, Dtype};
use fsz_wgpu::{Gpu, GpuStream};

use crate::document::{Document, Facts, Result};
use crate::plane::{Place, Plane};

/// Compressed fields that are kept on a GPU: the reconstruction and another one.
const KEPT: usize = 2;

/// The decoder that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Wanted {
    /// A GPU, else a CUDA device, else the processor.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// A GPU through Vulkan, Metal or DirectX 12; single precision only.
    Gpu,
    /// An NVIDIA device through CUDA.
    Cuda,
}

/// Decodes planes.
#[derive(Debug)]
pub struct Decoder {
    codec: Codec,
    gpu: Option<Gpu>,
    /// Streams that lie on the GPU, by what is known of them; the newest last.
    kept: Vec<(Arc<Facts>, GpuStream)>,
    /// What the user should know once.
    note: Option<String>,
}

impl Decoder {
    /// The processor.
    pub fn cpu() -> Decoder {
        Decoder { codec: Codec::cpu(), gpu: None, kept: Vec::new(), note: None }
    }

    /// The decoder that is wanted, or the processor with a note why.
    pub fn open(wanted: Wanted) -> Decoder {
        let instead = |reason: String| Decoder {
            note: Some(format!("{reason}; planes are decoded on the CPU")),
            ..Decoder::cpu()
        };
        match wanted {
            Wanted::Cpu => Decoder::cpu(),
            Wanted::Cuda => match Codec::cuda(0) {
                Ok(codec) => Decoder { codec, ..Decoder::cpu() },
                Err(reason) => instead(reason.to_string()),
            },
            Wanted::Gpu => match Gpu::headless() {
                Ok(gpu) => Decoder { gpu: Some(gpu), ..Decoder::cpu() },
                Err(reason) => instead(reason.to_string()),
            },
            // A GPU in software is slower than the processor's own way, and CUDA brings the stream to
            // its device for every plane.
            Wanted::Auto => match Gpu::headless().ok().filter(|gpu| !gpu.is_software()) {
                Some(gpu) => Decoder { gpu: Some(gpu), ..Decoder::cpu() },
                None => Codec::cuda(0)
                    .map_or_else(|_| Decoder::cpu(), |codec| Decoder { codec, ..Decoder::cpu() }),
            },
        }
    }

    /// What to tell the user, the first time that it is asked for.
    pub fn note(&mut self) -> Option<String> {
        self.note.take()
    }

    /// What it is called, for the status bar; of a document that it decodes.
    pub fn name(&self, document: Option<&Document>) -> String {
        match &self.gpu {
            Some(gpu) if document.is_none_or(suits) => format!("the GPU ({})", gpu.name()),
            _ if self.codec.backend() == fsz::Backend::Cuda => "CUDA".to_owned(),
            _ => format!("the CPU ({})", Codec::cpu().instructions()),
        }
    }

    /// One plane of a document, exact.
    ///
    /// # Errors
    /// When the stream is damaged there.
    pub fn plane(&mut self, document: &Document, place: Place) -> Result<Plane> {
        if self.gpu.is_some() && suits(document) {
            match self.plane_on_gpu(document, place) {
                Ok(plane) => return Ok(plane),
                // A full GPU, or a stream for studies: the processor knows what to say of it.
                Err(reason) => {
                    self.gpu = None;
                    self.kept.clear();
                    self.note =
                        Some(format!("{reason}; planes are decoded on the CPU from here on"));
                }
            }
        }
        document.plane(&self.codec, place)
    }

    fn plane_on_gpu(&mut self, document: &Document, place: Place) -> Result<Plane> {
        let (Some(gpu), Some(facts)) = (&self.gpu, &document.facts) else {
            return Err("there is no stream".to_owned());
        };
        let at = self.kept.iter().position(|(known, _)| Arc::ptr_eq(known, facts));
        let entry = match at {
            Some(at) => self.kept.remove(at),
            None => {
                let uploaded = document.with_stream(|stream| GpuStream::upload(gpu, stream))?;
                let stream = uploaded.ok_or("there is no stream")?.map_err(|e| e.to_string())?;
                (facts.clone(), stream)
            }
        };
        self.kept.truncate(KEPT - 1);
        let (runs, size) =
            (document.grid.runs(place.axis, place.plane), document.grid.plane(place.axis));
        let values = entry.1.decode_runs(runs).and_then(|slice| slice.read_back());
        self.kept.push(entry);
        let values = values.map_err(|e| e.to_string())?;
        Ok(Plane { size, values: values.into_iter().map(f64::from).collect() })
    }
}

/// Whether a GPU's values of it are exact.
fn suits(document: &Document) -> bool {
    document.is_one_stream() && document.dtype == Dtype::F32
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fsz::{Bound, Options};
    use ndarray::ArrayView;

    use super::*;

    fn document(shape: &[usize]) -> Document {
        let n: usize = shape.iter().product();
        let values: Vec<f32> = (0..n)
            .map(|i| if i % 700 < 30 { f32::NAN } else { (i as f32 * 0.01).sin() * 9.0 })
            .collect();
        let view = ArrayView::from_shape(shape, &values).unwrap();
        let options = Options::new(Bound::Absolute(1e-3));
        let stream = Codec::cpu().compress_with(view, &options).unwrap();
        Document::from_stream("made".into(), Path::new("made"), stream).unwrap()
    }

    #[test]
    fn a_gpu_gives_the_planes_of_the_processor() {
        let mut decoder = Decoder::open(Wanted::Gpu);
        if decoder.gpu.is_none() {
            let reason = decoder.note().expect("it says why");
            eprintln!("SKIPPED: planes decoded on a GPU: {reason}");
            return;
        }
        // More documents than are kept, in turns.
        let documents = [&[2500][..], &[30, 70], &[5, 12, 33], &[2, 3, 8, 9]].map(document);
        for document in documents.iter().chain(&documents) {
            let grid = &document.grid;
            for axis in 0..grid.axes() {
                for plane in [0, grid.planes(axis) / 2, grid.planes(axis) - 1] {
                    let place = Place { axis, plane };
                    let found = decoder.plane(document, place).unwrap();
                    let expected = Decoder::cpu().plane(document, place).unwrap();
                    assert_eq!(found.size, expected.size);
                    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
                    let all = found.values.len() == expected.values.len();
                    assert!(
                        all && found.values.iter().zip(&expected.values).all(same),
                        "{place:?}"
                    );
                }
            }
        }
        assert!(decoder.kept.len() <= KEPT && decoder.gpu.is_some());
    }
}
