// The module of regions, for f32.

#include "region/kernels.cuh"

FSZ_REGION_MODULE(float, f32)
