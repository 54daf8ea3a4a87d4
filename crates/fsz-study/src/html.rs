//! Tables that go into a CSV file and onto the report's page.

use fsz_figure::number::short;
use fsz_figure::plot::escaped;

/// Rows that stand open on the page.
const OPEN: usize = 24;
/// Rows above which a table is in its file alone: nobody reads them, and the page stays light.
const ON_PAGE: usize = 600;

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
        csv(self.head, self.rows.iter().cloned())
    }

    /// The table in HTML, to be unfolded when it is long, and named alone when nobody would read it;
    /// says which file holds it.
    pub fn html(&self) -> String {
        let (rows, file) = (self.rows.len(), self.file);
        match rows {
            0 => format!("<p class='file'>{file}: no rows</p>"),
            1..=OPEN => format!("{}<p class='file'>{file}</p>", self.table()),
            _ if rows <= ON_PAGE => {
                format!("<details><summary>{file}, {rows} rows</summary>{}</details>", self.table())
            }
            _ => self.named(),
        }
    }

    /// The file's name alone: what is drawn, or too long to be read.
    pub fn named(&self) -> String {
        let (rows, file) = (self.rows.len(), self.file);
        format!("<p class='file'>{file}, {rows} rows, beside this page</p>")
    }

    /// The table alone.
    pub fn table(&self) -> String {
        // Over words to the left, over numbers to the right.
        let first = self.rows.first();
        let below =
            |column: usize| first.and_then(|row| row.get(column)).map_or("", |c| c.as_str());
        let name = |(column, name): (usize, &str)| {
            format!("{}{}", tag('h', below(column)), name.replace('_', " "))
        };
        let head = self.head.split(',').enumerate().map(name);
        let cells = |row: &Vec<String>| -> String {
            row.iter().map(|cell| format!("{}{}", tag('d', cell), escaped(&shown(cell)))).collect()
        };
        let rows = self.rows.iter().map(|row| format!("<tr>{}\n", cells(row)));
        let (head, rows) = (head.collect::<String>(), rows.collect::<String>());
        format!("<div class='wide'><table><tr>{head}\n{rows}</table></div>")
    }
}

/// Words stand to the left, numbers to the right. `kind`: h or d.
fn tag(kind: char, cell: &str) -> String {
    let number = cell.is_empty() || number(cell).is_some();
    format!("<t{kind}{}>", if number { "" } else { " class='w'" })
}

/// Numbers as people read them: at most four digits, and a dash for none.
fn shown(cell: &str) -> String {
    match number(cell) {
        Some(value) if value.is_nan() => "–".to_owned(),
        Some(value) if cell.contains('.') && cell.len() > 5 => digits(value),
        _ => cell.to_owned(),
    }
}

/// The number in a cell as tables write them; a field may be called nan.
fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|_| cell != "nan" && cell != "infinity")
}

/// Four significant digits, zeros at the end too, so that columns stand in line.
pub fn digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return short(value);
    }
    match value.abs().log10().floor() as i32 {
        exponent @ -3..=6 => format!("{value:.*}", (3 - exponent).clamp(0, 4) as usize),
        _ => format!("{value:.3e}"),
    }
}

/// Rows of CSV below their head.
pub fn csv(head: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |row: Vec<String>| {
        row.iter().map(|cell| csv_cell(cell)).collect::<Vec<_>>().join(",") + "\n"
    };
    format!("{head}\n{}", rows.map(line).collect::<String>())
}

/// Text as a cell of CSV: quoted where it would end the cell.
fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(rows: usize) -> Data {
        let row = |i: usize| vec!["a,b".to_owned(), format!("{i}.23456789")];
        Data { file: "x.csv", head: "field,ratio", rows: (1..=rows).map(row).collect() }
    }

    #[test]
    fn csv_and_html_hold_the_same_cells() {
        assert_eq!(data(1).csv(), "field,ratio\n\"a,b\",1.23456789\n");
        let html = data(1).html();
        assert!(html.contains("<td class='w'>a,b<td>1.235") && html.contains("x.csv"), "{html}");
        assert!(data(25).html().contains("<details>"));
        let long = data(601).html();
        assert!(long.contains("601 rows") && !long.contains("<table>"), "{long}");
    }

    #[test]
    fn cells_that_need_quotes_get_them() {
        assert_eq!(csv_cell("T_3x4"), "T_3x4");
        assert_eq!(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
    }

    #[test]
    fn numbers_stand_in_line() {
        let cases = [
            ("13.3866", "13.39"),
            ("12.5000", "12.50"),
            ("0.0490", "0.0490"),
            ("1234.5678", "1235"),
            ("123456.7", "123457"),
            ("1.23456e-9", "1.235e-9"),
            ("32768", "32768"),
            ("6.3", "6.3"),
            ("1e-3", "1e-3"),
            ("NaN", "–"),
            ("nan", "nan"),
            ("inf", "inf"),
            ("T_6x20x30", "T_6x20x30"),
        ];
        for (cell, text) in cases {
            assert_eq!(shown(cell), text);
        }
    }
}
