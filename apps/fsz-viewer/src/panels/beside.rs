//! Another codec beside FSZ.

use egui::Ui;

use crate::app::Viewer;
use crate::beside::Match;

impl Viewer {
    /// Which zfp stands beside FSZ; any other reconstruction is opened by *Compare*.
    pub(super) fn beside(&mut self, ui: &mut Ui) {
        let Some(facts) = self.set.subject.as_ref().and_then(|s| s.facts.clone()) else { return };
        if self.set.original.is_none() {
            return;
        }
        ui.separator();
        ui.heading("Beside it");
        let mut wanted = None;
        for option in Match::ALL {
            let shown = self.beside.wanted == Some(option);
            if ui.selectable_label(shown, option.name()).clicked() {
                wanted = Some(Some(option));
            }
        }
        if self.set.other.is_some() && ui.button("Take the other away").clicked() {
            wanted = Some(None);
        }
        if self.beside.making() {
            ui.horizontal(|ui| {
                ui.label("zfp compresses …");
                if ui.small_button("stop it").clicked() {
                    wanted = Some(None);
                }
            });
        }
        let certificate = &facts.certificate;
        let unknown = certificate.nan + certificate.inf + certificate.missing;
        if self.beside.wanted.is_some() && unknown > 0 {
            ui.label(
                "zfp has no NaN, ±Inf or missing values: its blocks that hold one come back as \
                 anything.",
            );
        }
        if let Some(wanted) = wanted {
            self.put_beside(wanted);
        }
    }
}
