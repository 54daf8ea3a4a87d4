//! An ADIOS2 file that is read several times.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;
use fsz_field::bp::Bp;

/// The ADIOS2 file that was read last, which stays open: to open one takes the longer the more steps it has, and those
/// of a series are read one by one.
#[derive(Debug, Clone, Default)]
pub struct LastBp(Rc<RefCell<Option<(PathBuf, Bp)>>>);

impl LastBp {
    /// Reads from a file, which is opened unless it was the last one.
    pub fn read<R>(&self, path: &Path, read: impl FnOnce(&Bp) -> Result<R>) -> Result<R> {
        let last = self.0.take();
        let file = match last {
            Some((of, file)) if of == path => file,
            _ => Bp::open(path)?,
        };
        // Not kept after an error: a reader of BP4 carries a request that failed along.
        let found = read(&file)?;
        self.0.replace(Some((path.to_owned(), file)));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use adios2::{Adios, Layout, Mode};
    use anyhow::bail;

    use super::*;

    #[test]
    fn a_file_stays_open_until_another_or_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            let io = Adios::new().unwrap().declare_io("out").unwrap();
            let v = io.define_variable::<f32>("v", &Layout::whole(&[2])).unwrap();
            let mut out = io.open(&path, Mode::Write).unwrap();
            out.put(&v, &[1.0, 2.0]).unwrap();
            out.close().unwrap();
            path
        };
        let (one, other) = (write("one.bp"), write("other.bp"));
        let last = LastBp::default();
        let read = |path| last.read(path, |file| Ok(file.variable("v")?.steps));
        assert_eq!(read(&one).unwrap(), 1);
        std::fs::remove_dir_all(&one).unwrap();
        assert_eq!(read(&one).unwrap(), 1, "it is open");
        assert_eq!(read(&other).unwrap(), 1);
        assert!(read(&one).is_err(), "it was closed for the other one");

        assert_eq!(read(&other).unwrap(), 1);
        assert!(last.read(&other, |_| -> Result<()> { bail!("no block 7") }).is_err());
        std::fs::remove_dir_all(&other).unwrap();
        assert!(read(&other).is_err(), "it was closed for the error");
    }
}
