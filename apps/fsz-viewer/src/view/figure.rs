//! Panes as a figure for a paper or a report: title, picture, what is zoomed in on, and colour bar.

use anyhow::{Context, Result};
use egui::ColorImage;
use fsz_figure::text::{Anchor, Label, Type};
use fsz_figure::{Canvas, Rect, Rgb};

use crate::model::number_format::decibels;
use crate::model::pane_kind::PaneKind;
use crate::model::plane::Place;
use crate::model::session::Session;
use crate::view::bars::{bar, title};
use crate::view::colour_bar::Bar;
use crate::view::state::ViewState;
use crate::view::text::shortened;

const PAPER: Rgb = Rgb::hex(0xff_ffff);
const INK: Rgb = Rgb::hex(0x00_0000);
/// Around the part that is zoomed in on, and its inset.
const FRAME: Rgb = Rgb::hex(0xd6_2728);
const FRAME_LINE: usize = 2;

/// Size of the text.
const TEXT: f32 = 16.0;
/// Points of the figure around and between its parts.
const MARGIN: usize = 12;
/// Height of a line of text.
const LINE: usize = 20;
/// Height of the colours of a bar.
const BAR: usize = 12;
/// A picture is magnified by a whole number until it is so wide at least: its facts take the room.
const WIDTH: usize = 480;
/// It is magnified to no more than this height.
const HEIGHT: usize = 2 * WIDTH;
/// The inset takes this share of the picture.
const INSET: f32 = 0.45;

/// One pane of a figure.
#[derive(Debug)]
pub struct Panel {
    /// What it is called.
    pub title: String,
    /// What is shown and how good it is.
    pub facts: String,
    /// Its picture.
    pub picture: ColorImage,
    /// Its colours.
    pub bar: Bar,
}

/// Panes side by side, each with its title and colour bar. When the panes are magnified, the part that
/// they show is framed, and stands in a corner.
///
/// # Errors
/// When there is no picture of a pane, or the GPU does not give it back.
pub fn figure(session: &Session, view: &ViewState, panes: &[PaneKind]) -> Result<Canvas> {
    let planes = session.planes.as_ref().context("no plane is shown yet")?;
    let mut panels = Vec::new();
    for &kind in panes {
        let picture = view.pictures.of(kind).image().context("the pane has no picture yet")??;
        panels.push(Panel {
            title: title(kind, &session.set, planes, view),
            facts: facts_of(session, planes.place, kind),
            picture,
            bar: bar(kind, &session.set, planes, view),
        });
    }
    let font = Type::load()?;
    let visible = |kind: PaneKind| match kind {
        // It is seen whole.
        PaneKind::Volume => egui::Rect::EVERYTHING,
        _ => view.visible,
    };
    let drawn = panels.iter().zip(panes).map(|(panel, &kind)| panel.draw(&font, visible(kind)));
    let drawn: Vec<Canvas> = drawn.collect();
    Ok(side_by_side(&drawn))
}

/// Which plane is shown, where another one may be asked for already: of the original, or of what is shown without one. Of a
/// reconstruction its ratio and figures of the whole field.
fn facts_of(session: &Session, shown: Place, kind: PaneKind) -> String {
    let [subject, other] = session.measured.both();
    let (document, measures) = match kind {
        PaneKind::Original => (session.set.original.as_ref(), None),
        PaneKind::Reconstruction | PaneKind::Error => (session.set.subject.as_ref(), subject),
        PaneKind::Other | PaneKind::OtherError => (session.set.other.as_ref(), other),
        PaneKind::Volume => return String::new(),
    };
    let Some(document) = document else { return String::new() };
    let mut facts = Vec::new();
    let alone = kind == PaneKind::Reconstruction && session.set.original.is_none();
    if kind == PaneKind::Original || alone {
        facts.extend([document.title.clone(), document.grid.axis_name(shown.axis)]);
        // Of two axes there is one plane.
        facts.extend((document.grid.axes() > 1).then(|| format!("plane {}", shown.plane)));
    }
    if kind == PaneKind::Original {
        return facts.join(", ");
    }
    facts.extend(document.ratio().map(|ratio| format!("ratio {ratio:.2}")));
    if let Some(measures) = measures {
        let comparison = &measures.comparison;
        facts.push(format!("PSNR {}", decibels(comparison)));
        if let Some(share) = comparison.violation_share() {
            facts.push(format!("bound violations {:.3} %", 100.0 * share));
        }
    }
    facts.join(", ")
}

