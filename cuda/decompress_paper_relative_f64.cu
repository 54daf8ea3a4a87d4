// The module of decompression of tiles with a pointwise-relative bound, for f64.

#include "profile/paper/decode_kernels.cuh"

FSZ_DECOMPRESS_PAPER_MODULE(fsz::CurveValues<double>, paper_relative_f64, 640)
