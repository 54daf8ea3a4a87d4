//! The bar under a pane: its colours from low to high, and the colours that stand for something else.

use std::sync::Arc;

use egui::{FontId, Galley, Sense, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};

use crate::view::colour::rgb;

/// A bar with a line of labels, and what stands between them.
const HEIGHT: f32 = 26.0;
/// A further line, where the one before has no room for what stands between the labels, or for both of them.
const LINE: f32 = 14.0;
/// The side of a mark.
const MARK: f32 = 8.0;
/// Between a mark and its name.
const NEAR: f32 = 4.0;
/// Between names.
const APART: f32 = 10.0;

/// What stands under a pane.
#[derive(Clone, Debug)]
pub struct Bar {
    /// 256 colours from low to high.
    pub table: [[u8; 3]; 256],
    /// Labels of the lowest and the highest colour.
    pub ends: [String; 2],
    /// What there is to say of the scale; may be empty.
    pub note: &'static str,
    /// Colours that are none of the scale.
    pub marks: Vec<Mark>,
}

/// A colour and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The colour.
    pub colour: [u8; 3],
    /// What has it.
    pub name: &'static str,
}

/// Text that is laid out, with the colour of its mark.
type Item = (Option<[u8; 3]>, Arc<Galley>);

impl Bar {
    /// The note and the marks, by name.
    pub fn items(&self) -> impl Iterator<Item = (Option<[u8; 3]>, &'static str)> {
        let note = (!self.note.is_empty()).then_some((None, self.note));
        note.into_iter().chain(self.marks.iter().map(|mark| (Some(mark.colour), mark.name)))
    }

    /// Its height at a width.
    pub fn height(&self, ui: &Ui, width: f32) -> f32 {
        let items = self.laid_out(ui);
        let below = !items.is_empty() && !self.is_beside(ui, &items, width);
        HEIGHT + LINE * f32::from(u8::from(self.is_stacked(ui, width)) + u8::from(below))
    }

    /// Draws the colours and their labels.
    pub fn show(&self, ui: &mut Ui, width: f32) {
        let items = self.laid_out(ui);
        let beside = self.is_beside(ui, &items, width);
        let (area, response) =
            ui.allocate_exact_size(vec2(width, self.height(ui, width)), Sense::hover());
        let names = self.items().map(|(_, name)| name);
        let all = [self.ends[0].as_str(), self.ends[1].as_str()].into_iter().chain(names);
        response.on_hover_text(all.collect::<Vec<_>>().join("   "));
        let painter = ui.painter_at(area);
        let mut strip = egui::Mesh::default();
        for (i, &colour) in self.table.iter().enumerate() {
            let x = area.min.x + width * i as f32 / (self.table.len() - 1) as f32;
            let colour = rgb(colour);
            strip.colored_vertex(pos2(x, area.min.y + 2.0), colour);
            strip.colored_vertex(pos2(x, area.min.y + 10.0), colour);
            if let Some(last) = (2 * i as u32).checked_sub(2) {
                strip.add_triangle(last, last + 1, last + 2);
                strip.add_triangle(last + 1, last + 2, last + 3);
            }
        }
        painter.add(strip);
        let ink = ui.visuals().text_color();
        let [low, high] = self.ends.each_ref().map(|text| text_of(ui, text));
        let y = area.min.y + 12.0;
        let last = if self.is_stacked(ui, width) { y + LINE } else { y };
        painter.galley(pos2(area.min.x, y), low, ink);
        painter.galley(pos2(area.max.x - high.size().x, last), high, ink);
        let (mut x, y) = match beside {
            true => (area.center().x - row(&items) / 2.0, y),
            false => (area.min.x, last + LINE),
        };
        for (mark, name) in items {
            let wide = item(&(mark, name.clone()));
            if x + wide > area.max.x + 1.0 {
                break;
            }
            let mut at = x;
            if let Some(colour) = mark {
                let corner = pos2(at, y + (name.size().y - MARK) / 2.0);
                let square = egui::Rect::from_min_size(corner, Vec2::splat(MARK));
                painter.rect_filled(square, 1.0, rgb(colour));
                // Some are nearly as dark as the window.
                painter.rect_stroke(square, 1.0, Stroke::new(0.5, ink), StrokeKind::Outside);
                at += MARK + NEAR;
            }
            painter.galley(pos2(at, y), name, ink);
            x += wide + APART;
        }
    }

    fn laid_out(&self, ui: &Ui) -> Vec<Item> {
        self.items().map(|(mark, name)| (mark, text_of(ui, name))).collect()
    }

    /// The widths of the labels.
    fn widths(&self, ui: &Ui) -> [f32; 2] {
        self.ends.each_ref().map(|text| text_of(ui, text).size().x)
    }

    /// Whether one label stands above the other: a line has no room for both.
    fn is_stacked(&self, ui: &Ui, width: f32) -> bool {
        self.widths(ui).iter().sum::<f32>() + NEAR > width
    }

    /// Whether the note and the marks have room between the labels.
    fn is_beside(&self, ui: &Ui, items: &[Item], width: f32) -> bool {
        let [low, high] = self.widths(ui);
        row(items) + 2.0 * (low.max(high) + NEAR) <= width
    }
}

fn text_of(ui: &Ui, text: &str) -> Arc<Galley> {
    let (font, colour) = (FontId::proportional(11.0), ui.visuals().text_color());
    ui.painter().layout_no_wrap(text.to_owned(), font, colour)
}

/// The width of a name with its mark.
fn item((mark, name): &Item) -> f32 {
    name.size().x + mark.map_or(0.0, |_| MARK + NEAR)
}

/// The width of all of them.
fn row(items: &[Item]) -> f32 {
    items.iter().map(item).sum::<f32>() + APART * items.len().saturating_sub(1) as f32
}
