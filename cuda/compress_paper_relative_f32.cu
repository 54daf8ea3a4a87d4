// The module of compression of tiles with a pointwise-relative bound, for f32.

#include "profile/paper/encode_kernels.cuh"

FSZ_COMPRESS_RELATIVE_MODULE(float, f32)
