//! What the field is, at once.

use egui::{Grid, Ui};

use crate::app::Viewer;
use crate::words;

impl Viewer {
    pub(super) fn facts(&self, ui: &mut Ui) {
        let Some(leader) = self.set.leader() else { return };
        ui.heading("Field");
        Grid::new("facts").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
            let mut row = |name: &str, value: String| {
                ui.label(name);
                ui.strong(value);
                ui.end_row();
            };
            row("shape", words::shape(leader.grid.shape()));
            row("type", leader.dtype.name().to_owned());
            row("size", words::bytes(leader.raw_bytes()));
            let Some(facts) = &leader.facts else {
                let zfp = leader.zfp_bytes.is_some();
                row("stored as", if zfp { "zfp" } else { "plain values" }.to_owned());
                if let (Some(bytes), Some(ratio), Some(bits)) =
                    (leader.compressed_bytes(), leader.ratio(), leader.bits_per_value())
                {
                    row("compressed", words::bytes(bytes));
                    row("ratio", format!("{ratio:.2} : 1"));
                    row("bits per value", format!("{bits:.3}"));
                }
                return;
            };
            let (header, certificate) = (&facts.header, &facts.certificate);
            let elements = header.elements().max(1) as f64;
            if let Some(name) = &header.name {
                row("variable", name.clone());
            }
            if let Some(step) = header.time_step {
                row("step", step.to_string());
            }
            row("compressed", words::bytes(facts.compressed_bytes));
            row("ratio", format!("{:.2} : 1", facts.ratio));
            row("bits per value", format!("{:.3}", facts.compressed_bytes as f64 * 8.0 / elements));
            row(
                "bound asked",
                format!("{} {}", words::number(header.bound.requested()), header.bound.kind()),
            );
            if facts.blocks > 1 {
                row("ADIOS2 blocks", words::count(facts.blocks as u64));
            }
            let (least, most) = (facts.least_bound, header.absolute_bound);
            let bound = match least < most {
                true => format!("{} to {}, by block", words::number(least), words::number(most)),
                false => words::number(most),
            };
            row("absolute bound", bound);
            row("largest error", words::number(certificate.max_abs_error));
            row(
                "range",
                format!("{} to {}", words::number(certificate.min), words::number(certificate.max)),
            );
            row("NaN", words::count(certificate.nan));
            row("±Inf", words::count(certificate.inf));
            row("missing", words::count(certificate.missing));
            row("stored exactly", words::count(certificate.escaped));
        });
        ui.separator();
    }
}
