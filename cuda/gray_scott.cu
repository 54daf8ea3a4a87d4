// One time step of the Gray-Scott example, and the range of a field: what the example's arrays on a
// device need. Not a part of FSZ.
//
// Every rounding is written out, so that the device's values are the processor's, bit for bit.

// A name of its own: one without would carry the source's path into the PTX.
namespace gray_scott
{

__device__ inline float add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float sub(float a, float b) { return __fsub_rn(a, b); }
__device__ inline double sub(double a, double b) { return __dsub_rn(a, b); }
__device__ inline float mul(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double mul(double a, double b) { return __dmul_rn(a, b); }

/// The model's constants.
template <class T> struct Reaction
{
    T diffusion_u;
    T diffusion_v;
    T feed;
    T removal;
    T dt;
    T trace;
};

/// A cell, and the sum of its six neighbours: above, below, right and left rows first, as the
/// processor adds them.
template <class T> struct Cell
{
    T value;
    T around;

    __device__ Cell(const T *field, long long at, const long long (&beside)[6])
        : value(field[at]), around(field[beside[0]])
    {
        for (int k = 1; k < 6; ++k)
        {
            around = add(around, field[beside[k]]);
        }
    }
};

/// The next state of `planes` planes of ny × nx cells, which have a plane more at either end.
template <class T>
__device__ void react(const T *u, const T *v, T *next_u, T *next_v, int ny, int nx,
                      const Reaction<T> &r)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
    {
        return;
    }
    const long long plane = static_cast<long long>(ny) * nx;
    const long long here = (blockIdx.z + 1) * plane;
    const long long row = here + static_cast<long long>(y) * nx;
    const int right = y + 1 < ny ? y + 1 : 0, left = y > 0 ? y - 1 : ny - 1;
    const long long at = row + x;
    const long long beside[6] = {
        at + plane,
        at - plane,
        here + static_cast<long long>(right) * nx + x,
        here + static_cast<long long>(left) * nx + x,
        row + (x > 0 ? x - 1 : nx - 1),
        row + (x + 1 < nx ? x + 1 : 0),
    };
    const Cell<T> cell_u(u, at, beside), cell_v(v, at, beside);
    const T reaction = mul(mul(cell_u.value, cell_v.value), cell_v.value);
    const T spread_u = mul(r.diffusion_u, sub(cell_u.around, mul(static_cast<T>(6), cell_u.value)));
    const T spread_v = mul(r.diffusion_v, sub(cell_v.around, mul(static_cast<T>(6), cell_v.value)));
    const T fed = mul(r.feed, sub(static_cast<T>(1), cell_u.value));
    next_u[at] = add(cell_u.value, mul(r.dt, add(sub(spread_u, reaction), fed)));
    const T removed = mul(r.removal, cell_v.value);
    const T grown = add(cell_v.value, mul(r.dt, sub(add(spread_v, reaction), removed)));
    next_v[at] = grown < r.trace ? static_cast<T>(0) : grown;
}

/// The smallest and the largest of `n` values, one pair from each thread block, of 256 threads.
template <class T> __device__ void extremes(const T *field, unsigned long long n, T *pairs)
{
    __shared__ T low[256], high[256];
    const unsigned int me = threadIdx.x;
    low[me] = field[0];
    high[me] = field[0];
    const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long i = blockIdx.x * blockDim.x + me; i < n; i += stride)
    {
        low[me] = field[i] < low[me] ? field[i] : low[me];
        high[me] = field[i] > high[me] ? field[i] : high[me];
    }
    for (unsigned int half = 128; half > 0; half /= 2)
    {
        __syncthreads();
        if (me < half)
        {
            low[me] = low[me + half] < low[me] ? low[me + half] : low[me];
            high[me] = high[me + half] > high[me] ? high[me + half] : high[me];
        }
    }
    if (me == 0)
    {
        pairs[2 * blockIdx.x] = low[0];
        pairs[2 * blockIdx.x + 1] = high[0];
    }
}

} // namespace gray_scott

#define GRAY_SCOTT_ENTRIES(T, suffix)                                                              \
    extern "C" __global__ void gray_scott_step_##suffix(                                           \
        const T *u, const T *v, T *next_u, T *next_v, int ny, int nx, T diffusion_u,               \
        T diffusion_v, T feed, T removal, T dt, T trace)                                           \
    {                                                                                              \
        gray_scott::react<T>(u, v, next_u, next_v, ny, nx,                                         \
                             {diffusion_u, diffusion_v, feed, removal, dt, trace});                \
    }                                                                                              \
    extern "C" __global__ void gray_scott_extremes_##suffix(const T *field, unsigned long long n,  \
                                                            T *pairs)                              \
    {                                                                                              \
        gray_scott::extremes<T>(field, n, pairs);                                                  \
    }

GRAY_SCOTT_ENTRIES(float, f32)
GRAY_SCOTT_ENTRIES(double, f64)
