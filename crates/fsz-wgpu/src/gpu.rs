//! A device with the decoder's pipelines.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use fsz::Profile;
use fsz::format::{TILE, dense::LANES};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::volume::Mode;

/// A GPU, ready to decode. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pipelines: Arc<Pipelines>,
    page_limit: u64,
    /// Whether the lanes of a chunk of `dense` are one subgroup.
    subgroups: bool,
    opengl: bool,
    name: String,
}

/// Words that are written to a buffer at once: the memory that they go through on the way is made for each write, and small
/// pieces share what is there.
const PIECE: usize = 4 << 20;

/// Bytes that a thread copies at a time; of no more the caller's thread alone does.
const ALONE: usize = 1 << 20;

/// The pipelines that were made, by their places in [`SHADERS`].
type Pipelines = [OnceLock<wgpu::ComputePipeline>; SHADERS.len()];

/// A shader: the name of its entry point, and its source.
struct Shader {
    entry: &'static str,
    source: &'static str,
}

/// A shader's source behind the constants of the format.
macro_rules! shader {
    ($entry:literal, $($file:literal),+) => {
        Shader {
            entry: $entry,
            source: concat!(include_str!("format_prelude.wgsl"), $(include_str!($file)),+),
        }
    };
}

/// The sources of `dense` behind the way in which lanes tell each other something.
macro_rules! dense {
    ($lanes:literal) => {
        shader!(
            "decode",
            $lanes,
            "float.wgsl",
            "relative.wgsl",
            "elements.wgsl",
            "dense/boxes.wgsl",
            "dense/coder.wgsl",
            "dense/walk.wgsl",
            "dense/decode.wgsl"
        )
    };
}

/// The rays of a volume: the entry point, and the mode as the shader numbers it.
macro_rules! rays {
    ($entry:literal, $mode:literal) => {
        Shader {
            entry: $entry,
            source: concat!("const MODE = ", $mode, ";\n", include_str!("volume/ray.wgsl")),
        }
    };
}

const SHADERS: [Shader; 13] = [
    shader!("paint", "colour.wgsl"),
    shader!("decode", "float.wgsl", "relative.wgsl", "elements.wgsl", "paper.wgsl"),
    dense!("dense/lanes_workgroup.wgsl"),
    dense!("dense/lanes_subgroup.wgsl"),
    Shader { entry: "gather", source: include_str!("volume/gather.wgsl") },
    Shader { entry: "reduce", source: include_str!("volume/bricks.wgsl") },
    rays!("trace", "0u"),
    rays!("trace", "1u"),
    rays!("trace", "2u"),
    rays!("pick", "0u"),
    rays!("pick", "1u"),
    rays!("pick", "2u"),
    Shader { entry: "put", source: include_str!("put.wgsl") },
];

/// Which pipeline.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pipeline {
    Colour,
    Paper,
    Dense,
    /// The same where a subgroup holds all lanes.
    DenseSubgroups,
    /// Elements to the voxels of a volume.
    Gather,
    /// The range of each of its bricks.
    Bricks,
    /// Its picture, by what rays show.
    CastMip,
    CastCompositing,
    CastIsosurface,
    /// One ray of that.
    PickMip,
    PickCompositing,
    PickIsosurface,
    /// Elements of a region to their places in a slice.
    Put,
}

impl Gpu {
    /// The most capable GPU of this machine, without a window. It is opened once: all callers share it, and it
    /// stays open as long as the process. Where threads opened and closed one each, a driver was seen to hang.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] when there is none with compute shaders.
    pub fn headless() -> Result<Gpu> {
        static OPENED: OnceLock<Result<Gpu, String>> = OnceLock::new();
        OPENED.get_or_init(opened).clone().map_err(Error::NoAdapter)
    }

    /// A device that the caller has, such as a window's. What it was asked for decides how large a page
    /// of a stream may be.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] when it runs no compute shaders of a thread per element of a tile.
    pub fn new(device: wgpu::Device, queue: wgpu::Queue) -> Result<Gpu> {
        let limits = device.limits();
        if limits.max_compute_invocations_per_workgroup < TILE as u32
            || limits.max_storage_buffers_per_shader_stage < 5
        {
            return Err(Error::NoAdapter(format!("it has no compute shaders of {TILE} threads")));
        }
        let page_limit = binding_limit(&limits);
        let info = device.adapter_info();
        let subgroups = device.features().contains(wgpu::Features::SUBGROUP)
            && info.subgroup_min_size as usize >= LANES;
        let opengl = info.backend == wgpu::Backend::Gl;
        let (pipelines, name) = (Arc::default(), info.name);
        Ok(Gpu { device, queue, pipelines, page_limit, subgroups, opengl, name })
    }

