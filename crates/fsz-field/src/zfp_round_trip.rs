//! A field through zfp and back, a slab after the other, so that it can be watched and stopped.

use fsz::Element;

use crate::error::Result;
use crate::field::Field;
use crate::fixed_rate::zfp_sides;
use crate::memory::zeros;
use crate::shape::Shape;
use crate::storage::Values;
use crate::with_values;
use crate::zfp::{Mode, Zfp};

/// Values of a slab, at least: a fraction of a second of zfp's time.
const SLAB: usize = 1 << 22;

/// What zfp makes of a field.
#[derive(Debug, Clone)]
pub struct RoundTrip {
    /// The values that come back, in the shape of the field.
    pub field: Field,
    /// Bytes of the stream with one header. Of a field of several slabs each adds up to 8 bytes to what
    /// one stream of all would have.
    pub bytes: u64,
}

/// Compresses a field with zfp and decodes it again. `proceed` hears how many values are done so far,
/// and ends it by false: then there is no result.
///
/// zfp codes its blocks of 4 values a side alone, so the values are those of one stream of all.
///
/// # Errors
/// When the field is empty, too large for zfp or for the memory.
pub fn round_trip(
    field: &Field,
    mode: Mode,
    proceed: impl FnMut(u64) -> bool,
) -> Result<Option<RoundTrip>> {
    with_values!(field.values(), v => in_slabs(v, field.shape(), mode, SLAB, proceed))
}

fn in_slabs<T: Element>(
    values: &[T],
    shape: &Shape,
    mode: Mode,
    least: usize,
    mut proceed: impl FnMut(u64) -> bool,
) -> Result<Option<RoundTrip>> {
    let mut sides: Vec<u64> = zfp_sides(shape)?.into_iter().map(|side| side as u64).collect();
    let (rows, row) = (sides[0] as usize, sides[1..].iter().product::<u64>() as usize);
    // Whole zfp blocks.
    let step = least.div_ceil(row.max(1)).next_multiple_of(4);
    let mut out = zeros::<T>(shape)?;
    let (mut zfp, mut bytes, mut slabs, mut first) = (Zfp::new(), 0, 0, 0);
    while first < rows || slabs == 0 {
        // A slab of one row would be a field of fewer sides for zfp.
        let end = if rows - first < step + 2 { rows } else { first + step };
        let part = first * row..end * row;
        sides[0] = (end - first) as u64;
        zfp.compress(Values::of(&values[part.clone()]), &Shape::new(&sides)?, mode)?;
        bytes += zfp.bytes().len() as u64;
        if slabs > 0 {
            bytes -= zfp.header_len() as u64;
        }
        zfp.decompress_into(&mut out[part])?;
        (first, slabs) = (end, slabs + 1);
        if !proceed((end * row) as u64) {
            return Ok(None);
        }
    }
    let field = Field::new(shape.clone(), out)?;
    Ok(Some(RoundTrip { field, bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_give_what_one_stream_gives() {
        for sides in [&[97][..], &[33, 10], &[9, 5, 6], &[13, 1, 6, 7], &[2, 3, 5, 2, 4, 5]] {
            let shape = Shape::new(sides).unwrap();
            let value = |i: u64| (i as f32 * 0.37).sin() * 5.0 + (i % 7) as f32;
            let values: Vec<f32> = (0..shape.elements()).map(value).collect();
            for mode in [Mode::Accuracy(1e-2), Mode::Rate(9.0)] {
                let mut zfp = Zfp::new();
                zfp.compress(Values::F32(&values), &shape, mode).unwrap();
                let whole = zfp.bytes().len() as u64;
                let expected = zfp.decompress().unwrap();
                let mut heard = Vec::new();
                let proceed = |done| {
                    heard.push(done);
                    true
                };
                let found = in_slabs(&values, &shape, mode, 8, proceed).unwrap().unwrap();
                assert_eq!(found.field.as_slice::<f32>(), expected.as_slice::<f32>(), "{sides:?}");
                assert!(heard.len() > 1 && heard.last() == Some(&shape.elements()), "{heard:?}");
                let beyond = found.bytes as i64 - whole as i64;
                assert!((-8..=8 * heard.len() as i64).contains(&beyond), "{sides:?}: {beyond}");
            }
        }
    }

    #[test]
    fn it_stops_where_it_is_told() {
        let shape = Shape::new(&[100]).unwrap();
        let mut heard = 0;
        let stop = |_| {
            heard += 1;
            heard < 2
        };
        let mode = Mode::Rate(8.0);
        assert!(in_slabs(&[1.0f64; 100], &shape, mode, 4, stop).unwrap().is_none());
        assert_eq!(heard, 2);
        let empty = Field::new(Shape::new(&[0, 3]).unwrap(), Vec::<f32>::new()).unwrap();
        assert!(round_trip(&empty, mode, |_| true).is_err());
    }
}
