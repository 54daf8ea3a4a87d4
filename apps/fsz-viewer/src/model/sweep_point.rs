//! What a sweep over bounds and rates compresses, and what it finds.

use fsz::{Bound, Profile};
use serde::{Deserialize, Serialize};

use crate::model::zfp::Mode;

/// What is compressed again and again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extent {
    /// The plane that is looked at, as a field of its own.
    #[default]
    Plane,
    /// The whole field.
    Field,
}

/// A way to compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// FSZ, by its bound.
    Fsz,
    /// zfp at a fixed rate, as cuZFP.
    ZfpRate,
    /// zfp at a fixed accuracy.
    ZfpAccuracy,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 3] = [Method::Fsz, Method::ZfpRate, Method::ZfpAccuracy];

    /// What it is called in the plot.
    pub fn name(self) -> &'static str {
        match self {
            Method::Fsz => "FSZ",
            Method::ZfpRate => "zfp, fixed rate",
            Method::ZfpAccuracy => "zfp, fixed accuracy",
        }
    }
}

/// One result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How it was compressed.
    pub method: Method,
    /// The absolute bound, or at a fixed rate the bits per value.
    pub parameter: f64,
    /// Compressed bits per value.
    pub bits: f64,
    /// Peak signal-to-noise ratio in dB; +Inf where nothing was lost.
    pub psnr: f64,
    /// Largest error.
    pub max_error: f64,
    /// What is shown in the panes is compressed so.
    pub present: bool,
}

/// What is shown in the panes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Present {
    /// Profile and bound of FSZ.
    pub fsz: Option<(Profile, Bound)>,
    /// How zfp was run.
    pub zfp: Option<Mode>,
}
