// Copies from device memory to shared memory that go on while a warp does something else, past the
// first cache. Each thread waits for its own ones.
#pragma once

#include "device/types.cuh"

namespace fsz
{

/// Has a line of device memory come to the first cache. Nothing becomes of one that is not there.
FSZ_DEVICE void bring_near(const void *at) { asm volatile("prefetch.global.L1 [%0];" ::"l"(at)); }

/// Begins to copy 4 bytes, through the first cache, or 16.
template <u32 BYTES> FSZ_DEVICE void begin_copy(u32 to, const void *from)
{
    static_assert(BYTES == 4 || BYTES == 16, "the copies that there are");
    if constexpr (BYTES == 4)
    {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
    }
    else
    {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    }
}

/// Begins to copy as many of 16 bytes; the others become 0, and are not read.
FSZ_DEVICE void begin_copy_16(u32 to, const void *from, u32 bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

/// Makes a group of all copies that were begun since the last one.
FSZ_DEVICE void group_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits for all groups but the last ones.
template <u32 BUT> FSZ_DEVICE void wait_for_groups()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(BUT) : "memory");
}

/// Waits for all copies, in a group or not.
FSZ_DEVICE void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

} // namespace fsz
