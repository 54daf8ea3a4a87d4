//! What was measured, in a file of the user's cache folder. A file that is damaged, or of another machine or
//! version, counts for nothing, and one that cannot be written is no failure.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::cost::{Class, Cost, Costs};

/// The first line, and the last one: a file without it was cut off.
const FIRST: &str = "fsz costs 1";
const LAST: &str = "end";
/// What stands before a class whose kernels the driver has compiled.
const COMPILED: &str = "compiled ";

/// The file of one machine.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    path: PathBuf,
    machine: String,
}

impl Store {
    /// That of the machine so described; `None` where the user has no cache folder.
    pub fn of(machine: &str) -> Option<Self> {
        Some(Self::within(&cache_folder()?, machine))
    }

    /// In the cache folder `folder`. Homes are shared by machines, so each has a file of its own.
    pub fn within(folder: &Path, machine: &str) -> Self {
        let machine = machine.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = format!("costs-{:016x}.txt", hash(&machine));
        Store { path: folder.join("costs").join(name), machine }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was measured on this machine.
    pub fn load(&self) -> Option<Costs> {
        parse(&fs::read_to_string(&self.path).ok()?, &self.machine)
    }

    /// Whether [`save`](Self::save) is likely to succeed.
    pub fn is_writable(&self) -> bool {
        self.put("").is_ok_and(|temporary| fs::remove_file(temporary).is_ok())
    }

    /// Keeps what was measured beside what is there. Of two processes that do so at once one may win; the file
    /// is whole all the same.
    pub fn save(&self, costs: &Costs) -> io::Result<()> {
        let mut all = self.load().unwrap_or_default();
        all.merge(costs);
        let temporary = self.put(&text(&all, &self.machine))?;
        fs::rename(&temporary, &self.path).inspect_err(|_| {
            // The rename's failure is what the caller hears of.
            let _ = fs::remove_file(&temporary);
        })
    }

    /// Writes a file beside that of the store.
    fn put(&self, text: &str) -> io::Result<PathBuf> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = self.path.parent().ok_or(io::ErrorKind::NotFound)?;
        fs::create_dir_all(folder)?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!(".{}-{count}.part", std::process::id()));
        fs::write(&temporary, text).inspect_err(|_| {
            // As above.
            let _ = fs::remove_file(&temporary);
        })?;
        Ok(temporary)
    }
}

/// `$FSZ_CACHE`, else the system's folder for such files.
fn cache_folder() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    folder("FSZ_CACHE")
        .or_else(|| folder("XDG_CACHE_HOME").map(|f| f.join("fsz")))
        .or_else(|| folder("LOCALAPPDATA").map(|f| f.join("fsz")))
        .or_else(|| folder("HOME").map(|f| f.join(".cache").join("fsz")))
        .filter(|folder| folder.is_absolute())
}

fn text(costs: &Costs, machine: &str) -> String {
    let mut lines = vec![FIRST.to_owned(), machine.to_owned(), format!("start {}", costs.start)];
    lines.extend(Class::all().filter_map(|class| {
        let Cost { cpu, cuda, threads, one } = costs.measured(class)?;
        let numbers = [threads, one].into_iter().chain(cpu).chain(cuda).map(|n| n.to_string());
        Some(format!("{class} {}", numbers.collect::<Vec<_>>().join(" ")))
    }));
    lines.extend(costs.compiled().map(|class| format!("{COMPILED}{class}")));
    lines.push(LAST.to_owned());
    lines.join("\n") + "\n"
}

fn parse(text: &str, machine: &str) -> Option<Costs> {
    let mut lines = text.strip_suffix('\n')?.lines();
    if lines.next()? != FIRST || lines.next()? != machine || lines.next_back()? != LAST {
        return None;
    }
    let start: f64 = lines.next()?.strip_prefix("start ")?.parse().ok()?;
    let mut costs = Costs::new(start);
    if !(0.0..1e3).contains(&start) {
        return None;
    }
    for line in lines {
        if let Some(class) = line.strip_prefix(COMPILED) {
            costs.set_compiled(class.parse().ok()?);
            continue;
        }
        let words: Vec<&str> = line.split(' ').collect();
        let (class, numbers) = words.split_at_checked(3)?;
        let numbers: Vec<f64> = numbers.iter().map(|n| n.parse().ok()).collect::<Option<_>>()?;
        let (&[threads, one], times) = numbers.split_first_chunk()?;
        let (&cpu, cuda) = times.split_first_chunk()?;
        let cost = Cost { cpu, cuda: cuda.try_into().ok()?, threads, one };
        costs.set(class.join(" ").parse().ok().filter(|_| cost.is_sane())?, cost);
    }
    Some(costs)
}

