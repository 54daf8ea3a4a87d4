//! `fsz adios2`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use fsz_shell::path_word;

use crate::terminal;

/// Print the location of the ADIOS2 operator and a ready-to-use XML file
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print only the operator's directory, for ADIOS2_PLUGIN_PATH
    #[arg(long, conflicts_with = "xml")]
    path: bool,
    /// Print only the XML
    #[arg(long)]
    xml: bool,
    /// Absolute error bound in the XML
    #[arg(long, value_name = "E", default_value = "1e-3")]
    accuracy: f64,
    /// Name of the simulation's IO in the XML
    #[arg(long, value_name = "NAME", default_value = "SimulationOutput")]
    io: String,
    /// Variable to compress; may be given several times
    #[arg(long, value_name = "NAME", default_value = "U")]
    variable: Vec<String>,
}

/// The operator's library, as ADIOS2 looks for it.
const LIBRARY: &str = "libfsz_adios2.so";

/// Shows folder and XML.
pub fn run(args: &Args) -> Result<()> {
    let accuracy = args.accuracy;
    let is_bound = accuracy > 0.0 && accuracy.is_finite();
    ensure!(is_bound, "--accuracy {accuracy}: it must be a positive, finite number");
    let xml = args.xml();
    if args.xml {
        return terminal::print(&xml);
    }
    let folder = folder();
    if args.path {
        let Some(folder) = folder else { bail!(missing()) };
        if let Some(why) = unusable(&folder) {
            terminal::note(false, &why);
        }
        return terminal::print(&format!("{}\n", folder.display()));
    }
    let first = match folder {
        Some(folder) => {
            let why = unusable(&folder).map_or_else(String::new, |why| format!("# {why}\n"));
            format!("{why}export ADIOS2_PLUGIN_PATH={}", path_word(&folder))
        }
        None => format!("# {}", missing()),
    };
    terminal::print(&format!(
        "{}# In the shell that runs the simulation and its readers:\n{first}\n\n# In the XML file of \
         the simulation:\n{xml}",
        library()
    ))
}

impl Args {
    /// StatsLevel 0 because FSZ records minimum and maximum itself, and because ADIOS2 would read
    /// the values, which it cannot where they lie on a device.
    fn xml(&self) -> String {
        let variable = |name: &String| {
            format!(
                "    <variable name=\"{}\"><operation operator=\"fsz\"/></variable>\n",
                escaped(name)
            )
        };
        let variables: String = self.variable.iter().map(variable).collect();
        format!(
            r#"<?xml version="1.0"?>
<adios-config>
  <operator name="fsz" type="plugin">
    <parameter key="PluginName" value="fsz"/>
    <parameter key="PluginLibrary" value="fsz_adios2"/>
    <parameter key="accuracy" value="{}"/>
  </operator>
  <io name="{}">
    <engine type="BP5"><parameter key="StatsLevel" value="0"/></engine>
{variables}  </io>
</adios-config>
"#,
            self.accuracy,
            escaped(&self.io)
        )
    }
}

/// Text inside an XML attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The folder that holds the operator: beside this program, in the lib folder next to its own, where `cargo xtask install`
/// puts it there, or where ADIOS2 looks for it already.
fn folder() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let beside = program.parent()?;
    let prefix = beside.parent().into_iter();
    let installed = prefix.flat_map(|prefix| [prefix.join("lib"), prefix.join("lib/fsz/adios2")]);
    let searched = std::env::var_os("ADIOS2_PLUGIN_PATH").unwrap_or_default();
    let searched: Vec<PathBuf> = std::env::split_paths(&searched).collect();
    let holds = |folder: &Path| folder.join(LIBRARY).is_file();
    let folders = std::iter::once(beside.to_owned()).chain(installed).chain(searched);
    folders.into_iter().find(|folder| holds(folder))
}

/// Why ADIOS2 would not find the operator in this folder: it parts the variable at colons, and writes a backslash before
/// a space.
fn unusable(folder: &Path) -> Option<String> {
    folder.display().to_string().contains([' ', ':']).then(|| {
        format!(
            "ADIOS2 finds no plugin in a folder whose path has a space or a colon: name a link to it without one, made by \
             ln -s {} LINK",
            path_word(folder)
        )
    })
}

/// Which ADIOS2 this program reads files with.
#[cfg(feature = "adios2")]
fn library() -> String {
    match adios2::library_path() {
        Ok(path) => format!("# ADIOS2 on this machine: {}\n", path.display()),
        Err(error) => format!("# {}\n", error.to_string().replace('\n', " ")),
    }
}

/// Nothing to say in a build that does not read ADIOS2 files.
#[cfg(not(feature = "adios2"))]
fn library() -> String {
    String::new()
}

fn missing() -> String {
    format!(
        "{LIBRARY} is neither beside this program, nor in ../lib or ../lib/fsz/adios2, nor in ADIOS2_PLUGIN_PATH; build it with cargo \
         build --release -p fsz-adios2"
    )
}
