// Loads and stores that take no room in the first cache, which is small beside shared memory and is
// for what warps come back to.
#pragma once

#include "device/types.cuh"

namespace fsz
{

FSZ_DEVICE uint4 load_past_first(const uint4 *at)
{
    uint4 words;
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(at));
    return words;
}

FSZ_DEVICE float load_past_first(const float *at)
{
    float value;
    asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(value) : "l"(at));
    return value;
}

FSZ_DEVICE double load_past_first(const double *at)
{
    double value;
    asm volatile("ld.global.L1::no_allocate.f64 %0, [%1];" : "=d"(value) : "l"(at));
    return value;
}

/// Stores a word, so many words behind `at`.
template <u32 BEHIND = 0> FSZ_DEVICE void store_past_first(u32 *at, u32 word)
{
    asm volatile("st.global.L1::no_allocate.u32 [%0 + %2], %1;" ::"l"(at), "r"(word),
                 "n"(4 * BEHIND)
                 : "memory");
}

/// Stores half a word, if `there`. The address is reckoned by all lanes, and is known to be of
/// device memory.
FSZ_DEVICE void store_past_first_if(bool there, u16 *at, u16 half)
{
    asm volatile("{\n.reg .pred there;\nsetp.ne.u32 there, %2, 0;\n"
                 "@there st.global.L1::no_allocate.u16 [%0], %1;\n}" ::"l"(at),
                 "h"(half), "r"(static_cast<u32>(there))
                 : "memory");
}

} // namespace fsz
