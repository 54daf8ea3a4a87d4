#ifndef FSZ_ADIOS2_MEMORY_H
#define FSZ_ADIOS2_MEMORY_H

#include <cstddef>

namespace fsz
{

/* Copies memory of this process that may not be there; false where it is not. */
bool Peek(const void *from, void *to, size_t length);

} // namespace fsz

#endif /* FSZ_ADIOS2_MEMORY_H */
