/* Runs a path on a poisoned C and compares every element with the reference. */
#include "backend.h"
#include <stdlib.h>
#include <string.h>

/* Where the result differs first, and how often. */
struct mismatch {
    int64_t count;
    int row, col;
    float got;
    double expected, bound;
};

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* One row of C, its padding included; c has ldc elements. */
static void compare_row(const struct problem *p, int row, const float *c, struct mismatch *out)
{
    const int N = p->shape.N;
    const size_t at = (size_t)(row - p->panel_row) * N;
    for (int col = 0; col < p->ldc; col++) {
        double expected = NAN, bound = NAN;
        bool ok;
        if (col < N) {
            expected = p->expected[at + col];
            bound = error_bound(p, p->magnitude[at + col]);
            ok = bits_of(c[col]) != POISON_BITS &&
                 agrees(c[col], expected, p->magnitude[at + col], bound);
        } else {
            ok = bits_of(c[col]) == POISON_BITS;
        }
        if (!ok && out->count++ == 0) {
            out->row = row;
            out->col = col;
            out->got = c[col];
            out->expected = expected;
            out->bound = bound;
        }
    }
}

static void compare_panel(const struct problem *p, const float *c, struct mismatch *out)
{
#pragma omp parallel for schedule(static)
    for (int r = 0; r < p->panel_rows; r++) {
        struct mismatch m = {0};
        compare_row(p, p->panel_row + r, &c[(size_t)r * p->ldc], &m);
        if (m.count) {
#pragma omp critical
            {
                const int64_t count = out->count + m.count;
                if (out->count == 0 || m.row < out->row)
                    *out = m;
                out->count = count;
            }
        }
    }
}

/* sgemm() alone, which messages do not name, can be checked without timing. */
static const char *check_option(const char *who)
{
    return *who ? "" : " --check";
}

static void describe(const struct problem *p, const char *who, const struct mismatch *m)
{
    char command[512], what[240];
    options_command(p, command, sizeof command);
    if (m->col >= p->shape.N)
        snprintf(what, sizeof what, "is padding and was overwritten with %g, expected no write",
                 (double)m->got);
    else if (bits_of(m->got) == POISON_BITS)
        snprintf(
            what, sizeof what,
            "still has its value from before the run, expected %.9g: it was not written, or C was "
            "read although beta is 0",
            m->expected);
    else
        snprintf(what, sizeof what, "is %.9g, expected %.9g within %.2g", (double)m->got,
                 m->expected, m->bound);
    complain("%sC[%d][%d] %s (M=%d N=%d K=%d; %lld of %lld elements are wrong); try: %s%s", who,
             m->row, m->col, what, p->shape.M, p->shape.N, p->shape.K, (long long)m->count,
             (long long)p->shape.M * p->shape.N, command, check_option(who));
}

static void poison_device(const struct problem *p, float *c, int panel)
{
    for (int row = 0; row < p->shape.M; row += panel) {
        const int rows = p->shape.M - row < panel ? p->shape.M - row : panel;
        problem_fill_c(p, row, rows, c);
        CUDA_CHECK(cudaMemcpy(p->C + (size_t)row * p->ldc, c, (size_t)rows * p->ldc * sizeof *c,
                              cudaMemcpyHostToDevice));
    }
}

enum check_result check_path(struct problem *p, const char *who, path_fn *run)
{
    const int panel = problem_panel_rows(p);
    float *c = host_alloc((size_t)panel * p->ldc, sizeof *c, "C");
    poison_device(p, c, panel);

    char what[64];
    snprintf(what, sizeof what, "%ssgemm()", who);
    watch_problem(p, what, 1, check_option(who));
    cudaError_t err = run(p, 0);
    if (err == cudaSuccess)
        err = cudaDeviceSynchronize();
    watch_stop();
    if (err != cudaSuccess) {
        char command[512];
        options_command(p, command, sizeof command);
        (void)cudaGetLastError(); /* an error of the launch alone must not spoil the next size */
        complain("%ssgemm() gave %s (%s), expected cudaSuccess (M=%d N=%d K=%d); %s; try: %s%s",
                 who, cudaGetErrorName(err), cudaGetErrorString(err), p->shape.M, p->shape.N,
                 p->shape.K, cuda_advice(err), command, check_option(who));
        free(c);
        return CHECK_FAILED;
    }

    struct mismatch first = {0};
    for (int row = 0; row < p->shape.M; row += panel) {
        struct mismatch m = {0};
        reference_panel(p, row);
        CUDA_CHECK(cudaMemcpy(c, p->C + (size_t)row * p->ldc,
                              (size_t)p->panel_rows * p->ldc * sizeof *c, cudaMemcpyDeviceToHost));
        compare_panel(p, c, &m);
        if (first.count == 0)
            first = m;
        else
            first.count += m.count;
    }
    free(c);
    if (first.count == 0)
        return CHECK_PASS;
    describe(p, who, &first);
    return CHECK_WRONG;
}

cudaError_t run_sgemm(const struct problem *p, cudaStream_t stream)
{
    return sgemm(p->shape.M, p->shape.N, p->shape.K, p->alpha, p->A, p->lda, p->B, p->ldb, p->beta,
                 p->C, p->ldc, stream);
}

bool check(struct problem *p)
{
    switch (check_path(p, "", run_sgemm)) {
    case CHECK_PASS:
        return true;
    case CHECK_WRONG:
        exit_code_raise(EXIT_WRONG);
        return false;
    default:
        exit_code_raise(EXIT_DEVICE);
        return false;
    }
}
