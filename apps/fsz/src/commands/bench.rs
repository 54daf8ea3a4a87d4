//! `fsz bench`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use fsz::{Bound, DType, Profile, Progress};
use fsz_field::Output;
use fsz_figure::number::short;
use fsz_study::Peer;
use serde::Serialize;

use crate::cli::{megabytes, refuse_twice, whole_in};
use crate::codec::{self, BackendChoice, ProfileName};
use crate::interrupt::Cancellable;
use crate::source::{SourceArgs, check_field};
use crate::table::Table;
use crate::{bar, output, standard_input, terminal};

mod case;
pub mod cuda;
mod measure;

/// Measure throughput and compression ratio on this machine
///
/// Each figure is a median over runs after a warm-up, with reused buffers; GB/s count uncompressed
/// bytes. CPU: FSZ is compared with memcpy of the same bytes and, in builds with zfp, with zfp's
/// fixed-accuracy mode at the same absolute bound on one thread. CUDA: kernel times on data in device
/// memory, compared with a device copy that reads and writes as many bytes; the pass that finds the
/// range for a value-range bound is reported separately.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fields, or synthetic fields (of type --dtype): smooth, smooth-noise, offset, sparse, particles,
    /// white-noise
    #[arg(value_name = "FILE", required = true)]
    fields: Vec<PathBuf>,
    /// Backend to measure: cpu, cuda, or auto, which is CUDA if a device is usable
    #[arg(
        long,
        value_enum,
        default_value = "cpu",
        value_name = "BACKEND",
        hide_possible_values = true
    )]
    backend: BackendChoice,
    /// Profiles to measure
    #[arg(
        long,
        value_enum,
        default_value = "paper",
        value_delimiter = ',',
        value_name = "PROFILE"
    )]
    profile: Vec<ProfileName>,
    /// CUDA device, as numbered by fsz devices [default: 0]
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// Also measure the paper's CUDA kernels, which read the field twice and five times
    #[arg(long)]
    reference: bool,
    /// Adapter file (TOML) for a program to measure beside FSZ; may be given several times. As for fsz study, with
    /// a table `time` that says where the program prints its times; on CUDA its output is checked against the
    /// bound
    #[arg(long, value_name = "FILE")]
    peer: Vec<PathBuf>,
    /// Value-range error bounds [default: 1e-3; CUDA: 1e-2,1e-3,1e-4]
    #[arg(long, value_name = "E", value_delimiter = ',')]
    range: Vec<f64>,
    /// Absolute error bounds; value-range bounds are then measured only if --range is given
    #[arg(long, visible_alias = "absolute", value_name = "E", value_delimiter = ',')]
    abs: Vec<f64>,
    /// Pointwise-relative error bounds; as for --abs
    #[arg(long, value_name = "E", value_delimiter = ',')]
    relative: Vec<f64>,
    /// Floor of the pointwise-relative bounds: errors up to this are allowed everywhere
    #[arg(long, value_name = "A", default_value_t = 0.0, requires = "relative")]
    floor: f64,
    /// Repeat each field, mirrored along its slowest axis, up to about this size [default: 200; CUDA:
    /// 1024]
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    target_mb: Option<u32>,
    /// Numbers of CPU threads, each at most 4 per core; 1 and all cores by default
    #[arg(long, value_name = "N", value_delimiter = ',')]
    threads: Vec<usize>,
    /// Number of measured runs [default: 5; CUDA: 20]
    #[arg(long, value_name = "N", value_parser = |text: &str| whole_in(text, 1u32, 1_000_000))]
    repeat: Option<u32>,
    /// Missing value; may be given several times. Those of a .fsz field by default
    #[arg(long, value_name = "V")]
    missing: Vec<f64>,
    /// Also write the results to this JSON file; - for standard output, without the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write the results to this CSV file; - for standard output, without the table
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    source: SourceArgs,
}

