/* The reference: against sums in long double, with alpha, beta and NaN as BLAS has them, and a
 * backend's reference that is wrong. */
#include "../common/backend.h"
#include "tap.h"
#ifdef _OPENMP
#include <omp.h>
#endif

static int spoil; /* what wrong_reference() gets wrong */

/* A backend's reference, right but for what `spoil` names. */
static void some_reference(const struct problem *p, int row, int rows, double *sum,
                           double *magnitude)
{
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < p->shape.N; n++) {
            double s = 0, m = 0;
            for (int k = 0; k < p->shape.K; k++) {
                const double product = (double)p->host_A[(size_t)(row + r) * p->lda + k] *
                                       p->host_B[(size_t)k * p->ldb + n];
                s += product;
                m += fabs(product);
            }
            sum[(size_t)r * p->shape.N + n] = s;
            magnitude[(size_t)r * p->shape.N + n] = m;
        }
    if (spoil == 1)
        sum[(size_t)rows * p->shape.N - 1] += 1e-6;
    if (spoil == 2)
        sum[0] = NAN;
    if (spoil == 3)
        magnitude[0] *= 2;
}

static const struct option_spec own_options[] = {{0}};
const struct backend backend = {
    .default_sizes = "16", .options = own_options, .reference = some_reference};

static struct options options_for(int M, int N, int K, float alpha, float beta)
{
    struct options opt = {.step = "99_test", .program = "prog", .num_shapes = 1, .seed = 3};
    opt.shapes[0] = (struct shape){M, N, K};
    opt.alpha = alpha;
    opt.beta = beta;
    return opt;
}

static void test_against_long_double(int M, int N, int K, float alpha, float beta, int pad)
{
    static struct options opt;
    struct problem p;
    int wrong = 0;
    opt = options_for(M, N, K, alpha, beta);
    opt.lda = K + pad;
    opt.ldb = N + pad;
    opt.ldc = N + pad;
    problem_create(&p, &opt, 0);
    reference_compute(&p);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            long double sum = 0, size = 0;
            for (int k = 0; k < K; k++) {
                const long double product =
                    (long double)p.host_A[(size_t)m * p.lda + k] * p.host_B[(size_t)k * p.ldb + n];
                sum += product;
                size += fabsl(product);
            }
            const long double old = beta != 0 ? (long double)beta * problem_c_value(&p, m, n) : 0;
            sum = alpha * sum + old;
            size = fabsl((long double)alpha) * size + fabsl(old);
            wrong += !(fabsl(p.expected[(size_t)m * N + n] - sum) <= 1e-14L * size) ||
                     !(fabsl(p.magnitude[(size_t)m * N + n] - size) <= 1e-12L * size);
        }
    ok(wrong == 0, "%dx%dx%d, alpha %g, beta %g: %d elements differ from long double", M, N, K,
       (double)alpha, (double)beta, wrong);
    problem_destroy(&p);
}

static void test_nonfinite(void)
{
    static struct options opt;
    struct problem p;
    int nan_rows = 0, inf_cols = 0, other = 0;
    opt = options_for(20, 30, 10, 1, 0);
    opt.data = DATA_NONFINITE;
    problem_create(&p, &opt, 0);
    reference_compute(&p);
    for (int m = 0; m < 20; m++)
        nan_rows += isnan(p.expected[m * 30]) && isnan(p.expected[m * 30 + 29]);
    for (int n = 0; n < 30; n++) {
        int inf = 0;
        for (int m = 0; m < 20; m++)
            inf += isinf(p.expected[m * 30 + n]) != 0;
        inf_cols += inf == 19;
        other += inf != 19 && inf != 0;
    }
    ok(nan_rows == 1, "one NaN in A: one row of C is NaN");
    ok(inf_cols == 1 && other == 0, "one Inf in B: one column of C is infinite, but for that row");
    problem_destroy(&p);
    opt.alpha = 0;
    problem_create(&p, &opt, 0);
    reference_compute(&p);
    int zeros = 0;
    for (int i = 0; i < 600; i++)
        zeros += p.expected[i] == 0;
    ok(zeros == 600, "alpha 0: A and B are not read, NaN and Inf do not matter");
    problem_destroy(&p);
}

/* More products than the CPU's share of one thread, but few in the first panel. */
static int backend_body(void *argument)
{
    static struct options opt;
    struct problem p;
    spoil = *(int *)argument;
#ifdef _OPENMP
    omp_set_num_threads(1);
#endif
    opt = options_for(32800, 32800, 1, 1, 0);
    problem_create(&p, &opt, 0);
    reference_compute(&p);
    return 77;
}

static void test_backend(void)
{
    static const char *const names[] = {"right", "wrong at the last element", "NaN", "magnitude"};
    for (int i = 0; i < 4; i++)
        outcome_is(run_child(backend_body, &i), i ? EXIT_DEVICE : 77,
                   i ? "reference of the GPU at [" : "", names[i]);
}

int main(void)
{
    test_against_long_double(1, 1, 1, 1, 0, 0);
    test_against_long_double(35, 79, 19, 1, 0, 0);
    test_against_long_double(127, 129, 65, 0.5f, -1, 3);
    test_against_long_double(5, 300, 7, -1, 3, 1);
    test_against_long_double(9, 9, 0, 1, 1, 1);
    test_against_long_double(16, 16, 16, 0, 2, 0);
    test_nonfinite();
    test_backend();
    return tap_done();
}
