// What devices from compute capability 9.0 on have: barriers in shared memory, the tensor copy
// engine, and kernels that begin before the one that they depend on has ended.
#pragma once

#include "device/shared.cuh"
#include "format/format.cuh"

namespace fsz
{

/// A CUtensorMap, which the driver makes.
struct alignas(64) TensorMap
{
    u64 opaque[16];
};

/// Lets a kernel that depends on this one begin, once all thread blocks have come here.
FSZ_DEVICE void launch_dependents()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Waits until the kernel that this one depends on is done and its writes are to be seen; at once
/// in a launch that began after it.
FSZ_DEVICE void wait_for_dependency() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

FSZ_DEVICE void barrier_init(u64 *barrier, u32 arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

/// Makes initialised barriers visible to the copy engine.
FSZ_DEVICE void barrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

FSZ_DEVICE void barrier_arrive(u64 *barrier)
{
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(
                     shared_address(barrier))
                 : "memory");
}

/// Arrives, and lets the phase wait for so many copied bytes too.
FSZ_DEVICE void barrier_expect(u64 *barrier, u32 bytes)
{
    asm volatile("{\n.reg .b64 state;\n"
                 "mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n}" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

/// Waits until the phase of this parity is over.
FSZ_DEVICE void barrier_wait(u64 *barrier, u32 parity)
{
    asm volatile("{\n.reg .pred done;\n"
                 "WAIT:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra DONE;\n"
                 "bra WAIT;\n"
                 "DONE:\n}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/// Whether the phase of this parity is over. Like `barrier_init` and `barrier_arrive` it needs
/// compute capability 8.0 alone.
FSZ_DEVICE bool barrier_over(u64 *barrier, u32 parity)
{
    u32 over;
    asm volatile("{\n.reg .pred over;\n"
                 "mbarrier.test_wait.parity.shared::cta.b64 over, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, over;\n}"
                 : "=r"(over)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return over != 0;
}

/// Orders this thread's ordinary writes to shared memory before later ones of the copy engine.
FSZ_DEVICE void fence_copy_engine() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Copies a box whose first element is (column, row) to shared memory; the barrier counts its
/// bytes.
FSZ_DEVICE void copy_box(u32 to, const TensorMap *map, i32 column, i32 row, u64 *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
                 : "memory");
}

} // namespace fsz
