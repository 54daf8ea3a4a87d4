//! Plots as inline SVG, for pages in light or dark.
//!
//! By hand, and not with the crate `plotters`: its SVG has fixed colours, where these take the page's
//! (`currentColor` and the classes `grid`, `axis`, `dots`, `one`), no titles to hover over, and no ticks
//! of 1, 2, 5 on short logarithmic axes; what would be left to it is less code than a call of it.

use crate::axis::Axis;
pub use crate::axis::Scale;
use crate::palette::SERIES;

/// Points (x, y) of one name.
#[derive(Debug)]
pub struct Line {
    /// Its name in the key.
    pub name: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
    /// Whether the points belong together; else each stands alone.
    pub joined: bool,
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 250.0;
/// Numbers of seven letters, as 11.1652, have room there.
const LEFT: f64 = 50.0;
const BOTTOM: f64 = 36.0;
const RIGHT: f64 = 158.0;
const TOP: f64 = 24.0;
/// More points than this are a curve: they take no marks.
const MOST_MARKS: usize = 24;
/// Codecs that keep their colour in all plots.
const CODECS: [&str; 6] =
    ["fsz", "zfp-accuracy", "zfp-rate", "cuszp-outlier-model", "cuszp-plain-model", "fsz-paper"];

/// The axes: x, y.
#[derive(Debug, Clone, Copy)]
pub struct Axes {
    /// Their scales.
    pub scales: [Scale; 2],
    /// Their names.
    pub names: [&'static str; 2],
    /// What y spans, where that is not what the points need; lines go beyond the edge.
    pub span: Option<[f64; 2]>,
}

/// A plot of these lines; points that have no place are left out. Nothing where no point has one.
pub fn plot(lines: &[Line], axes: Axes) -> String {
    let ([x_scale, y_scale], [x_name, y_name]) = (axes.scales, axes.names);
    let has = |&&(x, y): &&(f64, f64)| x_scale.has(x) && y_scale.has(y);
    let all = || lines.iter().flat_map(|line| line.points.iter().filter(has));
    if all().next().is_none() {
        return String::new();
    }
    let (floor, wall) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    let x = Axis::over(x_scale, all().map(|p| p.0), LEFT, wall);
    let y = match axes.span {
        Some(span) => Axis::over(y_scale, span.into_iter(), floor, TOP),
        None => Axis::over(y_scale, all().map(|p| p.1), floor, TOP),
    };
    let colours = colours(lines);
    let mut svg = format!(
        "<svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{y_name} over {x_name}'>"
    );
    svg.push_str(&scaffold(&x, &y, axes.names));
    let (across, down) = (wall - LEFT, floor - TOP);
    // An inner drawing ends at its edges.
    svg.push_str(&format!(
        "<svg x='{LEFT}' y='{TOP}' width='{across}' height='{down}' \
         viewBox='{LEFT} {TOP} {across} {down}'>"
    ));
    // The first one is what the plot is about: it lies on top.
    for (line, colour) in lines.iter().zip(&colours).rev() {
        let places = line.points.iter().filter(has).map(|&(a, b)| (x.place(a), y.place(b)));
        svg.push_str(&drawn(line.joined, &places.collect::<Vec<_>>(), colour));
    }
    svg.push_str("</svg>");
    for (i, (line, colour)) in lines.iter().zip(&colours).enumerate() {
        let (from, to, at) = (wall + 8.0, wall + 24.0, TOP + 8.0 + 16.0 * i as f64);
        svg.push_str(&format!(
            "<path d='M{from} {at}H{to}' stroke='{colour}' stroke-width='3'/>\
             <text x='{}' y='{}'>{}<title>{}</title></text>",
            to + 4.0,
            at + 4.0,
            escaped(&shortened(&line.name)),
            escaped(&line.name)
        ));
    }
    svg.push_str("</svg>");
    svg
}

/// Plots one below the other; those of nothing are left out.
pub fn column(plots: &[String]) -> String {
    let plots: Vec<&String> = plots.iter().filter(|plot| !plot.is_empty()).collect();
    if plots.is_empty() {
        return String::new();
    }
    let all = HEIGHT * plots.len() as f64;
    let placed = plots.iter().enumerate().map(|(i, plot)| {
        let place = format!("<svg y='{}' width='{WIDTH}' height='{HEIGHT}' ", HEIGHT * i as f64);
        plot.replacen("<svg ", &place, 1)
    });
    format!("<svg viewBox='0 0 {WIDTH} {all}'>{}</svg>", placed.collect::<String>())
}

/// A plot as a file of its own, in the colours of a light or a dark page.
pub fn alone(plot: &str) -> String {
    const STYLE: &str = "<style>svg{color:#24292f;background:#fff}\
        @media (prefers-color-scheme:dark){svg{color:#e6edf3;background:#0d1117}}\
        text{font:11px sans-serif;fill:currentColor}path{fill:none}\
        .grid{stroke:currentColor;opacity:.15}.axis{stroke:currentColor}\
        .dots{stroke-width:9;stroke-linecap:round}</style>";
    let plot = plot.replacen("<svg ", "<svg xmlns='http://www.w3.org/2000/svg' ", 1);
    plot.replacen('>', &format!(">{STYLE}"), 1) + "\n"
}

/// Text in HTML and SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&#39;")
}

/// A name that the key has room for: its ends tell most.
fn shortened(name: &str) -> String {
    const MOST: usize = 19;
    const END: usize = (MOST - 1) / 2;
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MOST {
        return name.to_owned();
    }
    let [start, end] = [&letters[..END], &letters[letters.len() - END..]];
    format!("{}…{}", start.iter().collect::<String>(), end.iter().collect::<String>())
}

/// Axes, grid, ticks and names.
fn scaffold(x: &Axis, y: &Axis, [x_name, y_name]: [&str; 2]) -> String {
    let (floor, wall) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    let mut svg = String::new();
    for (value, at) in x.ticks() {
        svg.push_str(&format!(
            "<path class='grid' d='M{at:.1} {TOP}V{floor}'/>\
             <text x='{at:.1}' y='{}' text-anchor='middle'>{value}</text>",
            floor + 15.0
        ));
    }
    for (value, at) in y.ticks() {
        svg.push_str(&format!(
            "<path class='grid' d='M{LEFT} {at:.1}H{wall}'/>\
             <text x='{}' y='{:.1}' text-anchor='end'>{value}</text>",
            LEFT - 5.0,
            at + 4.0
        ));
    }
    svg.push_str(&format!(
        "<path class='axis' d='M{LEFT} {TOP}V{floor}H{wall}'/>\
         <text x='{}' y='{}' text-anchor='middle'>{x_name}</text><text x='2' y='12'>{y_name}</text>",
        (LEFT + wall) / 2.0,
        HEIGHT - 4.0
    ));
    svg
}

/// Those of codecs that keep theirs, and the others in order.
fn colours(lines: &[Line]) -> Vec<&'static str> {
    let known = |line: &Line| CODECS.iter().position(|codec| *codec == line.name);
    let codecs = lines.iter().any(|line| known(line).is_some());
    let mut next = if codecs { CODECS.len() } else { 0 };
    let mut colour = |line: &Line| {
        let index = known(line).unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        SERIES[index % SERIES.len()]
    };
    lines.iter().map(&mut colour).collect()
}

