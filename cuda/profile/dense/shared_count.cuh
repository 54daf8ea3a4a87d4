// A count that the warps of a thread block keep together, to choose ways by.
#pragma once

#include "device/warp.cuh"

namespace fsz
{

/// A count in shared memory. Warps do not wait for each other to change it, so that a few changes
/// are lost.
struct SharedCount
{
    i32 count;

    FSZ_DEVICE i32 now() const { return static_cast<const volatile SharedCount &>(*this).count; }

    /// Whether it is as large, for all lanes alike. Called by a warp.
    FSZ_DEVICE bool reaches(i32 least) const { return __any_sync(WARP_ALL, now() >= least); }

    /// Called by one lane.
    FSZ_DEVICE void set(i32 to) { atomicExch(&count, to); }
};

} // namespace fsz
