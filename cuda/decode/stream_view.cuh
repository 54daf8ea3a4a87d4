// A stream in device memory, and what can be wrong with it.
#pragma once

#include "format/format.cuh"

namespace fsz
{

/// A stream as its caller describes it; what its header says must agree. The same struct is
/// `StreamView` in crates/fsz/src/cuda/view.rs.
struct StreamView
{
    /// At a multiple of 16.
    const u8 *bytes;
    /// Bytes that may be read, `sections.payload` at least.
    u64 capacity;
    /// What stands at byte 8: version and header length.
    u64 header_first;
    /// The 8 bytes at 24: element type, dimensions, profile, layout, geometry.
    u64 header_kind;
    /// Position of the first missing value in the header; 0: none is named.
    u64 missing_at;
    /// That of what the header has of a pointwise-relative bound; 0: the bound is another.
    u64 relative_at;
    Sections sections;
};

/// Why a stream was refused, in the low byte of a status; the chunk is above it. The smallest
/// status of a call wins, so that the report is the same on every run. The names are those of the
/// Rust side.
enum Fault : u32
{
    /// Nothing is wrong.
    FAULT_NONE = 0,
    /// The header is not the one that the caller described.
    FAULT_HEADER = 1,
    /// The header's checksum does not match.
    FAULT_HEADER_CHECKSUM = 2,
    /// Fields of the header contradict each other.
    FAULT_CONTRADICTION = 3,
    /// The checksum of rates and index does not match.
    FAULT_METADATA = 4,
    /// An index entry points behind the payload.
    FAULT_INDEX = 5,
    /// A contradictory escape field.
    FAULT_ESCAPES = 6,
    /// The tiles of a chunk do not fill it.
    FAULT_TILES = 7,
    /// Masks or positions of exceptions that do not rise.
    FAULT_PLACES = 8,
    /// A chunk's checksum does not match.
    FAULT_CHECKSUM = 9,
    /// Symbols that no encoder writes.
    FAULT_SYMBOLS = 10,
    /// Tables that contradict themselves, or whose checksum does not match.
    FAULT_TABLES = 11,
    /// The head of a chunk contradicts itself.
    FAULT_HEAD = 12,
};

/// What a decompression reports to.
struct Report
{
    /// ~0, or the smallest of the faults.
    u64 status;
    /// ~0, and what thread blocks have added to it: their shares of the metadata checksum in the
    /// high half, 1 each in the low half.
    u64 metadata;
};

FSZ_DEVICE void report(Report *to, u64 chunk, Fault fault)
{
    atomicMin(&to->status, chunk << 8 | fault);
}

} // namespace fsz
