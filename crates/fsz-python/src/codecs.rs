//! The codecs that calls run on: one for each backend and number of threads, made when it is first needed, so
//! that calls do not start threads anew.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    thread::available_parallelism,
};

use fsz::Codec;

/// Where a call asks to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
    Auto,
    Cpu,
    Cuda(usize),
}

impl Asked {
    /// Reads `auto`, `cpu`, `cuda` or `cuda:1`.
    pub fn parse(text: &str) -> fsz::Result<Self> {
        match text {
            "auto" => Ok(Asked::Auto),
            "cpu" => Ok(Asked::Cpu),
            "cuda" => Ok(Asked::Cuda(0)),
            _ => {
                text.strip_prefix("cuda:").and_then(|n| n.parse().ok()).map(Asked::Cuda).ok_or_else(
                    || {
                        fsz::Error::InvalidArgument(format!(
                            "unknown backend '{text}': use auto, cpu, cuda or cuda:1"
                        ))
                    },
                )
            }
        }
    }
}

/// The codecs of one process.
struct Codecs {
    process: u32,
    /// By the number of threads that was asked for.
    by_request: HashMap<(Asked, Option<usize>), Codec>,
}

static CODECS: Mutex<Option<Codecs>> = Mutex::new(None);

/// A codec on `threads` threads, or on as many as the process may use.
pub fn codec(asked: Asked, threads: Option<usize>) -> fsz::Result<Codec> {
    let mut codecs = CODECS.lock().unwrap_or_else(PoisonError::into_inner);
    // A forked process has none of its parent's threads: it begins anew, and leaves what it has of the
    // parent's pools alone.
    let process = std::process::id();
    if let Some(inherited) = codecs.take_if(|codecs| codecs.process != process) {
        std::mem::forget(inherited);
    }
    let codecs = codecs.get_or_insert_with(|| Codecs { process, by_request: HashMap::new() });
    if let Some(codec) = codecs.by_request.get(&(asked, threads)) {
        return Ok(codec.clone());
    }
    // The system is asked for its cores by reading files, which takes longer than to code a small array.
    let count = threads.unwrap_or_else(|| available_parallelism().map_or(1, |n| n.get()));
    let codec = match codecs.by_request.get(&(asked, Some(count))) {
        Some(codec) => codec.clone(),
        None => match asked {
            Asked::Auto => Codec::auto(),
            Asked::Cpu => Codec::cpu(),
            Asked::Cuda(device) => Codec::cuda(device)?,
        }
        .threads(count)?,
    };
    for threads in [threads, Some(count)] {
        codecs.by_request.insert((asked, threads), codec.clone());
    }
    Ok(codec)
}
