//! Compressed fields that lie on a GPU, for all threads that decode there.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use fsz_wgpu::{Gpu, GpuStream};

use crate::model::boxes::Box;
use crate::model::document::Document;
use crate::model::stream_facts::StreamFacts;

/// Fields that are kept however large they are: the reconstruction and another one.
pub const KEPT: usize = 2;

/// A stream on the GPU, and the box of the array that it holds: the whole of it, or an ADIOS2 block.
#[derive(Debug)]
pub struct Part {
    /// What it holds.
    pub held: Box,
    /// The stream.
    pub stream: GpuStream,
}

/// A field, by what is known of it, and its streams.
type Kept = (Arc<StreamFacts>, Arc<Vec<Part>>);

/// Compressed fields that lie on a GPU. Cheap to clone: all clones are the same.
#[derive(Clone, Debug, Default)]
pub struct GpuStreams {
    /// The newest last.
    kept: Arc<Mutex<Vec<Kept>>>,
}

impl GpuStreams {
    /// The streams of a document, brought there unless they are. Of one without a stream there are none.
    ///
    /// # Errors
    /// When a stream is damaged, or the GPU's memory is full.
    pub fn of(&self, gpu: &Gpu, document: &Document) -> Result<Arc<Vec<Part>>> {
        let Some(facts) = &document.facts else { return Ok(Arc::default()) };
        // Nobody else brings the same one there meanwhile.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| Arc::ptr_eq(known, facts));
        let entry = match at {
            Some(at) => kept.remove(at),
            None => {
                let mut parts = Vec::new();
                document.each_stream(|stream, held| {
                    let stream = GpuStream::upload(gpu, stream)?;
                    parts.push(Part { held: held.clone(), stream });
                    Ok(())
                })?;
                (facts.clone(), Arc::new(parts))
            }
        };
        let parts = entry.1.clone();
        let extra = kept.len().saturating_sub(KEPT - 1);
        kept.drain(..extra);
        kept.push(entry);
        Ok(parts)
    }

    /// Takes them off the GPU.
    pub fn clear(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// How many fields lie there.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
