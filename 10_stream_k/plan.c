/* The planner: an estimate of the busiest SM's work for each variant and each way to deal it. */
#include "plan.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROW(BM, BN, BK, WM, WN, TM, TN, GROUPS, STAGES, BLOCKS, RATE, ALONE, START)                \
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
     ALONE,                                                                                        \
     START,                                                                                        \
     PLAN_THREADS(BM, BN, TM, TN, GROUPS),                                                         \
     PLAN_SMEM(BM, BN, BK, GROUPS, STAGES)},
const struct variant plan_variants[] = {VARIANTS(ROW){0}};

int plan_only = -1;

/* Pieces of a tile: beyond a few, the fix-up takes longer than it saves.  Where there is no full
 * wave (split-K), most SMs would idle otherwise. */
#define MAX_PIECES 4
#define MAX_SPLIT_K 132
/* Cycles of a launch; bytes of sums that an SM leaves, or adds, a cycle; cycles of the fix-up for
 * each piece of a tile: fitted to timings on an H200 (make tune), as is all that follows. */
#define LAUNCH 1900.0
#define SUM_BYTES 15.0
#define PIECE 120.0
/* Floats of A and B that an SM copies, or multiplies for the edges, a cycle. */
#define EDGE_FLOATS 2.0

struct search {
    const struct variant *v;
    int64_t tiles_n, slices;
    double tiles;
    int sms;
    double depth;     /* slices that a whole tile takes: those before k = 0 are not all computed */
    double extra;     /* cycles before the tiles */
    struct plan plan; /* what is decided already */
};

/* Cycles of an SM for so many blocks of so many slices: as many at once as are resident. */
static double block_cycles(const struct search *s, double blocks, double slices)
{
    const struct variant *v = s->v;
    const double fma = (double)v->bm * v->bn * v->bk / 128 * slices;
    const double alone = fmod(blocks, s->plan.resident), full = blocks - alone;
    return fma * (full / v->rate + alone / v->alone) + ceil(blocks / s->plan.resident) * v->start;
}

/* Cycles of the busiest SM where `whole` tiles have a block each and the tail is cut as said. */
static double estimate(const struct search *s, double whole, const struct schedule *cut)
{
    double cycles = LAUNCH + s->extra + block_cycles(s, ceil(whole / s->sms), s->depth);
    if (cut->tail_tiles > 0) {
        const double tail = cut->tail_tiles, pieces = schedule_pieces(cut);
        const double length = (double)(s->slices % cut->share),
                     longs = tail * (s->slices / cut->share);
        const double at_once = fmin(s->plan.resident, ceil(tail * pieces / s->sms));
        const double slots = s->sms * at_once, waves = ceil(longs / slots);
        double busy = waves * block_cycles(s, at_once, cut->share);
        if (length > 0) {
            const double left = waves * slots - longs, rest = block_cycles(s, at_once, length);
            if (left > 0)
                busy = fmax(busy, (waves - 1) * block_cycles(s, at_once, cut->share) +
                                      ceil(tail / left) * rest);
            else
                busy += ceil(tail / slots) * rest;
        }
        cycles += busy + LAUNCH + pieces * PIECE +
                  2 * tail * pieces * s->v->bm * s->v->bn * 4 / s->sms / SUM_BYTES;
    }
    return cycles;
}

static void consider(struct plan *best, const struct search *s, double whole, int tail_tiles,
                     int64_t share)
{
    const struct schedule cut = {(int)s->tiles_n, (int)s->slices,
                                 whole < INT_MAX ? (int)whole : INT_MAX, tail_tiles, (int)share};
    const int pieces = tail_tiles > 0 ? schedule_pieces(&cut) : 0;
    if (tail_tiles > 0 && (pieces < 2 || pieces > (whole > 0 ? MAX_PIECES : MAX_SPLIT_K)))
        return;
    const double cycles = estimate(s, whole, &cut);
    if (best->variant >= 0 && best->cycles <= cycles)
        return;
    *best = s->plan;
    best->schedule = cut;
    best->blocks = whole + (double)tail_tiles * pieces;
    best->cycles = cycles;
    best->partial_bytes =
        (size_t)tail_tiles * (size_t)pieces * (size_t)s->v->bm * (size_t)s->v->bn * 4;
}

