// The module of decompression of tiles with a pointwise-relative bound, for f32.

#include "profile/paper/decode_kernels.cuh"

FSZ_DECOMPRESS_PAPER_MODULE(fsz::CurveValues<float>, paper_relative_f32, 640)
