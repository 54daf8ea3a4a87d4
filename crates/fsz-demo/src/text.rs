//! Text on a canvas, in the font that the viewer uses too.

use crate::canvas::{Canvas, Rgb};
use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use anyhow::{Context, Result};
use epaint_default_fonts::UBUNTU_LIGHT;

/// Which end of the text lies at the given place.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    Left,
    Middle,
    Right,
}

/// One line of text: what, where (its upper edge is at `y`), how large, which colour.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    pub text: &'a str,
    pub x: usize,
    pub y: usize,
    pub size: f32,
    pub colour: Rgb,
    pub anchor: Anchor,
}

/// A loaded font.
#[derive(Debug)]
pub struct Type {
    font: FontRef<'static>,
}

impl Type {
    pub fn load() -> Result<Self> {
        let font =
            FontRef::try_from_slice(UBUNTU_LIGHT).context("the built-in font is unreadable")?;
        Ok(Self { font })
    }

    /// How wide a text of this size (pixels from ascent to descent) is.
    pub fn width(&self, text: &str, size: f32) -> f32 {
        let font = self.font.as_scaled(PxScale::from(size));
        let mut width = 0.0;
        let mut last = None;
        for glyph in text.chars().map(|c| font.glyph_id(c)) {
            width += last.map_or(0.0, |l| font.kern(l, glyph)) + font.h_advance(glyph);
            last = Some(glyph);
        }
        width
    }

    /// Draws one line.
    pub fn draw(&self, canvas: &mut Canvas, label: &Label) {
        let &Label { text, x, y, size, colour, anchor } = label;
        let font = self.font.as_scaled(PxScale::from(size));
        let shift = match anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => self.width(text, size) / 2.0,
            Anchor::Right => self.width(text, size),
        };
        let mut pen = x as f32 - shift;
        let mut last = None;
        for id in text.chars().map(|c| font.glyph_id(c)) {
            pen += last.map_or(0.0, |l| font.kern(l, id));
            let glyph = id.with_scale_and_position(size, point(pen, y as f32 + font.ascent()));
            if let Some(outline) = font.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                outline.draw(|dx, dy, coverage| {
                    let (px, py) = (corner.x + dx as f32, corner.y + dy as f32);
                    if px >= 0.0 && py >= 0.0 {
                        canvas.blend(px as usize, py as usize, colour, coverage);
                    }
                });
            }
            pen += font.h_advance(id);
            last = Some(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_lies_where_its_anchor_says() {
        let black = Rgb::hex(0);
        let font = Type::load().unwrap();
        for (anchor, left, right) in
            [(Anchor::Left, 50, 99), (Anchor::Middle, 20, 80), (Anchor::Right, 0, 50)]
        {
            let mut canvas = Canvas::new(100, 30, black);
            let colour = Rgb::hex(0xff_ffff);
            let label = Label { text: "HHHH", x: 50, y: 4, size: 20.0, colour, anchor };
            font.draw(&mut canvas, &label);
            let inked = |x: usize| (0..30).any(|y| canvas.pixel(x, y) != black);
            assert!((0..100).any(inked));
            assert!((0..100).filter(|&x| inked(x)).all(|x| (left..=right).contains(&x)));
        }
    }
}