/* The ways to deal the tiles of one variant. */
static void deal(struct plan *best, const struct search *s)
{
    const int slots = s->sms * s->plan.resident, rest = (int)fmod(s->tiles, slots);
    consider(best, s, s->tiles, 0, 1);
    if (rest == 0)
        return;
    /* Pieces of one length, or n long ones and a short one, `turns` of which take as long as a long
     * one.  The more pieces, the less one more matters: not every number is tried. */
    const int most = s->tiles > rest ? MAX_PIECES : MAX_SPLIT_K;
    const double start = s->v->start * 128 * s->v->rate / s->v->bm / s->v->bn / s->v->bk;
    int64_t last = 0;
    int n = slots / rest < most ? slots / rest : most;
    for (n = n < s->slices ? n : (int)s->slices; n > 0; n -= 1 + n / 8) {
        const int64_t even = (s->slices + n - 1) / n;
        if (even != last)
            consider(best, s, s->tiles - rest, rest, even);
        last = even;
        if (n * rest < slots) {
            const double turns = ceil(rest / (double)(slots - n * rest));
            consider(best, s, s->tiles - rest, rest,
                     (int64_t)ceil(turns * ((double)s->slices + start) / (1 + turns * n)));
        }
    }
}

/* Size without what a tile of `unit` leaves over, if that is thin. */
static int peel(int size, int unit)
{
    return size > unit && size % unit <= PLAN_MAX_THIN ? size - size % unit : size;
}

/* One variant, with and without peeling. */
static void try_variant(struct plan *best, const struct variant *v, int M, int N, int K,
                        bool pack_A, bool pack_B, const struct card *card)
{
    const double a = (double)M * K, b = (double)K * N;
    struct search s = {.v = v, .sms = card->sms};
    s.plan.variant = (int)(v - plan_variants);
    s.plan.pack_A = pack_A;
    s.plan.pack_B = pack_B;
    if (pack_A)
        s.plan.packed_A_bytes = (size_t)M * PLAN_PITCH(K) * 4;
    if (pack_B)
        s.plan.packed_B_bytes = (size_t)PLAN_DEPTH(K) * PLAN_PITCH(N) * 4;
    s.plan.resident = v->blocks;
    while (s.plan.resident > 1 && s.plan.resident * (v->smem + 1024) > card->smem_sm)
        s.plan.resident--; /* the card keeps 1 KB a block for itself */
    s.slices = K > 0 ? ((int64_t)K + v->bk - 1) / v->bk : 1;
    s.depth = fmax(ceil((double)K / (8 * v->groups)), 1) * 8 * v->groups / v->bk;
    for (int peeled = 0; peeled < 2; peeled++) {
        s.plan.M = peeled ? peel(M, v->bm) : M;
        s.plan.N = peeled ? peel(N, v->bn) : N;
        if (peeled && s.plan.M == M && s.plan.N == N)
            continue;
        const bool read_A = pack_A || s.plan.N < N, read_B = pack_B || s.plan.M < M;
        s.extra = read_A || read_B ? LAUNCH : 0;
        s.extra += ((read_A ? a : 0) + (read_B ? b : 0)) / EDGE_FLOATS / s.sms;
        s.tiles_n = ((int64_t)s.plan.N + v->bn - 1) / v->bn;
        s.tiles = (double)(((int64_t)s.plan.M + v->bm - 1) / v->bm) * (double)s.tiles_n;
        deal(best, &s);
    }
}

