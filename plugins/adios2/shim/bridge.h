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
    const size_t *memory_start; /* where the values begin in an array of memory_count elements */
    const size_t *memory_count; /* count_length entries each; null: the values are contiguous */
    uint32_t element_size;      /* 4: float, 8: double */
    uint32_t may_fail;          /* 0: the host would end the program */
    fsz_text variable;          /* its name, or empty */
    char *out;
    size_t slack; /* room in `out` beyond the values, unless the host asked for the estimate */
};

/* Null, with a message, for an unknown or bad parameter. Where the host would end the program for
 * that (may_fail is 0), an operator that refuses to write. */
fsz_operator *fsz_core_create(const fsz_text *keys, const fsz_text *values, size_t length,
                              uint32_t may_fail, fsz_message *message);
void fsz_core_destroy(fsz_operator *self);
/* A variable of a type that FSZ compresses has this operator. */
void fsz_core_attach(const fsz_operator *self);
/* Whether the operator has no bound or wrong parameters. */
uint32_t fsz_core_refuses(const fsz_operator *self);
size_t fsz_core_estimate(const fsz_operator *self, size_t elements, size_t element_size,
                         size_t dimensions);
/* Bytes written to out; 0, with a message, when ADIOS2 gave no values, their device does not
 * respond, the operator refuses to write, or `out` has no room even for the values. */
size_t fsz_core_operate(const fsz_operator *self, const fsz_write *write, fsz_message *message);
/* Bytes written to out; 0, with a message, for a damaged payload. */
size_t fsz_core_inverse(const fsz_operator *self, const char *in, size_t length, char *out,
                        fsz_message *message);

} /* extern "C" */

#endif /* FSZ_ADIOS2_BRIDGE_H */
