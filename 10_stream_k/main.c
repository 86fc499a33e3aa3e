/* 10_stream_k: what the step predicts, then the run: one call a line, the same in every step. */
#include "../common/harness.h"
#include "plan.h"

/* Whether the rows of X can be moved in float4. */
static bool is_vec4(const float *X, int ld, int columns)
{
    return (uintptr_t)X % 16 == 0 && ld % 4 == 0 && columns % 4 == 0;
}

static struct plan make_plan(const struct problem *p, struct card *card)
{
    if (card_read(card) != 0)
        *card = (struct card){0}; /* the run will say what is wrong */
    const int K = p->alpha == 0.0f ? 0 : p->shape.K;
    return plan_make(p->shape.M, p->shape.N, K, is_vec4(p->A, p->lda, K),
                     is_vec4(p->B, p->ldb, p->shape.N), card);
}

/* The plan's numbers, and where all tiles are whole and K is made of whole slices, the counts.  A
 * patch's loads take 2 passes, for lanes come in pairs; a float4 of B takes 4, as do the sums that
 * each group of warps but a lone one leaves and reads (sizes that are multiples of the tile). */
static void predict(const struct problem *p, struct prediction *out)
{
    struct card card;
    const struct plan plan = make_plan(p, &card);
    const int variant = plan.variant < 0 ? 0 : plan.variant;
    const struct kernel_info *k = &sgemm_kernels[variant];
    const int M = p->shape.M, N = p->shape.N, K = p->shape.K;
    const double tiles_m = ceil_div(plan.M, k->bm), tiles_n = ceil_div(plan.N, k->bn);

    /* K is taken in pieces of 8 by each group of warps. */
    const int groups = plan_variants[variant].groups;
    const double depth = fmax(1, ceil_div(K, 8 * groups)) * 8 * groups;

    *out = (struct prediction){
        .kernel = k,
        .cp_async = true,
        .blocks = plan.blocks,
        .more_blocks = plan.edge_b_blocks + plan.edge_a_blocks + plan.fix_up_blocks,
        .global_floats = NAN,
        .shared_loads = NAN,
        .shared_stores = NAN,
        .load_sectors = NAN,
        .store_sectors = NAN,
        .load_passes = NAN,
        .store_passes = NAN,
        .conflicts = NAN,
        .barriers = NAN,
        .fma = tiles_m * tiles_n * k->bm * k->bn * depth,
    };
    if (plan.schedule.tail_tiles > 0 || plan.pack_A || plan.pack_B || plan.M < M || plan.N < N)
        return;
    out->global_floats = K * tiles_n * (tiles_m * k->bm / M) / N +
                         K * tiles_m * (tiles_n * k->bn / N) / M + (p->beta == 0.0f ? 1 : 2);
    if (K == 0 || K % k->bk != 0)
        return;
    /* An FMA: loads of the patch, a k too many; stores of A, of 4 bytes, and copies of B; sums. */
    const double loads = (1 + groups / depth) * (k->tm + k->tn) / 4.0 / (k->tm * k->tn);
    const double a = 1.0 / k->bn, b = 0.25 / k->bm, sums = groups > 1 ? groups / (4 * depth) : 0;
    out->shared_loads = loads + sums;
    out->shared_stores = a + b + sums;
    out->load_sectors = out->store_sectors = 16;
    out->load_passes = (2 * loads + 4 * sums) / (loads + sums);
    out->store_passes = (1 * a + 4 * b + 4 * sums) / (a + b + sums);
    out->conflicts = 0;
    out->barriers = (k->threads / groups > 32 ? (double)K / k->bk + 1 : 0) + (groups > 1 ? 2 : 0);
}

static bool only_plan;

static bool set_plan(struct options *opt, const char *value)
{
    (void)opt;
    (void)value;
    return only_plan = true;
}

static const struct option_spec plan_options[] = {
    {"--plan", NULL, "print who does what at each size, run nothing", set_plan},
    {0},
};

int main(int argc, char **argv)
{
    static struct options opt;
    options_add(plan_options);
    options_parse(&opt, "10_stream_k", argc, argv);
    device_open(&opt);
    if (!only_plan)
        launch_table(&opt, predict);
    for (int i = 0; i < opt.num_shapes; i++) {
        struct problem p;
        if (only_plan) {
            struct card card;
            problem_describe(&p, &opt, i);
            const struct plan plan = make_plan(&p, &card);
            plan_print(p.shape.M, p.shape.N, p.shape.K, &plan, &card);
            continue;
        }
        problem_create(&p, &opt, i);
        reference_compute(&p);
        const bool passed = check(&p);
        measure_and_report(&p, predict, passed);
        problem_destroy(&p);
    }
    return finish(&opt);
}
