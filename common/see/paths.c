/* The steps and cuBLAS as paths. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "paths.h"
#include "../gpu/cublas.h"
#include "../gpu/gpu.h"
#include "../gpu/timing.h"
#include <string.h>
#include <time.h>

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

const char *paths_list;

bool paths_set_list(struct options *opt, const char *value)
{
    (void)opt;
    paths_list = value;
    return *value != '\0';
}

int paths_choose(const struct path *chosen[MAX_PATHS])
{
    const char *list = paths_list;
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

double paths_time(const struct problem *p, const struct path *path, int launches)
{
    const struct batch b = {path->run, launches, NULL};
    return batch_time(p, &b, path->name, " --check");
}

double paths_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
