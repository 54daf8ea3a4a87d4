//! Small PNG pictures of one palette, to stand inside a page.

use crate::failure::{Failure, Result};

/// Colours of a scale: more cannot be told apart, and would make the files larger.
const SCALE: u8 = 126;
/// Index of the frames' white.
pub const FRAME: u8 = SCALE;
/// Index of the grey of what is no number.
pub const NO_NUMBER: u8 = SCALE + 1;

/// Rows of palette indices.
#[derive(Debug)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    /// A picture whose pixel at (x, y) is `pixel(x, y)`.
    pub fn new(width: usize, height: usize, mut pixel: impl FnMut(usize, usize) -> u8) -> Picture {
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Picture { width, height, pixels: places.map(|(x, y)| pixel(x, y)).collect() }
    }

    /// Sets a pixel; nothing happens outside.
    pub fn put(&mut self, x: usize, y: usize, index: u8) {
        if x < self.width && y < self.height {
            self.pixels[y * self.width + x] = index;
        }
    }

    /// The outline of a rectangle, two pixels wide, which shows on any size of screen.
    pub fn frame(&mut self, left: usize, top: usize, across: usize, down: usize) {
        let (right, bottom) = (left + across.max(2) - 1, top + down.max(2) - 1);
        for x in left..=right {
            [top, top + 1, bottom - 1, bottom].into_iter().for_each(|y| self.put(x, y, FRAME));
        }
        for y in top..=bottom {
            [left, left + 1, right - 1, right].into_iter().for_each(|x| self.put(x, y, FRAME));
        }
    }

    /// The file, in base64.
    pub fn base64(&self) -> Result<String> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes)
            .map_err(|error| Failure::Message(format!("cannot write a picture: {error}")))?;
        Ok(base64(&bytes))
    }

    fn encode(&self, bytes: &mut Vec<u8>) -> std::result::Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(palette());
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
        encoder.write_header()?.write_image_data(&self.pixels)
    }
}

/// Index of a value on a scale from `range.0` to `range.1`; NaN is no number.
pub fn index(value: f64, range: (f64, f64)) -> u8 {
    let (low, high) = range;
    if value.is_nan() {
        return NO_NUMBER;
    }
    let place = if high > low { (value - low) / (high - low) } else { 0.5 };
    (place.clamp(0.0, 1.0) * f64::from(SCALE - 1)).round() as u8
}

/// Viridis, white and grey.
fn palette() -> Vec<u8> {
    let scale = (0..SCALE).flat_map(|i| {
        let c = colorous::VIRIDIS.eval_rational(i.into(), SCALE.into());
        [c.r, c.g, c.b]
    });
    scale.chain([255; 3]).chain([128; 3]).collect()
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
    fn the_file_holds_the_colours() {
        let mut picture = Picture::new(8, 6, |x, _| index(x as f64, (0.0, 7.0)));
        picture.frame(2, 1, 4, 4);
        let mut bytes = Vec::new();
        picture.encode(&mut bytes).unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().unwrap();
        assert_eq!(reader.info().palette.as_ref().map(|p| p.len()), Some(3 * 128));
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels[..8], [0, 18, 36, 54, 71, 89, 107, 125]);
        assert_eq!(pixels[8..16], [0, 18, 126, 126, 126, 126, 107, 125]);
    }

    #[test]
    fn values_have_places_on_the_scale() {
        let places = [-1.0, 0.0, 0.5, 1.0, 2.0, f64::NAN].map(|v| index(v, (0.0, 1.0)));
        assert_eq!(places, [0, 0, 63, 125, 125, NO_NUMBER]);
        assert_eq!(index(3.0, (3.0, 3.0)), 63);
    }
}
