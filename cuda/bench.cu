// What the product is measured against: the memory, and the paper's own kernels.

#include "bench/published.cuh"
#include "bench/roofline.cuh"
