// The module of compression of tiles, for f32.

#include "profile/paper/encode_kernels.cuh"

FSZ_COMPRESS_PAPER_MODULE(float, f32)
