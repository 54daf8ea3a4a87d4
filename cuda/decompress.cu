// The module of decompression, for both element types.

#include "decode/kernels.cuh"
