//! Whether the text that a window shows can be read: none is cut off, none lies on another, and its
//! contrast with what is behind it is at least 4.5 : 1.

use egui::epaint::{ClippedShape, TextShape};
use egui::{Color32, Context, Pos2, Rect, Shape};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use fsz_viewer::Viewer;

/// The contrast that text of any size needs, by WCAG 2.1, 1.4.3.
const LEAST: f64 = 4.5;

/// A point is cut off without anyone seeing it.
const TOLERANCE: f32 = 1.5;

/// Fails where a text of the last frame cannot be read.
pub fn check(viewer: &Harness<'_, Viewer>, of: &str) {
    let context = viewer.ctx.clone();
    let shapes: Vec<(Rect, Shape)> =
        viewer.output().shapes.iter().cloned().flat_map(flat).collect();
    let disabled = viewer.query_all_by(|node| node.is_disabled());
    let disabled: Vec<Rect> = disabled.map(|node| node.rect()).collect();
    let mut seen: Vec<(usize, Rect, &str)> = Vec::new();
    for (at, (clip, shape)) in shapes.iter().enumerate() {
        let Shape::Text(text) = shape else { continue };
        let (rect, words) = (text.visual_bounding_rect(), text.galley.text());
        let shown = rect.intersect(*clip);
        // Scrolled out of sight, or behind a window.
        let out = !shown.is_positive() || shown.height() < rect.height() - TOLERANCE;
        if words.trim().is_empty() || out || is_covered(&shapes[at + 1..], rect.center()) {
            continue;
        }
        let whole = !text.galley.elided && shown.width() >= rect.width() - TOLERANCE;
        assert!(whole, "{of}: “{words}” is cut off at {rect:?} by {clip:?}");
        let other = seen.iter().find(|(earlier, other, _)| {
            let common = other.shrink(TOLERANCE).intersect(rect.shrink(TOLERANCE));
            // A menu may lie between them.
            common.is_positive() && !is_covered(&shapes[earlier + 1..at], common.center())
        });
        assert!(other.is_none(), "{of}: “{words}” lies on “{}”", other.unwrap().2);
        seen.push((at, rect, words));
        if disabled.iter().any(|node| node.contains(rect.center())) {
            continue;
        }
        let Some(ground) = ground(&shapes[..at], rect.center(), &context) else { continue };
        for colour in colours(text) {
            let contrast = contrast(over(colour, ground), ground);
            let pair = format!("{colour:?} on {ground:?}");
            assert!(contrast >= LEAST, "{of}: “{words}” has {contrast:.2} : 1, {pair}");
        }
    }
    assert!(seen.len() > 3, "{of}: there is text");
    named(viewer, of);
}

/// Fails where a control has no name that a screen reader could say.
fn named(viewer: &Harness<'_, Viewer>, of: &str) {
    use egui::accesskit::Role;
    let control = |role| {
        matches!(
            role,
            Role::Button
                | Role::CheckBox
                | Role::ComboBox
                | Role::RadioButton
                | Role::Slider
                | Role::SpinButton
                | Role::TextInput
                | Role::MultilineTextInput
                | Role::Image
        )
    };
    let mut controls = 0;
    for node in viewer.query_all_by(|node| control(node.role())) {
        let (rect, node) = (node.rect(), node.accesskit_node());
        let name = node.label().unwrap_or_default();
        assert!(!name.trim().is_empty(), "{of}: a {:?} at {rect:?} has no name", node.role());
        controls += 1;
    }
    assert!(controls > 3, "{of}: there are controls");
}

/// A shape without the lists that shapes can be in, each with what it is clipped by.
fn flat(clipped: ClippedShape) -> Vec<(Rect, Shape)> {
    fn into(clip: Rect, shape: Shape, found: &mut Vec<(Rect, Shape)>) {
        match shape {
            Shape::Vec(shapes) => shapes.into_iter().for_each(|shape| into(clip, shape, found)),
            shape => found.push((clip, shape)),
        }
    }
    let mut found = Vec::new();
    into(clipped.clip_rect, clipped.shape, &mut found);
    found
}

/// The filled rectangle that a shape puts at a point.
fn filled((clip, shape): &(Rect, Shape), at: Pos2) -> Option<Color32> {
    let Shape::Rect(rect) = shape else { return None };
    let here = clip.contains(at) && rect.rect.contains(at) && rect.blur_width == 0.0;
    (here && rect.fill.a() > 0).then_some(rect.fill)
}

fn is_covered(later: &[(Rect, Shape)], at: Pos2) -> bool {
    later.iter().any(|shape| filled(shape, at).is_some_and(|fill| fill.a() == 255))
}

/// The colour behind a point; none where a picture is.
fn ground(earlier: &[(Rect, Shape)], at: Pos2, context: &Context) -> Option<Color32> {
    let mut ground = Some(context.global_style().visuals.panel_fill);
    for shape in earlier {
        if let Some(fill) = filled(shape, at) {
            ground = match (fill.a(), ground) {
                (255, _) => Some(fill),
                (_, ground) => ground.map(|ground| over(fill, ground)),
            };
        }
        let (clip, Shape::Mesh(mesh)) = shape else { continue };
        if clip.contains(at) && mesh.calc_bounds().contains(at) {
            ground = None;
        }
    }
    ground
}

fn colours(text: &TextShape) -> Vec<Color32> {
    let of = |colour: Color32| match colour {
        Color32::PLACEHOLDER => text.fallback_color,
        colour => colour,
    };
    let sections = text.galley.job.sections.iter().map(|section| of(section.format.color));
    let colours = text.override_text_color.map_or(sections.collect(), |colour| vec![colour]);
    colours.into_iter().map(|colour: Color32| colour.gamma_multiply(text.opacity_factor)).collect()
}

/// A colour, as far as it covers, over another.
fn over(colour: Color32, ground: Color32) -> Color32 {
    let rest = f32::from(255 - colour.a()) / 255.0;
    let mix = |a: u8, b: u8| (f32::from(a) + f32::from(b) * rest).round().min(255.0) as u8;
    Color32::from_rgb(
        mix(colour.r(), ground.r()),
        mix(colour.g(), ground.g()),
        mix(colour.b(), ground.b()),
    )
}

/// By WCAG 2.1.
fn contrast(a: Color32, b: Color32) -> f64 {
    let linear = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let luminance =
        |c: Color32| 0.2126 * linear(c.r()) + 0.7152 * linear(c.g()) + 0.0722 * linear(c.b());
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

#[test]
fn contrasts_are_those_of_the_standard() {
    assert_eq!(contrast(Color32::BLACK, Color32::WHITE), 21.0);
    let grey = Color32::from_gray(0x77);
    assert!((contrast(grey, Color32::WHITE) - 4.48).abs() < 0.01, "the well-known near miss");
    assert_eq!(over(Color32::from_black_alpha(0), grey), grey);
}
