//! What the field is, at once.

use egui::{Grid, Ui};
use fsz::{Bound, Place};

use crate::model::number_format::{bytes, count, number, shape, within};
use crate::model::regions;
use crate::view::bars::limit_text;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::text::{brief, heading, named};

/// What does not explain itself.
const HINTS: [(&str, &str); 7] = [
    ("Ratio", "Size by compressed size"),
    ("Requested bound", "What the writer asked for"),
    ("Absolute bound", "What no error exceeds, in the unit of the values"),
    ("Max error", "The largest error that the encoder found, from the certificate"),
    ("Range", "Of the finite values before compression, without missing ones"),
    ("Missing", "Values that the writer named as missing; they are stored exactly"),
    (
        "Stored exactly",
        "Values without a code: NaN, ±Inf, missing values, and what no code keeps within the bound",
    ),
];

/// Where a region is.
fn place(place: &Place) -> String {
    match place {
        Place::Box { start, count } => {
            let sides = start.iter().zip(count).map(|(s, c)| format!("{s}:{}", s + c));
            format!("Bound in {}", sides.collect::<Vec<_>>().join(","))
        }
        _ => format!("Bound of {} masked", count(place.elements())),
    }
}

/// What the writer asked for: a bound, or what was to be reached by one.
fn requested(bound: Bound) -> String {
    match bound {
        Bound::Psnr(psnr) => format!("PSNR of {} dB", number(psnr)),
        Bound::Ratio(ratio) => format!("ratio of {}", number(ratio)),
        Bound::MaxBytes(most) => format!("{} bytes at most", count(most)),
        bound => format!("{} {}", number(bound.requested()), bound.kind()),
    }
}

/// Shape, type, size, bound and certificate.
pub fn facts(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let Some(leader) = input.session.set.leader() else { return Vec::new() };
    heading(ui, "Field");
    Grid::new("facts").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            named(ui, name, &HINTS);
            let shown = ui.strong(value);
            ui.end_row();
            shown
        };
        row("Shape", shape(leader.grid.shape()));
        row("Type", leader.dtype.name().to_owned());
        row("Size", bytes(leader.raw_bytes()));
        if leader.facts.is_none() {
            row("Stored as", leader.codec().unwrap_or("uncompressed").to_owned());
        }
        let header = leader.facts.as_ref().map(|facts| &facts.header);
        if let Some(name) = header.and_then(|header| header.name.as_ref()) {
            row("Variable", brief(name)).on_hover_text(name);
        }
        if let Some(step) = header.and_then(|header| header.time_step) {
            row("Step", step.to_string());
        }
        if let (Some(stored), Some(ratio), Some(bits)) =
            (leader.compressed_bytes(), leader.ratio(), leader.bits_per_value())
        {
            row("Compressed size", bytes(stored));
            // A field without elements has neither.
            let some = leader.grid.elements() > 0;
            let of = |text: String| if some { text } else { "–".to_owned() };
            row("Ratio", of(format!("{ratio:.2} : 1")));
            row("Bits per value", of(format!("{bits:.3}")));
        }
        if let Some(fsz1) = &leader.fsz1 {
            row("Absolute bound", number(fsz1.bound));
        }
        let Some(facts) = &leader.facts else { return };
        let (header, certificate) = (&facts.header, &facts.certificate);
        row("Requested bound", requested(header.bound));
        if facts.blocks > 1 {
            row("ADIOS2 blocks", count(facts.blocks as u64));
        }
        let (least, most) = (facts.least_bound, header.absolute_bound);
        let bound = match least < most {
            true => format!("{} to {}, per block", number(least), number(most)),
            false => number(most),
        };
        row("Absolute bound", bound);
        if let Some(part) = header.relative.filter(|part| part.floor > 0.0) {
            row("Floor", number(part.floor));
        }
        for region in facts.regions.iter() {
            row(
                &place(&region.place),
                limit_text(regions::limit(region.bound, region.absolute_bound)),
            );
        }
        row("Max error", number(certificate.max_abs_error));
        if let Some(share) = certificate.max_relative_error {
            row("Max relative error", number(share));
        }
        // None without a finite value.
        let range = match certificate.min.is_nan() {
            true => "–".to_owned(),
            false => {
                let (least, most) = (certificate.min, certificate.max);
                let [from, to] = [least, most].map(|end| within(end, least, most));
                // All digits of both would take the room of the panes.
                let gap = if from.len() + to.len() > 24 { "\n" } else { " " };
                format!("{from} to{gap}{to}")
            }
        };
        row("Range", range);
        row("NaN", count(certificate.nan));
        row("±Inf", count(certificate.inf));
        row("Missing", count(certificate.missing));
        row("Stored exactly", count(certificate.escaped));
    });
    ui.separator();
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_has_its_unit() {
        let told = [
            (Bound::Absolute(0.5), "0.5 absolute"),
            (Bound::ValueRange(1e-3), "0.001 value-range"),
            (Bound::Psnr(60.0), "PSNR of 60 dB"),
            (Bound::Ratio(12.5), "ratio of 12.5"),
            (Bound::MaxBytes(40000), "40\u{2009}000 bytes at most"),
        ];
        for (bound, text) in told {
            assert_eq!(requested(bound), text);
        }
    }
}
