//! Compressed fields that stay on a device, for all threads that decode there.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use anyhow::Result;
use fsz::Stream;

use crate::model::boxes::Box;
use crate::model::document::Document;
use crate::model::stream_facts::StreamFacts;

/// Fields that are kept however large they are: the reconstruction and another one.
pub const KEPT: usize = 2;

/// More are kept while they are no larger than this together, in bytes: the steps of a series.
const BYTES: u64 = 1 << 30;

/// A stream on a device, and the box of the array that it holds: the whole of it, or an ADIOS2 block.
#[derive(Debug)]
pub struct Part<S> {
    /// What it holds.
    pub held: Box,
    /// The stream.
    pub stream: S,
}

/// The streams of a field, once they are there.
type Slot<S> = Arc<Mutex<Option<Arc<Vec<Part<S>>>>>>;

/// A field by what is known of it, and its streams.
type Kept<S> = (Arc<StreamFacts>, Slot<S>);

/// Compressed fields that lie on a device as `S`. Cheap to clone: all clones are the same.
pub struct KeptStreams<S> {
    /// That which was used last is the last.
    kept: Arc<Mutex<Vec<Kept<S>>>>,
    /// Fields that cannot be decoded there.
    left_out: Arc<Mutex<Vec<Weak<StreamFacts>>>>,
}

impl<S> Clone for KeptStreams<S> {
    fn clone(&self) -> Self {
        KeptStreams { kept: self.kept.clone(), left_out: self.left_out.clone() }
    }
}

impl<S> Default for KeptStreams<S> {
    fn default() -> Self {
        KeptStreams { kept: Arc::default(), left_out: Arc::default() }
    }
}

impl<S> fmt::Debug for KeptStreams<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptStreams").field("fields", &locked(&self.kept).len()).finish()
    }
}

impl<S> KeptStreams<S> {
    /// The streams of a document, which `bring` brings there unless they are. Of one without a stream there are none.
    ///
    /// # Errors
    /// Those of `bring`, and when the file changed since it was opened.
    pub fn of(
        &self,
        document: &Document,
        mut bring: impl FnMut(&Stream<'_>) -> Result<S>,
    ) -> Result<Arc<Vec<Part<S>>>> {
        let Some(facts) = &document.facts else { return Ok(Arc::default()) };
        let slot = self.slot(facts);
        // Whoever wants the same waits for it; whoever wants another does not.
        let mut slot = locked(&slot);
        if let Some(parts) = &*slot {
            return Ok(parts.clone());
        }
        let mut parts = Vec::new();
        document.each_stream(|stream, held| {
            parts.push(Part { held: held.clone(), stream: bring(stream)? });
            Ok(())
        })?;
        let parts = Arc::new(parts);
        *slot = Some(parts.clone());
        Ok(parts)
    }

    /// Whether the streams of a document are there.
    pub fn has(&self, document: &Document) -> bool {
        let Some(facts) = &document.facts else { return false };
        let kept = locked(&self.kept);
        let slot = kept.iter().find(|(known, _)| Arc::ptr_eq(known, facts)).map(|kept| &kept.1);
        // While somebody brings them there they are not.
        slot.is_some_and(|slot| slot.try_lock().is_ok_and(|parts| parts.is_some()))
    }

    /// The place of a field, made the one that was used last. Those that there is no room for go.
    fn slot(&self, facts: &Arc<StreamFacts>) -> Slot<S> {
        let mut kept = locked(&self.kept);
        let at = kept.iter().position(|(known, _)| Arc::ptr_eq(known, facts));
        let entry = at.map_or_else(|| (facts.clone(), Slot::default()), |at| kept.remove(at));
        let slot = entry.1.clone();
        kept.push(entry);
        let mut bytes: u64 = kept.iter().map(|(facts, _)| facts.compressed_bytes).sum();
        while bytes > BYTES && kept.len() > KEPT {
            bytes -= kept.remove(0).0.compressed_bytes;
        }
        slot
    }

    /// Notes that a document is not to be brought there again: it cannot be decoded there.
    pub fn leave_out(&self, document: &Document) {
        let Some(facts) = &document.facts else { return };
        let mut left_out = locked(&self.left_out);
        left_out.retain(|known| known.strong_count() > 0);
        left_out.push(Arc::downgrade(facts));
    }

    /// Whether that was noted.
    pub fn leaves_out(&self, document: &Document) -> bool {
        let Some(facts) = &document.facts else { return false };
        locked(&self.left_out).iter().any(|known| std::ptr::eq(known.as_ptr(), &**facts))
    }

    /// Takes them off the device.
    pub fn clear(&self) {
        locked(&self.kept).clear();
    }
}

/// What a thread that died left there is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
