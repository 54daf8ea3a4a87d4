//! Line plots as inline SVG.

use super::html::escaped;

/// A named line through points (x, y).
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 450.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 50.0;
const BOTTOM: f64 = 36.0;
const RIGHT: f64 = 140.0;
const TOP: f64 = 12.0;
/// Colours that people with colour-blindness can tell apart (Okabe and Ito, 2008).
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777"];

/// How numbers become places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    Linear,
    /// Of numbers above 0; others are left out.
    Log,
}

/// A plot with these scales of x and y; points that have no place are left out.
pub fn plot(lines: &[Line], scales: [Scale; 2], x_label: &str, y_label: &str) -> String {
    let has = |scale: Scale, v: f64| v.is_finite() && (scale == Scale::Linear || v > 0.0);
    let positive = |&&(x, y): &&(f64, f64)| has(scales[0], x) && has(scales[1], y);
    let all = || lines.iter().flat_map(|line| line.points.iter().filter(positive));
    let x = Axis::over(scales[0], all().map(|p| p.0), LEFT, WIDTH - RIGHT);
    let y = Axis::over(scales[1], all().map(|p| p.1), HEIGHT - BOTTOM, TOP);
    let mut svg = format!(
        "<svg viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' role='img' \
         aria-label='{y_label} over {x_label}'>"
    );
    let (floor, wall) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    svg.push_str(&format!("<path d='M{LEFT} {TOP}V{floor}H{wall}' fill='none' stroke='#888'/>"));
    for (value, at) in x.ticks() {
        let below = floor + 15.0;
        svg.push_str(&format!("<text x='{at:.1}' y='{below}' text-anchor='middle'>{value}</text>"));
    }
    for (value, at) in y.ticks() {
        let (beside, base) = (LEFT - 5.0, at + 4.0);
        svg.push_str(&format!("<text x='{beside}' y='{base:.1}' text-anchor='end'>{value}</text>"));
    }
    let (middle, under) = ((LEFT + wall) / 2.0, HEIGHT - 4.0);
    svg.push_str(&format!("<text x='{middle}' y='{under}' text-anchor='middle'>{x_label}</text>"));
    for (i, line) in lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let points: Vec<String> = line
            .points
            .iter()
            .filter(positive)
            .map(|&(a, b)| format!("{:.1},{:.1}", x.place(a), y.place(b)))
            .collect();
        let (beside, base) = (wall + 8.0, TOP + 12.0 + 16.0 * i as f64);
        svg.push_str(&format!(
            "<polyline points='{}' fill='none' stroke='{colour}' stroke-width='2'/>\
             <text x='{beside}' y='{base}' fill='{colour}'>{}</text>",
            points.join(" "),
            escaped(&line.name)
        ));
    }
    svg.push_str("</svg>");
    svg
}

/// An axis from one place on the screen to another; `low` and `high` are logarithms on a log scale.
struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn over(scale: Scale, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let numbers = values.map(|v| if scale == Scale::Log { v.log10() } else { v });
        let (low, high) =
            numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            return Axis { scale, low: 0.0, high: 1.0, from, to };
        }
        let least = if scale == Scale::Log { 0.05 } else { 1e-6 * high.abs().max(1e-300) };
        let margin = (0.05 * (high - low)).max(least);
        Axis { scale, low: low - margin, high: high + margin, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let number = if self.scale == Scale::Log { value.log10() } else { value };
        self.from + (number - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values, and their places.
    fn ticks(&self) -> Vec<(String, f64)> {
        let values = if self.scale == Scale::Log { self.log_ticks() } else { self.linear_ticks() };
        values.into_iter().map(|v| (crate::number::short(v), self.place(v))).collect()
    }

    /// Values at 1, 2 and 5 times a power of ten; powers alone on a long axis.
    fn log_ticks(&self) -> Vec<f64> {
        let steps: &[f64] = if self.high - self.low > 2.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        (first..=last)
            .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
            .filter(|value| (self.low..=self.high).contains(&value.log10()))
            .collect()
    }

    /// Multiples of 1, 2 or 5 times a power of ten, of which at most six fit.
    fn linear_ticks(&self) -> Vec<f64> {
        let width = (self.high - self.low) / 6.0;
        let power = 10f64.powf(width.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= width);
        let step = step.unwrap_or(width);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_ticks_are_round_and_inside() {
        let axis = Axis { scale: Scale::Linear, low: -3.0, high: 107.0, from: 0.0, to: 110.0 };
        assert_eq!(axis.linear_ticks(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(axis.place(20.0), 23.0);
    }

    #[test]
    fn points_without_a_place_are_left_out() {
        let points = vec![(1.0, 2.0), (0.0, 3.0), (10.0, f64::INFINITY), (100.0, 4.0)];
        let line = Line { name: "a<b".to_owned(), points };
        let svg = plot(&[line], [Scale::Log, Scale::Linear], "x", "y");
        let drawn = svg.split("polyline points='").nth(1).and_then(|s| s.split('\'').next());
        assert_eq!(drawn.map(|s| s.split(' ').count()), Some(2), "{svg}");
        assert!(svg.contains("a&lt;b"));
    }
}
