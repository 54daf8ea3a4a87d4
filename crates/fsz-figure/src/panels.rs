//! A picture of slices: panels in a row, each with a title and a legend below.

use ab_glyph::InvalidFont;

use crate::canvas::{Canvas, Rect, Rgb};
use crate::number::typeset;
use crate::palette::Palette;
use crate::text::{Anchor, Label, Type};

const BACKGROUND: Rgb = Rgb::hex(0xff_ffff);
const INK: Rgb = Rgb::hex(0x1d_2330);
const MUTED: Rgb = Rgb::hex(0x5b_6472);
const EDGE: Rgb = Rgb::hex(0xc9_ced6);

const MARGIN: usize = 48;
const GAP: usize = 40;
const SIDE: usize = 384;
const PANELS_TOP: usize = 178;
const LEGEND_TOP: usize = PANELS_TOP + SIDE + 18;
const HEIGHT: usize = LEGEND_TOP + 150;

/// A slice as a grid of cells, row by row from the top.
#[derive(Clone, Debug)]
pub struct Grid<T> {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// The cells.
    pub cells: Vec<T>,
}

/// How the cells of a panel become colours, and what stands below it.
#[derive(Debug)]
pub enum Content {
    /// Values on a palette from `low` to `high`, under it a colour bar with its label.
    Values {
        /// The values.
        grid: Grid<f64>,
        /// Their colours.
        palette: Palette,
        /// The value of the first colour.
        low: f64,
        /// The value of the last colour.
        high: f64,
        /// What the values are.
        label: String,
    },
    /// Each cell an index into `classes`, under it the list of them and a label.
    Classes {
        /// The indices.
        grid: Grid<usize>,
        /// What they stand for.
        classes: Vec<Class>,
        /// What is to be known of the classes.
        label: String,
    },
}

/// One entry of a class legend.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Its colour.
    pub colour: Rgb,
}

/// A slice with its title.
#[derive(Debug)]
pub struct Panel {
    /// What stands above it.
    pub title: String,
    /// What it shows.
    pub content: Content,
}

/// Draws a heading, a line below it, and the panels side by side.
///
/// # Errors
/// As [`Type::load`].
pub fn draw(heading: &str, line: &str, panels: &[Panel]) -> Result<Canvas, InvalidFont> {
    let font = Type::load()?;
    let width = 2 * MARGIN + panels.len() * (SIDE + GAP) - GAP;
    let mut canvas = Canvas::new(width, HEIGHT, BACKGROUND);
    let text = |canvas: &mut Canvas, text: &str, y, size, colour| {
        font.draw(canvas, &Label { text, x: MARGIN, y, size, colour, anchor: Anchor::Left });
    };
    text(&mut canvas, heading, 36, 42.0, INK);
    text(&mut canvas, line, 88, 25.0, MUTED);
    for (i, panel) in panels.iter().enumerate() {
        let x = MARGIN + i * (SIDE + GAP);
        let title =
            Label { text: &panel.title, x, y: 142, size: 26.0, colour: INK, anchor: Anchor::Left };
        font.draw(&mut canvas, &title);
        let area = Rect { x, y: PANELS_TOP, width: SIDE, height: SIDE };
        match &panel.content {
            Content::Values { grid, palette, low, high, label } => {
                cells(&mut canvas, area, grid, |v| coloured(*palette, *low, *high, *v));
                colour_bar(&mut canvas, &font, x, *palette, (*low, *high), label);
            }
            Content::Classes { grid, classes, label } => {
                cells(&mut canvas, area, grid, |c| classes.get(*c).map_or(EDGE, |c| c.colour));
                class_legend(&mut canvas, &font, x, classes, label);
            }
        }
        canvas.frame(area.grown(1), 1, EDGE);
    }
    Ok(canvas)
}

