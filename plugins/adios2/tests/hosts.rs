//! One library for every ADIOS2 from 2.8 to 2.12: imitations of each, the real ones from 2.9 on that
//! `cargo xtask test hosts` downloads, and those of the installations that `FSZ_ADIOS2_PREFIXES` lists.

mod programs;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use adios2::{Adios, Mode, Selection, Step};
use fsz_field::bp::Payload;
use tempfile::TempDir;

use programs::run;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts")
}

/// The library, as cargo built it.
fn library() -> &'static Path {
    fsz_field::bp::load_operator().expect("cargo built it beside this test")
}

/// Hosts that export nothing, told apart by the vtable alone.
#[test]
fn every_layout_without_symbols_and_a_refusal_of_others() {
    let scratch = TempDir::new().unwrap();
    for abi in ["0", "1"] {
        let program = scratch.path().join(format!("fake{abi}"));
        run(
            Command::new(env::var_os("CXX").unwrap_or_else(|| "c++".into()))
                .args(["-std=c++17", "-O1", "-Wall", "-Werror"])
                .arg(format!("-D_GLIBCXX_USE_CXX11_ABI={abi}"))
                .arg(folder().join("fake.cpp"))
                .arg("-o")
                .arg(&program)
                .arg("-ldl"),
            "compiling fake.cpp",
        );
        run(Command::new(&program).arg(library()), &format!("strings of ABI {abi}"));
    }
}

/// A Python environment with an ADIOS2, by the folder's name.
struct Host {
    name: String,
    python: PathBuf,
    script: PathBuf,
}

/// Those in the folder that `FSZ_ADIOS2_HOSTS` names.
fn hosts() -> Vec<Host> {
    let all = env::var_os("FSZ_ADIOS2_HOSTS").expect("the stage sets it");
    let all = PathBuf::from(all);
    let mut hosts: Vec<Host> = fs::read_dir(&all)
        .unwrap_or_else(|error| panic!("{}: {error}", all.display()))
        .map(|entry| entry.unwrap().path())
        // Not one that is being installed.
        .filter(|path| path.join(".complete").is_file())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let script = if name.starts_with("openpmd") { "openpmd.py" } else { "adios.py" };
            Host { python: path.join("bin/python"), script: folder().join(script), name }
        })
        .collect();
    hosts.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(hosts.len() > 1, "{} holds too few", all.display());
    hosts
}

impl Host {
    /// A folder of its packages.
    fn package(&self, name: &str) -> Option<PathBuf> {
        let environment = self.python.ancestors().nth(2)?;
        let mut versions = fs::read_dir(environment.join("lib")).ok()?;
        versions.find_map(|entry| {
            let package = entry.ok()?.path().join("site-packages").join(name);
            package.is_dir().then_some(package)
        })
    }

    /// Whether its Python interface can write through a plugin. openPMD-api defines one without parameters, which
    /// ends the program in ADIOS2 up to 2.10, whatever the plugin.
    fn writes(&self) -> bool {
        self.name != "openpmd-api-0.15.2"
    }

    fn run(&self, arguments: &[&Path]) {
        self.run_script(&self.script, arguments);
    }

    fn run_script(&self, script: &Path, arguments: &[&Path]) {
        let mut python = Command::new(&self.python);
        python.arg("-B").arg(script).args(arguments);
        python.env("ADIOS2_PLUGIN_PATH", library().parent().unwrap());
        run(&mut python, &format!("{}: {} {arguments:?}", self.name, script.display()));
    }
}

