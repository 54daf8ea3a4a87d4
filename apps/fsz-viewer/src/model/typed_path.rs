//! A path as it is typed, or pasted from a shell or a file manager.

use std::path::{Path, PathBuf};

/// The path that is meant: without the quotes around it, and in the folder of the user where it begins with `~/`.
pub fn typed_path(text: &str, home: Option<&Path>) -> PathBuf {
    let text = text.trim();
    let unquoted = ['\'', '"']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)));
    // A shell takes what is in quotes as it stands.
    match (unquoted, text.strip_prefix("~/"), home) {
        (Some(path), ..) => path.into(),
        (None, Some(path), Some(home)) => home.join(path),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_meant_as_in_a_shell() {
        let home = Some(Path::new("/home/ada"));
        for (typed, meant) in [
            (" /data/U.fsz ", "/data/U.fsz"),
            ("~/U.fsz", "/home/ada/U.fsz"),
            ("~other/U.fsz", "~other/U.fsz"),
            ("'/data/U of 7.fsz'", "/data/U of 7.fsz"),
            ("\"/data/it's\"", "/data/it's"),
            ("'~/U'", "~/U"),
            ("'", "'"),
            ("", ""),
        ] {
            assert_eq!(typed_path(typed, home), Path::new(meant), "{typed}");
        }
        assert_eq!(typed_path("~/U", None), Path::new("~/U"));
    }
}
