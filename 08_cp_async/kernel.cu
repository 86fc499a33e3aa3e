/* 08_cp_async: copies that bypass the registers, several slices in flight.
 *
 * Change: cp.async moves 16 bytes from global straight to shared memory while the thread goes on,
 * so STAGES - 1 slices can be on their way.  It copies bytes as they lie and cannot transpose: A's
 * tile keeps its rows, and a thread reads four k of a row at once.  The number of shared-memory
 * loads an FMA stays, and the conflict of the transposed fill is gone. Cost: STAGES buffers; four k
 * of A in registers instead of one. Left to do: an 8 x 8 patch still needs 16 values for 64 FMAs
 * (09). */
#include "../common/sgemm.h"
#include <cuda_pipeline.h>
#include <stdint.h>

/* A block computes BM x BN outputs in slices of BK, a thread TM x TN of them: TM rows below each
 * other, TN columns in groups of 4 that stand GROUP apart. */
#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8
#define STAGES 4
#define GROUP (BN / (TN / 4))
#define NUM_THREADS (BM * BN / (TM * TN))
/* What one launch can cover: grid.y ends at 65535. */
#define MAX_ROWS (65535 * BM)

static_assert(BM % TM == 0 && BN % TN == 0, "whole patches must fill the block tile");
static_assert(TM % 4 == 0 && TN % 4 == 0, "a patch is read in float4");
static_assert(BM * BK == 4 * NUM_THREADS && BK * BN == 4 * NUM_THREADS,
              "each thread copies one float4 of each tile");
static_assert(NUM_THREADS % 32 == 0 && NUM_THREADS <= 1024, "a block is whole warps, at most 32");

/* C[m][n] = v + beta * C[m][n], or nothing outside the matrix. */
static __device__ __forceinline__ void store(float *__restrict__ C, int ldc, int m, int n, int M,
                                             int N, float v, float beta)
{
    if (m < M && n < N) {
        float *c = &C[(size_t)m * ldc + n];
        *c = beta == 0.0f ? v : v + beta * *c;
    }
}

/* Starts the copy of four neighbours from X[m][n] on; zeros outside the matrix. */
template <bool VEC4>
static __device__ __forceinline__ void copy4(float *dst, const float *__restrict__ X, int ld, int m,
                                             int n, int rows, int columns)
{
    const int step = VEC4 ? 4 : 1; /* floats a copy */
    for (int j = 0; j < 4; j += step) {
        const bool inside = m < rows && n + j < columns;
        __pipeline_memcpy_async(dst + j, inside ? &X[(size_t)m * ld + n + j] : X, step * 4,
                                inside ? 0 : step * 4);
    }
}

template <bool VEC4>
static __global__ void __launch_bounds__(NUM_THREADS, 2)
    sgemm_kernel(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
                 const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    __shared__ __align__(16) float As[STAGES][BM][BK];
    __shared__ __align__(16) float Bs[STAGES][BK][BN];

    const int block_m = blockIdx.y * BM;
    const int block_n = blockIdx.x * BN;
    const int thread_m = threadIdx.x / (BN / TN) * TM;
    const int thread_n = threadIdx.x % (BN / TN) * 4;

    const int a_m = threadIdx.x * 4 / BK, a_k = threadIdx.x * 4 % BK;
    const int b_k = threadIdx.x * 4 / BN, b_n = threadIdx.x * 4 % BN;

    for (int s = 0; s < STAGES - 1; s++) {
        copy4<VEC4>(&As[s][a_m][a_k], A, lda, block_m + a_m, s * BK + a_k, M, K);
        copy4<VEC4>(&Bs[s][b_k][b_n], B, ldb, s * BK + b_k, block_n + b_n, K, N);
        __pipeline_commit();
    }
    float acc[TM][TN] = {};
    for (int k0 = 0, buf = 0; k0 < K; k0 += BK, buf = (buf + 1) % STAGES) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); /* the slice is complete, and nobody reads the one before any more */

        const int free = (buf + STAGES - 1) % STAGES, next = k0 + (STAGES - 1) * BK;
        copy4<VEC4>(&As[free][a_m][a_k], A, lda, block_m + a_m, next + a_k, M, K);
        copy4<VEC4>(&Bs[free][b_k][b_n], B, ldb, next + b_k, block_n + b_n, K, N);
        __pipeline_commit();

        float a_frag[TM][4], b_frag[TN];
#pragma unroll
        for (int k = 0; k < BK; k++) {
            for (int i = 0; i < TM && k % 4 == 0; i++)
                *(float4 *)a_frag[i] = *(const float4 *)&As[buf][thread_m + i][k];
            for (int j = 0; j < TN; j += 4)
                *(float4 *)&b_frag[j] = *(const float4 *)&Bs[buf][k][thread_n + j / 4 * GROUP];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] += a_frag[i][k % 4] * b_frag[j];
        }
    }

    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            store(C, ldc, block_m + thread_m + i, block_n + thread_n + j / 4 * GROUP + j % 4, M, N,
                  alpha * acc[i][j], beta);
}

/* Whether the rows of X can be moved in float4. */
static bool is_vec4(const float *X, int ld, int columns)
{
    return (uintptr_t)X % sizeof(float4) == 0 && ld % 4 == 0 && columns % 4 == 0;
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
    const bool vec4 = is_vec4(A, lda, K) && is_vec4(B, ldb, N);
    const auto kernel = vec4 ? sgemm_kernel<true> : sgemm_kernel<false>;
    kernel<<<grid, NUM_THREADS, 0, stream>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    return cudaGetLastError();
}

const struct kernel_info sgemm_kernels[] = {
    /* name, func, threads, smem, bm, bn, bk, tm, tn, stages, width */
    {"sgemm_kernel<true>", (const void *)sgemm_kernel<true>, NUM_THREADS, 0, BM, BN, BK, TM, TN,
     STAGES, 4},
    {"sgemm_kernel<false>", (const void *)sgemm_kernel<false>, NUM_THREADS, 0, BM, BN, BK, TM, TN,
     STAGES, 1},
    {},
};
