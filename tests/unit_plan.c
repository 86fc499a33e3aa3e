/* The planner of step 10: every slice of every tile once, and what a plan says of memory and blocks
 * holds on the card it was made for. */
#include "../10_stream_k/plan.c"
#include "tap.h"

#define RANDOM_PLANS 3000
#define MAX_SLICES 2000000 /* of a plan that is walked slice by slice */

static uint64_t state = 1;

static int below(int limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)limit);
}

/* Small sizes as often as large ones. */
static int random_size(int max_bits)
{
    return 1 + below(1 << (4 + below(max_bits - 3)));
}

struct faults {
    int left_out, twice, order, pieces, legal, estimate, cover;
};

/* Counts what is wrong with the pieces of all blocks. */
static void walk(const struct plan *p, struct faults *f)
{
    const struct schedule *s = &p->schedule;
    const int tiles = s->whole + s->tail_tiles;
    unsigned char *done = calloc((size_t)tiles * (size_t)s->slices, 1);
    int *pieces = calloc((size_t)tiles, sizeof *pieces);
    for (int block = 0; block < (int)p->blocks; block++) {
        const struct piece piece = schedule_piece(s, block);
        if (piece.tile < 0 || piece.tile >= tiles || piece.first < 0 || piece.last > s->slices ||
            piece.first >= piece.last) {
            f->order++;
            continue;
        }
        /* The fix-up takes piece n of tail tile t from block whole + n * tail_tiles + t. */
        const int n = pieces[piece.tile]++;
        f->order += piece.tile < s->whole
                        ? block != piece.tile
                        : block != s->whole + n * s->tail_tiles + piece.tile - s->whole;
        for (int slice = piece.first; slice < piece.last; slice++)
            f->twice += done[(int64_t)piece.tile * s->slices + slice]++ > 0;
    }
    for (int64_t i = 0; i < (int64_t)tiles * s->slices; i++)
        f->left_out += !done[i];
    for (int t = 0; t < tiles; t++)
        f->pieces += t < s->whole ? pieces[t] != 1
                                  : pieces[t] != schedule_pieces(s) || pieces[t] < 2 ||
                                        pieces[t] > (s->whole > 0 ? MAX_PIECES : MAX_SPLIT_K);
    free(done);
    free(pieces);
}

static void check_plan(int M, int N, int K, bool vec4_A, bool vec4_B, const struct card *card,
                       struct faults *f)
{
    const struct plan p = plan_make(M, N, K, vec4_A, vec4_B, card);
    if (p.variant < 0) {
        f->legal++;
        return;
    }
    const struct variant *v = &plan_variants[p.variant];
    const struct schedule *s = &p.schedule;
    f->legal += v->smem > card->smem_block || p.resident < 1 ||
                p.resident * v->smem > card->smem_sm || p.pack_A != !vec4_A ||
                p.pack_B != (!vec4_B || K % 4 != 0) ||
                p.blocks != s->whole + (s->tail_tiles ? s->tail_tiles * schedule_pieces(s) : 0);
    f->legal +=
        p.partial_bytes != (size_t)(p.blocks - s->whole) * (size_t)v->bm * (size_t)v->bn * 4 ||
        p.packed_A_bytes < (p.pack_A ? (size_t)M * (size_t)K * 4 : 0) ||
        p.packed_B_bytes < (p.pack_B ? (size_t)N * (size_t)K * 4 : 0) ||
        (p.partial_bytes | p.packed_A_bytes | p.packed_B_bytes) % 16 != 0;
    f->cover += p.M > M || M - p.M > PLAN_MAX_THIN || p.N > N || N - p.N > PLAN_MAX_THIN ||
                (p.M < M && p.M % v->bm) || (p.N < N && p.N % v->bn) ||
                s->tiles_n != (p.N + v->bn - 1) / v->bn ||
                s->whole + s->tail_tiles != (p.M + v->bm - 1) / v->bm * s->tiles_n ||
                s->slices != (K > 0 ? (K + v->bk - 1) / v->bk : 1);
    /* Nobody is faster than all SMs at 128 FMA a cycle; and more work (5 K: a multiple of 4 where K
     * is) takes more time, but for 5 %: a tile cut into pieces may end in a short slice. */
    const double least = (double)M * N * K / 128 / card->sms;
    f->estimate += !(p.cycles >= least) ||
                   plan_make(M, N, 5 * K, vec4_A, vec4_B, card).cycles < 0.95 * p.cycles;
    if ((double)(s->whole + s->tail_tiles) * s->slices <= MAX_SLICES)
        walk(&p, f);
}

static void test_random(void)
{
    struct faults f = {0};
    int tails = 0, packs = 0, used[8] = {0};
    for (int i = 0; i < RANDOM_PLANS; i++) {
        const struct card card = {1 + below(200), i % 3 ? 227 * 1024 : 64 * 1024,
                                  i % 3 ? 228 * 1024 : 64 * 1024};
        const int M = random_size(13), N = random_size(13), K = random_size(14);
        const bool vec4_A = K % 4 == 0 && below(2), vec4_B = N % 4 == 0 && below(2);
        check_plan(M, N, K, vec4_A, vec4_B, &card, &f);
        const struct plan p = plan_make(M, N, K, vec4_A, vec4_B, &card);
        tails += p.schedule.tail_tiles > 0;
        packs += p.pack_A && !p.pack_B;
        used[p.variant < 0 ? 7 : p.variant]++;
    }
    ok(f.left_out == 0, "%d plans: %d slices left out", RANDOM_PLANS, f.left_out);
    ok(f.twice == 0, "%d slices done twice", f.twice);
    ok(f.order == 0, "%d pieces that are none, or where the fix-up does not look", f.order);
    ok(f.pieces == 0, "%d tiles in no piece or in too many", f.pieces);
    ok(f.legal == 0, "%d plans that the card cannot run", f.legal);
    ok(f.cover == 0, "%d plans whose tiles do not cover C", f.cover);
    ok(f.estimate == 0, "%d estimates below the possible, or less for more work", f.estimate);
    ok(tails > RANDOM_PLANS / 10 && packs > 0, "%d plans cut tiles along K, %d copy A alone", tails,
       packs);
    for (const struct variant *v = plan_variants; v->bm; v++)
        ok(used[v - plan_variants] > 0, "%dx%d is chosen %d times", v->bm, v->bn,
           used[v - plan_variants]);
}

static void test_limits(void)
{
    struct card card = {132, 227 * 1024, 228 * 1024};
    ok(plan_make(2147482623, 2147482623, 2147482623, false, false, &card).blocks > INT_MAX,
       "more blocks than a grid has are said to be so");
    ok(plan_make(1, 1, 0, true, true, &card).schedule.slices == 1, "K=0 is one slice of zeros");
    card.smem_block = 1024;
    ok(plan_make(64, 64, 64, true, true, &card).variant < 0,
       "a card too small for all has no plan");
    card = (struct card){132, 227 * 1024, 228 * 1024};
    const struct plan full = plan_make(1, 33554432, 8, true, true, &card);
    ok(full.blocks <= INT_MAX && full.variant >= 0, "a wide C has a plan");
}

int main(void)
{
    test_random();
    test_limits();
    return tap_done();
}
