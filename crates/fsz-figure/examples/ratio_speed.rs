//! Draws `assets/ratio-speed.svg` from `assets/ratio-speed.csv`: `cargo run -p fsz-figure --example ratio_speed`.

use std::{fs, io, path::Path};

use fsz_figure::plot::{Axes, Line, Scale, alone, plot};

const AXES: Axes = Axes {
    scales: [Scale::Log; 2],
    names: ["compression ratio", "GB/s of compression"],
    span: None,
};

/// The picture of a table of codecs: name, ratio, GB/s.
pub fn picture(table: &str) -> Option<String> {
    let dot = |line: &str| {
        let mut cells = line.split(',');
        let name = cells.next()?.to_owned();
        let place = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        Some(Line { name, points: vec![place], joined: false })
    };
    let dots: Option<Vec<Line>> = table.lines().skip(1).map(dot).collect();
    Some(alone(&plot(&dots?, AXES)))
}

fn main() -> io::Result<()> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let table = fs::read_to_string(assets.join("ratio-speed.csv"))?;
    let picture =
        picture(&table).ok_or_else(|| io::Error::other("a line is not name,ratio,GB/s"))?;
    fs::write(assets.join("ratio-speed.svg"), picture)
}
