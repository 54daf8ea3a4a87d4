//! An array whose ADIOS2 blocks are FSZ streams of their own: they are kept compressed, and only those
//! that a plane touches are decoded.

use fsz::{Codec, Stream};
use fsz_field::{Field, Scalar, Shape};

use crate::boxes::{Box, Boxes, place};
use crate::document::{Facts, Result, facts};
use crate::tiles::Tiles;

/// The streams of an array, and where they lie in it.
#[derive(Debug)]
pub struct Blocks {
    boxes: Vec<Box>,
    streams: Vec<Stream<'static>>,
}

impl Blocks {
    /// Puts streams together, each with the index of its first element, and what they tell together.
    /// None when they do not fit into one array without lying on each other.
    ///
    /// # Errors
    /// When a tile's record is damaged.
    pub fn new(
        shape: &[u64],
        parts: Vec<(Vec<u64>, Stream<'static>)>,
    ) -> Result<Option<(Blocks, Facts)>> {
        let count = |stream: &Stream<'_>| stream.header().shape.clone();
        let boxes = parts.iter().map(|(start, s)| Box { start: start.clone(), count: count(s) });
        let Some(boxes) = Boxes::new(shape, boxes.collect()) else { return Ok(None) };
        let streams: Vec<_> = parts.into_iter().map(|(_, stream)| stream).collect();
        let told: Vec<Facts> = streams.iter().map(facts).collect::<Result<_>>()?;
        let Some(first) = told.first().cloned() else { return Ok(None) };
        if told.iter().any(|facts| facts.header.dtype != first.header.dtype) {
            return Ok(None);
        }
        let blocks = Blocks { boxes: boxes.all().to_vec(), streams };
        Ok(Some((blocks, together(shape, first, &told, boxes))))
    }

    /// The values of a box in C order; 0 where there is no stream.
    ///
    /// # Errors
    /// When a stream is damaged there.
    pub fn window<T: Scalar>(&self, codec: &Codec, start: &[u64], count: &[u64]) -> Result<Field> {
        let window = Box { start: start.to_vec(), count: count.to_vec() };
        let shape = Shape::new(count).map_err(|e| e.to_string())?;
        let mut out = Vec::new();
        let len = usize::try_from(shape.elements()).map_err(|e| e.to_string())?;
        out.try_reserve_exact(len).map_err(|e| e.to_string())?;
        out.resize(len, T::ZERO);
        for (block, stream) in self.boxes.iter().zip(&self.streams) {
            let Some(part) = block.common(&window) else { continue };
            let inner: Vec<u64> = part.start.iter().zip(&block.start).map(|(a, b)| a - b).collect();
            let values = codec
                .decompress_box::<T>(stream, &inner, &part.count)
                .map_err(|e| e.to_string())?;
            let values = values.into_raw_vec_and_offset().0;
            place(&values, &part, &mut out, &window);
        }
        Field::new(shape, out).map_err(|e| e.to_string())
    }

    /// One of the streams, by the number that [`Tiles::part`] has for it.
    pub fn stream(&self, part: usize) -> Option<&Stream<'static>> {
        self.streams.get(part)
    }
}

