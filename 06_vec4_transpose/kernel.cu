/* 06_vec4_transpose: sixteen bytes an access.
 *
 * Change: global and shared memory are read in float4: 4 shared-memory loads feed 64 FMAs, 0.0625
 * an FMA.  So A's tile is stored transposed, and a thread's columns come in groups of four.
 * Cost: the transposed fill.  Two lanes hold the halves of a row of A's slice and store them 4 * BM
 * floats apart, in the same bank: two passes a store (exercise: pad As).
 * Left to do: between two barriers the SM either copies or computes, never both (07). */
#include "../common/sgemm.h"

/* A block computes BM x BN outputs in slices of BK, a thread TM x TN of them: TM rows below each
 * other, TN columns in groups of 4 that stand GROUP apart. */
#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8
#define GROUP (BN / (TN / 4))
#define NUM_THREADS (BM * BN / (TM * TN))
/* What one launch can cover: grid.y ends at 65535. */
#define MAX_ROWS (65535 * BM)

static_assert(BM % TM == 0 && BN % TN == 0, "whole patches must fill the block tile");
static_assert(TM % 4 == 0 && TN % 4 == 0, "a patch is read in float4");
static_assert(BM * BK == 4 * NUM_THREADS && BK * BN == 4 * NUM_THREADS,
              "each thread copies one float4 of each tile");
static_assert(NUM_THREADS % 32 == 0 && NUM_THREADS <= 1024, "a block is whole warps, at most 32");

/* X[m][n], or zero outside the matrix. */
static __device__ __forceinline__ float load(const float *__restrict__ X, int ld, int m, int n,
                                             int rows, int columns)
{
    return m < rows && n < columns ? X[(size_t)m * ld + n] : 0.0f;
}

/* C[m][n] = v + beta * C[m][n], or nothing outside the matrix. */
static __device__ __forceinline__ void store(float *__restrict__ C, int ldc, int m, int n, int M,
                                             int N, float v, float beta)
{
    if (m < M && n < N) {
        float *c = &C[(size_t)m * ldc + n];
        *c = beta == 0.0f ? v : v + beta * *c;
    }
}

/* Four neighbours from X[m][n] on: one 16-byte load, or one by one. */
template <bool VEC4>
static __device__ __forceinline__ float4 load4(const float *__restrict__ X, int ld, int m, int n,
                                               int rows, int columns)
{
    if (VEC4)
        return m < rows && n < columns ? *(const float4 *)&X[(size_t)m * ld + n]
                                       : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    return make_float4(load(X, ld, m, n, rows, columns), load(X, ld, m, n + 1, rows, columns),
                       load(X, ld, m, n + 2, rows, columns), load(X, ld, m, n + 3, rows, columns));
}

template <bool VEC4>
static __global__ void __launch_bounds__(NUM_THREADS, 2)
    sgemm_kernel(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
                 const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    __shared__ __align__(16) float As[BK][BM];
    __shared__ __align__(16) float Bs[BK][BN];

    const int block_m = blockIdx.y * BM;
    const int block_n = blockIdx.x * BN;
    const int thread_m = threadIdx.x / (BN / TN) * TM;
    const int thread_n = threadIdx.x % (BN / TN) * 4;
    /* What this thread copies to shared memory. */
    const int a_m = threadIdx.x * 4 / BK, a_k = threadIdx.x * 4 % BK;
    const int b_k = threadIdx.x * 4 / BN, b_n = threadIdx.x * 4 % BN;

    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        const float4 a = load4<VEC4>(A, lda, block_m + a_m, k0 + a_k, M, K);
        const float4 b = load4<VEC4>(B, ldb, k0 + b_k, block_n + b_n, K, N);
        As[a_k + 0][a_m] = a.x;
        As[a_k + 1][a_m] = a.y;
        As[a_k + 2][a_m] = a.z;
        As[a_k + 3][a_m] = a.w;
        *(float4 *)&Bs[b_k][b_n] = b;
        __syncthreads(); /* the slice is complete */

#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a_frag[TM], b_frag[TN];
            for (int i = 0; i < TM; i += 4)
                *(float4 *)&a_frag[i] = *(const float4 *)&As[k][thread_m + i];
            for (int j = 0; j < TN; j += 4)
                *(float4 *)&b_frag[j] = *(const float4 *)&Bs[k][thread_n + j / 4 * GROUP];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) {
                    const int n = i % 2 ? TN - 1 - j : j; /* to and fro */
                    acc[i][n] += a_frag[i] * b_frag[n];
                }
        }
        __syncthreads(); /* nobody reads it any more */
    }

    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            store(C, ldc, block_m + thread_m + i, block_n + thread_n + j / 4 * GROUP + j % 4, M, N,
                  alpha * acc[i][j], beta);
}

cudaError_t sgemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                  int ldb, float beta, float *C, int ldc, cudaStream_t stream)
{
    if (M == 0 || N == 0)
        return cudaSuccess;
    if (alpha == 0.0f)
        K = 0; /* A and B must not be read */
    for (; M > MAX_ROWS; M -= MAX_ROWS) {
        cudaError_t err = sgemm(MAX_ROWS, N, K, alpha, A, lda, B, ldb, beta, C, ldc, stream);
        if (err != cudaSuccess)
            return err;
        A += (size_t)MAX_ROWS * lda;
        C += (size_t)MAX_ROWS * ldc;
    }
    const dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    const bool vec4 = ((size_t)A | (size_t)B) % 16 == 0 && (lda | ldb | K | N) % 4 == 0;
    const auto kernel = vec4 ? sgemm_kernel<true> : sgemm_kernel<false>;
    kernel<<<grid, NUM_THREADS, 0, stream>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    return cudaGetLastError();
}

const struct kernel_info sgemm_kernels[] = {
    /* name, func, threads, smem, bm, bn, bk, tm, tn, stages, width */
    {"sgemm_kernel<true>", (const void *)sgemm_kernel<true>, NUM_THREADS, 0, BM, BN, BK, TM, TN, 1,
     4},
    {"sgemm_kernel<false>", (const void *)sgemm_kernel<false>, NUM_THREADS, 0, BM, BN, BK, TM, TN,
     1, 1},
    {},
};
