/* One tile of C, or a piece of it along K: the main loop of step 09 for any shape of tile, with
 * groups of warps that share the depth of each slice. */
#ifndef TILE_CUH
#define TILE_CUH

#include "plan.h"
#include <cuda_pipeline.h>

/* What the tiles are made from: rows of whole float4, K a multiple of 4. */
struct source {
    int M, N, K;
    const float *A;
    int lda;
    const float *B;
    int ldb;
};

static __device__ __forceinline__ void add4(float4 &sum, float4 v)
{
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
}

/* C[m][n..n+3] = v + beta * C[m][n..n+3] where that lies inside.  vec4: rows of C are float4. */
static __device__ __forceinline__ void store4(float *C, int ldc, int m, int n, int M, int N,
                                              float4 v, float beta, bool vec4)
{
    if (m >= M || n >= N)
        return;
    float *c = &C[(size_t)m * ldc + n];
    if (vec4) {
        if (beta != 0.0f) {
            const float4 old = *(const float4 *)c;
            add4(v, make_float4(beta * old.x, beta * old.y, beta * old.z, beta * old.w));
        }
        *(float4 *)c = v;
        return;
    }
    const float values[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int e = 0; e < 4; e++)
        if (n + e < N)
            c[e] = beta == 0.0f ? values[e] : values[e] + beta * c[e];
}

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int GROUPS, int STAGES>
struct tile {
    enum {
        LANES_M = WM / TM,
        LANES_N = WN / TN,
        GROUP_M = LANES_M * 4, /* a thread's rows and columns come in fours so far apart */
        GROUP_N = LANES_N * 4,
        GROUP_THREADS = BM * BN / (TM * TN),
        DEPTH = BK / GROUPS, /* k of a slice that a group has, in pieces of 8 */
        PIECES = DEPTH / 8,
        PITCH = BM + PLAN_PAD,
        PART_FLOATS = DEPTH * (PITCH + BN),
        STAGE_FLOATS = GROUPS * PART_FLOATS,
        A_COPIES = BM * 8 / 4 / GROUP_THREADS, /* float4 a thread copies of a piece */
        B_COPIES = BN * 8 / 4 / GROUP_THREADS,
        A_STEP = GROUP_THREADS / 2, /* rows of A, of B, that a group copies at once */
        B_STEP = GROUP_THREADS * 4 / BN,
        BODY = 4, /* k in the body of the main loop */
        BODIES = DEPTH / BODY,
        QUADS = TM * TN / 4 /* float4 of a thread's sums */
    };
    static_assert(BM % WM == 0 && BN % WN == 0, "whole warp tiles must fill the block tile");
    static_assert(LANES_M * LANES_N == 32 && LANES_M <= 8 && LANES_N <= 8, "see lane_m()");
    static_assert(TM % 4 == 0 && TN % 4 == 0, "a patch is read in float4");
    static_assert(BK % (8 * GROUPS) == 0, "A is copied in pieces of 8 k");
    static_assert(A_COPIES * GROUP_THREADS == BM * 2 && B_COPIES * GROUP_THREADS == BN * 2 &&
                      B_COPIES * B_STEP == 8,
                  "all threads copy the same number of float4");

    /* Lanes that differ in bit 0 share their rows, lanes that differ in bit 1 their columns: then a
     * 16-byte load of either takes half the passes. */
    static __device__ __forceinline__ int lane_m(int lane)
    {
        return (LANES_M == 8 ? lane / 8 * 2 : lane / 4 % 2 * 2) + lane / 2 % 2;
    }

    static __device__ __forceinline__ int lane_n(int lane)
    {
        return (LANES_N == 8 ? lane / 8 * 2 : lane / 4 % 2 * 2) + lane % 2;
    }

    /* Where the patch of a group's thread begins in the tile. */
    static __device__ __forceinline__ int thread_m(int thread)
    {
        return thread / 32 / (BN / WN) * WM + lane_m(thread % 32) * 4;
    }

    static __device__ __forceinline__ int thread_n(int thread)
    {
        return thread / 32 % (BN / WN) * WN + lane_n(thread % 32) * 4;
    }

    /* A group waits for itself alone: of one warp, it needs no barrier; of several, it has one of
     * its own, with a number and a count (0 is the block's). */
    static __device__ __forceinline__ void sync_group()
    {
        if (GROUP_THREADS == 32)
            __syncwarp();
        else if (GROUPS == 1)
            __syncthreads();
        else
            __barrier_sync_count(1 + threadIdx.x / GROUP_THREADS, GROUP_THREADS);
    }

    /* Rows and columns outside the matrix are read from its last ones: what comes of them is never
     * stored. */
    static __device__ __forceinline__ int inside(int index, int size)
    {
        return index < size ? index : size - 1;
    }

