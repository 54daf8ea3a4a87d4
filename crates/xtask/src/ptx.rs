//! `cargo xtask ptx`: the PTX that programs carry, made from the sources in `cuda/`.
//!
//! It is committed, so that a build needs no CUDA; this makes it and holds it to its sources, by a checksum beside it and by
//! compiling.

use crate::cargo::{root, target};
use crate::{cache, folder, process, setup, tools};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The modules of the codec, `.cu` files of `cuda/`, and the compute capabilities that each is compiled for: 80
/// runs on every device from Ampere on, 90 is for what Hopper and later have beside that.
pub const MODULES: [(&str, &[u32]); 18] = [
    ("compress_paper_f32", &[80, 90]),
    ("compress_paper_f64", &[80, 90]),
    ("compress_paper_relative_f32", &[80, 90]),
    ("compress_paper_relative_f64", &[80, 90]),
    ("compress_dense_f32", &[80]),
    ("compress_dense_f64", &[80]),
    ("compress_dense_relative_f32", &[80]),
    ("compress_dense_relative_f64", &[80]),
    ("decompress_paper_f32", &[80]),
    ("decompress_paper_f64", &[80]),
    ("decompress_paper_relative_f32", &[80]),
    ("decompress_paper_relative_f64", &[80]),
    ("decompress_dense_f32", &[80]),
    ("decompress_dense_f64", &[80]),
    ("decompress_dense_relative_f32", &[80]),
    ("decompress_dense_relative_f64", &[80]),
    ("regions_f32", &[80]),
    ("regions_f64", &[80]),
];
/// Those of the bench and of the example.
const OTHERS: [(&str, &[u32]); 2] = [("bench", &[80]), ("gray_scott", &[80])];
/// What every module is compiled with.
const FLAGS: [&str; 4] = ["-std=c++17", "-O3", "-Icuda", "-ptx"];

/// Makes all of it anew in the repository.
pub fn write() -> Result<()> {
    let (made, committed) = (target().join("ptx"), committed_folder());
    compile(compilers(&made)?, &made)?;
    fs::create_dir_all(&committed)?;
    for name in names(&committed)?.difference(&names(&made)?) {
        fs::remove_file(committed.join(name))?;
        println!("{name} removed: it has no source");
    }
    let mut changed = Vec::new();
    for name in names(&made)? {
        let old = fs::read(committed.join(&name));
        if old.is_ok_and(|old| fs::read(made.join(&name)).is_ok_and(|new| old == new)) {
            println!("{name} unchanged");
        } else {
            changed.push(name);
        }
    }
    accepted(&made, &changed)?;
    for name in changed {
        fs::copy(made.join(&name), committed.join(&name))?;
        println!("{name} written");
    }
    fs::write(checksum_file(), checksum()?)?;
    Ok(())
}

/// Fails where the assembler of the oldest driver does not take one of the files.
fn accepted(made: &Path, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let package = {
        let _lock = cache::lock()?;
        setup::OLDEST_PTXAS.provide()?;
        setup::OLDEST_PTXAS.package("nvidia/cuda_nvcc")?
    };
    let Some(package) = package else { bail!("no ptxas of CUDA 12.4 for this system") };
    let assembler = |name: &String| {
        let mut ptxas = Command::new(package.join("bin/ptxas"));
        // As for the newest devices that it knows; what it makes of it does not count.
        ptxas.args(["-O0", "-arch=sm_90"]).arg(made.join(name)).arg("-o");
        ptxas.arg(made.join(name).with_extension("cubin")).stdin(Stdio::null());
        ptxas
    };
    process::run_all(names.iter().map(assembler).collect())
}

/// Fails where the committed text is not what the sources compile to. To compile all of it takes minutes: where sources and
/// text are those that [`write()`] has left, one file is compiled, another one with each change; else all are.
pub fn check_one() -> Result<()> {
    let now = checksum()?;
    if fs::read_to_string(checksum_file()).is_ok_and(|left| left == now) {
        let made = target().join("ptx-check");
        let mut all = compilers(&made)?;
        let turn = crc32fast::hash(now.as_bytes()) as usize % all.len();
        compile(vec![all.swap_remove(turn)], &made)?;
        let name = names(&made)?.pop_first().context("a compiler makes a file")?;
        if fs::read(made.join(&name))? == fs::read(committed_folder().join(&name))? {
            println!("cuda/ptx and its sources are as they were left, and {name} is made of them");
            return Ok(());
        }
    }
    check()
}

/// Where the checksum stands.
fn checksum_file() -> PathBuf {
    root().join("cuda/ptx.crc32")
}

/// The checksum of the committed text and of all that it is made of, with the compiler's version.
fn checksum() -> Result<String> {
    let mut sum = crc32fast::Hasher::new();
    sum.update(
        format!("{FLAGS:?} {MODULES:?} {OTHERS:?} {:?}\n", setup::NVCC.requirements).as_bytes(),
    );
    sum.update(&sources()?);
    for name in names(&committed_folder())? {
        let text = fs::read(committed_folder().join(&name))?;
        sum.update(format!("{name}: {} bytes\n", text.len()).as_bytes());
        sum.update(&text);
    }
    Ok(format!("{:08x}\n", sum.finalize()))
}

