//! Files that appear whole or not at all.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::folder::remove_empty;

/// Links that are followed at most, as by Linux.
const MOST_LINKS: usize = 40;

/// How errors name standard output: of `-` nobody could tell whether it was read or written.
const STANDARD_OUTPUT: &str = "standard output";

/// Temporary names that exist. It is held whenever one comes or goes, so that no signal finds a name
/// that is not in it.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of all outputs that are being written, and folders that were made for outputs of which
/// none came, for a program that a signal ends: from now on no output is begun or named, and whoever tries waits for the end.
pub fn remove_unfinished() {
    let unfinished = lock();
    for path in unfinished.iter() {
        // Nothing is left to do about a file that cannot be removed.
        let _ = fs::remove_file(path);
    }
    remove_empty();
    std::mem::forget(unfinished);
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list of paths is whole even if a thread panicked while it held the lock.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file being written, which gets its name when it is whole.
///
/// [`commit`](Self::commit) makes it durable and gives it its name; an output that is dropped
/// leaves nothing behind. On Linux the file has no name until then where the file system can do that,
/// so that nothing is left even by a program that is killed; elsewhere it has a hidden name beside its
/// final one. A symbolic link is followed: the file that it leads to is made or replaced, the link stays.
///
/// Written to directly are standard output (`-` or `/dev/stdout`), other open files under `/dev/fd`,
/// and what is not a regular file, such as a pipe or `/dev/null`.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    file: File,
    target: Target,
    force: bool,
}

/// Where the bytes go before the file has its name.
#[derive(Debug)]
enum Target {
    /// To where they belong: there is nothing to name.
    Direct,
    /// To a file without a name.
    Unnamed,
    /// To a file of this name.
    Temporary(PathBuf),
}

impl Output {
    /// Begins a file that is to be named `path`.
    ///
    /// # Errors
    /// When it exists and `force` is not set, its folder cannot be written to, or standard output is
    /// a terminal.
    pub fn create(path: &Path, force: bool) -> Result<Output> {
        let direct = |file| Output { path: path.to_owned(), file, target: Target::Direct, force };
        if is_standard_output(path) {
            return standard_output().map(direct).map_err(Error::io(Path::new(STANDARD_OUTPUT)));
        }
        let before = fs::metadata(path).ok();
        match &before {
            Some(there) if there.is_dir() => {
                return Err(Error::file(path, "is a directory: name a file in it"));
            }
            Some(there) if !there.is_file() || is_open_file(path) => {
                // At the end of a file that the caller opened; a pipe or device has none.
                let mut options = OpenOptions::new();
                options.write(true).append(there.is_file());
                return options.open(path).map(direct).map_err(Error::io(path));
            }
            Some(_) if !force => return Err(Error::Exists { path: path.to_owned() }),
            _ => {}
        }
        let path = followed(path)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty())
            && !folder.exists()
        {
            let reason = format!("the folder {} does not exist: create it", folder.display());
            return Err(Error::file(&path, reason));
        }
        let output = match unnamed(&path) {
            Some(file) => Output { path, file, target: Target::Unnamed, force },
            None => Output::temporary(path, force)?,
        };
        if let Some(there) = before {
            output.file.set_permissions(there.permissions()).map_err(Error::io(&output.path))?;
        }
        Ok(output)
    }

    /// Begins a file under a temporary name.
    fn temporary(path: PathBuf, force: bool) -> Result<Output> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let mut unfinished = lock();
        let (temporary, file) = with_free_name(&path, |name| options.open(name))?;
        unfinished.push(temporary.clone());
        Ok(Output { path, file, target: Target::Temporary(temporary), force })
    }

    /// The final name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether bytes are seen as soon as they are written: by a pipe, a device, standard output.
    pub fn is_direct(&self) -> bool {
        matches!(self.target, Target::Direct)
    }

    /// Whether bytes go to the standard output of this program.
    pub fn is_standard_output(&self) -> bool {
        is_standard_output(&self.path)
    }

    /// What errors call it.
    pub fn named(&self) -> &Path {
        if self.is_standard_output() { Path::new(STANDARD_OUTPUT) } else { &self.path }
    }

    /// Writes all bytes.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(Error::io(self.named()))
    }

    /// Makes the file durable and gives it its name.
    ///
    /// # Errors
    /// When the disk is full, or another file took the name meanwhile and `force` is not set.
    pub fn commit(self) -> Result<()> {
        let folder = (!self.is_direct()).then(|| folder(&self.path).to_owned());
        self.commit_in_folder()?;
        if let Some(folder) = folder {
            sync_folder(&folder);
        }
        Ok(())
    }

    /// The same, but the name is durable only once its folder is.
    pub(crate) fn commit_in_folder(mut self) -> Result<()> {
        if self.is_direct() {
            return self.file.flush().map_err(Error::io(self.named()));
        }
        self.file.sync_all().map_err(Error::io(&self.path))?;
        match &self.target {
            Target::Temporary(temporary) => {
                let mut unfinished = lock();
                rename(temporary, &self.path, self.force)?;
                unfinished.retain(|path| path != temporary);
            }
            _ => self.name()?,
        }
        self.target = Target::Direct;
        Ok(())
    }

    /// Gives a file without a name its own.
    fn name(&self) -> Result<()> {
        match link(&self.file, &self.path) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists && self.force => {
                // A link replaces nothing: that takes another name and a rename.
                let _unfinished = lock();
                let (temporary, ()) = with_free_name(&self.path, |name| link(&self.file, name))?;
                rename(&temporary, &self.path, true).inspect_err(|_| {
                    // The rename's failure is what the caller hears of.
                    let _ = fs::remove_file(&temporary);
                })
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                Err(Error::Exists { path: self.path.clone() })
            }
            linked => linked.map_err(Error::io(&self.path)),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Target::Temporary(temporary) = &self.target {
            let mut unfinished = lock();
            // There is nobody to tell.
            let _ = fs::remove_file(temporary);
            unfinished.retain(|path| path != temporary);
        }
    }
}

