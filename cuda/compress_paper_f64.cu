// The module of compression of tiles, for f64.

#include "profile/paper/encode_kernels.cuh"

FSZ_COMPRESS_PAPER_MODULE(double, f64)
