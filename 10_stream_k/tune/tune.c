/* make tune: times every variant of step 10 and cuBLAS on this card, and shows where the estimate
 * of plan.c errs.  usage: tune [FILE.csv] */
#include "../../common/gpu/cublas.h"
#include "../../common/gpu/gpu.h"
#include "../plan.h"
#include <stdlib.h>
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

static cudaGraphExec_t capture(const struct problem *p, path_fn *run, int launches)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_CHECK(cudaStreamBeginCapture(gpu.stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < launches; i++)
        CUDA_CHECK(run(p, gpu.stream));
    CUDA_CHECK(cudaStreamEndCapture(gpu.stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    return exec;
}

/* Milliseconds of a replay. */
static double replay(cudaGraphExec_t graph)
{
    static cudaEvent_t start, stop;
    float ms;
    if (!start) {
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
    }
    CUDA_CHECK(cudaEventRecord(start, gpu.stream));
    CUDA_CHECK(cudaGraphLaunch(graph, gpu.stream));
    CUDA_CHECK(cudaEventRecord(stop, gpu.stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

static int compare_doubles(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Microseconds of a launch: variant 0, 1, ..., then cuBLAS, round by round; the medians.  Infinity
 * where the card does not hold a variant. */
static void time_all(const struct problem *p, const struct card *card, int variants, double us[])
{
    cudaGraphExec_t graphs[MAX_PATHS];
    int launches[MAX_PATHS];
    double ms[MAX_PATHS][ROUNDS], fastest = INFINITY;
    bool timed[MAX_PATHS];
    for (int i = 0; i <= variants; i++) {
        path_fn *const run = i < variants ? run_sgemm : run_cublas;
        timed[i] = false;
        us[i] = INFINITY;
        if (i < variants && plan_variants[i].smem > card->smem_block)
            continue;
        plan_only = i;
        cudaGraphExec_t once = capture(p, run, 1);
        replay(once);
        const double one = replay(once);
        CUDA_CHECK(cudaGraphExecDestroy(once));
        fastest = fmin(fastest, one);
        us[i] = one * 1e3;
        timed[i] = i == variants || one < SLOW * fastest;
        launches[i] = (int)fmax(1, fmin(MAX_LAUNCHES, GRAPH_MS / one));
        if (timed[i]) {
            graphs[i] = capture(p, run, launches[i]);
            replay(graphs[i]);
        }
    }
    plan_only = -1;
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i <= variants; i++)
            if (timed[i])
                ms[i][r] = replay(graphs[i]) / launches[i];
    for (int i = 0; i <= variants; i++)
        if (timed[i]) {
            qsort(ms[i], ROUNDS, sizeof ms[i][0], compare_doubles);
            us[i] = ms[i][ROUNDS / 2] * 1e3;
            CUDA_CHECK(cudaGraphExecDestroy(graphs[i]));
        }
}

/* Device memory with numbers in [-1, 1): a block of them, again and again. */
static float *random_floats(size_t count)
{
    enum { BLOCK = 1 << 20 };
    static float block[BLOCK];
    static uint64_t state = 1;
    float *device;
    for (int i = 0; i < BLOCK; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        block[i] = (float)(int32_t)(state >> 32) / 2147483648.0f;
    }
    CUDA_CHECK(cudaMalloc((void **)&device, count * sizeof *device));
    for (size_t at = 0; at < count; at += BLOCK)
        CUDA_CHECK(cudaMemcpy(device + at, block,
                              (count - at < BLOCK ? count - at : BLOCK) * sizeof *block,
                              cudaMemcpyHostToDevice));
    return device;
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

int main(int argc, char **argv)
{
    static const struct options opt = {.alpha = 1.0f};
    const int num_shapes = (int)(sizeof shapes / sizeof *shapes);
    size_t a = 0, b = 0, c = 0;
    int variants = 0, slow = 0;
    FILE *csv = NULL;
    struct card card;
    error_program("tune");
    if (argc > 2)
        die(EXIT_USAGE, "expected the name of a CSV file or nothing, not %d arguments", argc - 1);
    if (argc == 2 && !(csv = fopen(argv[1], "w")))
        die(EXIT_USAGE, "cannot write %s; name a file in a folder that exists", argv[1]);
    gpu_open(0);
    cublas_open();
    CUDA_CHECK((cudaError_t)card_read(&card));
    while (plan_variants[variants].bm)
        variants++;
    for (int i = 0; i < num_shapes; i++) {
        const struct shape *s = &shapes[i];
        a = largest(a, (size_t)s->M * (size_t)s->K);
        b = largest(b, (size_t)s->K * (size_t)s->N);
        c = largest(c, (size_t)s->M * (size_t)s->N);
    }
    float *const A = random_floats(a), *const B = random_floats(b), *const C = random_floats(c);
    const struct problem odd = {.shape = {33, 33, 33},
                                .alpha = 1.0f,
                                .lda = 33,
                                .ldb = 33,
                                .ldc = 33,
                                .A = A,
                                .B = B,
                                .C = C,
                                .opt = &opt};
    CUDA_CHECK(run_sgemm(&odd, gpu.stream)); /* what a first call does cannot be captured */

    if (csv)
        fprintf(csv, "M,N,K,variant,pieces,estimate_us,us,chosen,cublas_us\n");
    printf(
        "\nmicroseconds of a launch, by graph replay\n"
        "    M     N     K  chosen        estimate      us  fastest            us  ratio  cuBLAS "
        "/ us\n");
    for (int i = 0; i < num_shapes; i++) {
        const int M = shapes[i].M, N = shapes[i].N, K = shapes[i].K;
        const struct problem p = {.shape = shapes[i],
                                  .alpha = 1.0f,
                                  .lda = K,
                                  .ldb = N,
                                  .ldc = N,
                                  .A = A,
                                  .B = B,
                                  .C = C,
                                  .opt = &opt};
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
        const double ratio = us[plan.variant] / us[best];
        slow += ratio > TOLERATED;
        printf("%5d %5d %5d  %-13s %8.1f %7.1f  %-13s %7.1f  %5.2f%s %6.2f\n", M, N, K,
               sgemm_kernels[plan.variant].name + strlen("stream_k"), plan.cycles / clock,
               us[plan.variant], sgemm_kernels[best].name + strlen("stream_k"), us[best], ratio,
               ratio > TOLERATED ? "!" : " ", us[variants] / us[plan.variant]);
    }
    printf("%d shapes; the chosen variant is more than %.0f %% slower than the fastest at %d\n",
           num_shapes, 100 * (TOLERATED - 1), slow);
    if (csv && fclose(csv) != 0)
        die(EXIT_USAGE, "cannot write %s; is there room?", argv[1]);
    return EXIT_PASS;
}
