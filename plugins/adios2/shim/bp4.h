#ifndef FSZ_ADIOS2_BP4_H
#define FSZ_ADIOS2_BP4_H

#include "operator.h"

namespace fsz
{

/* What BP4 knows of an ADIOS2 block and does not tell its operator. The extents that it gives lie
 * in an adios2::core::Variable<T>::BPInfo, in all versions. */
struct Bp4Block
{
    /* The variable has a memory selection: the values are a part of a larger array. */
    bool has_memory;
    const size_t *memory_start;
    const size_t *memory_count;

    /* None when it is another engine that calls: `caller` is the object that the block must name as
     * its operator. */
    static std::optional<Bp4Block> Find(const Dims &count, const void *caller);
};

} // namespace fsz

#endif /* FSZ_ADIOS2_BP4_H */
