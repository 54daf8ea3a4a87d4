//! `cargo xtask install`: the programs, the plugins, and what a shell and a desktop know them by.

use crate::cargo::{cargo, root, target};
use crate::features::{ALL_FEATURES, compiled_kernels};
use crate::install_c::Build;
use crate::{process, setup};
use anyhow::{Context, Result};
use fs_err as fs;
use fsz_shell::path_word;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs, by package and name.
pub const PROGRAMS: [(&str, &str); 2] = [("fsz-cli", "fsz"), ("fsz-viewer", "fsz-viewer")];

/// The plugins, by package and library, each in a folder of `lib/fsz` of its own: ADIOS2 and HDF5 are told a
/// folder, and load what lies there.
const PLUGINS: [(&str, &str, &str); 2] =
    [("fsz-adios2", "fsz_adios2", "adios2"), ("fsz-hdf5", "fsz_hdf5", "hdf5")];

/// Where shells look for completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/fsz"),
    ("zsh", "share/zsh/site-functions/_fsz"),
    ("fish", "share/fish/vendor_completions.d/fsz.fish"),
];

/// Where desktops look for what lies in `assets/desktop`.
const DESKTOP: [(&str, &str); 4] = [
    ("fsz-viewer.desktop", "share/applications"),
    ("fsz-viewer.svg", "share/icons/hicolor/scalable/apps"),
    ("fsz.xml", "share/mime/packages"),
    ("fsz.thumbnailer", "share/thumbnailers"),
];

/// Where `man` looks for pages.
pub const PAGES: &str = "share/man/man1";

/// What goes with the programs wherever they go, and where: who packs what is installed hands it on.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
pub const LICENCE_FOLDER: &str = "share/doc/fsz";

/// Installs for a person, and says what is left to do.
pub fn run(prefix: &str) -> Result<()> {
    let prefix = std::path::absolute(prefix).with_context(|| format!("no folder `{prefix}`"))?;
    expect_writable(&prefix)?;
    setup::run()?;
    install(&prefix, Build::Release)?;
    let inside = |folder: &str| path_word(&prefix.join(folder));
    println!(
        "fsz and fsz-viewer are in {}. Plugins are found by
  export ADIOS2_PLUGIN_PATH={}
  export HDF5_PLUGIN_PATH={}
and files by the desktop after
  update-mime-database {}; update-desktop-database {}",
        inside("bin"),
        inside("lib/fsz/adios2"),
        inside("lib/fsz/hdf5"),
        inside("share/mime"),
        inside("share/applications")
    );
    if prefix.display().to_string().contains([' ', ':']) {
        println!(
            "ADIOS2 finds no plugin in a folder whose path has a space or a colon: name a link to {} without one.",
            inside("lib/fsz/adios2")
        );
    }
    Ok(())
}

/// Builds everything, and puts it under `prefix`.
pub fn install(prefix: &Path, build: Build) -> Result<()> {
    let mut make = cargo()?;
    make.args(["build", "--quiet", "--locked"]).args(ALL_FEATURES).envs(setup::variables()?);
    let built = match build {
        Build::Release => {
            let packages = PROGRAMS.map(|p| p.0).into_iter().chain(PLUGINS.map(|p| p.0));
            make.arg("--release").args(packages.flat_map(|package| ["--package", package]));
            make.args(compiled_kernels("fsz-cli"));
            target().join("release")
        }
        // As the tests build it.
        Build::Debug => {
            make.args(["--workspace", "--all-targets"]);
            target().join("debug")
        }
    };
    process::run(&mut make)?;
    for (_, program) in PROGRAMS {
        let name = format!("{program}{EXE_SUFFIX}");
        put(&built.join(&name), &prefix.join("bin").join(&name))?;
    }
    for (_, library, folder) in PLUGINS {
        let name = format!("{DLL_PREFIX}{library}{DLL_SUFFIX}");
        put(&built.join(&name), &prefix.join("lib/fsz").join(folder).join(&name))?;
    }
    for (file, folder) in DESKTOP {
        put(&root().join("assets/desktop").join(file), &prefix.join(folder).join(file))?;
    }
    for name in LICENCES {
        put(&root().join(name), &prefix.join(LICENCE_FOLDER).join(name))?;
    }
    let fsz = || Command::new(built.join(format!("fsz{EXE_SUFFIX}")));
    // Aside first, as whatever is installed.
    let aside = tempfile::tempdir()?;
    process::run(fsz().args(["--quiet", "man", "--force", "--out"]).arg(aside.path()))?;
    let viewer = aside.path().join("fsz-viewer.1");
    let mut page = Command::new(built.join(format!("fsz-viewer{EXE_SUFFIX}")));
    fs::write(&viewer, process::stdout(page.arg("--man"))?)?;
    for page in fs::read_dir(aside.path())? {
        let page = page?;
        put(&page.path(), &prefix.join(PAGES).join(page.file_name()))?;
    }
    for (shell, file) in COMPLETIONS {
        let script = aside.path().join(shell);
        fs::write(&script, process::stdout(fsz().args(["completions", shell]))?)?;
        put(&script, &prefix.join(file))?;
    }
    Ok(())
}

/// Makes the folder to install in, and errs where nothing can be written there: before a build of minutes.
pub fn expect_writable(prefix: &Path) -> Result<()> {
    let written = make_folder(prefix).and_then(|()| tempfile::tempfile_in(prefix).map(drop));
    written.with_context(|| format!("cannot write in {}: name another prefix", prefix.display()))
}

