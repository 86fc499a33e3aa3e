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
 * GROUPS of every slice; STAGES: slices in shared memory; BLOCKS: resident blocks an SM.  What
 * follows is measured: RATE, the share of the SM's 128 FMA a cycle in a long K where all resident
 * blocks are there, ALONE, where one is; START, cycles to fill the pipeline and to store the tile.
 */
#define VARIANTS(V)                                                                                \
    /* BM  BN  BK  WM  WN  TM TN GROUPS STAGES BLOCKS RATE ALONE START */                          \
    V(128, 256, 64, 64, 64, 16, 8, 1, 2, 1, 0.81, 0.81, 10600)                                     \
    V(128, 256, 32, 64, 64, 16, 8, 1, 2, 1, 0.78, 0.78, 10600)                                     \
    V(128, 128, 16, 64, 64, 8, 16, 1, 3, 2, 0.70, 0.62, 6200)                                      \
    V(64, 128, 64, 64, 64, 8, 16, 4, 2, 1, 0.76, 0.76, 5800)                                       \
    V(32, 64, 128, 32, 64, 8, 8, 8, 2, 1, 0.61, 0.61, 3100)                                        \
    V(32, 64, 64, 32, 64, 8, 8, 4, 2, 2, 0.62, 0.46, 2600)                                         \
    V(16, 32, 128, 16, 32, 4, 4, 8, 2, 2, 0.44, 0.35, 2100)

struct variant {
    int bm, bn, bk, wm, wn, tm, tn, groups, stages, blocks;
    double rate, alone, start;
    int threads;
    int smem; /* bytes a block */
};

/* A's tile is stored transposed; 4 more floats a row keep the fill free of bank conflicts. */
#define PLAN_PAD 4
#define PLAN_THREADS(BM, BN, TM, TN, GROUPS) ((BM) * (BN) / ((TM) * (TN)) * (GROUPS))
/* Bytes: the stages, and after them, in the same place, the sums of all groups. */
#define PLAN_SMEM(BM, BN, BK, GROUPS, STAGES)                                                      \
    (4 * ((GROUPS) > 1 && (GROUPS) * (BM) * (BN) > (STAGES) * (BK) * ((BM) + PLAN_PAD + (BN))      \
              ? (GROUPS) * (BM) * (BN)                                                             \
              : (STAGES) * (BK) * ((BM) + PLAN_PAD + (BN))))
/* Packed matrices: rows of whole lines of 128 bytes, so that no load straddles two; K in fours. */
#define PLAN_PITCH(COLUMNS) (((size_t)(COLUMNS) + 31) / 32 * 32)
#define PLAN_DEPTH(K) (((K) + 3) / 4 * 4)
/* Rows or columns beyond the last whole tile that are left to dot products. */
#define PLAN_MAX_THIN 4

/* What a block of the edges' kernel reads, and of the fix-up. */
#define PLAN_EDGE_COLUMNS 16 /* of B */
#define PLAN_EDGE_ROWS 16    /* of A, one a warp */
#define PLAN_FIX_UP_THREADS 128

/* Ends with a row whose bm is 0. */
extern const struct variant plan_variants[];

/* Tiles 0..whole-1 have a block each.  The tail_tiles after them are cut along K into pieces of
 * `share` slices and one of what is left, with a block each: first the blocks with the first piece
 * of every tile, then those with the second, and so on.  So the short pieces come last, and fill
 * the SMs that the long ones leave free. */
struct schedule {
    int tiles_n; /* tiles in a row of C */
    int slices;  /* of a tile, at least 1 */
    int whole, tail_tiles, share;
};

/* What a block computes: slices first..last-1 of a tile. */
struct piece {
    int tile, first, last;
};

PLAN_INLINE struct piece schedule_piece(const struct schedule *s, int block)
{
    if (block < s->whole) {
        const struct piece all = {block, 0, s->slices};
        return all;
    }
    const int at = block - s->whole, first = at / s->tail_tiles * s->share;
    const struct piece p = {s->whole + at % s->tail_tiles, first,
                            s->slices - first < s->share ? s->slices : first + s->share};
    return p;
}

/* Pieces of a tile of the tail. */
PLAN_INLINE int schedule_pieces(const struct schedule *s)
{
    return (s->slices - 1) / s->share + 1;
}

struct card {
    int sms;
    int smem_block, smem_sm; /* bytes of shared memory a block (opted in) and an SM can have */
};

struct plan {
    int variant; /* row of plan_variants[]; -1: the card holds none */
    int M, N; /* what the tiles cover; the rest, a few rows and columns, is left to dot products */
    bool pack_A, pack_B; /* is first copied to rows of whole float4 */
    struct schedule schedule;
    double blocks; /* may pass INT_MAX for sizes that no memory holds */
    int resident;  /* blocks an SM */
    /* Blocks of the kernels before and after: the edges', those of B first, and the fix-up. */
    int edge_b_blocks, edge_a_blocks, fix_up_blocks;
    double cycles; /* estimate for the busiest SM */
    /* The workspace: sums of pieces, packed A and B. */
    size_t partial_bytes, packed_A_bytes, packed_B_bytes;
};

#ifdef __cplusplus
extern "C" {
#endif

/* The plan with the lowest estimate.  vec4_A, vec4_B: the rows of A, of B, are float4. */
struct plan plan_make(int M, int N, int K, bool vec4_A, bool vec4_B, const struct card *card);

/* Row of plan_variants[] that plans are made of, for tests and `make tune`; -1: any. */
extern int plan_only;

/* The current device, in kernel.cu: 0, or a cudaError_t. */
int card_read(struct card *card);

/* Prints who does what, as a chart. */
void plan_print(int M, int N, int K, const struct plan *plan, const struct card *card);

#ifdef __cplusplus
}
#endif

#endif
