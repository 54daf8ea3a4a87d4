//! Panes as a figure for a paper or a report: title, picture, what is zoomed in on, and colour bar.

use anyhow::{Context as _, Result};
use egui::{ColorImage, Context, FontId, Rect};

use crate::app::Viewer;
use crate::palette::{FRAME, INK, PAPER, rgb};
use crate::pane::Bar;
use crate::pane_kind::PaneKind;

/// Points of the figure around and between its parts.
const MARGIN: usize = 12;
/// Height of a line of text.
const LINE: usize = 20;
/// Height of the colours of a bar.
const BAR: usize = 12;
/// A picture is magnified by a whole number until it is so wide at least: its facts take the room.
const WIDTH: usize = 480;
/// The inset takes this share of the picture.
const INSET: f32 = 0.45;

/// One pane of a figure.
struct Panel {
    title: String,
    /// What is shown and how good it is.
    facts: String,
    picture: ColorImage,
    bar: Bar,
}

impl Viewer {
    /// Panes side by side, each with its title and colour bar. When the panes are magnified, the part that
    /// they show is framed, and stands in a corner.
    ///
    /// # Errors
    /// When there is no picture of a pane, or the GPU does not give it back.
    pub fn figure(&self, ctx: &Context, panes: &[PaneKind]) -> Result<ColorImage> {
        let planes = self.planes.as_ref().context("no plane is shown yet")?;
        let mut panels = Vec::new();
        for &kind in panes {
            let picture = self.picture(kind).image().context("the pane has no picture yet")??;
            let bar = self.bar(kind, self.scale(kind, planes));
            panels.push(Panel {
                title: self.title(kind, planes),
                facts: self.facts_of(kind),
                picture,
                bar,
            });
        }
        let drawn: Vec<ColorImage> =
            panels.iter().map(|panel| panel.draw(ctx, self.visible)).collect();
        Ok(side_by_side(&drawn))
    }

    /// The plane of an original, and of a reconstruction its ratio and figures of the whole field.
    fn facts_of(&self, kind: PaneKind) -> String {
        let [subject, other] = self.measured.both();
        let (document, measures) = match kind {
            PaneKind::Original => (self.set.original.as_ref(), None),
            PaneKind::Reconstruction | PaneKind::Error => (self.set.subject.as_ref(), subject),
            PaneKind::Other | PaneKind::OtherError => (self.set.other.as_ref(), other),
        };
        let Some(document) = document else { return String::new() };
        let (axis, plane) = (self.place.axis, self.place.plane);
        if kind == PaneKind::Original {
            let name = document.grid.axis_name(axis);
            return format!("{}, {name}, plane {plane}", document.title);
        }
        let mut facts = Vec::new();
        facts.extend(document.ratio().map(|ratio| format!("ratio {ratio:.2}")));
        if let Some(measures) = measures {
            let comparison = &measures.comparison;
            facts.push(format!("PSNR {:.2} dB", comparison.psnr()));
            if let Some(share) = comparison.violation_share() {
                facts.push(format!("bound violations {:.3} %", 100.0 * share));
            }
        }
        facts.join(", ")
    }
}

impl Panel {
    fn draw(&self, ctx: &Context, visible: Rect) -> ColorImage {
        let scale = WIDTH.div_ceil(self.picture.width().max(1));
        let picture = magnified(&self.picture, scale);
        let [width, height] = picture.size;
        let sides = [width + 2 * MARGIN, height + 3 * MARGIN + 3 * LINE + BAR];
        let mut sheet = ColorImage::filled(sides, rgb(PAPER));
        write(&mut sheet, ctx, &self.title, [MARGIN, MARGIN / 2], 0.0);
        write(&mut sheet, ctx, &self.facts, [MARGIN, MARGIN / 2 + LINE], 0.0);
        let top = MARGIN + 2 * LINE;
        put(&mut sheet, &picture, [MARGIN, top]);
        if let Some((part, cells)) = zoomed(&self.picture, visible) {
            let corners = cells.map(|n| n * scale);
            frame(&mut sheet, [MARGIN + corners[0], top + corners[1]], [corners[2], corners[3]]);
            // As large as fits into its share.
            let room = [width as f32 * INSET, height as f32 * INSET];
            let most = (room[0] / part.width() as f32).min(room[1] / part.height() as f32);
            let inset = magnified(&part, (most as usize).max(1));
            // In the corner that is furthest from what it shows.
            let right = corners[0] + corners[2] / 2 < width / 2;
            let below = corners[1] + corners[3] / 2 < height / 2;
            let x = MARGIN + if right { width.saturating_sub(inset.width()) } else { 0 };
            let y = top + if below { height.saturating_sub(inset.height()) } else { 0 };
            put(&mut sheet, &inset, [x, y]);
            frame(&mut sheet, [x, y], inset.size);
        }
        let bar = top + height + MARGIN / 2;
        for x in 0..width {
            let colour = rgb(self.bar.table[x * 255 / (width - 1).max(1)]);
            for y in bar..bar + BAR {
                sheet[(MARGIN + x, y)] = colour;
            }
        }
        for (label, part) in self.bar.labels.iter().zip([0.0, 0.5, 1.0]) {
            let x = MARGIN + (part * width as f32) as usize;
            write(&mut sheet, ctx, label, [x, bar + BAR + 2], part);
        }
        sheet
    }
}

