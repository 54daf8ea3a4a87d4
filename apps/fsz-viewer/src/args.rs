//! What the program is called with.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::{CommandFactory, Parser};
use fsz::DType;
use fsz_field::{Hints, Kind, Shape};
use fsz_manual::{Program, exit_codes};

use crate::app::Start;
use crate::model::catalog::Choice;
use crate::model::plane::Place;
use crate::work::decoder::DecoderChoice;
#[cfg(unix)]
use crate::work::instance::Call;

/// What takes files, which a stream of a running simulation stands in the place of.
const FILES: [&str; 5] = ["files", "original", "bench", "bench_series", "bench_volume"];

/// What the program ends with.
const EXIT_CODES: [(&str, &str); 2] =
    [("0", "success"), ("2", "usage error, no display, or unreadable input of a measurement")];

/// Inspect FSZ-compressed fields
///
/// Shows original, reconstruction, error and tile kinds of a field, plane by plane.
#[derive(Debug, Parser)]
#[command(name = "fsz-viewer", version, max_term_width = 100, after_long_help = exit_codes(&EXIT_CODES))]
pub struct Args {
    /// Field to open (.fsz, .npy, .zfp, .bp or raw), and a second reconstruction to compare with
    #[arg(value_name = "FILE", num_args = 0..=2)]
    pub files: Vec<PathBuf>,
    /// Uncompressed original of the field
    #[arg(long, value_name = "FILE")]
    pub original: Option<PathBuf>,
    /// Shape of raw and headerless .zfp files, slowest axis first, for example 30x192x288
    #[arg(long, value_name = "SHAPE")]
    pub shape: Option<Shape>,
    /// Element type of raw and headerless .zfp files
    #[arg(long, value_name = "f32|f64")]
    pub dtype: Option<DType>,
    /// Bits per value of headerless .zfp files, such as those of cuZFP
    #[arg(long, value_name = "BITS", allow_negative_numbers = true, value_parser = number)]
    pub zfp_rate: Option<f64>,
    /// Axis to show first; by default the slowest
    #[arg(long, value_name = "AXIS", allow_negative_numbers = true, value_parser = whole::<usize>)]
    pub axis: Option<usize>,
    /// Index along this axis of the plane to show first; by default 0
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64>)]
    pub index: Option<u64>,
    /// ADIOS2 variable to show first; by default the first
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// ADIOS2 step, or file of a folder, to show first; by default the first, 0
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64>)]
    pub step: Option<u64>,
    /// Missing value of the original, for example 9.96921e36; may be given several times
    // clap knows neither -1e+20 nor -inf as a number.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, value_parser = number)]
    pub missing: Vec<f64>,
    /// What decodes the planes shown
    #[arg(long, value_enum, default_value = "auto")]
    pub decoder: DecoderChoice,
    /// Show the simulation that writes this ADIOS2 SST stream, now or as soon as it does
    #[arg(long, value_name = "NAME", conflicts_with_all = FILES)]
    pub live: Option<PathBuf>,
    /// Memory for the compressed steps of a simulation, in MB
    #[arg(long, value_name = "MB", default_value_t = 512, requires = "live", allow_negative_numbers = true, value_parser = whole::<u64>)]
    pub live_memory: u64,
    /// Hand this call to the window that an earlier call with this option opened, if there is one, and end
    #[cfg(unix)]
    #[arg(long)]
    pub single_instance: bool,
    /// Start empty instead of restoring the last session
    #[arg(long)]
    pub fresh: bool,
    /// Measure how fast planes of the first file are decoded and drawn, without a window
    #[arg(long)]
    pub bench: bool,
    /// Measure how fast the steps of the first folder are played, without a window
    #[arg(long)]
    pub bench_series: bool,
    /// Measure how fast the first file is drawn in three dimensions, without a window
    #[arg(long)]
    pub bench_volume: bool,
    /// Print this as a manual page, for man
    #[arg(long)]
    pub man: bool,
}

impl Args {
    /// The manual page: what `--help` says.
    pub fn manual() -> String {
        // Of all options in a row nobody reads one.
        let mut command = Args::command().override_usage("fsz-viewer [OPTIONS] [FILE]...");
        command.build();
        let version = format!("fsz-viewer {}", command.get_version().unwrap_or_default());
        fsz_manual::page(
            &command,
            &Program { version: &version, exit_codes: &EXIT_CODES },
            Some("fsz"),
        )
    }

    /// What tells of files that do not tell it themselves.
    pub fn hints(&self) -> Hints {
        Hints { shape: self.shape.clone(), dtype: self.dtype, zfp_rate: self.zfp_rate, like: None }
    }

    /// Errs where a variable or a step is to be shown of files that have neither. What cannot be read is told where it is
    /// opened.
    pub fn check_choice(&self) -> Result<()> {
        let (option, lacks) = match (&self.variable, self.step) {
            (Some(name), _) => (format!("--variable {name}"), "is not an ADIOS2 file"),
            (_, Some(step)) => (format!("--step {step}"), "is neither an ADIOS2 file nor a folder"),
            (None, None) => return Ok(()),
        };
        let mut files = self.files.iter().chain(&self.original);
        let has_none = |path: &PathBuf| path.is_file() && Kind::of(path).ok() != Some(Kind::Bp);
        match files.clone().next() {
            Some(first) if files.all(has_none) => {
                bail!("{option}: {} {lacks}", first.display())
            }
            _ => Ok(()),
        }
    }

