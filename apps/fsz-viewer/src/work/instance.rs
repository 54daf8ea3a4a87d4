//! One window for all calls: a second call hands its files to the first over a socket and ends.
//!
//! Whoever holds the lock is the first; its socket is removed and made anew by the next that gets it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};

use crate::work::event::Wake;

/// The most bytes of the names of files.
const LONGEST: u64 = 1 << 20;

/// What the first call answers.
const TAKEN: &[u8] = b"taken";

/// Files that are handed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handed {
    /// The original.
    pub original: Option<PathBuf>,
    /// A field, and another reconstruction of it.
    pub files: Vec<PathBuf>,
}

impl Handed {
    /// The same files, as another process finds them.
    fn absolute(&self) -> io::Result<Handed> {
        let original = self.original.as_deref().map(std::path::absolute).transpose()?;
        let files = self.files.iter().map(std::path::absolute);
        Ok(Handed { original, files: files.collect::<io::Result<_>>()? })
    }

    /// Each name ends with a zero; that of the original is empty where there is none.
    fn bytes(&self) -> Vec<u8> {
        let original = self.original.as_deref().unwrap_or(Path::new(""));
        let names = [original].into_iter().chain(self.files.iter().map(PathBuf::as_path));
        names.flat_map(|name| [name.as_os_str().as_bytes(), b"\0"].concat()).collect()
    }

    /// Reads them; none where that is nothing that a call writes.
    fn read(bytes: &[u8]) -> Option<Handed> {
        let path = |name: &[u8]| PathBuf::from(std::ffi::OsString::from_vec(name.to_vec()));
        let mut names = bytes.strip_suffix(b"\0")?.split(|byte| *byte == 0).map(path);
        let original = names.next().filter(|name| !name.as_os_str().is_empty());
        let files: Vec<PathBuf> = names.collect();
        let all_absolute = original.iter().chain(&files).all(|name| name.is_absolute());
        all_absolute.then_some(Handed { original, files })
    }
}

/// The first call: the one with the window.
#[derive(Debug)]
pub struct Instance {
    handed: Receiver<Handed>,
    socket: PathBuf,
    /// Held as long as this lives.
    _lock: File,
}

impl Instance {
    /// Becomes the first call in a folder that is this user's alone, or hands the files to it: then there is none. Neither
    /// waits for the other for longer than `patience`.
    ///
    /// # Errors
    /// When the folder cannot be written to, or the first call does not answer.
    pub fn claim(
        folder: &Path,
        files: &Handed,
        wake: Wake,
        patience: Duration,
    ) -> Result<Option<Instance>> {
        let (lock, socket) = (folder.join("fsz-viewer.lock"), folder.join("fsz-viewer.sock"));
        let of = |path: &Path, reason: io::Error| anyhow!("{}: {reason}", path.display());
        let held = File::options().create(true).write(true).truncate(false).open(&lock);
        let held = held.map_err(|reason| of(&lock, reason))?;
        let begin = Instant::now();
        loop {
            match held.try_lock() {
                Ok(()) => break,
                Err(std::fs::TryLockError::Error(reason)) => return Err(of(&lock, reason)),
                Err(std::fs::TryLockError::WouldBlock) => {}
            }
            // It may be about to make its socket, or about to end.
            match hand_over(&socket, files, patience) {
                Ok(()) => return Ok(None),
                Err(reason) if begin.elapsed() > patience => {
                    bail!("the window that is open does not answer: {reason}");
                }
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
        match std::fs::remove_file(&socket) {
            Err(reason) if reason.kind() != io::ErrorKind::NotFound => {
                return Err(of(&socket, reason));
            }
            _ => {}
        }
        let listener = UnixListener::bind(&socket).map_err(|reason| of(&socket, reason))?;
        let (tell, handed) = channel();
        thread::Builder::new().name("instance".to_owned()).spawn(move || {
            for stream in listener.incoming().flatten() {
                match take(stream, &tell, patience) {
                    Ok(true) => wake(),
                    Ok(false) => return,
                    // What is no call of this program.
                    Err(_) => {}
                }
            }
        })?;
        Ok(Some(Instance { handed, socket, _lock: held }))
    }

    /// The files that were handed over.
    pub fn handed(&self) -> Vec<Handed> {
        self.handed.try_iter().collect()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // One that stays is removed by the next first call.
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Takes the files of another call; false when nobody wants them any more.
fn take(mut stream: UnixStream, tell: &Sender<Handed>, patience: Duration) -> Result<bool> {
    stream.set_read_timeout(Some(patience))?;
    let mut bytes = Vec::new();
    (&stream).take(LONGEST).read_to_end(&mut bytes)?;
    let Some(handed) = Handed::read(&bytes) else { bail!("these are no names of files") };
    if tell.send(handed).is_err() {
        return Ok(false);
    }
    stream.write_all(TAKEN)?;
    Ok(true)
}

fn hand_over(socket: &Path, files: &Handed, patience: Duration) -> Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(patience))?;
    let bytes = files.absolute()?.bytes();
    if bytes.len() as u64 >= LONGEST {
        bail!("the names of the files are too long");
    }
    stream.write_all(&bytes)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut answer = Vec::new();
    stream.take(TAKEN.len() as u64).read_to_end(&mut answer)?;
    if answer != TAKEN {
        bail!("the files were not taken");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// So long may it take on a busy machine.
    const LONGEST: Duration = Duration::from_secs(60);

    fn claim(folder: &Path, files: &Handed) -> Result<Option<Instance>> {
        Instance::claim(folder, files, Arc::new(|| ()), LONGEST)
    }

    fn wait(instance: &Instance) -> Handed {
        instance.handed.recv_timeout(LONGEST).expect("files come")
    }

    #[test]
    fn the_second_call_hands_its_files_over() {
        let folder = tempfile::TempDir::new().unwrap();
        let files = Handed {
            original: Some("/data/U.f32".into()),
            files: vec!["/data/U of 7.fsz".into(), "relative.fsz".into()],
        };
        let first = claim(folder.path(), &Handed::default()).unwrap().expect("it is the first");
        assert!(claim(folder.path(), &files).unwrap().is_none());
        assert_eq!(wait(&first), files.absolute().unwrap());
        assert!(claim(folder.path(), &Handed::default()).unwrap().is_none());
        assert_eq!(wait(&first), Handed::default(), "it is only brought to the front");
        drop(first);
        // As if it had been killed: the socket is still there.
        drop(UnixListener::bind(folder.path().join("fsz-viewer.sock")).unwrap());
        let next = claim(folder.path(), &files).unwrap().expect("it is the first now");
        assert!(next.handed().is_empty());
        let told = claim(Path::new("/nowhere at all"), &files).unwrap_err().to_string();
        let lock = "/nowhere at all/fsz-viewer.lock: ";
        assert!(told.starts_with(lock) && told.len() > lock.len(), "{told}");
    }

    #[test]
    fn what_is_no_call_is_passed_over() {
        let folder = tempfile::TempDir::new().unwrap();
        let first = claim(folder.path(), &Handed::default()).unwrap().expect("it is the first");
        let socket = folder.path().join("fsz-viewer.sock");
        for bytes in [&b"no names"[..], b"", b"relative\0", &vec![b'x'; 2 << 20]] {
            let mut stream = UnixStream::connect(&socket).unwrap();
            // The other end may have had enough of it.
            let _ = stream.write_all(bytes);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert_eq!(answer, b"");
        }
        let files = Handed { original: None, files: vec!["/a.fsz".into()] };
        assert!(claim(folder.path(), &files).unwrap().is_none());
        assert_eq!(wait(&first), files, "and nothing before it");
    }
}
