// All entry points, for both element types. Compiled to the PTX in ptx/ by `cargo xtask ptx`.

#include "decompress_kernels.cuh"
#include "compress_kernels.cuh"
#include "roofline.cuh"