/// Copies a file into a folder that is made where it is not there. A program that is running keeps its old file, one that
/// starts meanwhile finds the old or the new one, and where there is no room for the new one the old one stays. A link is
/// copied as a link. All may read what is installed, and run what is a program.
pub fn put(from: &Path, to: &Path) -> Result<()> {
    let to = folder_of(to.to_owned())?;
    let name = to.file_name().context("an installed file has a name")?.display();
    let new = to.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let made = match from.is_symlink() {
        true => link(from, &new),
        false => fs::copy(from, &new).and_then(|_| let_all_read(&new)),
    };
    let placed = made.and_then(|()| fs::rename(&new, &to));
    placed.inspect_err(|_| {
        // What cannot be removed was not made.
        let _ = fs::remove_file(&new);
    })?;
    Ok(())
}

/// Makes a link to where another one leads.
#[cfg(unix)]
fn link(other: &Path, link: &Path) -> std::io::Result<()> {
    fs_err::os::unix::fs::symlink(fs::read_link(other)?, link)
}

/// What is a link elsewhere is a copy of the file.
#[cfg(not(unix))]
fn link(other: &Path, link: &Path) -> std::io::Result<()> {
    fs::copy(other, link).map(drop)
}

fn folder_of(file: PathBuf) -> Result<PathBuf> {
    make_folder(file.parent().context("a file lies in a folder")?)?;
    Ok(file)
}

/// Makes a folder that all may read, and those that it lies in. One that is there stays as it is.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(outer) = folder.parent().filter(|outer| !outer.as_os_str().is_empty()) {
        make_folder(outer)?;
    }
    fs::create_dir(folder).and_then(|()| let_all_read(folder))
}

/// Whatever the umask: an administrator's is often 077, and what is built, or cloned, under it is nobody else's to read.
#[cfg(unix)]
fn let_all_read(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let runs = fs::metadata(path)?.permissions().mode() & 0o100 != 0;
    let mode = if runs { 0o755 } else { 0o644 };
    fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// Other systems know no umask.
#[cfg(not(unix))]
fn let_all_read(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_prefix_is_tried_first() {
        let place = tempfile::tempdir().unwrap();
        let prefix = place.path().join("new/prefix");
        expect_writable(&prefix).unwrap();
        assert_eq!(fs::read_dir(&prefix).unwrap().count(), 0);
        let file = prefix.join("file");
        fs::write(&file, "").unwrap();
        let told = format!("{:#}", expect_writable(&file.join("prefix")).unwrap_err());
        assert!(told.starts_with("cannot write in "), "{told}");
    }

    /// Tells a child process of the test below its folder.
    #[cfg(unix)]
    const CHILD: &str = "FSZ_XTASK_TEST_CHILD";

    #[cfg(unix)]
    #[test]
    fn what_is_installed_is_for_all_whatever_the_umask() {
        use std::os::unix::fs::PermissionsExt;
        if let Some(place) = std::env::var_os(CHILD) {
            let place = Path::new(&place);
            let prefix = place.join("opt/prefix");
            expect_writable(&prefix).unwrap();
            for name in ["program", "page"] {
                fs::write(place.join(name), name).unwrap();
            }
            fs::set_permissions(place.join("program"), PermissionsExt::from_mode(0o700)).unwrap();
            put(&place.join("program"), &prefix.join("bin/program")).unwrap();
            put(&place.join("page"), &prefix.join("share/man/page")).unwrap();
            return;
        }
        let place = tempfile::tempdir().unwrap();
        // Of a process of its own: other tests make files meanwhile.
        let run = Command::new("sh")
            .args(["-c", "umask 077; exec \"$0\" --exact \"$1\""])
            .arg(std::env::current_exe().unwrap())
            .arg("install::tests::what_is_installed_is_for_all_whatever_the_umask")
            .env(CHILD, place.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        for (name, mode) in [
            ("opt", 0o755),
            ("opt/prefix", 0o755),
            ("opt/prefix/bin/program", 0o755),
            ("opt/prefix/share/man", 0o755),
            ("opt/prefix/share/man/page", 0o644),
        ] {
            let found = fs::metadata(place.path().join(name)).unwrap().permissions().mode();
            assert_eq!(found & 0o777, mode, "{name}: {found:o}");
        }
    }

    #[test]
    fn an_upgrade_replaces_a_file_whole_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let [old, new, to] =
            ["old", "new", "lib/fsz/plugin.so"].map(|name| place.path().join(name));
        fs::write(&old, "old").unwrap();
        fs::write(&new, "new and longer").unwrap();
        put(&old, &to).unwrap();
        let mut running = fs::File::open(&to).unwrap();
        put(&new, &to).unwrap();
        let mut kept = String::new();
        running.read_to_string(&mut kept).unwrap();
        assert_eq!(
            (kept.as_str(), fs::read_to_string(&to).unwrap().as_str()),
            ("old", "new and longer")
        );

        #[cfg(unix)]
        {
            let [link, name] = ["link", "lib/fsz/plugin.so.1"].map(|name| place.path().join(name));
            std::os::unix::fs::symlink("plugin.so", &link).unwrap();
            for _ in 0..2 {
                put(&link, &name).unwrap();
                assert_eq!(fs::read_link(&name).unwrap(), Path::new("plugin.so"));
            }
            fs::remove_file(name).unwrap();
        }

        // A build that is not there, as a disk that is full: what is installed stays.
        put(&place.path().join("none"), &to).unwrap_err();
        assert_eq!(fs::read_to_string(&to).unwrap(), "new and longer");
        assert_eq!(fs::read_dir(to.parent().unwrap()).unwrap().count(), 1);
    }
}
