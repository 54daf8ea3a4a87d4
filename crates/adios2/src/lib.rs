//! A small safe wrapper of the ADIOS2 C API.
//!
//! It covers what a field library and a simulation need: contexts with an optional XML
//! configuration, engines, steps, typed variables and ADIOS2 blocks, whole, sub-box and per-block
//! reads, operators of the configuration, and attributes. It does not cover MPI, spans, structs or
//! memory selections.
//!
//! ADIOS2 is opened at run time ([`is_available`]); without it every entry returns
//! [`Error::NotFound`], which lists the places searched.
//!
//! ```no_run
//! use adios2::{Adios, Layout, Mode, Selection, Step};
//! # fn main() -> adios2::Result<()> {
//! let adios = Adios::new()?;
//! let io = adios.declare_io("output")?;
//! io.set_engine("BP5")?;
//! let u = io.define_variable::<f32>("U", &Layout::whole(&[4, 5]))?;
//! let mut engine = io.open("out.bp", Mode::Write)?;
//! engine.begin_step(None)?;
//! engine.put(&u, &[0.5; 20])?;
//! engine.end_step()?;
//! engine.close()?;
//!
//! let mut engine = adios.declare_io("input")?.open("out.bp", Mode::ReadRandomAccess)?;
//! for variable in engine.variables()? {
//!     for step in 0..variable.steps {
//!         let values: Vec<f32> = engine.read(&variable.name, Step::At(step), &Selection::All)?;
//!         let blocks = engine.blocks(&variable.name, Step::At(step))?;
//!         println!("{} {} {:?}", variable.name, values.len(), blocks);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Threads
//! ADIOS2 objects are not thread-safe, so all calls on one [`Adios`] and on what came from it are
//! serialised by one lock. Give each thread that should run on its own a context of its own; a
//! staging writer and its reader in one process need two, because one may wait for the other.
//!
//! # Errors
//! The C API prints the reason of a failure to standard error and returns a code;
//! [`Error::Call`] carries the code and what was being done.
#![deny(missing_docs)]

mod attribute;
mod before_2_9;
mod block;
mod call;
mod context;
mod cut_short;
mod engine;
mod error;
mod io;
mod library;
mod operator;
mod read;
mod steps;
mod types;
mod variable;
mod write;

pub use attribute::Attribute;
pub use block::{BlockInfo, StepBlocks};
pub use context::Adios;
pub use engine::{Engine, Mode, StepStatus};
pub use error::{CallFailure, Error, Result};
pub use io::Io;
pub use library::{is_available, library_path};
pub use operator::Operator;
pub use read::{GetBatch, Selection, Step};
pub use types::{DataType, Element};
pub use variable::{Layout, ShapeKind, Variable, VariableInfo};
pub use write::PutBatch;
