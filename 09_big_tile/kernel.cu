/* 09_big_tile: 128 outputs a thread.
 *
 * Change: a thread owns 16 x 8 outputs, a block 128 x 256: 24 values feed 128 FMAs, not 16 for 64.
 * Cost: 128 accumulators, one block an SM.  Its 8 warps cannot hide each other's waits: each reads
 * its values for the next k before the FMAs of this one, across the barrier too, and neither the
 * warp tile's reads nor the padded fill meet a conflict.
 * Left to do: few, large tiles fill the last wave badly (10). */
#include "../common/sgemm.h"
#include <cuda_pipeline.h>

/* A block computes BM x BN outputs in slices of BK, a warp WM x WN of them, a thread TM x TN: its
 * rows and columns come in groups of 4 that stand GROUP_M and GROUP_N apart. */
#define BM 128
#define BN 256
#define BK 8
#define WM 64
#define WN 64
#define TM 16
#define TN 8
#define STAGES 3
#define PAD 4
#define GROUP_M (WM / (TM / 4))
#define GROUP_N (WN / (TN / 4))
#define NUM_THREADS (BM * BN / (TM * TN))
/* What one launch can cover: grid.y ends at 65535. */
#define MAX_ROWS (65535 * BM)

static_assert(BM % WM == 0 && BN % WN == 0, "whole warp tiles must fill the block tile");
static_assert(WM * WN == 32 * TM * TN, "a warp tile is 32 patches");
static_assert(TM % 4 == 0 && TN % 4 == 0, "a patch is read in float4");
static_assert(BM * BK == 4 * NUM_THREADS && BK * BN % (4 * NUM_THREADS) == 0,
              "each thread copies one float4 of A, and as many of B as any other");
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

/* A[m][k..k+3]: one 16-byte load, or one by one.  In the `first` slices: zeros for k < 0. */
template <bool VEC4>
static __device__ __forceinline__ float4 load_a(const float *__restrict__ A, int lda, int m, int k,
                                                int M, bool first)
{
    const float *a = &A[(int64_t)min(m, M - 1) * lda + k];
    if (VEC4)
        return first && k < 0 ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : *(const float4 *)a;
    return make_float4(first && k + 0 < 0 ? 0.0f : a[0], first && k + 1 < 0 ? 0.0f : a[1],
                       first && k + 2 < 0 ? 0.0f : a[2], first && k + 3 < 0 ? 0.0f : a[3]);
}

/* Four neighbours of a row of A become neighbours of a column. */
static __device__ __forceinline__ void store_a(float (*As)[BM + PAD], int m, int k, float4 a)
{
    As[k + 0][m] = a.x;
    As[k + 1][m] = a.y;
    As[k + 2][m] = a.z;
    As[k + 3][m] = a.w;
}

/* Starts the copy of a slice of B, 16 or 4 bytes at a time; the same zeros. */
template <bool VEC4>
static __device__ __forceinline__ void copy_b(float (*Bs)[BN], const float *__restrict__ B, int ldb,
                                              int k0, int block_n, int N, bool first)
{
    const int width = VEC4 ? 4 : 1, b_k = threadIdx.x * width / BN, b_n = threadIdx.x * width % BN;
#pragma unroll
    for (int i = 0; i < BK; i += NUM_THREADS * width / BN) {
        const float *b = &B[(int64_t)(k0 + b_k + i) * ldb + min(block_n + b_n, N - width)];
        if (first && k0 + b_k + i < 0)
            __pipeline_memcpy_async(&Bs[b_k + i][b_n], B, width * 4, width * 4);
        else
            __pipeline_memcpy_async(&Bs[b_k + i][b_n], b, width * 4);
    }
}

/* The values that a thread needs for one k. */
static __device__ __forceinline__ void load_frags(float a_frag[TM], float b_frag[TN],
                                                  const float *As, const float *Bs)
{
    for (int i = 0; i < TM; i += 4)
        *(float4 *)&a_frag[i] = *(const float4 *)&As[i / 4 * GROUP_M];
    for (int j = 0; j < TN; j += 4)
        *(float4 *)&b_frag[j] = *(const float4 *)&Bs[j / 4 * GROUP_N];
}

template <bool VEC4>
static __global__ void __launch_bounds__(NUM_THREADS, 1)
    sgemm_kernel(int M, int N, int K, float alpha, const float *__restrict__ A, int lda,
                 const float *__restrict__ B, int ldb, float beta, float *__restrict__ C, int ldc)
{
    __shared__ __align__(16) float As[STAGES][BK][BM + PAD];
    __shared__ __align__(16) float Bs[STAGES][BK][BN];

    const int block_m = blockIdx.y * BM;
    const int block_n = blockIdx.x * BN;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int thread_m = warp / (BN / WN) * WM + lane / (WN / TN) * 4;
    const int thread_n = warp % (BN / WN) * WN + lane % (WN / TN) * 4;
    /* What this thread copies to shared memory. */
    const int a_m = threadIdx.x * 4 / BK, a_k = threadIdx.x * 4 % BK;

    /* The last slice ends at K, and the first begins before k = 0, unless BK divides K. */
    const int first = K - max((K + BK - 1) / BK, STAGES - 1) * BK;
    for (int s = 0; s < STAGES - 1; s++) {
        store_a(As[s], a_m, a_k,
                load_a<VEC4>(A, lda, block_m + a_m, first + s * BK + a_k, M, true));
        copy_b<VEC4>(Bs[s], B, ldb, first + s * BK, block_n, N, true);
        __pipeline_commit();
    }
    float acc[TM][TN] = {};
    float a_frag[2][TM], b_frag[2][TN];
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); /* the first slice is complete */
    load_frags(a_frag[0], b_frag[0], &As[0][0][thread_m], &Bs[0][0][thread_n]);
    for (int k0 = first, buf = 0; k0 < K; k0 += BK) {
        const int free = (buf + STAGES - 1) % STAGES, next = k0 + (STAGES - 1) * BK;
        float4 a_next = {};
        if (next < K) {
            a_next = load_a<VEC4>(A, lda, block_m + a_m, next + a_k, M, false);
            copy_b<VEC4>(Bs[free], B, ldb, next, block_n, N, false);
        }
        __pipeline_commit();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == BK - 1) {
                store_a(As[free], a_m, a_k, a_next);
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); /* the next slice is complete, and nobody reads this one */
                buf = k0 + BK < K ? (buf + 1) % STAGES : buf;
            }
            load_frags(a_frag[(k + 1) % 2], b_frag[(k + 1) % 2], &As[buf][(k + 1) % BK][thread_m],
                       &Bs[buf][(k + 1) % BK][thread_n]);
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) {
                    const int n = i % 2 ? TN - 1 - j : j; /* to and fro */
                    acc[i][n] += a_frag[k % 2][i] * b_frag[k % 2][n];
                }
        }
    }

    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            store(C, ldc, block_m + thread_m + i / 4 * GROUP_M + i % 4,
                  block_n + thread_n + j / 4 * GROUP_N + j % 4, M, N, alpha * acc[i][j], beta);
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
    {"sgemm_kernel<true>", (const void *)sgemm_kernel<true>, NUM_THREADS, 0, BM, BN, BK, TM, TN,
     STAGES, 4},
    {"sgemm_kernel<false>", (const void *)sgemm_kernel<false>, NUM_THREADS, 0, BM, BN, BK, TM, TN,
     STAGES, 1},
    {},
};
