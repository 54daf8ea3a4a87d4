//! One slice of one variable as four panels: original, reconstruction, signed error, variants.
//!
//! The slice lies across the fastest axis. A tile is 256 consecutive elements along it, so this is the
//! cut that goes through the most tiles.

use crate::files::{Pair, Part};
use crate::variants;
use crate::verify::Check;
use anyhow::{Context, Result, bail};
use fsz::format::TileGrid;
use fsz_figure::Canvas;
use fsz_figure::number::typeset;
use fsz_figure::palette::{self, PREDICTORS};
use fsz_figure::panels::{self, Content, Grid, Panel};

/// The last step of a 3-dimensional variable, cut in the middle.
pub fn draw(pair: &Pair, variable: &str) -> Result<Canvas> {
    let info = pair.compressed.variable(variable)?;
    let &[rows, columns, depth] = info.shape.as_slice() else {
        bail!("{variable} has {} dimensions; the picture needs 3", info.shape.len());
    };
    let step = info.steps.checked_sub(1).context("the files hold no step")?;
    let parts = pair.parts(&info, step)?;
    let check = Check::of(&parts, info.dtype)?;
    let cut = Cut { rows, columns, index: depth / 2 };
    let original = cut.values(&parts, |part| &part.original)?;
    let reconstruction = cut.values(&parts, |part| &part.reconstruction)?;
    let error = original.cells.iter().zip(&reconstruction.cells).map(|(d, r)| r - d).collect();
    let error = Grid { rows: original.rows, columns: original.columns, cells: error };
    let (cells, classes) = variants::legend(&cut.classes(&parts)?);
    let tiles = Grid { rows: original.rows, columns: original.columns, cells };

    let finite = || original.cells.iter().copied().filter(|v| v.is_finite());
    let (low, high) = (finite().fold(f64::MAX, f64::min), finite().fold(f64::MIN, f64::max));
    let field = |title: &str, grid| Panel {
        title: title.to_string(),
        content: Content::Values {
            grid,
            palette: palette::viridis,
            low,
            high,
            label: variable.into(),
        },
    };
    let panels = [
        field("Original", original),
        field("Reconstruction", reconstruction),
        Panel {
            title: "Signed error".to_string(),
            content: Content::Values {
                grid: error,
                palette: palette::blue_red,
                low: -check.bound,
                high: check.bound,
                label: "reconstruction − original".to_string(),
            },
        },
        Panel {
            title: "Variant of each tile".to_string(),
            content: Content::Classes { grid: tiles, classes, label: PREDICTORS.to_string() },
        },
    ];
    let heading = format!("{variable} at step {step}, written to BP5 through FSZ");
    let line = line(&info.shape, info.dtype.name(), cut.index, &check);
    Ok(panels::draw(&heading, &line, &panels)?)
}

fn line(shape: &[u64], dtype: &str, index: u64, check: &Check) -> String {
    let shape = shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ");
    let verdict = if check.broken == 0 {
        "no element over the bound".to_string()
    } else {
        format!("{} elements over the bound", check.broken)
    };
    format!(
        "{shape} {dtype}, slice {index} of the last axis  ·  {:.2} MB stored as {:.2} MB, \
         {:.1} : 1  ·  bound {}, largest error {}, {verdict}",
        check.raw_bytes as f64 / 1e6,
        check.stored_bytes as f64 / 1e6,
        check.ratio(),
        typeset(check.bound, 3),
        typeset(check.largest_error, 5),
    )
}

/// All elements of a 3-dimensional array with one index along the last axis.
struct Cut {
    rows: u64,
    columns: u64,
    index: u64,
}

impl Cut {
    fn values(&self, parts: &[Part], of: impl Fn(&Part) -> &[f64]) -> Result<Grid<f64>> {
        let values = self.collect(parts, f64::NAN, |part| Ok(of(part)), |values, at| values[at])?;
        Ok(Grid { rows: self.rows as usize, columns: self.columns as usize, cells: values })
    }

    /// The class of the tile that each element is in.
    fn classes(&self, parts: &[Part]) -> Result<Vec<usize>> {
        let tiles = |part: &Part| -> Result<(Vec<usize>, TileGrid)> {
            let Some(stream) = part.stream()? else {
                bail!("this variable was not written through the FSZ operator");
            };
            Ok((variants::of_tiles(&stream)?, stream.grid().clone()))
        };
        self.collect(parts, 0, tiles, |(tiles, grid), at| tiles[grid.locate(at as u64).0 as usize])
    }

    /// For each element of the cut: what `prepare` made of its ADIOS2 block, at its place in there.
    fn collect<'a, T: Clone, P>(
        &self,
        parts: &'a [Part],
        absent: T,
        prepare: impl Fn(&'a Part) -> Result<P>,
        get: impl Fn(&P, usize) -> T,
    ) -> Result<Vec<T>> {
        let mut cells = vec![absent; (self.rows * self.columns) as usize];
        for part in parts {
            let start = part.block.start.clone().unwrap_or_else(|| vec![0; 3]);
            let (&[z, y, x], &[depth, height, width]) =
                (start.as_slice(), part.block.count.as_slice())
            else {
                bail!("an ADIOS2 block has other dimensions than its variable");
            };
            if !(x..x + width).contains(&self.index) {
                continue;
            }
            let prepared = prepare(part)?;
            for row in 0..depth {
                for column in 0..height {
                    let inside = (row * height + column) * width + self.index - x;
                    let cell = (z + row) * self.columns + y + column;
                    cells[cell as usize] = get(&prepared, inside as usize);
                }
            }
        }
        Ok(cells)
    }
}
