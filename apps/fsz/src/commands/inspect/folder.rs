//! A folder of `.fsz` files, or several of them: the steps of a series.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use fsz_field::{Kind, Shape, StreamFile, streams_in};
use fsz_figure::number::{bytes, short};
use serde::Serialize;

use super::report::Report;
use super::series::{self, Point};
use super::{Args, write_plot};
use crate::output::STANDARD;
use crate::table::Table;
use crate::terminal;

/// The `.fsz` files of a folder; none of what is no such folder.
pub fn streams(path: &Path) -> Option<Vec<PathBuf>> {
    if path == STANDARD {
        return None;
    }
    streams_in(path).ok().filter(|files| !files.is_empty())
}

#[derive(Debug, Serialize)]
struct Folder {
    streams: Vec<File>,
    /// Files that cannot be read: damaged, or something else altogether.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<Unreadable>,
}

#[derive(Debug, Serialize)]
struct Unreadable {
    file: String,
    reason: String,
}

#[derive(Debug, Serialize)]
struct File {
    file: String,
    #[serde(flatten)]
    report: Report,
}

/// The files of the inputs, and what they are called: in a folder by their names, where one alone is meant.
///
/// # Errors
/// When something that was named is not there, or is more than a stream.
fn named(inputs: &[PathBuf]) -> Result<Vec<(PathBuf, String)>> {
    let mut all = Vec::new();
    for input in inputs {
        let Some(files) = streams(input) else {
            if Kind::of(input).is_ok_and(|kind| kind == Kind::Bp) {
                bail!("{}: an ADIOS2 file: inspect it alone", input.display());
            }
            // What is wrong with a file is told with the others; a folder without streams is none of them.
            if input.as_path() != STANDARD && (input.is_dir() || !input.exists()) {
                Kind::of(input)?;
            }
            all.push((input.clone(), input.display().to_string()));
            continue;
        };
        let name = |path: &Path| match inputs.len() {
            1 => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            _ => path.display().to_string(),
        };
        all.extend(files.into_iter().map(|path| (path.clone(), name(&path))));
    }
    Ok(all)
}

/// Shows the streams; exit code 1 when a file cannot be read.
pub fn inspect(args: &Args, quiet: bool) -> Result<ExitCode> {
    if args.tiles.is_some() || !args.variable.is_empty() || args.require_compressed {
        bail!("--tiles needs a .fsz file, --variable and --require-compressed need a .bp file");
    }
    let mut folder = Folder { streams: Vec::new(), unreadable: Vec::new() };
    let (files, names): (Vec<PathBuf>, Vec<String>) = named(&args.inputs)?.into_iter().unzip();
    for (path, file) in files.iter().zip(names) {
        match report(path) {
            Ok(report) => folder.streams.push(File { file, report }),
            Err(error) => {
                let reason = error.to_string();
                terminal::problem(&error);
                folder.unreadable.push(Unreadable { file, reason });
            }
        }
    }
    if let [_] = args.inputs[..] {
        folder.streams.sort_by_key(|file| file.report.step);
    }
    let points = folder.points();
    if write_plot(args, &points, &files, quiet)? {
        // The plot is what was asked for.
    } else if args.json {
        terminal::print_json(&folder)?;
    } else {
        let title = match &args.inputs[..] {
            [folder] => format!("{}\n", terminal::named(folder)),
            _ => String::new(),
        };
        terminal::print(&format!("{title}{}{}", folder.text()?, series::sums(&points)))?;
    }
    Ok(if folder.unreadable.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The report of one of several files.
fn report(path: &Path) -> Result<Report> {
    if Kind::of(path).is_ok_and(|kind| kind == Kind::Fsz1) {
        bail!(
            "{}: a file of the paper author's release (magic FSZ1), which has no certificate: inspect it alone",
            path.display()
        );
    }
    Ok(Report::of(&StreamFile::open(path)?.stream()?))
}

impl Folder {
    /// Steps of streams that do not tell theirs are counted.
    fn points(&self) -> Vec<Point> {
        let point = |(i, file): (usize, &File)| {
            let (report, name) = (&file.report, terminal::shown(&file.file));
            Point {
                variable: report.name.as_deref().map(terminal::shown).unwrap_or_default(),
                step: report.step.unwrap_or(i as u64),
                place: match report.step {
                    Some(step) => format!("at step {step}, {name}"),
                    None => format!("in {name}"),
                },
                raw: report.raw_bytes,
                stored: report.compressed_bytes,
                error: report.certificate.max_abs_error,
                is_limit: report.has_regions(),
                bound: report.bound.absolute,
            }
        };
        self.streams.iter().enumerate().map(point).collect()
    }

    /// One line per stream.
    fn text(&self) -> Result<String> {
        let mut table = Table::new("file,name,step,type,shape,stored,ratio,bound,error");
        for File { file, report } in &self.streams {
            let told = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            table.row([
                file.clone(),
                told(report.name.clone()),
                told(report.step.map(|step| step.to_string())),
                report.dtype.to_owned(),
                Shape::new(&report.shape)?.to_string(),
                bytes(report.compressed_bytes),
                format!("{:.2}", report.compression_ratio),
                short(report.bound.absolute),
                short(report.certificate.max_abs_error),
            ]);
        }
        Ok(table.text())
    }
}
