/* Beyond the ladder: a warp-specialised kernel for Hopper (sm_90a).
 *
 * What changed since step 10: the warps of a block no longer all do the same.  Eight computing
 * warps own 16x8 outputs a thread and execute little but FMAs; four producer warps move the data:
 * the copy engine (TMA) fetches boxes of A and B, the producers transpose A's, and mbarriers hand
 * the stages from one side to the other.  setmaxnreg gives the registers to those who compute.
 * Why it helps: an issue slot spent on a copy or an address is an FMA lost.
 * What it costs: a chip that has all this, one block an SM, rows aligned to 16 bytes (others are
 * copied to such first).
 * The blocks stay for the whole product (132 on an H200).  Tiles that would not fill a last wave
 * are split along K, as in step 10. */
#include "../../common/sgemm.h"
#include "ptx.cuh"
#include <cudaTypedefs.h>
#include <limits.h>
#include <stdint.h>

#define BM 128
#define BN 256
#define BK 32 /* floats: 128 bytes, the longest row that the copy engine can swizzle */
#define TM 16
#define TN 8
#define STAGES 3

#define COMPUTE_WARPS 8   /* 2 down, 4 across: a warp tile of 64x64 */
#define LANES_M (64 / TM) /* a warp's lanes: 4 down, */
#define LANES_N (64 / TN) /* 8 across */
#define PRODUCER_WARPS 4  /* a warpgroup, which setmaxnreg wants whole */
#define COMPUTE_THREADS (32 * COMPUTE_WARPS)
#define NUM_THREADS (COMPUTE_THREADS + 32 * PRODUCER_WARPS)
/* A thread's registers.  The producers need no 64, but if ptxas must spill for them (at 40 it does)
 * it also gives up the search for registers without bank conflicts in the main loop. */
#define COMPUTE_REGISTERS 208
#define PRODUCER_REGISTERS 64
static_assert(COMPUTE_THREADS * COMPUTE_REGISTERS + 32 * PRODUCER_WARPS * PRODUCER_REGISTERS <=
                  65536,
              "the register file of an SM");

/* The unrolled part of the main loop: 8 k, 1024 FMAs, 17 KB of code.  Twice that is slower. */
#define BODY_K 8
#define BODIES (BK / BODY_K)

/* Nanoseconds that half of the computing warps begin later.  Any number from 0 to 2000 is as fast,
 * but with the wait, and with its time as an argument, ptxas deals the main loop the fastest
 * listing known (README, "The listing is a lottery"). */
#define STAGGER 1000

/* Tile rows that are walked down before the next tile column: the blocks that run together share
 * rows of A and columns of B in the L2. */
#define GROUP_M 16

/* Slices that are worth a fix-up. */
#define MIN_SHARE 4

/* Rows or columns left over by whole tiles are computed apart if they are as few as this. */
#define MAX_EDGE 2

/* A slice on its way to the computing warps.  raw_A stands where the period of the copy engine's
 * swizzle begins, 1024 bytes; and last, because the computing warps read one row beyond A and B
 * (and do not use it): that is still this slice. */
struct stage {
    float A[BK][BM]; /* transposed by the producers */
    float B[BK][BN];
    float raw_A[BM][BK]; /* as the copy engine brings it */
};

/* A warp's rows of C on their way to memory where 16-byte stores are not legal; padded so that the
 * 16-byte stores to it meet no bank twice. */
#define OUT_ROWS LANES_M
#define OUT_COLUMNS 64
#define OUT_PITCH (OUT_COLUMNS + 8)

struct shared {
    struct stage stages[STAGES];
    float out[COMPUTE_WARPS][OUT_ROWS][OUT_PITCH];
    uint64_t loaded[STAGES]; /* raw_A and B are there */
    uint64_t full[STAGES];   /* and A too */
    uint64_t empty[STAGES];  /* the computing warps have read all of it */
};

