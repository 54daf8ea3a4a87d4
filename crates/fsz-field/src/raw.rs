//! Raw files: little-endian values and nothing else.

use std::io::Write;
use std::path::Path;

use fsz::DType;

use crate::error::{Error, Result};
use crate::field::Field;
use crate::foreign;
use crate::hints::{Hints, Like};
use crate::map::{Order, map_file, read};
use crate::output::Output;
use crate::shape::{Shape, shape_in_name};
use crate::storage::Values;
use crate::with_values;

/// Opens a raw file. What the hints leave open comes from the name (`T_30x192x288.f32`), and the
/// element type of a file with another ending from its size.
pub(crate) fn open_raw(path: &Path, hints: &Hints) -> Result<Field> {
    let map = map_file(path)?;
    let len = map.len() as u64;
    let like = hints.like.as_ref();
    let told = hints.dtype.or_else(|| dtype_of_ending(path));
    let asked = hints.shape.as_ref().or(like.map(|like| &like.shape));
    let shape = match asked.cloned().or_else(|| shape_in_name(path)) {
        Some(shape) => shape,
        None => return Err(no_shape(path, &map, told)),
    };
    let fits = |dtype: &DType| shape.elements().checked_mul(dtype.size() as u64) == Some(len);
    let dtype = match told {
        Some(dtype) if fits(&dtype) => dtype,
        told => {
            // No values fit both.
            let own = like.map_or(DType::F32, |like| like.dtype);
            let either = told.is_none().then_some([own, DType::F32, DType::F64]);
            let mut either = either.into_iter().flatten();
            either.find(fits).ok_or_else(|| wrong_size(path, hints, &shape, told, len))?
        }
    };
    if Order::NATIVE == Order::Little {
        let all = 0..map.len();
        return Field::mapped(shape, dtype, map, all).map_err(|error| error.in_file(path));
    }
    Field::stored(shape, read(&map, dtype, Order::Little).map_err(|error| error.in_file(path))?)
}

/// Writes the values, little-endian, C order.
pub fn write_raw(values: Values<'_>, output: &mut Output) -> Result<()> {
    if Order::NATIVE == Order::Little {
        return output.put(values.bytes());
    }
    with_values!(values, v => v.iter().try_for_each(|v| output.write_all(&v.to_le_bytes())))
        .map_err(Error::io(output.named()))
}

/// What an ending says about the element type.
fn dtype_of_ending(path: &Path) -> Option<DType> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "f32" => Some(DType::F32),
        "f64" | "d64" => Some(DType::F64),
        _ => None,
    }
}

fn no_shape(path: &Path, bytes: &[u8], dtype: Option<DType>) -> Error {
    if let Some(reason) = foreign::reason(bytes) {
        return Error::file(path, reason);
    }
    let (len, size) = (bytes.len(), dtype.map_or(4, DType::size));
    if !len.is_multiple_of(size) {
        let values = dtype.map_or("f32 or f64", DType::name);
        let reason =
            format!("{len} bytes, which are no whole number of {values}: is it cut short?");
        return Error::file(path, reason);
    }
    let reason = format!(
        "unknown shape: give --shape, for example --shape {} to read all {len} bytes as one dimension",
        len / size
    );
    Error::file(path, reason)
}

fn wrong_size(path: &Path, hints: &Hints, shape: &Shape, dtype: Option<DType>, len: u64) -> Error {
    let needed = |dtype: DType| u128::from(shape.elements()) * dtype.size() as u128;
    let takes = match dtype.or(hints.like.as_ref().map(|like| like.dtype)) {
        Some(dtype) => format!("{} bytes as {dtype}", needed(dtype)),
        None => format!("{} bytes as f32, {} as f64", needed(DType::F32), needed(DType::F64)),
    };
    let advice = match (&hints.like, &hints.shape) {
        (Some(Like { name, dtype, .. }), None)
            if hints.dtype.is_none() && needed(*dtype) == u128::from(len) =>
        {
            let named = path.with_extension(dtype.name());
            format!("as {dtype} it would fit {name}: name it {} if it is that", named.display())
        }
        (Some(like), None) => {
            format!("the shape is that of {}: is this the right file?", like.name)
        }
        (_, Some(_)) => "wrong --shape or --dtype".to_owned(),
        (None, None) if hints.dtype.is_some() => {
            "wrong --dtype, or wrong shape in its name: give --shape".to_owned()
        }
        (None, None) => "the shape is that in its name: give --shape for another".to_owned(),
    };
    let reason = format!("{len} bytes, but shape {shape} takes {takes}; {advice}");
    Error::file(path, reason)
}
