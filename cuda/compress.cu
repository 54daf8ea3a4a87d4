// The module of compression, for both element types.

#include "encode/kernels.cuh"
