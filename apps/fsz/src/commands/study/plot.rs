//! Line plots as inline SVG.

/// A named line through points (x, y).
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 50.0;
const BOTTOM: f64 = 36.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 12.0;
/// Colours that people with colour-blindness can tell apart (Okabe and Ito, 2008).
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// A plot with both axes logarithmic; points that are not positive are left out.
pub fn log_log(lines: &[Line], x_label: &str, y_label: &str) -> String {
    let positive = |&&(x, y): &&(f64, f64)| x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite();
    let all = || lines.iter().flat_map(|line| line.points.iter().filter(positive));
    let x = Axis::over(all().map(|p| p.0), LEFT, WIDTH - RIGHT);
    let y = Axis::over(all().map(|p| p.1), HEIGHT - BOTTOM, TOP);
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
            line.name
        ));
    }
    svg.push_str("</svg>");
    svg
}

/// A logarithmic axis from one place on the screen to another.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let logs = values.map(f64::log10);
        let (low, high) =
            logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            return Axis { low: 0.0, high: 1.0, from, to };
        }
        let margin = (0.05 * (high - low)).max(0.05);
        Axis { low: low - margin, high: high + margin, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        self.from + (value.log10() - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Values at 1, 2 and 5 times a power of ten (powers alone on a long axis), and their places.
    fn ticks(&self) -> Vec<(String, f64)> {
        let steps: &[f64] = if self.high - self.low > 2.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        (first..=last)
            .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
            .filter(|value| (self.low..=self.high).contains(&value.log10()))
            .map(|value| (crate::number::short(value), self.place(value)))
            .collect()
    }
}