#[test]
#[ignore = "`cargo xtask test hosts` downloads the versions and runs it"]
fn every_version_reads_what_every_version_wrote() {
    let hosts = hosts();
    let scratch = TempDir::new().unwrap();
    let mut files = Vec::new();
    for host in hosts.iter().filter(|host| host.writes()) {
        for engine in ENGINES {
            let file = scratch.path().join(format!("{}-{engine}.bp", host.name));
            host.run(&[Path::new("write"), &file, Path::new(engine)]);
            files.push(file);
        }
    }
    for host in &hosts {
        let all: Vec<&Path> =
            [Path::new("read")].into_iter().chain(files.iter().map(PathBuf::as_path)).collect();
        host.run(&all);
        if host.name.starts_with("adios2") {
            read_inside(host.python.ancestors().nth(2).unwrap(), scratch.path(), &ENGINES);
        }
    }
    for site in sites() {
        let engines = if site.reads_bp5_of_newer() { &ENGINES[..] } else { &["BP4"] };
        read_inside(&site.prefix, scratch.path(), engines);
    }
}

const ENGINES: [&str; 2] = ["BP5", "BP4"];

/// The test `inside`, of the files in a folder that these engines wrote.
fn read_inside(adios2: &Path, folder: &Path, engines: &[&str]) {
    // A process opens one ADIOS2.
    let mut inside = Command::new(env::current_exe().unwrap());
    inside.args(["--exact", "inside", "--ignored", "--nocapture"]);
    inside.env("ADIOS2_DIR", adios2).env("FSZ_HOSTS_ENGINES", engines.join(" "));
    run(inside.env("FSZ_HOSTS_FILES", folder), &format!("inside, {}", adios2.display()));
}

/// The openPMD-api that the recipes are for.
fn openpmd() -> Option<Host> {
    // Where it is missing, the stage has said so.
    hosts().into_iter().find(|host| host.name == "openpmd-api-0.17.1")
}

fn recipe(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/recipes").join(name)
}

/// The recipe for openPMD-api, in the openPMD-api that `cargo xtask test hosts` downloads.
#[test]
#[ignore = "`cargo xtask test hosts` downloads the versions and runs it"]
fn meshes_and_particles_of_openpmd() {
    let Some(host) = openpmd() else { return };
    for config in ["openpmd.json", "openpmd.toml"] {
        let scratch = TempDir::new().unwrap();
        host.run_script(&recipe("openpmd.py"), &[&recipe(config), scratch.path()]);
    }
}

#[test]
#[ignore = "`cargo xtask test hosts` downloads the versions and runs it"]
fn the_inputs_of_warpx() {
    let Some(host) = openpmd() else { return };
    let scratch = TempDir::new().unwrap();
    let file = scratch.path().join("diag.bp");
    host.run_script(&folder().join("warpx.py"), &[&recipe("warpx.inputs"), &file]);
}

/// A parameter that is wrong at a variable, or none: no version may end the program for it.
#[test]
#[ignore = "`cargo xtask test hosts` downloads the versions and runs it"]
fn wrong_parameters_end_no_program() {
    let hosts = hosts();
    let scratch = TempDir::new().unwrap();
    for host in hosts.iter().filter(|host| host.writes()) {
        for engine in ENGINES {
            let file = scratch.path().join(format!("{}-{engine}.bp", host.name));
            host.run(&[Path::new("wrong"), &file, Path::new(engine)]);
        }
    }
}

/// An installation of ADIOS2 with a C++ interface, as CMake makes it.
struct Site {
    prefix: PathBuf,
    /// The numbers of its version, such as 2.8.
    version: (u32, u32),
}

impl Site {
    fn at(prefix: PathBuf) -> Site {
        let said = Site::config(&prefix, "--version");
        let numbers = said.split_whitespace().nth(1).and_then(|version| {
            let (major, rest) = version.split_once('.')?;
            Some((major.parse().ok()?, rest.split('.').next()?.parse().ok()?))
        });
        let version = numbers.unwrap_or_else(|| panic!("{}: {said:?}", prefix.display()));
        Site { prefix, version }
    }

    fn config(prefix: &Path, what: &str) -> String {
        let program = prefix.join("bin/adios2-config");
        let output = Command::new(&program).arg(what).output();
        let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        String::from_utf8(output.stdout).unwrap()
    }

    fn reads_bp5_of_newer(&self) -> bool {
        self.version > (2, 8)
    }
}

