// Addresses in shared memory, as instructions that are for it alone take them.
#pragma once

#include "device/types.cuh"

namespace fsz
{

FSZ_DEVICE u32 shared_address(const void *at)
{
    return static_cast<u32>(__cvta_generic_to_shared(at));
}

} // namespace fsz
