// The module of the paper's kernels, which the product is measured against.

#include "paper.cuh"
