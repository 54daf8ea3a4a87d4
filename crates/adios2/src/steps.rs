//! A file read from step to step, for what ADIOS2 does not tell a reader that has all steps at hand: in which of them
//! a variable of BP4 was written, and which shape a joined array of BP5 has at each.

use std::{collections::HashMap, path::Path, time::Duration};

use crate::{Adios, Mode, Result, StepStatus};

/// A variable at a step in which it was written.
#[derive(Debug)]
pub(crate) struct Visit {
    /// The engine's number of the step.
    pub number: u64,
    /// Global extents; empty for values and local arrays.
    pub shape: Vec<u64>,
}

/// Every variable, at each step in which it was written.
pub(crate) fn visit(path: &Path, engine: &str) -> Result<HashMap<String, Vec<Visit>>> {
    let io = Adios::new()?.declare_io("steps")?;
    io.set_engine(engine)?;
    let mut reader = io.open(path, Mode::Read)?;
    let mut visits: HashMap<String, Vec<Visit>> = HashMap::new();
    // A program that still writes the file is not waited for.
    while reader.begin_step(Some(Duration::ZERO))? == StepStatus::Ready {
        let number = reader.current_step()?;
        for variable in reader.variables()? {
            visits.entry(variable.name).or_default().push(Visit { number, shape: variable.shape });
        }
        reader.end_step()?;
    }
    Ok(visits)
}
