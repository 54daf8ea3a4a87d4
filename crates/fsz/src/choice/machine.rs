//! What tells a machine from another one, without starting CUDA.

use std::{env, fs};

/// The processor, the threads that the process may use, the driver, and the devices that it shows: what the
/// measured costs depend on.
pub(crate) fn description() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':')).map_or(String::new(), |l| l.1.trim().to_owned())
    };
    let processor = field(&read("/proc/cpuinfo"), "model name");
    let driver = read("/proc/driver/nvidia/version").lines().next().unwrap_or("").to_owned();
    let mut devices: Vec<String> = fs::read_dir("/proc/driver/nvidia/gpus")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| fs::read_to_string(entry.path().join("information")).unwrap_or_default())
        .map(|text| field(&text, "Model"))
        .collect();
    devices.sort();
    let visible = env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
    format!(
        "fsz {}; {processor}; {threads} threads; {driver}; {}; visible {visible}",
        env!("CARGO_PKG_VERSION"),
        devices.join(", ")
    )
}
