/* 01_naive: one thread an output.
 *
 * The plainest mapping: thread (x, y) of a block takes row x and column y of the block's tile and
 * walks along K.
 * Cost: the lanes of a warp differ in threadIdx.x, so they stand in 32 different rows.  Each load
 * of A and each store of C touches 32 sectors and uses 4 of the 32 bytes of each. Left to do: turn
 * the warp round, so that its lanes stand side by side in memory (02). */
#include "../common/sgemm.h"

/* A block computes BM x BN outputs, one a thread. */
#define BM 32
#define BN 32
#define NUM_THREADS (BM * BN)
/* What one launch can cover: grid.y ends at 65535. */
#define MAX_ROWS (65535 * BM)

static __global__ void __launch_bounds__(NUM_THREADS)
    sgemm_kernel(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
                 const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    const int block_m = blockIdx.y * BM;
    const int block_n = blockIdx.x * BN;
    const int thread_m = threadIdx.x % BM;
    const int thread_n = threadIdx.x / BM;
    const int m = block_m + thread_m;
    const int n = block_n + thread_n;
    if (m >= M || n >= N)
        return;

    float acc = 0.0f;
    for (int k = 0; k < K; k++)
        acc += A[(size_t)m * lda + k] * B[(size_t)k * ldb + n];

    float *c = &C[(size_t)m * ldc + n];
    *c = beta == 0.0f ? alpha * acc : alpha * acc + beta * *c;
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
    {"sgemm_kernel", (const void *)sgemm_kernel, NUM_THREADS, 0, BM, BN, 1, 1, 1, 0, 1},
    {},
};
