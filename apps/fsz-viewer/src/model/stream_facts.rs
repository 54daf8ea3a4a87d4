//! What a stream tells without being decoded.

use fsz::{Certificate, Header, Stream};

use crate::model::regions::Regions;
use crate::model::tiles::Tiles;

/// Header, certificate and tiles of a stream, or of the streams of an array together.
#[derive(Clone, Debug)]
pub struct StreamFacts {
    /// The stream's header.
    pub header: Header,
    /// What its encoder vouches for.
    pub certificate: Certificate,
    /// Size of the stream.
    pub compressed_bytes: u64,
    /// Its tiles.
    pub tiles: Tiles,
    /// How many streams it is: the ADIOS2 blocks of an array.
    pub blocks: usize,
    /// The smallest absolute bound of them; the header has the largest.
    pub least_bound: f64,
    /// Parts of the field with bounds of their own.
    pub regions: Regions,
}

impl StreamFacts {
    /// The absolute bounds that its values keep: outside of regions, and in each of them.
    pub fn bounds(&self) -> impl Iterator<Item = f64> {
        let regions = self.regions.iter().map(|region| region.absolute_bound);
        [self.header.absolute_bound].into_iter().chain(regions)
    }

    /// Those of one stream, of its header and index. Its tiles are not read.
    pub fn of(stream: &Stream<'_>) -> StreamFacts {
        StreamFacts {
            blocks: 1,
            least_bound: stream.header().absolute_bound,
            header: stream.header().clone(),
            certificate: *stream.certificate(),
            compressed_bytes: stream.compressed_bytes(),
            regions: Regions::new(stream.regions()),
            tiles: Tiles::of_stream(stream),
        }
    }
}