impl Panel {
    /// Draws it, with the part that is `visible` in parts of the plane.
    pub fn draw(&self, font: &Type, visible: egui::Rect) -> Canvas {
        let scale = WIDTH.div_ceil(self.picture.width().max(1));
        let scale = scale.min(HEIGHT / self.picture.height().max(1)).max(1);
        // A field of one axis is stretched, as in its pane, or nothing of it would be seen.
        let least = self.picture.width() * scale * 2 / 25;
        let down = scale.max(least.div_ceil(self.picture.height().max(1)));
        let [width, height] = [self.picture.width() * scale, self.picture.height() * down];
        let along = width.max(WIDTH);
        let wide = |text: &str| font.width(text, TEXT).ceil() as usize;
        let items = self.bar.items().map(|(mark, name)| (mark, name, wide(name) + 2 * MARGIN));
        let items: Vec<_> = items.collect();
        let row: usize = items.iter().map(|(_, _, width)| width).sum();
        let ends = self.bar.ends.each_ref().map(|text| wide(text));
        // What has no room between the labels stands below them.
        let is_beside = row + 2 * (ends[0].max(ends[1]) + MARGIN) <= along;
        let lines = if is_beside || items.is_empty() { 3 } else { 4 };
        let sides = (along + 2 * MARGIN, height + 3 * MARGIN + lines * LINE + BAR);
        let mut sheet = Canvas::new(sides.0, sides.1, PAPER);
        let write = |sheet: &mut Canvas, text: &str, x, y, anchor| {
            font.draw(sheet, &Label { text, x, y, size: TEXT, colour: INK, anchor });
        };
        write(&mut sheet, &self.title, MARGIN, MARGIN / 2, Anchor::Left);
        let facts = shortened(&self.facts, |text| wide(text) <= along);
        write(&mut sheet, &facts, MARGIN, MARGIN / 2 + LINE, Anchor::Left);
        let picture = Rect { x: MARGIN, y: MARGIN + 2 * LINE, width, height };
        let colour = |x: usize, y: usize| {
            let [r, g, b, _] = self.picture[(x, y)].to_array();
            Rgb([r, g, b])
        };
        sheet.fill_with(picture, |x, y| colour(x / scale, y / down));
        if let Some(part) = zoomed(&self.picture, visible) {
            let framed = Rect {
                x: picture.x + part.x * scale,
                y: picture.y + part.y * down,
                width: part.width * scale,
                height: part.height * down,
            };
            sheet.frame(framed, FRAME_LINE, FRAME);
            // As large as fits into its share.
            let most = |side: usize, part: usize| (side as f32 * INSET) as usize / part;
            let times = most(width, part.width).min(most(height, part.height)).max(1);
            let mut inset =
                Rect { width: part.width * times, height: part.height * times, ..picture };
            // In the corner that is furthest from what it shows.
            if (2 * part.x + part.width) * scale < width {
                inset.x += width.saturating_sub(inset.width);
            }
            if (2 * part.y + part.height) * down < height {
                inset.y += height.saturating_sub(inset.height);
            }
            sheet.fill_with(inset, |x, y| colour(part.x + x / times, part.y + y / times));
            sheet.frame(inset, FRAME_LINE, FRAME);
        }
        let y = picture.bottom() + MARGIN / 2;
        let bar = Rect { x: MARGIN, y, width: along, height: BAR };
        sheet.fill_with(bar, |x, _| Rgb(self.bar.table[x * 255 / (along - 1).max(1)]));
        let below = bar.bottom() + 2;
        let [low, high] = &self.bar.ends;
        // The highest alone tells more than two that lie on each other.
        if ends[0] + MARGIN + ends[1] <= along {
            write(&mut sheet, low, MARGIN, below, Anchor::Left);
        }
        write(&mut sheet, high, MARGIN + along, below, Anchor::Right);
        // What stands between them, with the colours that it is of.
        let (mut x, y) = match is_beside {
            true => (MARGIN + (along - row) / 2, below),
            false => (MARGIN, below + LINE),
        };
        for (mark, name, width) in items {
            if let Some(colour) = mark {
                let square = Rect { x, y: y + LINE / 4, width: BAR, height: BAR };
                sheet.fill(square, Rgb(colour));
            }
            write(&mut sheet, name, x + BAR + MARGIN / 4, y, Anchor::Left);
            x += width;
        }
        sheet
    }
}

/// The points of a picture that are seen; none when all of them are.
fn zoomed(picture: &ColorImage, visible: egui::Rect) -> Option<Rect> {
    let [width, height] = picture.size;
    let cell = |part: f32, n: usize| ((part.clamp(0.0, 1.0) * n as f32) as usize).min(n - 1);
    if width == 0 || height == 0 {
        return None;
    }
    let (x, y) = (cell(visible.min.x, width), cell(visible.min.y, height));
    let (right, bottom) = (cell(visible.max.x, width), cell(visible.max.y, height));
    let part = Rect { x, y, width: right - x + 1, height: bottom - y + 1 };
    // By points: what just fits into the pane may be a hair larger than it.
    (part.width < width || part.height < height).then_some(part)
}

