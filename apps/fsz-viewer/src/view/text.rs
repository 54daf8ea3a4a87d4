//! Text in the panels.

use egui::{Key, Response, RichText, Ui};

/// A heading in the colour of strong text: egui's own is as faint as a label.
pub fn heading(ui: &mut Ui, text: &str) -> Response {
    ui.heading(RichText::new(text).strong())
}

/// A name, with what is to be said of it, by name, in `hints`.
pub fn named(ui: &mut Ui, name: &str, hints: &[(&str, &str)]) {
    let label = ui.label(name);
    if let Some((_, hint)) = hints.iter().find(|(of, _)| *of == name) {
        label.on_hover_text(*hint);
    }
}

/// Whether a line of text was ended by Enter: it also loses the focus to whatever else is clicked.
pub fn entered(ui: &Ui, line: &Response) -> bool {
    line.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter))
}

/// A name that leaves room for the panes; all of it is told where the pointer rests.
pub fn brief(name: &str) -> String {
    shortened(name, |line| line.chars().count() <= 30)
}

/// A line that has room: of a longer one its ends, which tell most.
pub fn shortened(text: &str, has_room: impl Fn(&str) -> bool) -> String {
    let letters: Vec<char> = text.chars().collect();
    let without = |left_out: usize| -> String {
        if left_out == 0 {
            return text.to_owned();
        }
        let start = (letters.len() - left_out) / 2;
        let (start, end) = (&letters[..start], &letters[start + left_out..]);
        start.iter().chain(&['…']).chain(end).collect()
    };
    let fitting = (0..letters.len()).map(without).find(|line| has_room(line));
    fitting.unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_the_ends_stay() {
        let short = |text: &str, most: usize| shortened(text, |line| line.chars().count() <= most);
        assert_eq!(
            short("temperature.f32, axis 0, plane 7", 40),
            "temperature.f32, axis 0, plane 7"
        );
        assert_eq!(short("temperature.f32, axis 0, plane 7", 21), "temperatur…0, plane 7");
        assert_eq!(short("", 0), "");
    }
}
