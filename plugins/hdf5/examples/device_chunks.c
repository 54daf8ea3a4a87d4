/* Compresses chunks where they lie, in CUDA memory when built with -DWITH_CUDA, and writes them to
 * HDF5. Only compressed bytes leave the device, and HDF5 writes them as they are. */
#include <fsz_hdf5.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef WITH_CUDA
#include <cuda_runtime.h>
#endif

enum
{
    STEPS = 4,
    NY = 300,
    NX = 400
};

static void check(int good, const char *what)
{
    if (!good)
    {
        fprintf(stderr, "%s failed: %s\n", what, fsz_hdf5_message());
        exit(1);
    }
}

/* Stands in for a simulation's field. */
static float *allocate(void)
{
    void *values = NULL;
#ifdef WITH_CUDA
    check(cudaMalloc(&values, sizeof(float) * NY * NX) == cudaSuccess, "cudaMalloc");
#else
    values = malloc(sizeof(float) * NY * NX);
#endif
    check(values != NULL, "allocation");
    return values;
}

static void compute(int step, float *field)
{
    static float host[NY * NX];
    for (int i = 0; i < NY * NX; ++i)
    {
        host[i] = sinf(0.05f * (float)(i / NX) + (float)step) * cosf(0.02f * (float)(i % NX));
    }
#ifdef WITH_CUDA
    check(cudaMemcpy(field, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess,
          "cudaMemcpy");
#else
    for (int i = 0; i < NY * NX; ++i)
    {
        field[i] = host[i];
    }
#endif
}

int main(void)
{
    /* A dataset with the filter, one chunk per step. */
    unsigned words[FSZ_HDF5_MAX_CD_VALUES];
    size_t count = FSZ_HDF5_MAX_CD_VALUES;
    check(fsz_hdf5_cd_values("absolute=1e-3", words, &count) == 0, "fsz_hdf5_cd_values");
    const hsize_t shape[] = {STEPS, NY, NX}, chunk[] = {1, NY, NX};
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, shape, NULL);
    check(H5Pset_chunk(list, 3, chunk) >= 0, "H5Pset_chunk");
    const H5Z_filter_t filter = fsz_hdf5_filter_id();
    check(H5Pset_filter(list, filter, H5Z_FLAG_MANDATORY, count, words) >= 0, "H5Pset_filter");
    hid_t file = H5Fcreate("device_c.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t u = H5Dcreate2(file, "U", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, list, H5P_DEFAULT);
    check(u >= 0, "H5Dcreate2");

    /* Its complete parameters: the filter has added the chunk's type and shape. */
    hid_t complete = H5Dget_create_plist(u);
    unsigned flags = 0;
    count = FSZ_HDF5_MAX_CD_VALUES;
    check(H5Pget_filter_by_id2(complete, filter, &flags, &count, words, 0, NULL, NULL) >= 0,
          "H5Pget_filter_by_id2");

    const size_t room = fsz_hdf5_max_chunk_size(words, count);
    void *compressed = malloc(room);
    float *field = allocate();
    check(compressed != NULL && room > 0, "fsz_hdf5_max_chunk_size");
    for (int step = 0; step < STEPS; ++step)
    {
        compute(step, field);
        const size_t size = fsz_hdf5_compress_chunk(words, count, field, compressed, room);
        check(size > 0, "fsz_hdf5_compress_chunk");
        const hsize_t offset[] = {(hsize_t)step, 0, 0};
        check(H5Dwrite_chunk(u, H5P_DEFAULT, 0, offset, size, compressed) >= 0, "H5Dwrite_chunk");
    }
    H5Pclose(complete);
    H5Pclose(list);
    H5Sclose(space);
    H5Dclose(u);
    return H5Fclose(file) >= 0 ? 0 : 1;
}
