//! Fields on disk, and a viewer that opens them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use eframe::egui_wgpu::{RenderState, Renderer, RendererOptions, WgpuSetup};
use eframe::wgpu::DeviceDescriptor;
use egui::mutex::RwLock;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use egui_kittest::wgpu::WgpuTestRenderer;
use fsz::{Bound, Codec, CompressOptions, DType, Dense, Profile, max_compressed_len};
use fsz_viewer::{DecoderChoice, Settings, Start, Viewer, WindowGpu};
use ndarray::Array3;
use tempfile::TempDir;

/// The longest that anything may take, also on a busy machine.
pub const LONGEST: Duration = Duration::from_secs(180);

/// Width and height of a window.
pub const SIDES: [f32; 2] = [1400.0, 860.0];

/// The profiles that the viewer shows.
pub fn profiles() -> [Profile; 2] {
    [Profile::default(), Profile::Dense(Dense::new())]
}

/// A folder with a field, and the same compressed.
pub struct Fixture {
    folder: TempDir,
    pub values: Vec<f32>,
    pub shape: [u64; 3],
}

impl Fixture {
    pub fn new() -> Fixture {
        let shape = [12, 40, 50];
        let value = |i: usize| {
            let (z, y, x) = (i / 2000, i / 50 % 40, i % 50);
            let wave = (x as f32 * 0.2).sin() * (y as f32 * 0.15).cos() + z as f32 * 0.1;
            match (y, x) {
                (0..4, 0..4) => f32::NAN,
                (20..24, _) => 1.5,
                _ => wave * 100.0 + (i * 7919 % 101) as f32 * 0.01,
            }
        };
        let values: Vec<f32> = (0..24000).map(value).collect();
        let fixture = Fixture { folder: TempDir::new().expect("a folder"), values, shape };
        let bytes: Vec<u8> = fixture.values.iter().flat_map(|v| v.to_le_bytes()).collect();
        std::fs::write(fixture.path("wave_12x40x50.f32"), bytes).expect("a file");
        std::fs::write(fixture.path("wave.fsz"), fixture.stream(1e-3)).expect("a file");
        std::fs::write(fixture.path("rough.fsz"), fixture.stream(3e-2)).expect("a file");
        fixture
    }

    /// The same without NaN, which zfp does not support: `numbers.fsz`, and its original.
    pub fn of_numbers() -> Fixture {
        let mut fixture = Fixture::new();
        fixture.values.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = 0.0);
        let bytes: Vec<u8> = fixture.values.iter().flat_map(|v| v.to_le_bytes()).collect();
        std::fs::write(fixture.path("numbers_12x40x50.f32"), bytes).expect("a file");
        std::fs::write(fixture.path("numbers.fsz"), fixture.stream(1e-3)).expect("a file");
        fixture
    }

    fn stream(&self, bound: f64) -> Vec<u8> {
        self.stream_of(Profile::default(), bound)
    }

    fn stream_of(&self, profile: Profile, bound: f64) -> Vec<u8> {
        let mut out = vec![0; max_compressed_len(&self.shape, DType::F32).unwrap() as usize];
        let options = CompressOptions::new(Bound::ValueRange(bound)).profile(profile);
        let len =
            Codec::cpu().compress_into(&self.values, &self.shape, &options, &mut out).unwrap();
        out.truncate(len);
        out
    }

    /// The streams of a fixture by another profile, under the same names.
    pub fn put_profile(&self, profile: Profile) {
        for (name, bound) in [("wave.fsz", 1e-3), ("rough.fsz", 3e-2)] {
            std::fs::write(self.path(name), self.stream_of(profile, bound)).expect("a file");
        }
    }

    /// A field of `f64` of the same shape: `NAME_12x40x50.f64`, and `NAME.fsz` of it.
    pub fn put_double(&self, name: &str, profile: Profile, values: &[f64]) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        std::fs::write(self.path(&format!("{name}_12x40x50.f64")), bytes).expect("a file");
        let mut out = vec![0; max_compressed_len(&self.shape, DType::F64).unwrap() as usize];
        let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
        let len = Codec::cpu().compress_into(values, &self.shape, &options, &mut out).unwrap();
        std::fs::write(self.path(&format!("{name}.fsz")), &out[..len]).expect("a file");
    }

    /// Another field: `NAME_3x4x5.f32` where that is its shape, and `NAME.fsz` of it.
    pub fn put_field(&self, name: &str, field: &Array3<f32>, bound: Bound) {
        let stream = Codec::cpu().compress(field.view(), bound).expect("a stream");
        std::fs::write(self.path(&format!("{name}.fsz")), stream.as_bytes()).expect("a file");
        let bytes: Vec<u8> = field.iter().flat_map(|v| v.to_le_bytes()).collect();
        let (z, y, x) = field.dim();
        std::fs::write(self.path(&format!("{name}_{z}x{y}x{x}.f32")), bytes).expect("a file");
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What opens `file`, with its original where one is named.
    pub fn start(&self, file: &str, original: Option<&str>) -> Start {
        Start {
            files: vec![self.path(file)],
            original: original.map(|name| self.path(name)),
            ..Default::default()
        }
    }

    /// A viewer of `file`, with its original where one is named, that has read all of it.
    pub fn viewer(&self, file: &str, original: Option<&str>) -> Harness<'static, Viewer> {
        harness(self.start(file, original), Settings::default())
    }
}

