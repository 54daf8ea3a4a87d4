/* The C interface of libfsz_adios2.so, besides the one that ADIOS2 calls: it gives readers the
 * compressed payload of an ADIOS2 block instead of its values.
 *
 * ADIOS2 has no call for that. Register a sink on the thread that reads, read one element of the
 * ADIOS2 block with a synchronous Get, and the operator passes the whole payload to the sink and
 * decodes nothing. Load the same library file that ADIOS2 loads (README.md says how to find it), or
 * the sink is registered in another copy.
 */
#ifndef FSZ_ADIOS2_H
#define FSZ_ADIOS2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented by changes that are not backward compatible. */
#define FSZ_ADIOS2_INTERFACE 1

/* The bytes are an FSZ stream. */
#define FSZ_ADIOS2_STREAM 1
/* The bytes are the original values, little-endian, in C order. */
#define FSZ_ADIOS2_RAW 2

/* One compressed ADIOS2 block. The pointers are valid during the call of the sink only. */
typedef struct fsz_adios2_payload
{
    uint32_t mode;         /* FSZ_ADIOS2_STREAM or FSZ_ADIOS2_RAW */
    uint32_t element_size; /* 4: float, 8: double */
    size_t ndims;
    const uint64_t *count; /* extents of the ADIOS2 block, slowest first; ndims entries */
    const uint64_t *start; /* its place in the global array, or NULL (local array) */
    const uint8_t *bytes;  /* not aligned */
    size_t length;
} fsz_adios2_payload;

/* Returns 1 to take the payload: the operator then leaves the reader's values unset. Returns 0 to
 * have it decoded as usual. Must not throw. */
typedef int (*fsz_adios2_sink)(void *user, const fsz_adios2_payload *payload);

/* FSZ_ADIOS2_INTERFACE of the library. */
uint32_t fsz_adios2_interface(void);

/* Registers a sink for the calling thread and replaces the previous one; NULL removes it. */
void fsz_adios2_set_sink(fsz_adios2_sink sink, void *user);

/* For a sink: decodes a payload to device or managed memory, and returns when the values are there.
 * Only the compressed bytes are copied to the device; if the device cannot decode them, the CPU
 * does, and the values are copied. `device` is an address of this process's CUDA memory with room
 * for `capacity` bytes; pending work on its device is waited for. The values have the type and C
 * order of the ADIOS2 block. Returns 0 on success. On failure returns 1, writes a message of at
 * most `room` bytes including the terminating zero to `message` (NULL and 0 for none), and leaves
 * the memory undefined. Must be called while the payload is valid. */
int fsz_read_to_device(const fsz_adios2_payload *payload, void *device, size_t capacity,
                       char *message, size_t room);

#ifdef __cplusplus
}
#endif

#endif /* FSZ_ADIOS2_H */
