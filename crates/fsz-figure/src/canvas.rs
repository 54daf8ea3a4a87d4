//! An RGB image that shapes and text are drawn on.

use std::collections::BTreeMap;
use std::io;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// An sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rgb(pub [u8; 3]);

impl Rgb {
    /// From a literal such as `0x1f5a92`.
    pub const fn hex(value: u32) -> Rgb {
        Rgb([(value >> 16) as u8, (value >> 8) as u8, value as u8])
    }
}

impl From<colorous::Color> for Rgb {
    fn from(c: colorous::Color) -> Rgb {
        Rgb([c.r, c.g, c.b])
    }
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Rect {
    /// The left column.
    pub x: usize,
    /// The top row.
    pub y: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Rect {
    /// The first row below.
    pub fn bottom(&self) -> usize {
        self.y + self.height
    }

    /// The rectangle with a border of so many pixels around it.
    pub fn grown(&self, border: usize) -> Rect {
        let (x, y) = (self.x.saturating_sub(border), self.y.saturating_sub(border));
        Rect { x, y, width: self.width + 2 * border, height: self.height + 2 * border }
    }
}

/// The image. Drawing outside of it does nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

impl Canvas {
    /// An image of one colour.
    pub fn new(width: usize, height: usize, background: Rgb) -> Canvas {
        Canvas { width, height, pixels: vec![background; width * height] }
    }

    /// Columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The colour at a place; none outside.
    pub fn pixel(&self, x: usize, y: usize) -> Option<Rgb> {
        (x < self.width).then(|| self.pixels.get(y * self.width + x).copied()).flatten()
    }

    /// Mixes a colour into one pixel: 0 leaves it, 1 replaces it.
    pub fn blend(&mut self, x: usize, y: usize, colour: Rgb, share: f32) {
        if x >= self.width || y >= self.height {
            return;
        }
        let share = share.clamp(0.0, 1.0);
        let pixel = &mut self.pixels[y * self.width + x];
        for (old, new) in pixel.0.iter_mut().zip(colour.0) {
            *old = (f32::from(*old) * (1.0 - share) + f32::from(new) * share).round() as u8;
        }
    }

    /// Fills a rectangle with what `colour` says for each pixel, counted from its corner.
    pub fn fill_with(&mut self, rect: Rect, colour: impl Fn(usize, usize) -> Rgb) {
        for y in 0..rect.height.min(self.height.saturating_sub(rect.y)) {
            for x in 0..rect.width.min(self.width.saturating_sub(rect.x)) {
                self.pixels[(rect.y + y) * self.width + rect.x + x] = colour(x, y);
            }
        }
    }

    /// Fills a rectangle.
    pub fn fill(&mut self, rect: Rect, colour: Rgb) {
        self.fill_with(rect, |_, _| colour);
    }

    /// The edge of a rectangle, so many pixels wide.
    pub fn frame(&mut self, rect: Rect, line: usize, colour: Rgb) {
        let Rect { x, y, width, height } = rect;
        let (right, bottom) = ((x + width).saturating_sub(line), (y + height).saturating_sub(line));
        self.fill(Rect { height: line, ..rect }, colour);
        self.fill(Rect { y: bottom, height: line, ..rect }, colour);
        self.fill(Rect { x, y, width: line, height }, colour);
        self.fill(Rect { x: right, y, width: line, height }, colour);
    }

    /// A PNG file: indexed when there are at most 256 colours, which makes it smaller.
    ///
    /// # Errors
    /// When the image is empty or too large for the format.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let size = |n: usize| u32::try_from(n).map_err(io::Error::other);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size(self.width)?, size(self.height)?);
        encoder.set_depth(png::BitDepth::Eight);
        let data: Vec<u8> = match self.indexed() {
            Some((colours, indices)) => {
                encoder.set_color(png::ColorType::Indexed);
                encoder.set_palette(colours.as_flattened().to_vec());
                encoder.set_filter(png::Filter::NoFilter);
                indices
            }
            None => {
                encoder.set_color(png::ColorType::Rgb);
                self.pixels.iter().flat_map(|pixel| pixel.0).collect()
            }
        };
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&data)?;
        writer.finish()?;
        Ok(bytes)
    }

