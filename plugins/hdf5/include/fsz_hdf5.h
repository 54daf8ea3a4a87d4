/* Functions of libfsz_hdf5.so for programs that compress chunks themselves and write them with
 * H5Dwrite_chunk. A chunk may lie in CUDA memory: it is compressed on its device, and only the
 * compressed bytes are copied to the host. A program that does not call these needs nothing but
 * HDF5_PLUGIN_PATH; see docs/hdf5.md.
 *
 * All functions may be called from any thread. */
#ifndef FSZ_HDF5_H
#define FSZ_HDF5_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of the filter, for H5Pset_filter. It is a testing number until the HDF Group has
 * assigned one: do not write files for archives. */
int fsz_hdf5_filter_id(void);

/* No list of cd_values is longer. */
#define FSZ_HDF5_MAX_CD_VALUES 64

/* Writes the cd_values that H5Pset_filter takes. On entry *cd_nelmts is the room, on return the
 * number. The options are words with spaces between them, each once: absolute=E, range=E or
 * relative=E, and where wanted value_range=MIN,MAX floor=A missing=V,V profile=paper|dense. 0, or
 * -1 with a message. */
int fsz_hdf5_cd_values(const char *options, unsigned *cd_values, size_t *cd_nelmts);

/* The largest size of a compressed chunk, in bytes. The cd_values are those of the dataset's
 * creation property list (H5Dget_create_plist, H5Pget_filter_by_id2). 0 with a message. */
size_t fsz_hdf5_max_chunk_size(const unsigned *cd_values, size_t cd_nelmts);

/* Compresses one whole chunk: its size in bytes, or 0 with a message. `values` has this machine's
 * byte order, whatever the dataset's, and is host memory or CUDA memory of this process, apart from
 * `out`. Work that is pending on CUDA memory is waited for. Parts of the chunk outside of the
 * dataset hold the dataset's fill value. H5Dwrite_chunk runs no filter: where another one stands
 * behind FSZ, such as fletcher32, its bit must be set in the filter mask, or nobody can read the
 * chunk. */
size_t fsz_hdf5_compress_chunk(const unsigned *cd_values, size_t cd_nelmts, const void *values,
                               void *out, size_t out_size);

/* What the last call of this thread that failed says; valid until the next. */
const char *fsz_hdf5_message(void);

#ifdef __cplusplus
}
#endif

#endif
