//! `fsz study`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use fsz::{Bound, DType, Profile, Progress};
use fsz_field::{Folder, Output, field_name};
use fsz_shell::path_word;
use fsz_study::{
    Cache, Eta, ExternalStream, FieldRecord, Fsz1Stream, GpuRun, Input, Peer, Plan, Study,
};

use crate::bar;
use crate::cli::{megabytes, refuse_twice};
use crate::codec::CodecArgs;
use crate::commands::bench::cuda::{self, USUAL_BYTES};
use crate::failure::is_interrupt;
use crate::interrupt::Cancellable;
use crate::output::refuse_standard_output;
use crate::source::{SourceArgs, check_field, synthetic};
use crate::{interrupt, standard_input, terminal};

const KEPT: &str = "completed fields are saved; continue with --resume";

/// Study compression on fields: report.html, and a CSV file for each table and plot
///
/// Repeats the paper's evaluation on any fields: compression ratios of FSZ, zfp (in builds with zfp), a
/// cost model of cuSZp and user programs (--peer); an ablation; tile sizes; rate-distortion curves;
/// slices at matched ratio; bit rounding; pointwise-relative bounds; fidelity; and the paper's claims beside the results. zfp is
/// skipped for fields with NaN, Inf or missing values, which it does not support. The results of each field
/// are saved as soon as they are complete; after an interrupt, --resume continues.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fields, or synthetic fields (of type --dtype): smooth, smooth-noise, offset, sparse, particles,
    /// white-noise
    #[arg(value_name = "FILE", required = true)]
    fields: Vec<PathBuf>,
    /// Output directory; created if needed
    #[arg(short, long, visible_alias = "output", value_name = "DIR")]
    out: PathBuf,
    /// Value-range error bounds
    #[arg(long, value_name = "E", value_delimiter = ',', default_value = "1e-2,1e-3,1e-4")]
    range: Vec<f64>,
    /// Pointwise-relative error bounds
    #[arg(long, value_name = "E", value_delimiter = ',', default_value = "1e-1,1e-2,1e-3")]
    relative: Vec<f64>,
    /// Missing value; may be given several times. Those of a .fsz field by default
    #[arg(long, value_name = "V")]
    missing: Vec<f64>,
    /// Adapter file (TOML) for a program to compare with; may be given several times. Keys: name,
    /// compress and decompress (command lines as lists of words, with the placeholders {input},
    /// {compressed}, {output}, {bound}, {range_bound}, {relative_bound}, {dtype}, {elements}, {rank},
    /// {dims}, {dims_reversed}) and, optionally, dtypes. A program that takes {relative_bound} is compared at the
    /// bounds of --relative, any other at those of --range
    #[arg(long, value_name = "FILE")]
    peer: Vec<PathBuf>,
    /// zfp stream of a field to compare with, for example one written by cuZFP; may be given several
    /// times. For a stream without zfp's header, append @ and its bits per value
    #[arg(long, value_name = "FIELD=FILE[@RATE]")]
    zfp_stream: Vec<ExternalStream>,
    /// Stream of a field by the paper author's own release (magic FSZ1), to be compared tile by tile; may be
    /// given several times
    #[arg(long, value_name = "FIELD=FILE")]
    fsz1_stream: Vec<Fsz1Stream>,
    /// GPU results: a file written by fsz bench --backend cuda --json
    #[arg(long, value_name = "FILE", conflicts_with = "gpu")]
    gpu_json: Option<PathBuf>,
    /// Measure both profiles, the paper's kernels, and every --peer whose adapter has a table `time`, on CUDA device
    /// 0, with fields repeated to about --gpu-mb
    #[arg(long)]
    gpu: bool,
    /// Size of the fields that --gpu measures
    #[arg(long, value_name = "MB", default_value_t = (USUAL_BYTES / 1_000_000) as u32, requires = "gpu", value_parser = megabytes)]
    gpu_mb: u32,
    /// Size of synthetic fields
    #[arg(long, value_name = "MB", default_value_t = 8, value_parser = megabytes)]
    synthetic_mb: u32,
    /// Reuse the fields that an earlier run with the same options completed, and measure the others again; implies
    /// --force
    #[arg(long)]
    resume: bool,
    /// Overwrite existing files
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    codec: CodecArgs,
}

