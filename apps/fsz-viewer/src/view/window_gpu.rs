//! The GPU that draws the window, to decode and paint on.

use std::sync::Arc;

use eframe::egui_wgpu::{RenderState, WgpuConfiguration, WgpuSetup};
use eframe::wgpu::{Adapter, Features};
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

    /// How a window asks for its GPU: with subgroup operations, where there are such, for they decode faster.
    pub fn configuration() -> WgpuConfiguration {
        let mut configuration = WgpuConfiguration::default();
        if let WgpuSetup::CreateNew(setup) = &mut configuration.wgpu_setup {
            let usual = setup.device_descriptor.clone();
            setup.device_descriptor = Arc::new(move |adapter: &Adapter| {
                let mut descriptor = usual(adapter);
                descriptor.required_features |= adapter.features() & Features::SUBGROUP;
                descriptor
            });
        }
        configuration
    }
}
