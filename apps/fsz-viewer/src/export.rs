//! Pictures and figures to files.

use std::path::Path;

use anyhow::Result;
use egui::Ui;
use fsz_field::{Kind, Output};

use crate::app::Viewer;
use crate::palette::kind_name;

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut output = Output::create(path, true)?;
    output.put(bytes)?;
    Ok(output.commit()?)
}

impl Viewer {
    /// The figures of the whole field and of the plane, a line each.
    pub(crate) fn metrics_csv(&self) -> String {
        let mut text = String::from(
            "scope,field,max_abs_error,psnr,nrmse,ssim,mean_error,bound_violations,compared,elements\n",
        );
        let plane = format!("axis {} plane {}", self.place.axis, self.place.plane);
        for (of, figures) in
            [("whole field", self.measured.both()), (plane.as_str(), self.plane_figures())]
        {
            for (name, measures) in ["reconstruction", "comparison"].into_iter().zip(figures) {
                let Some(m) = measures else { continue };
                let c = &m.comparison;
                let beyond = c.violations().map_or(String::new(), |n| n.to_string());
                text.push_str(&format!(
                    "{of},{name},{:e},{},{:e},{},{:e},{beyond},{},{}\n",
                    c.max_abs_error,
                    c.psnr(),
                    c.nrmse(),
                    m.ssim,
                    c.mean_error,
                    c.compared,
                    c.elements
                ));
            }
        }
        text
    }

    /// The tiles, a line each.
    pub(crate) fn tiles_csv(&self) -> String {
        let mut text = String::from("tile,kind,bytes,escapes,mean_rate\n");
        let facts = self.set.subject.as_ref().and_then(|s| s.facts.as_ref());
        for (i, tile) in facts.iter().flat_map(|f| f.tiles.iter()).enumerate() {
            let (kind, rate) = (kind_name(tile.kind), tile.mean_rate());
            text.push_str(&format!("{i},{kind},{},{},{rate}\n", tile.bytes, tile.escapes));
        }
        text
    }

    /// The command line that does what is shown.
    pub fn command(&self) -> Option<String> {
        let (leader, place) = (self.set.leader()?, self.place);
        let path = leader.path.display();
        let bp = matches!(Kind::of(&leader.path), Ok(Kind::Bp));
        let selection = match bp {
            true => format!(" --variable '{}' --step {}", self.choice.variable, self.choice.step),
            false => String::new(),
        };
        Some(match &leader.facts {
            _ if self.set.original.is_some() && leader.is_reconstruction() => {
                let original = self.set.original.as_ref()?.path.display();
                format!("fsz compare '{original}' '{path}'{selection}")
            }
            Some(_) if leader.grid.shape().len() == 3 => {
                let (axis, index) = (place.axis, place.plane);
                format!("fsz slice '{path}'{selection} --axis {axis} --index {index} -o plane.npy")
            }
            _ => format!("fsz inspect '{path}'"),
        })
    }

    pub(crate) fn export_menu(&mut self, ui: &mut Ui) {
        let stem = self.set.leader().map_or(String::new(), |d| {
            d.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
        });
        ui.label("Save to the working directory:");
        let mut said = None;
        let (axis, plane) = (self.place.axis, self.place.plane);
        let shown = self.planes.as_ref().map_or(Vec::new(), |planes| self.shown(planes));
        let all = (shown.len() > 1).then(|| ("panes", shown.clone()));
        for (name, panes) in all.into_iter().chain(shown.iter().map(|w| (w.name(), vec![*w]))) {
            let file = format!("{stem}-{name}-axis{axis}-{plane}.png");
            if ui.button(&file).on_hover_text("With colour bar").clicked() {
                let png = self.figure(&panes).and_then(|figure| Ok(figure.png()?));
                said = Some(png.and_then(|png| write(Path::new(&file), &png)).map(|()| file));
                ui.close();
            }
        }
        let swept = (!self.rate_distortion.points.is_empty()).then_some("rate-distortion");
        for (name, text) in [
            (Some("metrics"), Self::metrics_csv as fn(&Self) -> String),
            (Some("tiles"), Self::tiles_csv),
            (swept, Self::rate_distortion_csv),
        ] {
            let Some(name) = name else { continue };
            let file = format!("{stem}-{name}.csv");
            if ui.button(&file).clicked() {
                said = Some(write(Path::new(&file), text(self).as_bytes()).map(|()| file));
                ui.close();
            }
        }
        if let Some(command) = self.command()
            && ui.button("Copy as fsz command").on_hover_text(&command).clicked()
        {
            ui.ctx().copy_text(command);
            ui.close();
        }
        match said {
            Some(Ok(file)) => self.note(format!("Wrote {file}")),
            Some(Err(reason)) => self.report(reason),
            None => {}
        }
    }
}
