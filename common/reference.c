/* The reference: double precision at every element.  On the CPU where that takes about 2 s, above
 * by the backend's own kernel, which is checked against the CPU on a sample each time. */
#include "backend.h"
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* Multiply-adds a second of one core: sets where the backend takes over, no more. */
#define CPU_RATE 5e8
#define CPU_SECONDS 2.0

enum { TILE_ROWS = 4, TILE_COLS = 128, SAMPLES = 512 };

static int cpu_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* Sums of one tile; a tile of sums stays in the first-level cache while B streams past. */
static void cpu_tile(const struct problem *p, int row, int rows, int col, int cols, double *sum,
                     double *magnitude)
{
    double s[TILE_ROWS][TILE_COLS] = {{0}}, m[TILE_ROWS][TILE_COLS] = {{0}};
    for (int k = 0; k < p->shape.K; k++) {
        const float *b = &p->host_B[(size_t)k * p->ldb + col];
        for (int i = 0; i < rows; i++) {
            const double a = p->host_A[(size_t)(row + i) * p->lda + k];
#pragma omp simd
            for (int j = 0; j < cols; j++) {
                const double product = a * b[j];
                s[i][j] += product;
                m[i][j] += fabs(product);
            }
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            sum[(size_t)i * p->shape.N + j] = s[i][j];
            magnitude[(size_t)i * p->shape.N + j] = m[i][j];
        }
}

static void cpu_reference(const struct problem *p, int row, int rows, double *sum,
                          double *magnitude)
{
    const int N = p->shape.N;
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int r = 0; r < rows; r += TILE_ROWS)
        for (int c = 0; c < N; c += TILE_COLS)
            cpu_tile(p, row + r, rows - r < TILE_ROWS ? rows - r : TILE_ROWS, c,
                     N - c < TILE_COLS ? N - c : TILE_COLS, &sum[(size_t)r * N + c],
                     &magnitude[(size_t)r * N + c]);
}

/* Both add the same doubles in the same order or nearly so; NaN and infinities must match. */
static bool same(double x, double y, double magnitude)
{
    if (!isfinite(x) || !isfinite(y))
        return (isnan(x) && isnan(y)) || x == y;
    return fabs(x - y) <= 1e-10 * magnitude;
}

void reference_verify(const struct problem *p, int row, int col, double sum, double magnitude)
{
    double s, m;
    cpu_tile(p, row, 1, col, 1, &s, &m);
    if (!same(sum, s, m) || !same(magnitude, m, m))
        die(EXIT_DEVICE,
            "the double-precision reference of the GPU at [%d][%d] is %.17g (magnitude %.17g), "
            "expected %.17g (%.17g) as on the CPU (M=%d N=%d K=%d); the device or its memory "
            "may be faulty",
            row, col, sum, magnitude, s, m, p->shape.M, p->shape.N, p->shape.K);
}

/* Compares a sample spread over the panel, its corners included, with the CPU. */
static void verify_sample(const struct problem *p, int row, int rows, const double *sum,
                          const double *magnitude)
{
    const int64_t count = (int64_t)rows * p->shape.N;
    const int64_t samples = count < SAMPLES ? count : SAMPLES;
    for (int64_t i = 0; i < samples; i++) {
        const int64_t at =
            samples > 1 ? (int64_t)((double)i / (double)(samples - 1) * (double)(count - 1)) : 0;
        reference_verify(p, row + (int)(at / p->shape.N), (int)(at % p->shape.N), sum[at],
                         magnitude[at]);
    }
}

/* From sums to the result: alpha, beta and C as it was before the run. */
static void apply_alpha_beta(struct problem *p)
{
    const int N = p->shape.N;
    const double alpha = p->alpha, beta = p->beta;
#pragma omp parallel for
    for (int r = 0; r < p->panel_rows; r++)
        for (int c = 0; c < N; c++) {
            const size_t i = (size_t)r * N + c;
            const double old = beta != 0.0 ? beta * problem_c_value(p, p->panel_row + r, c) : 0.0;
            const bool product = alpha != 0.0; /* A and B are not read where alpha is 0 */
            p->expected[i] = (product ? alpha * p->expected[i] : 0.0) + old;
            p->magnitude[i] = (product ? fabs(alpha) * p->magnitude[i] : 0.0) + fabs(old);
        }
}

void reference_panel(struct problem *p, int row)
{
    if (p->expected && p->panel_row == row)
        return;
    const int panel = problem_panel_rows(p), left = p->shape.M - row;
    const size_t count = (size_t)panel * p->shape.N;
    if (!p->expected) {
        p->expected = host_alloc(count, sizeof *p->expected, "the reference");
        p->magnitude = host_alloc(count, sizeof *p->magnitude, "the reference");
    }
    p->panel_row = row;
    p->panel_rows = left < panel ? left : panel;

    const bool on_cpu = problem_flop(p) / 2 <= CPU_SECONDS * CPU_RATE * cpu_threads();
    if (p->alpha != 0.0f) {
        if (on_cpu || !backend.reference) {
            cpu_reference(p, row, p->panel_rows, p->expected, p->magnitude);
        } else {
            backend.reference(p, row, p->panel_rows, p->expected, p->magnitude);
            verify_sample(p, row, p->panel_rows, p->expected, p->magnitude);
        }
    }
    apply_alpha_beta(p);
}

void reference_compute(struct problem *p)
{
    reference_panel(p, 0);
}