struct plan plan_make(int M, int N, int K, bool vec4_A, bool vec4_B, const struct card *card)
{
    struct plan best = {.variant = -1};
    /* Where K is not in fours, packed A has zeros beyond it, and B must have rows there too. */
    const bool pack_A = K > 0 && !vec4_A, pack_B = K > 0 && (!vec4_B || K % 4 != 0);
    for (const struct variant *v = plan_variants; v->bm; v++)
        if (v->smem <= card->smem_block && (plan_only < 0 || plan_only == v - plan_variants))
            try_variant(&best, v, M, N, K, pack_A, pack_B, card);
    if (best.variant < 0)
        return best;
    const struct variant *v = &plan_variants[best.variant];
    if (pack_B || best.M < M)
        best.edge_b_blocks = (N - 1) / PLAN_EDGE_COLUMNS + 1;
    if (pack_A || best.N < N)
        best.edge_a_blocks = (M - 1) / PLAN_EDGE_ROWS + 1;
    best.fix_up_blocks = best.schedule.tail_tiles * (v->bm * v->bn / 4 / PLAN_FIX_UP_THREADS);
    return best;
}

#define BAR 60

/* A bar as long as an SM's time: '#' for whole tiles, '/' for pieces of tiles, '.' for idle. */
static void print_bar(int first, int last, double whole, double tail, double total)
{
    const int w = (int)(BAR * whole / total + 0.5), t = (int)(BAR * (whole + tail) / total + 0.5);
    printf("  SM %3d-%-3d ", first, last);
    for (int i = 0; i < BAR; i++)
        putchar(i < w ? '#' : i < t ? '/' : '.');
    putchar('\n');
}

/* The slices of whole tiles that an SM has. */
static double whole_slices(const struct schedule *s, const struct card *card, int sm)
{
    return (double)(((int64_t)s->whole + card->sms - 1 - sm) / card->sms) * s->slices;
}

/* One bar for neighbouring SMs that have the same to do. */
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
    const int pieces = s->tail_tiles > 0 ? schedule_pieces(s) : 0;
    printf("tile %dx%d, %d group(s) of warps, %d threads, %d block(s) an SM\n", v->bm, v->bn,
           v->groups, v->threads, plan->resident);
    printf("  %.0f blocks on %d SMs, %.2f waves; about %.0f cycles, in which the FMAs alone need "
           "%.0f %%\n",
           plan->blocks, card->sms, plan->blocks / slots, plan->cycles,
           100 * ((double)M * N * K / (128.0 * card->sms * plan->cycles)));
    printf("  whole tiles: %d, of %d slices of %d\n", s->whole, s->slices, v->bk);
    if (s->tail_tiles > 0)
        printf("  cut along K: %d tiles, each into %d of %d slices and one of %d\n", s->tail_tiles,
               pieces - 1, s->share, s->slices - (pieces - 1) * s->share);
    if (plan->pack_A || plan->pack_B)
        printf("  %s copied to aligned rows first: %.1f MB\n",
               plan->pack_A && plan->pack_B ? "A and B are"
               : plan->pack_A               ? "A is"
                                            : "B is",
               (double)(plan->packed_A_bytes + plan->packed_B_bytes) / 1e6);
    if (plan->M < M || plan->N < N)
        printf("  rows from %d and columns from %d on: dot products\n", plan->M, plan->N);

    /* In slices.  A block goes to the SM that is free first. */
    int *tail = calloc((size_t)card->sms, sizeof *tail);
    double most = 0, idle = 0;
    for (int block = s->whole; block < s->whole + s->tail_tiles * pieces && tail; block++) {
        const struct piece p = schedule_piece(s, block);
        int free_sm = 0;
        for (int sm = 0; sm < card->sms; sm++)
            if (whole_slices(s, card, sm) + tail[sm] <
                whole_slices(s, card, free_sm) + tail[free_sm])
                free_sm = sm;
        tail[free_sm] += p.last - p.first;
    }
    for (int sm = 0; sm < card->sms && tail; sm++)
        most = fmax(most, whole_slices(s, card, sm) + tail[sm]);
    for (int sm = 0, first = 0; sm < card->sms && tail; sm++) {
        const double whole = whole_slices(s, card, sm);
        idle += 1 - (whole + tail[sm]) / most;
        if (sm + 1 == card->sms || whole_slices(s, card, sm + 1) != whole ||
            tail[sm + 1] != tail[sm]) {
            print_bar(first, sm, whole, tail[sm], most);
            first = sm + 1;
        }
    }
    free(tail);
    printf("  idle: %.1f %%\n\n", 100 * idle / card->sms);
}
