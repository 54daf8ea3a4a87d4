// The module of compression of boxes, for f64.

#include "profile/dense/encode_kernels.cuh"

FSZ_COMPRESS_DENSE_MODULE(double, f64)
