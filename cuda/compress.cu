// The module of compression, for both element types.

#include "compress_kernels.cuh"
