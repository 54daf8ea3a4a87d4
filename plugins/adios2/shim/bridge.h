/* Calls from the C++ shim to the Rust core: plain data only, no exceptions. */
#ifndef FSZ_ADIOS2_BRIDGE_H
#define FSZ_ADIOS2_BRIDGE_H

#include <cstddef>
#include <cstdint>

extern "C" {

struct fsz_operator; /* the Rust operator */

struct fsz_text
{
    const char *bytes;
    size_t length;
};

/* The core's message when a call fails. */
struct fsz_message
{
    char text[1024]; /* ends with a zero byte */
};

/* One call of Operate. */
struct fsz_write
{
    const char *data;
    const size_t *start; /* start_length entries; none for a local array */
    size_t start_length;
    const size_t *count; /* count_length entries */
    size_t count_length;
    uint32_t element_size; /* 4: float, 8: double */
    fsz_text variable;     /* its name, or empty */
    char *out;
};

/* Null, with a message, for an unknown or bad parameter. */
fsz_operator *fsz_core_create(const fsz_text *keys, const fsz_text *values, size_t length,
                              fsz_message *message);
void fsz_core_destroy(fsz_operator *self);
size_t fsz_core_estimate(const fsz_operator *self, size_t elements, size_t element_size,
                         size_t dimensions);
/* Bytes written to out; 0 only when ADIOS2 gave no values or their device does not respond. */
size_t fsz_core_operate(const fsz_operator *self, const fsz_write *write);
/* Bytes written to out; 0, with a message, for a damaged payload. */
size_t fsz_core_inverse(const fsz_operator *self, const char *in, size_t length, char *out,
                        fsz_message *message);

} /* extern "C" */

#endif /* FSZ_ADIOS2_BRIDGE_H */
