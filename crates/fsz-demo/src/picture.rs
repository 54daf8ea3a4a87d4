//! The picture of one slice: four panels in a row, each with a title and a legend below.

use crate::canvas::{Canvas, Rect, Rgb};
use crate::text::{Anchor, Label, Type};
use anyhow::Result;

const BACKGROUND: Rgb = Rgb::hex(0xff_ffff);
const INK: Rgb = Rgb::hex(0x1d_2330);
const MUTED: Rgb = Rgb::hex(0x5b_6472);
const EDGE: Rgb = Rgb::hex(0xc9_ced6);

const MARGIN: usize = 48;
const GAP: usize = 40;
const SIDE: usize = 384;
const PANELS_TOP: usize = 178;
const LEGEND_TOP: usize = PANELS_TOP + SIDE + 18;
const HEIGHT: usize = LEGEND_TOP + 124;

/// A slice as a grid of cells, row by row from the top.
#[derive(Clone, Debug)]
pub struct Grid<T> {
    pub rows: usize,
    pub columns: usize,
    pub cells: Vec<T>,
}

/// A colour for each place from 0 to 1.
pub type Palette = fn(f64) -> Rgb;

/// How the cells of a panel become colours, and what stands below it.
#[derive(Debug)]
pub enum Content {
    /// Values on a palette from `low` to `high`, under it a colour bar with its label.
    Values { grid: Grid<f64>, palette: Palette, low: f64, high: f64, label: String },
    /// Each cell an index into `classes`, under it the list of them.
    Classes { grid: Grid<usize>, classes: Vec<Class> },
}

/// One entry of a class legend.
#[derive(Clone, Debug)]
pub struct Class {
    pub name: String,
    pub colour: Rgb,
}

#[derive(Debug)]
pub struct Panel {
    pub title: String,
    pub content: Content,
}

/// Draws a heading, a line below it, and the panels side by side.
pub fn draw(heading: &str, line: &str, panels: &[Panel]) -> Result<Canvas> {
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
            Content::Classes { grid, classes } => {
                cells(&mut canvas, area, grid, |c| classes.get(*c).map_or(EDGE, |c| c.colour));
                class_legend(&mut canvas, &font, x, classes);
            }
        }
        canvas.frame(area, EDGE);
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
    canvas.frame(bar, EDGE);
    let ticks = [
        (low, x, Anchor::Left),
        ((low + high) / 2.0, x + SIDE / 2, Anchor::Middle),
        (high, x + SIDE, Anchor::Right),
    ];
    for (value, x, anchor) in ticks {
        let text = &short(value);
        let y = bar.bottom() + 6;
        font.draw(canvas, &Label { text, x, y, size: 22.0, colour: MUTED, anchor });
    }
    let y = bar.bottom() + 36;
    let anchor = Anchor::Left;
    font.draw(canvas, &Label { text: label, x, y, size: 22.0, colour: MUTED, anchor });
}

/// Two columns of coloured squares with their names.
fn class_legend(canvas: &mut Canvas, font: &Type, x: usize, classes: &[Class]) {
    for (i, class) in classes.iter().enumerate() {
        let x = x + i % 2 * (SIDE / 2);
        let y = LEGEND_TOP + i / 2 * 29;
        let swatch = Rect { x, y: y + 2, width: 18, height: 18 };
        canvas.fill(swatch, class.colour);
        canvas.frame(swatch, EDGE);
        let text = &class.name;
        let anchor = Anchor::Left;
        font.draw(canvas, &Label { text, x: x + 26, y, size: 22.0, colour: INK, anchor });
    }
}

/// A number with three significant digits, small and large ones with an exponent.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_string();
    }
    let text = if !(1e-3..1e5).contains(&size) || size == 1e-3 {
        let text = format!("{value:.2e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{exponent}", trimmed(digits))
    } else {
        let decimals = (2 - size.log10().floor() as i32).max(0);
        trimmed(&format!("{value:.0$}", decimals as usize)).to_string()
    };
    text.replace('-', "−")
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.5, "−0.5"),
            (1e-3, "1e−3"),
            (-9.994e-4, "−9.99e−4"),
            (0.123_456, "0.123"),
            (271.83, "272"),
            (10.0, "10"),
            (1.5e7, "1.5e7"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn cells_fill_the_panel_from_the_top_left() {
        let colours = [Rgb::hex(0x11_2233), Rgb::hex(0x44_5566)];
        let classes = colours.map(|colour| Class { name: "class".into(), colour }).to_vec();
        let grid = Grid { rows: 2, columns: 2, cells: vec![0, 1, 1, 0] };
        let panel = Panel { title: "t".into(), content: Content::Classes { grid, classes } };
        let canvas = draw("heading", "line", &[panel]).unwrap();
        let at = |fx: usize, fy: usize| canvas.pixel(MARGIN + fx, PANELS_TOP + fy);
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
