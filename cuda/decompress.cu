// The module of decompression, for both element types.

#include "decompress_kernels.cuh"
