// Where ADIOS2 is. One source file for two moments: the build script includes it to find the
// header, the library compiles it to find the shared library. Plain comments, not `//!`, because
// an included file cannot carry inner documentation.

use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Environment variables that decide what [`header`] and [`library`] find.
pub const VARIABLES: [&str; 2] = ["ADIOS2_DIR", "CMAKE_PREFIX_PATH"];

/// The installation that this crate was built with; unknown to build scripts.
const BUILT_WITH: Option<&str> = option_env!("ADIOS2_SYS_PREFIX");

/// No ADIOS2 anywhere: the places searched, in order.
#[derive(Debug, Clone)]
pub struct NotFound {
    wanted: &'static str,
    places: Vec<String>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "ADIOS2 not found: no {} in any of these places, in this order:", self.wanted)?;
        for place in &self.places {
            writeln!(f, "  {place}")?;
        }
        write!(
            f,
            "Install ADIOS2 2.8 or newer (for instance `pip install adios2`) or set ADIOS2_DIR to its \
             installation prefix."
        )
    }
}

impl std::error::Error for NotFound {}

/// The folder that holds `adios2_c.h`.
///
/// # Errors
/// [`NotFound`], listing the places searched.
pub fn header() -> Result<PathBuf, NotFound> {
    Search::from_environment().header()
}

/// The shared library of the C API without MPI.
///
/// # Errors
/// [`NotFound`], listing the places searched.
pub fn library() -> Result<PathBuf, NotFound> {
    Search::from_environment().library()
}

/// The places to search.
struct Search {
    adios2_dir: Option<PathBuf>,
    prefixes: Vec<PathBuf>,
    /// Asked only when the places before it have nothing.
    python_package: Box<dyn Fn() -> Option<PathBuf>>,
    built_with: Option<PathBuf>,
}

impl Search {
    fn from_environment() -> Search {
        let paths = |name| -> Vec<PathBuf> {
            let paths = env::var_os(name).unwrap_or_default();
            env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty()).collect()
        };
        Search {
            adios2_dir: env::var_os(VARIABLES[0]).filter(|dir| !dir.is_empty()).map(PathBuf::from),
            prefixes: paths(VARIABLES[1]),
            python_package: Box::new(python_package),
            built_with: BUILT_WITH.map(PathBuf::from),
        }
    }

    fn header(&self) -> Result<PathBuf, NotFound> {
        self.find("header adios2_c.h", |root| {
            let include = root.join("include");
            include.join("adios2_c.h").is_file().then_some(include)
        })
    }

    fn library(&self) -> Result<PathBuf, NotFound> {
        // The Python package keeps its libraries beside `include`; CMake and distributions below lib.
        const FOLDERS: [&str; 5] =
            ["", "lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"];
        self.find("library libadios2_c", |root| {
            FOLDERS.iter().find_map(|folder| c_library_in(&root.join(folder)))
        })
    }

    /// Tries each place in turn; within a place, each root that the kind of place can mean.
    fn find(
        &self,
        wanted: &'static str,
        accept: impl Fn(&Path) -> Option<PathBuf>,
    ) -> Result<PathBuf, NotFound> {
        let mut places = Vec::new();
        let mut look = |source: &str, given: Option<&Path>, absent: &str| {
            let Some(given) = given else {
                places.push(format!("{source} ({absent})"));
                return None;
            };
            places.push(format!("{source}: {}", given.display()));
            roots(given).iter().find_map(|root| accept(root))
        };

        if let Some(found) = look(VARIABLES[0], self.adios2_dir.as_deref(), "not set") {
            return Ok(found);
        }
        if self.prefixes.is_empty() {
            look(VARIABLES[1], None, "not set");
        }
        for prefix in &self.prefixes {
            if let Some(found) = look(VARIABLES[1], Some(prefix), "") {
                return Ok(found);
            }
        }
        let package = (self.python_package)();
        if let Some(found) =
            look("Python package of python3", package.as_deref(), "python3 has no adios2")
        {
            return Ok(found);
        }
        if let Some(prefix) = &self.built_with
            && let Some(found) = look("the ADIOS2 of the build", Some(prefix), "")
        {
            return Ok(found);
        }
        Err(NotFound { wanted, places })
    }
}

/// A name such as `libadios2_c.so`, `libadios2_c.so.2.12`, `libadios2_serial_c.so.2.12` or
/// `libadios2_c.dylib`; the shortest one, so that a development link wins over a versioned file.
fn c_library_in(folder: &Path) -> Option<PathBuf> {
    let is_c_library = |name: &str| {
        name.starts_with("libadios2")
            && !name.contains("_mpi")
            && (name.contains("_c.so") || name.ends_with("_c.dylib"))
    };
    fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_c_library(name))
        .min_by_key(|name| (name.len(), name.clone()))
        .map(|name| folder.join(name))
}

