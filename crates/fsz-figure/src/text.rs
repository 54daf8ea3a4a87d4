//! Text on a canvas, in the font that the viewer uses too.

use ab_glyph::{Font, FontRef, InvalidFont, PxScale, ScaleFont, point};
use epaint_default_fonts::UBUNTU_LIGHT;

use crate::canvas::{Canvas, Rgb};

/// Which end of the text lies at the given place.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// Its start.
    Left,
    /// Its middle.
    Middle,
    /// Its end.
    Right,
}

/// One line of text.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// What is written.
    pub text: &'a str,
    /// The column of its anchor.
    pub x: usize,
    /// The row of its upper edge.
    pub y: usize,
    /// Pixels from ascent to descent.
    pub size: f32,
    /// Its colour.
    pub colour: Rgb,
    /// Which end of it lies at `x`.
    pub anchor: Anchor,
}

/// A loaded font.
#[derive(Debug)]
pub struct Type {
    font: FontRef<'static>,
}

impl Type {
    /// The font inside this program.
    ///
    /// # Errors
    /// When it is damaged, and the program with it.
    pub fn load() -> Result<Type, InvalidFont> {
        Ok(Type { font: FontRef::try_from_slice(UBUNTU_LIGHT)? })
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
            let inked = |x: usize| (0..30).any(|y| canvas.pixel(x, y) != Some(black));
            assert!((0..100).any(inked));
            assert!((0..100).filter(|&x| inked(x)).all(|x| (left..=right).contains(&x)));
        }
    }
}
