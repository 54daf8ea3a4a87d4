//! Parts of chunks: the bytes that a part needs are fetched, and its tiles decoded.

use std::{ops::Range, sync::Arc};

use fsz::{
    DType,
    format::{FIXED_HEADER, FixedHeader, MAGIC},
    max_compressed_len,
};
use zarrs_chunk_grid::Indexer;
use zarrs_codec::{
    ArrayBytes, ArrayPartialDecoderTraits, BytesPartialDecoderTraits, CodecError, CodecOptions,
};
use zarrs_data_type::{DataType, FillValue};
use zarrs_storage::{StorageError, byte_range::ByteRange};

use crate::chunk::{decode_box, failed, open};

/// Reads parts of one chunk.
pub(crate) struct PartialDecoder {
    input: Arc<dyn BytesPartialDecoderTraits>,
    shape: Vec<u64>,
    dtype: DType,
    data_type: DataType,
    fill_value: FillValue,
}

impl PartialDecoder {
    pub fn new(
        input: Arc<dyn BytesPartialDecoderTraits>,
        shape: Vec<u64>,
        dtype: DType,
        data_type: DataType,
        fill_value: FillValue,
    ) -> Self {
        PartialDecoder { input, shape, dtype, data_type, fill_value }
    }

    fn fetch(
        &self,
        begin: u64,
        end: u64,
        options: &CodecOptions,
    ) -> Result<Option<Vec<u8>>, CodecError> {
        let range = ByteRange::FromStart(begin, Some(end - begin));
        Ok(self.input.partial_decode(range, options)?.map(|bytes| bytes.into_owned()))
    }

    /// The bytes of a box's elements; `None` where there is no chunk.
    fn part(
        &self,
        start: &[u64],
        count: &[u64],
        options: &CodecOptions,
    ) -> Result<Option<Vec<u8>>, CodecError> {
        let corrupt = |why: &str| failed(fsz::Error::Corrupt(why.into()));
        let gone = || corrupt("the chunk went away while it was read");
        let Some(head) = self.fetch(0, FIXED_HEADER as u64, options)? else { return Ok(None) };
        let fixed = head.first_chunk().map(FixedHeader::read).filter(|fixed| fixed.magic == MAGIC);
        let fixed = fixed.ok_or_else(|| corrupt("it does not begin with a header"))?;
        let most = max_compressed_len(&self.shape, self.dtype).map_err(failed)?;
        if fixed.stream_len > most || fixed.payload_len > fixed.stream_len {
            return Err(corrupt("the header's lengths contradict each other"));
        }
        // Zeros take up memory only where bytes are put.
        let mut bytes = vec![0; fixed.stream_len as usize];
        let put = |bytes: &mut [u8], Range { start, end }: Range<u64>| -> Result<(), CodecError> {
            let part = self.fetch(start, end, options)?.ok_or_else(gone)?;
            let place = bytes.get_mut(start as usize..start as usize + part.len());
            place.ok_or_else(|| corrupt("more bytes than were asked for"))?.copy_from_slice(&part);
            Ok(())
        };
        put(&mut bytes, 0..fixed.stream_len - fixed.payload_len)?;
        let ranges =
            open(&bytes, &self.shape, self.dtype)?.ranges_of_box(start, count).map_err(failed)?;
        ranges.into_iter().try_for_each(|range| put(&mut bytes, range))?;
        decode_box(&open(&bytes, &self.shape, self.dtype)?, start, count).map(Some)
    }
}

impl ArrayPartialDecoderTraits for PartialDecoder {
    fn data_type(&self) -> &DataType {
        &self.data_type
    }

    fn exists(&self) -> Result<bool, StorageError> {
        self.input.exists()
    }

    fn size_held(&self) -> usize {
        self.input.size_held()
    }

    fn partial_decode(
        &self,
        indexer: &dyn Indexer,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'_>, CodecError> {
        let part = match indexer.as_array_subset() {
            Some(subset) => self.part(&subset.start(), &subset.shape(), options)?,
            // Elements one by one: all of the chunk, and they are picked from it.
            None => match self.part(&vec![0; self.shape.len()], &self.shape, options)? {
                Some(whole) => {
                    let ranges =
                        indexer.iter_contiguous_byte_ranges(&self.shape, self.dtype.size())?;
                    let mut picked = Vec::new();
                    for range in ranges {
                        picked.extend_from_slice(&whole[range.start as usize..range.end as usize]);
                    }
                    Some(picked)
                }
                None => None,
            },
        };
        match part {
            Some(bytes) => Ok(ArrayBytes::new_flen(bytes)),
            None => {
                Ok(ArrayBytes::new_fill_value(&self.data_type, indexer.len(), &self.fill_value)?)
            }
        }
    }

    fn supports_partial_decode(&self) -> bool {
        true
    }
}
