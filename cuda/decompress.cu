// The module of decompression, for both element types, and the measures of the memory.

#include "decompress_kernels.cuh"
#include "roofline.cuh"
