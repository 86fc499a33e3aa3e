/* The steps and cuBLAS, checked on the card: one reference serves all of them. */
#include "paths.h"
#include "../gpu/cublas.h"
#include "../gpu/gpu.h"
#include <cuda_profiler_api.h>
#include <string.h>

/* steps.h is made by common/see.mk: STEP(05, 05_regtile_2d) for each step. */
#define STEP(id, step)                                                                             \
    cudaError_t sgemm_##id(int M, int N, int K, float alpha, const float *A, int lda,              \
                           const float *B, int ldb, float beta, float *C, int ldc,                 \
                           cudaStream_t stream);                                                   \
    extern const struct kernel_info sgemm_kernels_##id[];                                          \
    void predict_##id(const struct problem *p, struct prediction *out);                            \
    static cudaError_t run_##id(const struct problem *p, cudaStream_t stream)                      \
    {                                                                                              \
        return sgemm_##id(p->shape.M, p->shape.N, p->shape.K, p->alpha, p->A, p->lda, p->B,        \
                          p->ldb, p->beta, p->C, p->ldc, stream);                                  \
    }
#include "steps.h"
#undef STEP

static const struct path paths[] = {
    {"cuBLAS", run_cublas, NULL, NULL},
#define STEP(id, step) {#step, run_##id, predict_##id, sgemm_kernels_##id},
#include "steps.h"
};
enum { NUM_PATHS = sizeof paths / sizeof *paths };

/* "05" or "05_regtile_2d" */
static bool is_named(const struct path *path, const char *name, size_t length)
{
    return strncmp(path->name, name, length) == 0 &&
           (path->name[length] == '\0' || path->name[length] == '_');
}

int paths_choose(const char *list, const struct path *chosen[MAX_PATHS])
{
    int n = 0;
    for (int i = 0; !list && i < NUM_PATHS; i++)
        chosen[n++] = &paths[i];
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        int i = 0;
        while (i < NUM_PATHS && !is_named(&paths[i], list, length))
            i++;
        if (i == NUM_PATHS || n == MAX_PATHS)
            die(EXIT_USAGE,
                "--step %s: '%.*s' is no step; expected numbers or names of steps, or cuBLAS, as "
                "in 05,cuBLAS",
                list, (int)length, list);
        chosen[n++] = &paths[i];
        list += length + (list[length] == ',');
    }
    return n;
}

void paths_require_plain(const struct options *opt)
{
    if (opt->alpha != 1.0f || opt->beta != 0.0f || opt->lda || opt->ldb || opt->ldc ||
        opt->data == DATA_NONFINITE)
        die(EXIT_USAGE, "alpha, beta, leading dimensions and --data nonfinite are not for this "
                        "program; use a step's own");
}

/* On the card. */
static struct {
    double *sum, *magnitude;
    unsigned long long *wrong;
    size_t room; /* elements */
} reference;

static void make_room(size_t count)
{
    if (count <= reference.room)
        return;
    CUDA_CHECK(cudaFree(reference.sum));
    CUDA_CHECK(cudaFree(reference.magnitude));
    CUDA_CHECK(cudaMalloc((void **)&reference.sum, count * sizeof(double)));
    CUDA_CHECK(cudaMalloc((void **)&reference.magnitude, count * sizeof(double)));
    if (!reference.wrong)
        CUDA_CHECK(cudaMalloc((void **)&reference.wrong, sizeof *reference.wrong));
    reference.room = count;
}

/* One element as the CPU computes it, against the card's. */
static void verify(const struct problem *p, size_t at)
{
    const size_t m = at / p->shape.N, n = at % p->shape.N;
    double sum, magnitude, s = 0, size = 0;
    for (int k = 0; k < p->shape.K; k++) {
        const double product =
            (double)p->host_A[m * p->lda + k] * p->host_B[(size_t)k * p->ldb + n];
        s += product;
        size += fabs(product);
    }
    CUDA_CHECK(cudaMemcpy(&sum, &reference.sum[at], sizeof sum, cudaMemcpyDeviceToHost));
    CUDA_CHECK(
        cudaMemcpy(&magnitude, &reference.magnitude[at], sizeof magnitude, cudaMemcpyDeviceToHost));
    if (!(fabs(sum - s) <= 1e-10 * size) || !(fabs(magnitude - size) <= 1e-10 * size))
        die(EXIT_DEVICE,
            "the double-precision reference of the GPU at [%zu][%zu] is %.17g, expected %.17g as "
            "on the CPU (M=%d N=%d K=%d); the device or its memory may be faulty",
            m, n, sum, s, p->shape.M, p->shape.N, p->shape.K);
}

void paths_reference(struct problem *p)
{
    enum { SAMPLES = 64 };
    const size_t count = (size_t)p->shape.M * p->shape.N;
    make_room(count);
    watch_problem(p, "the reference", 1, " --check");
    CUDA_CHECK(reference_launch(p->shape.M, p->shape.N, p->shape.K, p->A, p->lda, p->B, p->ldb,
                                reference.sum, reference.magnitude, gpu.stream));
    CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
    watch_stop();
    for (size_t i = 0; i < SAMPLES; i++)
        verify(p, (count - 1) / (SAMPLES - 1) * i);
}

double paths_time(const struct problem *p, const struct path *path, int launches)
{
    static cudaEvent_t start, stop;
    float ms;
    if (!start) {
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
    }
    watch_problem(p, path->name, launches, " --check");
    CUDA_CHECK(cudaEventRecord(start, gpu.stream));
    for (int i = 0; i < launches; i++)
        CUDA_CHECK(path->run(p, gpu.stream));
    CUDA_CHECK(cudaEventRecord(stop, gpu.stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    watch_stop();
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

bool paths_check(struct problem *p, const struct path *path, int mark, double *ms)
{
    const size_t count = (size_t)p->shape.M * p->shape.N;
    const double least = error_bound(p, 0.0), slope = error_bound(p, 1.0) - least;
    unsigned long long wrong;
    /* All bits set is a NaN: what is not written is wrong. */
    CUDA_CHECK(cudaMemsetAsync(p->C, 0xff, count * sizeof *p->C, gpu.stream));
    CUDA_CHECK(cudaMemsetAsync(reference.wrong, 0, sizeof wrong, gpu.stream));
    CUDA_CHECK(cudaProfilerStart()); /* a profiler sees this launch alone */
    if (mark)
        CUDA_CHECK(mark_launch(mark, gpu.stream));
    *ms = paths_time(p, path, 1);
    CUDA_CHECK(cudaProfilerStop());
    CUDA_CHECK(compare_launch(count, p->C, reference.sum, reference.magnitude, slope, least,
                              reference.wrong, gpu.stream));
    CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
    CUDA_CHECK(cudaMemcpy(&wrong, reference.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    if (wrong == 0)
        return true;
    complain("%s: %llu of %zu elements of C are wrong (M=%d N=%d K=%d); its own program says "
             "which, with --m %d --n %d --k %d --check",
             path->name, wrong, count, p->shape.M, p->shape.N, p->shape.K, p->shape.M, p->shape.N,
             p->shape.K);
    exit_code_raise(EXIT_WRONG);
    return false;
}
