// The module of the benchmark, which the codec does not carry: what the memory can do, and the
// paper's own kernels.

#include "paper.cuh"
#include "roofline.cuh"