/// A viewer, settled.
pub fn harness(start: Start, settings: Settings) -> Harness<'static, Viewer> {
    let viewer = Viewer::new(start, settings, Arc::new(|| ())).expect("threads");
    let mut harness = Harness::builder()
        .with_size(SIDES)
        .with_max_steps(8)
        .build_ui_state(|ui, viewer: &mut Viewer| viewer.ui(ui), viewer);
    settle(&mut harness);
    harness
}

/// A viewer, settled, that paints on the GPU that draws its window; none where there is no GPU, not even
/// one in software.
pub fn gpu_harness(start: Start, settings: Settings) -> Option<Harness<'static, Viewer>> {
    gpu_window(start, settings, SIDES)
}

/// The same in a window of another size.
pub fn gpu_window(
    start: Start,
    settings: Settings,
    sides: [f32; 2],
) -> Option<Harness<'static, Viewer>> {
    let window = window_gpu()?;
    let state = window.state.clone();
    let start = Start { window: Some(window), decoder: DecoderChoice::Gpu, ..start };
    let viewer = Viewer::new(start, settings, Arc::new(|| ())).expect("threads");
    let mut harness = Harness::builder()
        .with_size(sides)
        .with_max_steps(8)
        .renderer(WgpuTestRenderer::from_render_state(state))
        .build_ui_state(|ui, viewer: &mut Viewer| viewer.ui(ui), viewer);
    settle(&mut harness);
    Some(harness)
}

/// The one device of all tests, with a renderer of its own for each: a device and its shaders take long to
/// make. A test that gets none says so.
fn window_gpu() -> Option<WindowGpu> {
    static SHARED: OnceLock<Result<WindowGpu, String>> = OnceLock::new();
    let options = RendererOptions::PREDICTABLE;
    let shared = SHARED.get_or_init(|| {
        fsz_wgpu::Gpu::headless().map_err(|reason| reason.to_string())?;
        let state = egui_kittest::wgpu::create_render_state(setup(), options);
        WindowGpu::new(&state).ok_or_else(|| "the window's GPU has no compute shaders".into())
    });
    let WindowGpu { state, gpu } = match shared {
        Ok(shared) => shared.clone(),
        Err(reason) => {
            let thread = std::thread::current();
            eprintln!("SKIPPED: {}: {reason}", thread.name().unwrap_or("a window on a GPU"));
            return None;
        }
    };
    if gpu.is_opengl() {
        take_turn();
    }
    let renderer = Renderer::new(&state.device, state.target_format, options);
    let state = RenderState { renderer: Arc::new(RwLock::new(renderer)), ..state };
    Some(WindowGpu { state, gpu })
}

/// Waits until no other test draws, and keeps others waiting until this thread ends: through OpenGL one thread uses the
/// device at a time, and wgpu panics where another has waited for six seconds.
fn take_turn() {
    static TURN: Mutex<()> = Mutex::new(());
    thread_local!(static OWN: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) });
    OWN.with_borrow_mut(|own| {
        own.get_or_insert_with(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    });
}

/// A device with all that its GPU can do: through OpenGL the usual one has no compute shaders.
fn setup() -> WgpuSetup {
    let mut setup = egui_kittest::wgpu::default_wgpu_setup();
    if let WgpuSetup::CreateNew(new) = &mut setup {
        let usual = new.device_descriptor.clone();
        new.device_descriptor = Arc::new(move |adapter| DeviceDescriptor {
            required_limits: adapter.limits(),
            ..usual(adapter)
        });
    }
    setup
}

/// Whether a text stands somewhere in the window.
pub fn shows(harness: &Harness<'_, Viewer>, text: &str) -> bool {
    harness.query_all_by_label(text).next().is_some()
}

/// Clicks what has this label, scrolled into sight, and waits for what comes of it.
pub fn press(harness: &mut Harness<'_, Viewer>, label: &str) {
    harness.get_by_label(label).scroll_to_me();
    // Scrolling takes some frames.
    harness.run_steps(20);
    harness.get_by_label(label).click();
    settle(harness);
}

/// Waits for the threads and draws what they brought.
pub fn settle(harness: &mut Harness<'_, Viewer>) {
    harness.step();
    assert!(harness.state_mut().settle(LONGEST), "nothing came for a minute");
    harness.run_steps(3);
    assert!(harness.state_mut().settle(LONGEST), "nothing came for a minute");
    harness.run_steps(2);
}

/// Gives a file to the window as if it was dropped there.
pub fn drop_file(harness: &mut Harness<'_, Viewer>, path: &Path) {
    harness.input_mut().dropped_files.push(dropped(path));
    settle(harness);
}

/// A file that is dropped on the window.
pub fn dropped(path: &Path) -> Arc<dyn egui::DroppedFile + Send + Sync> {
    #[derive(Debug)]
    struct Dropped(PathBuf);
    impl egui::DroppedFile for Dropped {
        fn path(&self) -> &Path {
            &self.0
        }

        fn bytes(&self) -> Result<Vec<u8>, String> {
            std::fs::read(&self.0).map_err(|e| e.to_string())
        }
    }
    Arc::new(Dropped(path.to_owned()))
}
