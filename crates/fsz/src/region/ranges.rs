//! Boxes as people write them.

use std::str::FromStr;

use super::Region;
use crate::{
    bound::Bound,
    error::{Error, Result},
};

/// A box as people write it: a range `START:END` for each axis, slowest first, `END` not included; `:` is a whole axis, a
/// number one plane. For example `0:10,:,64:128`.
///
/// ```
/// let ranges: fsz::BoxRanges = "0:10,:,7".parse()?;
/// assert_eq!(ranges.inside(&[20, 30, 40])?, (vec![0, 0, 7], vec![10, 30, 1]));
/// # Ok::<(), fsz::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxRanges(Vec<Side>);

/// What a box has of an axis: from the first element, to the one before the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Side(Option<u64>, Option<u64>);

impl FromStr for BoxRanges {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let sides = text.split(',').map(str::parse).collect::<Result<_>>()?;
        Ok(BoxRanges(sides))
    }
}

/// What a box is, for who wrote another thing.
const FORM: &str = "a box has START:END for each axis, separated by commas";

impl FromStr for Side {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text
                .parse::<u64>()
                .map(Some)
                .map_err(|_| Error::invalid(format!("{text:?} is not a whole number: {FORM}"))),
        };
        let side = match text.split_once(':') {
            Some((start, end)) => Side(number(start)?, number(end)?),
            None => match number(text)? {
                Some(plane) => Side(Some(plane), plane.checked_add(1)),
                None => {
                    return Err(Error::invalid("an axis without a range: write : for all of it"));
                }
            },
        };
        match side {
            Side(Some(start), Some(end)) if start > end => {
                Err(Error::invalid(format!("{start}:{end} ends before it begins")))
            }
            Side(start, Some(end)) if start.unwrap_or(0) == end => Err(Error::invalid(format!(
                "{} holds no element: END is not included",
                text.trim()
            ))),
            side => Ok(side),
        }
    }
}

impl BoxRanges {
    /// Its axes.
    pub fn dims(&self) -> usize {
        self.0.len()
    }

    /// Start and count along each axis in a field of this shape.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the field has another number of axes, the box is not inside it, or it holds no
    /// element of a field that has some.
    pub fn inside(&self, shape: &[u64]) -> Result<(Vec<u64>, Vec<u64>)> {
        self.check_dims(shape.len())?;
        let (mut start, mut count) = (Vec::new(), Vec::new());
        for (&Side(first, end), &n) in self.0.iter().zip(shape) {
            let (first, end) = (first.unwrap_or(0), end.unwrap_or(n));
            if first > end || end > n {
                return Err(Error::invalid(format!("{first}:{end} is not inside an axis of {n}")));
            }
            if first == end && n > 0 {
                return Err(Error::invalid(format!(
                    "{first}: holds no element of an axis of {n}: they are counted from 0"
                )));
            }
            start.push(first);
            count.push(end - first);
        }
        Ok((start, count))
    }

    /// The region that it makes of a part of a larger array, in which the part's `count` elements begin at `start`:
    /// what of the box lies in the part; `None` where that is nothing.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the array has another number of axes.
    pub fn in_part(&self, start: &[u64], count: &[u64], bound: Bound) -> Result<Option<Region>> {
        self.check_dims(count.len())?;
        let (mut from, mut own) = (Vec::new(), Vec::new());
        for (&Side(first, end), (&start, &n)) in self.0.iter().zip(start.iter().zip(count)) {
            let first = first.unwrap_or(0).saturating_sub(start);
            let end = end.map_or(n, |end| end.saturating_sub(start).min(n));
            if first >= end {
                return Ok(None);
            }
            from.push(first);
            own.push(end - first);
        }
        Ok(Some(Region::in_box(&from, &own, bound)))
    }

    fn check_dims(&self, dims: usize) -> Result<()> {
        if self.dims() == dims {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "a box with ranges for {} of {dims} axes: separate them by commas, and write : for a whole axis",
            self.dims()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::Place;

    #[test]
    fn boxes_are_ranges_of_axes() {
        let side = |a: Option<u64>, b: Option<u64>| Side(a, b);
        let told: BoxRanges = "2:10, :,7,5:,:3".parse().unwrap();
        let sides = [
            side(Some(2), Some(10)),
            side(None, None),
            side(Some(7), Some(8)),
            side(Some(5), None),
            side(None, Some(3)),
        ];
        assert_eq!(told, BoxRanges(sides.to_vec()));
        assert_eq!(told.dims(), 5);
        for wrong in ["a:3", "", "1,,2", "-1:2", "1:2:3", "3:2", "1:x", "3:3", ":0", "0:0"] {
            assert!(wrong.parse::<BoxRanges>().is_err(), "{wrong}");
        }
        for other in ["0:5 64:128", "0:5:2,:"] {
            let told = other.parse::<BoxRanges>().unwrap_err().to_string();
            assert!(told.contains("START:END for each axis, separated by commas"), "{told}");
        }
    }

    #[test]
    fn a_box_is_inside_a_field_or_refused() {
        let inside = |text: &str| text.parse::<BoxRanges>().unwrap().inside(&[6, 20]);
        assert_eq!(inside(":,3").unwrap(), (vec![0, 3], vec![6, 1]));
        for outside in ["0:7,:", "7:,:", "6:,:", ":,20", ":,20:", ":", ":,:,:"] {
            assert!(inside(outside).is_err(), "{outside}");
        }
        let told = inside("6:,:").unwrap_err().to_string();
        assert!(told.contains("6: holds no element of an axis of 6"), "{told}");
        let told = "3,7:7".parse::<BoxRanges>().unwrap_err().to_string();
        assert!(told.contains("7:7 holds no element: END is not included"), "{told}");
        let empty: BoxRanges = ":,0:,3".parse().unwrap();
        assert_eq!(empty.inside(&[2, 0, 5]).unwrap(), (vec![0, 0, 3], vec![2, 0, 1]));
    }

    #[test]
    fn parts_of_an_array_have_their_share_of_a_box() {
        let part = |text: &str, start: [u64; 2], count: [u64; 2]| {
            let ranges: BoxRanges = text.parse().unwrap();
            let region = ranges.in_part(&start, &count, Bound::Absolute(1.0)).unwrap();
            region.map(|region| match region.place {
                Place::Box { start, count } => (start, count),
                Place::Mask(_) => unreachable!(),
            })
        };
        assert_eq!(part("5:15,:", [0, 0], [10, 8]), Some((vec![5, 0], vec![5, 8])));
        assert_eq!(part("5:15,:", [10, 0], [10, 8]), Some((vec![0, 0], vec![5, 8])));
        assert_eq!(part("5:15,4:", [10, 2], [10, 8]), Some((vec![0, 2], vec![5, 6])));
        assert_eq!(part("5:15,:", [15, 0], [10, 8]), None);
        assert_eq!(part("5:15,:3", [0, 3], [10, 8]), None);
        assert_eq!(part("0:99,7", [0, 0], [10, 8]), Some((vec![0, 7], vec![10, 1])));
        let line: BoxRanges = ":".parse().unwrap();
        assert!(line.in_part(&[0, 0], &[1, 1], Bound::Absolute(1.0)).is_err());
    }
}
