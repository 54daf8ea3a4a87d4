//! Parts of a field that keep bounds of their own.

use std::sync::Arc;

use fsz::{Bound, StoredRegion};
use fsz_metrics::Limit;

use crate::model::grid::{Grid, PlaneSize};
use crate::model::plane::Place;

/// The regions of a stream; none of most.
#[derive(Clone, Debug, Default)]
pub struct Regions(Arc<[StoredRegion]>);

impl Regions {
    /// Those of a stream.
    pub fn new(regions: &[StoredRegion]) -> Regions {
        Regions(regions.into())
    }

    /// Whether the whole field has one bound.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &StoredRegion> {
        self.0.iter()
    }

    /// What the values of a region keep; region 0 is what is in none, which keeps `outside`.
    pub fn limit(&self, region: u8, outside: Limit) -> Limit {
        match usize::from(region).checked_sub(1).and_then(|number| self.0.get(number)) {
            Some(region) => limit(region.bound, region.absolute_bound),
            None => outside,
        }
    }

    /// The region of the element at a position in C order: its number and 1 more, or 0.
    pub fn at(&self, shape: &[u64], position: u64) -> u8 {
        let own = self.0.iter().rposition(|region| region.place.contains(shape, position));
        own.map_or(0, |number| number as u8 + 1)
    }

    /// The same of every `step`th point of the rows and columns of a plane; what lies outside of the field is in none.
    pub fn of_plane(&self, grid: &Grid, place: Place, size: PlaneSize, step: usize) -> Vec<u8> {
        let rows = (0..size.rows).step_by(step);
        let points = rows.flat_map(|row| (0..size.columns).step_by(step).map(move |c| (row, c)));
        let region = |(row, column)| {
            let position = grid.position(place.axis, place.plane, row, column);
            position.map_or(0, |position| self.at(grid.shape(), position))
        };
        points.map(region).collect()
    }
}

/// What a bound allows; `absolute` is the absolute bound used.
pub fn limit(bound: Bound, absolute: f64) -> Limit {
    match bound {
        Bound::Relative { eps, floor } => Limit { absolute: floor, relative: eps },
        _ => absolute.into(),
    }
}

#[cfg(test)]
mod tests {
    use fsz::{Codec, CompressOptions, DType, Region, Stream};

    use super::*;

    #[test]
    fn each_point_of_a_plane_has_its_region_and_bound() {
        let (shape, data) = ([4, 6, 8], vec![1f32; 192]);
        let relative = Bound::Relative { eps: 0.1, floor: 0.5 };
        let options = CompressOptions::new(Bound::Absolute(1.0))
            .region(Region::in_box(&[1, 2, 3], &[2, 3, 2], Bound::Absolute(0.25)))
            .region(Region::where_set((0..192).map(|i| i % 8 == 4).collect(), relative));
        let mut bytes = vec![0; options.max_compressed_len(&shape, DType::F32).unwrap() as usize];
        let len = Codec::cpu().compress_into(&data, &shape, &options, &mut bytes).unwrap();
        let regions = Regions::new(Stream::open(&bytes[..len]).unwrap().regions());
        assert!(!regions.is_empty() && Regions::default().is_empty());

        let grid = Grid::new(&shape);
        let of = |axis, plane, step| {
            regions.of_plane(&grid, Place { axis, plane }, grid.plane(axis), step)
        };
        let outside = |row: usize, column: usize| u8::from(column == 4) * 2 * u8::from(row < 6);
        for (at, region) in of(0, 1, 1).into_iter().enumerate() {
            let (row, column) = (at / 8, at % 8);
            let inside = (2..5).contains(&row) && column == 3;
            assert_eq!(region, if inside { 1 } else { outside(row, column) });
        }
        assert!(of(0, 3, 1).iter().enumerate().all(|(at, &r)| r == outside(at / 8, at % 8)));
        // Rows are planes of the slowest axis, columns the axis in the middle.
        assert_eq!(of(2, 3, 1)[6..12], [0, 0, 1, 1, 1, 0]);
        assert_eq!(of(2, 3, 2), [0, 0, 0, 0, 1, 1]);
        let limits = [0, 1, 2, 9].map(|region| regions.limit(region, 2.0.into()));
        let relative = Limit { absolute: 0.5, relative: 0.1 };
        assert_eq!(limits, [2.0.into(), 0.25.into(), relative, 2.0.into()]);
    }
}
