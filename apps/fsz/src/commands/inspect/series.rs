//! Ratio and error of streams over the steps of their variables: a plot, and a line for each variable.

use anyhow::{Result, bail};
use fsz_field::Output;
use fsz_figure::number::{bytes, short};
use fsz_figure::plot::{Axes, Line, Scale, alone, column, plot};

use crate::limit;

const RATIO: Axes =
    Axes { scales: [Scale::Linear; 2], names: ["step", "compression ratio"], span: None };
const ERROR: Axes =
    Axes { scales: [Scale::Linear, Scale::Log], names: ["step", "largest error"], span: None };

/// A step of a variable; of several streams the sums, and the largest error and bound.
#[derive(Debug, Clone)]
pub struct Point {
    pub variable: String,
    pub step: u64,
    /// Where it is, in a message: `at step 3`.
    pub place: String,
    pub raw: u64,
    pub stored: u64,
    pub error: f64,
    /// Whether the error may be no value's of the field.
    pub is_limit: bool,
    pub bound: f64,
}

impl Point {
    /// Raw bytes by stored bytes.
    pub fn ratio(&self) -> f64 {
        self.raw as f64 / self.stored.max(1) as f64
    }
}

/// The points of each variable, in the order of its steps.
fn by_variable(points: &[Point]) -> Vec<(&str, Vec<&Point>)> {
    let mut variables: Vec<(&str, Vec<&Point>)> = Vec::new();
    for point in points {
        match variables.iter_mut().find(|(name, _)| *name == point.variable) {
            Some((_, of)) => of.push(point),
            None => variables.push((&point.variable, vec![point])),
        }
    }
    for (_, points) in &mut variables {
        points.sort_by_key(|point| point.step);
    }
    variables
}

/// A line for each variable of several steps: what its streams are together.
pub fn sums(points: &[Point]) -> String {
    let line = |(name, points): (&str, Vec<&Point>)| {
        let (raw, stored) = (
            points.iter().map(|p| p.raw).sum::<u64>(),
            points.iter().map(|p| p.stored).sum::<u64>(),
        );
        let ratios = || points.iter().map(|p| p.ratio());
        // Of several steps that have the largest error, the first.
        let worst = points.iter().rev().max_by(|a, b| a.error.total_cmp(&b.error))?;
        let (least, most) = (ratios().fold(f64::MAX, f64::min), ratios().fold(0.0, f64::max));
        (points.len() > 1).then(|| {
            format!(
                "{name}{}{} steps, {} -> {}, ratio {:.2} ({least:.2} to {most:.2}), max error {}{} {}\n",
                if name.is_empty() { "" } else { ": " },
                points.len(),
                bytes(raw),
                bytes(stored),
                raw as f64 / stored.max(1) as f64,
                limit::at_most(worst.is_limit),
                short(worst.error),
                worst.place,
            )
        })
    };
    by_variable(points).into_iter().filter_map(line).collect()
}

/// Draws ratio, error and bound over the steps.
pub fn draw(points: &[Point], mut output: Output) -> Result<()> {
    let variables = by_variable(points);
    let line = |name: String, points: &[&Point], y: fn(&Point) -> f64| Line {
        name,
        points: points.iter().map(|p| (p.step as f64, y(p))).collect(),
        joined: true,
    };
    let named = |name: &str, what: &str| match name {
        "" => what.to_owned(),
        _ => format!("{name} {what}"),
    };
    let ratios: Vec<Line> =
        variables.iter().map(|(name, p)| line(named(name, "ratio"), p, Point::ratio)).collect();
    let errors: Vec<Line> = variables
        .iter()
        .flat_map(|(name, p)| {
            [line(named(name, "error"), p, |p| p.error), line(named(name, "bound"), p, |p| p.bound)]
        })
        .collect();
    let plots = column(&[plot(&ratios, RATIO), plot(&errors, ERROR)]);
    if plots.is_empty() {
        bail!("--plot: there is no stream to draw");
    }
    output.put(alone(&plots).as_bytes())?;
    Ok(output.commit()?)
}
