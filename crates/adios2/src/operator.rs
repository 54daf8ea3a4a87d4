//! Operators of the configuration file, such as compressors.

use std::{fmt, sync::Arc};

use adios2_sys as sys;

use crate::{
    Adios, Element, Io, Result, Variable,
    call::{c_string, check, check_pointer},
    context::{Context, lock_operator_table},
};

/// An operator of the configuration file, with its parameters.
#[derive(Clone)]
pub struct Operator {
    context: Arc<Context>,
    raw: *mut sys::adios2_operator,
    name: String,
}

// SAFETY: `raw` is owned by the context, which `context` keeps alive, and is used under the
// context's lock only.
unsafe impl Send for Operator {}
// SAFETY: as above.
unsafe impl Sync for Operator {}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operator").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Adios {
    /// The operator that the configuration file calls `name`.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call) when it names none.
    pub fn operator(&self, name: &str) -> Result<Operator> {
        let c_name = c_string(name)?;
        let context = self.context();
        let _one = context.lock();
        // SAFETY: the context is alive and locked; it owns the operator.
        let raw = unsafe { context.api.adios2_inquire_operator(context.raw(), c_name.as_ptr()) };
        let raw = check_pointer(raw, || format!("finding the operator {name:?}"))?;
        Ok(Operator { context: Arc::clone(context), raw, name: name.to_owned() })
    }
}

impl Io {
    /// Makes `operator` the only operator of a variable, from its next put on, with the parameters
    /// of the configuration file and `key` = `value`. An operator reads its parameters when it is
    /// created, so this is how to change one from step to step.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call) for parameters that the operator does not take.
    pub fn set_operation<T: Element>(
        &self,
        variable: &Variable<T>,
        operator: &Operator,
        key: &str,
        value: &str,
    ) -> Result<()> {
        let doing = || format!("setting the operator {} of {:?}", operator.name, variable.name);
        if !Arc::ptr_eq(&self.context, &operator.context) {
            return Err(crate::Error::InvalidArgument(format!(
                "{}: the operator belongs to another context",
                doing()
            )));
        }
        let names = (c_string(&variable.name)?, c_string(key)?, c_string(value)?);
        let api = self.context.api;
        let _one = self.context.lock();
        let _operators = lock_operator_table();
        // SAFETY: the IO is alive and locked, and owns the variable.
        let raw = unsafe { api.adios2_inquire_variable(self.raw, names.0.as_ptr()) };
        let raw = check_pointer(raw, doing)?;
        // SAFETY: the variable was just found.
        check(unsafe { api.adios2_remove_operations(raw) }, doing)?;
        let mut index = 0;
        // SAFETY: variable and operator are of this context; the strings are copied.
        let added = unsafe {
            api.adios2_add_operation(
                &mut index,
                raw,
                operator.raw,
                names.1.as_ptr(),
                names.2.as_ptr(),
            )
        };
        check(added, doing)
    }
}
