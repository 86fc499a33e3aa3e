/* make tune: checks and times every variant of step 10 and cuBLAS on this card, and shows where the
 * estimate of plan.c errs.  usage: tune [FILE.csv] */
#include "../../common/gpu/cublas.h"
#include "../../common/gpu/gpu.h"
#include "../../common/gpu/on_card.h"
#include "../../common/gpu/timing.h"
#include "../plan.h"
#include <string.h>

enum { MAX_PATHS = 16, ROUNDS = 7, MAX_LAUNCHES = 50 };
#define GRAPH_MS 1.0  /* of launches in a graph */
#define SLOW 4.0      /* what takes so many times the fastest is timed once */
#define TOLERATED 1.1 /* chosen / fastest */

static const struct shape shapes[] = {
    {128, 128, 128},    {192, 192, 192},    {256, 256, 256},    {257, 257, 257},
    {320, 320, 320},    {384, 384, 384},    {448, 448, 448},    {512, 512, 512},
    {513, 513, 513},    {640, 640, 640},    {768, 768, 768},    {896, 896, 896},
    {1000, 1000, 1000}, {1024, 1024, 1024}, {1025, 1025, 1025}, {1152, 1152, 1152},
    {1280, 1280, 1280}, {1400, 1400, 1400}, {1536, 1536, 1536}, {1792, 1792, 1792},
    {1920, 1920, 1920}, {2000, 2000, 2000}, {2048, 2048, 2048}, {2049, 2049, 2049},
    {2304, 2304, 2304}, {2560, 2560, 2560}, {3000, 3000, 3000}, {3072, 3072, 3072},
    {3584, 3584, 3584}, {4096, 4096, 4096}, {4097, 4097, 4097}, {5000, 5000, 5000},
    {8192, 8192, 8192}, {4096, 4096, 64},   {64, 4096, 4096},   {128, 128, 65536},
    {8192, 8192, 257},  {4096, 64, 4096},   {64, 64, 16384},    {256, 256, 8192},
    {512, 512, 4096},   {1024, 1024, 128},  {2048, 512, 512},   {512, 2048, 1024},
    {16, 8192, 2048},   {8192, 128, 512},   {1000, 3000, 700},  {333, 777, 999},
};

/* Milliseconds of a batch of the step, or of cuBLAS. */
static double replay(const struct problem *p, const struct batch *b)
{
    return batch_time(p, b, "a variant", " --check");
}

/* Microseconds of a launch: variant 0, 1, ..., then cuBLAS, round by round; the medians.  Infinity
 * where the card does not hold a variant, or its result is wrong. */
static void time_all(struct problem *p, const struct card *card, int variants, double us[])
{
    struct batch batches[MAX_PATHS];
    double ms[MAX_PATHS][ROUNDS], fastest = INFINITY, checked;
    bool timed[MAX_PATHS] = {false};
    for (int i = 0; i <= variants; i++) {
        path_fn *const run = i < variants ? run_sgemm : run_cublas;
        us[i] = INFINITY;
        if (i < variants && plan_variants[i].smem > card->smem_block)
            continue;
        plan_only = i;
        if (!on_card_check(p, i < variants ? sgemm_kernels[i].name : "cuBLAS", run, 0, &checked))
            continue;
        const struct batch once = batch_capture(p, run, 1);
        replay(p, &once); /* the first launch of a graph uploads it */
        const double one = replay(p, &once);
        CUDA_CHECK(cudaGraphExecDestroy(once.graph));
        fastest = fmin(fastest, one);
        us[i] = one * 1e3;
        timed[i] = i == variants || one < SLOW * fastest;
        if (timed[i]) {
            batches[i] = batch_capture(p, run, (int)fmax(1, fmin(MAX_LAUNCHES, GRAPH_MS / one)));
            replay(p, &batches[i]);
        }
    }
    plan_only = -1;
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i <= variants; i++)
            if (timed[i])
                ms[i][r] = replay(p, &batches[i]) / batches[i].launches;
    for (int i = 0; i <= variants; i++)
        if (timed[i]) {
            us[i] = median(ms[i], ROUNDS) * 1e3;
            CUDA_CHECK(cudaGraphExecDestroy(batches[i].graph));
        }
}

int main(int argc, char **argv)
{
    /* The command that repeats a failure is the step's own. */
    static struct options opt = {.step = "tune",
                                 .program = "build/gpu/10_stream_k/10_stream_k",
                                 .num_shapes = sizeof shapes / sizeof *shapes,
                                 .alpha = 1.0f,
                                 .seed = 1};
    int variants = 0, slow = 0;
    FILE *csv = NULL;
    struct card card;
    error_program("tune");
    if (argc > 2)
        die(EXIT_USAGE, "expected the name of a CSV file or nothing, not %d arguments", argc - 1);
    if (argc == 2)
        csv = file_open("the file", argv[1], "w");
    gpu_open(0);
    cublas_open();
    CUDA_CHECK((cudaError_t)card_read(&card));
    while (plan_variants[variants].bm)
        variants++;
    memcpy(opt.shapes, shapes, sizeof shapes);

    if (csv)
        fprintf(csv, "M,N,K,variant,pieces,estimate_us,us,chosen,cublas_us\n");
    printf(
        "\nmicroseconds of a launch, by graph replay\n"
        "    M     N     K  chosen        estimate      us  fastest            us  ratio  cuBLAS "
        "/ us\n");
    for (int i = 0; i < opt.num_shapes; i++) {
        const int M = shapes[i].M, N = shapes[i].N, K = shapes[i].K;
        struct problem p;
        problem_create(&p, &opt, i);
        on_card_reference(&p);
        double us[MAX_PATHS];
        int best = 0;
        time_all(&p, &card, variants, us);
        const struct plan plan = plan_make(M, N, K, K % 4 == 0, N % 4 == 0, &card);
        const double clock = 1e-3 * gpu_attribute(cudaDevAttrClockRate); /* cycles a us */
        for (int v = 0; v < variants; v++) {
            best = us[v] < us[best] ? v : best;
            plan_only = v;
            const struct plan only = plan_make(M, N, K, K % 4 == 0, N % 4 == 0, &card);
            plan_only = -1;
            const struct schedule *s = &only.schedule;
            if (csv)
                fprintf(csv, "%d,%d,%d,%s,%d,%.2f,%.2f,%d,%.2f\n", M, N, K, sgemm_kernels[v].name,
                        s->tail_tiles > 0 ? schedule_pieces(s) : 1, only.cycles / clock, us[v],
                        v == plan.variant, us[variants]);
        }
        problem_destroy(&p);
        const double ratio = us[plan.variant] / us[best];
        slow += ratio > TOLERATED;
        printf("%5d %5d %5d  %-13s %8.1f %7.1f  %-13s %7.1f  %5.2f%s %6.2f\n", M, N, K,
               sgemm_kernels[plan.variant].name + strlen("stream_k"), plan.cycles / clock,
               us[plan.variant], sgemm_kernels[best].name + strlen("stream_k"), us[best], ratio,
               ratio > TOLERATED ? "!" : " ", us[variants] / us[plan.variant]);
    }
    printf("%d shapes; the chosen variant is more than %.0f %% slower than the fastest at %d\n",
           opt.num_shapes, 100 * (TOLERATED - 1), slow);
    if (csv)
        file_close("the file", argv[1], csv);
    return exit_code_worst();
}
