//! The two BP files, and the parts of them that are compared.

use adios2::{Adios, BlockInfo, DataType, Element, Engine, Mode, Selection, Step, VariableInfo};
use anyhow::{Context, Result};
use fsz::Stream;
use fsz_field::bp::Payload;
use std::path::Path;

/// The file written without FSZ and the one written with it.
#[derive(Debug)]
pub struct Pair {
    pub plain: Engine,
    pub compressed: Engine,
}

/// One ADIOS2 block of one step, from both files.
#[derive(Debug)]
pub struct Part {
    pub block: BlockInfo,
    pub original: Vec<f64>,
    pub reconstruction: Vec<f64>,
    /// What the compressed file holds.
    pub payload: Payload,
}

impl Pair {
    pub fn open(plain: &Path, compressed: &Path) -> Result<Self> {
        let adios = Adios::new()?;
        let open = |name: &str, path: &Path| -> Result<Engine> {
            let engine = adios.declare_io(name)?.open(path, Mode::ReadRandomAccess);
            engine.with_context(|| format!("cannot open {}", path.display()))
        };
        Ok(Self { plain: open("plain", plain)?, compressed: open("compressed", compressed)? })
    }

    /// The floating-point arrays, which are what FSZ compresses.
    pub fn variables(&self) -> Result<Vec<VariableInfo>> {
        let mut variables = self.plain.variables()?;
        variables
            .retain(|v| matches!(v.dtype, DataType::F32 | DataType::F64) && !v.shape.is_empty());
        Ok(variables)
    }

    /// All ADIOS2 blocks of a variable at its n-th step.
    pub fn parts(&self, variable: &VariableInfo, step: u64) -> Result<Vec<Part>> {
        let name = variable.name.as_str();
        let blocks = self.compressed.blocks(name, Step::At(step))?.blocks;
        let read = |engine: &Engine, selection: &Selection| match variable.dtype {
            DataType::F32 => wide::<f32>(engine, name, step, selection),
            _ => wide::<f64>(engine, name, step, selection),
        };
        let part = |block: BlockInfo| {
            let selection = match &block.start {
                Some(start) => Selection::Box { start: start.clone(), count: block.count.clone() },
                None => Selection::Block(block.id),
            };
            Ok(Part {
                original: read(&self.plain, &selection)?,
                reconstruction: read(&self.compressed, &selection)?,
                payload: Payload::read(&self.compressed, name, Step::At(step), block.id)?,
                block,
            })
        };
        blocks.into_iter().filter(|block| block.elements() > 0).map(part).collect()
    }
}

impl Part {
    /// The FSZ stream, unless the values were stored as they are.
    pub fn stream(&self) -> Result<Option<Stream<'_>>> {
        match &self.payload {
            Payload::Stream(bytes) => Ok(Some(Stream::open(bytes)?)),
            Payload::Raw(_) | Payload::NotFsz => Ok(None),
        }
    }

    /// Bytes that it takes in the compressed file.
    pub fn stored_bytes(&self, dtype: DataType) -> u64 {
        match &self.payload {
            Payload::Stream(bytes) | Payload::Raw(bytes) => bytes.len() as u64,
            Payload::NotFsz => self.block.elements() * element_size(dtype),
        }
    }
}

pub fn element_size(dtype: DataType) -> u64 {
    if dtype == DataType::F32 { 4 } else { 8 }
}

/// Every `f32` is an `f64` exactly, so one type serves both.
fn wide<T: Element + Into<f64>>(
    engine: &Engine,
    name: &str,
    step: u64,
    selection: &Selection,
) -> Result<Vec<f64>> {
    let values = engine.read::<T>(name, Step::At(step), selection)?;
    Ok(values.into_iter().map(Into::into).collect())
}
