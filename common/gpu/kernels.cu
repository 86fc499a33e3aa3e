/* The harness's own kernels: the double-precision reference and the FMA chain of `make peak`. */
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
