//! Tables that go into a CSV file and onto the report's page.

use crate::table::csv_cell;

/// A table with the name of its CSV file.
#[derive(Debug)]
pub struct Data {
    pub file: &'static str,
    /// Names of the columns, with commas between them.
    pub head: &'static str,
    pub rows: Vec<Vec<String>>,
}

impl Data {
    /// The CSV file.
    pub fn csv(&self) -> String {
        let line =
            |row: &Vec<String>| row.iter().map(|c| csv_cell(c)).collect::<Vec<_>>().join(",");
        let rows: Vec<String> = self.rows.iter().map(line).collect();
        format!("{}\n{}", self.head, rows.iter().map(|row| format!("{row}\n")).collect::<String>())
    }

    /// The table in HTML, to be unfolded when it is long; says which file holds it.
    pub fn html(&self) -> String {
        let cells = |tag: &str, row: &mut dyn Iterator<Item = &str>| {
            row.map(|cell| format!("<{tag}>{}", escaped(&shown(cell)))).collect::<String>()
        };
        let head = cells("th", &mut self.head.split(','));
        let rows = self
            .rows
            .iter()
            .map(|row| format!("<tr>{}\n", cells("td", &mut row.iter().map(String::as_str))));
        let table = format!("<table><tr>{head}\n{}</table>", rows.collect::<String>());
        let (rows, file) = (self.rows.len(), self.file);
        match rows {
            0..=24 => format!("{table}<p class='file'>{file}</p>"),
            _ => format!("<details><summary>{file}, {rows} rows</summary>{table}</details>"),
        }
    }
}

/// Numbers as people read them.
fn shown(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(value) if cell.len() > 6 => crate::number::short(value),
        _ => cell.replace('_', " "),
    }
}

/// Text in HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_and_html_hold_the_same_cells() {
        let rows = vec![vec!["a,b".to_owned(), "1.23456789".to_owned()]];
        let data = Data { file: "x.csv", head: "field,ratio", rows };
        assert_eq!(data.csv(), "field,ratio\n\"a,b\",1.23456789\n");
        let html = data.html();
        assert!(html.contains("<td>a,b<td>1.23457") && html.contains("x.csv"), "{html}");
    }
}
