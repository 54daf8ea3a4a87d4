// The module of decompression of boxes, for f64.

#include "profile/dense/decode_kernels.cuh"

FSZ_DECOMPRESS_DENSE_MODULE(fsz::Multiples<double>, dense_f64)
