/* One problem: its inputs, made from the seed, and its buffers. */
#include "backend.h"
#include <stdlib.h>
#include <string.h>

enum matrix { MATRIX_A = 1, MATRIX_B, MATRIX_C };

/* Elements of C whose reference is kept at once: 2 x 256 MB of doubles. */
#define PANEL_ELEMENTS (1 << 25)

/* The finaliser of SplitMix64: every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Element `index` of a matrix.  A function of the index alone: any part of C can be made again
 * without keeping it, in any order, by any number of threads. */
static float value_at(const struct options *opt, uint64_t stream, uint64_t index)
{
    const uint64_t bits = mix(stream + (index + 1) * 0x9e3779b97f4a7c15u);
    switch (opt->data) {
    case DATA_ZEROS:
        return 0.0f;
    case DATA_INTEGERS:
        return (float)(int)((bits >> 32) % 9) - 4.0f;
    default:
        return (float)(bits >> 40) * 0x1p-23f - 1.0f; /* 24 bits: exact, [-1, 1) */
    }
}

static uint64_t stream_of(const struct options *opt, enum matrix matrix)
{
    return mix(opt->seed * 4 + matrix);
}

static float poison(void)
{
    const uint32_t bits = POISON_BITS;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* rows x cols with the padding poisoned: a kernel that reads it computes NaN. */
static float *fill_input(const struct options *opt, enum matrix matrix, int rows, int cols, int ld)
{
    float *a = host_alloc((size_t)rows * ld, sizeof *a, matrix == MATRIX_A ? "A" : "B");
    const uint64_t stream = stream_of(opt, matrix);
#pragma omp parallel for
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < ld; c++)
            a[(size_t)r * ld + c] =
                c < cols ? value_at(opt, stream, (uint64_t)r * cols + c) : poison();
    if (opt->data == DATA_NONFINITE && rows > 0 && cols > 0) {
        const size_t r = mix(stream + 1) % (uint64_t)rows, c = mix(stream + 2) % (uint64_t)cols;
        a[r * ld + c] = matrix == MATRIX_A ? NAN : INFINITY;
    }
    return a;
}

static float *device_copy(const float *host, size_t count, int offset)
{
    float *base;
    CUDA_CHECK(cudaMalloc((void **)&base, (count + offset) * sizeof *base + 1));
    if (host && count)
        CUDA_CHECK(cudaMemcpy(base + offset, host, count * sizeof *base, cudaMemcpyHostToDevice));
    return base + offset;
}

void problem_describe(struct problem *p, const struct options *opt, int i)
{
    const struct shape shape = opt->shapes[i];
    *p = (struct problem){.shape = shape,
                          .alpha = opt->alpha,
                          .beta = opt->beta,
                          .lda = opt->lda  ? opt->lda
                                 : shape.K ? shape.K
                                           : 1,
                          .ldb = opt->ldb  ? opt->ldb
                                 : shape.N ? shape.N
                                           : 1,
                          .ldc = opt->ldc  ? opt->ldc
                                 : shape.N ? shape.N
                                           : 1,
                          .panel_row = -1,
                          .opt = opt};
    /* No buffers yet, but pointers with the alignment that the buffers will have. */
    p->A = p->B = p->C = (float *)((uintptr_t)opt->offset * sizeof(float));
}

/* Says what is missing rather than let the third cudaMalloc fail. */
static void require_memory(const struct problem *p)
{
    const double need = 4.0 * ((double)p->shape.M * p->lda + (double)p->shape.K * p->ldb +
                               (double)p->shape.M * p->ldc);
    size_t free_bytes, total;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    if (need > (double)free_bytes)
        die(EXIT_DEVICE,
            "M=%d N=%d K=%d needs %.2f GB of device memory, %.2f GB of %.2f GB is free; try a "
            "smaller --size",
            p->shape.M, p->shape.N, p->shape.K, need / 1e9, (double)free_bytes / 1e9,
            (double)total / 1e9);
}

void problem_create(struct problem *p, const struct options *opt, int i)
{
    problem_describe(p, opt, i);
    require_memory(p);
    const struct shape s = p->shape;
    p->host_A = fill_input(opt, MATRIX_A, s.M, s.K, p->lda);
    p->host_B = fill_input(opt, MATRIX_B, s.K, s.N, p->ldb);
    p->A = device_copy(p->host_A, (size_t)s.M * p->lda, opt->offset);
    p->B = device_copy(p->host_B, (size_t)s.K * p->ldb, opt->offset);
    p->C = device_copy(NULL, (size_t)s.M * p->ldc, opt->offset);
}

void problem_destroy(struct problem *p)
{
    free(p->host_A);
    free(p->host_B);
    free(p->expected);
    free(p->magnitude);
    CUDA_CHECK(cudaFree(p->A - p->opt->offset));
    CUDA_CHECK(cudaFree(p->B - p->opt->offset));
    CUDA_CHECK(cudaFree(p->C - p->opt->offset));
    *p = (struct problem){.opt = p->opt};
}

float problem_c_value(const struct problem *p, int row, int col)
{
    return value_at(p->opt, stream_of(p->opt, MATRIX_C), (uint64_t)row * p->shape.N + col);
}

void problem_fill_c(const struct problem *p, int row, int rows, float *c)
{
#pragma omp parallel for
    for (int r = 0; r < rows; r++)
        for (int col = 0; col < p->ldc; col++)
            c[(size_t)r * p->ldc + col] =
                p->beta != 0.0f && col < p->shape.N ? problem_c_value(p, row + r, col) : poison();
}

int problem_panel_rows(const struct problem *p)
{
    const int rows = PANEL_ELEMENTS / p->ldc;
    return rows < 1 ? 1 : rows < p->shape.M ? rows : p->shape.M;
}

double problem_flop(const struct problem *p)
{
    return 2.0 * p->shape.M * p->shape.N * p->shape.K;
}

bool problem_allows_float4(const struct problem *p)
{
    const uintptr_t pointers = (uintptr_t)p->A | (uintptr_t)p->B;
    return (p->shape.N | p->shape.K | p->lda | p->ldb) % 4 == 0 && pointers % 16 == 0;
}
