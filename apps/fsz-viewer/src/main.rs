//! `fsz-viewer`: a window for compressed fields.

use std::io::{self, Write};
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
#[cfg(unix)]
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use fsz::DType;
use fsz_field::{Hints, Shape};
use fsz_viewer::{
    Choice, DecoderChoice, Place, Settings, Start, Viewer, WindowGpu, bench, bench_series,
    bench_volume,
};
#[cfg(unix)]
use fsz_viewer::{Handed, Instance};

/// The longest that a call waits for the window that is open.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(5);

/// What takes files, which a stream of a running simulation stands in the place of.
const FILES: [&str; 5] = ["files", "original", "bench", "bench_series", "bench_volume"];

/// Inspect FSZ-compressed fields
///
/// Shows original, reconstruction, error and tile kinds of a field, plane by plane.
#[derive(Debug, Parser)]
#[command(name = "fsz-viewer", version)]
struct Args {
    /// Field to open (.fsz, .npy, .zfp, .bp or raw), and a second reconstruction to compare with
    #[arg(value_name = "FILE", num_args = 0..=2)]
    files: Vec<PathBuf>,
    /// Uncompressed original of the field
    #[arg(long, value_name = "FILE")]
    original: Option<PathBuf>,
    /// Shape of raw and headerless .zfp files, slowest axis first, as 30x192x288
    #[arg(long, value_name = "SHAPE")]
    shape: Option<Shape>,
    /// Element type of raw and headerless .zfp files
    #[arg(long, value_name = "f32|f64")]
    dtype: Option<DType>,
    /// Bits per value of headerless .zfp files, such as those of cuZFP
    #[arg(long, value_name = "BITS")]
    zfp_rate: Option<f64>,
    /// Axis to show first
    #[arg(long, default_value_t = 0)]
    axis: usize,
    /// Plane to show first
    #[arg(long, default_value_t = 0)]
    index: u64,
    /// ADIOS2 variable to show first; by default the first
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    variable: String,
    /// ADIOS2 step to show first
    #[arg(long, value_name = "N", default_value_t = 0)]
    step: u64,
    /// Missing value of the original, as 9.96921e36; may be repeated
    // clap knows neither -1e+20 nor -inf as a number.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    missing: Vec<f64>,
    /// What decodes the planes shown
    #[arg(long, value_enum, default_value = "auto")]
    decoder: DecoderChoice,
    /// Show the simulation that writes this ADIOS2 SST stream, now or as soon as it does
    #[arg(long, value_name = "NAME", conflicts_with_all = FILES)]
    live: Option<PathBuf>,
    /// Memory for the compressed steps of a simulation, in MB
    #[arg(long, value_name = "MB", default_value_t = 512, requires = "live")]
    live_memory: u64,
    /// Hand the files to the window that another call with this option has opened
    #[cfg(unix)]
    #[arg(long)]
    single_instance: bool,
    /// Start empty instead of restoring the last session
    #[arg(long)]
    fresh: bool,
    /// Measure how fast planes of the first file are decoded and drawn, without a window
    #[arg(long)]
    bench: bool,
    /// Measure how fast the steps of the first folder are played, without a window
    #[arg(long)]
    bench_series: bool,
    /// Measure how fast the first file is drawn in three dimensions, without a window
    #[arg(long)]
    bench_volume: bool,
}

fn main() -> ExitCode {
    let done = match Args::try_parse() {
        Ok(args) => run(args),
        // What is wrong with arguments, which clap tells best.
        Err(told) if told.use_stderr() => told.exit(),
        Err(help) => printed(help.print()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::from(2)
        }
    }
}

/// Errs where what was printed did not come to its end, unless its reader has enough.
fn printed(written: io::Result<()>) -> Result<()> {
    match written.and_then(|()| io::stdout().flush()) {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => {
            Err(anyhow!("standard output: {why}"))
        }
        _ => Ok(()),
    }
}

