/* 05_regtile_2d: what the step predicts, then the run: one call a line, the same in every step. */
#include "../common/harness.h"

/* tm values of A and tn of B feed tm * tn FMAs.  A warp is 2 x 16 patches: its 2 addresses of A
 * fall in one bank, its 16 of B in 4 banks, and each lane stores to a sector of its own (sizes that
 * are multiples of the tile). */
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
        .shared_loads = (double)(k->tm + k->tn) / (k->tm * k->tn),
        .shared_stores = 1.0 / k->bm + 1.0 / k->bn,
        .load_sectors = 4,
        .store_sectors = 32,
        .load_passes = (2.0 * k->tm + 4.0 * k->tn) / (k->tm + k->tn),
        .store_passes = 1,
        .conflicts =
            blocks * k->threads / 32 * slices * k->bk * (k->tm * (2 - 1) + k->tn * (4 - 1)),
        .barriers = 2 * slices,
    };
}

int main(int argc, char **argv)
{
    static struct options opt;
    options_parse(&opt, "05_regtile_2d", argc, argv);
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
