//! A stream that fields are coded like.

#[cfg(feature = "cuda")]
use crate::cuda::ResidentTables;

/// What is kept of it. Copies of the options, and compressions made of them, share it.
#[derive(Debug)]
pub(crate) struct Model {
    /// Its profile's tables, sound; what else was chosen is in the profile.
    pub tables: Box<[u32]>,
    /// Copies of them in memory of devices.
    #[cfg(feature = "cuda")]
    pub resident: ResidentTables,
}

impl Model {
    pub fn new(tables: Vec<u32>) -> Self {
        Model {
            tables: tables.into(),
            #[cfg(feature = "cuda")]
            resident: ResidentTables::default(),
        }
    }
}