struct args {
    int M, N, K;
    float alpha, beta;
    float *C;
    int ldc;
    int stagger;          /* ns that half of the computing warps begin later */
    bool wide;            /* 16-byte stores to C are legal */
    int tiles_m, tiles_n; /* tiles of C */
    int slices;           /* of K, a tile */
    int split_tiles;      /* the first tiles are split along K, */
    int share;            /* this many slices for a block; the other tiles are not */
    float4 *partial;      /* [block][row of a thread's patch][quad][computing thread] */
    int *ready;           /* [block][computing warp]: its partial sums are in memory */
};

/* A piece of work: the slices first to last-1 of a tile. */
struct piece {
    int tile, first, last;
};

/* What a block still has to do: its share of the split tiles and every gridDim.x-th of the whole
 * tiles. */
struct work {
    int next, end; /* the share: slices, counted through all split tiles */
    int tile;
};

static __device__ __forceinline__ int share_begin(const struct args &p, int block)
{
    return min(p.share * block, p.slices * p.split_tiles);
}

static __device__ __forceinline__ struct work work_begin(const struct args &p)
{
    const int block = blockIdx.x;
    return {share_begin(p, block), share_begin(p, block + 1), p.split_tiles + block};
}

/* First a piece that does not begin its tile: another block waits for it.  Last the beginning of a
 * tile: by then the others have done the rest of it. */
static __device__ __forceinline__ bool work_next(const struct args &p, struct work &w,
                                                 struct piece &piece)
{
    const bool whole = w.tile < p.tiles_m * p.tiles_n;
    if (w.next < w.end && (w.next % p.slices != 0 || !whole)) {
        piece.tile = w.next / p.slices;
        piece.first = w.next % p.slices;
        piece.last = min(p.slices, piece.first + w.end - w.next);
        w.next += piece.last - piece.first;
        return true;
    }
    piece = {w.tile, 0, p.slices};
    w.tile += gridDim.x;
    return whole;
}

static __device__ __forceinline__ void tile_origin(const struct args &p, int tile, int &block_m,
                                                   int &block_n)
{
    const int group = tile / (GROUP_M * p.tiles_n), in_group = tile % (GROUP_M * p.tiles_n);
    const int rows = min(GROUP_M, p.tiles_m - group * GROUP_M);
    block_m = (group * GROUP_M + in_group % rows) * BM;
    block_n = in_group / rows * BN;
}

/* The n-th slice of a block goes through stage n % STAGES; the phases of its barriers have
 * alternating parity, and the first is even. */
#define PARITY(n) ((n) / STAGES % 2)

/* Transposes this warp's 32 rows of A of slice n.  Lane = row: the swizzle puts 16-byte chunk c of
 * row m at chunk c ^ m % 8, so 8 lanes that load read all banks, and 32 lanes that store write to
 * 32 neighbours. */
static __device__ __forceinline__ void transpose(struct shared &s, unsigned n, int warp, int lane)
{
    struct stage &stage = s.stages[n % STAGES];
    const float *row = stage.raw_A[32 * warp + lane];
    float *column = &stage.A[0][32 * warp + lane];
    mbarrier_wait(shared_address(&s.loaded[n % STAGES]), PARITY(n));
#pragma unroll
    for (int k = 0; k < BK; k += 4) {
        const float4 v = *(const float4 *)&row[(k / 4 ^ lane % 8) * 4];
        column[(k + 0) * BM] = v.x;
        column[(k + 1) * BM] = v.y;
        column[(k + 2) * BM] = v.z;
        column[(k + 3) * BM] = v.w;
    }
    mbarrier_arrive(shared_address(&s.full[n % STAGES]));
}

/* The producer warps take turns to send for a slice, and each transposes a quarter of every slice,
 * one slice behind.  Nobody waits for ever: to send for slice n takes that slice n - STAGES has
 * been multiplied, which takes that it has been transposed, which was done before. */
