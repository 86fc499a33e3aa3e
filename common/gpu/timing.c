/* Times several paths against each other with CUDA events. */
#include "timing.h"
#include "gpu.h"
#include <stdlib.h>

#define BUDGET_MS 1000.0 /* for all rounds of all paths of a size, where a launch allows */
#define BURN_IN_MS 100.0 /* of each path, until clock and caches have settled */
#define FEW_ROUNDS 3     /* where a launch takes long */

enum { MAX_PATHS = 2, MAX_ROUNDS = 100000, USUAL_ROUNDS = 20, MAX_LAUNCHES = 10000 };

static void run_batch(const struct problem *p, const struct batch *b)
{
    if (b->graph) {
        CUDA_CHECK(cudaGraphLaunch(b->graph, gpu.stream));
        return;
    }
    for (int i = 0; i < b->launches; i++)
        CUDA_CHECK(b->run(p, gpu.stream));
}

double batch_time(const struct problem *p, const struct batch *b, const char *what,
                  const char *option)
{
    static cudaEvent_t start, stop;
    float ms;
    if (!start) {
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
    }
    watch_problem(p, what, b->launches, option);
    CUDA_CHECK(cudaEventRecord(start, gpu.stream));
    run_batch(p, b);
    CUDA_CHECK(cudaEventRecord(stop, gpu.stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    watch_stop();
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

static double time_batch(const struct problem *p, const struct batch *b)
{
    return batch_time(p, b, "the timing of sgemm() and cuBLAS", "");
}

static int clamp(double value, int low, int high)
{
    return value < low ? low : value > high ? high : (int)value;
}

/* Runs the path alone until the card has settled; returns what a launch takes then. */
static double burn_in(const struct problem *p, path_fn *run)
{
    struct batch b = {run, 1, NULL};
    double spent = 0, one;
    for (;;) {
        const double ms = time_batch(p, &b);
        spent += ms;
        one = ms / b.launches;
        if (spent >= BURN_IN_MS)
            return one;
        b.launches = clamp((BURN_IN_MS - spent) / (one + 1e-3), 1, 2 * b.launches);
    }
}

static int compare_doubles(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Between the neighbours of rank q*(n-1). */
static double percentile(const double *sorted, int n, double q)
{
    const double rank = q * (n - 1);
    const int low = (int)rank, high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (rank - low) * (sorted[high] - sorted[low]);
}

double median(double *numbers, int n)
{
    qsort(numbers, (size_t)n, sizeof *numbers, compare_doubles);
    return percentile(numbers, n, 0.5);
}

static struct timing summarise(double *ms, int n)
{
    struct timing t = {median(ms, n), NAN};
    if (n > 1)
        t.spread = (percentile(ms, n, 0.9) - percentile(ms, n, 0.1)) / t.ms;
    return t;
}

static void time_rounds(const struct problem *p, const struct batch batches[], int n, int rounds,
                        struct timing out[])
{
    double *ms = host_alloc((size_t)n * rounds, sizeof *ms, "the timing");
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            ms[(size_t)i * rounds + r] = time_batch(p, &batches[i]) / batches[i].launches;
    for (int i = 0; i < n; i++)
        out[i] = summarise(&ms[(size_t)i * rounds], rounds);
    free(ms);
}

/* Rounds and launches from what one launch of each path takes. */
static int plan(const struct problem *p, const double one[], int n, struct batch batches[])
{
    double all = 0;
    for (int i = 0; i < n; i++)
        all += one[i];
    const int rounds =
        p->opt->rounds ? p->opt->rounds
                       : clamp(BUDGET_MS / all, all > 5 * BUDGET_MS ? 1 : FEW_ROUNDS, USUAL_ROUNDS);
    for (int i = 0; i < n; i++)
        batches[i].launches = clamp(BUDGET_MS / n / rounds / one[i], 1, MAX_LAUNCHES);
    return rounds;
}

void time_paths(const struct problem *p, path_fn *const paths[], int num_paths, struct timing out[])
{
    struct batch batches[MAX_PATHS] = {0};
    double one[MAX_PATHS];
    for (int i = 0; i < num_paths; i++) {
        batches[i] = (struct batch){paths[i], 1, NULL};
        one[i] = burn_in(p, paths[i]);
    }
    const int rounds = plan(p, one, num_paths, batches);
    time_rounds(p, batches, num_paths, rounds, out);
}

struct batch batch_capture(const struct problem *p, path_fn *run, int launches)
{
    struct batch b = {run, launches, NULL};
    cudaGraph_t graph;
    CUDA_CHECK(cudaStreamBeginCapture(gpu.stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < launches; i++)
        CUDA_CHECK(run(p, gpu.stream));
    CUDA_CHECK(cudaStreamEndCapture(gpu.stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&b.graph, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    return b;
}

void time_graphs(const struct problem *p, path_fn *const paths[], int num_paths,
                 struct timing out[])
{
    enum { GRAPH_LAUNCHES = 50 };
    struct batch batches[MAX_PATHS] = {0};
    for (int i = 0; i < num_paths; i++) {
        batches[i] = batch_capture(p, paths[i], GRAPH_LAUNCHES);
        time_batch(p, &batches[i]); /* the first launch of a graph uploads it */
    }
    time_rounds(p, batches, num_paths, p->opt->rounds ? p->opt->rounds : USUAL_ROUNDS, out);
    for (int i = 0; i < num_paths; i++)
        CUDA_CHECK(cudaGraphExecDestroy(batches[i].graph));
}
