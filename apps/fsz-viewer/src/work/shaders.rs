//! Shaders, made before they are needed: drivers take up to a second for some the first time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fsz::{Dense, Profile};
use fsz_wgpu::{Gpu, Mode};

/// Does `work` while the shaders of slices and volumes are made: those of slices of the usual profile first, then those of the
/// other profile beside those of volumes, whose renderings follow one another. What is not begun when the work ends is left
/// out. A GPU in software makes them when they are needed: there it is the processor's time.
pub fn with_shaders<R>(gpu: Option<&Gpu>, work: impl FnOnce() -> R) -> R {
    let Some(gpu) = gpu.filter(|gpu| !gpu.is_software()) else { return work() };
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let goes_on = || !ended.load(Ordering::Relaxed);
        scope.spawn(move || {
            gpu.prepare_slices(&Profile::default());
            if goes_on() {
                scope.spawn(|| gpu.prepare_slices(&Profile::Dense(Dense::new())));
            }
            let renderings =
                [Mode::Mip, Mode::Compositing { depth: 1.0 }, Mode::Isosurface { value: 0.0 }];
            let wanted = renderings.into_iter().take_while(|_| goes_on());
            wanted.for_each(|rendering| gpu.prepare_volumes(rendering));
        });
        let end = End(&ended);
        let answer = work();
        drop(end);
        answer
    })
}

/// Tells that the work has ended, however it did.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
