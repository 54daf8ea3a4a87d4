//! All steps of a series as pictures: a file each, or one that moves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use egui::Rect;
use fsz::{Codec, Progress};
use fsz_field::{Hints, Output};
use fsz_figure::text::Type;
use fsz_figure::{Animation, Canvas};

use crate::app::Viewer;
use crate::app::export::save;
use crate::model::catalog::{Catalog, Choice};
use crate::model::document::Document;
use crate::model::palette::Map;
use crate::model::pane_kind::PaneKind;
use crate::model::plane::{Place, Plane};
use crate::model::scale::Scale;
use crate::model::scene::{ErrorMode, Overlay, Scene};
use crate::view::bars::{bar, title};
use crate::view::colour_bar::Bar;
use crate::view::figure::Panel;
use crate::view::paint::CpuPainter;
use crate::view::painter::Painter;
use crate::work::open::opened;

/// Frames per second of a picture that moves.
const RATE: u16 = 24;

/// How each step is shown: as the one in the pane is, with the same colours for the same values.
struct Frames {
    catalog: Catalog,
    choice: Choice,
    place: Place,
    title: String,
    bar: Bar,
    map: Map,
    scale: Scale,
    overlay: Overlay,
    opacity: f32,
    visible: Rect,
    font: Type,
}

impl Viewer {
    /// Writes the plane that is shown of every step into a folder, or as one picture that moves, on a thread of its own.
    /// What comes back tells how far that is; nothing where there is no series.
    pub fn export_series(&mut self, animated: bool, to: PathBuf) -> Option<Arc<Progress>> {
        let frames = match self.frames() {
            Ok(frames) => frames,
            Err(reason) => {
                self.report(reason);
                return None;
            }
        };
        let written = move |to: &Path, progress: &Progress| match animated {
            true => frames.animation(to, progress),
            false => frames.files(to, progress),
        };
        Some(self.write_aside("Exporting steps", to, written))
    }

    fn frames(&self) -> Result<Frames> {
        let (set, view) = (&self.session.set, &self.view_state);
        let catalog =
            self.session.catalogs.iter().flatten().next().context("there is no series")?;
        let planes = self.session.planes.as_deref().context("no plane is shown yet")?;
        let kind = match planes.subject {
            Some(_) => PaneKind::Reconstruction,
            None => PaneKind::Original,
        };
        let settings = &view.settings;
        Ok(Frames {
            catalog: catalog.clone(),
            choice: catalog.nearest(&self.session.choice),
            place: self.session.place,
            title: title(kind, set, planes, view),
            bar: bar(kind, set, planes, view),
            map: settings.map,
            scale: view.ranges.scale(kind, set, planes, settings),
            overlay: settings.overlay,
            opacity: settings.opacity,
            visible: view.visible,
            font: Type::load()?,
        })
    }
}

impl Frames {
    fn count(&self) -> u64 {
        self.catalog.steps(&self.choice.variable)
    }

    /// The picture of a step.
    fn draw(&self, step: u64, progress: &Progress) -> Result<Canvas> {
        let choice = Choice { step, ..self.choice.clone() };
        let (document, _) = opened(&self.catalog.path, &Hints::default(), &choice, progress)?;
        let place = self.place.within(&document.grid);
        let field = document.plane_field(&Codec::cpu(), place, progress)?;
        let plane = Plane::of(document.grid.plane(place.axis), &field);
        if self.overlay != Overlay::Off {
            document.read_tiles(progress)?;
        }
        let scene = self.scene(&document);
        let picture = CpuPainter.values(&scene, &plane, true)?.host()?;
        let axis = document.grid.axis_name(self.place.axis);
        let facts = format!("step {step}, {axis}, plane {}", self.place.plane);
        let panel = Panel { title: self.title.clone(), facts, picture, bar: self.bar.clone() };
        Ok(panel.draw(&self.font, self.visible))
    }

    fn scene<'a>(&self, document: &'a Document) -> Scene<'a> {
        Scene {
            map: self.map,
            scale: self.scale,
            missing: document.missing(),
            error: ErrorMode::default(),
            limit: 0.0.into(),
            bounded: false,
            // They may be others in each step.
            regions: None,
            overlay: self.overlay,
            opacity: self.opacity,
            tiles: document.tiles().filter(|tiles| tiles.is_read()),
            grid: &document.grid,
            place: self.place,
        }
    }

    /// Calls `write` with each picture until it is cancelled.
    fn each(
        &self,
        progress: &Progress,
        mut write: impl FnMut(u64, &Canvas) -> Result<()>,
    ) -> Result<()> {
        progress.begin(self.count());
        let mut size = None;
        for step in 0..self.count() {
            progress.check()?;
            let frame = self.draw(step, progress).with_context(|| format!("step {step}"))?;
            if *size.get_or_insert(frame.size()) != frame.size() {
                bail!("step {step} has another shape than those before it");
            }
            write(step, &frame)?;
            progress.advance(1)?;
        }
        Ok(())
    }

    fn files(&self, folder: &Path, progress: &Progress) -> Result<()> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let digits = self.count().saturating_sub(1).to_string().len();
        self.each(progress, |step, frame| {
            save(&folder.join(format!("step-{step:0digits$}.png")), &frame.png()?)
        })
    }

    fn animation(&self, file: &Path, progress: &Progress) -> Result<()> {
        let frames = u32::try_from(self.count()).context("there are too many steps")?;
        let size = self.draw(0, progress).context("step 0")?.size();
        let mut output = Output::create(file, true)?;
        let mut animation = Animation::new(&mut output, size, frames, RATE)?;
        self.each(progress, |_, frame| Ok(animation.add(frame)?))?;
        animation.finish()?;
        Ok(output.commit()?)
    }
}
