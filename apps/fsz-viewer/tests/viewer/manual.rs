//! The manual page.

use std::process::Command;

fn printed(option: &str) -> String {
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_fsz-viewer"));
    // As where it is installed: there is no display.
    let ended = viewer.arg(option).env_remove("DISPLAY").output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
    String::from_utf8(ended.stdout).unwrap()
}

#[test]
fn the_manual_page_has_what_the_help_has() {
    let (page, help) = (printed("--man"), printed("--help"));
    let sections = ["SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "\"SEE ALSO\""];
    let sections = sections.map(|section| format!(".SH {section}\n"));
    for section in sections
        .iter()
        .map(String::as_str)
        .chain([".TH FSZ-VIEWER 1 \"\" \"fsz-viewer ", "unreadable"])
    {
        assert!(page.contains(section), "no {section}: {page}");
    }
    assert_eq!(page.matches("Inspect FSZ").count(), 1, "{page}");
    let page = page.replace("\\-", "-");
    let options: Vec<&str> =
        help.split([' ', '\n']).filter(|word| word.starts_with("--")).collect();
    assert!(options.len() > 15, "{help}");
    let missing: Vec<_> = options.iter().filter(|option| !page.contains(**option)).collect();
    assert!(missing.is_empty(), "{missing:?} are not in {page}");
}
