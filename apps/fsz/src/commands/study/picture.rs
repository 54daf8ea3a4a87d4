//! The matched-ratio comparison: FSZ beside fixed-rate zfp of the same size, on one slice.

use fsz::{Research, Stream};
use fsz_field::Scalar;
use fsz_metrics::{Class, Sample};
use image::{ImageFormat, Rgb, RgbImage};

use super::measure::{Decoded, Subject};
use super::record::{Matched, Panel};
use crate::failure::{Failure, Result};

/// Pixels across a picture, and at most down.
const WIDTH: usize = 360;
const MOST_HEIGHT: usize = 480;
/// Values on a side of the zoomed part.
const ZOOM: usize = 48;
const FRAME: Rgb<u8> = Rgb([255, 255, 255]);
const NO_NUMBER: Rgb<u8> = Rgb([128, 128, 128]);

/// The panels: original, FSZ, and zfp where it is built in; none for a field without slices.
pub fn matched<T: Scalar + Sample>(
    subject: &Subject<'_, T>,
    bound: f64,
) -> Result<Option<Matched>> {
    let Some(slice) = Slice::middle(subject) else { return Ok(None) };
    let bytes = subject.compress(bound, Research::default())?;
    let stream = Stream::open(&bytes)?;
    let absolute = stream.info().header().absolute_bound;
    let mut decoded = vec![T::default(); subject.values.len()];
    subject.plan.codec.decompress_into(&stream, &mut decoded)?;
    let original = size_of_val(subject.values) as u64;
    let original = Decoded { codec: "original", bytes: original, values: subject.values };
    let fsz = Decoded { codec: "fsz", bytes: bytes.len() as u64, values: &decoded };
    let mut panels = vec![panel(subject, &slice, &original, absolute)?];
    panels.push(panel(subject, &slice, &fsz, absolute)?);
    #[cfg(feature = "zfp")]
    if subject.zfp_takes(absolute) {
        let rate = 8.0 * bytes.len() as f64 / subject.values.len() as f64;
        let len = subject.zfp(fsz_field::zfp::Mode::Rate(rate), &mut decoded)?;
        let zfp = Decoded { codec: "zfp-rate", bytes: len as u64, values: &decoded };
        panels.push(panel(subject, &slice, &zfp, absolute)?);
    }
    Ok(Some(Matched { bound, axis: 0, index: slice.index, panels }))
}

fn panel<T: Scalar + Sample>(
    subject: &Subject<'_, T>,
    slice: &Slice,
    found: &Decoded<'_, T>,
    bound: f64,
) -> Result<Panel> {
    let c = fsz_metrics::compare(subject.values, found.values, &subject.missing, Some(bound))?;
    let plane = &found.values[slice.start..][..slice.rows * slice.columns];
    let number = |v: T| (subject.missing.class(v) == Class::Finite).then(|| Sample::to_f64(v));
    let numbers: Vec<Option<f64>> = plane.iter().map(|&v| number(v)).collect();
    Ok(Panel {
        codec: found.codec.to_owned(),
        ratio: subject.over(found.bytes),
        psnr: c.psnr(),
        beyond: c.violation_share().unwrap_or(0.0),
        png: base64(&slice.png(&numbers)?),
    })
}

/// A plane of the last two axes.
struct Slice {
    start: usize,
    index: usize,
    rows: usize,
    columns: usize,
    /// What the colours span.
    range: (f64, f64),
    /// First row and column of the part to zoom into, and its side.
    zoom: (usize, usize, usize),
}

impl Slice {
    /// The middle one; none where the last two axes are no picture.
    fn middle<T: Scalar + Sample>(subject: &Subject<'_, T>) -> Option<Slice> {
        let shape = subject.field.shape().indices().ok()?;
        let [.., rows, columns] = shape[..] else { return None };
        if rows < 8 || columns < 8 {
            return None;
        }
        let index = shape[..shape.len() - 2].iter().product::<usize>() / 2;
        let start = index * rows * columns;
        let plane = &subject.values[start..][..rows * columns];
        let numbers: Vec<f64> = plane
            .iter()
            .map(|&v| match subject.missing.class(v) {
                Class::Finite => Sample::to_f64(v),
                _ => f64::NAN,
            })
            .collect();
        let range = numbers
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
        let zoom = liveliest(&numbers, rows, columns);
        Some(Slice { start, index, rows, columns, range, zoom })
    }

