//! Writing to the terminal or the pipe, without a panic when it is closed.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde::Serialize;

use crate::closed;
use crate::failure::{is_closed_pipe, is_interrupt, message};

/// Writes text to standard output, as it is: names in it are [`shown`].
pub fn print(text: &str) -> Result<()> {
    closed::refuse()?;
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.context("standard output")
}

/// So many of something, of which one has no `s`.
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// A name out of a file or a folder, which may hold anything, without what would move the cursor or colour the terminal.
pub fn shown(name: &str) -> String {
    name.replace(char::is_control, "\u{fffd}")
}

/// The name of a file, likewise.
pub fn named(path: &Path) -> String {
    shown(&path.display().to_string())
}

/// Writes a value as JSON to standard output. Numbers that JSON does not know (NaN, ±Inf) become
/// null.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    // Those from U+007F on may stand in strings as they are, and would reach the terminal.
    if text.contains(is_raw_control) {
        let escaped =
            |c: char| if is_raw_control(c) { format!("\\u{:04x}", c as u32) } else { c.into() };
        text = text.chars().map(escaped).collect();
    }
    text.push('\n');
    print(&text)
}

fn is_raw_control(c: char) -> bool {
    c.is_control() && c != '\n'
}

/// Writes a line to standard output. Names may stand in it as they are, as in all that is told below.
pub fn line(text: &str) -> Result<()> {
    print(&format!("{}\n", shown(text)))
}

/// What a command did, unless the user wants quiet; on standard error where the output was `direct`:
/// it may be the same pipe.
pub fn summary(quiet: bool, direct: bool, text: &str) -> Result<()> {
    if direct {
        note(quiet, text);
        return Ok(());
    }
    // With standard output closed there is nobody to tell; what was asked for is done.
    if quiet || closed::is_closed() { Ok(()) } else { line(text) }
}

/// A remark on standard error, unless the user wants quiet.
pub fn note(quiet: bool, text: &str) {
    if !quiet {
        error(&shown(text));
    }
}

/// Reports what is wrong with one of several things, quiet or not: the others go on.
pub fn problem(problem: &anyhow::Error) {
    error(&format!("error: {}", one_line(&message(problem))));
}

/// Reports a failure; its exit code.
pub fn failure(failure: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(failure) {
        return ExitCode::SUCCESS;
    }
    if is_interrupt(failure) {
        interrupted();
        return ExitCode::from(130);
    }
    problem(failure);
    ExitCode::from(2)
}

/// Says that an interrupt ended the work.
pub fn interrupted() {
    error("interrupted: no unfinished output is left");
}

/// Reports what is wrong with the arguments, with a tip and the usage; help and version are no error.
pub fn usage(mut failure: clap::Error) -> ExitCode {
    // All the help there is would hide what is wrong.
    if failure.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error("error: a command is required\n\nFor more information, try 'fsz --help'.");
        return ExitCode::from(2);
    }
    if let Some(ContextValue::String(arg)) = failure.get(ContextKind::InvalidArg)
        && failure.kind() == ErrorKind::UnknownArgument
        && is_negative(arg)
        && let Some((option, value)) = valued(arg, std::env::args_os())
    {
        // The one that clap gives is for a file of such a name.
        let tip = format!("a value that begins with - is joined to its option: {option}={value}");
        failure.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![shown(&tip).into()]));
    }
    if let Some(ContextValue::String(arg)) = failure.get(ContextKind::InvalidArg)
        && failure.kind() == ErrorKind::UnknownArgument
        && let Some(option) = with_one_dash(arg, std::env::args_os())
    {
        // The one that clap gives is for a file of such a name.
        let tip = format!("the long names of options begin with two dashes: -{option}");
        failure.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![shown(&tip).into()]));
    }
    if let Some(ContextValue::String(arg)) = failure.get(ContextKind::InvalidArg)
        && failure.kind() == ErrorKind::UnknownArgument
        && let Some(name) = file_name(arg, std::env::args_os())
    {
        // clap's has its first letter alone, and a -- that ends the options.
        let tip = format!("a file whose name begins with - is named with its folder: ./{name}");
        failure.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![shown(&tip).into()]));
    }
    show_names(&mut failure);
    let printed = failure.print().and_then(|()| io::stdout().flush());
    if failure.use_stderr() {
        // With standard error closed there is nobody to tell.
        return ExitCode::from(2);
    }
    match closed::refuse().and(printed.context("standard output")) {
        Ok(()) => ExitCode::SUCCESS,
        // Help that nobody reads any more is none.
        Err(failure) => self::failure(&failure),
    }
}

/// What was typed is [`shown`]: with `*` it is a name out of a folder, too.
fn show_names(failure: &mut clap::Error) {
    let typed = |(kind, value): (ContextKind, &ContextValue)| match value {
        ContextValue::String(text) if *text != shown(text) => Some((kind, shown(text))),
        _ => None,
    };
    let typed: Vec<_> = failure.context().filter_map(typed).collect();
    if !typed.is_empty() {
        // It repeats what was typed, between colours.
        failure.insert(ContextKind::Suggested, ContextValue::StyledStrs(Vec::new()));
    }
    for (kind, text) in typed {
        failure.insert(kind, ContextValue::String(text));
    }
}

/// The word of several letters with one dash that this was taken from: clap reads a short option in each letter.
fn with_one_dash(arg: &str, mut arguments: impl Iterator<Item = OsString>) -> Option<String> {
    let letter = arg.strip_prefix('-').filter(|letter| letter.chars().count() == 1)?;
    let is_word = |word: &str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        letters.len() > 1
            && letters.contains(letter)
            && letters.bytes().all(|byte| byte == b'-' || byte.is_ascii_lowercase())
            && !letters.starts_with('-')
    };
    arguments.find_map(|word| word.to_str().filter(|word| is_word(word)).map(str::to_owned))
}

/// The word with a point, as names of files have one, that this was taken from: clap reads a short option in each letter.
fn file_name(arg: &str, mut arguments: impl Iterator<Item = OsString>) -> Option<String> {
    let letter = arg.strip_prefix('-').filter(|letter| letter.chars().count() == 1)?;
    let is_name = |word: &str| {
        let name = word.strip_prefix('-').unwrap_or_default();
        name.contains('.') && name.contains(letter) && !name.starts_with('-') && !is_negative(word)
    };
    arguments.find_map(|word| word.to_str().filter(|word| is_name(word)).map(str::to_owned))
}

/// Whether what was taken for an option is a negative number, or begins as one.
fn is_negative(arg: &str) -> bool {
    arg.strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(|c: char| ".i".contains(c) || c.is_ascii_digit()))
}

/// The option before a value that begins with this, and that value.
fn valued(start: &str, arguments: impl Iterator<Item = OsString>) -> Option<(String, String)> {
    let words: Vec<String> = arguments.map(|word| word.to_string_lossy().into_owned()).collect();
    let mut pairs = words.windows(2);
    let found = pairs.find(|pair| pair[1].starts_with(start) && pair[0].starts_with('-'))?;
    let option = &found[0];
    (!option.contains('=')).then(|| (option.clone(), found[1].clone()))
}

/// Single-spaced, and without line breaks and other control characters.
fn one_line(text: &str) -> String {
    shown(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn error(text: &str) {
    // With standard error closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}
