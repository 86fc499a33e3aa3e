/* How the tiles of C and the slices of K are dealt to thread blocks: plain C, for the host, for the
 * kernel and for the tests. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define PLAN_INLINE static __host__ __device__ __forceinline__
#else
#define PLAN_INLINE static inline
#endif

/* The variants of the kernel.  BM x BN: a block's tile; BK: depth of a slice of K; WM x WN: a
 * warp's tile; TM x TN: a thread's patch; GROUPS: groups of warps that share a tile, each with BK /
 * GROUPS of every slice; STAGES: slices in shared memory; BLOCKS: resident blocks an SM; A_REGS: A
 * passes through registers in float4 rather than by asynchronous copies of 4 bytes.  RATE: share of
 * the SM's 128 FMA a cycle in a long K; START: cycles to fill the pipeline and to store the tile.
 */
#define VARIANTS(V)                                                                                \
    /* BM   BN  BK  WM   WN TM  TN GROUPS STAGES BLOCKS A_REGS  RATE START */                      \
    V(128, 256, 8, 32, 128, 8, 16, 1, 4, 1, true, 0.74, 4000)                                      \
    V(128, 128, 8, 32, 64, 8, 8, 1, 4, 2, true, 0.72, 3000)                                        \
    V(64, 128, 32, 64, 64, 16, 8, 4, 4, 1, true, 0.64, 4000)                                       \
    V(32, 64, 32, 32, 64, 8, 8, 8, 4, 2, false, 0.48, 4000)                                        \
    V(16, 32, 64, 16, 32, 4, 4, 4, 4, 4, false, 0.33, 2500)

struct variant {
    int bm, bn, bk, wm, wn, tm, tn, groups, stages, blocks;
    double rate, start;
    int threads;
    int smem; /* bytes a block */
};

/* A's tile is stored transposed; 4 more floats a row keep the fill free of bank conflicts. */
#define PLAN_PAD 4
#define PLAN_THREADS(BM, BN, TM, TN, GROUPS) ((BM) * (BN) / ((TM) * (TN)) * (GROUPS))
/* Floats of a packed row: whole lines of 128 bytes, so that no load straddles two. */
#define PLAN_PITCH(COLUMNS) (((size_t)(COLUMNS) + 31) / 32 * 32)
#define PLAN_SMEM(BM, BN, BK, STAGES) ((STAGES) * (BK) * ((BM) + PLAN_PAD + (BN)) * 4)

/* Ends with a row whose bm is 0. */
extern const struct variant plan_variants[];

/* The slices of all tiles, tile by tile, stand in one line.  Block b < whole has tile b to itself.
 * The line of the tail_tiles after them is cut into tail_blocks equal ranges, so a tile may lie in
 * the ranges of several blocks (peers). */
struct schedule {
    int tiles_n;     /* tiles in a row of C */
    int slices;      /* of a tile, at least 1 */
    int whole;       /* tiles that one block computes */
    int tail_tiles;  /* tiles that are dealt by slices */
    int tail_blocks; /* among so many blocks */
};

/* Where the range of a block begins in the line of slices. */
PLAN_INLINE int64_t schedule_begin(const struct schedule *s, int block)
{
    if (block <= s->whole)
        return (int64_t)block * s->slices;
    return (int64_t)s->whole * s->slices +
           (int64_t)s->tail_tiles * s->slices * (block - s->whole) / s->tail_blocks;
}

/* The block whose range holds a slice of the tail. */
PLAN_INLINE int schedule_holder(const struct schedule *s, int64_t slice)
{
    const int64_t total = (int64_t)s->tail_tiles * s->slices;
    const int64_t at = slice - (int64_t)s->whole * s->slices;
    return s->whole + (int)(((at + 1) * s->tail_blocks - 1) / total);
}

/* The last piece of a range: slices first..last-1 of a tile.  Blocks go through their range from
 * its end: what others wait for, the beginning of a tile, comes first; the end of a tile, which
 * makes a block its owner and lets it wait for its peers, comes last.  Peers have lower block
 * numbers. */
struct piece {
    int tile, first, last;
};

PLAN_INLINE struct piece schedule_piece(const struct schedule *s, int64_t begin, int64_t end)
{
    const int64_t tile = (end - 1) / s->slices, start = tile * s->slices;
    const struct piece p = {(int)tile, (int)(begin > start ? begin - start : 0),
                            (int)(end - start)};
    return p;
}

struct card {
    int sms;
    int smem_block, smem_sm; /* bytes of shared memory a block (opted in) and an SM can have */
};

struct plan {
    int variant; /* row of plan_variants[]; -1: the card holds none */
    int M, N;  /* what the tiles cover; the rest, a few rows and columns, is left to dot products */
    bool pack; /* A and B are first copied to rows of whole float4 */
    bool vec4; /* the tiles are filled in float4 */
    struct schedule schedule;
    double blocks; /* may pass INT_MAX for sizes that no memory holds */
    int resident;  /* blocks an SM */
    double cycles; /* estimate for the busiest SM */
    /* The workspace: what peers leave, a flag for each of them, packed A and B. */
    size_t partial_bytes, flag_bytes, packed_bytes;
};

#ifdef __cplusplus
extern "C" {
#endif

/* The plan with the lowest estimate.  vec4: the rows of A and B are float4. */
struct plan plan_make(int M, int N, int K, bool vec4, const struct card *card);

/* The current device, in kernel.cu: 0, or a cudaError_t. */
int card_read(struct card *card);

/* Prints who does what, as a chart. */
void plan_print(int M, int N, int K, const struct plan *plan, const struct card *card);

#ifdef __cplusplus
}
#endif

#endif
