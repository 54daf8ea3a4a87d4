//! `FSZ1` files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsz::format::TileGrid;
use fsz::{Element, with_element};

use super::{Fsz1, Fsz1Tile};
use crate::error::{Error, Result};
use crate::field::Field;
use crate::map::{Mapped, map_file};
use crate::memory::zeros;
use crate::shape::Shape;

/// All that a file of the author's release holds, decoded.
#[derive(Debug, Clone)]
pub struct Fsz1Field {
    /// The values.
    pub field: Field,
    /// The absolute bound that they were meant to keep.
    pub bound: f64,
    /// Where its tiles lie.
    pub grid: TileGrid,
    /// The predictor, rates and bytes of each of them.
    pub tiles: Vec<Fsz1Tile>,
    /// Bytes of the file.
    pub compressed_bytes: u64,
}

/// A file of the author's release, mapped: its header and rates are checked, nothing is decoded.
#[derive(Debug, Clone)]
pub struct Fsz1File {
    path: PathBuf,
    map: Arc<Mapped>,
}

impl Fsz1File {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read, or those of [`Fsz1::open`].
    pub fn open(path: &Path) -> Result<Fsz1File> {
        let file = Fsz1File { path: path.to_owned(), map: map_file(path)? };
        file.stream()?;
        Ok(file)
    }

    /// The stream in the file.
    ///
    /// # Errors
    /// When the file changed since it was opened.
    pub fn stream(&self) -> Result<Fsz1<'_>> {
        self.map.check()?;
        Fsz1::open(&self.map).map_err(Error::codec(&self.path))
    }

    /// Decodes the whole field.
    ///
    /// # Errors
    /// When a tile is damaged, or there is not so much memory.
    pub fn decode(&self) -> Result<Field> {
        let stream = self.stream()?;
        let shape = Shape::new(&stream.header().shape)?;
        with_element!(stream.header().dtype, T => {
            let mut values = zeros::<T>(&shape).map_err(|error| error.in_file(&self.path))?;
            stream.decode(&mut values).map_err(Error::codec(&self.path))?;
            Field::new(shape, values)
        })
    }

    /// Decodes the whole field, and tells of its tiles: what a viewer shows.
    ///
    /// # Errors
    /// Those of [`decode`](Fsz1File::decode).
    pub fn load(&self) -> Result<Fsz1Field> {
        let stream = self.stream()?;
        let shape = &stream.header().shape;
        let too_large = || fsz::Error::Corrupt(format!("a shape of {shape:?} values"));
        let grid = TileGrid::linear(shape).ok_or_else(too_large);
        Ok(Fsz1Field {
            field: self.decode()?,
            grid: grid.map_err(Error::codec(&self.path))?,
            bound: stream.header().bound,
            tiles: stream.tiles().collect(),
            compressed_bytes: stream.compressed_bytes(),
        })
    }

    /// Decodes the plane at `index` of `axis`, and the groups of tiles that it touches alone; the axis is removed.
    ///
    /// # Errors
    /// When there is no such axis or index, or a tile is damaged.
    pub fn decode_slice(&self, axis: usize, index: u64) -> Result<Field> {
        let stream = self.stream()?;
        let mut shape = stream.header().shape.clone();
        let Some(&side) = shape.get(axis).filter(|&&side| index < side) else {
            let shape = Shape::new(&shape)?;
            return Err(Error::Argument(format!(
                "there is no index {index} on axis {axis} of shape {shape}"
            )));
        };
        let (before, run): (u64, u64) =
            (shape[..axis].iter().product(), shape[axis + 1..].iter().product());
        shape.remove(axis);
        let shape = Shape::new(&shape)?;
        let starts = (0..before).map(|i| (i * side + index) * run);
        with_element!(stream.header().dtype, T => {
            let memory = zeros(&shape).map_err(|error| error.in_file(&self.path))?;
            let values = runs::<T>(&stream, starts, run, memory);
            Field::new(shape, values.map_err(Error::codec(&self.path))?)
        })
    }
}

/// The values of runs of one length that begin at these positions, in increasing order.
fn runs<T: Element>(
    stream: &Fsz1<'_>,
    starts: impl Iterator<Item = u64>,
    run: u64,
    mut out: Vec<T>,
) -> fsz::Result<Vec<T>> {
    let (all, most) = (stream.header().elements(), stream.group_values() as u64);
    let mut decoded = vec![T::default(); most.min(all) as usize];
    let mut held = None;
    let mut rest = &mut out[..];
    for start in starts {
        let mut at = start;
        while at < start + run {
            let (group, offset) = (at / most, (at % most) as usize);
            let len = (all - group * most).min(most) as usize;
            if held != Some(group) {
                stream.decode_group(group as usize, &mut decoded[..len])?;
                held = Some(group);
            }
            let count = (len - offset).min((start + run - at) as usize);
            let (part, left) = rest.split_at_mut(count);
            part.copy_from_slice(&decoded[offset..offset + count]);
            rest = left;
            at += count as u64;
        }
    }
    Ok(out)
}
