//! Commands on files, on the CPU, through CUDA, and by the automatic choice between them.

use std::{env, path::Path, process::Command, time::Instant};

use rayon::prelude::*;

/// Bytes of a smooth field with a little noise.
fn field(bytes: usize) -> Vec<u8> {
    (0..bytes / 4)
        .into_par_iter()
        .flat_map_iter(|i| {
            let noise = (i as u32).wrapping_mul(2_654_435_761) >> 24;
            let [x, y] = [i % 1024, i / 1024].map(|at| (at as f32 * 0.012).sin());
            (x * y + 4e-5 * noise as f32).to_le_bytes()
        })
        .collect()
}

/// Seconds of a command, the median of `runs`, each with a new output.
fn seconds(runs: usize, folder: &Path, words: &str) -> f64 {
    let words: Vec<&str> = words.split(' ').collect();
    let output = words.windows(2).find(|pair| pair[0] == "-o").expect("an output")[1];
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            std::fs::remove_file(folder.join(output)).ok();
            let mut command = Command::new(env!("CARGO_BIN_EXE_fsz"));
            let began = Instant::now();
            let status = command.arg("-q").args(&words).current_dir(folder).status();
            assert!(status.expect("runs").success(), "{words:?}");
            began.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

/// Where FSZ_FOLDER says, or in memory: a disk would be measured otherwise. FSZ_MOST_MB is the largest field.
#[test]
#[ignore = "prints a table of times; run it with --release, --ignored and --nocapture"]
fn files() {
    if let Err(why) = fsz::devices() {
        return eprintln!("SKIPPED: commands on files: {why}");
    }
    let most = env::var("FSZ_MOST_MB").ok().and_then(|v| v.parse().ok()).unwrap_or(4295);
    let folder = env::var_os("FSZ_FOLDER").unwrap_or_else(|| "/dev/shm".into());
    let folder = tempfile::tempdir_in(folder).expect("makes a folder");
    let folder = folder.path();
    println!("seconds of commands on files, on the CPU, through CUDA, and automatic");
    for megabytes in [1, 17, 67, 268, 537, 4295].into_iter().filter(|&size| size <= most) {
        let bytes = (megabytes as f64 * 1e6 / 4096.0) as usize * 4096;
        std::fs::write(folder.join("field.f32"), field(bytes)).expect("writes");
        let runs = if megabytes > 1000 { 1 } else { 5 };
        for profile in ["paper", "dense"] {
            let compress = format!(
                "compress field.f32 --shape {} --dtype f32 --range 1e-3 --profile {profile} -o x.fsz --backend",
                bytes / 4
            );
            for operation in [compress.as_str(), "decompress x.fsz -o back.f32 --backend"] {
                let times = ["cpu", "cuda", "auto"]
                    .map(|backend| seconds(runs, folder, &format!("{operation} {backend}")));
                let better = times[0].min(times[1]);
                println!(
                    "{megabytes:5} MB {profile} {:10}: {:.3} {:.3} {:.3} ({:4.2} of the better)",
                    operation.split(' ').next().expect("a word"),
                    times[0],
                    times[1],
                    times[2],
                    times[2] / better
                );
            }
        }
    }
}
