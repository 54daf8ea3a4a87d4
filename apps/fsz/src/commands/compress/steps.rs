//! The steps of a series: one file each, or all steps of variables of an ADIOS2 file.

use std::collections::HashSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

use anyhow::{Result, bail, ensure};
use fsz::{Codec, Header, Progress};
#[cfg(feature = "adios2")]
use fsz_field::Hints;
#[cfg(feature = "adios2")]
use fsz_field::bp::{BlockInfo, NO_VARIABLES};
use fsz_field::{Field, Kind, StreamFile, field_name};

use super::Args;
#[cfg(feature = "adios2")]
use super::series::file_name;
use super::series::is_bp;
use crate::output;

/// The name of a file without its numbers, and these.
fn numbered(path: &Path) -> (String, Vec<f64>) {
    let stem = field_name(path).to_string_lossy();
    let (mut rest, mut numbers) = (String::new(), Vec::new());
    let mut chars = stem.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if !first.is_ascii_digit() {
            rest.push(first);
            continue;
        }
        let mut end = start + 1;
        // A point is one of the number, as in times, where digits follow it.
        while let Some((at, next)) = chars.next_if(|&(at, next)| {
            let ahead = stem[at + next.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
            next.is_ascii_digit() || next == '.' && ahead && !stem[start..at].contains('.')
        }) {
            end = at + next.len_utf8();
        }
        rest.push('0');
        numbers.push(stem[start..end].parse().unwrap_or(0.0));
    }
    (rest, numbers)
}

/// One field of a series.
#[derive(Debug)]
pub struct Step {
    /// The input's place in the list.
    input: usize,
    /// Steps of one variable have one range; files are all of one.
    pub variable: String,
    /// The time step, where the field does not tell it.
    pub number: u64,
    pub output: PathBuf,
    /// About how much work it is.
    pub bytes: u64,
}

/// Where the steps come from.
pub struct Inputs<'a> {
    args: &'a Args,
    #[cfg(feature = "adios2")]
    bp: Option<fsz_field::bp::Bp>,
}