    /* Starts the copy of a group's part of a slice: A to registers, B to shared memory.  a and b
     * are where the thread's own copies begin, a_k and b_k the k there: where EDGE, zeros stand
     * before k = 0.  Two neighbouring lanes read 8 k of a row of A. */
    template <bool EDGE>
    static __device__ __forceinline__ void fetch(float4 *next, const float *const *a, int a_k,
                                                 float *to, const float *b, int b_k, int ldb)
    {
#pragma unroll
        for (int i = 0; i < PIECES * A_COPIES; i++) {
            const int k = i / A_COPIES * 8 * GROUPS;
            next[i] = !EDGE || a_k + k >= 0 ? *(const float4 *)(a[i % A_COPIES] + k)
                                            : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
#pragma unroll
        for (int i = 0; i < PIECES * B_COPIES; i++) {
            const int k = i / B_COPIES * 8 * GROUPS + i % B_COPIES * B_STEP;
            if (!EDGE || b_k + k >= 0)
                __pipeline_memcpy_async(to + i * GROUP_THREADS * 4, b + (int64_t)k * ldb, 16);
            else
                __pipeline_memcpy_async(to + i * GROUP_THREADS * 4, b, 16, 16);
        }
    }

    /* Stores A's part of a slice transposed. */
    static __device__ __forceinline__ void store_a(float *to, const float4 *next)
    {
#pragma unroll
        for (int i = 0; i < PIECES * A_COPIES; i++) {
            float *as = to + i / A_COPIES * 8 * PITCH + i % A_COPIES * A_STEP;
            as[0] = next[i].x;
            as[PITCH] = next[i].y;
            as[2 * PITCH] = next[i].z;
            as[3 * PITCH] = next[i].w;
        }
    }

    /* x, where the compiler would compute it anew in every slice: a shuffle's result it cannot. */
    static __device__ __forceinline__ int keep(int x)
    {
        return __shfl_sync(0xffffffff, x, threadIdx.x % 32);
    }

    template <int COUNT>
    static __device__ __forceinline__ void read(float *frag, const float *from, int apart)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i += 4)
            *(float4 *)&frag[i] = *(const float4 *)&from[i / 4 * apart];
    }

    /* One k of both operands, the longer one first. */
    static __device__ __forceinline__ void load(float *a_frag, float *b_frag, const float *As,
                                                const float *Bs)
    {
        if (TN > TM)
            read<TN>(b_frag, Bs, GROUP_N);
        read<TM>(a_frag, As, GROUP_M);
        if (TN <= TM)
            read<TN>(b_frag, Bs, GROUP_N);
    }

    /* Row after row, to and fro: an FMA finds a_frag[i] where the last one left it, at the turn
     * b_frag[j].  The compiler must find the other two operands registers of different banks.  With
     * 16 columns even ones come before odd ones, which helps it to; with 8 that costs 3 % (H200,
     * CUDA 13.0, 2048). */
    static __device__ __forceinline__ void outer(float acc[TM][TN], const float *a_frag,
                                                 const float *b_frag)
    {
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int x = 0; x < TN; x++) {
                const int turn = i % 2 ? TN - 1 - x : x;
                const int j = TN <= TM ? turn : turn < TN / 2 ? 2 * turn : 2 * turn - TN + 1;
                acc[i][j] += a_frag[i] * b_frag[j];
            }
    }

    /* acc = the group's share of the sums over slices first..last-1.  The slices end at K: the
     * first of a tile may begin before k = 0, and its pieces that end there are skipped. */
    static __device__ __forceinline__ void compute(float *smem, float acc[TM][TN],
                                                   const struct source *s, int block_m, int block_n,
                                                   int slices, int first, int last)
    {
        const int group = threadIdx.x / GROUP_THREADS, thread = threadIdx.x % GROUP_THREADS;
        const int lda = s->lda, ldb = s->ldb;
        const int k0 = s->K - (slices - first) * BK + group * 8;
        const int b_n = inside(block_n + thread * 4 % BN, (s->N - 1) / 4 * 4 + 1);
        int skip = min(max(group * 8 - k0, 0) / (8 * GROUPS), PIECES - 1);
        int a_k = k0 + thread % 2 * 4, b_k = k0 + thread * 4 / BN;
        const float *a[A_COPIES], *b = s->B + (int64_t)b_k * ldb + b_n;
#pragma unroll
        for (int i = 0; i < A_COPIES; i++)
            a[i] = s->A + (int64_t)inside(block_m + thread / 2 + i * A_STEP, s->M) * lda + a_k;
        /* Where the thread reads and writes in a stage. */
        const int part = group * PART_FLOATS;
        const int a_from = keep(part + thread_m(thread));
        const int b_from = keep(part + DEPTH * PITCH + thread_n(thread));
        const int a_to = keep(part + thread % 2 * 4 * PITCH + thread / 2);
        const int b_to = keep(part + DEPTH * PITCH + thread * 4);

        float4 early[STAGES - 1][PIECES * A_COPIES];
#pragma unroll
        for (int n = 0; n < STAGES - 1; n++) {
            if (first + n < last) {
                fetch<true>(early[n], a, a_k, smem + n * STAGE_FLOATS + b_to, b, b_k, ldb);
#pragma unroll
                for (int i = 0; i < A_COPIES; i++)
                    a[i] += BK;
                b += (int64_t)BK * ldb;
                a_k += BK;
                b_k += BK;
            }
            __pipeline_commit();
        }
#pragma unroll
        for (int n = 0; n < STAGES - 1; n++)
            if (first + n < last)
                store_a(smem + n * STAGE_FLOATS + a_to, early[n]);
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j++)
                acc[i][j] = 0.0f;
        float *now = smem, *free = smem + (STAGES - 1) * STAGE_FLOATS;
        float a_frag[2][TM], b_frag[2][TN];
        __pipeline_wait_prior(STAGES - 2);
        sync_group();
        load(a_frag[0], b_frag[0], now + a_from + skip * 8 * PITCH, now + b_from + skip * 8 * BN);
