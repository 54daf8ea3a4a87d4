/* FSZ: error-bounded lossy compression of scientific floating-point fields.
 *
 * This header is generated from the Rust sources of FSZ (cargo xtask c-header). docs/c.md of the
 * repository shows how to use it; fsz_codec.hpp is a C++17 wrapper, fsz_codec.f90 a Fortran module.
 *
 * Rules for all calls
 *
 * - A call returns a status, and keeps a message for its thread where it fails (fszc_last_error).
 *   Calls that return something else return 0 or NULL where they fail.
 * - No call prints or exits, with two exceptions: a bug in FSZ (FSZC_INTERNAL) is also printed to
 *   stderr, and the process ends where the system refuses memory for a call's own work. For fields
 *   and streams there is FSZC_OUT_OF_MEMORY.
 * - Null, misaligned and impossible arguments are errors. A pointer must be null or point to as
 *   much memory as the call says; places where a call stores a result need not be aligned.
 * - fszc_*_new, fszc_compress_options_*, fszc_stream_open and others make a handle and store it;
 *   NULL where they fail. Each has its fszc_*_free, which takes NULL too. A handle must not be used
 *   after it was freed, nor freed while another thread uses it.
 * - Handles may be used by many threads at once, but for the fszc_*_set_* and fszc_*_add_* calls
 *   of options and fszc_device_memory_write: no other call may use the handle meanwhile.
 * - Structs that calls fill are passed with their sizeof: programs that were compiled with an older
 *   header keep working.
 * - Shapes, starts and counts have an entry per axis, slowest axis first: C order.
 */

#ifndef FSZ_CODEC_H
#define FSZ_CODEC_H

#include <stddef.h>
#include <stdint.h>

// Bytes of a device's name, the zero byte included.
#define FSZC_DEVICE_NAME 256

// Most dimensions of a field.
#define FSZC_MAX_DIMS 8

// Most missing values that can be named.
#define FSZC_MAX_MISSING 4

// Most regions that a field can have.
#define FSZC_MAX_REGIONS 16

// Longest name in bytes, without the zero byte.
#define FSZC_MAX_NAME 1024

// Most blocks of a tile.
#define FSZC_MAX_BLOCKS 16

// Most entries that fszc_stream_tile_costs stores.
#define FSZC_MAX_COSTS 8

// Major number of the release that this header belongs to.
#define FSZC_VERSION_MAJOR 0

// Its minor number.
#define FSZC_VERSION_MINOR 2

// Its patch number.
#define FSZC_VERSION_PATCH 0

// Number of the interface in this header. A library with the same number takes programs that were
// compiled with this header; incremented by changes that are not backward compatible.
#define FSZC_ABI 1