    /// The PNG file as a `data:` URL, to stand inside a page.
    ///
    /// # Errors
    /// As [`png`](Self::png).
    pub fn data_url(&self) -> io::Result<String> {
        Ok(format!("data:image/png;base64,{}", BASE64_STANDARD.encode(self.png()?)))
    }

    /// All colours and the pixels' indices among them; none when one byte cannot tell them.
    fn indexed(&self) -> Option<(Vec<[u8; 3]>, Vec<u8>)> {
        let mut colours: BTreeMap<Rgb, u8> = BTreeMap::new();
        for pixel in &self.pixels {
            if let Ok(next) = u8::try_from(colours.len()) {
                colours.entry(*pixel).or_insert(next);
            } else if !colours.contains_key(pixel) {
                return None;
            }
        }
        let mut table = vec![[0; 3]; colours.len()];
        colours.iter().for_each(|(colour, &index)| table[usize::from(index)] = colour.0);
        Some((table, self.pixels.iter().map(|pixel| colours[pixel]).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_outside_is_ignored() {
        let white = Rgb::hex(0xff_ffff);
        let mut canvas = Canvas::new(4, 3, white);
        canvas.fill(Rect { x: 2, y: 1, width: 9, height: 9 }, Rgb::hex(0));
        assert_eq!(canvas.pixel(3, 2), Some(Rgb::hex(0)));
        assert_eq!(canvas.pixel(1, 2), Some(white));
        assert_eq!(canvas.pixel(4, 0), None);
        let whole = Rect { x: 0, y: 0, width: 4, height: 3 };
        canvas.frame(whole.grown(1), 1, Rgb::hex(0x12_3456));
    }

    #[test]
    fn a_frame_lies_inside_its_rectangle() {
        let mut canvas = Canvas::new(8, 8, Rgb::hex(0));
        let ink = Rgb::hex(0xff_ffff);
        canvas.frame(Rect { x: 1, y: 1, width: 6, height: 6 }, 2, ink);
        let inked: Vec<bool> = (0..8).map(|x| canvas.pixel(x, 3) == Some(ink)).collect();
        assert_eq!(inked, [false, true, true, false, false, true, true, false]);
        assert_eq!(canvas.pixel(3, 6), Some(ink));
    }

    #[test]
    fn blending_mixes_in_proportion() {
        let mut canvas = Canvas::new(1, 1, Rgb::hex(0));
        canvas.blend(0, 0, Rgb::hex(0xff_ffff), 0.5);
        assert_eq!(canvas.pixel(0, 0), Some(Rgb([128; 3])));
    }

    #[test]
    fn files_hold_the_pixels_however_many_colours() {
        for (colours, kind) in [(256, png::ColorType::Indexed), (257, png::ColorType::Rgb)] {
            let mut canvas = Canvas::new(20, 13, Rgb::hex(0));
            let whole = Rect { x: 0, y: 0, width: 20, height: 13 };
            canvas.fill_with(whole, |x, y| Rgb::hex(((20 * y + x) % colours) as u32));
            let file = canvas.png().unwrap();
            let mut decoder = png::Decoder::new(io::Cursor::new(&file));
            assert_eq!(decoder.read_header_info().unwrap().color_type, kind);
            decoder.set_transformations(png::Transformations::EXPAND);
            let mut reader = decoder.read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            let wanted: Vec<u8> = canvas.pixels.iter().flat_map(|pixel| pixel.0).collect();
            assert_eq!(pixels, wanted);
            assert!(canvas.data_url().unwrap().starts_with("data:image/png;base64,iVBORw0KGgo"));
        }
    }
}
