// The module of compression of boxes, for f32.

#include "profile/dense/encode_kernels.cuh"

FSZ_COMPRESS_DENSE_MODULE(float, f32)
