//! Canvases of one size as a PNG file that moves.

use std::io::{self, Write};

use crate::canvas::{Canvas, Rgb};

/// A PNG file (APNG) that is written frame by frame and plays for ever. Programs that know no animation show its first
/// frame.
pub struct Animation<W: Write> {
    writer: png::Writer<W>,
    size: (usize, usize),
}

impl<W: Write> std::fmt::Debug for Animation<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Animation").field("size", &self.size).finish_non_exhaustive()
    }
}

impl<W: Write> Animation<W> {
    /// Begins a file of so many frames of this width and height, each shown for a part of a second.
    ///
    /// # Errors
    /// When a side or the number of frames is 0 or more than PNG takes, or `out` cannot be written to.
    pub fn new(
        out: W,
        size: (usize, usize),
        frames: u32,
        per_second: u16,
    ) -> io::Result<Animation<W>> {
        let side = |n: usize| u32::try_from(n).map_err(io::Error::other);
        let mut encoder = png::Encoder::new(out, side(size.0)?, side(size.1)?);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_color(png::ColorType::Rgb);
        encoder.validate_sequence(true);
        encoder.set_animated(frames, 0)?;
        encoder.set_frame_delay(1, per_second)?;
        Ok(Animation { writer: encoder.write_header()?, size })
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// When it has another size than the others, there are more than were announced, or it cannot be written.
    pub fn add(&mut self, frame: &Canvas) -> io::Result<()> {
        if frame.size() != self.size {
            return Err(io::Error::other("all frames have one size"));
        }
        let (width, height) = self.size;
        let point = |i: usize| frame.pixel(i % width, i / width).unwrap_or(Rgb::hex(0)).0;
        let data: Vec<u8> = (0..width * height).flat_map(point).collect();
        Ok(self.writer.write_image_data(&data)?)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When there are fewer frames than were announced, or it cannot be written.
    pub fn finish(self) -> io::Result<()> {
        Ok(self.writer.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Rect;

    fn frame(colour: u32) -> Canvas {
        let mut canvas = Canvas::new(7, 5, Rgb::hex(0xff_ffff));
        canvas.fill(Rect { x: 1, y: 1, width: 3, height: 2 }, Rgb::hex(colour));
        canvas
    }

    #[test]
    fn frames_come_back_in_their_order() {
        let colours = [0xff_0000, 0x00_ff00, 0x12_3456];
        let mut file = Vec::new();
        let mut animation = Animation::new(&mut file, (7, 5), 3, 24).unwrap();
        colours.iter().for_each(|&colour| animation.add(&frame(colour)).unwrap());
        assert!(animation.add(&Canvas::new(7, 6, Rgb::hex(0))).is_err());
        animation.finish().unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(&file)).read_info().unwrap();
        let control = reader.info().animation_control.expect("it is animated");
        assert_eq!((control.num_frames, control.num_plays), (3, 0));
        let mut points = vec![0; reader.output_buffer_size().unwrap()];
        for colour in colours {
            reader.next_frame(&mut points).unwrap();
            assert_eq!(points[(7 + 1) * 3..][..3], Rgb::hex(colour).0);
            let delay = reader.info().frame_control.expect("its own");
            assert_eq!((delay.delay_num, delay.delay_den), (1, 24));
        }
    }

    #[test]
    fn a_file_without_frames_or_with_too_few_is_refused() {
        assert!(Animation::new(Vec::new(), (7, 5), 0, 24).is_err());
        assert!(Animation::new(Vec::new(), (0, 5), 1, 24).is_err());
        let mut animation = Animation::new(Vec::new(), (7, 5), 2, 24).unwrap();
        animation.add(&frame(1)).unwrap();
        assert!(animation.finish().is_err());
    }
}
