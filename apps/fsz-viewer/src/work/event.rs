//! What the threads report.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use fsz::Progress;

use crate::model::catalog::{Catalog, Choice};
use crate::model::document::Document;
use crate::model::measured::Measured;
use crate::model::measures::Measures;
use crate::model::plane::Place;
use crate::model::planes::Planes;
use crate::model::set::Role;
use crate::model::sweep_point::Point;
use crate::model::volume::order::{VolumeNote, VolumePicture};
use crate::model::wanted::Wanted;

/// What the threads report.
#[derive(Debug)]
pub enum Event {
    /// A file was opened, or not.
    Opened {
        path: PathBuf,
        role: Role,
        document: Result<Box<Document>>,
        /// Of a file of several variables: what there is to choose, and what was chosen.
        catalog: Option<(Catalog, Choice)>,
        /// What of it was to be shown first.
        wanted: Wanted,
    },
    /// The original was compressed in memory, or not.
    Tried(Result<Box<Document>>),
    /// Planes of a set.
    Planes { place: Place, generation: u64, planes: Result<Box<Planes>> },
    /// A picture of a volume, and what is told with it; it is the `last` of its order where nothing finer comes.
    Volume { number: u64, picture: Result<(VolumePicture, VolumeNote)>, last: bool },
    /// The element that is seen at a point of a volume's picture, slowest axis first.
    Picked { generation: u64, hit: Result<Option<[u64; 3]>> },
    /// Figures of a set's whole fields: of the subject, and of the other reconstruction.
    Measured { generation: u64, measured: Measured },
    /// Background work has found something.
    Found { progress: Arc<Progress>, found: Found },
    /// Background work is over.
    Ended { progress: Arc<Progress> },
}

impl Event {
    /// That a file was opened, or not.
    pub fn opened(
        path: PathBuf,
        role: Role,
        found: Result<(Document, Option<(Catalog, Choice)>)>,
        wanted: Wanted,
    ) -> Event {
        let (document, catalog) = match found {
            Ok((document, catalog)) => (Ok(Box::new(document)), catalog),
            Err(reason) => (Err(reason), None),
        };
        Event::Opened { path, role, document, catalog, wanted }
    }
}

/// What zfp makes of an original.
#[derive(Debug)]
pub struct Made {
    /// The values that come back.
    pub document: Document,
    /// How far they are from the original, where that was asked for.
    pub measures: Option<Result<Box<Measures>>>,
}

/// What such work finds.
#[derive(Debug)]
pub enum Found {
    /// What zfp makes of the original.
    Zfp(Result<Box<Made>>),
    /// Figures of a plane.
    Plane(Measured),
    /// How the tiles of a stream are stored is known, or why not.
    Tiles(Result<()>),
    /// Step and value of an element in some steps of a simulation.
    Values(Vec<[f64; 2]>),
    /// A point of rate and distortion.
    Point(Point),
    /// There are no more of them; what was left out.
    Swept(Result<Option<String>>),
    /// A file or folder of this name was written.
    Written(PathBuf),
    /// Nothing came of it.
    Failed(String),
}

/// Called when there is an event.
pub type Wake = Arc<dyn Fn() + Send + Sync>;
