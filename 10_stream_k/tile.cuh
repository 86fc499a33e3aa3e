/* One tile of C, or a piece of it along K: the main loop of step 09 for any shape of tile, with
 * groups of warps that share the depth of each slice. */
#ifndef TILE_CUH
#define TILE_CUH

#include <cuda_pipeline.h>

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int GROUPS, int STAGES,
          bool A_REGS>
struct tile {
    enum {
        LANES_M = WM / TM,
        LANES_N = WN / TN,
        GROUP_M = LANES_M * 4, /* a thread's rows and columns come in groups of 4 so far apart */
        GROUP_N = LANES_N * 4,
        GROUP_THREADS = BM * BN / (TM * TN),
        NUM_THREADS = GROUP_THREADS * GROUPS,
        GROUP_K = BK / GROUPS,
        PITCH_M = BM + PLAN_PAD,
        A_FLOAT4 = BM * BK / 4 / NUM_THREADS, /* a thread copies of a slice */
        COLUMNS = TN,
        OUTPUTS = TM * TN,                 /* of a thread */
        A_STEP = NUM_THREADS / 2 / BM * 8, /* k of A that all threads load at once */
        STAGE_FLOATS = BK * (PITCH_M + BN)
    };
    static_assert(BM % WM == 0 && BN % WN == 0, "whole warp tiles must fill the block tile");
    static_assert(LANES_M * LANES_N == 32, "a warp tile is 32 patches");
    static_assert(TM % 4 == 0 && TN % 4 == 0, "a patch is read in float4");
    static_assert(BK % 8 == 0, "A is copied in pieces of 8 k");
    static_assert(BM * BK % (4 * NUM_THREADS) == 0 && BN * BK % (4 * NUM_THREADS) == 0,
                  "all threads copy the same number of float4");
    static_assert(!A_REGS || NUM_THREADS / 2 % BM == 0, "a thread stays in its row of A");
    static_assert((GROUPS & (GROUPS - 1)) == 0 && BK % GROUPS == 0, "groups are halved");
    static_assert((GROUPS / 2) * BM * BN <= STAGES * STAGE_FLOATS,
                  "half of the groups leave their sums in shared memory");

    /* Rows and columns outside the matrix are read from its last ones: what comes of them is never
     * stored.  Only k outside must be zero. */
    static __device__ __forceinline__ int inside(int index, int size)
    {
        return index < size ? index : size - 1;
    }

