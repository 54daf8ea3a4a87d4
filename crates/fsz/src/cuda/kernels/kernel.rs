//! Kernels by operation, profile and element type: a second profile is a line of [`Coder`].

use std::fmt;

use crate::dtype::DType;

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Resolves the bound: the same for all profiles.
    Bound,
    /// Looks at the field for kernels that resolve the bound themselves, and clears the scratch.
    Survey,
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
    /// Brings boxes of a field that is still on its way to their places.
    Scatter(Coder),
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
    /// Moves elements of a region: out of a field, or over it. The same for all profiles, like all that follow.
    MoveElements,
    /// Marks the elements that another stream holds.
    MarkGaps,
    /// Finds what stands where nothing is known.
    FindFirst,
    /// Fills the gaps that have neighbours.
    FillGaps,
    /// Finds the rows that the others take their values from, within segments of the field.
    FindSources,
    /// The same across segments.
    CarrySources,
    /// Fills the gaps that have no neighbours.
    FillOpen,
    /// Adds up what a section adds to the metadata checksum.
    SumRows,
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

/// The name of the entry point: `fsz_<operation>_<coder>_<type>`, or without a coder.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |f: &mut fmt::Formatter<'_>, word| write!(f, "fsz_{word}_{}", self.dtype);
        let (word, coder) = match self.operation {
            Operation::Bound => return all(f, "bound"),
            Operation::Survey => return all(f, "survey"),
            Operation::RelativeBound => return all(f, "relative_bound"),
            Operation::MoveElements => return all(f, "move_elements"),
            Operation::MarkGaps => return all(f, "mark_gaps"),
            Operation::FindFirst => return all(f, "find_first"),
            Operation::FillGaps => return all(f, "fill_gaps"),
            Operation::FindSources => return all(f, "find_sources"),
            Operation::CarrySources => return all(f, "carry_sources"),
            Operation::FillOpen => return all(f, "fill_open"),
            Operation::SumRows => return all(f, "sum_rows"),
            Operation::Compress(coder) => ("compress", coder),
            Operation::CompressPersistent(coder) => ("compress_persistent", coder),
            Operation::CompressRanging(coder) => ("compress_ranging", coder),
            Operation::Gather(coder) => ("gather", coder),
            Operation::Scatter(coder) => ("scatter", coder),
            Operation::Count(coder) => ("count", coder),
            Operation::PrepareCompress(coder) => ("prepare_compress", coder),
            Operation::Decompress(coder) => ("decompress", coder),
            Operation::DecompressBox(coder) => ("decompress_box", coder),
            Operation::PrepareDecompress(coder) => ("prepare_decompress", coder),
            Operation::DecompressTiles(coder) => ("decompress_tiles", coder),
        };
        write!(f, "fsz_{word}_{}_{}", coder.name(), self.dtype)
    }
}
