/* 09_big_tile: what the step predicts, then the run: one call a line, the same in every step. */
#include "../common/harness.h"

/* Each slice a thread starts 4 copies of 4 bytes of A and 2 of 16 bytes of B: 4 sectors and one
 * pass, 16 sectors and 4 passes (sizes that are multiples of the tile, the 16-byte path). */
static void predict(const struct problem *p, struct prediction *out)
{
    const struct kernel_info *k = &sgemm_kernels[problem_allows_float4(p) ? 0 : 1];
    const int M = p->shape.M, N = p->shape.N, K = p->shape.K;
    const double blocks = ceil_div(M, k->bm) * ceil_div(N, k->bn), slices = ceil_div(K, k->bk);

    *out = (struct prediction){
        .kernel = k,
        .blocks = blocks,
        .global_floats =
            K * ceil_div(N, k->bn) / N + K * ceil_div(M, k->bm) / M + (p->beta == 0.0f ? 1 : 2),
        .shared_loads = (k->tm + k->tn) / 4.0 / (k->tm * k->tn),
        .shared_stores = 6.0 / (k->tm * k->tn * k->bk),
        .load_sectors = (4 * 4 + 2 * 16) / 6.0,
        .store_sectors = 16,
        .load_passes = 4,
        .store_passes = (4 * 1 + 2 * 4) / 6.0,
        .conflicts = 0,
        .barriers = slices,
    };
}

int main(int argc, char **argv)
{
    static struct options opt;
    options_parse(&opt, "09_big_tile", argc, argv);
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