    /* The source of a copy is the thread's own first element of the slice.  Two neighbouring lanes
     * read 8 k of a row of A. */
    template <bool EDGE>
    static __device__ __forceinline__ void load_a(float4 *next, const float *a, int k0, int K)
    {
#pragma unroll
        for (int i = 0; i < A_FLOAT4; i++) {
            const int k = i * A_STEP + threadIdx.x / 2 / BM * 8;
            next[i] = !EDGE || k0 + k + (int)threadIdx.x % 2 * 4 < K
                          ? *(const float4 *)&a[k]
                          : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    }

    static __device__ __forceinline__ void store_a(float *As, const float4 *next)
    {
#pragma unroll
        for (int i = 0; i < A_FLOAT4; i++) {
            const int k = i * A_STEP + threadIdx.x / 2 / BM * 8 + threadIdx.x % 2 * 4;
            float *a = &As[k * PITCH_M + threadIdx.x / 2 % BM];
            a[0] = next[i].x;
            a[PITCH_M] = next[i].y;
            a[2 * PITCH_M] = next[i].z;
            a[3 * PITCH_M] = next[i].w;
        }
    }

    /* A warp copies 8 k of 4 rows of A. */
    template <bool EDGE>
    static __device__ __forceinline__ void copy_a(float *As, const float *a, int lda, int block_m,
                                                  int M, int k0, int K)
    {
        const int first = inside(block_m + threadIdx.x / 8 % BM, M);
#pragma unroll
        for (int i = 0; i < BM * BK / NUM_THREADS; i++) {
            const int e = threadIdx.x / 8 + i * (NUM_THREADS / 8);
            const int row = inside(block_m + e % BM, M) - first;
            const int k = e / BM * 8 + threadIdx.x % 8;
            float *to = &As[k * PITCH_M + e % BM];
            if (!EDGE || k0 + k < K)
                __pipeline_memcpy_async(to, &a[(int64_t)row * lda + e / BM * 8], 4);
            else
                __pipeline_memcpy_async(to, a, 4, 4);
        }
    }

    template <bool EDGE, int WIDTH>
    static __device__ __forceinline__ void copy_b(float *Bs, const float *b, int ldb, int k0, int K)
    {
        enum { STEP = NUM_THREADS * WIDTH / BN }; /* rows of B that all threads copy at once */
        static_assert(NUM_THREADS * WIDTH % BN == 0, "a thread stays in its column of B");
        const float *from = b;
#pragma unroll
        for (int i = 0; i < BK / STEP; i++, from += (size_t)STEP * ldb) {
            float *to = &Bs[(threadIdx.x + i * NUM_THREADS) * WIDTH];
            if (!EDGE || k0 + (int)threadIdx.x * WIDTH / BN + i * STEP < K)
                __pipeline_memcpy_async(to, from, WIDTH * 4);
            else
                __pipeline_memcpy_async(to, b, WIDTH * 4, WIDTH * 4);
        }
    }

    /* The same two where one group has the tile: sources written out from the matrix's base, not
     * carried from slice to slice.  More instructions, yet 8 % faster on an H200 (CUDA 13.0). */
    template <bool EDGE>
    static __device__ __forceinline__ void load_a_base(float4 *next, const float *A, int lda,
                                                       int block_m, int k0, int M, int K)
    {
#pragma unroll
        for (int i = 0; i < A_FLOAT4; i++) {
            const int e = threadIdx.x / 2 + i * (NUM_THREADS / 2);
            const int m = inside(block_m + e % BM, M), k = k0 + e / BM * 8 + threadIdx.x % 2 * 4;
            next[i] = !EDGE || k < K ? *(const float4 *)&A[(size_t)m * lda + k]
                                     : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    }

    template <bool EDGE>
    static __device__ __forceinline__ void copy_b_base(float *Bs, const float *B, int ldb,
                                                       int block_n, int k0, int N, int K)
    {
#pragma unroll
        for (int i = 0; i < BK * BN / 4 / NUM_THREADS; i++) {
            const int e = (threadIdx.x + i * NUM_THREADS) * 4;
            const int k = e / BN, n = inside(block_n + e % BN, (N - 1) / 4 * 4 + 1);
            if (!EDGE || k0 + k < K)
                __pipeline_memcpy_async(&Bs[e], &B[(size_t)(k0 + k) * ldb + n], 16);
            else
                __pipeline_memcpy_async(&Bs[e], B, 16, 16);
        }
    }

    /* Starts the copy of a slice; A's part only as far as load_a().  a and b are the thread's own
     * sources, carried from slice to slice. */
    template <bool EDGE, bool VEC4>
    static __device__ __forceinline__ void
    fill(float *stage, float4 *next, const float *A, const float *a, int lda, int block_m, int M,
         const float *B, const float *b, int ldb, int block_n, int N, int k0, int K)
    {
        float *Bs = stage + BK * PITCH_M;
        if (A_REGS && VEC4 && GROUPS == 1) {
            load_a_base<EDGE>(next, A, lda, block_m, k0, M, K);
            copy_b_base<EDGE>(Bs, B, ldb, block_n, k0, N, K);
            return;
        }
        if (A_REGS && VEC4)
            load_a<EDGE>(next, a, k0, K);
        else
            copy_a<EDGE>(stage, a, lda, block_m, M, k0, K);
        copy_b<EDGE, VEC4 ? 4 : 1>(Bs, b, ldb, k0, K);
    }

    /* Rows in a snake: the next FMA finds one of its operands where the last one left it. */
    static __device__ __forceinline__ void outer(float acc[TM][TN], const float *a, const float *b)
    {
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j++) {
                const int n = i % 2 ? TN - 1 - j : j;
                acc[i][n] += a[i] * b[n];
            }
    }

    /* acc = alpha * the sum over slices first..last-1, complete in the first group of warps. */
    template <bool VEC4>
    static __device__ __forceinline__ void
    compute(float *smem, float acc[TM][TN], int block_m, int block_n, int first, int last, int M,
            int N, int K, float alpha, const float *A, int lda, const float *B, int ldb)
    {
        const bool regs = A_REGS && VEC4;
        const int width = VEC4 ? 4 : 1;
        const int group = threadIdx.x / GROUP_THREADS;
        const int a_at = group * GROUP_K * PITCH_M + thread_m();
        const int b_at = BK * PITCH_M + group * GROUP_K * BN + thread_n();
        const int a_lanes = regs ? 2 : 8; /* that read neighbours of a row */
        const int a_m = inside(block_m + threadIdx.x / a_lanes % BM, M);
        const int b_n = inside(block_n + threadIdx.x * width % BN, (N - 1) / width * width + 1);
        const float *a = &A[(size_t)a_m * lda + first * BK + threadIdx.x % a_lanes * (8 / a_lanes)];
        const float *b = &B[(size_t)(first * BK + threadIdx.x * width / BN) * ldb + b_n];
        const size_t b_step = (size_t)BK * ldb;
        float4 next[A_FLOAT4];

#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j++)
                acc[i][j] = 0.0f;
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++) {
            if (first + s < last) {
                float *stage = smem + s * STAGE_FLOATS;
                const int k0 = (first + s) * BK;
                fill<true, VEC4>(stage, next, A, a, lda, block_m, M, B, b, ldb, block_n, N, k0, K);
                if (regs)
                    store_a(stage, next);
                a += BK;
                b += b_step;
            }
            __pipeline_commit();
        }
        float *now = smem, *free = smem + (STAGES - 1) * STAGE_FLOATS;
#pragma unroll 1
        for (int slice = first; slice < last; slice++) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); /* the slice is complete, and nobody reads the one before any more */