    /// The GPU's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether volumes can be kept: OpenGL writes no textures of three dimensions from shaders.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] where they cannot.
    pub fn check_volumes(&self) -> Result<()> {
        match self.is_opengl() {
            true => Err(Error::NoAdapter(format!(
                "{} is used through OpenGL, without volumes",
                self.name
            ))),
            false => Ok(()),
        }
    }

    /// Whether it is used through OpenGL: by one thread at a time, for which the others wait. Those that use the device
    /// itself must not do so for long meanwhile: wgpu panics where one waits for some seconds, of which on Windows there is
    /// one.
    pub fn is_opengl(&self) -> bool {
        self.opengl
    }

    /// Whether it is the processor that computes.
    pub fn is_software(&self) -> bool {
        self.device.adapter_info().device_type == wgpu::DeviceType::Cpu
    }

    /// Bytes of a stream's page at most.
    pub fn page_limit(&self) -> u64 {
        self.page_limit
    }

    /// The same GPU with smaller pages; larger ones than it takes are not made.
    #[must_use]
    pub fn with_page_limit(mut self, bytes: u64) -> Gpu {
        self.page_limit = self.page_limit.min(bytes);
        self
    }

    /// Whether lanes of the profile `dense` tell each other what they have by subgroup operations. A device has
    /// them where it was asked for with [`wgpu::Features::SUBGROUP`].
    pub fn has_subgroups(&self) -> bool {
        self.subgroups
    }

    /// The same GPU without subgroup operations.
    #[must_use]
    pub fn without_subgroups(mut self) -> Gpu {
        self.subgroups = false;
        self
    }

    /// Whether a slice of so many elements fits in a storage buffer.
    pub(crate) fn fits(&self, elements: u64) -> Result<()> {
        let most = binding_limit(&self.device.limits()) / 4;
        if elements <= most {
            return Ok(());
        }
        let what = format!("a slice of {elements} elements, where {most} fit in a buffer");
        Err(Error::Unsupported(what))
    }

