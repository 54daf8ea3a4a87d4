//! `fsz picture`.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use fsz::{Codec, Element};
use fsz_field::{Field, Kind, Shape, StreamFile, with_values};
use fsz_figure::text::{Anchor, Label, Type};
use fsz_figure::{Canvas, Rect, Rgb, number, palette};
use fsz_metrics::{Class, Missing, Sample};

use super::slice;
use crate::cli::whole_in;
use crate::codec::CodecArgs;
use crate::source::SourceArgs;
use crate::{bar, missing, output, terminal};

/// What is no number, or stands for a missing value.
const NOTHING: Rgb = Rgb::hex(0xb0_b0_b0);

/// Beside the plane.
const BACKGROUND: Rgb = Rgb::hex(0xff_ff_ff);
const INK: Rgb = Rgb::hex(0x1d_23_30);
/// Pixels of a colour bar: between all that is there, across, and of its text.
const GAP: usize = 8;
const ACROSS: usize = 16;
const TEXT: usize = 16;

/// Draw a plane of a field as a PNG picture; of a .fsz file only that plane is decoded
///
/// Without --axis and --index it is the middle plane of the slowest axes. Missing values, NaN and ±Inf are
/// grey; unless the file is a .fsz, name missing values with --missing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Input field
    #[arg(value_name = "IN.fsz")]
    input: PathBuf,
    /// Output file
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Axis normal to the plane; 0 is the slowest
    #[arg(long, value_name = "N", requires = "index")]
    axis: Option<usize>,
    /// Index along the axis, counted from 0
    #[arg(long, value_name = "N", requires = "axis")]
    index: Option<u64>,
    /// Pixels of the longer side at most
    #[arg(long, value_name = "PIXELS", default_value_t = 1024, value_parser = |text: &str| whole_in(text, 1u32, 16384))]
    size: u32,
    /// Missing value, may be given several times; by default those of the .fsz file
    #[arg(long, value_name = "V")]
    missing: Vec<f64>,
    /// Draw a colour bar on the right, with the values at its ends
    #[arg(long, visible_alias = "color-bar")]
    colour_bar: bool,
    /// Overwrite an existing output file
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    codec: CodecArgs,
}

/// Draws the plane.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    let codec = args.codec.codec()?;
    let mut output = output::create(&args.output, args.force, &[&args.input])?;
    output::refuse_picture(output.path())?;
    let mut plane = args.first(&codec, quiet)?.with_named_missing(&args.missing);
    missing::check(plane.missing(), plane.dtype())?;
    while let Some(axis) = normal(plane.shape().sides()) {
        plane = plane.slice(axis, plane.shape().sides()[axis] / 2)?;
    }
    let size = args.size as usize;
    let (plane, ends) = with_values!(plane.values(), values => {
        draw(plane.shape().sides(), values, &Missing::new(plane.missing()), size)
    });
    let canvas = match ends.filter(|_| args.colour_bar) {
        Some(ends) => beside(&plane, ends)?,
        None => plane,
    };
    let direct = output.is_direct();
    output.put(&canvas.png()?)?;
    output.commit()?;
    let (width, height) = canvas.size();
    terminal::summary(quiet, direct, &format!("{}: {width} x {height}", args.output.display()))
}

impl Args {
    /// The field, cut along one axis if it has more than two.
    fn first(&self, codec: &Codec, quiet: bool) -> Result<Field> {
        let asked = self.axis.zip(self.index);
        let plane = |shape: &Shape| -> Result<Option<(usize, u64)>> {
            let (sides, path) = (shape.sides(), self.input.display());
            if let Some(asked) = asked {
                slice::check(&self.input, sides, asked)?;
            }
            ensure!(shape.elements() > 0, "{path}: a field of shape {shape} has no values to draw");
            Ok(asked.or_else(|| normal(sides).map(|axis| (axis, sides[axis] / 2))))
        };
        if Kind::of(&self.input)? == Kind::Fsz {
            let file = StreamFile::open(&self.input)?;
            let header = file.stream()?.header().clone();
            self.source.agree(&self.input, &header.shape, header.dtype)?;
            let plane = plane(&Shape::new(&header.shape)?)?;
            return Ok(bar::watch("decompressing", quiet, |progress| match plane {
                Some(plane) => file.decode_slice_watched(codec, plane, progress),
                None => file.decode_watched(codec, progress),
            })?);
        }
        let field = self.source.open(&self.input, codec)?;
        Ok(match plane(field.shape())? {
            Some((axis, index)) => {
                field.slice(axis, index).map_err(|error| error.in_file(&self.input))?
            }
            None => field,
        })
    }
}

