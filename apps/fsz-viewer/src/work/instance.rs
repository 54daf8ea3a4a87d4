//! One window for all calls: a second call hands its words to the first over a socket and ends.
//!
//! Whoever holds the lock is the first; its socket is removed and made anew by the next that gets it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::work::event::Wake;

/// The most bytes of the words of a call.
const LONGEST: u64 = 1 << 20;

/// What the first call answers.
const TAKEN: &[u8] = b"taken";

/// What it answers to a call that it cannot read.
const NOT_UNDERSTOOD: &[u8] = b"not understood";

/// A call of the program: its words are handed over, not what they mean, so that none of them is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The folder in which it was made; paths are relative to it.
    pub folder: PathBuf,
    /// What was typed behind the name of the program.
    pub words: Vec<OsString>,
}

impl Call {
    /// Each part ends with a zero, which no path and no word has.
    fn bytes(&self) -> Vec<u8> {
        let parts = [self.folder.as_os_str()].into_iter();
        let parts = parts.chain(self.words.iter().map(OsString::as_os_str));
        parts.flat_map(|part| [part.as_bytes(), b"\0"].concat()).collect()
    }

    /// Reads it; none where that is nothing that a call writes.
    fn read(bytes: &[u8]) -> Option<Call> {
        let part = |part: &[u8]| OsString::from_vec(part.to_vec());
        let mut parts = bytes.strip_suffix(b"\0")?.split(|byte| *byte == 0).map(part);
        let folder = PathBuf::from(parts.next()?);
        folder.is_absolute().then(|| Call { folder, words: parts.collect() })
    }
}

/// The first call: the one with the window. `T` is what other calls want to be shown.
#[derive(Debug)]
pub struct Instance<T> {
    handed: Receiver<T>,
    socket: PathBuf,
    /// Held as long as this lives.
    _lock: File,
}

impl<T: Send + 'static> Instance<T> {
    /// Becomes the first call in a folder that is this user's alone, or hands this call to it: then there is none. Neither
    /// waits for the other for longer than `patience`. `reads` tells what other calls want; none where that cannot be read,
    /// as of a program of another version.
    ///
    /// # Errors
    /// When the folder cannot be written to, or the first call does not answer.
    pub fn claim(
        folder: &Path,
        call: &Call,
        reads: fn(&Call) -> Option<T>,
        wake: Wake,
        patience: Duration,
    ) -> Result<Option<Instance<T>>> {
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
            match hand_over(&socket, call, patience) {
                Ok(true) => return Ok(None),
                Ok(false) => bail!(
                    "the window that is open does not understand this call: is it of another version? Close it first"
                ),
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
                match take(stream, reads, &tell, patience) {
                    Ok(true) => wake(),
                    Ok(false) => return,
                    // What is no call of this program.
                    Err(_) => {}
                }
            }
        })?;
        Ok(Some(Instance { handed, socket, _lock: held }))
    }

    /// What was handed over.
    pub fn handed(&self) -> Vec<T> {
        self.handed.try_iter().collect()
    }
}

impl<T> Drop for Instance<T> {
    fn drop(&mut self) {
        // One that stays is removed by the next first call.
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Takes another call; false when nobody wants them any more.
fn take<T>(
    mut stream: UnixStream,
    reads: fn(&Call) -> Option<T>,
    tell: &Sender<T>,
    patience: Duration,
) -> Result<bool> {
    stream.set_read_timeout(Some(patience))?;
    let mut bytes = Vec::new();
    (&stream).take(LONGEST).read_to_end(&mut bytes)?;
    let call = Call::read(&bytes).context("these are no words of a call")?;
    let start = match reads(&call) {
        Some(start) => start,
        None => {
            stream.write_all(NOT_UNDERSTOOD)?;
            return Ok(true);
        }
    };
    if tell.send(start).is_err() {
        return Ok(false);
    }
    stream.write_all(TAKEN)?;
    Ok(true)
}

/// Whether the window understands the call.
fn hand_over(socket: &Path, call: &Call, patience: Duration) -> Result<bool> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(patience))?;
    let bytes = call.bytes();
    if bytes.len() as u64 >= LONGEST {
        bail!("the words of this call are too long");
    }
    stream.write_all(&bytes)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer)?;
    match &answer[..] {
        TAKEN => Ok(true),
        NOT_UNDERSTOOD => Ok(false),
        _ => bail!("it does not take files"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// So long may it take on a busy machine.
    const LONGEST: Duration = Duration::from_secs(60);

    fn claim(folder: &Path, call: &Call) -> Result<Option<Instance<Files>>> {
        Instance::claim(folder, call, read, Arc::new(|| ()), LONGEST)
    }

    type Files = Vec<PathBuf>;

    /// Of this test all words are files, but for one.
    fn read(call: &Call) -> Option<Files> {
        let files = call.words.iter().map(|word| call.folder.join(word)).collect();
        call.words.iter().all(|word| word != "--new").then_some(files)
    }

    fn call(words: &[&str]) -> Call {
        Call { folder: "/data".into(), words: words.iter().map(OsString::from).collect() }
    }

    fn wait(instance: &Instance<Files>) -> Files {
        instance.handed.recv_timeout(LONGEST).expect("a call comes")
    }

    #[test]
    fn the_second_call_is_handed_over() {
        let folder = tempfile::TempDir::new().unwrap();
        let files = call(&["U of 7.fsz", "/elsewhere/U.fsz"]);
        let first = claim(folder.path(), &call(&[])).unwrap().expect("it is the first");
        assert!(claim(folder.path(), &files).unwrap().is_none());
        assert_eq!(wait(&first), ["/data/U of 7.fsz", "/elsewhere/U.fsz"].map(PathBuf::from));
        assert!(claim(folder.path(), &call(&[])).unwrap().is_none());
        assert_eq!(wait(&first), Files::new(), "it is only brought to the front");
        let told = claim(folder.path(), &call(&["--new"])).unwrap_err().to_string();
        assert!(told.contains("is it of another version?"), "{told}");
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
        let first = claim(folder.path(), &call(&[])).unwrap().expect("it is the first");
        let socket = folder.path().join("fsz-viewer.sock");
        for bytes in [&b"no words"[..], b"", b"relative\0", &vec![b'x'; 2 << 20]] {
            let mut stream = UnixStream::connect(&socket).unwrap();
            // The other end may have had enough of it.
            let _ = stream.write_all(bytes);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert_eq!(answer, b"");
        }
        assert!(claim(folder.path(), &call(&["/a.fsz"])).unwrap().is_none());
        assert_eq!(wait(&first), [PathBuf::from("/a.fsz")], "and nothing before it");
    }
}
