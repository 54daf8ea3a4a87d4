//! A peer's own program: command lines of the user's, figures and bound checked by us.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use fsz::{DType, Element, Progress};
use fsz_field::Field;
use serde::Deserialize;

use crate::codecs;

mod time;

use time::{Time, Times};

/// What stands for a pointwise-relative bound.
pub const RELATIVE_BOUND: &str = "{relative_bound}";

/// What stands for a word per side.
const LISTS: [&str; 2] = ["{dims}", "{dims_reversed}"];

/// So much of what a program says of its failure is told, its end.
const TOLD: usize = 1000;

/// Time between two looks at a program that runs.
const TICK: Duration = Duration::from_millis(20);

/// An adapter file. Every word of the command lines may hold these placeholders:
///
/// | placeholder | stands for |
/// |---|---|
/// | `{input}` | file of raw little-endian values |
/// | `{compressed}` | file that `compress` writes and `decompress` reads |
/// | `{output}` | file of raw values that `decompress` writes |
/// | `{bound}`, `{range_bound}` | absolute bound, value-range bound |
/// | `{relative_bound}` | pointwise-relative bound; a program that takes it is compared at these bounds alone |
/// | `{dtype}` | `f32` or `f64` |
/// | `{elements}` | number of values |
/// | `{rank}` | number of sides |
/// | `{dims}` | sides, slowest first, with blanks: words of their own |
/// | `{dims_reversed}` | the same, fastest first |
///
/// A program that prints the time of its kernels, or their speed, can be measured beside ours on a GPU. A table
/// `time` tells where: `compress = { after = "encode:", unit = "ms" }`, and `decompress` likewise. The first number
/// behind the words counts; the median where the words are there several times.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Name in tables.
    pub name: String,
    /// Program and arguments.
    compress: Vec<String>,
    /// Program and arguments.
    decompress: Vec<String>,
    /// Types of values that it takes; both where not given.
    #[serde(default)]
    dtypes: Option<Vec<String>>,
    /// Where it prints its own times.
    #[serde(default)]
    time: Option<Times>,
    #[serde(skip)]
    file: PathBuf,
    #[serde(skip)]
    text: String,
}

/// What a run of both command lines gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeerRun {
    /// Bytes of its stream.
    pub bytes: u64,
    /// Seconds of compressing and of decompressing, by its own words.
    pub seconds: Option<[f64; 2]>,
}

