/* 08_cp_async: copies that bypass the registers, several slices in flight.
 *
 * Change: cp.async moves bytes from global straight to shared memory while the thread goes on, so
 * STAGES - 1 slices can be on their way.  It copies bytes as they lie and cannot transpose: A's
 * tile is filled four bytes at a time, B's sixteen.  A's rows are padded by 4, so that 8 k x 4 rows
 * of a warp fall in 32 banks.  Only slices at an edge pay for the test of every element. Cost:
 * STAGES buffers; four copies of A for every float4 that step 07 loaded. Left to do: an 8 x 8 patch
 * needs 16 values for 64 FMAs (09). */
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
#define PAD 4
#define GROUP (BN / (TN / 4))
#define NUM_THREADS (BM * BN / (TM * TN))
/* What one launch can cover: grid.y ends at 65535. */
#define MAX_ROWS (65535 * BM)

static_assert(BM % TM == 0 && BN % TN == 0, "whole patches must fill the block tile");
static_assert(TM % 4 == 0 && TN % 4 == 0, "a patch is read in float4");
static_assert(NUM_THREADS % BK == 0 && BM % (NUM_THREADS / BK) == 0 &&
                  BK * BN % (NUM_THREADS * 4) == 0,
              "all threads copy the same number of elements");
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

/* Starts the copy of WIDTH neighbours from X[m][n] on; zeros outside the matrix. */
template <int WIDTH>
static __device__ __forceinline__ void copy(float *dst, const float *__restrict__ X, int ld, int m,
                                            int n, int rows, int columns, bool whole)
{
    if (whole || (m < rows && n < columns))
        __pipeline_memcpy_async(dst, &X[(size_t)m * ld + n], WIDTH * sizeof(float));
    else
        __pipeline_memcpy_async(dst, X, WIDTH * sizeof(float), WIDTH * sizeof(float));
}

/* Starts the copy of the slice at k0; `whole`: no element of it lies outside. */
template <int WIDTH>
static __device__ __forceinline__ void copy_slice(float (*As)[BM + PAD], float (*Bs)[BN], int M,
                                                  int N, int K, const float *__restrict__ A,
                                                  int lda, const float *__restrict__ B, int ldb,
                                                  int block_m, int block_n, int k0, bool whole)
{
    const int a_m = threadIdx.x / BK, a_k = threadIdx.x % BK;
    const int b_k = threadIdx.x * WIDTH / BN, b_n = threadIdx.x * WIDTH % BN;
#pragma unroll
    for (int i = 0; i < BM; i += NUM_THREADS / BK)
        copy<1>(&As[a_k][a_m + i], A, lda, block_m + a_m + i, k0 + a_k, M, K, whole);
#pragma unroll
    for (int i = 0; i < BK; i += NUM_THREADS * WIDTH / BN)
        copy<WIDTH>(&Bs[b_k + i][b_n], B, ldb, k0 + b_k + i, block_n + b_n, K, N, whole);
}

template <bool VEC4>
static __global__ void __launch_bounds__(NUM_THREADS, 2)
    sgemm_kernel(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
                 const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    __shared__ __align__(16) float As[STAGES][BK][BM + PAD];
    __shared__ __align__(16) float Bs[STAGES][BK][BN];

    const int block_m = blockIdx.y * BM;
    const int block_n = blockIdx.x * BN;
    const int thread_m = threadIdx.x / (BN / TN) * TM;
    const int thread_n = threadIdx.x % (BN / TN) * 4;
    const bool inside = block_m + BM <= M && block_n + BN <= N;
    const int width = VEC4 ? 4 : 1;

    for (int s = 0; s < STAGES - 1; s++) {
        copy_slice<width>(As[s], Bs[s], M, N, K, A, lda, B, ldb, block_m, block_n, s * BK, false);
        __pipeline_commit();
    }
    float acc[TM][TN] = {};
    for (int k0 = 0, buf = 0; k0 < K; k0 += BK, buf = (buf + 1) % STAGES) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); /* the slice is complete, and nobody reads the one before any more */

        const int free = (buf + STAGES - 1) % STAGES, next = k0 + (STAGES - 1) * BK;
        if (inside && next + BK <= K)
            copy_slice<width>(As[free], Bs[free], M, N, K, A, lda, B, ldb, block_m, block_n, next,
                              true);
        else if (next < K)
            copy_slice<width>(As[free], Bs[free], M, N, K, A, lda, B, ldb, block_m, block_n, next,
                              false);
        __pipeline_commit();

#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a_frag[TM], b_frag[TN];
            for (int i = 0; i < TM; i += 4)
                *(float4 *)&a_frag[i] = *(const float4 *)&As[buf][k][thread_m + i];
            for (int j = 0; j < TN; j += 4)
                *(float4 *)&b_frag[j] = *(const float4 *)&Bs[buf][k][thread_n + j / 4 * GROUP];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] += a_frag[i] * b_frag[j];
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
