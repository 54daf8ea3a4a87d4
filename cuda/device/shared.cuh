// Addresses in shared memory, as instructions that are for it alone take them, and words there.
#pragma once

#include "device/types.cuh"

namespace fsz
{

FSZ_DEVICE u32 shared_address(const void *at)
{
    return static_cast<u32>(__cvta_generic_to_shared(at));
}

FSZ_DEVICE u32 load_word(u32 at)
{
    u32 word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
    return word;
}

FSZ_DEVICE i32 load_value(u32 at) { return static_cast<i32>(load_word(at)); }

FSZ_DEVICE void store_word(u32 at, u32 word)
{
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(word) : "memory");
}

FSZ_DEVICE void load_pair(u32 at, u32 &first, u32 &second)
{
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(first), "=r"(second)
                 : "r"(at)
                 : "memory");
}

FSZ_DEVICE void store_pair(u32 at, u32 first, u32 second)
{
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(first), "r"(second) : "memory");
}

} // namespace fsz