/// One measurement, by the names of the JSON and CSV output.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    field: String,
    dtype: &'static str,
    shape: String,
    bytes: u64,
    bound: f64,
    codec: String,
    threads: usize,
    compress_gbs: f64,
    compress_of_memcpy: f64,
    decompress_gbs: f64,
    decompress_of_memcpy: f64,
    ratio: f64,
}

impl Row {
    fn speeds(&self) -> [f64; 4] {
        let Row { compress_gbs, compress_of_memcpy, .. } = *self;
        [compress_gbs, compress_of_memcpy, self.decompress_gbs, self.decompress_of_memcpy]
    }
}

/// What FSZ is called in the results.
fn name(profile: Profile, bound: Bound) -> String {
    let mut name = "fsz".to_owned();
    if profile != Profile::default() {
        name = format!("{name} {}", profile.name());
    }
    match bound {
        Bound::Absolute(_) => name + " absolute",
        Bound::Relative { .. } => name + " relative",
        _ => name,
    }
}

/// Measures and shows.
pub fn run(args: &Args, quiet: bool) -> Result<()> {
    standard_input::refuse_twice(&args.fields)?;
    let cuda = match (args.backend, args.device) {
        (BackendChoice::Cpu, Some(device)) => {
            bail!("--device {device} is a CUDA device: use --backend cuda")
        }
        (BackendChoice::Cpu, None) => false,
        // Who names a device wants no other.
        (BackendChoice::Cuda, _) | (BackendChoice::Auto, Some(_)) => true,
        (BackendChoice::Auto, None) => fsz::devices().is_ok(),
    };
    let lists = [("--range", &args.range), ("--abs", &args.abs), ("--relative", &args.relative)];
    lists.into_iter().try_for_each(|(option, numbers)| refuse_twice(option, numbers))?;
    // Before anything is measured; of f32, whose bounds may be smaller: no field is open yet.
    args.bounds(&[]).into_iter().try_for_each(|bound| bound.check(DType::F32))?;
    codec::start(args.threads.iter().copied().map(codec::threads).max())?;
    match cuda {
        true if !args.threads.is_empty() => {
            bail!("--threads applies to the CPU only: use --backend cpu")
        }
        true => cuda::run(args, quiet),
        false if args.reference => bail!("--reference measures CUDA kernels: use --backend cuda"),
        false => run_cpu(args, quiet),
    }
}

fn run_cpu(args: &Args, quiet: bool) -> Result<()> {
    let threads = args.threads();
    let repeat = args.repeat.unwrap_or(5);
    let bytes = args.bytes(200);
    args.fields.iter().try_for_each(|path| check_field(path, &args.source, "--target-mb"))?;
    let outputs = args.outputs()?;
    let peers = args.peers()?;
    let progress = Progress::new();
    let _cancellable = (!peers.is_empty()).then(|| Cancellable::new(&progress));
    let mut rows = Vec::new();
    for path in &args.fields {
        let spinner = bar::spinner(&format!("measuring {}", path.display()), quiet);
        let case = case::Case::open(path, &args.source, bytes, &args.missing)?;
        for bound in args.bounds(&[1e-3]) {
            let profiles = args.profiles();
            let (profiles, threads, peers) = (&profiles, &threads, &peers);
            let plan = measure::Plan { bound, profiles, threads, repeat, peers };
            progress.check()?;
            rows.extend(measure::measure(&case, &plan, &progress)?);
        }
        spinner.finish_and_clear();
    }
    show(outputs, &rows, [&csv(&rows), &text(&rows)], quiet)?;
    if !cfg!(feature = "zfp") {
        terminal::note(quiet, "zfp is not measured: build with --features zfp");
    }
    Ok(())
}

impl Args {
    /// Bytes of a field to measure on, when so many MB are usual.
    fn bytes(&self, usual: u64) -> u64 {
        self.target_mb.map_or(usual, u64::from) * 1_000_000
    }

    fn profiles(&self) -> Vec<Profile> {
        self.profile.iter().map(|name| name.profile()).collect()
    }

