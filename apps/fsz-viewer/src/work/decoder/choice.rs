//! The decoder that is asked for, and the one that there is.

use clap::ValueEnum;
use fsz::Codec;
use fsz_wgpu::Gpu;

use crate::work::decoder::Decoder;
use crate::work::gpu_streams::CUDA_DEVICE;

/// The decoder that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DecoderChoice {
    /// A GPU, else CUDA, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU through Vulkan, Metal or DirectX 12.
    Gpu,
    /// An NVIDIA GPU through CUDA.
    Cuda,
}

impl Decoder {
    /// The decoder that is wanted, or the processor with a note why. `window` is the GPU that draws the
    /// window: where it is taken, planes stay on it, to be painted.
    pub fn open(choice: DecoderChoice, window: Option<&Gpu>) -> Decoder {
        let painter = window.filter(|gpu| paints(choice, gpu)).cloned();
        Decoder { painter, ..Decoder::choose(choice, window) }
    }

    pub(super) fn choose(choice: DecoderChoice, window: Option<&Gpu>) -> Decoder {
        let gpu = || window.cloned().map_or_else(Gpu::headless, Ok);
        let instead = |reason: String| Decoder {
            note: Some(format!("{reason}; decoding on the CPU instead")),
            ..Decoder::cpu()
        };
        match choice {
            DecoderChoice::Cpu => Decoder::cpu(),
            DecoderChoice::Cuda => match Codec::cuda(CUDA_DEVICE) {
                Ok(codec) => Decoder { codec, ..Decoder::cpu() },
                Err(reason) => instead(reason.to_string()),
            },
            DecoderChoice::Gpu => match gpu() {
                Ok(gpu) => Decoder { gpu: Some(gpu), ..Decoder::cpu() },
                Err(reason) => instead(reason.to_string()),
            },
            DecoderChoice::Auto => match gpu().ok().filter(is_quick) {
                Some(gpu) => Decoder { gpu: Some(gpu), ..Decoder::cpu() },
                None => Codec::cuda(CUDA_DEVICE)
                    .map_or_else(|_| Decoder::cpu(), |codec| Decoder { codec, ..Decoder::cpu() }),
            },
        }
    }
}

/// Whether a GPU is taken unasked. One in software is no faster than the processor's own way, and one
/// that is used through OpenGL draws no window while it decodes.
fn is_quick(gpu: &Gpu) -> bool {
    !gpu.is_software() && !gpu.is_opengl()
}

/// Whether pictures are painted by the GPU that draws the window.
pub fn paints(choice: DecoderChoice, window: &Gpu) -> bool {
    match choice {
        DecoderChoice::Cpu => false,
        DecoderChoice::Gpu => true,
        DecoderChoice::Auto | DecoderChoice::Cuda => is_quick(window),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_in_software_or_through_opengl_is_taken_when_it_is_asked_for_alone() {
        let Ok(gpu) = Gpu::headless() else {
            eprintln!("SKIPPED: which GPUs are taken unasked: no GPU");
            return;
        };
        let quick = !gpu.is_software() && !gpu.is_opengl();
        assert_eq!(Decoder::open(DecoderChoice::Auto, None).gpu.is_some(), quick);
        assert_eq!(paints(DecoderChoice::Auto, &gpu), quick);
        assert!(Decoder::open(DecoderChoice::Gpu, None).gpu.is_some());
    }
}
