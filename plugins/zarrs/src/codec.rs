//! The codec of whole chunks.

use std::{borrow::Cow, num::NonZeroU64, sync::Arc};

use fsz::{Bound, Codec as Fsz, DType, max_compressed_len, with_element};
use zarrs_codec::{
    ArrayBytes, ArrayBytesRaw, ArrayCodecTraits, ArrayPartialDecoderTraits,
    ArrayToBytesCodecTraits, BytesPartialDecoderTraits, BytesRepresentation, Codec, CodecError,
    CodecMetadataOptions, CodecOptions, CodecPluginV3, CodecTraits, CodecTraitsV3,
    PartialDecoderCapability, PartialEncoderCapability, RecommendedConcurrency,
};
use zarrs_data_type::{DataType, FillValue};
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::{PluginCreateError, ZarrVersion};

use crate::{
    Configuration,
    chunk::{decode_box, dtype_of, elements, failed, fill_of, open, shape_of},
    partial::PartialDecoder,
};

/// Chunks of `float32` or `float64` as FSZ streams. Parts of chunks are fetched and decoded alone.
#[derive(Clone, Debug)]
pub struct FszCodec {
    configuration: Configuration,
    bound: Bound,
}

zarrs_plugin::impl_extension_aliases!(FszCodec, v3: "fsz_codec");

inventory::submit! {
    CodecPluginV3::new::<FszCodec>()
}

impl FszCodec {
    /// A codec with this configuration.
    ///
    /// # Errors
    /// An error that says what is wrong with the bound or the missing values.
    pub fn new(configuration: Configuration) -> Result<Self, PluginCreateError> {
        let bound = configuration.bound().map_err(PluginCreateError::Other)?;
        if configuration.missing.len() > fsz::format::MAX_MISSING {
            return Err(PluginCreateError::Other(format!(
                "{} missing values: at most {} can be named",
                configuration.missing.len(),
                fsz::format::MAX_MISSING
            )));
        }
        Ok(FszCodec { configuration, bound })
    }
}

impl CodecTraitsV3 for FszCodec {
    fn create(metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
        let codec = FszCodec::new(metadata.to_typed_configuration()?)?;
        Ok(Codec::ArrayToBytes(Arc::new(codec)))
    }
}

impl CodecTraits for FszCodec {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn configuration(
        &self,
        _version: ZarrVersion,
        _options: &CodecMetadataOptions,
    ) -> Option<zarrs_metadata::Configuration> {
        Some(self.configuration.clone().into())
    }

    fn partial_decoder_capability(&self) -> PartialDecoderCapability {
        PartialDecoderCapability { partial_read: true, partial_decode: true }
    }

    fn partial_encoder_capability(&self) -> PartialEncoderCapability {
        PartialEncoderCapability { partial_encode: false }
    }
}

impl ArrayCodecTraits for FszCodec {
    fn recommended_concurrency(
        &self,
        _shape: &[NonZeroU64],
        _data_type: &DataType,
    ) -> Result<RecommendedConcurrency, CodecError> {
        // zarrs has threads for chunks.
        Ok(RecommendedConcurrency::new_maximum(1))
    }
}

impl ArrayToBytesCodecTraits for FszCodec {
    fn into_dyn(self: Arc<Self>) -> Arc<dyn ArrayToBytesCodecTraits> {
        self
    }

    fn encode<'a>(
        &self,
        bytes: ArrayBytes<'a>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        _options: &CodecOptions,
    ) -> Result<ArrayBytesRaw<'a>, CodecError> {
        let (dtype, shape) = (dtype_of(data_type)?, shape_of(shape));
        let options = self.configuration.options(self.bound, fill_of(fill_value, dtype)?, dtype);
        let bytes = bytes.into_fixed()?;
        let mut stream = vec![0; max_compressed_len(&shape, dtype).map_err(failed)? as usize];
        let len = with_element!(dtype, T => {
            let field = elements::<T>(&bytes);
            Fsz::cpu().compress_into(&field, &shape, &options, &mut stream).map_err(failed)?
        });
        stream.truncate(len);
        Ok(Cow::Owned(stream))
    }

    fn decode<'a>(
        &self,
        bytes: ArrayBytesRaw<'a>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        _fill_value: &FillValue,
        _options: &CodecOptions,
    ) -> Result<ArrayBytes<'a>, CodecError> {
        let shape = shape_of(shape);
        let stream = open(&bytes, &shape, dtype_of(data_type)?)?;
        Ok(ArrayBytes::new_flen(decode_box(&stream, &vec![0; shape.len()], &shape)?))
    }

    fn encoded_representation(
        &self,
        shape: &[NonZeroU64],
        data_type: &DataType,
        _fill_value: &FillValue,
    ) -> Result<BytesRepresentation, CodecError> {
        let dtype: DType = dtype_of(data_type)?;
        max_compressed_len(&shape_of(shape), dtype)
            .map(BytesRepresentation::BoundedSize)
            .map_err(failed)
    }

    fn partial_decoder(
        self: Arc<Self>,
        input: Arc<dyn BytesPartialDecoderTraits>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        _options: &CodecOptions,
    ) -> Result<Arc<dyn ArrayPartialDecoderTraits>, CodecError> {
        let (dtype, shape) = (dtype_of(data_type)?, shape_of(shape));
        Ok(Arc::new(PartialDecoder::new(
            input,
            shape,
            dtype,
            data_type.clone(),
            fill_value.clone(),
        )))
    }
}
