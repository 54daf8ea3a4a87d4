//! ADIOS2 files (BP5 and BP4): variables, steps, ADIOS2 blocks.

mod operator;
mod payload;

use std::path::{Path, PathBuf};

use adios2::{Adios, DataType, Engine, Mode, Selection, Step};
pub use adios2::{BlockInfo, ShapeKind, StepBlocks, VariableInfo};
use fsz::{DType, with_element};
pub use operator::load_operator;
pub use payload::Payload;

use crate::error::{Error, Result};
use crate::field::Field;
use crate::shape::Shape;

/// What a file without variables is.
pub const NO_VARIABLES: &str = "no variables; was the program that writes it interrupted in its first step, or is it still in it?";

/// The element type that a type of ADIOS2 is.
fn element_type(found: DataType) -> Option<DType> {
    match found {
        DataType::F32 => Some(DType::F32),
        DataType::F64 => Some(DType::F64),
        _ => None,
    }
}

/// An ADIOS2 file with all its steps at hand.
///
/// Steps are counted per variable, from 0: those in which it was written.
#[derive(Debug)]
pub struct Bp {
    path: PathBuf,
    engine: Engine,
}

impl Bp {
    /// Opens a file.
    ///
    /// # Errors
    /// When it is not there or not an ADIOS2 file, or no ADIOS2 is found on this machine.
    pub fn open(path: &Path) -> Result<Bp> {
        // ADIOS2 reports a missing file at length on standard error.
        std::fs::metadata(path).map_err(Error::io(path))?;
        let refuse = |e: adios2::Error| Error::file(path, e.to_string());
        // Files without compressed variables are readable without the operator; where one is
        // needed, ADIOS2 says so.
        let _ = load_operator();
        let io = Adios::new().and_then(|adios| adios.declare_io("fsz")).map_err(refuse)?;
        let engine = io.open(path, Mode::ReadRandomAccess).map_err(refuse)?;
        Ok(Bp { path: path.to_owned(), engine })
    }

    /// Every variable, by name.
    pub fn variables(&self) -> Result<Vec<VariableInfo>> {
        self.engine.variables().map_err(|e| self.refuse(e))
    }

    /// One variable.
    ///
    /// # Errors
    /// When there is none of that name; the message lists those there are.
    pub fn variable(&self, name: &str) -> Result<VariableInfo> {
        match self.engine.variable(name) {
            Err(adios2::Error::NoSuchVariable(_)) => {
                let all: Vec<_> = self.variables()?.into_iter().map(|v| v.name).collect();
                let reason = format!("no variable {name}; available: {}", all.join(", "));
                Err(Error::file(&self.path, reason))
            }
            found => found.map_err(|e| self.refuse(e)),
        }
    }

    /// # Errors
    /// When the variable has no such step.
    pub fn check_step(&self, variable: &VariableInfo, step: u64) -> Result<()> {
        let VariableInfo { name, steps: all, .. } = variable;
        let steps = if *all == 1 { "step" } else { "steps" };
        let reason = || format!("{name} has {all} {steps}; there is no step {step}");
        if step < *all { Ok(()) } else { Err(Error::file(&self.path, reason())) }
    }

    /// # Errors
    /// When these ADIOS2 blocks of a step of the variable are local arrays, of which one must be chosen.
    pub fn check_one(&self, variable: &VariableInfo, blocks: &[BlockInfo]) -> Result<()> {
        let (name, total) = (&variable.name, blocks.len());
        if variable.kind != ShapeKind::LocalArray || total == 1 {
            return Ok(());
        }
        let reason = format!("{name} consists of {total} local arrays: choose one with --block");
        Err(Error::file(&self.path, reason))
    }

    /// The ADIOS2 blocks of one step, from the metadata alone.
    pub fn blocks(&self, name: &str, step: u64) -> Result<StepBlocks> {
        self.engine.blocks(name, Step::At(step)).map_err(|e| self.refuse(e))
    }

