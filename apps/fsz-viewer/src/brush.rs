//! The GPU that draws the window, to decode and paint on.

use eframe::egui_wgpu::RenderState;
use fsz_wgpu::Gpu;

/// The window's GPU.
#[derive(Clone)]
pub struct Brush {
    /// The window's.
    pub state: RenderState,
    /// The same, as planes are decoded on it.
    pub gpu: Gpu,
}

impl std::fmt::Debug for Brush {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Brush").field("gpu", &self.gpu).finish_non_exhaustive()
    }
}

impl Brush {
    /// For a window; none when its GPU has no compute shaders.
    pub fn new(state: &RenderState) -> Option<Brush> {
        let gpu = Gpu::new(state.device.clone(), state.queue.clone()).ok()?;
        Some(Brush { state: state.clone(), gpu })
    }
}
