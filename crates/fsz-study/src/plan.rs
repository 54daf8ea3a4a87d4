//! What a study measures.

use std::fmt::Write;
use std::sync::Arc;

use anyhow::Result;
use fsz::{Codec, Progress};

use crate::cache::fingerprint;
use crate::external_stream::ExternalStream;
use crate::fsz1::Fsz1Stream;
use crate::peer::Peer;

/// What is the same for all fields.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Value-range bounds.
    pub bounds: &'a [f64],
    /// Pointwise-relative bounds.
    pub relative: &'a [f64],
    /// Missing values.
    pub missing: &'a [f64],
    /// Programs to compare with.
    pub peers: &'a [Peer],
    /// zfp streams of fields.
    pub streams: &'a [ExternalStream],
    /// Streams of fields by the paper author's own release.
    pub fsz1_streams: &'a [Fsz1Stream],
    /// Compresses with the product's settings.
    pub codec: &'a Codec,
    /// Ends the study when it is cancelled.
    pub progress: &'a Arc<Progress>,
}

/// A field to study.
#[derive(Debug)]
pub struct Input {
    /// Its name in tables.
    pub name: String,
    /// Tells it from other fields, and from itself once it has changed: its file's [`fingerprint`].
    pub identity: String,
    /// Whether it was made for the study, and is no file.
    pub synthetic: bool,
}

impl Plan<'_> {
    /// Whatever the figures of a field depend on.
    ///
    /// # Errors
    /// When a stream's file, or this program's, cannot be found.
    pub fn key(&self, input: &Input) -> Result<String> {
        let zfp = if cfg!(feature = "zfp") { "zfp" } else { "no zfp" };
        // Two builds of one version may measure differently.
        let program = fingerprint(&std::env::current_exe()?);
        let Plan { bounds, relative, missing, .. } = self;
        let identity = &input.identity;
        let mut key = format!("{program} {zfp} {identity} {bounds:?} {relative:?} {missing:?}");
        for stream in self.streams {
            let file = fingerprint(&stream.file);
            let _ = write!(key, "\n{} {file} {:?}", stream.field, stream.rate);
        }
        for stream in self.fsz1_streams {
            let _ = write!(key, "\n{} {}", stream.field, fingerprint(&stream.file));
        }
        for peer in self.peers {
            let _ = write!(key, "\n{}", peer.text());
        }
        Ok(key)
    }
}