fn run(args: Args) -> Result<()> {
    let hints = args.hints();
    if let Some(measured) = measure(&args, &hints) {
        return printed(io::stdout().write_all(measured?.as_bytes()));
    }
    let window = Arc::new(OnceLock::new());
    #[cfg(unix)]
    let instance = match args.single_instance.then(|| claim(&args, &window)).transpose()? {
        Some(None) => {
            // A window takes files alone from other calls.
            anyhow::ensure!(
                args.live.is_none(),
                "a window is open: name the stream in its menu File"
            );
            return Ok(());
        }
        claimed => claimed.flatten(),
    };
    check_display()?;
    let fresh = args.fresh;
    let mut start = args.start(hints);
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("FSZ viewer")
            .with_inner_size([1400.0, 860.0])
            .with_drag_and_drop(true),
        wgpu_options: WindowGpu::configuration(),
        ..Default::default()
    };
    eframe::run_native(
        "fsz-viewer",
        options,
        Box::new(move |context| {
            let mut settings = stored(context.storage);
            if fresh {
                settings.session = None;
            }
            start.window = context.wgpu_render_state.as_ref().and_then(WindowGpu::new);
            let egui = context.egui_ctx.clone();
            // There is one window.
            let _ = window.set(egui.clone());
            let wake = Arc::new(move || egui.request_repaint());
            #[cfg_attr(not(unix), expect(unused_mut))]
            let mut viewer = Viewer::new(start, settings, wake)?;
            #[cfg(unix)]
            instance.into_iter().for_each(|instance| viewer.listen(instance));
            Ok(Box::new(Window(viewer)))
        }),
    )
    .map_err(|e| {
        anyhow!(
            "cannot open a window: {e}; the viewer needs a display and Vulkan, Metal or DirectX 12"
        )
    })
}

impl Args {
    /// What tells of files that do not tell it themselves.
    fn hints(&self) -> Hints {
        Hints { shape: self.shape.clone(), dtype: self.dtype, zfp_rate: self.zfp_rate, like: None }
    }

    /// What the window begins with.
    fn start(self, hints: Hints) -> Start {
        Start {
            files: self.files,
            original: self.original,
            hints,
            place: Some(Place { axis: self.axis, plane: self.index }),
            choice: Choice { variable: self.variable, step: self.step },
            missing: self.missing.iter().map(f64::to_string).collect::<Vec<_>>().join(" "),
            live: self.live,
            live_budget: Some(self.live_memory.saturating_mul(1_000_000)),
            tiles_at_once: None,
            decoder: self.decoder,
            window: None,
        }
    }
}

/// What is measured without a window, if that is asked for.
fn measure(args: &Args, hints: &Hints) -> Option<Result<String>> {
    let first = |needs: &'static str| args.files.first().context(needs);
    if args.bench {
        return Some(
            first("--bench needs a file").and_then(|path| bench(path, hints, args.decoder)),
        );
    }
    if args.bench_series {
        let folder = first("--bench-series needs a folder");
        return Some(folder.and_then(|path| bench_series(path, args.decoder)));
    }
    args.bench_volume.then(|| {
        let file = first("--bench-volume needs a file");
        file.and_then(|path| bench_volume(path, hints, args.decoder))
    })
}

/// Hands the files to the window that is open; None if there is one. `window` is woken when other calls hand theirs over.
#[cfg(unix)]
fn claim(args: &Args, window: &Arc<OnceLock<egui::Context>>) -> Result<Option<Instance>> {
    let files = Handed { files: args.files.clone(), original: args.original.clone() };
    let folder = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    let folder = folder.context("--single-instance needs XDG_RUNTIME_DIR")?;
    let window = Arc::clone(window);
    let wakes = move || window.get().into_iter().for_each(egui::Context::request_repaint);
    Instance::claim(Path::new(&folder), &files, Arc::new(wakes), PATIENCE)
}

/// The settings of the last session.
fn stored(storage: Option<&dyn eframe::Storage>) -> Settings {
    let text = storage.and_then(|storage| storage.get_string(KEY));
    text.map_or_else(Settings::default, |text| Settings::read(&text))
}

/// Errs where there is no display, as on a node that is reached over the network: what the window's library says of that
/// begins with a place in its source.
fn check_display() -> Result<()> {
    #[cfg(all(unix, not(target_os = "macos")))]
    {
        let names = ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"];
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        anyhow::ensure!(
            names.into_iter().any(is_set),
            "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set; log in with ssh -X, or draw a plane with \
             fsz picture"
        );
    }
    Ok(())
}

/// Where the settings are stored.
const KEY: &str = "settings";

struct Window(Viewer);

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.0.ui(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        if let Ok(text) = serde_json::to_string(&self.0.kept()) {
            storage.set_string(KEY, text);
        }
    }
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
}
