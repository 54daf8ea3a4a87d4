//! Words of a shell, for commands that are shown to be copied.
#![deny(missing_docs)]

use std::borrow::Cow;
use std::path::Path;

/// The text as one word of a POSIX shell: as it is where nothing in it means something to one, quoted otherwise.
pub fn word(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', r"'\''")).into(),
    }
}

/// A path as a word.
pub fn path_word(path: &Path) -> String {
    word(&path.display().to_string()).into_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_what_was_written() {
        let texts =
            ["", "a b", "it's", "'", "$HOME `x` \"y\" \\", "~", "a\nb", "{a,b}*?[!c]", "é=ü"];
        let words = texts.map(|text| word(text).into_owned()).join(" ");
        let script = format!("printf '%s\\0' {words}");
        let read = Command::new("sh").args(["-c", &script]).output().unwrap();
        let expected: String = texts.iter().map(|text| format!("{text}\0")).collect();
        assert_eq!(String::from_utf8(read.stdout).unwrap(), expected, "{words}");
    }

    #[test]
    fn what_needs_no_quotes_has_none() {
        assert_eq!(word("/opt/é-1.0_b+c,d:e@f%g"), "/opt/é-1.0_b+c,d:e@f%g");
        assert_eq!(path_word(Path::new("a b")), "'a b'");
    }
}
