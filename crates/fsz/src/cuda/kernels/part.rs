//! The modules that the codec carries: one for each operation, profile and element type, so that a driver
//! compiles no more than what is used.

use std::fmt;

use crate::cuda::kernels::kernel::Coder;
use crate::dtype::DType;

/// A module, `cuda/<part>_<coder>_<type>.cu`, or without a coder where it serves all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Compress(Coder, DType),
    Decompress(Coder, DType),
    Regions(DType),
}

/// What `$of` makes of the name of a part.
macro_rules! by_name {
    ($part:expr, $of:ident) => {{
        use Coder::{Dense, DenseRelative, Paper, PaperRelative};
        use DType::{F32, F64};
        use Part::{Compress, Decompress, Regions};
        match $part {
            Compress(Paper, F32) => $of!("compress_paper_f32"),
            Compress(Paper, F64) => $of!("compress_paper_f64"),
            Compress(PaperRelative, F32) => $of!("compress_paper_relative_f32"),
            Compress(PaperRelative, F64) => $of!("compress_paper_relative_f64"),
            Compress(Dense, F32) => $of!("compress_dense_f32"),
            Compress(Dense, F64) => $of!("compress_dense_f64"),
            Compress(DenseRelative, F32) => $of!("compress_dense_relative_f32"),
            Compress(DenseRelative, F64) => $of!("compress_dense_relative_f64"),
            Decompress(Paper, F32) => $of!("decompress_paper_f32"),
            Decompress(Paper, F64) => $of!("decompress_paper_f64"),
            Decompress(PaperRelative, F32) => $of!("decompress_paper_relative_f32"),
            Decompress(PaperRelative, F64) => $of!("decompress_paper_relative_f64"),
            Decompress(Dense, F32) => $of!("decompress_dense_f32"),
            Decompress(Dense, F64) => $of!("decompress_dense_f64"),
            Decompress(DenseRelative, F32) => $of!("decompress_dense_relative_f32"),
            Decompress(DenseRelative, F64) => $of!("decompress_dense_relative_f64"),
            Regions(F32) => $of!("regions_f32"),
            Regions(F64) => $of!("regions_f64"),
        }
    }};
}
#[cfg(feature = "fatbin")]
pub(in crate::cuda) use by_name;

/// PTX of a part, for one architecture and all newer ones. The device's driver compiles it, and keeps what
/// it made.
macro_rules! ptx {
    ($name:literal) => {
        concat!(include_str!(concat!("../../../cuda/ptx/", $name, "_compute_80.ptx")), "\0")
    };
}

/// For Hopper and what follows, which have the tensor copy engine.
macro_rules! ptx_90 {
    ($name:literal) => {
        concat!(include_str!(concat!("../../../cuda/ptx/", $name, "_compute_90.ptx")), "\0")
    };
}

macro_rules! name {
    ($name:literal) => {
        $name
    };
}

impl Part {
    /// The PTX for devices of this compute capability (ten times the major, and the minor).
    pub fn ptx(self, capability: i32) -> &'static str {
        match self {
            Part::Compress(Coder::Paper, DType::F32) if capability >= 90 => {
                ptx_90!("compress_paper_f32")
            }
            Part::Compress(Coder::Paper, DType::F64) if capability >= 90 => {
                ptx_90!("compress_paper_f64")
            }
            Part::Compress(Coder::PaperRelative, DType::F32) if capability >= 90 => {
                ptx_90!("compress_paper_relative_f32")
            }
            Part::Compress(Coder::PaperRelative, DType::F64) if capability >= 90 => {
                ptx_90!("compress_paper_relative_f64")
            }
            _ => by_name!(self, ptx),
        }
    }

    #[cfg(test)]
    pub fn all() -> impl Iterator<Item = Self> {
        let coders = [Coder::Paper, Coder::PaperRelative, Coder::Dense, Coder::DenseRelative];
        [DType::F32, DType::F64].into_iter().flat_map(move |dtype| {
            let of = move |coder| [Part::Compress(coder, dtype), Part::Decompress(coder, dtype)];
            coders.into_iter().flat_map(of).chain([Part::Regions(dtype)])
        })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(by_name!(self, name))
    }
}