static __device__ __forceinline__ void produce(const struct args &p, const CUtensorMap &A,
                                               const CUtensorMap &B, struct shared &s)
{
    /* the shuffle tells the compiler that all lanes have the same number */
    const int warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0) - COMPUTE_WARPS;
    const int lane = threadIdx.x % 32;
    unsigned n = 0;

    struct work work = work_begin(p);
    struct piece piece;
    while (work_next(p, work, piece)) {
        int block_m, block_n;
        tile_origin(p, piece.tile, block_m, block_n);
#pragma unroll 1
        for (int slice = piece.first; slice < piece.last; slice++, n++) {
            if (n % PRODUCER_WARPS == warp) {
                struct stage &stage = s.stages[n % STAGES];
                const uint32_t loaded = shared_address(&s.loaded[n % STAGES]);
                mbarrier_wait(shared_address(&s.empty[n % STAGES]), PARITY(n) ^ 1);
                if (lane == 0) {
                    mbarrier_arrive_expect_tx(loaded, sizeof stage.raw_A + sizeof stage.B);
                    tma_load(shared_address(stage.raw_A), &A, slice * BK, block_m, loaded);
                    tma_load(shared_address(stage.B), &B, block_n, slice * BK, loaded);
                }
                __syncwarp();
            }
            if (n != 0)
                transpose(s, n - 1, warp, lane);
        }
    }
    if (n != 0)
        transpose(s, n - 1, warp, lane);
}

/* A lane's outputs: rows 4*lane_m + {0..3, 16..19, ...}, columns 4*lane_n + {0..3, 32..35} of the
 * warp tile.  A comes last: then all of a row's FMAs become ready at once, and ptxas leaves their
 * order alone. */
static __device__ __forceinline__ void load_fragments(float a_frag[TM], float b_frag[TN],
                                                      uint32_t As, uint32_t Bs)
{
#pragma unroll
    for (int j = 0; j < TN; j += 4)
        load_quad(&b_frag[j], Bs + LANES_N * j * sizeof(float));
#pragma unroll
    for (int i = 0; i < TM; i += 4)
        load_quad(&a_frag[i], As + LANES_M * i * sizeof(float));
}

/* One k: the outer product of a_frag and b_frag.  The order decides which operands the register
 * file must deliver: a_frag[i] serves a row from the reuse cache, and the rows go to and fro so
 * that b_frag[j] at the turn does too. */
static __device__ __forceinline__ void multiply(float acc[TM][TN], const float a_frag[TM],
                                                const float b_frag[TN])
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int x = 0; x < TN; x++) {
            const int j = i % 2 == 0 ? x : TN - 1 - x;
            acc[i][j] = fmaf(a_frag[i], b_frag[j], acc[i][j]);
        }
}

/* The split tiles' fix-up.  A piece that does not begin its tile leaves its sums in memory, thread
 * by thread, and the block that has the tile's beginning adds them to its own.  Such a piece is the
 * first work of its block, and all blocks run at once (cooperative launch): whoever waits does not
 * wait for ever.
 * Neighbours change places: a 16-byte store gives the sums of four columns registers that follow
 * each other, and so each sum lies in the bank that its column of B does not. */
static __device__ __forceinline__ float4 *partial_row(const struct args &p, int block, int i)
{
    return p.partial + ((size_t)block * TM + i) * (TN / 4 * COMPUTE_THREADS) + threadIdx.x;
}

static __device__ __forceinline__ void partial_store(const struct args &p, const float acc[TM][TN])
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            __stcg(partial_row(p, blockIdx.x, i) + j / 4 * COMPUTE_THREADS,
                   make_float4(acc[i][j + 1], acc[i][j], acc[i][j + 3], acc[i][j + 2]));
    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        atomicExch(&p.ready[blockIdx.x * COMPUTE_WARPS + threadIdx.x / 32], 1);
}

/* Waits for the tile's other pieces, which the next blocks have; returns how many. */
static __device__ __forceinline__ int partial_wait(const struct args &p, int tile)
{
    const int tile_end = (tile + 1) * p.slices;
    int block = blockIdx.x + 1;
    for (; share_begin(p, block) < tile_end; block++)
        if (threadIdx.x % 32 == 0)
            while (atomicAdd(&p.ready[block * COMPUTE_WARPS + threadIdx.x / 32], 0) == 0)
                ;
    __syncwarp();
    __threadfence();
    return block - 1 - blockIdx.x;
}

/* Adds what a helper has left.  All of it before anything is stored: then many loads are on their
 * way at once. */
