//! How a command is called: the usage line of its help in the forms of a manual page.

use roff::{Inline, bold, italic, roman};

/// Of `Usage: fsz x --y <Z> <--a <B>|--c>`: names without their brackets, in italics, and in braces of what one must be
/// chosen.
pub fn of(usage: &str) -> Vec<Inline> {
    let usage = usage.trim();
    let mut rest = usage.strip_prefix("Usage: ").unwrap_or(usage);
    let mut line = Vec::new();
    while let Some(first) = rest.chars().next() {
        let behind = &rest[first.len_utf8()..];
        let is_choice = behind.starts_with('-');
        let len = match first {
            '<' if is_choice => {
                line.push(roman("{"));
                1
            }
            // Of a name the bracket is none of it.
            '<' => {
                let name = behind.split('>').next().unwrap_or_default();
                line.push(italic(name));
                // Both brackets.
                (name.len() + 2).min(rest.len())
            }
            '>' => {
                line.push(roman("}"));
                1
            }
            // A name that may be left out.
            '[' if behind.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let name = behind.split(']').next().unwrap_or_default();
                line.extend([roman("["), italic(as_written(name)), roman("]")]);
                (name.len() + 2).min(rest.len())
            }
            '[' | ']' | '|' | '.' => {
                line.push(roman(first));
                1
            }
            c if c.is_whitespace() => {
                line.push(roman(" "));
                rest.len() - rest.trim_start().len()
            }
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "[]|<>".contains(c));
                let word = &rest[..end.unwrap_or(rest.len())];
                line.push(bold(word));
                word.len()
            }
        };
        rest = &rest[len..];
    }
    line
}

/// clap's word for all options stands for many of them.
fn as_written(name: &str) -> &str {
    if name == "OPTIONS" { "options" } else { name }
}

#[cfg(test)]
mod tests {
    use roff::Roff;

    #[test]
    fn names_are_italic_and_what_is_typed_is_bold() {
        let written = |usage| {
            let mut page = Roff::new();
            page.text(super::of(usage));
            page.to_roff().replace('\\', "").trim_end().to_owned()
        };
        assert_eq!(
            written("Usage: fsz x [OPTIONS] --output <OUT.fsz> <--abs <E>|--all> <IN>..."),
            "fBfszfR fBxfR [fIoptionsfR] fB--outputfR fIOUT.fszfR {fB--absfR fIEfR|fB--allfR} fIINfR..."
        );
        assert_eq!(
            written("fsz v [OPTIONS] <IN>... [--original <FILE>...] [ARGS]..."),
            "fBfszfR fBvfR [fIoptionsfR] fIINfR... [fB--originalfR fIFILEfR...] [fIARGSfR]..."
        );
    }
}
