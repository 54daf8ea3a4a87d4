//! The recipes of RECIPES.md for programs with their own ADIOS2 output, with variables as those programs
//! define them. Those for openPMD-api are run by `tests/hosts.rs`.

mod common;

use std::path::{Path, PathBuf};

use adios2::{Adios, Element, Engine, Io, Layout, Mode, Selection, Step, Variable};
use common::{largest_error, load_operator, open, smooth, to_f32};
use fsz_field::bp::Payload;
use tempfile::TempDir;

fn recipe(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/recipes").join(name)
}

fn declare(config: &Path, io: &str) -> (Adios, Io) {
    load_operator();
    let adios = Adios::with_config(config).unwrap();
    let io = adios.declare_io(io).unwrap();
    (adios, io)
}

/// The bound that the stream of the first ADIOS2 block was made with.
fn bound(file: &Engine, name: &str) -> f64 {
    let payload = Payload::read(file, name, Step::At(0), 0).unwrap();
    let Payload::Stream(bytes) = payload else { panic!("{name}: {payload:?}") };
    fsz::Stream::from_vec(bytes).unwrap().certificate().max_abs_error
}

/// Writes one step, in which all variables have the same values, and opens the file.
fn written<T: Element>(io: &Io, path: &Path, variables: &[Variable<T>], values: &[T]) -> Engine {
    let mut out = io.open(path, Mode::Write).unwrap();
    out.begin_step(None).unwrap();
    for variable in variables {
        out.put(variable, values).unwrap();
    }
    out.end_step().unwrap();
    out.close().unwrap();
    open(path, "BP5")
}

/// A variable keeps a bound and uses most of it.
fn keeps<T: Element + Into<f64>>(
    file: &Engine,
    name: &str,
    selection: &Selection,
    values: &[T],
    most: f64,
) {
    let read: Vec<T> = file.read(name, Step::At(0), selection).unwrap();
    assert!(largest_error(values, &read) <= most, "{name}");
    let error = bound(file, name);
    assert!(error <= most && error > most / 2.0, "{name}: {error}");
}

#[test]
fn a_table_of_atoms_as_lammps_dumps_it() {
    const COLUMNS: u64 = 8;
    let folder = TempDir::new().unwrap();
    let (_adios, io) = declare(&recipe("lammps.xml"), "custom");
    // As dump custom/adios does: the table's size comes with each step.
    let atoms =
        io.define_variable::<f64>("atoms", &Layout::global(&[1000, 8], &[0, 0], &[1, 8])).unwrap();
    let natoms = io.define_variable::<u64>("natoms", &Layout::Value).unwrap();
    let path = folder.path().join("dump.bp");
    let mut out = io.open(&path, Mode::Write).unwrap();
    let table = |step: u64| -> Vec<f64> {
        let wave = smooth(1000 * COLUMNS, step);
        let value = |(index, wave): (usize, f64)| match index as u64 % COLUMNS {
            0 => (index as u64 / COLUMNS + 1) as f64,
            1 => (index % 3 + 1) as f64,
            _ => 10.0 * wave,
        };
        wave.into_iter().enumerate().map(value).collect()
    };
    for step in 0..3 {
        let values = table(step);
        out.begin_step(None).unwrap();
        out.put(&natoms, &[1000]).unwrap();
        // Two ranks.
        out.put_block(&atoms, &[0, 0], &[400, COLUMNS], &values[..3200]).unwrap();
        out.put_block(&atoms, &[400, 0], &[600, COLUMNS], &values[3200..]).unwrap();
        out.end_step().unwrap();
    }
    out.close().unwrap();
    let file = open(&path, "BP5");
    for step in 0..3 {
        let written = table(step);
        let read: Vec<f64> = file.read("atoms", Step::At(step), &Selection::All).unwrap();
        let error = largest_error(&written, &read);
        assert!(error <= 1e-4 && error > 0.0, "{error}");
        for (row, values) in read.chunks_exact(COLUMNS as usize).enumerate() {
            assert_eq!(values[0].round(), (row + 1) as f64, "the id of an atom");
        }
    }
}

#[test]
fn levels_and_fields_with_bounds_of_their_own() {
    let folder = TempDir::new().unwrap();
    let (_adios, io) = declare(&recipe("amr.xml"), "plotfile");
    let values = to_f32(&smooth(8000, 1));
    let names = ["Level_0/density", "Level_1/density", "Level_0/pressure", "Level_0/other"];
    let variables =
        names.map(|name| io.define_variable::<f32>(name, &Layout::whole(&[20, 20, 20])).unwrap());
    let file = written(&io, &folder.path().join("plotfile.bp"), &variables, &values);
    let range = {
        let ends = values.iter().fold((f32::MAX, f32::MIN), |(a, b), &v| (a.min(v), b.max(v)));
        f64::from(ends.1) - f64::from(ends.0)
    };
    for (name, most) in names.iter().zip([1e-3, 1e-4, 1e-5 * range]) {
        keeps(&file, name, &Selection::All, &values, most);
    }
    assert_eq!(Payload::read(&file, names[3], Step::At(0), 0).unwrap(), Payload::NotFsz);
}

/// The calls of SCORPIO: the operator from a file, without a bound; a bound with each variable.
#[test]
fn a_bound_at_each_variable_through_the_c_interface() {
    let folder = TempDir::new().unwrap();
    let (adios, _) = declare(&recipe("lammps.xml"), "unused");
    let io = adios.declare_io("history").unwrap();
    let fsz = adios.operator("fsz").unwrap();
    let values = smooth(5000, 2);
    let bounds = [("T", "accuracy", 1e-3), ("U", "accuracy", 1e-5), ("Q", "tolerance", 1e-6)];
    let variables = bounds.map(|(name, key, bound)| {
        let variable = io.define_variable::<f64>(name, &Layout::local(&[5000])).unwrap();
        io.set_operation(&variable, &fsz, key, &bound.to_string()).unwrap();
        variable
    });
    let file = written(&io, &folder.path().join("history.bp"), &variables, &values);
    for (name, _, most) in bounds {
        keeps(&file, name, &Selection::Block(0), &values, most);
    }
}
