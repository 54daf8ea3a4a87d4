//! Which codec a command uses.

use std::error::Error as _;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use fsz::cuda::StreamKind;
use fsz::{Backend, Codec, Dense, Profile, Stream};

/// Where to compress and decompress.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum BackendChoice {
    /// The CPU, or CUDA for calls that are faster there (see fsz devices).
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// How values are coded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProfileName {
    /// Fastest.
    #[default]
    Paper,
    /// Smallest, for streams that go to a disk or over a network.
    Dense,
}

impl ProfileName {
    /// The profile, with what it chooses by itself.
    pub fn profile(self) -> Profile {
        match self {
            ProfileName::Paper => Profile::default(),
            ProfileName::Dense => Profile::Dense(Dense::new()),
        }
    }
}

/// The number of threads to use where so many are asked for.
pub fn threads(asked: usize) -> usize {
    asked.min(Codec::most_threads())
}

/// Arguments of every command that runs a codec.
#[derive(Debug, Clone, Args)]
pub struct CodecArgs {
    /// Where to run; all backends produce the same bytes
    #[arg(long, value_enum, default_value_t, value_name = "BACKEND")]
    backend: BackendChoice,
    /// CPU threads, at most 4 per core; all cores by default
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl CodecArgs {
    /// The codec asked for. Other parallel work of the command keeps to the same threads.
    pub fn codec(&self) -> Result<Codec> {
        let threads = self.threads.map(threads);
        if threads != Some(0) {
            start(threads)?;
        }
        let codec = backend(self.backend)?;
        Ok(match threads {
            // Tells 1 thread from a pool of 1, and refuses 0.
            Some(threads @ (0 | 1)) => codec.threads(threads)?,
            _ => codec,
        })
    }
}

/// Starts the threads that all parallel work of the program shares, by default one for each core.
pub fn start(threads: Option<usize>) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    let Err(error) = pool.build_global() else { return Ok(()) };
    if threads.is_none() && error.source().is_none() {
        // Without a cause the error says that they run.
        return Ok(());
    }
    let fewer = if threads == Some(1) { "" } else { "use fewer with --threads, or " };
    bail!(
        "cannot start threads: {error}; {fewer}raise the limit, which ulimit -u, ulimit -v or the job sets"
    )
}

/// The codec of a backend.
pub fn backend(choice: BackendChoice) -> Result<Codec> {
    match choice {
        BackendChoice::Auto => Ok(Codec::auto()),
        BackendChoice::Cpu => Ok(Codec::cpu()),
        BackendChoice::Cuda => {
            Codec::cuda(0).map_err(|why| anyhow!("{why}; --backend cpu produces the same bytes"))
        }
    }
}

/// What decodes this stream here unless told otherwise, and why. Starts nothing.
pub fn decoder(stream: &Stream<'_>) -> (Backend, String) {
    if let Err(why) = StreamKind::of(stream) {
        return (Backend::Cpu, why.to_string());
    }
    let backend = Codec::auto().backend_for(stream);
    let why = match backend {
        Backend::Cuda => "large enough to gain from a device, if one is usable: see fsz devices",
        _ => "a field of this size gains nothing from a device: see fsz devices",
    };
    (backend, why.to_owned())
}
