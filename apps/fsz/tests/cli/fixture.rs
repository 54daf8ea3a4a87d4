//! A folder to work in, fields to work on, and the program.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Shape of the test field as in its file's name.
pub const SHAPE: [usize; 3] = [6, 20, 30];
/// The file that holds it.
pub const FIELD: &str = "T_6x20x30.f32";
/// Bytes of it.
pub const BYTES: u64 = 4 * 6 * 20 * 30;

/// A temporary folder, in which the program is run.
pub struct Fixture(TempDir);

/// What a run of the program gave.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Fixture {
    /// An empty folder.
    pub fn new() -> Fixture {
        Fixture(TempDir::new().unwrap())
    }

    /// A folder with the test field.
    pub fn with_field() -> Fixture {
        let fixture = Fixture::new();
        fixture.write_f32(FIELD, &field());
        fixture
    }

    /// A folder with the test field and `T.fsz` made of it.
    pub fn with_stream() -> Fixture {
        let fixture = Fixture::with_field();
        fixture.fine(&["compress", FIELD, "-o", "T.fsz", "--range", "1e-3"]);
        fixture
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn read_text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn read_f32(&self, name: &str) -> Vec<f32> {
        self.read(name).as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn write_f32(&self, name: &str, values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.write(name, &bytes);
    }

    /// Names of all files, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program, to be run in the folder.
    pub fn command(&self, args: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_fsz"), args)
    }

    /// Another program, to be run in the folder.
    pub fn program(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        #[cfg(unix)]
        answers_signals(&mut command);
        command
    }

    /// Starts the program with pipes for what it says.
    pub fn spawn(&self, args: &[&str]) -> Child {
        with_pipes(self.command(args))
    }

    /// Runs the program.
    pub fn run(&self, args: &[&str]) -> Run {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        Run {
            code: status.code().expect("ended by itself"),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }

    /// Runs the program, which must be content; what it said.
    #[track_caller]
    pub fn fine(&self, args: &[&str]) -> String {
        let run = self.run(args);
        assert_eq!(run.code, 0, "{args:?}: {run:?}");
        run.out
    }

    /// Runs the program, which must be content; the JSON that it wrote.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.fine(args)).unwrap()
    }

    /// Runs the program, which must refuse with code 2 and one line that holds these words, and
    /// leave no file behind; what is wrong with the arguments themselves may take some lines.
    #[track_caller]
    pub fn refused(&self, args: &[&str], words: &str) {
        let before = self.names();
        let run = self.run(args);
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
        assert_eq!(run.out, "", "{args:?}");
        assert!(run.err.starts_with("error: "), "{args:?}: {}", run.err);
        let of_arguments = run.err.ends_with("--help'.\n");
        assert!(of_arguments || run.err.lines().count() == 1, "{args:?}: {}", run.err);
        assert!(run.err.contains(words), "{args:?}: {}", run.err);
        assert_eq!(self.names(), before, "{args:?}");
    }
}

/// Starts a program with pipes for what it says.
pub fn with_pipes(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Whoever runs the tests may ignore signals, as what a script leaves in the background does, and the program then ignores
/// them, too.
#[cfg(unix)]
fn answers_signals(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    let reset = || {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: the default runs no code.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: between fork and exec it calls nothing but `signal`, which may be called there.
    unsafe { command.pre_exec(reset) };
}

/// A smooth field with an offset.
pub fn field() -> Vec<f32> {
    let [planes, rows, columns] = SHAPE;
    let value = |i: usize| {
        let (z, y, x) = (i / (rows * columns), i / columns % rows, i % columns);
        280.0 + 20.0 * (0.11 * x as f32).sin() * (0.2 * y as f32).cos() - 3.0 * z as f32
    };
    (0..planes * rows * columns).map(value).collect()
}

/// The largest difference.
pub fn largest_error(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).abs()).fold(0.0, f64::max)
}

/// A `.npy` file of this type, with these bytes as values.
pub fn npy(descr: &str, fortran: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let header =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({shape}), }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), values]
        .concat()
}
