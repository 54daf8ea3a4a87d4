//! Streams are brought to where planes are decoded, before a plane asks for them or after the first one was shown.

use fsz_wgpu::Runs;

use crate::model::document::Document;
use crate::work::decoder::Decoder;

impl Decoder {
    /// Brings the streams of a document to where planes are decoded. What does not go there is decoded elsewhere.
    pub fn prepare(&self, document: &Document) {
        // A stream that is damaged is told of when it is decoded.
        if self.is_cuda_of(document) {
            let _ = self.streams.on_cuda(document);
            return;
        }
        let Some(gpu) = self.gpu_of(document, false) else { return };
        let Ok(parts) = self.streams.of(gpu, document) else { return };
        // The first element: the shaders are made for it, which takes long the first time.
        let first = Runs { first: 0, stride: 1, count: 1, len: 1 };
        let _ = parts.first().map(|part| part.stream.decode_runs(first));
    }

    /// Brings there what [`Decoder::plane`] decoded a plane of without bringing all of it.
    pub fn bring_rest<'a>(&self, documents: impl IntoIterator<Item = &'a Document>, exact: bool) {
        for document in documents {
            if self.is_cuda_of(document) {
                // As below.
                let _ = self.streams.on_cuda(document);
            }
            if let Some(gpu) = self.gpu_of(document, exact) {
                // What is wrong is told of when it is decoded.
                let _ = self.streams.of(gpu, document);
            }
        }
    }
}
