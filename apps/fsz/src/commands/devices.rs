//! `fsz devices`.

use fsz::Codec;
use serde::Serialize;

use crate::failure::{Result, Verdict};
use crate::screen;
use crate::table::Table;

/// List the backends, and why one does not answer
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Device {
    backend: &'static str,
    available: bool,
    detail: String,
}

/// Lists the backends.
pub fn run(args: &Args) -> Result {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let instructions = Codec::cpu().instructions();
    let devices = [
        Device {
            backend: "cpu",
            available: true,
            detail: format!("{threads} threads, {instructions} instructions"),
        },
        Device {
            backend: "cuda",
            available: false,
            detail: "not built in: this build has the CPU codec alone".to_owned(),
        },
    ];
    if args.json {
        screen::print_json(&devices)?;
        return Ok(Verdict::Fine);
    }
    let mut table = Table::new(["backend", "answers", "detail"]);
    for device in devices {
        let answers = if device.available { "yes" } else { "no" };
        table.row([device.backend.to_owned(), answers.to_owned(), device.detail]);
    }
    screen::print(&table.text())?;
    Ok(Verdict::Fine)
}
