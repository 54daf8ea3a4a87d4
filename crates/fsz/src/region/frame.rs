//! A stream with the section of its regions, and the same without: header and index are the same but for it.

#[cfg(feature = "cuda")]
use std::borrow::Cow;

#[cfg(feature = "cuda")]
use crate::stream::Stream;
use crate::{
    error::{Error, Result},
    format::{
        Sections,
        checksum::byte_rows,
        header::{self, Header},
    },
    schedule::too_small,
};

/// Puts `section` into the stream of `len` bytes without regions at the begin of `out`; its length with them.
pub(super) fn insert(out: &mut [u8], len: usize, section: &[u8]) -> Result<usize> {
    let header = header::read(&out[..len])?;
    let old = header.sections(&header.grid()?)?;
    let head = before_payload(out, &header, &old, Some(section))?;
    let payload = old.payload as usize..len;
    let whole = head.len() + payload.len();
    if whole > out.len() {
        return Err(too_small());
    }
    out.copy_within(payload, head.len());
    out[..head.len()].copy_from_slice(&head);
    Ok(whole)
}

/// The stream of the field without its regions, whose elements in them are anything.
#[cfg(feature = "cuda")]
pub(crate) fn without_regions<'a>(stream: &'a Stream<'_>) -> Result<Cow<'a, Stream<'a>>> {
    if !stream.header().has_regions() {
        return Ok(Cow::Borrowed(stream));
    }
    let bytes = stream.as_bytes();
    let mut plain = before_payload(bytes, stream.header(), stream.sections(), None)?;
    plain.extend(stream.payload());
    Stream::from_vec(plain).map(Cow::Owned)
}

/// What stands before the payload of a stream with these bytes, header and sections, when it has this section of regions,
/// or none.
fn before_payload(
    bytes: &[u8],
    header: &Header,
    old: &Sections,
    section: Option<&[u8]>,
) -> Result<Vec<u8>> {
    let fields = header.fields();
    let len = section.map(|section| section.len() as u64);
    let mut head = header::with_regions(&bytes[..fields.header_len as usize], header, len);
    let header_len = head.len();
    let grid = header.grid()?;
    let new = Sections::with_regions(header_len as u64, &grid, &header.profile, len.unwrap_or(0))
        .ok_or_else(|| Error::invalid("a stream with regions is too large"))?;
    head.resize(new.payload as usize, 0);
    let parts = [
        (&old.heads, &new.heads),
        (&old.sizes, &new.sizes),
        (&old.offsets, &new.offsets),
        (&old.sums, &new.sums),
    ];
    for (from, to) in parts {
        let own = &bytes[from.start as usize..from.end as usize];
        head[to.start as usize..to.end as usize].copy_from_slice(own);
    }
    let regions = new.regions.start as usize..new.regions.end as usize;
    head[regions].copy_from_slice(section.unwrap_or_default());
    let checksum = byte_rows(&head[header_len..], 0);
    header::finish(&mut head[..header_len], new.payload + fields.payload_len, checksum);
    Ok(head)
}

#[cfg(all(test, feature = "cuda", feature = "ndarray"))]
mod tests {
    use super::*;
    use crate::{
        bound::Bound, codec::Codec, options::CompressOptions, profile::Profile, region::Region,
    };

    /// Taken out and put in again, a section leaves the stream as it was, whatever else the header has.
    #[test]
    fn a_stream_without_its_regions_is_an_ordinary_one() {
        let (codec, shape) = (Codec::cpu(), [20, 30]);
        let data: Vec<f32> = (0..600u16).map(|i| (f32::from(i) * 0.07).sin()).collect();
        let mask = (0..600).map(|i| i % 7 == 0).collect();
        let region = Region::where_set(mask, Bound::Absolute(1e-4));
        for &profile in Profile::ALL {
            for bound in [Bound::Absolute(0.1), Bound::Relative { eps: 0.1, floor: 0.01 }] {
                let plain = CompressOptions::new(bound).profile(profile);
                let named = plain.clone().name("Wärme").start(&[5, 6]).missing(1e20).time_step(3);
                for options in [plain, named] {
                    let options = options.region(region.clone());
                    let most = options.max_compressed_len(&shape, crate::DType::F32).unwrap();
                    let mut out = vec![0; most as usize];
                    let len = codec.compress_into(&data, &shape, &options, &mut out).unwrap();
                    let stream = Stream::open(&out[..len]).unwrap();
                    let plain = without_regions(&stream).unwrap();
                    assert!(plain.regions().is_empty() && !plain.header().has_regions());
                    assert_eq!(plain.header().name, options.name);
                    assert_eq!(plain.header().start, options.start);
                    assert!(matches!(without_regions(&plain).unwrap(), Cow::Borrowed(_)));
                    let back = codec.decompress::<f32>(&plain).unwrap();
                    for (i, (d, b)) in data.iter().zip(&back).enumerate().filter(|(i, _)| i % 7 > 0)
                    {
                        let bound = bound.of_element(f64::from(d.abs()), 0.1);
                        assert!(f64::from((d - b).abs()) <= bound, "element {i}");
                    }
                    let regions = stream.sections().regions.clone();
                    let section = &out[regions.start as usize..regions.end as usize];
                    let mut again = vec![0; len];
                    let short = plain.as_bytes().len();
                    again[..short].copy_from_slice(plain.as_bytes());
                    assert_eq!(insert(&mut again, short, section).unwrap(), len);
                    assert!(again == out[..len]);
                    again[..short].copy_from_slice(plain.as_bytes());
                    assert!(insert(&mut again[..short + 3], short, section).is_err(), "no room");
                }
            }
        }
    }
}
