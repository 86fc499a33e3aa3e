/* 04_regtile_1d: a thread owns a column of TM outputs.
 *
 * Change: each thread computes TM outputs below each other.  A value of B, once in a register,
 * serves all TM of them: TM + 1 shared-memory loads feed TM FMAs instead of 2 * TM.
 * The block tile grows to 64 x 64, so a float from global memory serves 64 outputs.
 * Cost: TM accumulators a thread, and fewer threads to hide a wait.
 * Left to do: A is still read once per FMA; reuse it in the other direction too (05). */
#include "../common/sgemm.h"

/* A block computes BM x BN outputs in slices of BK, a thread TM of them in one column. */
#define BM 64
#define BN 64
#define BK 8
#define TM 8
#define NUM_THREADS (BM * BN / TM)
/* What one launch can cover: grid.y ends at 65535. */
#define MAX_ROWS (65535 * BM)

static_assert(BM % TM == 0, "whole columns of TM outputs must fill the block tile");
static_assert(NUM_THREADS % 32 == 0 && NUM_THREADS <= 1024, "a block is whole warps, at most 32");
static_assert(BM * BK % NUM_THREADS == 0 && BK * BN % NUM_THREADS == 0 && NUM_THREADS % BK == 0 &&
                  NUM_THREADS % BN == 0,
              "all threads copy whole rows together, the same number of elements each");

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

static __global__ void __launch_bounds__(NUM_THREADS)
    sgemm_kernel(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
                 const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];

    const int block_m = blockIdx.y * BM;
    const int block_n = blockIdx.x * BN;
    const int thread_m = threadIdx.x / BN * TM;
    const int thread_n = threadIdx.x % BN;
    /* What this thread copies to shared memory. */
    const int a_m = threadIdx.x / BK, a_k = threadIdx.x % BK;
    const int b_k = threadIdx.x / BN, b_n = threadIdx.x % BN;

    float acc[TM] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = 0; i < BM; i += NUM_THREADS / BK)
            As[a_m + i][a_k] = load(A, lda, block_m + a_m + i, k0 + a_k, M, K);
#pragma unroll
        for (int i = 0; i < BK; i += NUM_THREADS / BN)
            Bs[b_k + i][b_n] = load(B, ldb, k0 + b_k + i, block_n + b_n, K, N);
        __syncthreads(); /* the slice is complete */

#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a_frag[TM];
            for (int i = 0; i < TM; i++)
                a_frag[i] = As[thread_m + i][k];
            const float b_frag = Bs[k][thread_n];
            for (int i = 0; i < TM; i++)
                acc[i] += a_frag[i] * b_frag;
        }
        __syncthreads(); /* nobody reads it any more */
    }

    for (int i = 0; i < TM; i++)
        store(C, ldc, block_m + thread_m + i, block_n + thread_n, M, N, alpha * acc[i], beta);
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
    sgemm_kernel<<<grid, NUM_THREADS, 0, stream>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    return cudaGetLastError();
}

const struct kernel_info sgemm_kernels[] = {
    /* name, func, threads, smem, bm, bn, bk, tm, tn, stages, width */
    {"sgemm_kernel", (const void *)sgemm_kernel, NUM_THREADS, 0, BM, BN, BK, TM, 1, 1, 1},
    {},
};
