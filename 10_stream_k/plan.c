/* The planner: an estimate of the busiest SM's work for each variant and each way to deal it. */
#include "plan.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW(BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, BLOCKS, A_REGS, RATE, START)               \
    {BM,                                                                                           \
     BN,                                                                                           \
     BK,                                                                                           \
     WM,                                                                                           \
     WN,                                                                                           \
     TM,                                                                                           \
     TN,                                                                                           \
     GROUPS,                                                                                       \
     STAGES,                                                                                       \
     BLOCKS,                                                                                       \
     RATE,                                                                                         \
     START,                                                                                        \
     PLAN_THREADS(BM, BN, TM, TN, GROUPS),                                                         \
     PLAN_SMEM(BM, BN, BK, STAGES)},
const struct variant plan_variants[] = {VARIANTS(ROW){0}};

/* Pieces of a tile: beyond a few, the owner waits longer for its peers than it saves.  Where there
 * is no full wave (split-K), the SMs would idle otherwise. */
#define MAX_PIECES 4
#define MAX_SPLIT_K 32
/* Cycles of a fix-up, and the bytes of sums that an SM then leaves and adds a cycle: rough fits to
 * timings on an H200, as is all that follows. */
#define FIX_UP 8000.0
#define L2_BYTES 6.0
/* What copies of 4 bytes cost, as a factor on the cycles of a slice. */
#define NARROW 1.3
/* One more launch, cycles; floats that an SM copies, or multiplies as dot products, a cycle. */
#define LAUNCH 4000.0
#define PACK_FLOATS 0.6
#define THIN_FLOATS 1.0
/* Rows or columns beyond the last whole tile that are left to dot products. */
#define MAX_THIN 4

struct search {
    const struct variant *v;
    int64_t tiles_n, slices;
    double tiles;
    int sms;
    double slice_cycles; /* of an SM, for one block's slice */
    double extra;        /* cycles before and after the tiles */
    struct plan plan;    /* what is decided already */
};

/* Cycles of the busiest SM, `whole` tiles by a block each and the rest by tail_blocks blocks. */
static double estimate(const struct search *s, double whole, double tail_tiles, double tail_blocks,
                       double pieces)
{
    const double slots = (double)s->sms * s->plan.resident;
    double cycles = s->extra + ceil(whole / s->sms) * (double)s->slices * s->slice_cycles +
                    ceil(whole / slots) * s->v->start;
    if (tail_blocks > 0) {
        const double share = ceil(tail_tiles * (double)s->slices / tail_blocks);
        cycles += ceil(tail_blocks / s->sms) * share * s->slice_cycles + s->v->start + FIX_UP +
                  ceil(tail_blocks / s->sms) * pieces * s->v->bm * s->v->bn * 4 / L2_BYTES;
    }
    return cycles;
}

/* The most pieces that a tile is cut into, or more than that: equal ranges need not begin where a
 * tile does. */
static int64_t most_pieces(const struct search *s, int64_t tail_tiles, int64_t tail_blocks)
{
    if (tail_blocks % tail_tiles == 0)
        return tail_blocks / tail_tiles;
    const int64_t share = tail_tiles * s->slices / tail_blocks;
    return share == 0 ? INT_MAX : (s->slices + share - 2) / share + 1;
}

static void consider(struct plan *best, const struct search *s, double whole, int tail_tiles,
                     int64_t tail_blocks)
{
    int64_t pieces = 0;
    if (tail_blocks > 0) {
        pieces = most_pieces(s, tail_tiles, tail_blocks);
        if (pieces > (whole > 0 ? MAX_PIECES : MAX_SPLIT_K) ||
            tail_tiles * s->slices / tail_blocks < s->v->stages)
            return;
    }
    const double cycles = estimate(s, whole, tail_tiles, (double)tail_blocks, (double)pieces);
    if (best->variant >= 0 && best->cycles <= cycles)
        return;
    *best = s->plan;
    best->schedule =
        (struct schedule){(int)s->tiles_n, (int)s->slices, whole < INT_MAX ? (int)whole : INT_MAX,
                          tail_tiles, (int)tail_blocks};
    best->blocks = whole + (double)tail_blocks;
    best->cycles = cycles;
    best->partial_bytes = (size_t)tail_blocks * (size_t)s->v->bm * (size_t)s->v->bn * 4;
    best->flag_bytes = ((size_t)tail_blocks * 4 + 15) / 16 * 16; /* float4 follow */
}

/* The ways to deal the tiles of one variant. */
static void deal(struct plan *best, const struct search *s)
{
    const int slots = s->sms * s->plan.resident, rest = (int)fmod(s->tiles, slots);
    consider(best, s, s->tiles, 0, 0);
    if (rest == 0)
        return;
    for (int split = 2; split <= MAX_SPLIT_K && (int64_t)split * rest <= slots; split++)
        consider(best, s, s->tiles - rest, rest, (int64_t)split * rest);
    consider(best, s, s->tiles - rest, rest, slots);
    if (s->tiles > slots) /* the last full wave is dealt as well: longer ranges, fewer pieces */
        consider(best, s, s->tiles - rest - slots, rest + slots, slots);
}

/* Size without what a tile of `unit` leaves over, if that is thin. */
static int peel(int size, int unit)
{
    return size > unit && size % unit <= MAX_THIN ? size - size % unit : size;
}

