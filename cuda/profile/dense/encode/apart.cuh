// Parts of the work in functions of their own, so that the loops that call them are short and have
// their registers. A compiler lays the functions of a kernel one after another, behind the kernel
// itself, in the order of their names, in which the number of a name's letters comes first. What a
// multiprocessor does at once is to lie together: instructions that lie apart push each other out
// of the cache (a tenth of the time of fields with land).
#pragma once

#include "device/warp.cuh"

namespace fsz
{

/// What coders do for any field: a name of ten letters, before all others.
struct CoderParts
{
    template <class Work> static __device__ __noinline__ auto call(Work work)
    {
        together();
        return work();
    }
};

/// What is done with boxes of a layout, those without masks before all those that have some.
template <bool MASKED, u32 LAYOUT> struct Apart
{
    template <class Work> static __device__ __noinline__ auto call(Work work)
    {
        together();
        return work();
    }
};

/// The ways of boxes that are not plain, which are long: a name of nine letters, behind all others.
struct Elsewhere
{
    template <class Work> static __device__ __noinline__ auto call(Work work)
    {
        together();
        return work();
    }
};

} // namespace fsz
