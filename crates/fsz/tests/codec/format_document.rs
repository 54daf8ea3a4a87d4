//! The tables of FORMAT.md are those of the code: fields of the header, rules, multipliers of the checksums.

use std::fmt::Write;

use fsz::{
    Layout,
    format::{CHECKSUM_MULTIPLIERS, FIELDS, FieldType, RULES, dense},
};

const DOCUMENT: &str = include_str!("../../FORMAT.md");

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

#[test]
fn the_layouts_of_dense() {
    let names = Layout::ALL.map(|layout| format!("{} `{}`", layout.code(), layout.name()));
    says(&format!("layout: 0 `linear`; of `dense`: {}", names.join(", ")));
    let codes = Layout::ALL.map(|layout| layout.code().to_string()).join(", ");
    let names = Layout::ALL.map(|layout| format!("`{}`", layout.name())).join(", ");
    says(&format!(
        "| `layout` | 0 | `linear` | consecutive elements in C order | 0.2.0 |\n| | {codes} | {names} |"
    ));
}

/// Where *Dense* states a number of the code, it is that number.
#[test]
fn the_numbers_of_dense() {
    use dense::*;
    let (fine, coarse) = (u32::from(FINE_CONTEXTS), u32::from(COARSE_CONTEXTS));
    let contexts = fine + coarse;
    assert_eq!(u32::from(CORNERS), contexts - 1);
    assert_eq!((SLOTS, LOW), (1 << SLOT_BITS, 1 << 15));
    says("it begins (for a decoder, ends) as 2¹⁵");
    let first_class = LORENZO_DIRECT.ilog2() + 1;
    for sentence in [
        format!("| `line` | {BOX} consecutive elements;"),
        format!("log2 of the lattice points of a\nstep, 0 to {MOST_FINE};"),
        format!(
            "in parts of a lattice point ({} of them), if |x| ≤ {MOST_VALUE}·{}.",
            1 << PART_BITS,
            1 << PART_BITS
        ),
        format!("x = rint(d · p − b · 2^({PART_BITS}+f))"),
        format!("all |v| ≤ {MOST_VALUE}, and"),
        format!("and if at most n/{LISTED_SHARE} of its n elements are listed"),
        format!(
            "A single one in a box of {LISTED_SHARE} elements or more may be listed instead of masked"
        ),
        format!("at most {LANES} points; the points of a step take the lanes"),
        format!("form groups of {LANES}; a last group of less than {MIN_COLUMNS} columns"),
        format!("{fine} + o   for s > 1;    {CORNERS} for corners"),
        format!("| residuals | {contexts} | r + {DIRECT} for |r| ≤ {DIRECT} |"),
        format!("| differences | {} | z < {LORENZO_DIRECT},", LORENZO_CONTEXTS + 1),
        format!("| {} + L for z of L bits, {first_class} ≤ L ≤ 32 |", LORENZO_DIRECT - first_class),
        format!("| flags | {FLAG_CONTEXTS} | 0, 1 | |"),
        format!("{LORENZO_CONTEXTS} is that of bases"),
        format!("(|l|, at most 2^{} each)", LORENZO_SIZE_MOST.ilog2()),
        format!(
            "0 to {} masks (*Dense: escapes*), {PASS_FLAGS} and {} passes",
            PASS_FLAGS - 1,
            PASS_FLAGS + 1
        ),
        format!("The frequencies of a context's symbols add up to {SLOTS}."),
        format!("slot = state mod {SLOTS};"),
        format!("more than {RAW_BITS}·k raw bits"),
        format!("else min({}, 2·⌊log2 m⌋", LORENZO_CONTEXTS - 1),
        format!("| {LANES} | the states, if any box has symbols |"),
        format!("boxes · {LEAST_BOX} ≤ n + {BOX}"),
        format!(
            "at least {LEAST_CHUNK} boxes, which have {LEAST_BOX} elements on average, the tables take less than {MOST_TABLES} bytes"
        ),
    ] {
        says(&sentence);
    }
}
