/* What the GPU supplies to the harness: a reference for products too large for the CPU. */
#include "../backend.h"
#include "gpu.h"

/* Elements of the double-precision reference on the device at once: 2 x 128 MB. */
#define REFERENCE_ELEMENTS (1 << 24)

static void gpu_reference(const struct problem *p, int row, int rows, double *sum,
                          double *magnitude)
{
    const int N = p->shape.N;
    const int most = REFERENCE_ELEMENTS / N > 0 ? REFERENCE_ELEMENTS / N : 1;
    const int part = rows < most ? rows : most;
    const size_t bytes = (size_t)part * N * sizeof(double);
    double *device_sum, *device_magnitude;
    CUDA_CHECK(cudaMalloc((void **)&device_sum, bytes));
    CUDA_CHECK(cudaMalloc((void **)&device_magnitude, bytes));
    for (int r = 0; r < rows; r += part) {
        const int n = rows - r < part ? rows - r : part;
        const size_t at = (size_t)r * N, size = (size_t)n * N * sizeof(double);
        watch_problem(p, "the reference", 1, " --check");
        CUDA_CHECK(reference_launch(n, N, p->shape.K, p->A + (size_t)(row + r) * p->lda, p->lda,
                                    p->B, p->ldb, device_sum, device_magnitude, gpu.stream));
        CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
        watch_stop();
        CUDA_CHECK(cudaMemcpy(sum + at, device_sum, size, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(magnitude + at, device_magnitude, size, cudaMemcpyDeviceToHost));
    }
    CUDA_CHECK(cudaFree(device_sum));
    CUDA_CHECK(cudaFree(device_magnitude));
}

static int timeout; /* s; 0: by the size of the problem */

static bool set_timeout(struct options *opt, const char *value)
{
    (void)opt;
    return parse_int(value, 1, 1000000, &timeout);
}

static bool set_watch(struct options *opt, const char *value)
{
    (void)opt;
    (void)value;
    return gpu.watch = true;
}

/* Long enough for a sanitizer, or for another program on the card. */
static double gpu_patience(const struct problem *p, double launches)
{
    return timeout ? timeout : 120 + launches * problem_flop(p) / 1e10;
}

static const struct option_spec gpu_options[] = {
    {"--watch", NULL, "show clock, power and what holds the clock down, by NVML", set_watch},
    {"--timeout", "seconds, 1 to 1000000",
     "when a kernel that still runs is given up (120 and 1 for each 10 GFLOP)", set_timeout},
    {0},
};

const struct backend backend = {
    .default_sizes = "512,1024,1025,2048,2049,4096",
    .options = gpu_options,
    .reference = gpu_reference,
    .patience = gpu_patience,
};
