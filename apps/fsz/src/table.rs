//! Tables in plain text.

use crate::terminal::shown;

/// Rows of cells under a head; columns of numbers are flush right, others flush left.
#[derive(Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with this head: names with commas between them.
    pub fn new(head: &str) -> Table {
        Table { rows: vec![head.split(',').map(str::to_owned).collect()] }
    }

    /// Adds a row of as many cells as the head has. Names may stand in them as they are.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| shown(&cell)).collect());
    }

    /// The text, each row ended by a line break.
    pub fn text(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let numeric = |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        let right: Vec<bool> = (0..columns)
            .map(|column| self.rows.iter().skip(1).all(|row| row.get(column).is_some_and(numeric)))
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).zip(&right).map(|((cell, &width), &right)| {
                if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_are_flush_right() {
        let mut table = Table::new("name,count,word");
        table.row(["a".into(), "5".into(), "x".into()]);
        table.row(["long".into(), "12345678".into(), "5 y".into()]);
        assert_eq!(table.text(), "name     count  word\na            5  x\nlong  12345678  5 y\n");
    }
}