            const int ahead = slice + STAGES - 1, k0 = ahead * BK;
            if (ahead < last) {
                if (k0 + BK <= K)
                    fill<false, VEC4>(free, next, A, a, lda, block_m, M, B, b, ldb, block_n, N, k0,
                                      K);
                else
                    fill<true, VEC4>(free, next, A, a, lda, block_m, M, B, b, ldb, block_n, N, k0,
                                     K);
                a += BK;
                b += b_step;
            }
            __pipeline_commit();

#pragma unroll
            for (int k = 0; k < GROUP_K; k++) {
                float a_frag[TM], b_frag[TN];
#pragma unroll
                for (int i = 0; i < TM; i += 4)
                    *(float4 *)&a_frag[i] =
                        *(const float4 *)&now[a_at + k * PITCH_M + i / 4 * GROUP_M];
#pragma unroll
                for (int j = 0; j < TN; j += 4)
                    *(float4 *)&b_frag[j] = *(const float4 *)&now[b_at + k * BN + j / 4 * GROUP_N];
                outer(acc, a_frag, b_frag);
            }
            if (regs && (GROUPS > 1 || ahead < last))
                store_a(free, next);
            free = now;
            now = now == smem + (STAGES - 1) * STAGE_FLOATS ? smem : now + STAGE_FLOATS;
        }
        /* Before any wide store: unscaled sums would be tied to registers in fours, and every FMA
         * would meet a conflict of register banks. */
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j++)
                acc[i][j] *= alpha;
        add_groups(smem, acc);
    }

    /* The upper half of the groups leaves its sums to the lower half, until one is left. */
    static __device__ __forceinline__ void add_groups(float *smem, float acc[TM][TN])
    {
        const int group = threadIdx.x / GROUP_THREADS, thread = threadIdx.x % GROUP_THREADS;
#pragma unroll
        for (int half = GROUPS / 2; half > 0; half /= 2) {
            float4 *sums = (float4 *)smem + group % half * (BM * BN / 4) + thread;
            __syncthreads();
            if (group >= half && group < 2 * half)
#pragma unroll
                for (int e = 0; e < TM * TN; e += 4)
                    sums[e / 4 * GROUP_THREADS] = four(acc, e);
            __syncthreads();
            if (group < half)
#pragma unroll
                for (int e = 0; e < TM * TN; e += 4)
                    add4(acc, e, sums[e / 4 * GROUP_THREADS]);
        }
    }

    /* Outputs e..e+3 of a thread. */
    static __device__ __forceinline__ float4 four(float acc[TM][TN], int e)
    {
        const float *v = &acc[e / TN][e % TN];
        return make_float4(v[0], v[1], v[2], v[3]);
    }

    static __device__ __forceinline__ void add4(float acc[TM][TN], int e, float4 more)
    {
        float *v = &acc[e / TN][e % TN];
        v[0] += more.x;
        v[1] += more.y;
        v[2] += more.z;
        v[3] += more.w;
    }

    /* Where a thread's patch begins in the block's tile. */
    static __device__ __forceinline__ int thread_m()
    {
        const int warp = threadIdx.x % GROUP_THREADS / 32, lane = threadIdx.x % 32;
        return warp / (BN / WN) * WM + lane / LANES_N * 4;
    }

    static __device__ __forceinline__ int thread_n()
    {
        const int warp = threadIdx.x % GROUP_THREADS / 32, lane = threadIdx.x % 32;
        return warp % (BN / WN) * WN + lane % LANES_N * 4;
    }

    /* C = acc + beta * C where the tile lies inside. */
    static __device__ __forceinline__ void store(float acc[TM][TN], int block_m, int block_n, int M,
                                                 int N, float beta, float *C, int ldc, bool c_vec4)
    {
#pragma unroll
        for (int i = 0; i < TM; i++) {
            const int m = block_m + thread_m() + i / 4 * GROUP_M + i % 4;
            if (m >= M)
                continue;
#pragma unroll
            for (int j = 0; j < TN; j += 4) {
                const int n = block_n + thread_n() + j / 4 * GROUP_N;
                float *c = &C[(size_t)m * ldc + n];
                if (c_vec4 && n < N) {
                    float4 old = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                    if (beta != 0.0f)
                        old = *(const float4 *)c;
                    *(float4 *)c =
                        make_float4(acc[i][j] + beta * old.x, acc[i][j + 1] + beta * old.y,
                                    acc[i][j + 2] + beta * old.z, acc[i][j + 3] + beta * old.w);
                } else {
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        if (n + e < N)
                            c[e] = beta == 0.0f ? acc[i][j + e] : acc[i][j + e] + beta * c[e];
                }
            }
        }
    }
};

#endif
