// The module of compression of tiles with a pointwise-relative bound, for f64.

#include "profile/paper/encode_kernels.cuh"

FSZ_COMPRESS_RELATIVE_MODULE(double, f64)
