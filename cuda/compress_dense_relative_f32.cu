// The module of compression of boxes with a pointwise-relative bound, for f32.

#include "profile/dense/relative_encode_kernels.cuh"

FSZ_COMPRESS_DENSE_RELATIVE_MODULE(float, f32)
