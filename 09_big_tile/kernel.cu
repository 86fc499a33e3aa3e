/* 09_big_tile: 128 outputs a thread.
 *
 * Change: a thread owns 8 x 16 outputs, a block 128 x 256.  24 values feed 128 FMAs instead of 16
 * for 64: 6 shared-memory loads for 128 FMAs.  A warp owns WM x WN outputs, laid so that no read of
 * shared memory meets a conflict: 8 lanes share 4 rows' worth of A and read 8 neighbouring float4
 * of B; the rows of a thread stand WM / TM apart. Cost: 128 accumulators, one block an SM: 8 warps
 * hide every wait by their own independent FMAs. Left to do: few, large tiles fill the last wave
 * badly (10). */
#include "../common/sgemm.h"
#include <cuda_pipeline.h>
#include <stdint.h>

/* A block computes BM x BN outputs in slices of BK, a warp WM x WN of them, a thread TM x TN: its
 * rows stand LANES_M apart, its columns come in groups of 4 that stand GROUP apart. */
#define BM 128
#define BN 256
#define BK 8
#define WM 32
#define WN 128
#define TM 8
#define TN 16
#define STAGES 4
#define LANES_M (WM / TM)
#define LANES_N (WN / TN)
#define GROUP (LANES_N * 4)
#define NUM_THREADS (BM * BN / (TM * TN))
/* What one launch can cover: grid.y ends at 65535. */
#define MAX_ROWS (65535 * BM)

static_assert(BM % WM == 0 && BN % WN == 0, "whole warp tiles must fill the block tile");
static_assert(LANES_M * LANES_N == 32, "a warp tile is 32 patches");
static_assert(TN % 4 == 0, "a patch is read in float4");
static_assert(BM * BK % (4 * NUM_THREADS) == 0 && BK * BN % (4 * NUM_THREADS) == 0,
              "all threads copy the same number of float4");

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

/* Starts the copy of the slice that begins at k0. */
template <bool VEC4>
static __device__ __forceinline__ void copy_slice(float (*As)[BK], float (*Bs)[BN],
                                                  const float *__restrict__ A, int lda,
                                                  const float *__restrict__ B, int ldb, int block_m,
                                                  int block_n, int k0, int M, int N, int K)
{
#pragma unroll
    for (int e = threadIdx.x * 4; e < BM * BK; e += NUM_THREADS * 4) {
        const int m = e / BK, k = e % BK;
        copy4<VEC4>(&As[m][k], A, lda, block_m + m, k0 + k, M, K);
    }
#pragma unroll
    for (int e = threadIdx.x * 4; e < BK * BN; e += NUM_THREADS * 4) {
        const int k = e / BN, n = e % BN;
        copy4<VEC4>(&Bs[k][n], B, ldb, k0 + k, block_n + n, K, N);
    }
}

template <bool VEC4>
static __global__ void __launch_bounds__(NUM_THREADS, 1)
    sgemm_kernel(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
                 const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    __shared__ __align__(16) float As[STAGES][BM][BK];
    __shared__ __align__(16) float Bs[STAGES][BK][BN];

    const int block_m = blockIdx.y * BM;
    const int block_n = blockIdx.x * BN;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_m = warp / (BN / WN) * WM;
    const int warp_n = warp % (BN / WN) * WN;
    const int thread_m = warp_m + lane / LANES_N;
    const int thread_n = warp_n + lane % LANES_N * 4;

    for (int s = 0; s < STAGES - 1; s++) {
        copy_slice<VEC4>(As[s], Bs[s], A, lda, B, ldb, block_m, block_n, s * BK, M, N, K);
        __pipeline_commit();
    }
    float acc[TM][TN] = {};
    for (int k0 = 0, buf = 0; k0 < K; k0 += BK, buf = (buf + 1) % STAGES) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); /* the slice is complete, and nobody reads the one before any more */

        const int free = (buf + STAGES - 1) % STAGES, next = k0 + (STAGES - 1) * BK;
        copy_slice<VEC4>(As[free], Bs[free], A, lda, B, ldb, block_m, block_n, next, M, N, K);
        __pipeline_commit();

        float a_frag[TM][4], b_frag[TN];
#pragma unroll
        for (int k = 0; k < BK; k++) {
            for (int i = 0; i < TM && k % 4 == 0; i++)
                *(float4 *)a_frag[i] = *(const float4 *)&As[buf][thread_m + i * LANES_M][k];
            for (int j = 0; j < TN; j += 4)
                *(float4 *)&b_frag[j] = *(const float4 *)&Bs[buf][k][thread_n + j / 4 * GROUP];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] += a_frag[i][k % 4] * b_frag[j];
        }
    }

    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            store(C, ldc, block_m + thread_m + i * LANES_M,
                  block_n + thread_n + j / 4 * GROUP + j % 4, M, N, alpha * acc[i][j], beta);
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
