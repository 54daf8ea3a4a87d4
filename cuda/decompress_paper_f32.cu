// The module of decompression of tiles, for f32.

#include "profile/paper/decode_kernels.cuh"

FSZ_DECOMPRESS_PAPER_MODULE(fsz::Multiples<float>, paper_f32, 640)