impl Peer {
    /// Reads an adapter file.
    pub fn open(path: &Path) -> Result<Peer> {
        let file = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| anyhow!("{file}: {error}"))?;
        let mut peer: Peer = toml::from_str(&text).map_err(|error| anyhow!("{file}: {error}"))?;
        if peer.name.is_empty() || peer.compress.is_empty() || peer.decompress.is_empty() {
            bail!("{file}: name, compress and decompress must not be empty");
        }
        if codecs::OURS.contains(&peer.name.as_str()) {
            bail!(
                "{file}: tables have figures named {} already: name the program otherwise",
                peer.name
            );
        }
        if peer.dtypes.as_ref().is_some_and(Vec::is_empty) {
            bail!("{file}: dtypes names no type: name f32 or f64, or leave it out for both");
        }
        for dtype in peer.dtypes.iter().flatten() {
            dtype.parse::<DType>().map_err(|error| anyhow!("{file}: dtypes: {error}"))?;
        }
        for line in [&peer.compress, &peer.decompress] {
            // What stands for several words may stand for none.
            if LISTS.contains(&line[0].as_str()) {
                bail!("{file}: {} is no program: begin the command line with one", line[0]);
            }
        }
        (peer.file, peer.text) = (path.to_owned(), text);
        Ok(peer)
    }

    /// Reads adapter files, of programs of different names: figures are found by them.
    pub fn open_all(paths: &[PathBuf]) -> Result<Vec<Peer>> {
        let peers = paths.iter().map(|path| Peer::open(path)).collect::<Result<Vec<_>>>()?;
        for (i, peer) in peers.iter().enumerate() {
            if peers[..i].iter().any(|other| other.name == peer.name) {
                let (file, name) = (peer.file.display(), &peer.name);
                bail!("{file}: another program is also named {name}: name it otherwise");
            }
        }
        Ok(peers)
    }

    /// The file's text: another text may give other figures.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it takes such values.
    pub fn takes(&self, field: &Field) -> bool {
        let is_own =
            |name: &String| name.parse::<DType>().is_ok_and(|dtype| dtype == field.dtype());
        self.dtypes.as_ref().is_none_or(|names| names.iter().any(is_own))
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether it prints its own times.
    pub fn tells_times(&self) -> bool {
        self.time.is_some()
    }

    /// Whether its bound is pointwise-relative.
    pub fn is_relative(&self) -> bool {
        self.compress.iter().any(|word| word.contains(RELATIVE_BOUND))
    }

    /// Compresses and decompresses into `out`. `bounds`: placeholders, and the bound that each stands for. An
    /// interrupt ends the program.
    pub fn run<T: Element>(
        &self,
        field: &Field,
        bounds: &[(&str, f64)],
        out: &mut [T],
        progress: &Progress,
    ) -> Result<PeerRun> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let (input, compressed, output) = (path("input"), path("compressed"), path("output"));
        std::fs::write(&input, field.values().bytes())?;
        let sides: Vec<String> = field.shape().sides().iter().map(u64::to_string).collect();
        let reversed: Vec<String> = sides.iter().rev().cloned().collect();
        let mut single = vec![
            ("{input}", input),
            ("{compressed}", compressed.clone()),
            ("{output}", output.clone()),
            ("{dtype}", field.dtype().name().to_owned()),
            ("{elements}", field.shape().elements().to_string()),
            ("{rank}", sides.len().to_string()),
        ];
        single.extend(bounds.iter().map(|(name, bound)| (*name, format!("{bound:e}"))));
        let [dims, dims_reversed] = LISTS;
        let lists = [(dims, sides), (dims_reversed, reversed)];
        let mut said = Vec::new();
        for words in [&self.compress, &self.decompress] {
            let line = filled(words, &single, &lists);
            said.push(self.call(&line, folder.path(), progress)?);
        }
        let raw = size_of_val(out) as u64;
        let seconds = self.time.as_ref().map(|times| {
            let of = |time: &Time, said: &str| {
                time.seconds(said, raw).map_err(|why| anyhow!("{}: {why}", self.file.display()))
            };
            Ok::<_, anyhow::Error>([
                of(&times.compress, &said[0])?,
                of(&times.decompress, &said[1])?,
            ])
        });
        let seconds = seconds.transpose()?;
        let returned = file_len(&output);
        if returned != raw {
            bail!(
                "{}: {} returned {returned} bytes, not {raw}: check its `decompress` line",
                self.file.display(),
                self.name
            );
        }
        let bytes = std::fs::read(&output)?;
        let size = size_of::<T>();
        for (value, bytes) in out.iter_mut().zip(bytes.chunks_exact(size)) {
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(bytes);
            *value = T::from_bits64(u64::from_le_bytes(bits));
        }
        match file_len(&compressed) {
            0 => bail!("{}: `compress` did not write {{compressed}}", self.file.display()),
            bytes => Ok(PeerRun { bytes, seconds }),
        }
    }

    /// Runs a command line; what it prints goes through files of the folder, and is returned.
    fn call(&self, line: &[String], folder: &Path, progress: &Progress) -> Result<String> {
        let [printed, messages] = ["printed", "messages"].map(|name| folder.join(name));
        let wrong =
            |why: String| anyhow!("{}: `{}`: {}", self.file.display(), line.join(" "), why.trim());
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).stdin(Stdio::null());
        command.stdout(File::create(&printed)?).stderr(File::create(&messages)?);
        let child = command.spawn().map_err(|error| wrong(error.to_string()))?;
        let status = ended(child, progress)?;
        let text = |path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into();
        if status.success() {
            return Ok(text(printed));
        }
        // Ctrl-C at a terminal reaches the program too, perhaps before us.
        if interrupted(status) {
            return Err(fsz::Error::Cancelled.into());
        }
        let said: String = text(messages);
        let end = said.ceil_char_boundary(said.len().saturating_sub(TOLD));
        Err(wrong(format!("{status}\n{}", &said[end..])))
    }
}

/// Bytes of a file; 0 of what is none, such as a folder.
fn file_len(path: &str) -> u64 {
    std::fs::metadata(path).map_or(0, |data| if data.is_file() { data.len() } else { 0 })
}