/// FNV-1a, which is the same in every build.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(start: f64, classes: &[usize]) -> Costs {
        let mut costs = Costs::new(start);
        for &i in classes {
            let class = Class::all().nth(i).expect("a class");
            costs.set(class, Cost::usual(class, i + 1));
        }
        costs
    }

    /// A folder that is removed in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = env::temp_dir().join(format!("fsz-costs-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).expect("a folder");
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_was_saved_is_loaded_again_beside_what_was_there() {
        let folder = Folder::new("saved");
        let store = Store::within(&folder.0, "a machine\nof 2 cores");
        assert!(store.load().is_none() && store.is_writable() && store.load().is_none());
        store.save(&costs(0.25, &[0, 3])).expect("saves");
        assert_eq!(store.load(), Some(costs(0.25, &[0, 3])));
        store.save(&costs(0.5, &[7])).expect("saves");
        assert_eq!(store.load(), Some(costs(0.5, &[0, 3, 7])));
        let class = Class::all().nth(5).expect("a class");
        let (mut compiled, mut all) = (costs(0.5, &[]), costs(0.5, &[0, 3, 7]));
        compiled.set_compiled(class);
        all.set_compiled(class);
        store.save(&compiled).expect("saves");
        assert_eq!(store.load(), Some(all));
        let other = Store::within(&folder.0, "another machine");
        assert!(other.load().is_none());
        // A file under the wrong name does not count either.
        fs::copy(store.path(), other.path()).expect("copies");
        assert!(other.load().is_none());
        let names = fs::read_dir(folder.0.join("costs")).expect("reads").count();
        assert_eq!(names, 2, "no temporary file is left");
    }

    #[test]
    fn a_damaged_or_old_file_counts_for_nothing() {
        let whole = text(&costs(0.25, &[0, 1, 2, 3, 4, 5, 6, 7]), "m");
        assert_eq!(parse(&whole, "m").expect("is whole"), costs(0.25, &[0, 1, 2, 3, 4, 5, 6, 7]));
        for end in 0..whole.len() {
            assert!(parse(&whole[..end], "m").is_none(), "cut off at {end}");
        }
        let damaged = [
            ("costs 1", "costs 2"),
            ("start 0.25", "start NaN"),
            ("start 0.25", "start -1"),
            ("compress paper f32 ", "compress paper f16 "),
            ("compress paper f32 1", "compress paper f32 1 1"),
            ("compress paper f32 1", "compress paper f32 inf"),
            ("compress paper f32 1", "compress paper f32 x"),
            ("decompress dense f64", "decompress"),
            ("start 0.25\n", "start 0.25\ncompiled compress paper\n"),
        ];
        for (from, to) in damaged {
            assert!(whole.contains(from), "{from}");
            assert!(parse(&whole.replacen(from, to, 1), "m").is_none(), "{from} as {to}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_failure() {
        let folder = Folder::new("unwritable");
        let file = folder.0.join("file");
        fs::write(&file, "not a folder").expect("writes");
        let store = Store::within(&file, "m");
        assert!(!store.is_writable() && store.load().is_none());
        assert!(store.save(&costs(0.25, &[0])).is_err());
    }

    #[test]
    fn writers_at_once_leave_a_whole_file() {
        let folder = Folder::new("writers");
        std::thread::scope(|scope| {
            for i in 0..8 {
                let store = Store::within(&folder.0, "m");
                scope.spawn(move || {
                    for _ in 0..50 {
                        store.save(&costs(0.25, &[i])).expect("saves");
                        assert!(store.load().is_some(), "the file is whole at any time");
                    }
                });
            }
        });
        let names = fs::read_dir(folder.0.join("costs")).expect("reads").count();
        assert_eq!(names, 1, "no temporary file is left");
    }
}
