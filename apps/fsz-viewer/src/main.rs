//! `fsz-viewer`: a window for compressed fields.

use std::io::{self, Write};
#[cfg(unix)]
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
#[cfg(unix)]
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use fsz_field::Hints;
use fsz_viewer::{
    Args, LostGpu, Settings, Viewer, Wake, WindowGpu, bench, bench_series, bench_volume,
};
#[cfg(unix)]
use fsz_viewer::{Call, Instance, Start, handed_over};

/// The longest that a call waits for the window that is open.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(5);

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
    if args.man {
        return printed(io::stdout().write_all(Args::manual().as_bytes()));
    }
    args.check_choice()?;
    let hints = args.hints();
    if let Some(measured) = measure(&args, &hints) {
        return printed(io::stdout().write_all(measured?.as_bytes()));
    }
    let window = Arc::new(OnceLock::new());
    #[cfg(unix)]
    let instance = match args.single_instance.then(|| claim(&window)).transpose()? {
        Some(None) => return Ok(()),
        claimed => claimed.flatten(),
    };
    check_display()?;
    let lost = Arc::new(OnceLock::<LostGpu>::new());
    let watched = lost.clone();
    let fresh = args.fresh;
    let mut start = args.start();
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
            let wake: Wake = Arc::new(move || egui.request_repaint());
            let watch = |state| LostGpu::watch(state, wake.clone());
            let lost = context.wgpu_render_state.as_ref().map(watch).unwrap_or_default();
            let _ = watched.set(lost.clone());
            #[cfg_attr(not(unix), expect(unused_mut))]
            let mut viewer = Viewer::new(start, settings, wake)?;
            #[cfg(unix)]
            instance.into_iter().for_each(|instance| viewer.listen(instance));
            Ok(Box::new(Window { viewer, lost }))
        }),
    )
    .map_err(|e| {
        anyhow!(
            "cannot open a window: {e}; the viewer needs a display and Vulkan, Metal or DirectX 12"
        )
    })?;
    match lost.get().and_then(LostGpu::told) {
        Some(told) => Err(anyhow!(told)),
        None => Ok(()),
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

/// Hands this call to the window that is open; None if there is one. `window` is woken when other calls are handed over.
#[cfg(unix)]
fn claim(window: &Arc<OnceLock<egui::Context>>) -> Result<Option<Instance<Start>>> {
    let folder = std::env::current_dir().context("the current folder is not known")?;
    let call = Call { folder, words: std::env::args_os().skip(1).collect() };
    let folder = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    let folder = folder.context("--single-instance needs XDG_RUNTIME_DIR")?;
    let window = Arc::clone(window);
    let wakes = move || window.get().into_iter().for_each(egui::Context::request_repaint);
    let wakes = Arc::new(wakes);
    Instance::claim(Path::new(&folder), &call, handed_over, wakes, PATIENCE)
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

struct Window {
    viewer: Viewer,
    /// The GPU that draws it, where that is lost.
    lost: LostGpu,
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        if self.lost.told().is_some() {
            // What is open is kept for the next start.
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
        }
        self.viewer.ui(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        if let Ok(text) = serde_json::to_string(&self.viewer.kept()) {
            storage.set_string(KEY, text);
        }
    }
}
