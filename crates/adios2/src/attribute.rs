//! Attributes: small named facts beside the variables.

use adios2_sys as sys;

use crate::{
    DataType, Element, Engine, Error, Io, Result,
    call::{c_string, check, check_pointer, read_string, take_names},
    library,
};

/// The value of an attribute; a single value is a list of one.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// Text.
    Text(Vec<String>),
    /// f32 and f64 values.
    Float(Vec<f64>),
    /// Signed integers of any width.
    Int(Vec<i64>),
    /// Unsigned integers of any width.
    UInt(Vec<u64>),
    /// A type that this crate does not read; with an ADIOS2 older than 2.12, text too.
    Other(DataType),
}

impl Io {
    /// Defines an attribute of one or more numbers.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an empty list, [`Error::Call`] for a name that is taken.
    pub fn define_attribute<T: Element>(&self, name: &str, values: &[T]) -> Result<()> {
        if values.is_empty() {
            return Err(Error::InvalidArgument(format!("attribute {name:?} has no value")));
        }
        let c_name = c_string(name)?;
        let data = values.as_ptr().cast();
        let api = self.context.api;
        let _one = self.context.lock();
        // SAFETY: the IO is alive and locked; `data` holds `values.len()` values of this type,
        // which ADIOS2 copies.
        let raw = unsafe {
            match values.len() {
                1 => api.adios2_define_attribute(self.raw, c_name.as_ptr(), T::RAW, data),
                size => {
                    api.adios2_define_attribute_array(self.raw, c_name.as_ptr(), T::RAW, data, size)
                }
            }
        };
        check_pointer(raw, || format!("defining the attribute {name:?}")).map(drop)
    }

    /// Defines a text attribute.
    ///
    /// # Errors
    /// [`Error::Call`] for a name that is taken.
    pub fn define_text_attribute(&self, name: &str, text: &str) -> Result<()> {
        let (c_name, c_text) = (c_string(name)?, c_string(text)?);
        let _one = self.context.lock();
        // SAFETY: the IO is alive and locked; ADIOS2 copies both C strings.
        let raw = unsafe {
            self.context.api.adios2_define_attribute(
                self.raw,
                c_name.as_ptr(),
                sys::adios2_type_string,
                c_text.as_ptr().cast(),
            )
        };
        check_pointer(raw, || format!("defining the attribute {name:?}")).map(drop)
    }
}

impl Engine {
    /// Every attribute, by name.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn attributes(&self) -> Result<Vec<(String, Attribute)>> {
        let _one = self.lock()?;
        let mut size = 0usize;
        // SAFETY: the IO is alive and locked; the list and its strings come from malloc and are
        // ours.
        let names = unsafe {
            let names = self.io.context.api.adios2_available_attributes(self.io.raw, &mut size);
            take_names(names, size)
        };
        names.into_iter().map(|name| read(&self.io, &name).map(|value| (name, value))).collect()
    }
}

/// Reads one attribute. The caller holds the lock.
fn read(io: &Io, name: &str) -> Result<Attribute> {
    let api = io.context.api;
    let doing = || format!("reading the attribute {name:?}");
    let c_name = c_string(name)?;
    // SAFETY: the IO is alive and locked; the name is a C string.
    let raw = unsafe { api.adios2_inquire_attribute(io.raw, c_name.as_ptr()) };
    let raw = check_pointer(raw, doing)?;
    let (mut dtype, mut size) = (sys::adios2_type_unknown, 0usize);
    // SAFETY: `raw` is alive and locked; the outputs are locals.
    check(unsafe { api.adios2_attribute_type(&mut dtype, raw) }, doing)?;
    // SAFETY: as above.
    check(unsafe { api.adios2_attribute_size(&mut size, raw) }, doing)?;
    Ok(match DataType::from_raw(dtype) {
        DataType::String => match library::text_functions()? {
            Some(functions) => Attribute::Text(read_text(io, functions, raw, name, size)?),
            None => Attribute::Other(DataType::String),
        },
        DataType::F32 => Attribute::Float(numbers::<f32, _>(io, raw, name, size)?),
        DataType::F64 => Attribute::Float(numbers::<f64, _>(io, raw, name, size)?),
        DataType::I8 => Attribute::Int(numbers::<i8, _>(io, raw, name, size)?),
        DataType::I16 => Attribute::Int(numbers::<i16, _>(io, raw, name, size)?),
        DataType::I32 => Attribute::Int(numbers::<i32, _>(io, raw, name, size)?),
        DataType::I64 => Attribute::Int(numbers::<i64, _>(io, raw, name, size)?),
        DataType::U8 => Attribute::UInt(numbers::<u8, _>(io, raw, name, size)?),
        DataType::U16 => Attribute::UInt(numbers::<u16, _>(io, raw, name, size)?),
        DataType::U32 => Attribute::UInt(numbers::<u32, _>(io, raw, name, size)?),
        DataType::U64 => Attribute::UInt(numbers::<u64, _>(io, raw, name, size)?),
        other => Attribute::Other(other),
    })
}

fn numbers<T: Element + Into<W>, W>(
    io: &Io,
    raw: *const sys::adios2_attribute,
    name: &str,
    size: usize,
) -> Result<Vec<W>> {
    let mut values = vec![T::default(); size];
    let mut read = 0usize;
    // SAFETY: `raw` is alive and locked and holds `size` values of `T`.
    let code =
        unsafe { io.context.api.adios2_attribute_data(values.as_mut_ptr().cast(), &mut read, raw) };
    check(code, || format!("reading the attribute {name:?}"))?;
    Ok(values.into_iter().map(Into::into).collect())
}

fn read_text(
    io: &Io,
    functions: sys::TextFunctions,
    raw: *const sys::adios2_attribute,
    name: &str,
    size: usize,
) -> Result<Vec<String>> {
    let api = io.context.api;
    let doing = format!("reading the attribute {name:?}");
    let mut single = sys::adios2_false;
    // SAFETY: `raw` is alive and locked; the output is a local.
    check(unsafe { api.adios2_attribute_is_value(&mut single, raw) }, || doing.clone())?;
    if single == sys::adios2_true {
        let text = read_string(&doing, |buffer, length| {
            // SAFETY: as above; a buffer that is not null has room for `length` bytes.
            unsafe { (functions.string_data)(raw, buffer, length) }
        })?;
        return Ok(vec![text]);
    }
    let mut lengths = vec![0usize; size];
    // SAFETY: as above; without a buffer the call fills the `size` lengths only.
    let code =
        unsafe { (functions.string_data_array)(raw, std::ptr::null_mut(), lengths.as_mut_ptr()) };
    check(code, || doing.clone())?;
    let mut texts: Vec<Vec<u8>> = lengths.iter().map(|&length| vec![0; length]).collect();
    let mut buffers: Vec<_> = texts.iter_mut().map(|text| text.as_mut_ptr().cast()).collect();
    // SAFETY: as above; each buffer has room for its length.
    let code =
        unsafe { (functions.string_data_array)(raw, buffers.as_mut_ptr(), lengths.as_mut_ptr()) };
    check(code, || doing)?;
    Ok(texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect())
}
