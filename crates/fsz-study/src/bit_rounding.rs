//! Bit rounding, as climate archives use it: mantissas rounded to a few bits, bytes shuffled, and a lossless
//! compressor, beside FSZ at the same relative bound, largest error and PSNR.

use std::io::Write;

use anyhow::Result;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use fsz::{Bound, Dense, Element, Profile};
use fsz_metrics::{Class, Sample};

use crate::html::Data;
use crate::record::{BitRounding, FieldRecord};
use crate::subject::Subject;
use crate::tables::cell;

/// Mantissa bits that are kept.
const KEPT: [u32; 3] = [3, 7, 12];

/// Bit rounding with each number of bits.
pub fn measure<T: Element + Sample>(subject: &Subject<'_, T>) -> Result<Vec<BitRounding>> {
    KEPT.into_iter().map(|bits| at(subject, bits)).collect()
}

fn at<T: Element + Sample>(subject: &Subject<'_, T>, bits: u32) -> Result<BitRounding> {
    subject.plan.progress.check()?;
    let mut values = fsz_field::zeros::<T>(subject.field.shape())?;
    for (kept, &value) in values.iter_mut().zip(subject.values) {
        *kept = match subject.missing.class(value) {
            Class::Finite => rounded(value, bits),
            _ => value,
        };
    }
    let found = fsz_metrics::compare(subject.values, &values, &subject.missing, None)?;
    let (error, psnr) = (found.max_abs_error, found.psnr());
    let bytes = shuffled(&values)?;
    let over = |len: usize| subject.over(len.max(1) as u64);
    // A target that no stream meets, of a field of a few values, has no ratio.
    let fsz = |bound: Bound, profile| {
        let possible = bound.requested().is_finite() && bound.requested() > 0.0;
        possible
            .then(|| subject.compress_within(bound, profile).map(|stream| over(stream.len())))
            .transpose()
    };
    let relative = relative_bound(bits);
    let (paper, dense) = (Profile::default(), Profile::Dense(Dense::new()));
    Ok(BitRounding {
        bits,
        relative,
        max_abs_error: error,
        psnr,
        zlib: over(zlib(&bytes)?),
        zstd: zstd(&bytes)?.map(over),
        fsz_same_error: fsz(Bound::Absolute(error), paper)?,
        dense_same_error: fsz(Bound::Absolute(error), dense)?,
        fsz_same_psnr: fsz(Bound::Psnr(psnr), paper)?,
        dense_same_psnr: fsz(Bound::Psnr(psnr), dense)?,
        fsz_relative: fsz(Bound::Relative { eps: relative, floor: 0.0 }, paper)?,
        dense_relative: fsz(Bound::Relative { eps: relative, floor: 0.0 }, dense)?,
    })
}

/// The largest error of a value over that value: half a unit of the last bit that is kept.
fn relative_bound(bits: u32) -> f64 {
    0.5f64.powi(bits as i32 + 1)
}

/// A value with so many bits of its mantissa, to nearest, half-way cases to even.
fn rounded<T: Element>(value: T, bits: u32) -> T {
    let mantissa = match T::DTYPE {
        fsz::DType::F32 => f32::MANTISSA_DIGITS,
        fsz::DType::F64 => f64::MANTISSA_DIGITS,
    } - 1;
    let drop = mantissa.saturating_sub(bits);
    if drop == 0 {
        return value;
    }
    let old = value.to_bits64();
    let half = (1u64 << (drop - 1)) - 1 + (old >> drop & 1);
    let new = (old + half) >> drop << drop;
    let new = T::from_bits64(new);
    // The largest numbers would become infinite.
    if new.to_f64().is_finite() { new } else { value }
}

/// The first bytes of all values, then the second ones, and so on, as HDF5's and Blosc's shuffle.
fn shuffled<T: Element>(values: &[T]) -> Result<Vec<u8>> {
    let mut bytes = fsz_field::zero_bytes(size_of_val(values) as u64)?;
    for (place, plane) in bytes.chunks_exact_mut(values.len().max(1)).enumerate() {
        for (byte, value) in plane.iter_mut().zip(values) {
            *byte = (value.to_bits64() >> (8 * place)) as u8;
        }
    }
    Ok(bytes)
}

/// Bytes that zlib makes at its default level, 6.
fn zlib(bytes: &[u8]) -> Result<usize> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

/// Bytes that zstd makes at its default level, 3; none in a build without it.
#[cfg(feature = "zstd")]
fn zstd(bytes: &[u8]) -> Result<Option<usize>> {
    Ok(Some(zstd::bulk::compress(bytes, zstd::DEFAULT_COMPRESSION_LEVEL)?.len()))
}

#[cfg(not(feature = "zstd"))]
fn zstd(_: &[u8]) -> Result<Option<usize>> {
    Ok(None)
}

/// All fields with all numbers of bits.
pub fn table(fields: &[FieldRecord]) -> Data {
    let rows = fields.iter().flat_map(|field| {
        field.bit_rounding.iter().map(move |r| {
            let some = |ratio: Option<f64>| ratio.map_or_else(String::new, cell);
            let (relative, error) = (format!("{:e}", r.relative), format!("{:e}", r.max_abs_error));
            let mut row = vec![field.name.clone(), r.bits.to_string(), relative, error];
            row.extend([cell(r.psnr), cell(r.zlib), some(r.zstd)]);
            row.extend([r.fsz_same_error, r.dense_same_error].map(some));
            row.extend([r.fsz_same_psnr, r.dense_same_psnr].map(some));
            row.extend([r.fsz_relative, r.dense_relative].map(some));
            row
        })
    });
    let head = "field,mantissa_bits,relative_bound,max_abs_error,psnr,shuffle+zlib,shuffle+zstd,\
                fsz_at_this_error,fsz-dense_at_this_error,fsz_at_this_psnr,fsz-dense_at_this_psnr,fsz_at_this_relative_bound,\
                fsz-dense_at_this_relative_bound";
    Data { file: "bit_rounding.csv", head, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mantissas_are_rounded_to_even() {
        // 1 + 1/8 with 3 bits stays; 1 + 1/16 is half-way to it and goes to the even 1; 1 + 3/16 to 1 + 1/4.
        let three = |v: f32| rounded(v, 3);
        assert_eq!([1.125, 1.0625, 1.1875, -1.07, 0.0].map(three), [1.125, 1.0, 1.25, -1.125, 0.0]);
        assert_eq!(rounded(1.0f64 + 0.1, 3), 1.125);
        assert_eq!(rounded(f32::MAX, 3), f32::MAX);
        assert_eq!(rounded(1.1f32, 23), 1.1);
        for i in 1..10_000 {
            let value = i as f64 * 0.37;
            let error = (rounded(value, 7) - value).abs();
            assert!(error <= relative_bound(7) * value, "{value}");
        }
    }

    #[test]
    fn bytes_of_one_place_stand_together() {
        let values = [1.0f32, -2.0];
        assert_eq!(shuffled(&values).unwrap(), [0, 0, 0, 0, 0x80, 0, 0x3F, 0xC0]);
        assert_eq!(shuffled(&[1.0f64]).unwrap().len(), 8);
        let zeros = vec![0; 100_000];
        assert!(zlib(&zeros).unwrap() < 200);
        assert!(super::zstd(&zeros).unwrap().is_none_or(|len| len < 200));
    }
}
