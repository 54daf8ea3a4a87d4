//! `fsz devices`.

use std::path::PathBuf;

use anyhow::Result;
use fsz::{Calibration, CallCost, Codec, DeviceInfo};
use serde::Serialize;

use crate::table::Table;
use crate::terminal;
use fsz_figure::number::bytes;

/// List usable backends and CUDA devices, explain failures, and show what --backend auto goes by
///
/// With --backend auto, a call runs on a CUDA device if it is faster there. "CUDA from" is the size from
/// which that holds in a program that has used CUDA before; "first call" is that size in one that has not,
/// and that first spends the time shown on starting and ending CUDA. What calls cost is measured once, when
/// a program has spent ten times as long with calls as measuring takes, and kept in the user's cache folder
/// ($FSZ_CACHE, else $XDG_CACHE_HOME/fsz, else ~/.cache/fsz); until then usual figures serve.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Measure anew now, on all CPU threads and CUDA device 0, and keep the result; takes some seconds
    #[arg(long)]
    calibrate: bool,
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
    #[serde(flatten)]
    auto: Option<Auto>,
}

/// What the automatic choice goes by.
#[derive(Debug, Serialize)]
struct Auto {
    /// Where it is kept.
    file: Option<PathBuf>,
    /// Seconds that a program needs to begin and to end with CUDA.
    start_seconds: f64,
    calls: Vec<Call>,
}

/// What calls of one kind cost.
#[derive(Debug, Serialize)]
struct Call {
    operation: &'static str,
    profile: &'static str,
    dtype: &'static str,
    measured: bool,
    cpu_gbs: f64,
    cuda_gbs: f64,
    /// Bytes from which on CUDA is used, if there are such, in a program that has used it and in its first call.
    cuda_from: Option<u64>,
    first_from: Option<u64>,
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
    // First of all: what it takes to begin with CUDA is measured as well.
    if args.calibrate {
        Calibration::measure()?;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let instructions = Codec::cpu().instructions();
    let mut devices = vec![Device {
        backend: "cpu",
        available: true,
        detail: format!("{}, {instructions} instructions", terminal::count(threads, "thread")),
        cuda: None,
        auto: None,
    }];
    match fsz::devices() {
        Ok(found) => devices.extend(found.into_iter().map(Device::cuda)),
        Err(why) => devices.push(Device {
            backend: "cuda",
            available: false,
            detail: why.to_string(),
            cuda: None,
            auto: None,
        }),
    }
    let usable =
        devices.iter().any(|d| d.available && d.cuda.as_ref().is_some_and(|c| c.device == 0));
    if usable {
        devices.push(Device::auto());
    }
    if args.json {
        return terminal::print_json(&devices);
    }
    let mut table = Table::new("backend,device,usable,detail");
    let mut calls = String::new();
    for device in devices {
        let usable = if device.available { "yes" } else { "no" };
        let number = device.cuda.map_or_else(String::new, |cuda| cuda.device.to_string());
        table.row([device.backend.to_owned(), number, usable.to_owned(), device.detail]);
        calls.extend(device.auto.map(|auto| format!("\n{}", auto.text())));
    }
    terminal::print(&(table.text() + &calls))
}

impl Auto {
    fn text(&self) -> String {
        let mut table =
            Table::new("auto,profile,type,CPU GB/s,CUDA GB/s,CUDA from,first call,measured");
        for call in &self.calls {
            let from = |size: Option<u64>| size.map_or_else(|| "never".to_owned(), bytes);
            table.row([
                call.operation.to_owned(),
                call.profile.to_owned(),
                call.dtype.to_owned(),
                format!("{:.2}", call.cpu_gbs),
                format!("{:.2}", call.cuda_gbs),
                from(call.cuda_from),
                from(call.first_from),
                if call.measured { "yes" } else { "no" }.to_owned(),
            ]);
        }
        table.text()
    }
}

impl Call {
    fn of(cost: CallCost) -> Call {
        Call {
            operation: cost.operation,
            profile: cost.profile,
            dtype: cost.dtype.name(),
            measured: cost.measured,
            cpu_gbs: cost.cpu_speed / 1e9,
            cuda_gbs: cost.cuda_speed / 1e9,
            cuda_from: cost.cuda_from,
            first_from: cost.first_from,
        }
    }
}

impl Device {
    fn auto() -> Device {
        let (known, file) = (Calibration::current(), Calibration::file());
        let kept = match &file {
            Some(file) if Calibration::is_kept() => format!("measured, in {}", file.display()),
            _ => "usual figures: fsz devices --calibrate measures".to_owned(),
        };
        let calls = known.calls().map(Call::of).collect();
        Device {
            backend: "auto",
            available: true,
            detail: format!("{:.2} s to begin and end with CUDA; {kept}", known.start()),
            cuda: None,
            auto: Some(Auto { file, start_seconds: known.start(), calls }),
        }
    }

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
            auto: None,
        }
    }
}