static __device__ __forceinline__ void partial_add(const struct args &p, int helper,
                                                   float acc[TM][TN])
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            const float4 w =
                __ldcg(partial_row(p, blockIdx.x + helper, i) + j / 4 * COMPUTE_THREADS);
            acc[i][j + 0] += w.y;
            acc[i][j + 1] += w.x;
            acc[i][j + 2] += w.w;
            acc[i][j + 3] += w.z;
        }
}

/* Row m of a thread's patch, from column n on, where 16-byte accesses are legal and all of them are
 * inside C. */
static __device__ __forceinline__ void store_wide(const struct args &p, int m, int n,
                                                  const float v[TN])
{
    if (m >= p.M)
        return;
    float4 *c = (float4 *)&p.C[(size_t)m * p.ldc + n];
#pragma unroll
    for (int j = 0; j < TN / 4; j++) {
        float4 x = make_float4(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
        if (p.beta != 0.0f) {
            const float4 old = c[LANES_N * j];
            x.x += p.beta * old.x;
            x.y += p.beta * old.y;
            x.z += p.beta * old.z;
            x.w += p.beta * old.w;
        }
        c[LANES_N * j] = x;
    }
}

/* The same elsewhere: through shared memory, so that a warp's 4-byte stores are neighbours.  The
 * warp's rows are m, m + 4, ... and its columns n to n + 63. */
static __device__ __forceinline__ void store_narrow(const struct args &p, int m, int n, int lane_m,
                                                    int thread_n, const float v[TN],
                                                    float out[OUT_ROWS][OUT_PITCH], int lane)
{
    __syncwarp();
#pragma unroll
    for (int j = 0; j < TN; j += 4)
        *(float4 *)&out[lane_m][thread_n + LANES_N * j] =
            make_float4(v[j], v[j + 1], v[j + 2], v[j + 3]);
    __syncwarp();
    for (int row = 0; row < OUT_ROWS && m + 4 * row < p.M; row++)
        for (int col = lane; col < OUT_COLUMNS && n + col < p.N; col += 32) {
            float *c = &p.C[(size_t)(m + 4 * row) * p.ldc + n + col];
            const float x = out[row][col];
            *c = p.beta == 0.0f ? x : x + p.beta * *c;
        }
}

/* x, in a register: the compiler cannot compute a shuffle's result anew, as it does with addresses
 * at every slice otherwise. */
static __device__ __forceinline__ uint32_t keep(uint32_t x)
{
    return __shfl_sync(0xffffffff, x, threadIdx.x % 32);
}

static __device__ __forceinline__ void compute(const struct args &p, struct shared &s)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp >= COMPUTE_WARPS / 2)
        __nanosleep(p.stagger);
    const int warp_m = warp / 4 * 64, warp_n = warp % 4 * 64;
    /* Each value of A goes to 8 lanes, each of B to 4.  A 16-byte load takes half the passes if
     * lanes l and l^1, or l and l^2, ask for the same. */
    const int thread_m = 4 * (lane / 4 % 2 * 2 + lane % 2);
    const int thread_n = 4 * (lane / 8 * 2 + lane / 2 % 2);
    const uint32_t A0 = keep(shared_address(&s.stages[0].A[0][warp_m + thread_m]));
    const uint32_t B0 = keep(shared_address(&s.stages[0].B[0][warp_n + thread_n]));
    const uint32_t full = keep(shared_address(s.full));
    unsigned n = 0;

    struct work work = work_begin(p);
    struct piece piece;
    while (work_next(p, work, piece)) {
        float acc[TM][TN] = {};
        /* K may end inside the last slice. */
        int bodies = min(piece.last * BODIES, (p.K + BODY_K - 1) / BODY_K) - piece.first * BODIES;
#pragma unroll 1
        for (; bodies > 0; n++) {
            float a_frag[2][TM], b_frag[2][TN];
            uint32_t As = A0 + n % STAGES * (uint32_t)sizeof(struct stage);
            uint32_t Bs = B0 + n % STAGES * (uint32_t)sizeof(struct stage);
            const uint32_t bar = full + n % STAGES * (uint32_t)sizeof *s.full;
            const int now = min(bodies, BODIES);
            bodies -= now;
            mbarrier_wait(bar, PARITY(n));
            load_fragments(a_frag[0], b_frag[0], As, Bs);
            const uint32_t end = As + now * (uint32_t)(BODY_K * BM * sizeof(float));
#pragma unroll 1
            do {
#pragma unroll
                for (int k = 0; k < BODY_K; k++) {
                    /* after the last body not used */
                    load_fragments(a_frag[(k + 1) % 2], b_frag[(k + 1) % 2],
                                   As + (k + 1) * BM * sizeof(float),
                                   Bs + (k + 1) * BN * sizeof(float));
                    multiply(acc, a_frag[k % 2], b_frag[k % 2]);
                }
                As += BODY_K * BM * sizeof(float);
                Bs += BODY_K * BN * sizeof(float);
            } while (As != end);
            mbarrier_arrive(bar + sizeof s.full); /* empty */
        }

        if (piece.first != 0) {
            partial_store(p, acc);
            continue;
        }
        const int helpers = piece.last == p.slices ? 0 : partial_wait(p, piece.tile);
        for (int h = 1; h <= helpers; h++)
            partial_add(p, h, acc);
        int block_m, block_n;
        tile_origin(p, piece.tile, block_m, block_n);
        const int n0 = block_n + warp_n;
#pragma unroll
        for (int i = 0; i < TM; i++) {
            /* Scaled before it is stored: a 16-byte store of the sums themselves would make ptxas
             * give them registers that conflict with b_frag's. */
            float v[TN];
#pragma unroll
            for (int j = 0; j < TN; j++)
                v[j] = p.alpha * acc[i][j];
            const int m = block_m + warp_m + i / 4 * (4 * LANES_M) + i % 4; /* lane_m = 0 */
            if (p.wide && n0 + OUT_COLUMNS <= p.N)
                store_wide(p, m + thread_m, n0 + thread_n, v);
            else
                store_narrow(p, m, n0, thread_m / 4, thread_n, v, s.out[warp], lane);
        }
    }
}

