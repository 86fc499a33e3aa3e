/* 05_regtile_2d: a thread owns a TM x TN patch.
 *
 * Change: TM values of A and TN values of B, once in registers, give TM * TN FMAs: their outer
 * product.  16 shared-memory loads feed 64 FMAs, 0.25 an FMA instead of 1.125.  Its rows go to and
 * fro, so that an operand just used is used again.  Each global float serves 128 outputs.
 * Cost: 64 accumulators a thread; fewer warps fit on an SM.  Each thread stores 8 neighbouring
 * columns one at a time, so a store request touches 32 sectors again, once a block.
 * Left to do: sixteen loads of 4 bytes could be four of 16 (06). */
#include "../common/sgemm.h"

/* A block computes BM x BN outputs in slices of BK, a thread TM x TN of them. */
#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8
#define NUM_THREADS (BM * BN / (TM * TN))
/* What one launch can cover: grid.y ends at 65535. */
#define MAX_ROWS (65535 * BM)

static_assert(BM % TM == 0 && BN % TN == 0, "whole patches must fill the block tile");
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

static __global__ void __launch_bounds__(NUM_THREADS, 2)
    sgemm_kernel(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
                 const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];

    const int block_m = blockIdx.y * BM;
    const int block_n = blockIdx.x * BN;
    const int thread_m = threadIdx.x / (BN / TN) * TM;
    const int thread_n = threadIdx.x % (BN / TN) * TN;
    /* What this thread copies to shared memory. */
    const int a_m = threadIdx.x / BK, a_k = threadIdx.x % BK;
    const int b_k = threadIdx.x / BN, b_n = threadIdx.x % BN;

    float acc[TM][TN] = {};
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
            float a_frag[TM], b_frag[TN];
            for (int i = 0; i < TM; i++)
                a_frag[i] = As[thread_m + i][k];
            for (int j = 0; j < TN; j++)
                b_frag[j] = Bs[k][thread_n + j];
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
            store(C, ldc, block_m + thread_m + i, block_n + thread_n + j, M, N, alpha * acc[i][j],
                  beta);
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
    {"sgemm_kernel", (const void *)sgemm_kernel, NUM_THREADS, 0, BM, BN, BK, TM, TN, 1, 1},
    {},
};