/// Those that `FSZ_ADIOS2_PREFIXES` lists, as `PATH` does.
fn sites() -> Vec<Site> {
    let listed = env::var_os("FSZ_ADIOS2_PREFIXES").unwrap_or_default();
    let prefixes = env::split_paths(&listed).filter(|prefix| !prefix.as_os_str().is_empty());
    prefixes.map(Site::at).collect()
}

/// The C++ interface of a version.
struct Version {
    name: String,
    source: Source,
    /// What it cannot do in BP5 with any operator.
    without: &'static [&'static str],
    /// "nameless" where operators are not told the names of variables.
    nameless: &'static [&'static str],
    /// "BP5" where it cannot read such files of other versions.
    unread: &'static [&'static str],
}

/// Where the interface is.
enum Source {
    /// A Python package, that with its headers, if it is another one, and the ABI of `std::string`.
    Package {
        headers: Option<&'static str>,
        abi: &'static str,
    },
    Site(Site),
}

/// What these versions cannot do in BP5 with any operator.
const UP_TO_2_9: &[&str] = &["local", "memory"];
const UP_TO_2_11: &[&str] = &["memory"];
const NAMELESS: &[&str] = &["nameless"];

fn versions() -> Vec<Version> {
    let package = |name: &str, headers, abi, without, nameless| Version {
        name: name.into(),
        source: Source::Package { headers, abi },
        without,
        nameless,
        unread: &[],
    };
    let mut versions = vec![
        package("openpmd-api-0.15.2", Some("adios2-2.9.0"), "0", UP_TO_2_9, NAMELESS),
        package("adios2-2.9.0", None, "0", UP_TO_2_9, NAMELESS),
        package("adios2-2.10.0", None, "0", UP_TO_2_11, NAMELESS),
        package("adios2-2.10.2", None, "1", UP_TO_2_11, &[]),
        package("adios2-2.11.0", None, "1", UP_TO_2_11, &[]),
        package("adios2-2.12.1", None, "1", &[], &[]),
    ];
    versions.extend(sites().into_iter().map(|site| Version {
        name: site.prefix.display().to_string(),
        without: match site.version {
            (..=2, ..=9) => UP_TO_2_9,
            (..=2, ..=11) => UP_TO_2_11,
            _ => &[],
        },
        nameless: if site.version < (2, 11) { NAMELESS } else { &[] },
        unread: if site.reads_bp5_of_newer() { &[] } else { &["BP5"] },
        source: Source::Site(site),
    }));
    versions
}

impl Version {
    /// Compiles a program of `tests/cpp` for it into `folder`. None where a package is missing, as the stage has
    /// said.
    fn compile(&self, name: &str, hosts: &[Host], folder: &Path) -> Option<Program> {
        let program = folder.join(name);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cpp/{name}.cpp"));
        let mut compile = Command::new(env::var_os("CXX").unwrap_or_else(|| "c++".into()));
        compile.args(["-std=c++17", "-O0"]).arg(source).arg("-o").arg(&program);
        let mut python = None;
        match &self.source {
            Source::Site(site) => {
                for what in ["--cxx-flags", "--cxx-libs"] {
                    compile.args(Site::config(&site.prefix, what).split_whitespace());
                }
            }
            Source::Package { headers, abi } => {
                let find = |name: &str| hosts.iter().find(|host| host.name == name);
                let host = find(&self.name)?;
                let package = find(headers.unwrap_or(&self.name))?.package("adios2")?;
                compile.arg(format!("-D_GLIBCXX_USE_CXX11_ABI={abi}"));
                compile.arg("-I").arg(package.join("include"));
                if headers.is_some() {
                    // The symbols are those of a library of Python's.
                    compile.args(["-shared", "-fPIC"]);
                    python = Some(host.python.clone());
                } else {
                    // Up to 2.10 the interface is called cxx11.
                    let part = |names: &[&str]| {
                        let files =
                            names.iter().map(|name| package.join(format!("libadios2_{name}.so")));
                        files.into_iter().find(|file| file.exists()).expect("it has C++ libraries")
                    };
                    compile.args([part(&["cxx", "cxx11"]), part(&["core"])]);
                    compile.arg(format!("-Wl,-rpath,{}", package.display()));
                    compile.arg("-Wl,--allow-shlib-undefined");
                }
            }
        }
        run(&mut compile, &format!("compiling {name} for {}", self.name));
        Some(Program { program, python })
    }
}

