/*
 * The MPI functions that the example needs, with an ABI that does not depend on the MPI: the
 * program is built without MPI and loads this library to run on several ranks.
 *
 *   mpicc -O2 -shared -fPIC ranks.c -o libgray_scott_ranks.so -I$ADIOS2_DIR/include \
 *         -L$ADIOS2_DIR/lib -ladios2_c_mpi -ladios2_c -Wl,-rpath,$ADIOS2_DIR/lib
 *
 * The functions that return an int return MPI's error code, 0 for success.
 */
#ifndef ADIOS2_USE_MPI
#define ADIOS2_USE_MPI 1
#endif
#include <adios2_c.h>
#include <mpi.h>

/* Starts MPI; gives the rank and the number of ranks, over all nodes and on this node. */
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

/* An ADIOS2 context for all ranks, with a configuration file or NULL; NULL on failure. */
void *ranks_adios2(const char *config)
{
    return config ? adios2_init_config_mpi(config, MPI_COMM_WORLD)
                  : adios2_init_mpi(MPI_COMM_WORLD);
}

/* Replaces each value by its maximum over all ranks. */
int ranks_largest(double *values, int count)
{
    return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* Sends `bytes` bytes to one rank and receives as many from another. */
int ranks_exchange(const void *out, int to, void *in, int from, int bytes)
{
    return MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
}

int ranks_end(void) { return MPI_Finalize(); }
