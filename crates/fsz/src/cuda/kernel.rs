//! Kernels by operation, profile and element type: a second profile is a line of [`Coder`].

use std::fmt;

use crate::dtype::DType;

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Resolves the bound: the same for all profiles.
    Bound,
    /// Finds where the codes of a pointwise-relative bound begin.
    RelativeBound,
    /// Compresses a chunk a thread block, on every device.
    Compress(Coder),
    /// Compresses with thread blocks that stay, on Hopper and newer.
    CompressPersistent(Coder),
    /// The same for a bound that does not need the field's range: it is found on the way.
    CompressRanging(Coder),
    /// Copies boxes that the encoder's choice looks at.
    Gather(Coder),
    /// Counts the symbols of boxes that the encoder's choice looks at.
    Count(Coder),
    /// Makes ready what all chunks of a field share, for profiles of boxes.
    PrepareCompress(Coder),
    /// Decompresses consecutive tiles.
    Decompress(Coder),
    /// Decompresses a box.
    DecompressBox(Coder),
    /// Makes ready what all chunks of a stream share, for profiles of boxes.
    PrepareDecompress(Coder),
    /// Decompresses tiles that do not lie side by side in the field.
    DecompressTiles(Coder),
    /// Puts a region over a field.
    PutRegion(Coder),
}

/// The profiles, and quantizers of them, that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coder {
    Paper,
    /// The paper's with a pointwise-relative bound.
    PaperRelative,
    Dense,
    /// That of boxes with a pointwise-relative bound.
    DenseRelative,
}

impl Coder {
    const fn name(self) -> &'static str {
        match self {
            Coder::Paper => "paper",
            Coder::PaperRelative => "paper_relative",
            Coder::Dense => "dense",
            Coder::DenseRelative => "dense_relative",
        }
    }
}

/// An entry point of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    pub operation: Operation,
    pub dtype: DType,
}

/// The name of the entry point: `fsz_<operation>_<coder>_<type>`.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, coder) = match self.operation {
            Operation::Bound => return write!(f, "fsz_bound_{}", self.dtype),
            Operation::RelativeBound => return write!(f, "fsz_relative_bound_{}", self.dtype),
            Operation::Compress(coder) => ("compress", coder),
            Operation::CompressPersistent(coder) => ("compress_persistent", coder),
            Operation::CompressRanging(coder) => ("compress_ranging", coder),
            Operation::Gather(coder) => ("gather", coder),
            Operation::Count(coder) => ("count", coder),
            Operation::PrepareCompress(coder) => ("prepare_compress", coder),
            Operation::Decompress(coder) => ("decompress", coder),
            Operation::DecompressBox(coder) => ("decompress_box", coder),
            Operation::PrepareDecompress(coder) => ("prepare_decompress", coder),
            Operation::DecompressTiles(coder) => ("decompress_tiles", coder),
            Operation::PutRegion(coder) => ("put_region", coder),
        };
        write!(f, "fsz_{word}_{}_{}", coder.name(), self.dtype)
    }
}
