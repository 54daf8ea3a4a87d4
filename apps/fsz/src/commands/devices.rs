//! `fsz devices`.

use anyhow::Result;
use fsz::{Codec, DeviceInfo};
use serde::Serialize;

use crate::table::Table;
use crate::terminal;
use fsz_figure::number::bytes;

/// List usable backends and CUDA devices, and explain failures
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A backend, or one device of it. What is not known is left out.
#[derive(Debug, Serialize)]
struct Device {
    backend: &'static str,
    available: bool,
    detail: String,
    #[serde(flatten)]
    cuda: Option<Cuda>,
}

/// A CUDA device.
#[derive(Debug, Serialize)]
struct Cuda {
    /// The number by which other commands know it.
    device: usize,
    name: String,
    compute_capability: String,
    multiprocessors: u32,
    memory_bytes: u64,
    /// Which kernels it runs; none when it is too old for any.
    kernels: Option<&'static str>,
}

/// Lists the backends.
pub fn run(args: &Args) -> Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let instructions = Codec::cpu().instructions();
    let mut devices = vec![Device {
        backend: "cpu",
        available: true,
        detail: format!("{threads} threads, {instructions} instructions"),
        cuda: None,
    }];
    match fsz::devices() {
        Ok(found) => devices.extend(found.into_iter().map(Device::cuda)),
        Err(why) => devices.push(Device {
            backend: "cuda",
            available: false,
            detail: why.to_string(),
            cuda: None,
        }),
    }
    if args.json {
        return terminal::print_json(&devices);
    }
    let mut table = Table::new("backend,device,usable,detail");
    for device in devices {
        let usable = if device.available { "yes" } else { "no" };
        let number = device.cuda.map_or_else(String::new, |cuda| cuda.device.to_string());
        table.row([device.backend.to_owned(), number, usable.to_owned(), device.detail]);
    }
    terminal::print(&table.text())
}

impl Device {
    fn cuda(info: DeviceInfo) -> Device {
        let (major, minor) = info.capability;
        // Opened, for a device may be there and not answer.
        let opened = Codec::cuda(info.ordinal);
        let detail = match &opened {
            Ok(_) => format!(
                "{}, compute capability {major}.{minor}, {}, kernels: {}",
                info.name,
                bytes(info.memory),
                info.kernels().unwrap_or("none")
            ),
            Err(why) => format!("{}: {why}", info.name),
        };
        Device {
            backend: "cuda",
            available: opened.is_ok(),
            detail,
            cuda: Some(Cuda {
                device: info.ordinal,
                kernels: info.kernels(),
                name: info.name,
                compute_capability: format!("{major}.{minor}"),
                multiprocessors: info.multiprocessors,
                memory_bytes: info.memory,
            }),
        }
    }
}
