// The module of compression of boxes with a pointwise-relative bound, for f64.

#include "profile/dense/relative_encode_kernels.cuh"

FSZ_COMPRESS_DENSE_RELATIVE_MODULE(double, f64)
