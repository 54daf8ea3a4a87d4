//! The GPU that draws the window, to decode and paint on.

use eframe::egui_wgpu::RenderState;
use fsz_wgpu::Gpu;

/// The window's GPU.
#[derive(Clone)]
pub struct WindowGpu {
    /// The window's.
    pub state: RenderState,
    /// The same, as planes are decoded on it.
    pub gpu: Gpu,
}

impl std::fmt::Debug for WindowGpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WindowGpu").field("gpu", &self.gpu).finish_non_exhaustive()
    }
}

impl WindowGpu {
    /// For a window; none when its GPU has no compute shaders.
    pub fn new(state: &RenderState) -> Option<WindowGpu> {
        let gpu = Gpu::new(state.device.clone(), state.queue.clone()).ok()?;
        Some(WindowGpu { state: state.clone(), gpu })
    }
}