/// The roots that a given path may mean: itself; the prefix above a CMake package folder
/// (`<prefix>/lib/cmake/adios2`); the Python package inside a virtual environment.
fn roots(given: &Path) -> Vec<PathBuf> {
    let mut roots = vec![given.to_path_buf()];
    if let Some(cmake) = given.ancestors().take(2).find(|folder| folder.ends_with("cmake")) {
        roots.extend(cmake.ancestors().skip(1).take(2).map(Path::to_path_buf));
    }
    if let Ok(versions) = fs::read_dir(given.join("lib")) {
        let packages = versions
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
            .map(|entry| entry.path().join("site-packages/adios2"));
        roots.extend(packages);
    }
    roots
}

/// The folder of the Python package, asked of `python3` without importing it.
fn python_package() -> Option<PathBuf> {
    const SCRIPT: &str = "import importlib.util as u; s = u.find_spec('adios2'); \
                          print(s.submodule_search_locations[0] if s else '')";
    let output = Command::new("python3").args(["-c", SCRIPT]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let path = text.trim();
    (output.status.success() && !path.is_empty()).then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nowhere() -> Search {
        Search {
            adios2_dir: None,
            prefixes: Vec::new(),
            python_package: Box::new(|| None),
            built_with: None,
        }
    }

    /// An installation with nothing in its files; returns its prefix.
    fn install(prefix: PathBuf, include: &str, library: &str) -> PathBuf {
        for file in [include, library] {
            let file = prefix.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        prefix
    }

    #[test]
    fn one_message_lists_every_place() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path();
        let search = Search {
            adios2_dir: Some(empty.join("chosen")),
            prefixes: vec![empty.join("first"), empty.join("second")],
            built_with: Some(empty.join("built")),
            ..nowhere()
        };
        let empty = empty.display();
        let places = [
            format!("  ADIOS2_DIR: {empty}/chosen"),
            format!("  CMAKE_PREFIX_PATH: {empty}/first"),
            format!("  CMAKE_PREFIX_PATH: {empty}/second"),
            "  Python package of python3 (python3 has no adios2)".into(),
            format!("  the ADIOS2 of the build: {empty}/built"),
        ];
        for refused in [search.header(), search.library()] {
            let text = refused.unwrap_err().to_string();
            let listed: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).collect();
            assert_eq!(listed, places, "{text}");
        }
        let nothing = nowhere().header().unwrap_err().to_string();
        assert!(nothing.contains("header adios2_c.h"), "{nothing}");
        assert!(nothing.contains("ADIOS2_DIR (not set)"), "{nothing}");
        assert!(nothing.contains("set ADIOS2_DIR"), "{nothing}");
    }

    #[test]
    fn places_are_tried_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name| folder.path().join(name);
        let [chosen, prefix, package, built] = [
            install(at("chosen"), "include/adios2_c.h", "lib/libadios2_c.so.2.12"),
            install(at("prefix"), "include/adios2_c.h", "lib64/libadios2_serial_c.so.2.12"),
            install(at("package"), "include/adios2_c.h", "libadios2_c.so"),
            install(at("built"), "include/adios2_c.h", "lib/libadios2_c.dylib"),
        ];
        let python = package.clone();
        let mut search = Search {
            adios2_dir: Some(chosen.clone()),
            prefixes: vec![folder.path().join("empty"), prefix.clone()],
            python_package: Box::new(move || Some(python.clone())),
            built_with: Some(built.clone()),
        };
        let check = |search: &Search, expected: &Path| {
            assert_eq!(search.header().unwrap(), expected.join("include"));
            assert!(search.library().unwrap().starts_with(expected), "{}", expected.display());
        };
        check(&search, &chosen);
        search.adios2_dir = None;
        check(&search, &prefix);
        search.prefixes.clear();
        check(&search, &package);
        search.python_package = Box::new(|| None);
        check(&search, &built);
    }

    #[test]
    fn adios2_dir_may_be_the_cmake_folder_or_an_environment() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name| folder.path().join(name);
        let prefix = install(at("prefix"), "include/adios2_c.h", "lib/libadios2_c.so");
        let cmake = prefix.join("lib/cmake/adios2");
        fs::create_dir_all(&cmake).unwrap();
        let package = at("environment/lib/python3.12/site-packages/adios2");
        let package = install(package, "include/adios2_c.h", "libadios2_c.so");
        for (given, expected) in
            [(&cmake, &prefix), (&at("environment"), &package), (&package, &package)]
        {
            let search = Search { adios2_dir: Some(given.clone()), ..nowhere() };
            assert_eq!(search.header().unwrap(), expected.join("include"));
            assert!(search.library().unwrap().starts_with(expected), "{}", given.display());
        }
    }

    #[test]
    fn the_mpi_library_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = install(folder.path().into(), "include/adios2_c.h", "lib/libadios2_c_mpi.so");
        let search = Search { adios2_dir: Some(prefix), ..nowhere() };
        assert!(search.header().is_ok());
        assert!(search.library().is_err());
    }
}
