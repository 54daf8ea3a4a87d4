//! A GPU that draws the window and is lost: the driver was reset, or the device was taken away. wgpu makes no new one for a
//! window that is open, and nothing is drawn any more that could tell of it.

use std::sync::{Arc, OnceLock};

use eframe::egui_wgpu::RenderState;
use eframe::wgpu::DeviceLostReason;

use crate::work::event::Wake;

/// What is known of the loss.
#[derive(Clone, Debug, Default)]
pub struct LostGpu(Arc<OnceLock<String>>);

impl LostGpu {
    /// Hears of the loss of the window's GPU, and wakes the window then.
    pub fn watch(state: &RenderState, wake: Wake) -> LostGpu {
        let lost = LostGpu::default();
        let told = lost.clone();
        state.device.set_device_lost_callback(move |reason, message| {
            if told.tell(reason, &message) {
                wake();
            }
        });
        lost
    }

    /// Whether that is a loss: a device that is given back when the window is closed is none.
    fn tell(&self, reason: DeviceLostReason, message: &str) -> bool {
        reason != DeviceLostReason::Destroyed && self.0.set(message.to_owned()).is_ok()
    }

    /// What to tell the user, where it is lost.
    pub fn told(&self) -> Option<String> {
        let reason = self.0.get()?;
        Some(format!(
            "the GPU that draws the window was lost: {reason}; start the viewer again, which opens what was open, with \
             --decoder cpu where it happens again"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_that_is_given_back_is_not_lost() {
        let lost = LostGpu::default();
        assert!(!lost.tell(DeviceLostReason::Destroyed, "dropped"));
        assert_eq!(lost.told(), None);
        assert!(lost.tell(DeviceLostReason::Unknown, "Parent device is lost"));
        let told = lost.told().expect("it is lost");
        assert!(told.contains("was lost: Parent device is lost; start the viewer again"), "{told}");
        assert!(!lost.tell(DeviceLostReason::Unknown, "again"), "it is told once");
    }
}
