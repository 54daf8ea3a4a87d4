//! What tells a machine from another one, without starting CUDA.

use std::{
    env, fs,
    io::{BufRead, BufReader},
};

/// The processor, the threads that the process may use, the driver, and the devices that it shows: what the
/// measured costs depend on.
pub(crate) fn description() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':')).map_or(String::new(), |l| l.1.trim().to_owned())
    };
    let processor = processor().unwrap_or_default();
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

/// The name of the first processor. The file tells of one after the other as it is read, and of many in milliseconds:
/// no more of it is read than is needed.
fn processor() -> Option<String> {
    const BEGINNING: usize = 512;
    let lines = BufReader::with_capacity(BEGINNING, fs::File::open("/proc/cpuinfo").ok()?).lines();
    let line = lines.map_while(Result::ok).find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_has_the_name_that_the_whole_file_gives() {
        let all = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = all.lines().find(|line| line.starts_with("model name"));
        assert_eq!(
            processor().as_deref(),
            name.map(|line| line.split_once(':').expect("a name").1.trim())
        );
    }
}
