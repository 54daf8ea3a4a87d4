//! An RGB image that shapes and text are drawn on.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// An sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

impl Rgb {
    /// From a literal such as `0x1f5a92`.
    pub const fn hex(value: u32) -> Self {
        Self([(value >> 16) as u8, (value >> 8) as u8, value as u8])
    }
}

impl From<colorous::Color> for Rgb {
    fn from(c: colorous::Color) -> Self {
        Self([c.r, c.g, c.b])
    }
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Rect {
    pub x: usize,
    pub y: usize,
    pub width: usize,
    pub height: usize,
}

impl Rect {
    pub fn bottom(&self) -> usize {
        self.y + self.height
    }
}

/// The image. Drawing outside of it does nothing.
#[derive(Debug)]
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

impl Canvas {
    pub fn new(width: usize, height: usize, background: Rgb) -> Self {
        Self { width, height, pixels: vec![background; width * height] }
    }

    /// The colour at a place inside the image.
    #[cfg(test)]
    pub fn pixel(&self, x: usize, y: usize) -> Rgb {
        self.pixels[y * self.width + x]
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
        for y in 0..rect.height {
            for x in 0..rect.width {
                self.blend(rect.x + x, rect.y + y, colour(x, y), 1.0);
            }
        }
    }

    pub fn fill(&mut self, rect: Rect, colour: Rgb) {
        self.fill_with(rect, |_, _| colour);
    }

    /// A line of one pixel around a rectangle, just outside of it.
    pub fn frame(&mut self, rect: Rect, colour: Rgb) {
        let Rect { x, y, width, height } = rect;
        let (left, top) = (x.saturating_sub(1), y.saturating_sub(1));
        self.fill(Rect { x: left, y: top, width: width + 2, height: 1 }, colour);
        self.fill(Rect { x: left, y: rect.bottom(), width: width + 2, height: 1 }, colour);
        self.fill(Rect { x: left, y, width: 1, height }, colour);
        self.fill(Rect { x: x + width, y, width: 1, height }, colour);
    }

    /// Writes it as a PNG.
    pub fn write_png(&self, path: &Path) -> Result<()> {
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let size = |n: usize| u32::try_from(n).context("the picture is too large for a PNG");
        let mut encoder =
            png::Encoder::new(BufWriter::new(file), size(self.width)?, size(self.height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let bytes: Vec<u8> = self.pixels.iter().flat_map(|p| p.0).collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        writer.finish().with_context(|| format!("cannot write {}", path.display()))
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
        assert_eq!(canvas.pixel(3, 2), Rgb::hex(0));
        assert_eq!(canvas.pixel(1, 2), white);
        canvas.frame(Rect { x: 0, y: 0, width: 4, height: 3 }, Rgb::hex(0x12_3456));
    }

    #[test]
    fn blending_mixes_in_proportion() {
        let mut canvas = Canvas::new(1, 1, Rgb::hex(0));
        canvas.blend(0, 0, Rgb::hex(0xff_ffff), 0.5);
        assert_eq!(canvas.pixel(0, 0), Rgb([128; 3]));
    }
}
