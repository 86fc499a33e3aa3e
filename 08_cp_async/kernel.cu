/* 08_cp_async: copies that bypass the registers, several slices on their way.
 *
 * Change: cp.async moves B straight to shared memory, STAGES - 1 slices ahead.  It cannot
 * transpose: A still passes through registers.  No copy in the main loop asks what lies inside:
 * rows and columns outside are read from the last ones, and only slices before it have k < 0.
 * Cost: STAGES buffers.  Left to do: an 8 x 8 patch needs 16 values for 64 FMAs (09). */
#include "../common/sgemm.h"
#include <cuda_pipeline.h>

/* A block computes BM x BN outputs in slices of BK, a thread TM x TN of them: TM rows below each
 * other, TN columns in groups of 4 that stand GROUP apart. */
#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8
#define STAGES 3
#define PAD 4
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
    for (int k0 = first, buf = 0; k0 < K; k0 += BK, buf = (buf + 1) % STAGES) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); /* the slice is complete, and nobody reads the one before any more */

        const int free = (buf + STAGES - 1) % STAGES, next = k0 + (STAGES - 1) * BK;
        float4 a_next = {};
        if (next < K) {
            a_next = load_a<VEC4>(A, lda, block_m + a_m, next + a_k, M, false);
            copy_b<VEC4>(Bs[free], B, ldb, next, block_n, N, false);
        }
        __pipeline_commit();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a_frag[TM], b_frag[TN];
            for (int i = 0; i < TM; i += 4)
                *(float4 *)&a_frag[i] = *(const float4 *)&As[buf][k][thread_m + i];
            for (int j = 0; j < TN; j += 4)
                *(float4 *)&b_frag[j] = *(const float4 *)&Bs[buf][k][thread_n + j / 4 * GROUP];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) {
                    const int n = i % 2 ? TN - 1 - j : j; /* to and fro */
                    acc[i][n] += a_frag[i] * b_frag[n];
                }
        }
        store_a(As[free], a_m, a_k, a_next);
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
    {"sgemm_kernel<true>", (const void *)sgemm_kernel<true>, NUM_THREADS, 0, BM, BN, BK, TM, TN,
     STAGES, 4},
    {"sgemm_kernel<false>", (const void *)sgemm_kernel<false>, NUM_THREADS, 0, BM, BN, BK, TM, TN,
     STAGES, 1},
    {},
};
