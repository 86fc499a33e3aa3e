/* 07_double_buffer: what the step predicts, then the run: one call a line, the same in every step.
 */
#include "../common/harness.h"

/* A thread copies one float4 of A by 4 stores of one pass, and one of B by a store of 4 passes, one
 * slice more than there are.  Each 16-byte request touches 16 sectors, as does a store of C: 2 rows
 * of 16 lanes, 16 bytes apart (sizes that are multiples of the tile, the 16-byte path). */
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
        .shared_stores = 5.0 * (slices + 1) / slices / (k->tm * k->tn * k->bk),
        .load_sectors = 16,
        .store_sectors = 16,
        .load_passes = (2.0 * k->tm + 4.0 * k->tn) / (k->tm + k->tn),
        .store_passes = (4 * 1 + 4) / 5.0,
        .conflicts = 0,
        .barriers = slices,
    };
}

int main(int argc, char **argv)
{
    static struct options opt;
    options_parse(&opt, "07_double_buffer", argc, argv);
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
