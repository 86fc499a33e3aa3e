/* 04_regtile_1d: what the step predicts, then the run: one call a line, the same in every step. */
#include "../common/harness.h"

/* tm values of A and one of B feed tm FMAs.  A warp copies 4 rows of 8 floats of A, or 32
 * neighbours of B: 4 sectors; all its lanes read the same value of A (sizes that are multiples of
 * the tile). */
static void predict(const struct problem *p, struct prediction *out)
{
    const struct kernel_info *k = &sgemm_kernels[0];
    const int M = p->shape.M, N = p->shape.N, K = p->shape.K;
    const double blocks = ceil_div(M, k->bm) * ceil_div(N, k->bn), slices = ceil_div(K, k->bk);

    *out = (struct prediction){
        .kernel = k,
        .blocks = blocks,
        .global_floats =
            K * ceil_div(N, k->bn) / N + K * ceil_div(M, k->bm) / M + (p->beta == 0.0f ? 1 : 2),
        .shared_loads = (k->tm + 1.0) / k->tm,
        .shared_stores = 1.0 / k->bm + 1.0 / k->bn,
        .load_sectors = 4,
        .store_sectors = 4,
        .load_passes = 1,
        .store_passes = 1,
        .conflicts = 0,
        .barriers = 2 * slices,
    };
}

int main(int argc, char **argv)
{
    static struct options opt;
    options_parse(&opt, "04_regtile_1d", argc, argv);
    device_open(&opt);
    launch_table(&opt, predict);
    for (int i = 0; i < opt.num_shapes; i++) {
        struct problem p;
        problem_create(&p, &opt, i);
        reference_compute(&p);
        const bool passed = check(&p);
        measure_and_report(&p, predict, passed);
        problem_destroy(&p);
    }
    return finish(&opt);
}
