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

    /// The payload of all tiles, not verified.
    pub fn payload(&self) -> &[u8] {
        &self.bytes[self.layout.payload as usize..]
    }

    /// How many chunks of 64 tiles there are.
    pub fn chunks(&self) -> u64 {
        self.layout.chunks
    }

    /// A chunk as the stream holds it, verified (FORMAT.md, *Sections of a stream* and *Checksums*): all of
    /// its tiles can be decoded.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when there is no such chunk, [`Error::Corrupt`] when it is damaged.
    pub fn chunk(&self, number: u64) -> Result<Chunk<'_>> {
        if number >= self.chunks() {
            return Err(Error::invalid(format!("there is no chunk {number}")));
        }
        let index = self.index();
        index.check(number)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        checksum::{WeightedSum, tile_share},
        codec::Codec,
        index::tile_shape,
        options::Bound,
    };

    /// The checksum that belongs to what a chunk of full tiles holds.
    fn sum_of(index: &Index<'_>, chunk: u64, words: &[u32], starts: &[u32]) -> u32 {
        let rates = index.rates(chunk).chunks_exact(8);
        let tiles = starts.windows(2).map(|s| &words[s[0] as usize..s[1] as usize]);
        rates.zip(tiles).enumerate().fold(0, |sum, (t, (rates, words))| {
            let own = WeightedSum::new().rates(rates).words(words).value();
            sum.wrapping_add(tile_share(own, t))
        })
    }

    /// A forger makes the checksum right, but not what the tile says.
    #[test]
    fn a_chunk_with_a_contradiction_is_not_verified() {
        let values: Vec<f32> = (0..512)
            .map(|i| match i {
                // No two alike: they are listed.
                _ if i < 256 && i % 5 == 1 => 1e30 * (i + 1) as f32,
                _ => i as f32 * 0.1,
            })
            .collect();
        let view = ndarray::ArrayView1::from(&values);
        let stream = Codec::cpu().compress(view, Bound::Absolute(1e-3)).unwrap();
        assert!(stream.chunk(0).is_ok());
        let index = stream.index();
        let (mut words, mut starts) = (Vec::new(), Vec::new());
        index.load(0, &mut words, &mut starts).unwrap();
        let sums = stream.layout.sums.start as usize;
        let sum = sum_of(&index, 0, &words, &starts);
        assert_eq!(sum.to_le_bytes(), stream.bytes[sums..sums + 4]);
        let shape =
            tile_shape(&index.rates(0)[..8], 256, index.header.dtype, index.header.geometry);
        let field = shape.as_ref().unwrap().field.expect("escapes");
        assert!(field.listed > 30 && field.run_ends == 0);
        // The second position becomes the first again.
        let at = shape.unwrap().coded;
        words[at] = words[at] & 0xffff_00ff | (words[at] & 0xff) << 8;
        let sum = sum_of(&index, 0, &words, &starts);
        let mut bytes = stream.as_bytes().to_vec();
        let payload = stream.layout.payload as usize + 4 * at;
        bytes[payload..payload + 4].copy_from_slice(&words[at].to_le_bytes());
        bytes[sums..sums + 4].copy_from_slice(&sum.to_le_bytes());
        let forged = Stream { bytes: bytes.into(), ..stream.clone() };
        forged.index().load(0, &mut words, &mut starts).expect("its checksum is right");
        let reason = forged.chunk(0).expect_err("it is found out").to_string();
        assert!(reason.contains("do not rise"), "{reason}");
        assert!(Codec::cpu().decompress::<f32>(&forged).is_err());
    }
}
