/* 01_naive: what the step predicts, then the run: one call a line, the same in every step. */
#include "../common/harness.h"

/* One warp is 32 rows of one column: its load of A and its accesses to C touch as many sectors as
 * it has rows inside C, its load of B touches one. */
static void predict(const struct problem *p, struct prediction *out)
{
    const struct kernel_info *k = &sgemm_kernels[0];
    const int M = p->shape.M, N = p->shape.N, K = p->shape.K;
    const double reads_c = p->beta == 0.0f ? 0 : 1;
    const double rows = M / ceil_div(M, 32); /* of a warp, mean */
    const double a = rows, b = 1, c = rows;  /* sectors a request */

    *out = (struct prediction){
        .kernel = k,
        .blocks = ceil_div(M, k->bm) * ceil_div(N, k->bn),
        .global_floats = 2.0 * K + 1 + reads_c,
        .shared_loads = 0,
        .shared_stores = 0,
        .load_sectors = ((a + b) * K + c * reads_c) / (2.0 * K + reads_c),
        .store_sectors = c,
        .load_passes = NAN,
        .store_passes = NAN,
        .conflicts = 0,
        .barriers = 0,
    };
}

int main(int argc, char **argv)
{
    static struct options opt;
    options_parse(&opt, "01_naive", argc, argv);
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