fn drawn(joined: bool, points: &[(f64, f64)], colour: &str) -> String {
    let mut svg = String::new();
    if joined {
        let text: Vec<String> = points.iter().map(|(a, b)| format!("{a:.1},{b:.1}")).collect();
        svg.push_str(&format!(
            "<polyline points='{}' fill='none' stroke='{colour}' stroke-width='1.6'/>",
            text.join(" ")
        ));
    }
    if !joined || points.len() <= MOST_MARKS {
        // A line of no length with a round cap is the shortest dot.
        let dots: String = points.iter().map(|(a, b)| format!("M{a:.1} {b:.1}h0")).collect();
        // One alone is larger, so that a line which goes through it does not hide it.
        let class = if joined && points.len() == 1 { "dots one" } else { "dots" };
        svg.push_str(&format!("<path class='{class}' d='{dots}' stroke='{colour}'/>"));
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, points: Vec<(f64, f64)>) -> Line {
        Line { name: name.to_owned(), points, joined: true }
    }

    fn axes(span: Option<[f64; 2]>) -> Axes {
        Axes { scales: [Scale::Log, Scale::Linear], names: ["x", "y"], span }
    }

    #[test]
    fn a_span_holds_whatever_the_points_are() {
        let tall = || vec![line("a", vec![(1.0, 0.0), (10.0, 1000.0)])];
        let ticks = |svg: &str| svg.contains(">1000</text>");
        assert!(ticks(&plot(&tall(), axes(None))));
        let svg = plot(&tall(), axes(Some([0.0, 3.0])));
        assert!(!ticks(&svg) && svg.contains(">3</text>"), "{svg}");
    }

    #[test]
    fn points_without_a_place_are_left_out() {
        let points = vec![(1.0, 2.0), (0.0, 3.0), (10.0, f64::INFINITY), (100.0, 4.0)];
        let svg = plot(&[line("a<b", points)], axes(None));
        let drawn = svg.split("polyline points='").nth(1).and_then(|s| s.split('\'').next());
        assert_eq!(drawn.map(|s| s.split(' ').count()), Some(2), "{svg}");
        assert!(svg.contains("a&lt;b"));
    }

    #[test]
    fn a_plot_without_points_is_none() {
        let nowhere = line("a", vec![(-1.0, 2.0), (10.0, f64::NAN)]);
        assert_eq!(plot(&[nowhere], axes(None)), "");
        assert_eq!(plot(&[], axes(None)), "");
    }

    #[test]
    fn plots_stand_one_below_the_other() {
        let one = || plot(&[line("a", vec![(1.0, 1.0), (2.0, 2.0)])], axes(None));
        let both = column(&[one(), String::new(), one()]);
        assert!(both.starts_with("<svg viewBox='0 0 480 500'>"), "{both}");
        assert_eq!(both.matches("<polyline").count(), 2);
        assert_eq!(
            both.matches("y='250' width='480' height='250' viewBox='0 0 480 250'").count(),
            1
        );
        assert_eq!(column(&[String::new()]), "");
    }

    #[test]
    fn long_names_are_shortened_in_the_middle() {
        assert_eq!(shortened("cuszp-outlier-model"), "cuszp-outlier-model");
        assert_eq!(shortened("cesm_CLOUD_12x192x288.r4.zfp"), "cesm_CLOU…88.r4.zfp");
        let name = "cesm_CLOUD_12x192x288.r4.zfp";
        let svg = plot(&[line(name, vec![(1.0, 1.0)])], axes(None));
        assert!(svg.contains(&format!("<title>{name}</title>")), "{svg}");
    }

    #[test]
    fn a_codec_has_one_colour() {
        let lines = ["zfp-rate", "a", "fsz", "b"].map(|name| line(name, Vec::new()));
        assert_eq!(colours(&lines), [SERIES[2], SERIES[6], SERIES[0], SERIES[7]]);
        let others = ["a", "b"].map(|name| line(name, Vec::new()));
        assert_eq!(colours(&others), [SERIES[0], SERIES[1]]);
    }
}
