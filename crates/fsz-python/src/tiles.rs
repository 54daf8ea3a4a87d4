//! The records of a stream's tiles as columns.

use fsz::TileKind;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors::raised;

/// Kinds by their place in `TileKind::ALL`, elements, bytes, escapes, and rates.
pub type Columns<'py> = (
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray2<u8>>,
);

/// Reads all records.
pub fn columns<'py>(py: Python<'py>, stream: &fsz::Stream<'static>) -> PyResult<Columns<'py>> {
    let tiles = stream.grid().tiles() as usize;
    let read = py.detach(|| -> fsz::Result<_> {
        let (mut kinds, mut elements) = (Vec::with_capacity(tiles), Vec::with_capacity(tiles));
        let (mut bytes, mut escapes) = (Vec::with_capacity(tiles), Vec::with_capacity(tiles));
        let mut rates = Vec::new();
        for record in stream.tiles() {
            let record = record?;
            kinds.push(
                TileKind::ALL.iter().position(|&kind| kind == record.kind()).unwrap_or(0) as u8
            );
            elements.push(stream.grid().tile_len(record.index) as u32);
            bytes.push(record.bytes);
            escapes.push(record.escapes);
            rates.extend_from_slice(record.rates());
        }
        Ok((kinds, elements, bytes, escapes, rates))
    });
    let (kinds, elements, bytes, escapes, rates) = read.map_err(|error| raised(py, error))?;
    let blocks = rates.len() / kinds.len().max(1);
    let rows = [kinds.len(), blocks];
    Ok((
        kinds.into_pyarray(py),
        elements.into_pyarray(py),
        bytes.into_pyarray(py),
        escapes.into_pyarray(py),
        rates.into_pyarray(py).reshape(rows)?,
    ))
}