static __global__ void __launch_bounds__(NUM_THREADS, 1)
    sgemm_hopper(const __grid_constant__ struct args p, const __grid_constant__ CUtensorMap A,
                 const __grid_constant__ CUtensorMap B)
{
    extern __shared__ __align__(1024) char dynamic_smem[]; /* the swizzle's period */
    struct shared &s = *(struct shared *)dynamic_smem;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            mbarrier_init(shared_address(&s.loaded[i]), 1);
            mbarrier_init(shared_address(&s.full[i]), 32 * PRODUCER_WARPS);
            mbarrier_init(shared_address(&s.empty[i]), COMPUTE_THREADS);
        }
        fence_mbarrier_init();
    }
    launch_dependents(); /* the next launch may set itself up, */
    __syncthreads();
    wait_for_prerequisites(); /* and this one begins after the last has written its results */

    if (threadIdx.x < COMPUTE_THREADS) {
        setmaxnreg_inc<COMPUTE_REGISTERS>();
        compute(p, s);
    } else {
        setmaxnreg_dec<PRODUCER_REGISTERS>();
        produce(p, A, B, s);
    }
}

/* What the main kernel leaves to others: the edges of C and the rows of A and B that must be copied
 * to where they are aligned.  Blocks are numbered through: rows of C below the whole tiles first,
 * then rows of A, then rows of B. */
#define SIDE_THREADS 512
#define SIDE_WARPS (SIDE_THREADS / 32)

struct side_args {
    int M, N, K;
    float alpha, beta;
    const float *A, *B;
    float *C;
    int lda, ldb, ldc;
    int tiled_m, tiled_n;         /* the main kernel computes C[0..tiled_m-1][0..tiled_n-1] */
    int below, rows_A, rows_B;    /* blocks for each */
    float *aligned_A, *aligned_B; /* NULL: not needed */
    int aligned_lda, aligned_ldb;
};