/// A program, or a library that a Python runs.
struct Program {
    program: PathBuf,
    python: Option<PathBuf>,
}

impl Program {
    fn run(&self, folder: &Path, arguments: &[&[&str]], what: &str) {
        let mut command = Command::new(self.python.as_ref().unwrap_or(&self.program));
        if self.python.is_some() {
            command.arg("-B").arg(self::folder().join("inside.py")).arg(&self.program);
        }
        command.args(arguments.concat()).current_dir(folder);
        command.env("ADIOS2_PLUGIN_PATH", library().parent().unwrap());
        run(&mut command, what);
    }
}

/// The programs of `tests/cpp.rs` with the C++ interface of each version, and what each one wrote in all others.
#[test]
#[ignore = "`cargo xtask test hosts` downloads the versions and runs it"]
fn arrays_of_every_kind_and_refusals_in_every_version() {
    let hosts = hosts();
    let mut written = Vec::new();
    for version in versions() {
        let scratch = TempDir::new().unwrap();
        let folder = scratch.path();
        let Some(refused) = version.compile("refused", &hosts, folder) else { continue };
        let cases = version.compile("cases", &hosts, folder).expect("it is there");
        refused.run(folder, &[version.nameless], &format!("refused in {}", version.name));
        cases.run(folder, &[version.without], &format!("cases in {}", version.name));
        written.push((version, cases, scratch));
    }
    assert!(written.len() > 1, "too few versions");
    for (reader, cases, _) in &written {
        for (writer, _, files) in written.iter().filter(|(writer, ..)| writer.name != reader.name) {
            // Of what both can do.
            let arguments = [reader.without, reader.unread, writer.without, &["written"]];
            let what = format!("files of {} in {}", writer.name, reader.name);
            cases.run(files.path(), &arguments, &what);
        }
    }
}

/// What the command line and the viewer read files with, in the ADIOS2 that `ADIOS2_DIR` names.
#[test]
#[ignore = "the other test runs it, with each ADIOS2"]
fn inside() {
    let folder = PathBuf::from(env::var_os("FSZ_HOSTS_FILES").expect("the other test sets it"));
    let expected = env::var("ADIOS2_DIR").unwrap();
    assert!(adios2::library_path().unwrap().starts_with(expected));
    library();
    let engines = env::var("FSZ_HOSTS_ENGINES").unwrap();
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy();
        let engine =
            ENGINES.into_iter().find(|engine| name.ends_with(&format!("{engine}.bp"))).unwrap();
        let io = Adios::new().unwrap().declare_io("in").unwrap();
        io.set_engine(engine).unwrap();
        let opened = io.open(&path, Mode::ReadRandomAccess);
        if !engines.contains(engine) {
            assert!(matches!(opened, Err(adios2::Error::Unsupported(_))), "{opened:?}");
            continue;
        }
        let file = opened.unwrap();
        for step in 0..3 {
            let name = format!("/data/{step}/meshes/V");
            let values: Vec<f64> = file.read(&name, Step::At(0), &Selection::All).unwrap();
            assert_eq!(values.len(), 6 * 20 * 30);
            for (index, value) in values.iter().enumerate() {
                let x = index as f64 * 0.003 + f64::from(step);
                let written = x.sin() * (0.1 * x).cos();
                assert!((value - written).abs() <= 1e-5, "{} {name} {index}", path.display());
            }
            let payload = Payload::read(&file, &name, Step::At(0), 0).unwrap();
            let Payload::Stream(bytes) = payload else { panic!("{payload:?}") };
            let stream = fsz::Stream::from_vec(bytes).unwrap();
            assert_eq!(stream.header().bound, fsz::Bound::Absolute(1e-5));
        }
        files += 1;
    }
    assert!(files > 2);
}
