//! Tables in plain text.

/// Rows of cells under a head; the first column is flush left, the others flush right.
#[derive(Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with this head.
    pub fn new<const N: usize>(head: [&str; N]) -> Table {
        Table { rows: vec![head.map(str::to_owned).to_vec()] }
    }

    /// Adds a row of as many cells as the head has.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }

    /// The text, each row ended by a line break.
    pub fn text(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| {
                if i == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}