/// Whether a path means the standard output of this program.
fn is_standard_output(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Whether a path is one of this program's open files.
fn is_open_file(path: &Path) -> bool {
    path == Path::new("/dev/stderr")
        || path.starts_with("/dev/fd")
        || path.starts_with("/proc/self/fd")
}

/// Standard output without the line buffer of [`io::stdout`].
fn standard_output() -> io::Result<File> {
    let stdout = io::stdout();
    if stdout.is_terminal() {
        return Err(io::Error::other("a terminal: redirect it or name a file"));
    }
    #[cfg(unix)]
    let copy = std::os::fd::AsFd::as_fd(&stdout).try_clone_to_owned()?;
    #[cfg(windows)]
    let copy = std::os::windows::io::AsHandle::as_handle(&stdout).try_clone_to_owned()?;
    Ok(File::from(copy))
}

/// The path that symbolic links lead to, whether or not there is a file.
fn followed(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            return match path.file_name() {
                Some(_) => Ok(path),
                None => Err(Error::file(&path, "is not a file name")),
            };
        };
        path = folder(&path).join(target);
    }
    Err(Error::file(&path, "too many symbolic links"))
}

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != OsStr::new("")).unwrap_or(Path::new("."))
}

/// A file without a name in the folder of `path`; none where it could not get a name later.
#[cfg(target_os = "linux")]
fn unnamed(path: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder(path), flags, Mode::from(0o666)).ok()?);
    descriptor(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<File> {
    None
}

/// Gives a file without a name this one, if it is free.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Under which an open file can be linked.
#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file)).into()
}