/// Waits for a program; kills it once an interrupt has come.
fn ended(mut child: Child, progress: &Progress) -> Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if let Err(interrupt) = progress.check() {
            // It may have ended meanwhile: then there is nothing to kill.
            let _ = child.kill();
            child.wait()?;
            return Err(interrupt.into());
        }
        std::thread::sleep(TICK);
    }
}

#[cfg(unix)]
fn interrupted(status: ExitStatus) -> bool {
    const SIGINT: i32 = 2;
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(SIGINT)
}

#[cfg(not(unix))]
fn interrupted(_: ExitStatus) -> bool {
    false
}

/// A command line with its placeholders filled.
fn filled(
    words: &[String],
    single: &[(&str, String)],
    lists: &[(&str, Vec<String>)],
) -> Vec<String> {
    let mut line = Vec::new();
    for word in words {
        match lists.iter().find(|(name, _)| name == word) {
            Some((_, list)) => line.extend(list.iter().cloned()),
            None => {
                let fill = |word: String, (name, text): &(&str, String)| word.replace(name, text);
                line.push(single.iter().fold(word.clone(), fill));
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use fsz_field::Shape;

    use super::*;

    fn adapter(name: &str, program: &str, more: &str) -> Result<Peer> {
        let text = format!(
            "name = '{name}'\ncompress = ['true']\ndecompress = ['{program}', '{{dims}}']\n{more}"
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, text).unwrap();
        Peer::open(file.path())
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        assert!(adapter("peer", "true", "").is_ok());
        for (adapter, words) in [
            (adapter("peer", "{dims}", ""), "{dims} is no program"),
            (adapter("fsz", "true", ""), "figures named fsz already"),
            (adapter("peer", "true", "dtypes = ['f16']"), "unknown element type 'f16'"),
            (adapter("peer", "true", "dtypes = []"), "dtypes names no type"),
        ] {
            let refused = adapter.unwrap_err().to_string();
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn it_takes_fields_of_its_types() {
        let field = |single| match single {
            true => Field::new(Shape::new(&[1]).unwrap(), vec![0f32]).unwrap(),
            false => Field::new(Shape::new(&[1]).unwrap(), vec![0f64]).unwrap(),
        };
        for (dtypes, takes) in [
            ("", [true, true]),
            ("dtypes = ['float32']", [true, false]),
            ("dtypes = ['f64']", [false, true]),
        ] {
            let peer = adapter("peer", "true", dtypes).unwrap();
            assert_eq!([true, false].map(|single| peer.takes(&field(single))), takes, "{dtypes}");
        }
    }

    /// What a program writes as a folder is no stream, and how much it says of its failure does not matter.
    #[test]
    #[cfg(unix)]
    fn what_a_program_does_is_checked() {
        let field = Field::new(Shape::new(&[2]).unwrap(), vec![1f32, 2.0]).unwrap();
        let run = |compress: &str, decompress: &str| {
            let mut peer = adapter("peer", "true", "").unwrap();
            let line = |script: &str, words: &[&str]| {
                [&["sh", "-c", script], words].concat().into_iter().map(str::to_owned).collect()
            };
            peer.compress = line(compress, &["{input}", "{compressed}"]);
            peer.decompress = line(decompress, &["{input}", "{output}"]);
            peer.run(&field, &[], &mut [0f32; 2], &Progress::new()).map_err(|e| e.to_string())
        };
        let copy = "cp $0 $1";
        assert_eq!(run(copy, copy).unwrap().bytes, 8);
        assert!(run("mkdir $1", copy).unwrap_err().contains("did not write {compressed}"));
        assert!(run(copy, "mkfifo $1").unwrap_err().contains("returned 0 bytes"));
        let said = run("yes | head -c 100000 >&2; echo the end >&2; exit 3", copy).unwrap_err();
        assert!(said.ends_with("the end") && said.len() < 2000, "{} bytes", said.len());
    }

    #[test]
    fn the_adapters_that_come_with_fsz_are_read() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets"));
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let adapters: Vec<_> =
            files.filter(|file| file.extension().is_some_and(|e| e == "toml")).collect();
        let timed = adapters.iter().filter(|file| Peer::open(file).unwrap().tells_times()).count();
        assert!(timed > 0 && timed < adapters.len(), "{timed} of {}", adapters.len());
    }
}