    /// A storage buffer, its bytes zero.
    pub(crate) fn storage(&self, label: &str, bytes: u64) -> Result<wgpu::Buffer> {
        if bytes > self.device.limits().max_buffer_size {
            return Err(Error::Device(format!("a buffer of {bytes} bytes is more than it gives")));
        }
        self.checked(|device| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes.max(4),
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_DST
                    | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            })
        })
    }

    /// A storage buffer with these words.
    pub(crate) fn filled(&self, label: &str, words: &[u32]) -> Result<wgpu::Buffer> {
        let buffer = self.storage(label, 4 * words.len() as u64)?;
        self.checked(|_| {
            for (number, piece) in words.chunks(PIECE).enumerate() {
                let offset = (4 * PIECE * number) as u64;
                self.write(&buffer, offset, bytemuck::cast_slice(piece));
                if words.len() > PIECE {
                    self.queue.submit([]);
                }
            }
        })?;
        Ok(buffer)
    }

    /// Writes bytes to a buffer: many of them on several threads, as one alone is slower than the bus.
    fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        let size = wgpu::BufferSize::new(bytes.len() as u64);
        let room = size.filter(|_| bytes.len() > ALONE);
        let Some(mut room) = room.and_then(|n| self.queue.write_buffer_with(buffer, offset, n))
        else {
            self.queue.write_buffer(buffer, offset, bytes);
            return;
        };
        let (to, mut behind) = room.slice(..).into_chunks::<ALONE>();
        let (parts, rest) = bytes.as_chunks::<ALONE>();
        let copies: Vec<_> = to.into_iter().zip(parts).collect();
        let copy = |(to, part): (wgpu::WriteOnly<'_, [u8; ALONE]>, &[u8; ALONE])| {
            wgpu::WriteOnly::<'_, [u8]>::from(to).copy_from_slice(part);
        };
        copies.into_par_iter().for_each(copy);
        behind.copy_from_slice(rest);
    }

    /// A uniform buffer with these bytes, whole words. Not one that is mapped when it is made: wgpu panics where there is
    /// no memory for that.
    pub(crate) fn uniform(&self, bytes: &[u8]) -> Result<wgpu::Buffer> {
        self.checked(|device| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("fsz parameters"),
                size: bytes.len() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.queue.write_buffer(&buffer, 0, bytes);
            buffer
        })
    }

    /// Makes the shaders that decode and paint slices of a profile, on threads of their own, and returns when they are
    /// there. They are made when they are needed, too; drivers take long for some the first time. A call that needs one
    /// that is being made waits for it.
    pub fn prepare_slices(&self, profile: &Profile) {
        self.prepare(&[self.decoding(profile), Pipeline::Colour]);
    }

    /// The same of the shaders that make volumes and draw them so.
    pub fn prepare_volumes(&self, mode: Mode) {
        if self.check_volumes().is_err() {
            return;
        }
        self.prepare(&[Pipeline::Gather, mode.cast(), Pipeline::Bricks]);
    }

    /// Whether the shader that paints slices is made, and the one that decodes those of a profile.
    pub fn is_prepared(&self, profile: Option<&Profile>) -> bool {
        let decoding = profile.map(|profile| self.decoding(profile));
        let mut needed = decoding.into_iter().chain([Pipeline::Colour]);
        needed.all(|which| self.pipelines[which as usize].get().is_some())
    }

    /// What decodes a profile.
    fn decoding(&self, profile: &Profile) -> Pipeline {
        match profile {
            Profile::Dense(_) => self.dense(),
            _ => Pipeline::Paper,
        }
    }

    fn prepare(&self, pipelines: &[Pipeline]) {
        std::thread::scope(|scope| {
            for &which in pipelines {
                // Whoever uses what could not be made is told of it.
                scope.spawn(move || {
                    self.checked(|_| {
                        self.pipeline(which);
                    })
                });
            }
        });
    }

    /// What decodes `dense`.
    pub(crate) fn dense(&self) -> Pipeline {
        if self.subgroups { Pipeline::DenseSubgroups } else { Pipeline::Dense }
    }

    fn pipeline(&self, which: Pipeline) -> &wgpu::ComputePipeline {
        // Made when it is asked for: drivers take long for some.
        self.pipelines[which as usize]
            .get_or_init(|| pipeline(&self.device, &SHADERS[which as usize]))
    }

    /// Records a run of a pipeline with these resources, by the number of their binding.
    pub(crate) fn dispatch<'a>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: Pipeline,
        resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
        [columns, rows, layers]: [u32; 3],
    ) {
        let pipeline = self.pipeline(pipeline);
        let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
        let entries: Vec<_> = (0..).zip(resources).map(entry).collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(columns, rows, layers);
    }

    /// Records that alone, and submits it.
    pub(crate) fn submit<'a>(
        &self,
        pipeline: Pipeline,
        resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
        groups: [u32; 3],
    ) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.dispatch(&mut encoder, pipeline, resources, groups);
        self.queue.submit([encoder.finish()]);
    }

    /// Waits until the GPU has done all that it was asked for.
    ///
    /// # Errors
    /// [`Error::Device`] when it fails.
    pub(crate) fn wait(&self) -> Result<()> {
        let _alone = self.opengl.then(alone);
        waited(|| self.device.poll(wgpu::PollType::wait_indefinitely()))
    }

    /// Calls `make` and reports what the device says of it, full memory above all.
    pub(crate) fn checked<R>(&self, make: impl FnOnce(&wgpu::Device) -> R) -> Result<R> {
        let _alone = self.opengl.then(alone);
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        // A driver that does not compile a shader.
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let made = make(&self.device);
        let errors = [validation, internal, memory].map(|scope| pollster::block_on(scope.pop()));
        match errors.into_iter().flatten().next() {
            Some(error) => Err(Error::device(error)),
            None => Ok(made),
        }
    }
}

