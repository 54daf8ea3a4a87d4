//! What the field is, at once.

use egui::{Grid, Ui};

use super::heading;
use crate::app::Viewer;
use crate::number_format;

impl Viewer {
    pub(super) fn facts(&self, ui: &mut Ui) {
        let Some(leader) = self.set.leader() else { return };
        heading(ui, "Field");
        Grid::new("facts").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
            let mut row = |name: &str, value: String| {
                ui.label(name);
                ui.strong(value);
                ui.end_row();
            };
            row("Shape", number_format::shape(leader.grid.shape()));
            row("Type", leader.dtype.name().to_owned());
            row("Size", number_format::bytes(leader.raw_bytes()));
            let Some(facts) = &leader.facts else {
                let zfp = leader.zfp_bytes.is_some();
                row("Stored as", if zfp { "zfp" } else { "uncompressed" }.to_owned());
                if let (Some(bytes), Some(ratio), Some(bits)) =
                    (leader.compressed_bytes(), leader.ratio(), leader.bits_per_value())
                {
                    row("Compressed size", number_format::bytes(bytes));
                    row("Ratio", format!("{ratio:.2} : 1"));
                    row("Bits per value", format!("{bits:.3}"));
                }
                return;
            };
            let (header, certificate) = (&facts.header, &facts.certificate);
            let elements = header.elements().max(1) as f64;
            if let Some(name) = &header.name {
                row("Variable", name.clone());
            }
            if let Some(step) = header.time_step {
                row("Step", step.to_string());
            }
            row("Compressed size", number_format::bytes(facts.compressed_bytes));
            row("Ratio", format!("{:.2} : 1", facts.ratio));
            row("Bits per value", format!("{:.3}", facts.compressed_bytes as f64 * 8.0 / elements));
            row(
                "Requested bound",
                format!(
                    "{} {}",
                    number_format::number(header.bound.requested()),
                    header.bound.kind()
                ),
            );
            if facts.blocks > 1 {
                row("ADIOS2 blocks", number_format::count(facts.blocks as u64));
            }
            let (least, most) = (facts.least_bound, header.absolute_bound);
            let bound = match least < most {
                true => format!(
                    "{} to {}, per block",
                    number_format::number(least),
                    number_format::number(most)
                ),
                false => number_format::number(most),
            };
            row("Absolute bound", bound);
            row("Max error", number_format::number(certificate.max_abs_error));
            row(
                "Range",
                format!(
                    "{} to {}",
                    number_format::number(certificate.min),
                    number_format::number(certificate.max)
                ),
            );
            row("NaN", number_format::count(certificate.nan));
            row("±Inf", number_format::count(certificate.inf));
            row("Missing", number_format::count(certificate.missing));
            row("Stored exactly", number_format::count(certificate.escaped));
        });
        ui.separator();
    }
}
