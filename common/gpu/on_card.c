/* The reference and the comparison on the card. */
#include "on_card.h"
#include "gpu.h"
#include "timing.h"
#include <cuda_profiler_api.h>

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

void on_card_reference(struct problem *p)
{
    enum { SAMPLES = 64 };
    const size_t count = (size_t)p->shape.M * p->shape.N;
    make_room(count);
    watch_problem(p, "the reference", 1, " --check");
    CUDA_CHECK(reference_launch(p->shape.M, p->shape.N, p->shape.K, p->A, p->lda, p->B, p->ldb,
                                reference.sum, reference.magnitude, gpu.stream));
    CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
    watch_stop();
    for (size_t i = 0; i < SAMPLES; i++) {
        const size_t at = (count - 1) / (SAMPLES - 1) * i, N = (size_t)p->shape.N;
        double sum, magnitude;
        CUDA_CHECK(cudaMemcpy(&sum, &reference.sum[at], sizeof sum, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(&magnitude, &reference.magnitude[at], sizeof magnitude,
                              cudaMemcpyDeviceToHost));
        reference_verify(p, (int)(at / N), (int)(at % N), sum, magnitude);
    }
}

bool on_card_check(struct problem *p, const char *name, path_fn *run, int mark, double *ms)
{
    const size_t count = (size_t)p->shape.M * p->shape.N;
    const struct batch once = {run, 1, NULL};
    const double least = error_bound(p, 0.0), slope = error_bound(p, 1.0) - least;
    unsigned long long wrong;
    /* All bits set is a NaN: what is not written is wrong. */
    CUDA_CHECK(cudaMemsetAsync(p->C, 0xff, count * sizeof *p->C, gpu.stream));
    CUDA_CHECK(cudaMemsetAsync(reference.wrong, 0, sizeof wrong, gpu.stream));
    CUDA_CHECK(cudaProfilerStart()); /* a profiler sees this launch alone */
    if (mark)
        CUDA_CHECK(mark_launch(mark, gpu.stream));
    *ms = batch_time(p, &once, name, " --check");
    CUDA_CHECK(cudaProfilerStop());
    CUDA_CHECK(compare_launch(count, p->C, reference.sum, reference.magnitude, slope, least,
                              reference.wrong, gpu.stream));
    CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
    CUDA_CHECK(cudaMemcpy(&wrong, reference.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    if (wrong == 0)
        return true;
    complain("%s: %llu of %zu elements of C are wrong (M=%d N=%d K=%d); its own program says "
             "which, with --m %d --n %d --k %d --check",
             name, wrong, count, p->shape.M, p->shape.N, p->shape.K, p->shape.M, p->shape.N,
             p->shape.K);
    exit_code_raise(EXIT_WRONG);
    return false;
}