    /// What the window begins with.
    pub fn start(self) -> Start {
        let hints = self.hints();
        let place = (self.axis.is_some() || self.index.is_some())
            .then(|| Place { axis: self.axis.unwrap_or(0), plane: self.index.unwrap_or(0) });
        let choice = (self.variable.is_some() || self.step.is_some()).then(|| Choice {
            variable: self.variable.unwrap_or_default(),
            step: self.step.unwrap_or(0),
        });
        Start {
            files: self.files,
            original: self.original,
            hints,
            place,
            choice,
            missing: self.missing.iter().map(f64::to_string).collect::<Vec<_>>().join(" "),
            live: self.live,
            live_budget: Some(self.live_memory.saturating_mul(1_000_000)),
            tiles_at_once: None,
            decoder: self.decoder,
            window: None,
        }
    }
}

/// A whole number. What the standard library says of others tells nobody what to give.
fn whole<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "a whole number from 0 is needed, in digits alone")
}

/// A number, with the same remark.
fn number(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "a number is needed, such as 0.01 or 1e-3")
}

/// What another call wants to be shown.
#[cfg(unix)]
pub fn handed_over(call: &Call) -> Option<Start> {
    let name = std::ffi::OsString::from("fsz-viewer");
    let args = Args::try_parse_from(std::iter::once(&name).chain(&call.words)).ok()?;
    let mut start = args.start();
    let paths = start.files.iter_mut().chain(&mut start.original).chain(&mut start.live);
    paths.for_each(|path| *path = call.folder.join(&*path));
    Some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_may_be_negative_in_any_form() {
        let told = ["-999", "-1e20", "-1e+20", "-9.99E+33", "-inf", "1e-3"];
        let words = told.into_iter().flat_map(|value| ["--missing", value]);
        let args = Args::try_parse_from(["fsz-viewer"].into_iter().chain(words)).unwrap();
        assert_eq!(args.missing, [-999.0, -1e20, -1e20, -9.99e33, f64::NEG_INFINITY, 1e-3]);
    }

    #[test]
    fn a_variable_or_a_step_is_of_files_that_have_some() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("U_2x3.f32");
        std::fs::write(&file, [0; 24]).unwrap();
        let told = |path: &std::path::Path, words: &[&str]| {
            let words = words.iter().map(std::ffi::OsStr::new);
            let words =
                [std::ffi::OsStr::new("fsz-viewer"), path.as_os_str()].into_iter().chain(words);
            Args::try_parse_from(words).unwrap().check_choice().map_err(|why| why.to_string())
        };
        assert_eq!(told(&file, &[]), Ok(()));
        let variable = told(&file, &["--variable", "V"]).unwrap_err();
        assert!(
            variable.starts_with("--variable V: ")
                && variable.ends_with("U_2x3.f32 is not an ADIOS2 file")
        );
        let step = told(&file, &["--step", "3"]).unwrap_err();
        assert!(
            step.starts_with("--step 3: ")
                && step.ends_with("is neither an ADIOS2 file nor a folder")
        );
        // A series has steps, and so may what is missing.
        assert_eq!(told(folder.path(), &["--step", "3"]), Ok(()));
        assert_eq!(told(&folder.path().join("none.bp"), &["--variable", "V"]), Ok(()));
    }

    /// A desktop puts one file in the place of %f, and all that are chosen in that of %F.
    #[test]
    fn as_many_files_are_taken_as_a_desktop_gives() {
        let entry = include_str!("../../../assets/desktop/fsz-viewer.desktop");
        let words = entry.lines().find_map(|line| line.strip_prefix("Exec=")).unwrap();
        let files = |word| match word {
            "%f" => vec!["a.fsz"],
            "%F" => vec!["a.fsz", "b.fsz", "c.fsz"],
            other => vec![other],
        };
        let words: Vec<&str> = words.split(' ').flat_map(files).collect();
        assert!(words.contains(&"a.fsz"), "{words:?}");
        Args::try_parse_from(words).unwrap();
    }

    #[test]
    fn a_number_that_is_none_is_told_what_to_be() {
        for words in [
            &["--axis", "-1"][..],
            &["--index", "abc"],
            &["--step", "1.5"],
            &["--live", "run", "--live-memory", "-3"],
            &["--missing", "x"],
            &["--zfp-rate", "all"],
        ] {
            let told = Args::try_parse_from(["fsz-viewer"].iter().chain(words)).unwrap_err();
            let told = told.to_string();
            assert!(told.contains(" is needed, "), "{told}");
        }
    }

    /// Each word of a call that is handed over comes to the window.
    #[cfg(unix)]
    #[test]
    fn a_call_is_handed_over_with_all_that_it_says() {
        let of = |words: &str| {
            let words = words.split(' ').map(Into::into).collect();
            handed_over(&Call { folder: "/data".into(), words })
        };
        let start = of(
            "U.raw /else/V.fsz --original U.npy --shape 2x3 --dtype f64 --zfp-rate 8 --axis 1 --variable U \
             --step 3 --missing -9 --single-instance",
        );
        let start = start.expect("it is a call");
        assert_eq!(start.files, ["/data/U.raw", "/else/V.fsz"].map(PathBuf::from));
        assert_eq!(start.original, Some("/data/U.npy".into()));
        assert_eq!(start.hints.shape.as_ref().map(Shape::sides), Some(&[2, 3][..]));
        assert_eq!((start.hints.dtype, start.hints.zfp_rate), (Some(DType::F64), Some(8.0)));
        assert_eq!(start.place, Some(Place { axis: 1, plane: 0 }));
        assert_eq!(start.choice, Some(Choice { variable: "U".into(), step: 3 }));
        assert_eq!(start.missing, "-9");
        let live = of("--live run --live-memory 7 --index 4").expect("it is a call");
        assert_eq!((live.live, live.live_budget), (Some("/data/run".into()), Some(7_000_000)));
        assert_eq!((live.place, live.choice), (Some(Place { axis: 0, plane: 4 }), None));
        assert!(of("--of-another-version").is_none());
    }
}