    /// What an ADIOS2 block holds in the file, not decoded.
    pub fn payload(&self, name: &str, step: u64, block: u64) -> Result<Payload> {
        Payload::read(&self.engine, name, Step::At(step), block).map_err(|e| self.refuse(e))
    }

    /// Reads and decodes one step of a variable: the global array, put together of its ADIOS2
    /// blocks, or one ADIOS2 block.
    ///
    /// # Errors
    /// When there is no such variable, step or ADIOS2 block, when its values are neither `f32` nor
    /// `f64`, and when a variable of local arrays is asked for without a block.
    pub fn read(&self, name: &str, step: u64, block: Option<u64>) -> Result<Field> {
        let variable = self.variable(name)?;
        self.check_step(&variable, step)?;
        let blocks = self.blocks(name, step)?;
        let block = match block {
            None if variable.kind == ShapeKind::LocalArray => {
                self.check_one(&variable, &blocks.blocks)?;
                Some(0)
            }
            given => given,
        };
        let (sides, selection) = match block {
            None => (blocks.shape, Selection::All),
            Some(id) => match usize::try_from(id).ok().and_then(|i| blocks.blocks.get(i)) {
                Some(found) => (found.count.clone(), Selection::Block(id)),
                None => {
                    let total = match blocks.blocks.len() {
                        1 => "1 ADIOS2 block".to_owned(),
                        total => format!("{total} ADIOS2 blocks"),
                    };
                    let reason =
                        format!("step {step} of {name} has {total}; there is no block {id}");
                    return Err(Error::file(&self.path, reason));
                }
            },
        };
        let shape = Shape::new(&sides)?;
        let Some(dtype) = element_type(variable.dtype) else {
            let found = variable.dtype;
            let reason = format!("{name} holds {found}; only f32 and f64 are supported");
            return Err(Error::file(&self.path, reason));
        };
        let field = with_element!(dtype, T => self.read_as::<T>(name, step, &selection, shape)?);
        Ok(field.with_name(Some(name.to_owned())).with_step(Some(step)))
    }

    fn read_as<T: fsz::Element + adios2::Element>(
        &self,
        name: &str,
        step: u64,
        selection: &Selection,
        shape: Shape,
    ) -> Result<Field> {
        let values = self.engine.read::<T>(name, Step::At(step), selection);
        let values = values.map_err(|error| match load_operator() {
            Ok(_) => self.refuse(error),
            // ADIOS2 does not say which library it lacks.
            Err(operator) => {
                let reason = format!("{error}; if {name} was written through FSZ: {operator}");
                Error::file(&self.path, reason)
            }
        });
        Field::new(shape, values?)
    }

    fn refuse(&self, error: adios2::Error) -> Error {
        Error::file(&self.path, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use adios2::Layout;

    use super::*;

    /// Series are read step by step: files of thousands of variables took minutes when all were listed for each step.
    #[test]
    fn a_variable_is_found_without_a_list_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.bp");
        let io = Adios::new().unwrap().declare_io("out").unwrap();
        let mut out = io.open(&path, Mode::Write).unwrap();
        for number in 0..1000 {
            let layout = Layout::whole(&[2]);
            let variable = io.define_variable::<f32>(&format!("v{number}"), &layout).unwrap();
            out.put(&variable, &[1.0, 2.0]).unwrap();
        }
        out.close().unwrap();
        let file = Bp::open(&path).unwrap();
        let seconds = |work: &dyn Fn()| {
            let began = Instant::now();
            work();
            began.elapsed()
        };
        let list = seconds(&|| assert_eq!(file.variables().unwrap().len(), 1000));
        let found = seconds(&|| {
            (0..100).for_each(|number| {
                assert_eq!(file.variable(&format!("v{number}")).unwrap().steps, 1);
            });
        });
        assert!(found < 20 * list, "{found:?} for 100 variables, {list:?} for a list of all");
        let none = file.variable("w").unwrap_err().to_string();
        assert!(none.contains("many.bp: no variable w; available: v0, v1, v10, "), "{none}");
    }
}