/// Stretches the cells over the area; no smoothing, because a cell is what one looks at.
fn cells<T>(canvas: &mut Canvas, area: Rect, grid: &Grid<T>, colour: impl Fn(&T) -> Rgb) {
    canvas.fill_with(area, |x, y| {
        let row = y * grid.rows / area.height;
        let column = x * grid.columns / area.width;
        grid.cells.get(row * grid.columns + column).map_or(EDGE, &colour)
    });
}

/// Values that are not numbers stay grey.
fn coloured(palette: Palette, low: f64, high: f64, value: f64) -> Rgb {
    let place = if high > low { (value - low) / (high - low) } else { 0.5 };
    if place.is_nan() { EDGE } else { palette(place.clamp(0.0, 1.0)) }
}

fn colour_bar(
    canvas: &mut Canvas,
    font: &Type,
    x: usize,
    palette: Palette,
    (low, high): (f64, f64),
    label: &str,
) {
    let bar = Rect { x, y: LEGEND_TOP, width: SIDE, height: 16 };
    canvas.fill_with(bar, |dx, _| coloured(palette, 0.0, 1.0, dx as f64 / (SIDE - 1) as f64));
    canvas.frame(bar.grown(1), 1, EDGE);
    let ticks = [
        (low, x, Anchor::Left),
        ((low + high) / 2.0, x + SIDE / 2, Anchor::Middle),
        (high, x + SIDE, Anchor::Right),
    ];
    for (value, x, anchor) in ticks {
        // Next to the other ticks, a millionth of the range is nothing.
        let text =
            &if value.abs() < 1e-6 * (high - low) { typeset(0.0, 3) } else { typeset(value, 3) };
        let y = bar.bottom() + 6;
        font.draw(canvas, &Label { text, x, y, size: 22.0, colour: MUTED, anchor });
    }
    let y = bar.bottom() + 36;
    let anchor = Anchor::Left;
    font.draw(canvas, &Label { text: label, x, y, size: 22.0, colour: MUTED, anchor });
}

/// Two columns of coloured squares with their names, and the label below.
fn class_legend(canvas: &mut Canvas, font: &Type, x: usize, classes: &[Class], label: &str) {
    for (i, class) in classes.iter().enumerate() {
        let x = x + i % 2 * (SIDE / 2);
        let y = LEGEND_TOP + i / 2 * 29;
        let swatch = Rect { x, y: y + 2, width: 18, height: 18 };
        canvas.fill(swatch, class.colour);
        canvas.frame(swatch.grown(1), 1, EDGE);
        let text = &class.name;
        let anchor = Anchor::Left;
        font.draw(canvas, &Label { text, x: x + 26, y: y + 1, size: 19.0, colour: INK, anchor });
    }
    let y = LEGEND_TOP + classes.len().div_ceil(2) * 29;
    let anchor = Anchor::Left;
    font.draw(canvas, &Label { text: label, x, y, size: 22.0, colour: MUTED, anchor });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_fill_the_panel_from_the_top_left() {
        let colours = [Rgb::hex(0x11_2233), Rgb::hex(0x44_5566)];
        let classes = colours.map(|colour| Class { name: "class".into(), colour }).to_vec();
        let grid = Grid { rows: 2, columns: 2, cells: vec![0, 1, 1, 0] };
        let panel = Panel {
            title: "t".into(),
            content: Content::Classes { grid, classes, label: String::new() },
        };
        let canvas = draw("heading", "line", &[panel]).unwrap();
        let at = |fx: usize, fy: usize| canvas.pixel(MARGIN + fx, PANELS_TOP + fy).unwrap();
        assert_eq!(at(0, 0), colours[0]);
        assert_eq!(at(SIDE - 1, 0), colours[1]);
        assert_eq!(at(SIDE - 1, SIDE - 1), colours[0]);
    }

    #[test]
    fn a_flat_field_and_nan_have_a_colour() {
        let palette: Palette = |place| Rgb([(place * 100.0) as u8; 3]);
        assert_eq!(coloured(palette, 1.0, 1.0, 1.0), Rgb([50; 3]));
        assert_eq!(coloured(palette, 0.0, 1.0, f64::NAN), EDGE);
    }
}