/// Lets one thread of the process use OpenGL, until what it gives is dropped. wgpu has a lock of its own, but panics where it
/// is waited for too long.
fn alone() -> Alone {
    static TURN: Mutex<()> = Mutex::new(());
    let first = !IS_ALONE.replace(true);
    Alone { turn: first.then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner)) }
}

/// Of a thread that is alone already, nothing.
struct Alone {
    turn: Option<MutexGuard<'static, ()>>,
}

impl Drop for Alone {
    fn drop(&mut self) {
        if self.turn.is_some() {
            IS_ALONE.set(false);
        }
    }
}

thread_local! {
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// The most bytes of a buffer that a shader reads or writes. Metal gives larger ones, of which shaders count the bytes in
/// 32 bits.
fn binding_limit(limits: &wgpu::Limits) -> u64 {
    let most = u64::from(u32::MAX) & !3;
    most.min(limits.max_storage_buffer_binding_size).min(limits.max_buffer_size)
}

/// Waits by `poll`, for which wgpu has no error but its own time-outs: it panics where the device is lost meanwhile, when it
/// has let go of all that it held.
fn waited(poll: impl FnOnce() -> Result<wgpu::PollStatus, wgpu::PollError>) -> Result<()> {
    let panicked = match catch_unwind(AssertUnwindSafe(poll)) {
        Ok(done) => return done.map(drop).map_err(Error::device),
        Err(panicked) => panicked,
    };
    let said = panicked.downcast_ref::<String>().map(String::as_str);
    let said = said.or(panicked.downcast_ref().copied()).unwrap_or("it was lost");
    Err(Error::device(said.lines().map(str::trim).collect::<Vec<_>>().join(" ")))
}

fn opened() -> Result<Gpu, String> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    let adapter =
        pollster::block_on(instance.request_adapter(&options)).map_err(|e| e.to_string())?;
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("fsz"),
        required_features: adapter.features() & wgpu::Features::SUBGROUP,
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) =
        pollster::block_on(adapter.request_device(&descriptor)).map_err(|e| e.to_string())?;
    let mut gpu = Gpu::new(device, queue).map_err(|e| match e {
        Error::NoAdapter(reason) => reason,
        other => other.to_string(),
    })?;
    gpu.name = adapter.get_info().name;
    Ok(gpu)
}

fn pipeline(device: &wgpu::Device, shader: &Shader) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(shader.entry),
        source: wgpu::ShaderSource::Wgsl(shader.source.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(shader.entry),
        layout: None,
        module: &module,
        entry_point: Some(shader.entry),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As wgpu 30 does it in `Device::poll`.
    #[test]
    fn a_device_that_is_lost_while_it_is_waited_for_is_an_error() {
        let told = |lost: fn() -> Result<wgpu::PollStatus, wgpu::PollError>| {
            waited(lost).expect_err("it is lost").to_string()
        };
        let reason = "Error in Device::poll: Parent device is lost";
        let expected = format!("the GPU failed: {reason}; decode on the CPU");
        assert_eq!(
            told(|| panic!("Error in {}:\n  Parent device is lost\n", "Device::poll")),
            expected
        );
        assert!(told(|| panic!("static")).contains("static"));
        assert!(told(|| Err(wgpu::PollError::Timeout)).starts_with("the GPU failed: "));
        assert!(waited(|| Ok(wgpu::PollStatus::QueueEmpty)).is_ok());
    }

    #[test]
    fn one_thread_is_alone_at_a_time() {
        use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
        let inside = AtomicUsize::new(0);
        let work = || {
            for _ in 0..100 {
                let _outer = alone();
                let _inner = alone();
                drop(alone());
                assert_eq!(inside.fetch_add(1, SeqCst), 0);
                std::thread::yield_now();
                inside.fetch_sub(1, SeqCst);
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().for_each(|thread| thread.join().expect("no other was inside"));
        });
        assert!(!IS_ALONE.get());
    }

    #[test]
    fn bytes_of_a_buffer_are_counted_in_a_word() {
        let limits = |bytes| wgpu::Limits {
            max_storage_buffer_binding_size: bytes,
            max_buffer_size: bytes,
            ..Default::default()
        };
        assert_eq!(binding_limit(&limits(1 << 27)), 1 << 27);
        let most = binding_limit(&limits(1 << 36));
        assert!(most <= u64::from(u32::MAX) && most.is_multiple_of(4));
    }
}