impl<'a> Inputs<'a> {
    /// Looks at the inputs: files of one field each, or one ADIOS2 file.
    pub fn open(args: &'a Args) -> Result<Inputs<'a>> {
        let [first, others @ ..] = &args.input[..] else { bail!("no input") };
        let bp = is_bp(first)?;
        for path in others {
            let file = if bp { first } else { path };
            ensure!(
                !bp && !is_bp(path)?,
                "{}: an ADIOS2 file is a series of its own: name no other input beside it",
                file.display()
            );
        }
        if let Some(name) = args.inputs.variable.first().filter(|_| !bp) {
            bail!("--variable {name}: {} is not an ADIOS2 file", first.display());
        }
        if let Some(step) = args.inputs.step.filter(|_| !bp) {
            let why = "files of a series have the step of their place in the list";
            bail!("--step {step}: {} is not an ADIOS2 file; {why}", first.display());
        }
        #[cfg(feature = "adios2")]
        return Ok(Inputs {
            args,
            bp: if bp { Some(fsz_field::bp::Bp::open(first)?) } else { None },
        });
        #[cfg(not(feature = "adios2"))]
        return if bp { crate::source::no_adios2(first) } else { Ok(Inputs { args }) };
    }

    /// All steps, with an output in the folder each.
    pub fn steps(&self, folder: &Path) -> Result<Vec<Step>> {
        #[cfg(feature = "adios2")]
        let steps = match &self.bp {
            Some(bp) => self.bp_steps(bp, folder)?,
            None => self.files(folder)?,
        };
        #[cfg(not(feature = "adios2"))]
        let steps = self.files(folder)?;
        let read = output::Inputs::new(&self.args.inputs());
        let mut outputs = HashSet::new();
        for Step { output, variable, .. } in &steps {
            let once = outputs.insert(output);
            let remedy = match &**variable {
                "" => "inputs of one name go to different folders, by calls of their own",
                _ => "choose one of these variables with --variable",
            };
            ensure!(once, "{}: two inputs would have this output: {remedy}", output.display());
            read.refuse(output)?;
        }
        Ok(steps)
    }

    fn files(&self, folder: &Path) -> Result<Vec<Step>> {
        let step = |(input, path): (usize, &PathBuf)| {
            let mut name = field_name(path).to_owned();
            name.push(".fsz");
            Ok(Step {
                input,
                variable: String::new(),
                number: input as u64,
                output: folder.join(name),
                bytes: fsz_field::input_len(path)?,
            })
        };
        self.args.input.iter().enumerate().map(step).collect()
    }

    #[cfg(feature = "adios2")]
    fn bp_steps(&self, bp: &fsz_field::bp::Bp, folder: &Path) -> Result<Vec<Step>> {
        let asked = &self.args.inputs.variable;
        let path = self.args.input[0].display();
        let mut steps = Vec::new();
        let mut variables = Vec::new();
        for name in asked {
            variables.push(bp.variable(name)?);
        }
        if asked.is_empty() {
            let is_field = |v: &adios2::VariableInfo| ["f32", "f64"].contains(&v.dtype.name());
            let all = bp.variables()?;
            ensure!(!all.is_empty(), "{path}: {NO_VARIABLES}");
            variables.extend(all.into_iter().filter(is_field));
        }
        for variable in variables {
            let of = |step: &u64| self.args.inputs.step.is_none_or(|only| only == *step);
            let blocks = |step| Ok((step, bp.blocks(&variable.name, step)?.blocks));
            let found: Vec<(u64, Vec<BlockInfo>)> =
                (0..variable.steps).filter(of).map(blocks).collect::<Result<_>>()?;
            // Times and other single values are not what is meant.
            if asked.is_empty() && found.iter().all(|(_, all)| all.iter().all(BlockInfo::is_value))
            {
                continue;
            }
            if self.args.inputs.block.is_none() {
                let or = if asked.is_empty() { ", or other variables with --variable" } else { "" };
                found
                    .iter()
                    .try_for_each(|(_, blocks)| bp.check_one(&variable, blocks))
                    .map_err(|error| anyhow::anyhow!("{error}{or}"))?;
            }
            // A single value is no field.
            let is_field = |blocks: &[BlockInfo]| !blocks.iter().all(|b| b.count.is_empty());
            let (name, before) = (&variable.name, steps.len());
            for (number, blocks) in found.into_iter().filter(|(_, blocks)| is_field(blocks)) {
                let elements: u64 = blocks.iter().map(|block| block.elements()).sum();
                steps.push(Step {
                    input: 0,
                    variable: variable.name.clone(),
                    number,
                    output: folder.join(file_name(&variable.name, number)),
                    bytes: elements * 8,
                });
            }
            if !asked.is_empty() && steps.len() == before {
                if let Some(step) = self.args.inputs.step {
                    bp.check_step(&variable, step)?;
                }
                bail!("{path}: {name} is a single value: name arrays with --variable");
            }
        }
        if steps.is_empty() {
            match self.args.inputs.step {
                Some(step) => bail!("{path}: no array of float or double has a step {step}"),
                None => bail!("{path}: no arrays of float or double"),
            }
        }
        Ok(steps)
    }

    /// A warning, where a shell has sorted numbered names by their characters: s10 before s2.
    pub fn misordered(&self) -> Option<String> {
        // Of pipes a shell makes names of its own: <(COMMAND) is /dev/fd/63, the next one /dev/fd/62.
        let of_file = |path: &PathBuf| path.is_file().then(|| numbered(path));
        let stems: Vec<_> = self.args.input.iter().map(of_file).collect();
        let is_back = |pair: &[Option<(String, Vec<f64>)>]| match pair {
            [Some(first), Some(second)] => first.0 == second.0 && second.1 < first.1,
            _ => false,
        };
        let at = stems.windows(2).position(is_back)?;
        let [first, second] = [at, at + 1].map(|i| self.args.input[i].display());
        Some(format!(
            "warning: {first} is step {at} and {second} step {}, as they were named; for steps in the order of the numbers in \
             their names, name them so, as $(ls -v FILES) does",
            at + 1
        ))
    }

    /// The file that a step is in.
    pub fn path(&self, step: &Step) -> &Path {
        &self.args.input[step.input]
    }

    /// The field of a step, with the missing values that are named; decoding a stream reports to `progress`, and is
    /// cancelled by it.
    pub fn open_step(&self, step: &Step, codec: &Codec, progress: &Arc<Progress>) -> Result<Field> {
        let path = &self.args.input[step.input];
        #[cfg(feature = "adios2")]
        if let Some(bp) = &self.bp {
            let read = || bp.read(&step.variable, step.number, self.args.inputs.block);
            let field = crate::patience::read(path, read)?;
            let (shape, dtype) = (self.args.inputs.shape.clone(), self.args.inputs.dtype);
            Hints { shape, dtype, ..Hints::default() }.agree(path, field.shape(), field.dtype())?;
            return Ok(field.with_named_missing(&self.args.missing));
        }
        let field = self.args.inputs.source(path)?.open_watched(path, codec, progress)?;
        Ok(field.with_named_missing(&self.args.missing))
    }

    /// Whether all steps are of one ADIOS2 file.
    pub fn are_of_one_file(&self) -> bool {
        self.args.input.first().is_some_and(|path| is_bp(path).is_ok_and(|bp| bp))
    }

    /// The field of a step where its file has the values as they are, which is mapped, as a rule.
    pub fn open_plain(&self, step: &Step, codec: &Codec) -> Result<Option<Field>> {
        let path = &self.args.input[step.input];
        if !matches!(Kind::of(path)?, Kind::Raw | Kind::Npy) {
            return Ok(None);
        }
        Ok(Some(self.args.inputs.source(path)?.open(path, codec)?))
    }

    /// The time step that the stream of a step has: its input's own, where that is a stream.
    pub fn number(&self, step: &Step) -> Result<u64> {
        let own = self.header(step)?.and_then(|header| header.time_step);
        Ok(own.unwrap_or(step.number))
    }

    /// The missing values of a step: those that are named, else its input's own, where that is a stream.
    pub fn missing(&self, step: &Step) -> Result<Vec<f64>> {
        if !self.args.missing.is_empty() {
            return Ok(self.args.missing.clone());
        }
        Ok(self.header(step)?.map_or_else(Vec::new, |header| header.missing))
    }

    /// What the input of a step tells of itself, where that is a stream.
    fn header(&self, step: &Step) -> Result<Option<Header>> {
        let path = &self.args.input[step.input];
        Ok(match Kind::of(path)? {
            Kind::Fsz => Some(StreamFile::open(path)?.stream()?.header().clone()),
            _ => None,
        })
    }

    /// Which step it is, for people.
    pub fn name(&self, step: &Step) -> String {
        let path = self.args.input[step.input].display();
        match step.variable.as_str() {
            "" => path.to_string(),
            variable => format!("{path}: {variable}, step {}", step.number),
        }
    }

    /// When the input of a step was last changed, or became what is at its path.
    pub fn changed(&self, step: &Step) -> Option<SystemTime> {
        let path = &self.args.input[step.input];
        // A link may have been led elsewhere since.
        let own = [path.symlink_metadata(), path.metadata()];
        let own: Option<Vec<_>> = own.into_iter().map(|data| changed(&data.ok()?)).collect();
        // An ADIOS2 file is a folder of files.
        let entries = path.read_dir().into_iter().flatten();
        let times = entries.filter_map(|entry| changed(&entry.ok()?.metadata().ok()?));
        own?.into_iter().chain(times).max()
    }
}

/// When a file was last written or, where the system tells that, moved, copied or restored to its place: it may then have the
/// time of the file that it was before.
fn changed(data: &Metadata) -> Option<SystemTime> {
    let written = data.modified().ok()?;
    #[cfg(unix)]
    let written = {
        use std::os::unix::fs::MetadataExt;
        let since = u64::try_from(data.ctime()).map(Duration::from_secs).unwrap_or_default();
        let since = since + Duration::from_nanos(u64::try_from(data.ctime_nsec()).unwrap_or(0));
        written.max(SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(written))
    };
    Some(written)
}
