//! `fsz study`.

use std::path::PathBuf;

use fsz_field::Output;

use crate::bar;
use crate::codec::CodecArgs;
use crate::failure::{Result, Verdict};
use crate::screen;
use crate::source::SourceArgs;

mod figures;
mod plot;
mod report;

/// Study compression on fields: ratio.csv, ablation.csv and report.html
///
/// ratio.csv sets FSZ beside zfp (in builds that have it): fixed accuracy at the same absolute
/// bound, and fixed rate at FSZ's size. ablation.csv adds the paper's ideas one by one: base (LZ1 in
/// independent blocks), cross-block state, mean centering, LZ2. zfp is left out for fields with
/// values that are not finite, which it does not know.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fields to study
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
    std::fs::create_dir_all(&args.out)?;
    let create = |name: &str| Output::create(&args.out.join(name), args.force);
    let (mut ratio, mut ablation, mut report) =
        (create("ratio.csv")?, create("ablation.csv")?, create("report.html")?);
    let mut study = figures::Study::default();
    for path in &args.fields {
        let spinner = bar::spinner(&format!("studying {}", path.display()), quiet);
        let field = args.source.open(path, &codec)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        for &bound in &args.range {
            study.add(&name, &field, bound, &args.missing, &codec)?;
        }
        spinner.finish_and_clear();
    }
    ratio.put(study.ratio_csv().as_bytes())?;
    ablation.put(study.ablation_csv().as_bytes())?;
    report.put(report::html(&study).as_bytes())?;
    for output in [ratio, ablation, report] {
        output.commit()?;
    }
    if !quiet {
        let out = args.out.display();
        screen::print(&format!("{out}: ratio.csv, ablation.csv, report.html\n"))?;
    }
    if !cfg!(feature = "zfp") {
        screen::note(quiet, "zfp is not built in: build with --features zfp to compare with it");
    }
    Ok(Verdict::Fine)
}