/// Where the record of a field comes from.
#[derive(Debug, PartialEq)]
enum Origin {
    /// An earlier run with the same options.
    Cache,
    Measured,
    /// Measured in the place of that of a run which cannot be reused.
    Replaced,
}

/// Studies the fields and writes the report.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    standard_input::refuse_twice(&args.fields)?;
    refuse_standard_output(&args.out, "a study")?;
    let codec = args.codec.codec()?;
    let peers = Peer::open_all(&args.peer)?;
    let mut gpu = args.gpu_json.as_deref().map(GpuRun::open).transpose()?;
    args.check_fields()?;
    refuse_twice("--range", &args.range)?;
    refuse_twice("--relative", &args.relative)?;
    args.check_streams()?;
    // Of f32, whose bounds may be smaller: no field is open yet.
    args.bounds().try_for_each(|bound| bound.check(DType::F32))?;
    let _filled = Folder::create(&args.out)?;
    let force = args.force || args.resume;
    let report = Output::create(&args.out.join("report.html"), force)?;
    fsz_study::check(&args.out, force)?;
    let progress = Progress::new();
    let _cancellable = Cancellable::new(&progress);
    if args.gpu {
        gpu = Some(args.measure_gpu(&peers, &progress, quiet)?);
    }
    let plan = Plan {
        bounds: &args.range,
        relative: &args.relative,
        missing: &args.missing,
        peers: &peers,
        streams: &args.zfp_stream,
        fsz1_streams: &args.fsz1_stream,
        codec: &codec,
        progress: &progress,
    };
    let mut fields = Vec::new();
    let mut eta = Eta::new(args.fields.iter().map(|path| args.size(path)).collect());
    for path in &args.fields {
        let (place, left) = (eta.place(), eta.left());
        let spinner = bar::spinner(&format!("studying {} ({place}{left})", path.display()), quiet);
        let studied = args.study(&plan, path);
        spinner.finish_and_clear();
        let (record, origin) = studied.inspect_err(|error| {
            // Who resumes knows, but for who interrupts.
            let is_news = is_interrupt(error) || !args.resume;
            if is_news && !fields.is_empty() {
                terminal::note(quiet, KEPT);
            }
        })?;
        eta.took((origin != Origin::Cache).then_some(record.seconds));
        let time = match origin {
            Origin::Cache => "from cache".to_owned(),
            Origin::Measured => fsz_study::duration(record.seconds),
            Origin::Replaced => format!(
                "{} (measured again: options, file or program changed)",
                fsz_study::duration(record.seconds)
            ),
        };
        terminal::note(quiet, &format!("{} ({place}): {time}{}", record.name, eta.left()));
        fields.push(record);
        interrupt::keeps(quiet, KEPT);
    }
    let study = Study { fields: &fields, gpu: gpu.as_ref(), command: &command() };
    fsz_study::write(&study, report, &args.out, force)?;
    terminal::summary(quiet, false, &format!("{}: report.html and CSV files", args.out.display()))?;
    if !cfg!(feature = "zfp") {
        terminal::note(quiet, "zfp is not included: build with --features zfp");
    }
    Ok(())
}

/// The command line of this process.
fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| format!(" {}", path_word(word.as_ref())));
    format!("fsz{}", words.collect::<String>())
}