    fn png(&self, plane: &[Option<f64>]) -> Result<Vec<u8>> {
        let height = (WIDTH * self.rows / self.columns).clamp(40, MOST_HEIGHT);
        let mut picture = RgbImage::new(WIDTH as u32, height as u32);
        let colour = |row: usize, column: usize| {
            plane[row * self.columns + column].map_or(NO_NUMBER, |v| self.colour(v))
        };
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            let (row, column) =
                (y as usize * self.rows / height, x as usize * self.columns / WIDTH);
            *pixel = colour(row, column);
        }
        let (row, column, side) = self.zoom;
        let (top, left) = (row * height / self.rows, column * WIDTH / self.columns);
        let (down, across) = (side * height / self.rows, side * WIDTH / self.columns);
        frame(&mut picture, left, top, across.max(3), down.max(3));
        // The inset goes to the corner that is farther from what it shows.
        let inset = (2 * WIDTH / 5).min(3 * height / 5);
        let x0 = if left + across / 2 > WIDTH / 2 { 0 } else { WIDTH - inset };
        let y0 = if top + down / 2 > height / 2 { 0 } else { height - inset };
        for y in 0..inset {
            for x in 0..inset {
                let (row, column) = (row + y * side / inset, column + x * side / inset);
                picture.put_pixel((x0 + x) as u32, (y0 + y) as u32, colour(row, column));
            }
        }
        frame(&mut picture, x0, y0, inset, inset);
        let mut bytes = std::io::Cursor::new(Vec::new());
        let written = picture.write_to(&mut bytes, ImageFormat::Png);
        written.map_err(|error| Failure::Message(format!("cannot write a picture: {error}")))?;
        Ok(bytes.into_inner())
    }

    fn colour(&self, value: f64) -> Rgb<u8> {
        let (low, high) = self.range;
        let place = if high > low { (value - low) / (high - low) } else { 0.5 };
        let c = colorous::VIRIDIS.eval_continuous(place.clamp(0.0, 1.0));
        Rgb([c.r, c.g, c.b])
    }
}

/// The square with the largest sum of differences along its rows, among those on a coarse grid
/// that hold numbers alone (else the first).
fn liveliest(plane: &[f64], rows: usize, columns: usize) -> (usize, usize, usize) {
    let side = ZOOM.min(rows / 2).min(columns / 2);
    let step = (side / 2).max(1);
    let mut best = (0, 0, f64::NEG_INFINITY);
    for row in (0..=rows - side).step_by(step) {
        for column in (0..=columns - side).step_by(step) {
            let lines = (row..row + side).map(|r| &plane[r * columns + column..][..side]);
            let sum: f64 = lines.flat_map(|l| l.windows(2).map(|p| (p[1] - p[0]).abs())).sum();
            if sum > best.2 {
                best = (row, column, sum);
            }
        }
    }
    (best.0, best.1, side)
}

fn frame(picture: &mut RgbImage, left: usize, top: usize, across: usize, down: usize) {
    let (right, bottom) = (left + across - 1, top + down - 1);
    let mut put = |x: usize, y: usize| {
        if let Some(pixel) = picture.get_pixel_mut_checked(x as u32, y as u32) {
            *pixel = FRAME;
        }
    };
    (left..=right).for_each(|x| [top, top + 1, bottom].into_iter().for_each(|y| put(x, y)));
    (top..=bottom).for_each(|y| [left, left + 1, right].into_iter().for_each(|x| put(x, y)));
}

/// RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word =
            three.iter().enumerate().fold(0u32, |w, (i, &b)| w | u32::from(b) << (16 - 8 * i));
        for digit in 0..4 {
            let used = digit <= three.len();
            let place = (word >> (18 - 6 * digit)) as usize & 63;
            text.push(if used { DIGITS[place] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_rfc() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn the_zoom_goes_where_something_happens() {
        let mut plane = vec![0.0; 96 * 96];
        for i in 0..20 {
            plane[(60 + i) * 96 + 70 + i % 2] = 1.0;
        }
        let (row, column, side) = liveliest(&plane, 96, 96);
        assert_eq!(side, 48);
        assert!((32..=60).contains(&row) && (22..=70).contains(&column), "{row} {column}");
    }
}
