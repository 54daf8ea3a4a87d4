// The module of decompression of boxes, for f32.

#include "profile/dense/decode_kernels.cuh"

FSZ_DECOMPRESS_DENSE_MODULE(fsz::Multiples<float>, dense_f32)