/// What several streams tell as one: sums of what is counted, and the largest bound and error.
fn together(shape: &[u64], first: Facts, told: &[Facts], boxes: Boxes) -> Facts {
    let mut header = first.header;
    header.shape = shape.to_vec();
    header.start = None;
    let bounds = || told.iter().map(|facts| facts.header.absolute_bound);
    header.absolute_bound = bounds().fold(0.0, f64::max);
    let mut certificate = first.certificate;
    told.iter().skip(1).for_each(|facts| certificate.merge(&facts.certificate));
    let compressed_bytes = told.iter().map(|facts| facts.compressed_bytes).sum();
    let size = header.dtype.size() as u64;
    Facts {
        ratio: (header.elements() * size) as f64 / compressed_bytes as f64,
        least_bound: bounds().fold(f64::INFINITY, f64::min),
        blocks: told.len(),
        header,
        certificate,
        compressed_bytes,
        tiles: Tiles::together(shape, told.iter().map(|facts| &facts.tiles), boxes),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fsz::Bound;
    use ndarray::{ArrayD, IxDyn, SliceInfoElem};

    use super::*;
    use crate::document::Document;
    use crate::plane::Place;

    const SHAPE: [usize; 3] = [6, 20, 31];

    fn field() -> ArrayD<f32> {
        let value = |i: usize| ((i * i / 97) as f32 * 0.1).sin() * 30.0 + (i % 5) as f32;
        let values: Vec<f32> = (0..SHAPE.iter().product()).map(value).collect();
        ArrayD::from_shape_vec(IxDyn(&SHAPE), values).unwrap()
    }

    /// A part of the field, compressed.
    fn part(start: [u64; 3], count: [u64; 3], bound: f64) -> (Vec<u64>, Stream<'static>) {
        let along = |axis: usize| SliceInfoElem::Slice {
            start: start[axis] as isize,
            end: Some((start[axis] + count[axis]) as isize),
            step: 1,
        };
        let field = field();
        let view = field.slice(&[along(0), along(1), along(2)][..]).to_owned();
        let stream = Codec::cpu().compress(view.view(), Bound::Absolute(bound)).unwrap();
        (start.to_vec(), stream)
    }

    #[test]
    fn planes_tiles_and_values_are_those_of_the_parts() {
        let shape = SHAPE.map(|n| n as u64);
        let parts = vec![
            part([0, 0, 0], [6, 20, 11], 0.5),
            part([0, 0, 11], [2, 20, 20], 0.01),
            part([2, 0, 11], [4, 20, 20], 0.1),
        ];
        let document =
            Document::from_blocks("three".into(), Path::new("three"), &shape, parts).unwrap();
        let document = document.expect("they make up the array");
        let (codec, facts) = (Codec::cpu(), document.facts.clone().unwrap());
        assert_eq!((facts.blocks, facts.least_bound, facts.header.absolute_bound), (3, 0.01, 0.5));
        let per_part = [6 * 20 * 11, 2 * 20 * 20, 4 * 20 * 20].map(|n: u64| n.div_ceil(256));
        assert_eq!(facts.tiles.len() as u64, per_part.iter().sum::<u64>());
        let whole = document.values(&codec).unwrap();
        let values = whole.as_slice::<f32>().unwrap();
        let field = field();
        let mut tiles = std::collections::BTreeSet::new();
        for (position, (&found, &original)) in values.iter().zip(field.iter()).enumerate() {
            let (z, x) = (position / 620, position % 31);
            let (bound, part) = match (x < 11, z < 2) {
                (true, _) => (0.5, 0),
                (false, true) => (0.01, 1),
                (false, false) => (0.1, 2),
            };
            assert!(f64::from((found - original).abs()) <= bound, "{position}");
            let (number, _) = facts.tiles.of(position as u64).unwrap();
            assert_eq!(facts.tiles.part(number).map(|(part, _)| part), Some(part));
            let step = document.step(number).unwrap();
            assert!(step > 1.9 * bound && step <= 2.0 * bound);
            if tiles.insert(number) || position % 101 == 0 {
                let exact = document.exact(&codec, position as u64);
                assert_eq!(exact, Some(f64::from(found)), "{position}");
            }
        }
        assert_eq!(tiles.len(), facts.tiles.len(), "every tile is seen");
        let plane = document.plane(&codec, Place { axis: 1, plane: 7 }).unwrap();
        for (i, value) in plane.values.iter().enumerate() {
            assert_eq!(*value, f64::from(values[(i / 31 * 20 + 7) * 31 + i % 31]));
        }
    }

    #[test]
    fn what_makes_up_no_array_is_none() {
        let of = |parts| Blocks::new(&[6, 20, 31], parts).unwrap().is_none();
        let left = || part([0, 0, 0], [6, 20, 11], 0.5);
        assert!(of(vec![]) && of(vec![left(), left()]));
        let double = ArrayD::<f64>::zeros(IxDyn(&[6, 20, 20]));
        let double = Codec::cpu().compress(double.view(), Bound::Absolute(1.0)).unwrap();
        assert!(of(vec![left(), (vec![0, 0, 11], double)]));
    }
}
