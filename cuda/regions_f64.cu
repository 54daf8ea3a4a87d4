// The module of regions, for f64.

#include "region/kernels.cuh"

FSZ_REGION_MODULE(double, f64)