/// Renames `from`; replaces a file of the new name only if `force` is set.
fn rename(from: &Path, to: &Path, force: bool) -> Result<()> {
    // A hard link fails if the name is taken; a rename would replace what has it.
    if !force {
        match fs::hard_link(from, to) {
            Ok(()) => {
                between_steps();
                return fs::remove_file(from).map_err(Error::io(from));
            }
            // A file system without hard links cannot tell a taken name in the same step.
            Err(_) if to.exists() => return Err(Error::Exists { path: to.to_owned() }),
            Err(_) => {}
        }
    }
    between_steps();
    fs::rename(from, to).map_err(Error::io(to))
}

/// Makes the time between two system calls long enough for the tests' signals to come in it.
fn between_steps() {
    #[cfg(test)]
    std::thread::sleep(std::time::Duration::from_millis(1));
}

/// Makes something under a hidden name beside `path` that nothing else has.
fn with_free_name<T>(path: &Path, make: impl Fn(&Path) -> io::Result<T>) -> Result<(PathBuf, T)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // The final name is not in it: that may be as long as a name can be.
        let name = path.with_file_name(format!(".fsz-{}-{count}.part", std::process::id()));
        match make(&name) {
            Ok(made) => return Ok((name, made)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(Error::io(path)(e)),
        }
    }
}

/// Makes the names in a folder durable where the system can.
pub(crate) fn sync_folder(path: &Path) {
    // Some systems cannot open or sync folders; names stand all the same.
    let _ = File::open(path).and_then(|folder| folder.sync_all());
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::*;

    /// Tells a child process of the test below its folder and the microseconds until its end.
    const CHILD: &str = "FSZ_FIELD_TEST_CHILD";

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_temporary_name_comes_and_goes() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out");
        let mut output = Output::temporary(path.clone(), false).unwrap();
        output.put(b"whole").unwrap();
        assert_eq!(names(place.path()).len(), 1);
        assert!(!path.exists());
        drop(output);
        assert!(names(place.path()).is_empty());
        for force in [false, true] {
            let mut output = Output::temporary(path.clone(), force).unwrap();
            output.put(b"whole").unwrap();
            output.commit().unwrap();
            assert_eq!(
                (names(place.path()), fs::read(&path).unwrap()),
                (vec!["out".into()], b"whole".to_vec())
            );
        }
        let late = Output::temporary(path, false).unwrap();
        assert!(matches!(late.commit(), Err(Error::Exists { .. })));
        assert_eq!(names(place.path()), ["out"]);
    }

    /// Ends programs that make outputs as fast as they can, at any time and as the handler of a signal
    /// does it.
    #[test]
    fn a_program_that_ends_leaves_no_temporary_file() {
        if let Ok(told) = std::env::var(CHILD) {
            make_outputs_until_the_end(&told);
        }
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().to_str().unwrap();
        let program = std::env::current_exe().unwrap();
        for run in 0..100 {
            let told = format!("{} {folder}", 370 * run % 20_000);
            let ended = Command::new(&program)
                .args(["--exact", "output::tests::a_program_that_ends_leaves_no_temporary_file"])
                .env(CHILD, told)
                .output()
                .unwrap();
            assert_eq!(ended.status.code(), Some(130), "{ended:?}");
            assert!(names(place.path()).iter().all(|name| !name.starts_with('.')), "run {run}");
        }
        assert!(!names(place.path()).is_empty(), "no output was ever finished");
    }

    fn make_outputs_until_the_end(told: &str) -> ! {
        let (micros, folder) = told.split_once(' ').unwrap();
        let micros = micros.parse().unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_micros(micros));
            remove_unfinished();
            std::process::exit(130);
        });
        let path = |name: &str| Path::new(folder).join(name);
        for count in 0.. {
            let new = path(&format!("{}-{count}", std::process::id()));
            let outputs = [
                Output::temporary(new, false),
                Output::temporary(path("old"), true),
                Output::create(&path("old"), true),
            ];
            for output in outputs {
                let mut output = output.unwrap();
                output.put(b"whole").unwrap();
                output.commit().unwrap();
            }
        }
        unreachable!("it ends before it has counted so far");
    }
}