/// The slowest axis that must be cut until a plane is left.
fn normal(sides: &[u64]) -> Option<usize> {
    let mut long = (0..sides.len()).filter(|&axis| sides[axis] > 1);
    let first = long.next();
    first.filter(|_| long.count() > 1)
}

/// The plane with a colour bar on its right: the largest value is at the top.
fn beside(plane: &Canvas, (low, high): (f64, f64)) -> Result<Canvas> {
    let font = Type::load()?;
    let digits = number::digits(5, low, high);
    let texts = [high, low].map(|end| number::typeset(end, digits));
    let widths = texts.iter().map(|text| font.width(text, TEXT as f32).ceil() as usize);
    let (width, height) = plane.size();
    // Room for a line at both ends.
    let all = height.max(2 * TEXT + GAP);
    let bar = Rect { x: width + GAP, y: 0, width: ACROSS, height: all };
    let text = bar.x + ACROSS + GAP;
    let mut canvas = Canvas::new(text + widths.max().unwrap_or(0) + GAP, all, BACKGROUND);
    let rect = Rect { x: 0, y: 0, width, height };
    canvas.fill_with(rect, |x, y| plane.pixel(x, y).unwrap_or(NOTHING));
    let share = |y: usize| if high > low { 1.0 - y as f64 / (all - 1) as f64 } else { 0.5 };
    canvas.fill_with(bar, |_, y| palette::viridis(share(y)));
    for (text_of, y) in texts.iter().zip([0, all - TEXT]) {
        let anchor = Anchor::Left;
        let label = Label { text: text_of, x: text, y, size: TEXT as f32, colour: INK, anchor };
        font.draw(&mut canvas, &label);
    }
    Ok(canvas)
}

/// A picture of a plane, and the values at the ends of its colours, if it has any; a line is folded into rows.
fn draw<T: Element + Sample>(
    sides: &[u64],
    values: &[T],
    missing: &Missing<T>,
    size: usize,
) -> (Canvas, Option<(f64, f64)>) {
    let mut long = sides.iter().filter(|&&side| side > 1).map(|&side| side as usize);
    let (rows, columns) = match (long.next(), long.next()) {
        (Some(rows), Some(columns)) => (rows, columns),
        (Some(n), None) => (n.div_ceil(n.isqrt()), n.isqrt()),
        _ => (values.len().min(1), 1),
    };
    // Every pixel shows one element; the longer side has `size` at most.
    let scale = (rows.max(columns) as f64 / size as f64).max(1.0);
    let pixels = |n: usize| ((n as f64 / scale).round() as usize).max(1);
    let (width, height) = (pixels(columns), pixels(rows));
    let at = |pixel: usize, pixels: usize, n: usize| (2 * pixel + 1) * n / (2 * pixels);
    let value = |x: usize, y: usize| {
        let element = values.get(at(y, height, rows) * columns + at(x, width, columns));
        let number = element.filter(|d| missing.class(**d) == Class::Finite);
        number.map(|d| Sample::to_f64(*d))
    };
    let shown = (0..height).flat_map(|y| (0..width).filter_map(move |x| value(x, y)));
    let (low, high) = shown.fold((f64::MAX, f64::MIN), |(low, high), d| (low.min(d), high.max(d)));
    let mut canvas = Canvas::new(width, height, NOTHING);
    let all = Rect { x: 0, y: 0, width, height };
    canvas.fill_with(all, |x, y| match value(x, y) {
        // Halves, so that no difference overflows.
        Some(d) if high > low => palette::viridis((d / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)),
        Some(_) => palette::viridis(0.5),
        None => NOTHING,
    });
    (canvas, (low <= high).then_some((low, high)))
}
