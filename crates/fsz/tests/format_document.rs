//! The tables of FORMAT.md are those of the code: fields of the header, rules, multipliers of the checksums.

use std::fmt::Write;

use fsz::format::{CHECKSUM_MULTIPLIERS, FIELDS, FieldType, RULES};

const DOCUMENT: &str = include_str!("../FORMAT.md");

fn says(what: &str) {
    assert!(DOCUMENT.contains(what), "FORMAT.md does not say\n{what}");
}

#[test]
fn the_header() {
    let mut table = String::new();
    for field in FIELDS {
        let kind = match field.kind {
            FieldType::u8 => "u8",
            FieldType::u16 => "u16",
            FieldType::u32 => "u32",
            FieldType::u64 => "u64",
            FieldType::f64 => "f64",
        };
        writeln!(table, "| {} | {kind} | `{}` | {} |", field.at, field.name, field.meaning)
            .unwrap();
    }
    says(&table);
}

#[test]
fn the_rules() {
    let mut list = String::from("| condition | what is wrong otherwise |\n|---|---|\n");
    for rule in RULES {
        let condition = rule.condition.split_whitespace().collect::<Vec<_>>().join(" ");
        // A bar would end the table's cell.
        writeln!(list, "| `{}` | {} |", condition.replace('|', "\\|"), rule.broken).unwrap();
    }
    says(&list);
}

#[test]
fn the_multipliers() {
    let lines: Vec<String> = CHECKSUM_MULTIPLIERS
        .chunks(8)
        .map(|line| line.iter().map(|m| format!("{m:08X}")).collect::<Vec<_>>().join(" "))
        .collect();
    says(&lines.join("\n"));
}