/// The part of a picture that is seen, and its left, top, width and height; none when all of it is.
fn zoomed(picture: &ColorImage, visible: Rect) -> Option<(ColorImage, [usize; 4])> {
    let [width, height] = picture.size;
    let cell = |part: f32, n: usize| ((part.clamp(0.0, 1.0) * n as f32) as usize).min(n - 1);
    if width == 0 || height == 0 || (visible.width() >= 1.0 && visible.height() >= 1.0) {
        return None;
    }
    let (left, top) = (cell(visible.min.x, width), cell(visible.min.y, height));
    let (right, bottom) = (cell(visible.max.x, width), cell(visible.max.y, height));
    let sides = [right - left + 1, bottom - top + 1];
    Some((picture.region_by_pixels([left, top], sides), [left, top, sides[0], sides[1]]))
}

fn magnified(picture: &ColorImage, scale: usize) -> ColorImage {
    let [width, height] = picture.size.map(|n| n * scale);
    let pixels = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x / scale, y / scale)))
        .map(|at| picture[at])
        .collect();
    ColorImage::new([width, height], pixels)
}

/// Lays a picture on a sheet; what lies outside is left out.
fn put(sheet: &mut ColorImage, picture: &ColorImage, [left, top]: [usize; 2]) {
    for y in 0..picture.height().min(sheet.height().saturating_sub(top)) {
        for x in 0..picture.width().min(sheet.width().saturating_sub(left)) {
            sheet[(left + x, top + y)] = picture[(x, y)];
        }
    }
}

fn frame(sheet: &mut ColorImage, [left, top]: [usize; 2], [width, height]: [usize; 2]) {
    let [columns, rows] = sheet.size;
    for y in top..(top + height).min(rows) {
        for x in left..(left + width).min(columns) {
            let inside = |at: usize, from: usize, n: usize| at >= from + 2 && at + 2 < from + n;
            if !(inside(x, left, width) && inside(y, top, height)) {
                sheet[(x, y)] = rgb(FRAME);
            }
        }
    }
}

/// Writes a line; `anchor` says which part of it, from 0 to 1, lies at `left`.
fn write(sheet: &mut ColorImage, ctx: &Context, text: &str, [left, top]: [usize; 2], anchor: f32) {
    let points = ctx.pixels_per_point();
    let (line, glyphs) = ctx.fonts_mut(|fonts| {
        let font = FontId::proportional(14.0 / points);
        (fonts.layout_no_wrap(text.to_owned(), font, rgb(INK)), fonts.image())
    });
    let x = left as f32 - anchor * line.size().x * points;
    // Its last glyph shall be seen too.
    let [width, height] = sheet.size;
    let x = x.min(width as f32 - line.size().x * points).max(0.0);
    for row in &line.rows {
        // Four corners a glyph: where it lies, and where it is among the glyphs.
        for [first, .., last] in row.visuals.mesh.vertices.as_chunks::<4>().0 {
            let size = last.uv - first.uv;
            let place = (row.pos + first.pos.to_vec2()) * points;
            for v in 0..size.y as usize {
                for u in 0..size.x as usize {
                    let ink = glyphs[(first.uv.x as usize + u, first.uv.y as usize + v)].a();
                    let (x, y) = ((x + place.x) as usize + u, top + place.y as usize + v);
                    if x < width && y < height {
                        let under = sheet[(x, y)];
                        sheet[(x, y)] = under.lerp_to_gamma(rgb(INK), f32::from(ink) / 255.0);
                    }
                }
            }
        }
    }
}

fn side_by_side(panels: &[ColorImage]) -> ColorImage {
    let width = panels.iter().map(ColorImage::width).sum();
    let height = panels.iter().map(ColorImage::height).max().unwrap_or(0);
    let mut sheet = ColorImage::filled([width, height], rgb(PAPER));
    let mut left = 0;
    for panel in panels {
        put(&mut sheet, panel, [left, 0]);
        left += panel.width();
    }
    sheet
}
