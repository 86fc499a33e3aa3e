/* Measures, stores and reads the card's peak rates. */
#include "peak.h"
#include "../backend.h"
#include "gpu.h"
#include <string.h>

#define TRIALS 30
#define PATIENCE 30 /* s, for all of them: they take a fraction of a second */

/* Shortest of several launches: a peak is what the card can do, not what it does on average. */
static double best_seconds(void (*launch)(void *), void *argument)
{
    cudaEvent_t start, stop;
    float best = INFINITY;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    watch_start(PATIENCE, "the measurement of the card's peak still runs, expected it to end; look "
                          "with nvidia-smi for another program that keeps the card busy");
    for (int i = 0; i < TRIALS; i++) {
        float ms;
        CUDA_CHECK(cudaEventRecord(start, gpu.stream));
        launch(argument);
        CUDA_CHECK(cudaEventRecord(stop, gpu.stream));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (ms < best)
            best = ms;
    }
    watch_stop();
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return best * 1e-3;
}

struct chain {
    int blocks, iterations;
    float *in, *out;
};

static void launch_chain(void *argument)
{
    const struct chain *c = argument;
    CUDA_CHECK(fma_chain_launch(c->blocks, c->iterations, c->in, c->out, gpu.stream));
}

double peak_measure_flops(void)
{
    const float in[] = {0.5f, 1.0f};
    struct chain c = {.blocks = gpu.sms * 32}; /* several full loads of every SM */
    CUDA_CHECK(cudaMalloc((void **)&c.in, sizeof in));
    CUDA_CHECK(cudaMalloc((void **)&c.out, sizeof *c.out));
    CUDA_CHECK(cudaMemcpy(c.in, in, sizeof in, cudaMemcpyHostToDevice));

    /* About 5 ms a launch: longer than its own start and end, short in all. */
    c.iterations = (int)(0.005 * gpu_theoretical_flops() / fma_chain_flop(c.blocks, 1)) + 1;
    const double rate = fma_chain_flop(c.blocks, c.iterations) / best_seconds(launch_chain, &c);
    CUDA_CHECK(cudaFree(c.in));
    CUDA_CHECK(cudaFree(c.out));
    return rate;
}

struct copy {
    void *from, *to;
    size_t bytes;
};

static void launch_copy(void *argument)
{
    const struct copy *c = argument;
    CUDA_CHECK(cudaMemcpyAsync(c->to, c->from, c->bytes, cudaMemcpyDeviceToDevice, gpu.stream));
}

double peak_measure_bandwidth(void)
{
    size_t free_bytes, total;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    struct copy c = {.bytes = (size_t)gpu_attribute(cudaDevAttrL2CacheSize) * 16};
    if (c.bytes > free_bytes / 4)
        c.bytes = free_bytes / 4;
    CUDA_CHECK(cudaMalloc(&c.from, c.bytes));
    CUDA_CHECK(cudaMalloc(&c.to, c.bytes));
    CUDA_CHECK(cudaMemset(c.from, 1, c.bytes));
    const double rate = 2.0 * (double)c.bytes / best_seconds(launch_copy, &c);
    CUDA_CHECK(cudaFree(c.from));
    CUDA_CHECK(cudaFree(c.to));
    return rate;
}

struct reads {
    int blocks, iterations;
    void *in;
    size_t bytes;
    float *out;
};

static void launch_shared_read(void *argument)
{
    const struct reads *r = argument;
    CUDA_CHECK(shared_read_launch(r->blocks, r->iterations, r->out, gpu.stream));
}

static void launch_l2_read(void *argument)
{
    const struct reads *r = argument;
    CUDA_CHECK(l2_read_launch(r->blocks, r->iterations, r->in, r->bytes, r->out, gpu.stream));
}

/* About 2 ms a launch at so many bytes/s. */
static double measure_reads(struct reads *r, double expected, void (*launch)(void *))
{
    r->blocks = gpu.sms * 2; /* as many as the SMs hold at once */
    r->iterations = (int)(0.002 * expected / read_bytes(r->blocks, 1)) + 1;
    CUDA_CHECK(cudaMalloc((void **)&r->out, sizeof *r->out));
    const double rate = read_bytes(r->blocks, r->iterations) / best_seconds(launch, r);
    CUDA_CHECK(cudaFree(r->out));
    return rate;
}

double peak_measure_shared(void)
{
    struct reads r = {0};
    return measure_reads(&r, gpu_theoretical_shared(), launch_shared_read);
}

double peak_measure_l2(void)
{
    struct reads r = {.bytes = (size_t)gpu_attribute(cudaDevAttrL2CacheSize) / 4};
    CUDA_CHECK(cudaMalloc(&r.in, r.bytes));
    CUDA_CHECK(cudaMemset(r.in, 0, r.bytes));
    const double rate = measure_reads(&r, 5e12, launch_l2_read);
    CUDA_CHECK(cudaFree(r.in));
    return rate;
}

/* build/gpu/05_regtile_2d/05_regtile_2d -> build/gpu/05_regtile_2d/../peak/UUID */
static void file_name(const char *program, char *out, size_t size)
{
    const char *slash = strrchr(program, '/');
    const int folder = slash ? (int)(slash - program + 1) : 0;
    snprintf(out, size, "%.*s../peak/%s", folder, program, gpu.uuid);
}

void peak_store(const char *program, double flops)
{
    char name[4096];
    file_name(program, name, sizeof name);
    FILE *file = fopen(name, "w");
    if (!file)
        return; /* a program copied elsewhere measures again each time */
    fprintf(file, "%.6g\n", flops);
    fclose(file);
}

double peak_flops(const char *program)
{
    char name[4096];
    double flops = 0;
    file_name(program, name, sizeof name);
    FILE *file = fopen(name, "r");
    const bool stored = file && fscanf(file, "%lf", &flops) == 1 && isfinite(flops) && flops > 0;
    if (file)
        fclose(file);
    if (!stored) {
        flops = peak_measure_flops();
        peak_store(program, flops);
    }
    return flops;
}
