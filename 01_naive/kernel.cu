/* 01_naive: one thread an output.
 *
 * The plainest mapping: thread (x, y) of a block takes row x, column y of the block's tile of C and
 * walks along K.  Neighbouring lanes of a warp differ in threadIdx.x, so they sit in 32 different
 * rows: every load of A and every store of C touches 32 sectors to use 4 bytes of each.
 * Left to do: turn the warp round, so that its lanes sit next to each other in memory (02). */
#include "../common/sgemm.h"

#define BM 32 /* rows of C a block */
#define BN 32 /* columns of C a block */
#define NUM_THREADS (BM * BN)
#define MAX_ROWS (65535 * BM) /* what one launch can cover: grid.y ends at 65535 */

static __global__ void __launch_bounds__(NUM_THREADS)
    sgemm_naive(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
                const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    const int m = blockIdx.y * BM + threadIdx.x;
    const int n = blockIdx.x * BN + threadIdx.y;
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
    const dim3 block(BM, BN);
    sgemm_naive<<<grid, block, 0, stream>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    return cudaGetLastError();
}

const struct kernel_info sgemm_kernels[] = {
    /* name, func, threads, smem, bm, bn, bk, tm, tn, stages, width */
    {"sgemm_naive", (const void *)sgemm_naive, NUM_THREADS, 0, BM, BN, 1, 1, 1, 0, 1},
    {},
};
