// The words of boxes in shared memory, by their addresses there.
#pragma once

#include "device/types.cuh"

namespace fsz
{

FSZ_DEVICE i32 load_value(u32 at)
{
    short value;
    asm volatile("ld.shared.s16 %0, [%1];" : "=h"(value) : "r"(at) : "memory");
    return value;
}

FSZ_DEVICE u32 load_word(u32 at)
{
    u32 word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
    return word;
}

FSZ_DEVICE void store_word(u32 at, u32 word)
{
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(word) : "memory");
}

/// The same without a branch.
FSZ_DEVICE void store_word_if(bool stores, u32 at, u32 word)
{
    asm volatile("{\n.reg .pred stores;\nsetp.ne.u32 stores, %0, 0;\n"
                 "@stores st.shared.u32 [%1], %2;\n}" ::"r"(static_cast<u32>(stores)),
                 "r"(at), "r"(word)
                 : "memory");
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