impl Args {
    /// Figures of the device, and of the peers that tell their times.
    fn measure_gpu(&self, peers: &[Peer], progress: &Progress, quiet: bool) -> Result<GpuRun> {
        let peers: Vec<Peer> = peers.iter().filter(|peer| peer.tells_times()).cloned().collect();
        let plan = cuda::Plan {
            fields: &self.fields,
            source: &self.source,
            bytes: u64::from(self.gpu_mb) * 1_000_000,
            bounds: &self.bounds().collect::<Vec<_>>(),
            profiles: Profile::ALL,
            missing: &self.missing,
            reference: true,
            peers: &peers,
            device: 0,
            repeat: cuda::USUAL_REPEAT as usize,
            progress,
        };
        Ok(cuda::measure(&plan, quiet)?.into_run())
    }

    fn bounds(&self) -> impl Iterator<Item = Bound> {
        let ranges = self.range.iter().map(|&share| Bound::ValueRange(share));
        let relative = self.relative.iter().map(|&eps| Bound::Relative { eps, floor: 0.0 });
        ranges.chain(relative)
    }

    /// Errs when a field does not exist, or two have the same name.
    fn check_fields(&self) -> Result<()> {
        for (i, path) in self.fields.iter().enumerate() {
            check_field(path, &self.source, "--synthetic-mb")?;
            if self.fields[..i].iter().any(|other| name(other) == name(path)) {
                bail!("{}: another field is also named {}: rename one", path.display(), name(path));
            }
        }
        Ok(())
    }

    /// Errs when a zfp stream cannot be read here, or a stream is not there or belongs to no field.
    fn check_streams(&self) -> Result<()> {
        if !self.zfp_stream.is_empty() && !cfg!(feature = "zfp") {
            bail!("this build cannot read zfp streams: build with --features zfp");
        }
        let zfp = self.zfp_stream.iter().map(|s| ("--zfp-stream", &s.field, &s.file));
        let fsz1 = self.fsz1_stream.iter().map(|s| ("--fsz1-stream", &s.field, &s.file));
        for (option, field, file) in zfp.chain(fsz1) {
            let path = file.display();
            file.metadata().map_err(|error| anyhow!("{path}: {error}"))?;
            let names: Vec<String> = self.fields.iter().map(|path| name(path)).collect();
            let all = names.join(", ");
            ensure!(
                names.contains(field),
                "{option} {field}={path}: no field is named {field}: choose from {all}"
            );
        }
        Ok(())
    }

    /// The record of a field, and where it comes from.
    fn study(&self, plan: &Plan<'_>, path: &Path) -> Result<(FieldRecord, Origin)> {
        let (cache, input) = (Cache::new(&self.out), self.input(path)?);
        if self.resume
            && let Some(record) = cache.get(&input.name, &plan.key(&input)?)
        {
            return Ok((record, Origin::Cache));
        }
        let is_other = self.resume && cache.has(&input.name);
        let field = self.source.open_or_make(path, self.synthetic_bytes(), plan.codec)?;
        let record = plan
            .measure(&input, &field.with_named_missing(&self.missing))
            .with_context(|| path.display().to_string())?;
        cache.put(&record)?;
        Ok((record, if is_other { Origin::Replaced } else { Origin::Measured }))
    }

    fn input(&self, path: &Path) -> Result<Input> {
        let field = match synthetic(path) {
            Some(kind) => format!("{} {} MB", kind.name(), self.synthetic_mb),
            None => fsz_study::fingerprint(path),
        };
        let identity = format!("{field} {:?}", self.source);
        Ok(Input { name: name(path), identity, synthetic: synthetic(path).is_some() })
    }

    fn synthetic_bytes(&self) -> u64 {
        u64::from(self.synthetic_mb) << 20
    }

    /// Bytes of a field, for the estimated time alone.
    fn size(&self, path: &Path) -> u64 {
        match synthetic(path) {
            Some(_) => self.synthetic_bytes(),
            None => path.metadata().map_or(0, |data| data.len()),
        }
    }
}

/// The file's name with its type, since a field may be given in both.
fn name(path: &Path) -> String {
    let stem = field_name(path).to_string_lossy().into_owned();
    match path.extension() {
        Some(extension) if extension == "f64" => format!("{stem}.f64"),
        _ => stem,
    }
}
