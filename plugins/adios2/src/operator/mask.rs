//! Masks of the parameter `bound_where`, of which each ADIOS2 block has its own part.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use fsz::{Bound, Region};
use fsz_field::MaskFile;

use crate::block::Block;

/// A mask and the bound where it is set.
#[derive(Debug)]
pub(super) struct Mask {
    file: MaskFile,
    bound: f64,
    /// The last part: a program that writes the same block at every step has its mask read once.
    last: Mutex<Option<Part>>,
}

/// Start and count of a part, and what of the mask is set in it.
type Part = (Vec<u64>, Vec<u64>, Option<Region>);

impl Mask {
    /// Opens the file, whose values are read when a block needs them.
    ///
    /// # Errors
    /// A message that begins with the name of the parameter, when it is no mask.
    pub fn open((path, bound): &(PathBuf, f64)) -> Result<Mask, String> {
        let file = MaskFile::open(path).map_err(|error| format!("bound_where: {error}"))?;
        Ok(Mask { file, bound: *bound, last: Mutex::new(None) })
    }

    /// The region that the mask makes of a block with this bound outside; none where nothing is set.
    ///
    /// # Errors
    /// A message that begins with the name of the parameter, when the mask does not hold the block, or is not of the
    /// shape of a local array.
    pub fn region(&self, block: &Block<'_>, outside: Bound) -> Result<Option<Region>, String> {
        let sides = self.file.shape().sides();
        if block.start.is_none() && sides != block.count {
            return Err(format!(
                "bound_where: a mask of shape {} for a local array of {:?}",
                self.file.shape(),
                block.count
            ));
        }
        let start = block.start.clone().unwrap_or_else(|| vec![0; sides.len()]);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((own, count, region)) = &*last
            && (own, count) == (&start, &block.count)
        {
            return Ok(region.clone());
        }
        let part = self.file.part(&start, &block.count);
        let part = part.map_err(|error| format!("bound_where: {error}"))?;
        let region =
            (part.set() > 0).then(|| Region::where_set(part, outside.with_requested(self.bound)));
        *last = Some((start, block.count.clone(), region.clone()));
        Ok(region)
    }
}