/// Fails where the committed text is not what the sources compile to, all of it.
pub fn check() -> Result<()> {
    let (made, committed) = (made_before()?, committed_folder());
    let (new, old) = (names(&made)?, names(&committed)?);
    let mut differing = Vec::new();
    for name in new.union(&old) {
        let both = new.contains(name) && old.contains(name);
        if !both || fs::read(made.join(name))? != fs::read(committed.join(name))? {
            differing.push(name.as_str());
        }
    }
    if !differing.is_empty() {
        bail!(
            "cuda/ptx is out of date ({}): run `cargo xtask ptx` and commit it",
            differing.join(", ")
        );
    }
    println!("{} files in cuda/ptx match their sources", new.len());
    Ok(())
}

/// The folder of what the sources compile to. Compiling takes minutes, so the cache folder keeps it beside all that it
/// was made of: where that is the same to the byte, it is not made again.
fn made_before() -> Result<PathBuf> {
    let _lock = cache::lock_of("ptx")?;
    let kept = cache::folder()?.join("ptx");
    let (made, origin) = (kept.join("made"), kept.join("origin"));
    let compilers = compilers(&made)?;
    let now = origin_of(&compilers)?;
    if fs::read(&origin).is_ok_and(|before| before == now) {
        println!("compiled before from the same sources, by the same compiler");
        return Ok(made);
    }
    folder::empty(&kept)?;
    compile(compilers, &made)?;
    // Written last, so that what was interrupted never looks complete.
    fs::write(&origin, now)?;
    Ok(made)
}

/// All that the text depends on: the compilers with their versions, and every source.
fn origin_of(compilers: &[Command]) -> Result<Vec<u8>> {
    // Of which nvcc takes headers.
    let host = process::output(Command::new("g++").arg("--version"));
    let mut origin = host.map(|host| host.stdout).unwrap_or_default();
    for compiler in compilers {
        origin.extend(process::line(compiler).into_bytes());
        origin.push(b'\n');
    }
    origin.extend(sources()?);
    Ok(origin)
}

/// Every source, by name and length.
fn sources() -> Result<Vec<u8>> {
    let mut all = Vec::new();
    let mut sources = BTreeSet::new();
    sources_in(&root().join("cuda"), &mut sources)?;
    for source in sources {
        let text = fs::read(&source)?;
        let name = source.strip_prefix(root())?.display();
        all.extend(format!("{name}: {} bytes\n", text.len()).into_bytes());
        all.extend(text);
    }
    Ok(all)
}

/// The files of a folder and of those in it that a compiler may read.
fn sources_in(folder: &Path, found: &mut BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources_in(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "cu" || e == "cuh" || e == "h") {
            found.insert(path);
        }
    }
    Ok(())
}

/// The compiler of every module for every capability, into a folder.
fn compilers(folder: &Path) -> Result<Vec<Command>> {
    tools::require_cxx()?;
    let toolkit = {
        let _lock = cache::lock()?;
        setup::cuda_toolkit()?
    };
    let mut compilers = Vec::new();
    for (module, capabilities) in MODULES.iter().chain(&OTHERS) {
        for capability in *capabilities {
            let mut nvcc = Command::new(toolkit.join("bin/nvcc"));
            // The source as a relative path: an absolute one could find its way into the text.
            nvcc.current_dir(root())
                .args(FLAGS)
                .arg(format!("-arch=compute_{capability}"))
                .arg(format!("cuda/{module}.cu"))
                .arg("-o")
                .arg(folder.join(format!("{module}_compute_{capability}.ptx")))
                .stdin(Stdio::null());
            compilers.push(nvcc);
        }
    }
    Ok(compilers)
}

/// Runs the compilers, with nothing else in their folder.
fn compile(compilers: Vec<Command>, folder: &Path) -> Result<()> {
    folder::empty(folder)?;
    process::run_all(compilers)?;
    for name in names(folder)? {
        let file = folder.join(name);
        let text = String::from_utf8(fs::read(&file)?).context("PTX is text")?;
        fs::write(&file, for_older_drivers(&without_path(&text)))?;
    }
    Ok(())
}

/// The text without the hash of the folder that it was compiled in, which nvcc puts into the names of
/// variables that only their module knows.
fn without_path(ptx: &str) -> String {
    const BEFORE: &str = "_INTERNAL_";
    let mut parts = ptx.split(BEFORE);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let hash = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        text.push_str(BEFORE);
        text.push_str(&"0".repeat(hash));
        text.push_str(&part[hash..]);
    }
    text
}

/// The text as drivers from CUDA 12.4 on take it: the compiler asks for a driver of its own age, and writes nothing that
/// these do not know.
fn for_older_drivers(ptx: &str) -> String {
    ptx.replacen("\n.version 9.0\n", "\n.version 8.4\n", 1)
}

fn committed_folder() -> PathBuf {
    root().join("cuda/ptx")
}

/// The names of the files in a folder; none when there is no such folder.
fn names(folder: &Path) -> Result<BTreeSet<String>> {
    if !folder.exists() {
        return Ok(BTreeSet::new());
    }
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().is_file() {
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_drivers_take_the_text() {
        let ptx = "//\n.version 9.0\n.target sm_80\n\tret;\n";
        assert_eq!(for_older_drivers(ptx), "//\n.version 8.4\n.target sm_80\n\tret;\n");
    }

    #[test]
    fn the_folder_leaves_no_trace() {
        let ptx = "ld _ZN44_INTERNAL_4d47461d_13_decompress_cu_0bdf4ca63fszE; ret _INTERNAL_0a_x";
        let expected =
            "ld _ZN44_INTERNAL_00000000_13_decompress_cu_0bdf4ca63fszE; ret _INTERNAL_00_x";
        assert_eq!(without_path(ptx), expected);
        assert_eq!(without_path("ret;"), "ret;");
    }
}