/* One variant, with and without peeling. */
static void try_variant(struct plan *best, const struct variant *v, int M, int N, int K, bool vec4,
                        bool pack, const struct card *card)
{
    const double m = M, n = N, k = K;
    struct search s = {.v = v, .sms = card->sms};
    s.plan.variant = (int)(v - plan_variants);
    s.plan.vec4 = vec4 || pack;
    s.plan.pack = pack;
    s.plan.resident = v->blocks;
    while (s.plan.resident > 1 && s.plan.resident * (v->smem + 1024) > card->smem_sm)
        s.plan.resident--; /* the card keeps 1 KB a block for itself */
    s.slices = K > 0 ? ((int64_t)K + v->bk - 1) / v->bk : 1;
    s.slice_cycles = (double)v->bm * v->bn * v->bk / 128 / v->rate * (s.plan.vec4 ? 1.0 : NARROW);
    for (int peeled = 0; peeled < 2; peeled++) {
        s.plan.M = peeled ? peel(M, v->bm) : M;
        s.plan.N = peeled ? peel(N, v->bn) : N;
        if (peeled && s.plan.M == M && s.plan.N == N)
            continue;
        s.extra = 0;
        if (pack) {
            s.plan.packed_bytes = ((size_t)M * PLAN_PITCH(K) + (size_t)K * PLAN_PITCH(N)) * 4;
            s.extra += 2 * LAUNCH + (m * k + k * n) / PACK_FLOATS / s.sms;
        }
        if (peeled)
            s.extra +=
                LAUNCH + (n * k * (M - s.plan.M) + m * k * (N - s.plan.N)) / THIN_FLOATS / s.sms;
        s.tiles_n = ((int64_t)s.plan.N + v->bn - 1) / v->bn;
        s.tiles = (double)(((int64_t)s.plan.M + v->bm - 1) / v->bm) * (double)s.tiles_n;
        deal(best, &s);
    }
}

struct plan plan_make(int M, int N, int K, bool vec4, const struct card *card)
{
    struct plan best = {.variant = -1};
    for (const struct variant *v = plan_variants; v->bm; v++) {
        if (v->smem > card->smem_block)
            continue;
        try_variant(&best, v, M, N, K, vec4, false, card);
        if (!vec4 && K > 0)
            try_variant(&best, v, M, N, K, vec4, true, card);
    }
    return best;
}

#define BAR 60

/* A bar as long as an SM's time: '#' for whole tiles, '/' for ranges cut along K, '.' for idle. */
static void print_bar(int first, int last, double whole, double tail, double total)
{
    const int w = (int)(BAR * whole / total + 0.5), t = (int)(BAR * (whole + tail) / total + 0.5);
    printf("  SM %3d-%-3d ", first, last);
    for (int i = 0; i < BAR; i++)
        putchar(i < w ? '#' : i < t ? '/' : '.');
    putchar('\n');
}

/* One bar for all SMs that do the same: blocks are dealt in turn. */
void plan_print(int M, int N, int K, const struct plan *plan, const struct card *card)
{
    printf("M=%d N=%d K=%d: ", M, N, K);
    if (M == 0 || N == 0 || plan->variant < 0) {
        printf("%s\n\n", M == 0 || N == 0 ? "C is empty" : "this card holds no variant");
        return;
    }
    const struct variant *v = &plan_variants[plan->variant];
    const struct schedule *s = &plan->schedule;
    const double slots = (double)card->sms * plan->resident;
    const double share = s->tail_blocks ? (double)s->tail_tiles * s->slices / s->tail_blocks : 0;
    printf("tile %dx%d, %d group(s) of warps, %d threads, %d block(s) an SM\n", v->bm, v->bn,
           v->groups, v->threads, plan->resident);
    printf("  %.0f blocks on %d SMs, %.2f waves; about %.0f cycles, in which the FMAs alone need "
           "%.0f %%\n",
           plan->blocks, card->sms, plan->blocks / slots, plan->cycles,
           100 * ((double)M * N * K / (128.0 * card->sms * plan->cycles)));
    printf("  whole tiles: %d, of %d slices of %d\n", s->whole, s->slices, v->bk);
    if (s->tail_blocks)
        printf("  cut along K: %d tiles among %d blocks, %.1f slices each\n", s->tail_tiles,
               s->tail_blocks, share);
    if (plan->pack)
        printf("  A and B are copied to aligned rows first: %.1f MB\n",
               (double)plan->packed_bytes / 1e6);
    if (plan->M < M || plan->N < N)
        printf("  rows from %d and columns from %d on: dot products\n", plan->M, plan->N);

    /* In slices; the busiest SM is first in both kinds of work. */
    const double most = ceil((double)s->whole / card->sms) * s->slices +
                        ceil((double)s->tail_blocks / card->sms) * share;
    double idle = 0;
    for (int sm = 0, first = 0; sm < card->sms; sm++) {
        const int whole = (s->whole + card->sms - 1 - sm) / card->sms;
        const int tail = (s->tail_blocks + card->sms - 1 - sm) / card->sms;
        idle += 1 - ((double)whole * s->slices + tail * share) / most;
        const int next = sm + 1;
        if (next == card->sms || (s->whole + card->sms - 1 - next) / card->sms != whole ||
            (s->tail_blocks + card->sms - 1 - next) / card->sms != tail) {
            print_bar(first, sm, (double)whole * s->slices, tail * share, most);
            first = next;
        }
    }
    printf("  idle: %.1f %%\n\n", 100 * idle / card->sms);
}
