//! A stream as bytes whose header and index have been checked.

use std::borrow::Cow;

use crate::{
    certificate::Certificate,
    checksum::{WeightedSum, mix},
    error::{Error, Result},
    header::{self, Header},
    index::Index,
    info::Info,
    layout::Layout,
};

/// A compressed field: its bytes, with the header, the sections' lengths and the checksum of rates and
/// index already verified. The payload's checksums are verified when it is decoded.
#[derive(Clone, Debug)]
pub struct Stream<'a> {
    bytes: Cow<'a, [u8]>,
    header: Header,
    certificate: Certificate,
    layout: Layout,
}

/// 64 tiles of a stream; the last chunk may have fewer.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The rate bytes of its tiles.
    pub rates: &'a [u8],
    /// Their payloads, in order.
    pub payload: &'a [u8],
}

impl<'a> Stream<'a> {
    /// Opens a stream in borrowed memory, such as a mapped file. Reads the header and the index, not the
    /// payload.
    ///
    /// # Errors
    /// [`Error::Truncated`] when bytes are missing, [`Error::Corrupt`] when they are not a stream or are
    /// damaged, [`Error::Unsupported`] when they come from a newer release.
    pub fn open(bytes: &'a [u8]) -> Result<Self> {
        Self::check(Cow::Borrowed(bytes))
    }

    /// Opens a stream in memory of its own.
    ///
    /// # Errors
    /// As [`Stream::open`].
    pub fn from_vec(bytes: Vec<u8>) -> Result<Stream<'static>> {
        Stream::check(Cow::Owned(bytes))
    }

    fn check(bytes: Cow<'a, [u8]>) -> Result<Self> {
        let (header, certificate) = header::read(&bytes)?;
        let got = bytes.len() as u64;
        if got < header.stream_len {
            return Err(Error::Truncated { needed: header.stream_len, got });
        }
        if got > header.stream_len {
            return Err(Error::corrupt(format!(
                "{} bytes follow the end of the stream",
                got - header.stream_len
            )));
        }
        let layout = header.layout()?;
        let end = layout.payload.checked_add(header.payload_len);
        if end != Some(got) || !header.payload_len.is_multiple_of(4) {
            return Err(Error::corrupt("the header's lengths contradict each other"));
        }
        let metadata = &bytes[header.header_len as usize..layout.payload as usize];
        if metadata_sum(metadata) != header.metadata_sum {
            return Err(Error::corrupt("the checksum of rates and index does not match"));
        }
        Ok(Stream { bytes, header, certificate, layout })
    }

    /// The stream's bytes, as a file holds them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The stream's bytes, owned.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// What can be known without decoding.
    pub fn info(&self) -> Info<'_> {
        Info::new(self)
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    pub(crate) fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The rate bytes of all tiles.
    #[cfg(feature = "cuda")]
    pub(crate) fn rates(&self) -> &[u8] {
        &self.bytes[self.layout.rates.start as usize..self.layout.rates.end as usize]
    }

    /// The payload of all tiles, not verified.
    pub fn payload(&self) -> &[u8] {
        &self.bytes[self.layout.payload as usize..]
    }

    /// How many chunks of 64 tiles there are.
    pub fn chunks(&self) -> u64 {
        self.layout.chunks
    }

    /// A chunk as the stream holds it, verified (FORMAT.md, *Sections of a stream* and *Checksums*).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when there is no such chunk, [`Error::Corrupt`] when it is damaged.
    pub fn chunk(&self, number: u64) -> Result<Chunk<'_>> {
        if number >= self.chunks() {
            return Err(Error::invalid(format!("there is no chunk {number}")));
        }
        let index = self.index();
        index.load(number, &mut Vec::new(), &mut Vec::new())?;
        Ok(Chunk { rates: index.rates(number), payload: index.payload(number)? })
    }

    pub(crate) fn index(&self) -> Index<'_> {
        Index { bytes: &self.bytes, header: &self.header, layout: &self.layout }
    }
}

/// The checksum of everything between header and payload.
pub(crate) fn metadata_sum(bytes: &[u8]) -> u32 {
    mix(WeightedSum::new().bytes(bytes).value())
}
