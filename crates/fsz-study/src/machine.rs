//! What the study ran on.

use crate::html::Data;

/// Program and machine.
pub fn table() -> Data {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let facts = [
        ("program", format!("fsz {}", env!("CARGO_PKG_VERSION"))),
        ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("processor", processor()),
        ("processors", threads.to_string()),
        ("threads", rayon::current_num_threads().to_string()),
        ("zfp", if cfg!(feature = "zfp") { "built in" } else { "not built in" }.to_owned()),
    ];
    let rows = facts.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    Data { file: "machine.csv", head: "fact,value", rows }
}

/// Linux tells; elsewhere it is not known.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned());
    name.unwrap_or_else(|| "unknown".to_owned())
}
