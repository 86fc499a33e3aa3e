/* The harness's own kernels: the double-precision reference and its comparison, and what
 * `make peak` runs. */
#include "gpu.h"

#define REFERENCE_THREADS 256

/* Plain on purpose: nothing here is shared with the kernels it judges. */
static __global__ void reference_kernel(int rows, int N, int K, const float *A, int lda,
                                        const float *B, int ldb, double *sum, double *magnitude)
{
    const size_t i = (size_t)blockIdx.x * REFERENCE_THREADS + threadIdx.x;
    if (i >= (size_t)rows * N)
        return;
    const size_t m = i / N, n = i % N;
    double s = 0.0, size = 0.0;
    for (int k = 0; k < K; k++) {
        const double product = (double)A[m * lda + k] * B[(size_t)k * ldb + n];
        s += product;
        size += fabs(product);
    }
    sum[i] = s;
    magnitude[i] = size;
}

cudaError_t reference_launch(int rows, int N, int K, const float *A, int lda, const float *B,
                             int ldb, double *sum, double *magnitude, cudaStream_t stream)
{
    const size_t count = (size_t)rows * N;
    const unsigned blocks = (unsigned)((count + REFERENCE_THREADS - 1) / REFERENCE_THREADS);
    reference_kernel<<<blocks, REFERENCE_THREADS, 0, stream>>>(rows, N, K, A, lda, B, ldb, sum,
                                                               magnitude);
    return cudaGetLastError();
}

#define CHAIN_THREADS 256
#define CHAINS 8  /* independent FMAs a thread: more than the pipeline is deep */
#define UNROLL 16 /* FMAs of a chain between two branches */

/* a and b come from memory, so that they sit in registers and not in the constant bank. */
static __global__ void __launch_bounds__(CHAIN_THREADS)
    fma_chain(int iterations, const float *in, float *out)
{
    const float a = in[0], b = in[1];
    float acc[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        acc[i] = (float)(threadIdx.x + i);
    for (int n = 0; n < iterations; n++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                acc[i] = fmaf(acc[i], a, b);
    }
    float total = 0.0f;
    for (int i = 0; i < CHAINS; i++)
        total += acc[i];
    if (total == -1.0f) /* never: the chains converge to a positive number */
        out[0] = total;
}

cudaError_t fma_chain_launch(int blocks, int iterations, const float *in, float *out,
                             cudaStream_t stream)
{
    fma_chain<<<blocks, CHAIN_THREADS, 0, stream>>>(iterations, in, out);
    return cudaGetLastError();
}

double fma_chain_flop(int blocks, int iterations)
{
    return 2.0 * blocks * CHAIN_THREADS * (double)iterations * UNROLL * CHAINS;
}

#define READ_THREADS 1024
#define READS 16 /* loads of 16 bytes a thread between two branches */

/* Loads that the compiler can neither drop nor move out of the loop. */
static __device__ __forceinline__ float4 load_shared(unsigned address)
{
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(address));
    return v;
}

/* .cg: from L2, past L1. */
static __device__ __forceinline__ float4 load_l2(const float4 *address)
{
    float4 v;
    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(address));
    return v;
}

static __device__ __forceinline__ void add(float4 *sum, float4 v)
{
    sum->x += v.x;
    sum->y += v.y;
    sum->z += v.z;
    sum->w += v.w;
}

/* What was read must seem to matter. */
static __device__ __forceinline__ void use(float4 sum, float *out)
{
    if (sum.x + sum.y + sum.z + sum.w == -1.0f) /* never: all inputs are 0 */
        out[0] = sum.x;
}

/* Neighbouring threads read neighbouring float4: no bank conflicts, no broadcasts. */
static __global__ void __launch_bounds__(READ_THREADS) shared_read(int iterations, float *out)
{
    __shared__ float4 data[READ_THREADS];
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    data[threadIdx.x] = sum;
    __syncthreads();
    const unsigned base = (unsigned)__cvta_generic_to_shared(data);
    for (int n = 0; n < iterations; n++) {
#pragma unroll
        for (int u = 0; u < READS; u++)
            add(&sum, load_shared(base + (threadIdx.x + 32 * u) % READ_THREADS * 16));
    }
    use(sum, out);
}

/* Every block walks through the whole buffer, each from a place of its own. */
static __global__ void __launch_bounds__(READ_THREADS)
    l2_read(int iterations, const float4 *in, unsigned chunks, float *out)
{
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    unsigned chunk = blockIdx.x * (chunks / gridDim.x);
    for (int n = 0; n < iterations; n++) {
#pragma unroll
        for (int u = 0; u < READS; u++) {
            add(&sum, load_l2(&in[(size_t)chunk * READ_THREADS + threadIdx.x]));
            chunk = chunk + 1 == chunks ? 0 : chunk + 1;
        }
    }
    use(sum, out);
}

cudaError_t shared_read_launch(int blocks, int iterations, float *out, cudaStream_t stream)
{
    shared_read<<<blocks, READ_THREADS, 0, stream>>>(iterations, out);
    return cudaGetLastError();
}

cudaError_t l2_read_launch(int blocks, int iterations, const void *in, size_t bytes, float *out,
                           cudaStream_t stream)
{
    const unsigned chunks = (unsigned)(bytes / (READ_THREADS * sizeof(float4)));
    l2_read<<<blocks, READ_THREADS, 0, stream>>>(iterations, (const float4 *)in, chunks, out);
    return cudaGetLastError();
}

double read_bytes(int blocks, int iterations)
{
    return (double)blocks * READ_THREADS * iterations * READS * sizeof(float4);
}

#define COMPARE_THREADS 256

/* !(error <= bound), so that NaN counts as wrong. */
static __global__ void compare_kernel(size_t count, const float *C, const double *sum,
                                      const double *magnitude, double slope, double least,
                                      unsigned long long *wrong)
{
    const size_t i = (size_t)blockIdx.x * COMPARE_THREADS + threadIdx.x;
    if (i < count && !(fabs(C[i] - sum[i]) <= slope * magnitude[i] + least))
        atomicAdd(wrong, 1ull);
}

cudaError_t compare_launch(size_t count, const float *C, const double *sum, const double *magnitude,
                           double slope, double least, unsigned long long *wrong,
                           cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((count + COMPARE_THREADS - 1) / COMPARE_THREADS);
    compare_kernel<<<blocks, COMPARE_THREADS, 0, stream>>>(count, C, sum, magnitude, slope, least,
                                                           wrong);
    return cudaGetLastError();
}

/* Does nothing; a profiler's report shows how many blocks it had. */
static __global__ void path_mark(void)
{
}

cudaError_t mark_launch(int number, cudaStream_t stream)
{
    path_mark<<<(unsigned)number, 1, 0, stream>>>();
    return cudaGetLastError();
}
