/* 08_cp_async: what the step predicts, then the run: one call a line, the same in every step. */
#include "../common/harness.h"

/* A slice costs a thread 4 stores of A, one pass each, and a copy of 4 passes of B; STAGES - 1
 * slices of A are stored that nobody reads.  Tiles are loaded whole, also where they reach beyond
 * the matrix.  Each 16-byte request touches 16 sectors (sizes that are multiples of the tile, the
 * 16-byte path). */
static void predict(const struct problem *p, struct prediction *out)
{
    const struct kernel_info *k = &sgemm_kernels[problem_allows_float4(p) ? 0 : 1];
    const int M = p->shape.M, N = p->shape.N, K = p->shape.K;
    const double blocks = ceil_div(M, k->bm) * ceil_div(N, k->bn);
    const double slices = fmax(ceil_div(K, k->bk), k->stages - 1);
    const double a_stores = 4 * (slices + k->stages - 1) / slices; /* a slice */

    *out = (struct prediction){
        .kernel = k,
        .cp_async = true,
        .blocks = blocks,
        .global_floats = blocks * (k->bm + k->bn) * K / M / N + (p->beta == 0.0f ? 1 : 2),
        .shared_loads = (k->tm + k->tn) / 4.0 / (k->tm * k->tn),
        .shared_stores = (a_stores + 1) / (k->tm * k->tn * k->bk),
        .load_sectors = 16,
        .store_sectors = 16,
        .load_passes = (2.0 * k->tm + 4.0 * k->tn) / (k->tm + k->tn),
        .store_passes = (a_stores * 1 + 1 * 4) / (a_stores + 1),
        .conflicts = 0,
        .barriers = slices,
    };
}

int main(int argc, char **argv)
{
    static struct options opt;
    options_parse(&opt, "08_cp_async", argc, argv);
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
