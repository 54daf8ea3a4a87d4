//! Records of fields that are kept in the study's folder, so that a study can go on after an end.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use fsz::DType;
use fsz_field::{Field, Output};

use super::Args;
use super::measure::{Plan, measure};
use super::record::FieldRecord;
use crate::commands::bench::synthetic::Kind;
use crate::failure::{Failure, Result, fail};

/// Folder of the records, in the study's.
const FOLDER: &str = "fields";

/// Whether all fields can be found, and have names of their own.
pub fn check(paths: &[PathBuf]) -> Result<()> {
    for (i, path) in paths.iter().enumerate() {
        if kind(path).is_none()
            && let Err(error) = path.metadata()
        {
            return fail(format!("{}: {error}", path.display()));
        }
        if paths[..i].iter().any(|other| name(other) == name(path)) {
            return fail(format!(
                "{}: another field has the name {} too: rename one",
                path.display(),
                name(path)
            ));
        }
    }
    Ok(())
}

/// The figures of a field: kept ones if they may be taken over, else measured and kept; whether they
/// are new.
pub fn studied(args: &Args, plan: &Plan<'_>, path: &Path) -> Result<(FieldRecord, bool)> {
    let (name, key) = (name(path), key(args, plan, path)?);
    let file = args.out.join(FOLDER).join(format!("{name}.toml"));
    if args.resume
        && let Some(record) = kept(&file).filter(|record| record.key == key)
    {
        return Ok((record, false));
    }
    let mut record = measure(plan, &name, &key, &open(args, plan, path)?)?;
    record.synthetic = kind(path).is_some();
    let text = toml::to_string(&record).map_err(|e| Failure::Message(e.to_string()))?;
    std::fs::create_dir_all(args.out.join(FOLDER))?;
    let mut output = Output::create(&file, true)?;
    output.put(text.as_bytes())?;
    output.commit()?;
    Ok((record, true))
}

fn kept(file: &Path) -> Option<FieldRecord> {
    // What is not there, or was written by another version, is measured again.
    toml::from_str(&std::fs::read_to_string(file).ok()?).ok()
}

fn kind(path: &Path) -> Option<Kind> {
    path.to_str().filter(|_| !path.exists()).and_then(Kind::named)
}

/// The file's name with its type, since a field may be there in both.
pub fn name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match path.extension() {
        Some(extension) if extension == "f64" => format!("{stem}.f64"),
        _ => stem,
    }
}

/// Bytes of a field, as far as its file tells; of the pace of a study alone.
pub fn size(args: &Args, path: &Path) -> u64 {
    match kind(path) {
        Some(_) => args.synthetic_mb << 20,
        None => path.metadata().map_or(0, |data| data.len()),
    }
}

fn open(args: &Args, plan: &Plan<'_>, path: &Path) -> Result<Field> {
    match kind(path) {
        Some(kind) => kind.field(args.synthetic_mb << 20, args.source.dtype.unwrap_or(DType::F32)),
        None => args.source.open(path, plan.codec),
    }
}

/// Whatever the figures depend on.
fn key(args: &Args, plan: &Plan<'_>, path: &Path) -> Result<String> {
    let file = match kind(path) {
        Some(kind) => format!("{} {} MB", kind.name(), args.synthetic_mb),
        None => as_it_is(path)?,
    };
    let zfp = if cfg!(feature = "zfp") { "zfp" } else { "no zfp" };
    // Two builds of one version may measure differently.
    let version = std::env::current_exe().and_then(|program| as_it_is(&program))?;
    let source = &args.source;
    let (range, missing) = (plan.bounds, plan.missing);
    let mut key = format!("{version} {zfp} {file} {range:?} {missing:?} {source:?}");
    for stream in plan.streams {
        let _ = write!(key, "\n{} {} {:?}", stream.field, as_it_is(&stream.file)?, stream.rate);
    }
    for peer in plan.peers {
        let _ = write!(key, "\n{}", peer.text());
    }
    Ok(key)
}

/// What tells a file from another one, and from itself once it has changed.
fn as_it_is(path: &Path) -> std::io::Result<String> {
    let data = path.metadata()?;
    let changed = data.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {} {}", path.canonicalize()?.display(), data.len(), changed.as_nanos()))
}