// How a call ended. The numbers never change; later releases may add some.
enum fszc_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
    : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
{
    // It succeeded.
    FSZC_OK = 0,
    // An argument is outside what the call takes.
    FSZC_INVALID_ARGUMENT = 1,
    // The bytes are not a valid FSZ stream: damaged, forged, or something else altogether.
    FSZC_CORRUPT = 2,
    // The stream ends early.
    FSZC_TRUNCATED = 3,
    // A valid request or stream that this library cannot serve.
    FSZC_UNSUPPORTED = 4,
    // A CUDA device or its driver failed, or there is none.
    FSZC_DEVICE = 5,
    // The operating system refused something, such as threads.
    FSZC_IO = 6,
    // The call was cancelled through its fszc_progress.
    FSZC_CANCELLED = 7,
    // There is not enough memory.
    FSZC_OUT_OF_MEMORY = 8,
    // A bug in FSZ. Please report it with the message.
    FSZC_INTERNAL = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum fszc_status fszc_status;
#else
typedef int32_t fszc_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Compresses fields and decompresses streams. May be used by many threads at once.
typedef struct fszc_codec fszc_codec;

// What a compression is told beside the data: the bound, and what the stream shall record. Many
// threads may compress with it at once, while none changes it.
typedef struct fszc_compress_options fszc_compress_options;

// A compression on a device that is ready to be launched: everything that follows from shape, type
// and options, for any number of fields. May be used by many threads at once.
typedef struct fszc_compression fszc_compression;

// What a decompression is told beside the stream. Many threads may use it at once, while none
// changes it.
typedef struct fszc_decompress_options fszc_decompress_options;

// The codec of a CUDA device for fields and streams in its memory. May be used by many threads at
// once.
//
// Calls that take a CUDA stream enqueue work on it and return at once: nothing is allocated,
// nothing is waited for, and several calls chain without the host in between. Compressing by
// FSZC_DENSE waits, but for fszc_compress_options_set_like, and so do compressing and decompressing
// with bounds by region, which take memory of the library's own: no CUDA graph can hold these
// calls. What went wrong on the device is kept in the call's scratch memory, where
// fszc_device_compressed_len and fszc_device_outcome read it. The device's primary context is used,
// the one of the CUDA runtime; the current context is left as it is.
//
// Until the CUDA stream is past a call, and as long as a CUDA graph of it, the compression and all
// memory of the call must stay, and nothing else may write that memory. Addresses are those of
// device or managed memory of this device: a wrong one is a fault of the device.
typedef struct fszc_device_codec fszc_device_codec;

// Device memory, for programs that have none of another library. May be read by many threads at
// once, while none writes it.
typedef struct fszc_device_memory fszc_device_memory;

// How far a running call is, and whether it shall stop: one thread calls, another one looks. May be
// used by many threads at once, and freed while a call reports to it.
typedef struct fszc_progress fszc_progress;

// A compressed field: its bytes, with the header, the index and their checksums already verified.
// The payload's checksums are verified when it is decoded. Never changes, so that many threads may
// read and decompress it at once.
typedef struct fszc_stream fszc_stream;

// What must be known of a stream to decode it where it lies, in device memory, without looking at
// it from the host: its shape, element type, and what its header holds. May be used by many threads
// at once.
typedef struct fszc_stream_kind fszc_stream_kind;

// Where a codec runs: FSZC_AUTO, FSZC_CPU, FSZC_CUDA or FSZC_CPU_PORTABLE. All of them write the
// same bytes.
typedef uint32_t fszc_backend;

// Element type of a field: FSZC_F32 or FSZC_F64.
typedef uint32_t fszc_dtype;

// How elements are coded: FSZC_PAPER or FSZC_DENSE.
typedef uint32_t fszc_profile;

// How the boxes of FSZC_DENSE lie.
typedef uint32_t fszc_layout;

// What the centering value of a tile is, for studies.
typedef uint32_t fszc_centering;

// Switches of FSZC_PAPER for studies of the algorithm. With others than the defaults, the CPU
// compresses.
typedef struct fszc_research
{
    // Codes per block: 32 (the default) or 64.
    uint32_t block_len;
    // Blocks per tile: 4, 8 (the default) or 16.
    uint32_t blocks_per_tile;
    // Centered variants.
    fszc_centering centering;
    // 1: the prediction goes on across the blocks of a tile (the default); 0: it does not.
    uint32_t cross_block;
    // 1: second-order variants are offered (the default); 0: they are not.
    uint32_t order2;
} fszc_research;

// A cudaStream_t or CUstream; NULL is the default stream.
typedef void *fszc_cuda_stream;

// One CUDA device. Later releases may add fields at the end.
typedef struct fszc_device_info
{
    // Its memory in bytes.
    uint64_t memory;
    // Its number.
    uint32_t ordinal;
    // Major number of its compute capability.
    uint32_t capability_major;
    // Minor number of its compute capability.
    uint32_t capability_minor;
    // Multiprocessors.
    uint32_t multiprocessors;
    // 1 if FSZ has kernels for it; 0 if it is too old.
    uint32_t has_kernels;
    // 0.
    uint32_t reserved;
    // Its name, as the driver gives it.
    char name[FSZC_DEVICE_NAME];
} fszc_device_info;

// Kind of memory.
typedef uint32_t fszc_memory_kind;

// Kind of a bound, as the header of a stream numbers it. Later releases may add some.
typedef uint32_t fszc_bound;

// What a stream says of itself. Later releases may add fields at the end.
typedef struct fszc_info
{
    // Version of the stream format.
    uint32_t format_version;
    // Element type.
    fszc_dtype dtype;
    // How elements are coded.
    fszc_profile profile;
    // How the boxes of FSZC_DENSE lie; FSZC_LAYOUT_AUTO for FSZC_PAPER.
    fszc_layout layout;
    // What the field is predicted from beside itself: 0, nothing.
    uint32_t reference;
    // Dimensions.
    uint32_t ndim;
    // Elements per axis, slowest axis first; `ndim` entries.
    uint64_t shape[FSZC_MAX_DIMS];
    // Elements of the field.
    uint64_t elements;
    // Bytes of the uncompressed field.
    uint64_t raw_bytes;
    // Bytes of the stream.
    uint64_t compressed_bytes;
    // Uncompressed bytes over stream bytes; 0 for an empty field.
    double compression_ratio;
    // Tiles of the field; for FSZC_DENSE, its boxes.
    uint64_t tiles;
    // Chunks of the field: what is read and checked as a whole.
    uint64_t chunks;
    // Kind of the bound that was asked for.
    fszc_bound bound;
    // 1 if a start in a global array is recorded.
    uint32_t has_start;
    // The bound as requested: the absolute bound, the share of the range, or the target.
    double requested_bound;
    // The absolute bound used, in the field's unit, outside of regions; 0 for a field of one value.
    // Of FSZC_RELATIVE, what the largest element keeps.
    double absolute_bound;
    // Distance between neighbouring reconstructed values; 0 when every element is stored exactly,
    // and of FSZC_RELATIVE.
    double quantization_step;
    // Where the field begins in a global array, if recorded; `ndim` entries.
    uint64_t start[FSZC_MAX_DIMS];
    // Time step, if recorded.
    uint64_t time_step;
    // 1 if a time step is recorded.
    uint32_t has_time_step;
    // Missing values that were named.
    uint32_t missing_count;
    // Their values; `missing_count` entries.
    double missing[FSZC_MAX_MISSING];
    // Their bits; those of FSZC_F32 in the low half.
    uint64_t missing_bits[FSZC_MAX_MISSING];
    // The switches of FSZC_PAPER; zeros for FSZC_DENSE.
    struct fszc_research research;
    // Regions with bounds of their own, of which fszc_stream_region tells.
    uint32_t regions;
    // Over the finite elements that are not missing, of FSZC_PSNR; NaN where it is not recorded.
    double mean_squared_error;
    // The floor of FSZC_RELATIVE; 0 for other bounds.
    double floor;
    // The largest or the smallest value, where it is one that usually marks missing elements (such
    // as 1e20, 9.96921e36 or -9999) and was not named; NaN where it is not. Where it does mark
    // them, a bound that is a share of the range is far too large: compress again, with
    // fszc_compress_options_add_missing.
    double usual_fill_value;
} fszc_info;

// What the encoder vouches for. Later releases may add fields at the end.
typedef struct fszc_certificate
{
    // Largest |original - decoded| over the finite elements, in the field's unit; of a stream with
    // regions, a limit of it.
    double max_abs_error;
    // Smallest finite, not missing value; NaN when there is none.
    double min;
    // Largest finite, not missing value; NaN when there is none.
    double max;
    // NaN elements (that are not a named missing value).
    uint64_t nan;
    // +Inf and -Inf elements.
    uint64_t inf;
    // Elements equal to a named missing value.
    uint64_t missing;
    // Elements whose exact bits the stream holds, for whatever reason.
    uint64_t escaped;
    // Largest |original - decoded| / |original| of the elements that are too large for the floor of
    // FSZC_RELATIVE; NaN for other bounds.
    double max_relative_error;
} fszc_certificate;

// A part of a field with a bound of its own. Later releases may add fields at the end.
typedef struct fszc_region
{
    // 1 for a box; 0 for a mask, of which fszc_stream_regions_of_box tells the elements.
    uint32_t is_box;
    // Kind of the bound that was asked for.
    fszc_bound bound;
    // Where a box begins, slowest axis first; an entry for each dimension of the field.
    uint64_t start[FSZC_MAX_DIMS];
    // Elements of a box per axis, likewise.
    uint64_t count[FSZC_MAX_DIMS];
    // Elements of the region, also those that a later region holds.
    uint64_t elements;
    // Bytes that the stream takes for them.
    uint64_t compressed_bytes;
    // The bound as requested, as in fszc_info.
    double requested_bound;
    // The absolute bound used, as in fszc_info.
    double absolute_bound;
    // The floor of FSZC_RELATIVE; 0 for other bounds.
    double floor;
    // Largest |original - decoded| over its finite elements, in the field's unit.
    double max_abs_error;
    // As in fszc_certificate, of its elements.
    double max_relative_error;
} fszc_region;

// How a tile is shown: by its predictor when all of its elements have codes, else by its storage.
// Later releases may add some.
typedef uint32_t fszc_tile_kind;

// One tile. Later releases may add fields at the end.
typedef struct fszc_tile
{
    // Number of the tile in the field.
    uint64_t index;
    // Compressed bytes, in the payload and outside of it.
    uint64_t bytes;
    // Elements stored exactly.
    uint32_t escapes;
    // How the tile is shown.
    fszc_tile_kind kind;
    // How its codes are predicted: FSZC_LZ1 to FSZC_LZ2_CENTERED, or FSZC_NO_PREDICTOR.
    fszc_tile_kind predictor;
    // Blocks that the tile has rates of; 0 where the profile has no blocks.
    uint32_t blocks;
    // Bits per element of each block; `blocks` entries.
    uint8_t rates[FSZC_MAX_BLOCKS];
} fszc_tile;

// How many tiles are stored how. Each tile counts once. Later releases may add fields at the end.
typedef struct fszc_tile_counts
{
    // All tiles.
    uint64_t count;
    // FSZC_LZ1.
    uint64_t lz1;
    // FSZC_LZ2.
    uint64_t lz2;
    // FSZC_LZ1_CENTERED.
    uint64_t lz1_centered;
    // FSZC_LZ2_CENTERED.
    uint64_t lz2_centered;
    // FSZC_INTERPOLATED.
    uint64_t interpolated;
    // FSZC_CONSTANT.
    uint64_t constant;
    // FSZC_EXCEPTIONS.
    uint64_t exceptions;
    // FSZC_VERBATIM.
    uint64_t verbatim;
} fszc_tile_counts;

// A way in which a tile can be coded. Later releases may add some.
typedef uint32_t fszc_tile_coding;

// What a way of coding would cost a tile.
typedef struct fszc_tile_cost
{
    // FSZC_CODING_LZ1 to FSZC_CODING_BLENDED.
    fszc_tile_coding coding;
    // 1 if the tile is coded so, else 0.
    uint32_t chosen;
    // Bytes: of FSZC_PAPER in the payload, without the tile's exceptions; of FSZC_DENSE by tables
    // that are fitted to the box.
    uint64_t bytes;
} fszc_tile_cost;

// The CPU, or the first CUDA device for calls that are faster there: large ones. What the device
// does not serve, or fails at, the CPU does.
#define FSZC_AUTO 0

// The CPU.
#define FSZC_CPU 1

// One CUDA device. The driver is loaded when the first codec asks for it.
#define FSZC_CUDA 2

// The CPU without instructions that not every processor has; for tests.
#define FSZC_CPU_PORTABLE 3

// The coding of the FSZ paper: tiles of 256 consecutive elements, Lorenzo prediction, bit-planes.
// The default, and the fast one.
#define FSZC_PAPER 0

// Interpolation in boxes, entropy-coded: about half the bytes, at a fraction of the speed.
#define FSZC_DENSE 1

// The encoder chooses; for FSZC_PAPER, the only one.
#define FSZC_LAYOUT_AUTO 0

// 4096 consecutive elements.
#define FSZC_LAYOUT_LINE 1

// 64 x 64 elements of the last two axes.
#define FSZC_LAYOUT_PLANE 2

// 16 x 16 x 16 elements of the last three axes.
#define FSZC_LAYOUT_BRICK 3

// The tile's first code: the default.
#define FSZC_CENTERING_FIRST_CODE 0

// The mean of the tile's codes, as in the paper.
#define FSZC_CENTERING_MEAN 1

// No centering.
#define FSZC_CENTERING_OFF 2

// Host memory that CUDA does not know.
#define FSZC_HOST_MEMORY 0

// Host memory that is pinned or registered.
#define FSZC_PINNED_MEMORY 1

// Managed memory: host and device may both access it.
#define FSZC_MANAGED_MEMORY 2

// Device memory: the host must not access it.
#define FSZC_DEVICE_MEMORY 3

// float, IEEE 754 binary32.
#define FSZC_F32 1

// double, IEEE 754 binary64.
#define FSZC_F64 2

// The bound in the field's unit.
#define FSZC_ABSOLUTE 0

// A share of the field's value range.
#define FSZC_VALUE_RANGE 1

// A share of a range that the program gave.
#define FSZC_VALUE_RANGE_OF 2

// A share of each element, or a floor.
#define FSZC_RELATIVE 3

// What was found for a peak signal-to-noise ratio in decibels.
#define FSZC_PSNR 4

// What was found for a compression ratio.
#define FSZC_RATIO 5

// What was found for a length of the stream in bytes.
#define FSZC_MAX_BYTES 6

// First-order Lorenzo prediction.
#define FSZC_LZ1 0

// Second-order Lorenzo prediction.
#define FSZC_LZ2 1

// First-order Lorenzo prediction of centered codes.
#define FSZC_LZ1_CENTERED 2

// Second-order Lorenzo prediction of centered codes.
#define FSZC_LZ2_CENTERED 3

// Interpolation.
#define FSZC_INTERPOLATED 4

// One repeated bit pattern, stored exactly.
#define FSZC_CONSTANT 5

// Predicted, with some elements stored exactly.
#define FSZC_EXCEPTIONS 6

// All elements stored exactly.
#define FSZC_VERBATIM 7

// In the field `predictor` of a fszc_tile: no predictor of the paper's.
#define FSZC_NO_PREDICTOR 255

// A kind that this header does not know.
#define FSZC_OTHER_KIND 254

// First-order Lorenzo prediction.
#define FSZC_CODING_LZ1 0

// Second-order Lorenzo prediction.
#define FSZC_CODING_LZ2 1

// First-order Lorenzo prediction of centered codes.
#define FSZC_CODING_LZ1_CENTERED 2

// Second-order Lorenzo prediction of centered codes.
#define FSZC_CODING_LZ2_CENTERED 3

// Interpolation from two elements along each axis.
#define FSZC_CODING_LINEAR 4

// Interpolation from four, (−1, 9, 9, −1) / 16.
#define FSZC_CODING_CUBIC 5

// Interpolation from four, (2, 6, 6, 2) / 16.
#define FSZC_CODING_SMOOTH 6

// Differences of the elements' bits.
#define FSZC_CODING_EXACT 7

// The elements as they are.
#define FSZC_CODING_VERBATIM 8

// Interpolation that is cubic along one axis, and across several blends those along each.
#define FSZC_CODING_BLENDED 9

// A way of coding that this header does not know.
#define FSZC_OTHER_CODING 254

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Makes a codec. `device` is the number of the CUDA device for FSZC_CUDA, and 0 for all others.
// `threads` is how many threads the CPU codec starts for itself, at most 4 for each core: 0 for one
// thread per core, shared by all such codecs of the process; 1 to work in the calling thread alone.
// Where the system starts fewer, there are fewer. A process that was forked has none of its
// parent's threads: there calls work in the calling thread, until it makes a codec with `threads`
// of its own.
//
// FSZC_DEVICE says why a CUDA device cannot be used.
fszc_status fszc_codec_new(fszc_backend backend, size_t device, size_t threads,
                           struct fszc_codec **codec);

// Where the codec runs: FSZC_CPU or FSZC_CUDA; FSZC_AUTO when the call fails. Of a codec of
// FSZC_AUTO: FSZC_CUDA where a device can be used, which is found out by starting it.
fszc_backend fszc_codec_backend(const struct fszc_codec *codec);

// The codec in words, such as "CPU (AVX2)". Lives as long as the codec; NULL when the call fails.
const char *fszc_codec_description(const struct fszc_codec *codec);

// Frees the codec, when no call uses it any more.
void fszc_codec_free(struct fszc_codec *codec);

// The most bytes that a stream of a field of this shape and type takes, whatever its values and the
// options, unless fszc_compress_options_add_box or fszc_compress_options_add_mask asks for more.
fszc_status fszc_max_compressed_len(const uint64_t *shape, size_t ndim, fszc_dtype dtype,
                                    uint64_t *len);

// Compresses a field in C order into a stream that the library allocates. `data` has the elements
// that `shape` says (`ndim` entries, slowest axis first; none for a single element), at an address
// that is a multiple of their size.
fszc_status fszc_compress(const struct fszc_codec *codec, const void *data, fszc_dtype dtype,
                          const uint64_t *shape, size_t ndim,
                          const struct fszc_compress_options *options, struct fszc_stream **stream);

// Compresses a field as fszc_compress does, into `out`, of which `capacity` bytes may be written,
// and stores the stream's length in `len`. A capacity of fszc_max_compressed_len always suffices,
// unless fszc_compress_options_add_box or fszc_compress_options_add_mask asks for more.
//
// FSZC_INVALID_ARGUMENT when the capacity is too small.
fszc_status fszc_compress_into(const struct fszc_codec *codec, const void *data, fszc_dtype dtype,
                               const uint64_t *shape, size_t ndim,
                               const struct fszc_compress_options *options, void *out,
                               size_t capacity, size_t *len);

// The absolute bound that fszc_compress would keep with these arguments: what a target or a share
// of the range comes to for this field, so that many fields, or all ranks of a program, can have
// one bound.
fszc_status fszc_find_bound(const struct fszc_codec *codec, const void *data, fszc_dtype dtype,
                            const uint64_t *shape, size_t ndim,
                            const struct fszc_compress_options *options, double *bound);

// Makes options with an absolute bound: every finite element keeps |original - decoded| <= `bound`,
// in the field's unit. FSZC_INVALID_ARGUMENT unless it is a positive, finite number; the calls
// below likewise.
fszc_status fszc_compress_options_absolute(double bound, struct fszc_compress_options **options);

// Makes options with a value-range bound: `ratio` times max - min over the finite, not missing
// values.
fszc_status fszc_compress_options_value_range(double ratio, struct fszc_compress_options **options);

// Makes options with a share of a range that the program knows, such as that of all ranks together:
// `ratio` times `max` - `min`.
fszc_status fszc_compress_options_value_range_of(double ratio, double min, double max,
                                                 struct fszc_compress_options **options);

// Makes options with a pointwise-relative bound: every finite element keeps |original - decoded| <=
// the larger of `eps` * |original| and `floor`, which may be 0. `eps` is at most 0.5, and for
// FSZC_F64 at least 2^-27, which the calls that compress check.
fszc_status fszc_compress_options_relative(double eps, double floor,
                                           struct fszc_compress_options **options);

// Makes options with a target: the absolute bound that gives a peak signal-to-noise ratio of at
// least so many decibels. The calls that compress from host memory search it, and compress a few
// times for that; those that compress from device memory refuse it.
fszc_status fszc_compress_options_psnr(double decibels, struct fszc_compress_options **options);

// Makes options with a target: the absolute bound whose compression ratio comes nearest to this
// one, as a rule within 3 %. As fszc_compress_options_psnr.
fszc_status fszc_compress_options_ratio(double ratio, struct fszc_compress_options **options);

// Makes options with a target: the smallest absolute bound found whose stream has at most so many
// bytes. As fszc_compress_options_psnr; FSZC_INVALID_ARGUMENT tells the smallest length where none
// is short enough.
fszc_status fszc_compress_options_max_bytes(uint64_t bytes, struct fszc_compress_options **options);

// Codes elements by this profile. `layout` is FSZC_LAYOUT_AUTO, or for FSZC_DENSE another one.
fszc_status fszc_compress_options_set_profile(struct fszc_compress_options *options,
                                              fszc_profile profile, fszc_layout layout);

// Codes elements as `stream` does: by its profile, with the layout, prediction, length of chunks
// and tables that were chosen for its field. Nothing is chosen then, so that a call does not look
// at the field before it encodes, and a CUDA graph can hold it. For the steps of a series: the
// bound holds whatever the field, and the ratio is near to what a choice of its own would give as
// long as fields are alike. Takes the place of a profile that was set before. Goes with no box and
// no mask. The stream is not needed after the call.
//
// FSZC_INVALID_ARGUMENT for a stream without elements, FSZC_CORRUPT when its tables are damaged.
fszc_status fszc_compress_options_set_like(struct fszc_compress_options *options,
                                           const struct fszc_stream *stream);

// Codes elements by FSZC_PAPER with parts of the algorithm switched, for studies.
fszc_status fszc_compress_options_set_research(struct fszc_compress_options *options,
                                               const struct fszc_research *research);

// Names a missing value (a fill value such as 9.96921e36): its elements keep their exact bits, cost
// next to nothing and do not enter a value range. At most FSZC_MAX_MISSING may be named. Elements
// are compared by bits with `value` rounded to the element type.
fszc_status fszc_compress_options_add_missing(struct fszc_compress_options *options, double value);

// Keeps another bound in the box of `count` elements from `start` on: `ndim` entries each, slowest
// axis first. `bound` is a number of the same kind as the options' bound, smaller or larger; a
// share of a value range is one of the range of the whole field. At most FSZC_MAX_REGIONS boxes and
// masks may be added; where they overlap, the last one holds. Fields in host memory and in device
// memory are compressed with them; targets have none.
//
// A stream takes more than fszc_max_compressed_len of the field then: as much as that of each box
// and 512 bytes a box.
fszc_status fszc_compress_options_add_box(struct fszc_compress_options *options,
                                          const uint64_t *start, const uint64_t *count, size_t ndim,
                                          double bound);

// Keeps another bound where a mask is set: `mask` has a byte for each element of the field, in C
// order, 0 where it is not set; it is copied. `bound` and all else are as for
// fszc_compress_options_add_box. Masks and boxes hold in the order in which they were added.
//
// A stream takes more than fszc_max_compressed_len of the field then: as much as that of a line of
// the mask's elements, 512 bytes, and 20 bytes for each run of elements that follow each other.
fszc_status fszc_compress_options_add_mask(struct fszc_compress_options *options,
                                           const uint8_t *mask, size_t elements, double bound);

// Records a variable name: a string in UTF-8 of at most FSZC_MAX_NAME bytes, which is copied; an
// empty one is none.
fszc_status fszc_compress_options_set_name(struct fszc_compress_options *options, const char *name);

// Records a time step.
fszc_status fszc_compress_options_set_time_step(struct fszc_compress_options *options,
                                                uint64_t time_step);

// Records where the field begins in a global array: `ndim` entries, slowest axis first.
fszc_status fszc_compress_options_set_start(struct fszc_compress_options *options,
                                            const uint64_t *start, size_t ndim);

// Works on `threads` of the codec's threads at most; with 1 the calling thread works alone.
fszc_status fszc_compress_options_set_threads(struct fszc_compress_options *options,
                                              size_t threads);

// Reports to `progress`, through which the compression can be cancelled.
fszc_status fszc_compress_options_set_progress(struct fszc_compress_options *options,
                                               const struct fszc_progress *progress);

// Frees the options, when no call uses them any more.
void fszc_compress_options_free(struct fszc_compress_options *options);

// Opens CUDA device number `device`.
//
// FSZC_DEVICE says why it cannot be used.
fszc_status fszc_device_codec_new(size_t device, struct fszc_device_codec **codec);

// Frees the codec, when no call uses it any more.
void fszc_device_codec_free(struct fszc_device_codec *codec);

// Enqueues a compression. `field` is the device address of the elements in C order. `stream` is
// that of the output, a multiple of 16, with `capacity` bytes: fszc_compression_max_len always
// suffice. `scratch`, a multiple of 8, has fszc_compression_scratch_len bytes and begins with the
// stream's length in bytes, a uint64_t that a following kernel can read; fszc_device_compressed_len
// brings it to the host.
//
// With bounds by region: waits for it, and takes device memory of the library's own, for a copy of
// the field and a stream of that and some more. FSZC_UNSUPPORTED for a call that waits while the
// CUDA stream is captured into a graph.
fszc_status fszc_device_compress(const struct fszc_device_codec *codec,
                                 const struct fszc_compression *compression, const void *field,
                                 void *stream, uint64_t capacity, void *scratch,
                                 fszc_cuda_stream cuda_stream);

// Waits for the CUDA stream, and stores the length of the stream that the compression with this
// scratch memory and capacity made.
//
// FSZC_INVALID_ARGUMENT when the capacity was too small.
fszc_status fszc_device_compressed_len(const struct fszc_device_codec *codec, const void *scratch,
                                       uint64_t capacity, fszc_cuda_stream cuda_stream,
                                       uint64_t *len);

// Bytes of scratch memory that a decompression on a device works in; they begin at a multiple of 8.
size_t fszc_device_decompress_scratch_len(void);

// Enqueues the decompression of a whole stream in C order. `stream` is its device address, a
// multiple of 16, of which `capacity` bytes may be read: at least its length. `out` is the device
// address for the field's elements, and `scratch` that of fszc_device_decompress_scratch_len bytes.
//
// Where the output meets regions with bounds of their own: waits for it, and takes device memory of
// the library's own, for their elements. FSZC_UNSUPPORTED then while the CUDA stream is captured
// into a graph.
//
// FSZC_TRUNCATED when `capacity` cannot hold the stream's index. What is wrong with the stream
// itself fszc_device_outcome says.
fszc_status fszc_device_decompress(const struct fszc_device_codec *codec,
                                   const struct fszc_stream_kind *kind, const void *stream,
                                   uint64_t capacity, void *out, void *scratch,
                                   fszc_cuda_stream cuda_stream);

// Enqueues the decompression of the tiles from `first` on to, not including, `end`, one behind the
// other. Else as fszc_device_decompress.
fszc_status fszc_device_decompress_tiles(const struct fszc_device_codec *codec,
                                         const struct fszc_stream_kind *kind, const void *stream,
                                         uint64_t capacity, uint64_t first, uint64_t end, void *out,
                                         void *scratch, fszc_cuda_stream cuda_stream);

// Enqueues the decompression of the box of `count` elements from `start` on (`ndim` entries each,
// one per axis of the field, slowest axis first) in C order. Else as fszc_device_decompress.
fszc_status fszc_device_decompress_box(const struct fszc_device_codec *codec,
                                       const struct fszc_stream_kind *kind, const void *stream,
                                       uint64_t capacity, const uint64_t *start,
                                       const uint64_t *count, size_t ndim, void *out, void *scratch,
                                       fszc_cuda_stream cuda_stream);

// Enqueues the decompression of the slice at `index` of the axis `axis` (0 is the slowest) in C
// order. Else as fszc_device_decompress.
fszc_status fszc_device_decompress_slice(const struct fszc_device_codec *codec,
                                         const struct fszc_stream_kind *kind, const void *stream,
                                         uint64_t capacity, size_t axis, uint64_t index, void *out,
                                         void *scratch, fszc_cuda_stream cuda_stream);

// Waits for the CUDA stream, and says how the decompression with this scratch memory ended.
//
// FSZC_CORRUPT for a damaged stream.
fszc_status fszc_device_outcome(const struct fszc_device_codec *codec, const void *scratch,
                                fszc_cuda_stream cuda_stream);

// Makes a compression for fields of this shape (`ndim` entries, slowest axis first) and type.
//
// FSZC_UNSUPPORTED for switches of research.
fszc_status fszc_compression_new(const uint64_t *shape, size_t ndim, fszc_dtype dtype,
                                 const struct fszc_compress_options *options,
                                 struct fszc_compression **compression);

// Bytes that a stream takes at most, whatever the field's values; 0 when the call fails.
uint64_t fszc_compression_max_len(const struct fszc_compression *compression);

// Bytes of scratch memory that fszc_device_compress works in; 0 when the call fails.
uint64_t fszc_compression_scratch_len(const struct fszc_compression *compression);

// Frees the compression, when no call uses it any more.
void fszc_compression_free(struct fszc_compression *compression);

// Stores the number of CUDA devices.
//
// FSZC_DEVICE with the reason when there is none that can be used.
fszc_status fszc_device_count(size_t *count);

// Stores what CUDA device number `device` is. `size` is sizeof(fszc_device_info).
fszc_status fszc_device_describe(size_t device, struct fszc_device_info *info, size_t size);

// Compresses the field at device address `field` to host memory, of which `capacity` bytes may be
// written, stores the stream's length in `len`, and waits. Work that is pending on the field must
// be done. The library allocates device memory of its own and keeps it for later calls.
//
// FSZC_INVALID_ARGUMENT when the capacity is too small.
fszc_status fszc_device_compress_to_host(const struct fszc_device_codec *codec,
                                         const struct fszc_compression *compression,
                                         const void *field, void *out, size_t capacity,
                                         size_t *len);

// Decompresses a stream to device address `out`, with room for the field's elements, and waits. The
// library allocates device memory of its own and keeps it for later calls.
fszc_status fszc_device_decompress_from_host(const struct fszc_device_codec *codec,
                                             const struct fszc_stream *stream, void *out);

// Stores which kind of memory is at an address, and the number of its device (0 for
// FSZC_HOST_MEMORY). The address is not read, and CUDA is not initialised.
fszc_status fszc_memory_at(const void *address, fszc_memory_kind *kind, size_t *device);

// Allocates `len` bytes, all of them 0, on CUDA device number `device`.
fszc_status fszc_device_memory_new(size_t device, size_t len, struct fszc_device_memory **memory);

// The device address of the first byte, a multiple of 256; NULL when the call fails.
void *fszc_device_memory_address(const struct fszc_device_memory *memory);

// Copies `len` bytes of the host to the memory from byte `at` on, and waits.
fszc_status fszc_device_memory_write(struct fszc_device_memory *memory, size_t at, const void *from,
                                     size_t len);

// Waits for the device to be done with all work, and copies the `len` bytes of the memory from byte
// `at` on to the host.
fszc_status fszc_device_memory_read(const struct fszc_device_memory *memory, size_t at, void *to,
                                    size_t len);

// Frees the memory, when nothing uses it any more.
void fszc_device_memory_free(struct fszc_device_memory *memory);

// Makes the kind of the stream that compressing a field of this shape, type and these options
// makes.
//
// FSZC_UNSUPPORTED for FSZC_DENSE, which chooses while it compresses, but for
// fszc_compress_options_set_like, and for bounds by region: use fszc_stream_kind_of.
fszc_status fszc_stream_kind_new(const uint64_t *shape, size_t ndim, fszc_dtype dtype,
                                 const struct fszc_compress_options *options,
                                 struct fszc_stream_kind **kind);

// Makes the kind of a stream that the host holds too.
fszc_status fszc_stream_kind_of(const struct fszc_stream *stream, struct fszc_stream_kind **kind);

// Elements of the field; 0 when the call fails.
uint64_t fszc_stream_kind_elements(const struct fszc_stream_kind *kind);

// Frees the kind, when no call uses it any more.
void fszc_stream_kind_free(struct fszc_stream_kind *kind);

// Makes options: all of the codec's threads, and no progress.
fszc_status fszc_decompress_options_new(struct fszc_decompress_options **options);

// Works on `threads` of the codec's threads at most; with 1 the calling thread works alone.
fszc_status fszc_decompress_options_set_threads(struct fszc_decompress_options *options,
                                                size_t threads);

// Reports to `progress`, through which the decompression can be cancelled.
fszc_status fszc_decompress_options_set_progress(struct fszc_decompress_options *options,
                                                 const struct fszc_progress *progress);

// Frees the options, when no call uses them any more.
void fszc_decompress_options_free(struct fszc_decompress_options *options);

// Decompresses a whole field in C order into `out`, which has room for `elements` elements of type
// `dtype`: exactly those of the field, at an address that is a multiple of their size. `options`
// may be NULL. When a call fails, `out` may hold anything.
//
// FSZC_INVALID_ARGUMENT when type or number are not the field's; FSZC_CORRUPT.
fszc_status fszc_decompress(const struct fszc_codec *codec, const struct fszc_stream *stream,
                            const struct fszc_decompress_options *options, fszc_dtype dtype,
                            void *out, uint64_t elements);

// Decompresses the tiles from `first` on to, not including, `end`, one behind the other: for
// FSZC_PAPER, consecutive elements. `elements` is what fszc_stream_tile_elements says. Else as
// fszc_decompress.
fszc_status fszc_decompress_tiles(const struct fszc_codec *codec, const struct fszc_stream *stream,
                                  const struct fszc_decompress_options *options, uint64_t first,
                                  uint64_t end, fszc_dtype dtype, void *out, uint64_t elements);

// Decompresses the box of `count` elements from `start` on (`ndim` entries each, one per axis of
// the field, slowest axis first) in C order. `elements` is the product of `count`. Else as
// fszc_decompress.
fszc_status fszc_decompress_box(const struct fszc_codec *codec, const struct fszc_stream *stream,
                                const struct fszc_decompress_options *options,
                                const uint64_t *start, const uint64_t *count, size_t ndim,
                                fszc_dtype dtype, void *out, uint64_t elements);

// Decompresses the slice at `index` of the axis `axis` (0 is the slowest) in C order. `elements` is
// the product of the other axes. Else as fszc_decompress.
fszc_status fszc_decompress_slice(const struct fszc_codec *codec, const struct fszc_stream *stream,
                                  const struct fszc_decompress_options *options, size_t axis,
                                  uint64_t index, fszc_dtype dtype, void *out, uint64_t elements);

// Stores what the stream says of itself. `size` is sizeof(fszc_info).
fszc_status fszc_stream_info(const struct fszc_stream *stream, struct fszc_info *info, size_t size);

// Stores what the encoder vouches for. `size` is sizeof(fszc_certificate).
fszc_status fszc_stream_certificate(const struct fszc_stream *stream,
                                    struct fszc_certificate *certificate, size_t size);

// Makes a counter at 0 of 0.
fszc_status fszc_progress_new(struct fszc_progress **progress);

// Uncompressed bytes of the whole call; 0 until it begins.
uint64_t fszc_progress_total(const struct fszc_progress *progress);

// Uncompressed bytes done.
uint64_t fszc_progress_done(const struct fszc_progress *progress);

// Asks the call to stop, which then returns FSZC_CANCELLED soon after. Later calls that report to
// this counter stop at once.
fszc_status fszc_progress_cancel(const struct fszc_progress *progress);

// Frees the counter.
void fszc_progress_free(struct fszc_progress *progress);

// Stores what region `number` of the stream is: fszc_info tells how many there are. Where they
// overlap, the last one holds. `size` is sizeof(fszc_region).
fszc_status fszc_stream_region(const struct fszc_stream *stream, size_t number,
                               struct fszc_region *region, size_t size);

// Stores which region holds each element of the box of `count` elements from `start` on (`ndim`
// entries each, one per axis of the field, slowest axis first), in C order: its number and 1 more,
// or 0 where the bound of the field holds. `elements` is the product of `count`, and `regions` has
// a byte for each.
fszc_status fszc_stream_regions_of_box(const struct fszc_stream *stream, const uint64_t *start,
                                       const uint64_t *count, size_t ndim, uint8_t *regions,
                                       uint64_t elements);

// A few words for a status, such as "corrupt stream"; "unknown status" for other numbers.
const char *fszc_status_text(int32_t status);

// What the last failed call of this thread complained about: one line that says what is wrong and,
// where there is one, the remedy. Empty before the first failure; calls that succeed leave it.
// Valid until the next call of the thread fails.
const char *fszc_last_error(void);

// Opens a stream of `len` bytes where it lies, such as in a mapped file: nothing is copied, and the
// bytes must stay as they are until the handle is freed. Reads the header and the index, not the
// payload.
//
// FSZC_TRUNCATED when bytes are missing, FSZC_CORRUPT when they are not a stream or are damaged,
// FSZC_UNSUPPORTED when they come from a newer release.
fszc_status fszc_stream_open(const void *bytes, size_t len, struct fszc_stream **stream);

// Opens a copy of a stream of `len` bytes, which need not outlive the call. Else as
// fszc_stream_open.
fszc_status fszc_stream_copy(const void *bytes, size_t len, struct fszc_stream **stream);

// The stream's bytes, as a file holds them, and how many they are (`len` may be NULL). They live as
// long as the handle; NULL when the call fails.
const uint8_t *fszc_stream_bytes(const struct fszc_stream *stream, size_t *len);

// The variable name that the stream records, in UTF-8; NULL when it records none. Lives as long as
// the handle.
const char *fszc_stream_name(const struct fszc_stream *stream);

// Frees the stream, when no call uses it any more.
void fszc_stream_free(struct fszc_stream *stream);

// Stores the records of the `count` tiles from `first` on, without decoding them. `size` is
// sizeof(fszc_tile); `tiles` has `count` of them. Takes a time that grows with count.
//
// FSZC_CORRUPT when the records of a chunk contradict each other.
fszc_status fszc_stream_tiles(const struct fszc_stream *stream, uint64_t first, uint64_t count,
                              struct fszc_tile *tiles, size_t size);

// Stores how many tiles are stored how. `size` is sizeof(fszc_tile_counts).
fszc_status fszc_stream_tile_counts(const struct fszc_stream *stream,
                                    struct fszc_tile_counts *counts, size_t size);

// Stores what each way of coding that an encoder considers costs a tile, by what the tile is
// decoded to: at most FSZC_MAX_COSTS entries in `costs`, and in `count` how many.
fszc_status fszc_stream_tile_costs(const struct fszc_stream *stream, uint64_t tile,
                                   struct fszc_tile_cost *costs, size_t *count);

// Stores how many elements the tiles from `first` on to, not including, `end` have together: what
// fszc_decompress_tiles needs room for.
fszc_status fszc_stream_tile_elements(const struct fszc_stream *stream, uint64_t first,
                                      uint64_t end, uint64_t *elements);

// The library's release, such as "0.2.0".
const char *fszc_version(void);

// FSZC_ABI of the library.
uint32_t fszc_abi_version(void);

#ifdef __cplusplus
} // extern "C"
#endif // __cplusplus

#endif /* FSZ_CODEC_H */