    fn peers(&self) -> Result<Vec<Peer>> {
        let peers = Peer::open_all(&self.peer)?;
        match peers.iter().find(|peer| !peer.tells_times()) {
            Some(peer) => bail!("{}: it needs a table `time`", peer.file().display()),
            None => Ok(peers),
        }
    }

    fn bounds(&self, usual: &[f64]) -> Vec<Bound> {
        let others = self.abs.len() + self.relative.len();
        let range = if others == 0 && self.range.is_empty() { usual } else { &self.range };
        let range = range.iter().map(|&share| Bound::ValueRange(share));
        let absolute = self.abs.iter().map(|&bound| Bound::Absolute(bound));
        let relative = self.relative.iter().map(|&eps| Bound::Relative { eps, floor: self.floor });
        range.chain(absolute).chain(relative).collect()
    }

    /// The files for JSON and CSV: what cannot be written is refused before anything is measured.
    fn outputs(&self) -> Result<[Option<Output>; 2]> {
        let create = |path: &PathBuf| output::create(path, self.force, &self.fields);
        let outputs = [
            self.json.as_ref().map(create).transpose()?,
            self.csv.as_ref().map(create).transpose()?,
        ];
        // An input is told as one, whatever its name.
        self.json.iter().try_for_each(|path| output::refuse_json(path))?;
        self.csv.iter().try_for_each(|path| output::refuse_csv(path))?;
        if let [Some(json), Some(csv)] = &outputs
            && output::is_one_file(json, csv)
        {
            bail!("--json and --csv would both go to {}: name a file each", json.path().display());
        }
        Ok(outputs)
    }

    fn threads(&self) -> Vec<usize> {
        if !self.threads.is_empty() {
            return self.threads.iter().copied().map(codec::threads).collect();
        }
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        if all == 1 { vec![1] } else { vec![1, all] }
    }
}

/// Writes the files asked for, and names them; prints the table, unless a program reads standard output.
fn show(
    outputs: [Option<Output>; 2],
    figures: &impl Serialize,
    [csv, table]: [&str; 2],
    quiet: bool,
) -> Result<()> {
    let json = serde_json::to_string_pretty(figures)? + "\n";
    let printed = outputs.iter().flatten().any(Output::is_standard_output);
    for (output, text) in outputs.into_iter().zip([json.as_str(), csv]) {
        if let Some(mut output) = output {
            let (path, direct) = (output.path().display().to_string(), output.is_direct());
            output.put(text.as_bytes())?;
            output.commit()?;
            if !direct {
                terminal::note(quiet, &format!("{path}: written"));
            }
        }
    }
    if printed { Ok(()) } else { terminal::print(table) }
}

fn csv(rows: &[Row]) -> String {
    let head = "field,dtype,shape,bytes,bound,codec,threads,compress_gbs,compress_of_memcpy,\
                decompress_gbs,decompress_of_memcpy,ratio";
    let cells = |r: &Row| {
        let mut cells = vec![r.field.clone(), r.dtype.to_owned(), r.shape.clone()];
        cells.extend([r.bytes.to_string(), r.bound.to_string()]);
        cells.extend([r.codec.clone(), r.threads.to_string()]);
        cells.extend(r.speeds().map(|speed| format!("{speed:.4}")));
        cells.push(format!("{:.4}", r.ratio));
        cells
    };
    fsz_study::csv(head, rows.iter().map(cells))
}

fn text(rows: &[Row]) -> String {
    let mut table = Table::new(
        "field,bound,codec,threads,compress GB/s,of memcpy,decompress GB/s,of memcpy,ratio",
    );
    for r in rows {
        let case = [r.field.clone(), short(r.bound), r.codec.clone(), r.threads.to_string()];
        let speeds = r.speeds().map(|speed| format!("{speed:.3}"));
        table.row(case.into_iter().chain(speeds).chain([format!("{:.2}", r.ratio)]));
    }
    table.text()
}