#pragma unroll 1
        for (int slice = first; slice < last; slice++) {
            const bool ahead = slice + STAGES - 1 < last;
            const float *As = now + a_from + skip * 8 * PITCH, *Bs = now + b_from + skip * 8 * BN;
            float4 next[PIECES * A_COPIES];
            unsigned body = 1 + skip * (8 / BODY);
            skip = 0;
            /* The warps of a scheduler take turns to copy: while the load-store unit is full, the
             * other one multiplies.  The inner loop holds FMAs and their loads alone: anything else
             * in it, and the compiler finds worse registers. */
#pragma unroll 1
            for (unsigned half = 0; half < 2; half++) {
                if (ahead && threadIdx.x / 128 % 2 == half)
                    fetch<false>(next, a, 0, free + b_to, b, 0, ldb);
#pragma unroll 1
                for (; body < (half + 1) * BODIES / 2; body++) {
#pragma unroll
                    for (int k = 0; k < BODY; k++) {
                        load(a_frag[(k + 1) % 2], b_frag[(k + 1) % 2], As + (k + 1) * PITCH,
                             Bs + (k + 1) * BN);
                        outer(acc, a_frag[k % 2], b_frag[k % 2]);
                    }
                    As += BODY * PITCH;
                    Bs += BODY * BN;
                }
            }
            /* The last k: before its FMAs the next slice is waited for. */
#pragma unroll
            for (int k = 0; k < BODY; k++) {
                if (k < BODY - 1) {
                    load(a_frag[(k + 1) % 2], b_frag[(k + 1) % 2], As + (k + 1) * PITCH,
                         Bs + (k + 1) * BN);
                } else {
                    if (ahead)
                        store_a(free + a_to, next);
                    free = now;
                    if (slice + 1 < last) /* the last one is read again, to no end: no branch */
                        now = now == smem + (STAGES - 1) * STAGE_FLOATS ? smem : now + STAGE_FLOATS;
                    __pipeline_commit();
                    __pipeline_wait_prior(STAGES - 2);
                    sync_group(); /* the slice is complete, and nobody reads the one before */
                    load(a_frag[0], b_frag[0], now + a_from, now + b_from);
                }
                outer(acc, a_frag[k % 2], b_frag[k % 2]);
            }
#pragma unroll
            for (int i = 0; i < A_COPIES; i++)
                a[i] += BK;
            b += (int64_t)BK * ldb;
        }
    }

    static __device__ __forceinline__ void store_quad(float *C, int ldc, int block_m, int block_n,
                                                      int M, int N, int thread, int quad, float4 v,
                                                      float beta, bool vec4)
    {
        const int i = quad * 4 / TN, j = quad * 4 % TN;
        store4(C, ldc, block_m + thread_m(thread) + i / 4 * GROUP_M + i % 4,
               block_n + thread_n(thread) + j / 4 * GROUP_N, M, N, v, beta, vec4);
    }

    /* C = alpha * the sum of the groups' acc + beta * C where the tile lies inside. */
    static __device__ __forceinline__ void store(float *smem, float acc[TM][TN], float alpha,
                                                 int block_m, int block_n, int M, int N, float beta,
                                                 float *C, int ldc, bool vec4)
    {
        const int group = threadIdx.x / GROUP_THREADS, thread = threadIdx.x % GROUP_THREADS;
        float4 *sums = (float4 *)smem + thread;
        if (GROUPS > 1)
            __syncthreads(); /* no group reads its part any more */
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            /* Scaled before any wide store: unscaled sums would be tied to registers in fours, and
             * every FMA would meet a conflict of register banks. */
            const float *v = &acc[q * 4 / TN][q * 4 % TN];
            const float4 sum = make_float4(alpha * v[0], alpha * v[1], alpha * v[2], alpha * v[3]);
            if (GROUPS > 1)
                sums[(q * GROUPS + group) * GROUP_THREADS] = sum;
            else
                store_quad(C, ldc, block_m, block_n, M, N, thread, q, sum, beta, vec4);
        }
        if (GROUPS == 1)
            return;
        __syncthreads();
        for (int q = group; q < QUADS; q += GROUPS) {
            float4 sum = sums[q * GROUPS * GROUP_THREADS];
#pragma unroll
            for (int g = 1; g < GROUPS; g++)
                add4(sum, sums[(q * GROUPS + g) * GROUP_THREADS]);
            store_quad(C, ldc, block_m, block_n, M, N, thread, q, sum, beta, vec4);
        }
    }
};

#endif
