// The module of decompression of tiles, for f64.

#include "profile/paper/decode_kernels.cuh"

FSZ_DECOMPRESS_PAPER_MODULE(fsz::Multiples<double>, paper_f64, 512)
