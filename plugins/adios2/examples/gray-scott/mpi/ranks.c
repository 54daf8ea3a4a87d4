/*
 * What the example needs of MPI, behind functions that are the same for every MPI: the program is
 * built without one and loads this library when it is to run on ranks.
 *
 *   mpicc -O2 -shared -fPIC ranks.c -o libgray_scott_ranks.so -I$ADIOS2_DIR/include \
 *         -L$ADIOS2_DIR/lib -ladios2_c_mpi -ladios2_c -Wl,-rpath,$ADIOS2_DIR/lib
 *
 * All functions return MPI's code, 0 when all is well, but the one that returns a pointer.
 */
#ifndef ADIOS2_USE_MPI
#define ADIOS2_USE_MPI 1
#endif
#include <adios2_c.h>
#include <mpi.h>

/* Starts MPI; the rank, the number of ranks, and both on this node. */
int ranks_start(int *rank, int *size, int *node_rank, int *node_size)
{
    int provided, code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm node;
    if (code != MPI_SUCCESS)
    {
        return code;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    code = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (code != MPI_SUCCESS)
    {
        return code;
    }
    MPI_Comm_rank(node, node_rank);
    MPI_Comm_size(node, node_size);
    return MPI_Comm_free(&node);
}

/* An ADIOS2 context of all ranks, configured by a file, or without one; NULL when it fails. */
void *ranks_adios2(const char *config)
{
    return config ? adios2_init_config_mpi(config, MPI_COMM_WORLD)
                  : adios2_init_mpi(MPI_COMM_WORLD);
}

/* The largest of each value over all ranks, everywhere. */
int ranks_largest(double *values, int count)
{
    return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* Sends `bytes` bytes to one rank while as many come from another. */
int ranks_exchange(const void *out, int to, void *in, int from, int bytes)
{
    return MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
}

int ranks_end(void) { return MPI_Finalize(); }
