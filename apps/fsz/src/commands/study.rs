//! `fsz study`.

use std::path::PathBuf;

use fsz::Progress;
use fsz_field::Output;

use crate::bar;
use crate::codec::CodecArgs;
use crate::failure::{Failure, Result, Verdict, fail};
use crate::interrupt::Cancellable;
use crate::screen;
use crate::source::SourceArgs;

mod artifact;
mod axis;
mod claims;
mod curve;
mod datasets;
mod fidelity;
mod figures;
pub mod gpu;
mod html;
mod kept;
mod machine;
mod matched;
mod measure;
mod measured_peers;
mod model;
mod pace;
mod peer;
mod picture;
mod plot;
mod record;
mod report;
mod slice;
mod stats;
mod tables;

/// Study compression on fields: report.html, and a CSV file behind each table and plot
///
/// The paper's evaluation on any fields: compression ratio beside zfp (in builds that have it), a cost
/// model of cuSZp and programs of your own (--peer); the paper's ideas one by one; tiles; rate and
/// distortion; pictures at matched ratio; fidelity; and the paper's claims beside what was found. zfp
/// is left out for fields with values that are not finite or missing, which it does not know. The figures of each
/// field are kept in the folder as soon as they are there: after an interrupt, --resume goes on.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fields to study, or synthetic ones (of --dtype): smooth, smooth-noise, offset, sparse, particles, white-noise
    #[arg(value_name = "FILE", required = true)]
    fields: Vec<PathBuf>,
    /// Folder to write to; made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Value-range error bounds
    #[arg(long, value_name = "E", value_delimiter = ',', default_value = "1e-2,1e-3,1e-4")]
    range: Vec<f64>,
    /// Missing value, may be given several times
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    missing: Vec<f64>,
    /// Adapter file (TOML) of a program to compare with: name, compress, decompress (command lines of
    /// words that may hold {input}, {compressed}, {output}, {bound}, {range_bound}, {dtype},
    /// {elements}, {rank}, {dims}, {dims_reversed}), and dtypes that it takes; may be given several times
    #[arg(long, value_name = "FILE")]
    peer: Vec<PathBuf>,
    /// zfp stream of a field, such as cuZFP's, to stand beside the others; without zfp's header its
    /// bits per value are given behind an @; may be given several times (builds with zfp)
    #[arg(long, value_name = "FIELD=FILE[@RATE]")]
    zfp_stream: Vec<artifact::Artifact>,
    /// Figures of a device: the file that fsz bench --backend cuda --json wrote
    #[arg(long, value_name = "FILE")]
    gpu_json: Option<PathBuf>,
    /// Size of a synthetic field in MB
    #[arg(long, value_name = "MB", default_value_t = 8)]
    synthetic_mb: u64,
    /// Take over the fields that an earlier run with the same options has finished; implies --force
    #[arg(long)]
    resume: bool,
    /// Overwrite the files
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    codec: CodecArgs,
}

/// Studies and writes.
pub fn run(args: &Args, quiet: bool) -> Result {
    let codec = args.codec.codec()?;
    let peers = args.peer.iter().map(|path| peer::Peer::open(path)).collect::<Result<Vec<_>>>()?;
    let gpu = args.gpu_json.as_deref().map(gpu::open).transpose()?;
    kept::check(&args.fields)?;
    check_streams(args)?;
    std::fs::create_dir_all(&args.out)?;
    let force = args.force || args.resume;
    let report = Output::create(&args.out.join("report.html"), force)?;
    let progress = Progress::new();
    let cancellable = Cancellable::new(&progress);
    let plan = measure::Plan {
        bounds: &args.range,
        missing: &args.missing,
        peers: &peers,
        streams: &args.zfp_stream,
        codec: &codec,
        progress: &progress,
        cancellable: &cancellable,
    };
    let mut fields = Vec::new();
    let mut pace = pace::Pace::new(args.fields.iter().map(|path| kept::size(args, path)).collect());
    for path in &args.fields {
        let (place, left) = (pace.place(), pace.left());
        let spinner = bar::spinner(&format!("studying {} ({place}{left})", path.display()), quiet);
        let studied = kept::studied(args, &plan, path);
        spinner.finish_and_clear();
        let (record, new) = studied.inspect_err(|failure| {
            if matches!(failure, Failure::Interrupted) {
                screen::note(quiet, "finished fields are kept: --resume takes them over");
            }
        })?;
        pace.took(new.then_some(record.seconds));
        let time = if new { pace::duration(record.seconds) } else { "taken over".to_owned() };
        screen::note(quiet, &format!("{} ({place}): {time}{}", record.name, pace.left()));
        fields.push(record);
    }
    write(args, report, force, &fields, gpu.as_ref())?;
    if !quiet {
        screen::print(&format!("{}: report.html and CSV files\n", args.out.display()))?;
    }
    if !cfg!(feature = "zfp") {
        screen::note(quiet, "zfp is not built in: build with --features zfp to compare with it");
    }
    Ok(Verdict::Fine)
}

/// Whether the zfp streams can be read here, and belong to a field.
fn check_streams(args: &Args) -> Result<()> {
    if !args.zfp_stream.is_empty() && !cfg!(feature = "zfp") {
        return fail("this build reads no zfp streams: build it with --features zfp");
    }
    for stream in &args.zfp_stream {
        if let Err(error) = stream.file.metadata() {
            return fail(format!("{}: {error}", stream.file.display()));
        }
    }
    let known = |name: &str| args.fields.iter().any(|path| kept::name(path) == name);
    match args.zfp_stream.iter().find(|stream| !known(&stream.field)) {
        Some(stream) => fail(format!(
            "--zfp-stream {}={}: no field of this name is studied",
            stream.field,
            stream.file.display()
        )),
        None => Ok(()),
    }
}

/// The report and its CSV files: all of them, or none.
fn write(
    args: &Args,
    mut report: Output,
    force: bool,
    fields: &[record::FieldRecord],
    gpu: Option<&gpu::GpuRun>,
) -> Result<()> {
    let tables = report::all_tables(fields, gpu);
    let mut outputs = Vec::new();
    for table in &tables {
        let mut output = Output::create(&args.out.join(table.file), force)?;
        output.put(table.csv().as_bytes())?;
        outputs.push(output);
    }
    report.put(report::html(fields, gpu, &tables).as_bytes())?;
    outputs.push(report);
    for output in outputs {
        output.commit()?;
    }
    Ok(())
}
