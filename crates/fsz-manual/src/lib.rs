//! Manual pages, in the words of a command's help and the forms of man(7): what is typed as it stands is bold, what
//! stands for something else is italic.
#![deny(missing_docs)]

use clap::{Arg, Command};
use roff::{Inline, Roff, bold, italic, roman};

mod synopsis;

/// What pages of a program have alike.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Its name and version.
    pub version: &'a str,
    /// What it ends with, and what that means.
    pub exit_codes: &'a [(&'a str, &'a str)],
}

/// What a help says of exit codes and what they mean.
pub fn exit_codes(codes: &[(&str, &str)]) -> String {
    let codes: Vec<String> =
        codes.iter().map(|(code, meaning)| format!("{code} {meaning}")).collect();
    format!("Exit codes: {}.", codes.join(", "))
}

/// The page of a command that has been built; its commands have pages of their own. `see_also`: another page of the
/// first section that it refers to.
pub fn page(command: &Command, program: &Program<'_>, see_also: Option<&str>) -> String {
    let name = name(command);
    let mut page = Roff::new();
    // No date: the same program writes the same pages. An empty argument keeps its place by its quotes alone.
    page.control("TH", [&*name.to_uppercase(), "1", "\"\"", program.version, "FSZ manual"]);
    page.control("SH", ["NAME"]);
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.text([roman(format!("{name} - {about}"))]);
    page.control("SH", ["SYNOPSIS"]);
    page.text(synopsis::of(&command.clone().render_usage().to_string()));
    page.control("SH", ["DESCRIPTION"]);
    description(&mut page, command, &about);
    arguments(&mut page, command);
    commands(&mut page, command);
    if let Some(table) = command.get_after_long_help() {
        questions(&mut page, &table.to_string());
    }
    page.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in program.exit_codes {
        entry(&mut page, [bold(*code)], meaning);
    }
    if let Some(other) = see_also {
        page.control("SH", ["SEE ALSO"]);
        page.text([bold(other), roman("(1)")]);
    }
    // Not every formatter reads UTF-8.
    let glyph = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => format!("\\[u{:04X}]", u32::from(c)),
    };
    page.render().chars().map(glyph).collect()
}

/// The name of a command's page: that of `fsz compress` is fsz-compress.
pub fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// What is to be known beside the name's line, or that as a sentence.
fn description(page: &mut Roff, command: &Command, about: &str) {
    let long = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    let paragraphs = long.split("\n\n").map(str::trim);
    let mut paragraphs = paragraphs.filter(|own| own.trim_end_matches('.') != about).peekable();
    if paragraphs.peek().is_none_or(|first| first.is_empty()) {
        page.text([roman(format!("{about}."))]);
        return;
    }
    for (number, paragraph) in paragraphs.enumerate() {
        if number > 0 {
            page.control("PP", []);
        }
        page.text([roman(paragraph)]);
    }
}

/// Something and what is to be known of it.
fn entry(page: &mut Roff, tag: impl Into<Vec<Inline>>, text: &str) {
    page.control("TP", []);
    page.text(tag);
    page.text([roman(text)]);
}

/// Arguments and options, those under a heading of their own last.
fn arguments(page: &mut Roff, command: &Command) {
    let mut all: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    all.sort_by_key(|arg| (!arg.is_positional(), arg.get_display_order()));
    let (plain, headed): (Vec<&Arg>, Vec<&Arg>) =
        all.into_iter().partition(|arg| arg.get_help_heading().is_none());
    page.control("SH", ["OPTIONS"]);
    plain.iter().for_each(|arg| argument(page, arg));
    let mut heading = None;
    for arg in headed {
        if arg.get_help_heading() != heading {
            heading = arg.get_help_heading();
            page.control("SS", heading);
        }
        argument(page, arg);
    }
}

fn argument(page: &mut Roff, arg: &Arg) {
    let help = arg.get_long_help().or(arg.get_help());
    let mut help = help.map(ToString::to_string).unwrap_or_default();
    let is_flag = !arg.get_num_args().is_some_and(|count| count.takes_values());
    if let [default, ..] = arg.get_default_values()
        && !is_flag
    {
        help.push_str(&format!(" [default: {}]", default.display()));
    }
    let values = match is_flag || arg.is_hide_possible_values_set() {
        true => Vec::new(),
        false => arg.get_possible_values(),
    };
    let (told, plain): (Vec<_>, Vec<_>) =
        values.iter().partition(|value| value.get_help().is_some());
    if !plain.is_empty() {
        let names: Vec<&str> = plain.iter().map(|value| value.get_name()).collect();
        help.push_str(&format!(": {}", names.join(", ")));
    }
    entry(page, tag(arg), &help);
    if told.is_empty() {
        return;
    }
    page.control("RS", []);
    for value in told {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        entry(page, [bold(value.get_name())], &help);
    }
    page.control("RE", []);
}

/// All names of an option, and what stands for its values.
fn tag(arg: &Arg) -> Vec<Inline> {
    let short = arg.get_short_and_visible_aliases().unwrap_or_default().into_iter();
    let long = arg.get_long_and_visible_aliases().unwrap_or_default().into_iter();
    let names = short.map(|name| format!("-{name}")).chain(long.map(|name| format!("--{name}")));
    let mut tag = Vec::new();
    for name in names {
        if !tag.is_empty() {
            tag.push(roman(", "));
        }
        tag.push(bold(name));
    }
    let count = arg.get_num_args().filter(|count| count.takes_values());
    let Some(count) = count else { return tag };
    for value in arg.get_value_names().unwrap_or_default() {
        if !tag.is_empty() {
            tag.push(roman(" "));
        }
        tag.push(italic(value.as_str()));
    }
    if count.max_values() > 1 {
        tag.push(roman("..."));
    }
    tag
}

fn commands(page: &mut Roff, command: &Command) {
    if !command.has_subcommands() {
        return;
    }
    page.control("SH", ["COMMANDS"]);
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        entry(page, [bold(name(command)), roman("(1)")], &about);
    }
}

/// A table of questions and the options that answer them, below its title.
fn questions(page: &mut Roff, table: &str) {
    let rows = table.lines().filter_map(|line| line.trim().rsplit_once("  "));
    let mut rows = rows.map(|(question, answer)| (question.trim_end(), answer)).peekable();
    let title = table.lines().next().unwrap_or_default().trim_end_matches(':');
    if rows.peek().is_some() {
        page.control("SH", [&*title.to_uppercase()]);
    }
    for (question, answer) in rows {
        entry(page, [bold(answer)], question);
    }
}