static __device__ void edge_store(const struct side_args &p, int m, int n, float sum)
{
    float *c = &p.C[(size_t)m * p.ldc + n];
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

/* 32 columns of the rows below: lane = column, every warp takes a part of K, and their sums meet in
 * shared memory. */
static __device__ void edge_below(const struct side_args &p, int block, float (*sums)[MAX_EDGE][32])
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int n = block * 32 + lane;
    float acc[MAX_EDGE] = {};
    if (n < p.N)
#pragma unroll 8
        for (int k = warp; k < p.K; k += SIDE_WARPS) {
            const float b = p.B[(size_t)k * p.ldb + n];
#pragma unroll
            for (int e = 0; e < MAX_EDGE; e++)
                if (p.tiled_m + e < p.M)
                    acc[e] = fmaf(p.A[(size_t)(p.tiled_m + e) * p.lda + k], b, acc[e]);
        }
#pragma unroll
    for (int e = 0; e < MAX_EDGE; e++)
        sums[warp][e][lane] = acc[e];
    __syncthreads();
    if (p.tiled_m + warp < p.M && n < p.N) {
        float sum = 0.0f;
        for (int w = 0; w < SIDE_WARPS; w++)
            sum += sums[w][warp][lane];
        edge_store(p, p.tiled_m + warp, n, sum);
    }
}

/* A warp a row of A: copied, and multiplied by the columns of B that the tiles leave over, which
 * the block gathers in shared memory first. */
static __device__ void row_of_A(const struct side_args &p, int block, float (*column)[SIDE_THREADS])
{
    const int lane = threadIdx.x % 32;
    const int m = block * SIDE_WARPS + threadIdx.x / 32;
    const float *src = &p.A[(size_t)m * p.lda];
    float *dst = &p.aligned_A[(size_t)m * p.aligned_lda];
    float acc[MAX_EDGE] = {};
    for (int k0 = 0; k0 < p.K; k0 += SIDE_THREADS) {
        float a[SIDE_WARPS]; /* all loads of a round are on their way before the first is used */
#pragma unroll
        for (int i = 0; i < SIDE_WARPS; i++) {
            const int k = k0 + 32 * i + lane;
            a[i] = m < p.M && k < p.K ? src[k] : 0.0f;
        }
        const int k = k0 + threadIdx.x;
#pragma unroll
        for (int e = 0; e < MAX_EDGE; e++)
            column[e][threadIdx.x] =
                k < p.K && p.tiled_n + e < p.N ? p.B[(size_t)k * p.ldb + p.tiled_n + e] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SIDE_WARPS; i++) {
            const int k = k0 + 32 * i + lane;
            if (p.aligned_A && m < p.M && k < p.K)
                dst[k] = a[i];
#pragma unroll
            for (int e = 0; e < MAX_EDGE; e++)
                acc[e] = fmaf(a[i], column[e][32 * i + lane], acc[e]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < MAX_EDGE; e++) {
        for (int step = 16; step > 0; step /= 2)
            acc[e] += __shfl_xor_sync(0xffffffff, acc[e], step);
        if (lane == 0 && m < p.tiled_m && p.tiled_n + e < p.N)
            edge_store(p, m, p.tiled_n + e, acc[e]);
    }
}

/* A warp a row of B. */
static __device__ void row_of_B(const struct side_args &p, int block)
{
    const int k = block * SIDE_WARPS + threadIdx.x / 32;
    if (k >= p.K)
        return;
    const float *__restrict__ src = &p.B[(size_t)k * p.ldb];
    float *__restrict__ dst = &p.aligned_B[(size_t)k * p.aligned_ldb];
#pragma unroll 8
    for (int n = threadIdx.x % 32; n < p.N; n += 32)
        dst[n] = src[n];
}

static __global__ void __launch_bounds__(SIDE_THREADS)
    sgemm_side(const __grid_constant__ struct side_args p)
{
    __shared__ union {
        float sums[SIDE_WARPS][MAX_EDGE][32];
        float column[MAX_EDGE][SIDE_THREADS];
    } s;
    const int block = blockIdx.x;
    if (block < p.below)
        edge_below(p, block, s.sums);
    else if (block < p.below + p.rows_A)
        row_of_A(p, block - p.below, s.column);
    else
        row_of_B(p, block - p.below - p.rows_A);
}

/* Memory that comes and goes with the stream's order, from a pool that keeps what it has had. */
static cudaError_t workspace_alloc(void **p, size_t size, int device, cudaStream_t stream)
{
    static cudaMemPool_t pools[64];
    if (device >= 64)
        return cudaErrorInvalidDevice;
    if (!pools[device]) {
        cudaMemPoolProps props = {};
        props.allocType = cudaMemAllocationTypePinned;
        props.location.type = cudaMemLocationTypeDevice;
        props.location.id = device;
        cudaError_t err = cudaMemPoolCreate(&pools[device], &props);
        if (err != cudaSuccess)
            return err;
        uint64_t keep = UINT64_MAX;
        err = cudaMemPoolSetAttribute(pools[device], cudaMemPoolAttrReleaseThreshold, &keep);
        if (err != cudaSuccess)
            return err;
    }
    return cudaMallocFromPoolAsync(p, size, pools[device], stream);
}

/* Describes a matrix to the copy engine. */
static cudaError_t tensor_map(CUtensorMap *map, const float *p, int rows, int cols, int ld,
                              int box_rows, int box_cols, CUtensorMapSwizzle swizzle)
{
    static PFN_cuTensorMapEncodeTiled_v12000 encode;
    if (!encode) {
        void *symbol = nullptr;
        cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
        cudaError_t err = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &symbol, 12000,
                                                           cudaEnableDefault, &found);
#else
        cudaError_t err =
            cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &symbol, cudaEnableDefault, &found);
#endif
        if (err != cudaSuccess)
            return err;
        if (found != cudaDriverEntryPointSuccess)
            return cudaErrorInsufficientDriver;
        encode = (PFN_cuTensorMapEncodeTiled_v12000)symbol;
    }
    const cuuint64_t size[2] = {(cuuint64_t)cols, (cuuint64_t)rows};
    const cuuint64_t pitch[1] = {(cuuint64_t)ld * sizeof(float)};
    const cuuint32_t box[2] = {(cuuint32_t)box_cols, (cuuint32_t)box_rows};
    const cuuint32_t step[2] = {1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)p, size, pitch, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static bool aligned(const float *p, int ld)
{
    return (uintptr_t)p % 16 == 0 && ld % 4 == 0;
}

