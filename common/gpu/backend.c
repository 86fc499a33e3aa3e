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
        CUDA_CHECK(reference_launch(n, N, p->shape.K, p->A + (size_t)(row + r) * p->lda, p->lda,
                                    p->B, p->ldb, device_sum, device_magnitude, gpu.stream));
        CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
        CUDA_CHECK(cudaMemcpy(sum + at, device_sum, size, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(magnitude + at, device_magnitude, size, cudaMemcpyDeviceToHost));
    }
    CUDA_CHECK(cudaFree(device_sum));
    CUDA_CHECK(cudaFree(device_magnitude));
}

static const struct option_spec no_options[] = {{0}};

const struct backend backend = {
    .default_sizes = "512,1024,1025,2048,2049,4096",
    .options = no_options,
    .reference = gpu_reference,
    .patience = 120, /* a sanitizer may be watching */
    .slowest = 1e10,
};
