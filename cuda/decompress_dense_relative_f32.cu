// The module of decompression of boxes with a pointwise-relative bound, for f32.

#include "profile/dense/decode_kernels.cuh"

FSZ_DECOMPRESS_DENSE_MODULE(fsz::CurveValues<float>, dense_relative_f32)