fn side_by_side(panels: &[Canvas]) -> Canvas {
    let width = panels.iter().map(|panel| panel.size().0).sum();
    let height = panels.iter().map(|panel| panel.size().1).max().unwrap_or(0);
    let mut sheet = Canvas::new(width, height, PAPER);
    let mut x = 0;
    for panel in panels {
        let (width, height) = panel.size();
        let place = Rect { x, y: 0, width, height };
        sheet.fill_with(place, |x, y| panel.pixel(x, y).unwrap_or(PAPER));
        x += width;
    }
    sheet
}

#[cfg(test)]
mod tests {
    use egui::{Pos2, vec2};

    use super::*;
    use crate::model::document::Document;
    use crate::model::grid::PlaneSize;
    use crate::view::camera::Camera;
    use crate::view::colour_bar::Mark;

    /// As of errors of a field with regions: names that have no room between the labels do not lie on them.
    #[test]
    fn labels_of_a_bar_do_not_lie_on_each_other() {
        let font = Type::load().unwrap();
        let mark = |name| Mark { colour: [255, 0, 255], name };
        let drawn = |[low, high]: [&str; 2], names: &[&'static str]| {
            let marks = names.iter().map(|&name| mark(name)).collect();
            let ends = [low.to_owned(), high.to_owned()];
            let bar = Bar { table: [[0; 3]; 256], ends, note: "", marks };
            let picture = ColorImage::filled([48, 20], egui::Color32::WHITE);
            let panel = Panel { title: String::new(), facts: String::new(), picture, bar };
            panel.draw(&font, egui::Rect::EVERYTHING)
        };
        let line = |sheet: &Canvas, right: usize| {
            let top = MARGIN + 2 * LINE + 200 + MARGIN / 2 + BAR + 2;
            let points = (top..top + LINE).flat_map(|y| (0..right).map(move |x| (x, y)));
            points.map(|(x, y)| sheet.pixel(x, y)).collect::<Vec<_>>()
        };
        let short = drawn(["0", "1"], &["missing"]);
        assert_eq!(short.size(), drawn(["0", "1"], &[]).size());
        let regions = ["-bound of each region", "+bound of each region"];
        let (alone, named) =
            (drawn(regions, &[]), drawn(regions, &["bound exceeded", "other bound"]));
        assert_eq!(named.size().1, alone.size().1 + LINE);
        let width = alone.size().0;
        assert!(line(&named, width) == line(&alone, width), "nothing lies on the labels");
        let values = [
            "-0.00123456 of each value, or 1.23456e-6",
            "+0.00123456 of each value, or 1.23456e-6",
        ];
        let (both, high) = (drawn(values, &[]), drawn(["", values[1]], &[]));
        assert!(line(&both, width) == line(&high, width), "two labels lie on each other");
    }

    #[test]
    fn the_plane_that_is_named_is_the_one_that_is_shown() {
        let values = vec![0f32; 24];
        let field = fsz_field::Field::new(fsz_field::Shape::new(&[2, 3, 4]).unwrap(), values);
        let original = Document::of_values("U".into(), "U.npy".as_ref(), field.unwrap());
        let mut session = Session { place: Place { axis: 2, plane: 3 }, ..Session::default() };
        session.set.original = Some(original.clone());
        let facts = facts_of(&session, Place { axis: 1, plane: 2 }, PaneKind::Original);
        assert_eq!(facts, "U, axis 1, plane 2");
        // A reconstruction without its original tells it, too.
        for (has_original, expected) in [(false, "U, axis 1, plane 2"), (true, "")] {
            session.set.subject = Some(original.clone());
            session.set.original = has_original.then(|| original.clone());
            let place = Place { axis: 1, plane: 2 };
            assert_eq!(facts_of(&session, place, PaneKind::Reconstruction), expected);
        }
    }

    /// A plane that just fits is seen whole, however its sides are rounded.
    #[test]
    fn what_fits_into_the_pane_is_not_zoomed_in_on() {
        let size = PlaneSize { rows: 192, columns: 288 };
        let picture = ColorImage::filled([size.columns, size.rows], egui::Color32::BLACK);
        for step in 0..2000 {
            let pane = vec2(300.0 + step as f32 * 0.37, 310.0 + step as f32 * 0.23);
            let pane = egui::Rect::from_min_size(Pos2::new(293.7, 51.3), pane);
            let whole = Camera::default().whole(pane, size);
            let part = |at: Pos2| ((at - whole.min) / whole.size()).to_pos2();
            let visible = egui::Rect::from_min_max(part(pane.min), part(pane.max));
            assert!(zoomed(&picture, visible).is_none(), "{pane}: {visible}");
        }
    }
}