/* The part of a dimension that whole tiles cover, if the rest is a thin edge; else all of it. */
static int tiled(int size, int tile)
{
    return size % tile <= MAX_EDGE ? size - size % tile : size;
}

cudaError_t sgemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                  int ldb, float beta, float *C, int ldc, cudaStream_t stream)
{
    if (M == 0 || N == 0)
        return cudaSuccess;
    if (alpha == 0.0f)
        K = 0; /* A and B must not be read */

    cudaError_t err;
    int device, sms;
    if ((err = cudaGetDevice(&device)) != cudaSuccess ||
        (err = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess)
        return err;

    struct args p = {M, N, K, alpha, beta, C, ldc, STAGGER, aligned(C, ldc)};
    p.M = tiled(M, BM);
    p.N = tiled(N, BN);
    if (p.M == 0)
        p.N = N; /* all of C is one edge: the rows below */
    else if (p.N == 0)
        p.M = M; /* the columns at the right */
    p.tiles_m = (p.M + BM - 1) / BM;
    p.tiles_n = (p.N + BN - 1) / BN;
    p.slices = (K + BK - 1) / BK;
    const int64_t tiles = (int64_t)p.tiles_m * p.tiles_n;
    p.split_tiles = (int)(tiles % sms);
    if (tiles < sms && tiles * 4 > sms * 3)
        p.split_tiles = 0; /* the fix-up costs more than the idle SMs */
    if (p.slices == 0 || p.slices > INT_MAX / (sms + 1) - 1)
        p.split_tiles = 0; /* slices are counted through in an int */
    p.share = max((int)(((int64_t)p.slices * p.split_tiles + sms - 1) / sms), MIN_SHARE);
    const int blocks = p.split_tiles != 0 || tiles > sms ? sms : (int)tiles;

    struct side_args side = {M, N, K, alpha, beta, A, B, C, lda, ldb, ldc, p.M, p.N};
    side.below = M == p.M ? 0 : (N + 31) / 32;
    const bool copy_A = tiles != 0 && K != 0 && !aligned(A, lda);
    const bool copy_B = tiles != 0 && K != 0 && !aligned(B, ldb);
    side.rows_A = copy_A || N != p.N ? (M + SIDE_WARPS - 1) / SIDE_WARPS : 0;
    side.rows_B = copy_B ? (K + SIDE_WARPS - 1) / SIDE_WARPS : 0;
    side.aligned_lda = (K + 3) / 4 * 4;
    side.aligned_ldb = (N + 3) / 4 * 4;

    /* One workspace for all: parts are multiples of 16 bytes. */
    const size_t size_A = copy_A ? (size_t)M * side.aligned_lda * sizeof(float) : 0;
    const size_t size_B = copy_B ? (size_t)K * side.aligned_ldb * sizeof(float) : 0;
    const size_t size_partial = p.split_tiles ? (size_t)blocks * BM * BN * sizeof(float) : 0;
    const size_t size_ready = p.split_tiles ? (size_t)blocks * COMPUTE_WARPS * sizeof(int) : 0;
    char *workspace = nullptr;
    if (size_A + size_B + size_partial != 0) {
        err = workspace_alloc((void **)&workspace, size_A + size_B + size_partial + size_ready,
                              device, stream);
        if (err != cudaSuccess)
            return err;
        if (copy_A) {
            side.aligned_A = (float *)workspace;
            A = side.aligned_A;
            lda = side.aligned_lda;
        }
        if (copy_B) {
            side.aligned_B = (float *)(workspace + size_A);
            B = side.aligned_B;
            ldb = side.aligned_ldb;
        }
        p.partial = (float4 *)(workspace + size_A + size_B);
        p.ready = (int *)(workspace + size_A + size_B + size_partial);
    }

    const int side_blocks = side.below + side.rows_A + side.rows_B;
    if (side_blocks != 0)
        sgemm_side<<<side_blocks, SIDE_THREADS, 0, stream>>>(side);
    err = cudaGetLastError();
    if (err == cudaSuccess && size_ready != 0)
        err = cudaMemsetAsync(p.ready, 0, size_ready, stream);
    if (err == cudaSuccess && tiles != 0) {
        CUtensorMap map_A = {}, map_B = {};
        if (K != 0) {
            err = tensor_map(&map_A, A, p.M, K, lda, BM, BK, CU_TENSOR_MAP_SWIZZLE_128B);
            if (err == cudaSuccess)
                err = tensor_map(&map_B, B, K, p.N, ldb, BK, BN, CU_TENSOR_MAP_SWIZZLE_NONE);
        }
        if (err == cudaSuccess)
            err = cudaFuncSetAttribute((const void *)sgemm_hopper,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       (int)sizeof(struct shared));
        if (err == cudaSuccess) {
            /* Blocks that wait for each other must all run at once; others may be set up while the
             * launch before still runs. */
            cudaLaunchAttribute attr = {};
            if (p.split_tiles != 0) {
                attr.id = cudaLaunchAttributeCooperative;
                attr.val.cooperative = 1;
            } else {
                attr.id = cudaLaunchAttributeProgrammaticStreamSerialization;
                attr.val.programmaticStreamSerializationAllowed = 1;
            }
            cudaLaunchConfig_t config = {};
            config.gridDim = dim3(blocks);
            config.blockDim = dim3(NUM_THREADS);
            config.dynamicSmemBytes = sizeof(struct shared);
            config.stream = stream;
            config.attrs = &attr;
            config.numAttrs = 1;
            err = cudaLaunchKernelEx(&config, sgemm_hopper, p, map_A, map_B);
        }
    }
    if (workspace) {
        const cudaError_t freed = cudaFreeAsync(workspace, stream);
        err = err != cudaSuccess ? err : freed;
    }
    return err;
}

const struct kernel_info sgemm_kernels[] = {
    /* name, func, threads, smem, bm, bn, bk, tm, tn, stages, width */
    {"sgemm_hopper", (const void *)sgemm_hopper, NUM_THREADS, (int)sizeof(struct shared), BM, BN,
     BK, TM, TN, STAGES, 4},
    {"sgemm_side", (const void *)sgemm_side, SIDE_THREADS, 0, SIDE_WARPS, 32, 1, 1, 1, 0, 1},
    {},
};
