/* The check: sgemm() in plain C, right or wrong in one way after the other.  The tester's test. */
#define _POSIX_C_SOURCE 200809L /* pause */
#include "../common/backend.h"
#include "tap.h"
#include "tf32.h"

static enum {
    RIGHT,
    SWAPPED_INDEX,
    MISSING_COLUMN,
    ONE_NAN,
    NOTHING_WRITTEN,
    PADDING_WRITTEN,
    BETA_IGNORED,
    READS_C_AT_BETA_0,
    TF32_INPUTS,
    LAST_ELEMENT,
    LAUNCH_FAILS,
    RUN_FAILS,
    HANGS,
    NUM_SPOILS
} spoil;

cudaError_t sgemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                  int ldb, float beta, float *C, int ldc, cudaStream_t stream)
{
    (void)stream;
    if (spoil == LAUNCH_FAILS)
        return cudaErrorInvalidConfiguration;
    if (spoil == RUN_FAILS)
        fake_sync_status = cudaErrorIllegalAddress;
    while (spoil == HANGS)
        pause();
    if (spoil == NOTHING_WRITTEN)
        return cudaSuccess;
    if (spoil == BETA_IGNORED)
        beta = 0;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float acc = 0;
            for (int k = 0; k < K && alpha != 0; k++) {
                const float a = A[(size_t)m * lda + k];
                const float b = spoil == SWAPPED_INDEX && n < K && k < N ? B[(size_t)n * ldb + k]
                                                                         : B[(size_t)k * ldb + n];
                acc += spoil == TF32_INPUTS ? to_tf32(a) * to_tf32(b) : a * b;
            }
            float *c = &C[(size_t)m * ldc + n];
            if (spoil == MISSING_COLUMN && n == N - 1)
                continue;
            *c = beta == 0 && spoil != READS_C_AT_BETA_0 ? alpha * acc : alpha * acc + beta * *c;
            if (spoil == ONE_NAN && m == M / 2 && n == 0)
                *c = NAN;
            if (spoil == LAST_ELEMENT && m == M - 1 && n == N - 1)
                *c += 1;
        }
    if (spoil == PADDING_WRITTEN)
        C[N] = 0;
    return cudaSuccess;
}

static const struct option_spec own_options[] = {{0}};

static double one_second(const struct problem *p, double launches)
{
    (void)p;
    return launches;
}

const struct backend backend = {
    .default_sizes = "16", .options = own_options, .patience = one_second};

static struct options opt;

static void set_problem(int M, int N, int K, float alpha, float beta, int pad)
{
    opt = (struct options){.step = "99_test", .program = "./99_test", .num_shapes = 1, .seed = 1};
    opt.shapes[0] = (struct shape){M, N, K};
    opt.alpha = alpha;
    opt.beta = beta;
    opt.lda = pad ? K + pad : 0;
    opt.ldb = pad ? N + pad : 0;
    opt.ldc = pad ? N + pad : 0;
    opt.offset = pad ? 1 : 0;
    error_program("99_test");
}

/* 77: the check agreed; else the exit code it asks for. */
static int check_body(void *unused)
{
    (void)unused;
    struct problem p;
    problem_create(&p, &opt, 0);
    reference_compute(&p);
    const bool passed = check(&p);
    problem_destroy(&p);
    return passed && exit_code_worst() == EXIT_PASS ? 77 : exit_code_worst();
}

static void passes(const char *name)
{
    outcome_is(run_child(check_body, NULL), 77, "", name);
}

static void fails(int how, int code, const char *part, const char *name)
{
    spoil = how;
    outcome_is(run_child(check_body, NULL), code, part, name);
    spoil = RIGHT;
}

static int create_body(void *unused)
{
    (void)unused;
    struct problem p;
    fake_free_bytes = 1000;
    problem_create(&p, &opt, 0);
    return 77;
}

static void test_right(void)
{
    static const float factors[] = {0, 1, -1, 0.5f, 3};
    char name[64];
    for (int i = 0; i < 25; i++) {
        set_problem(19, 23, 17, factors[i / 5], factors[i % 5], 3);
        snprintf(name, sizeof name, "right: alpha %g, beta %g", (double)opt.alpha,
                 (double)opt.beta);
        passes(name);
    }
    set_problem(0, 5, 5, 1, 0, 0);
    passes("right: M=0");
    set_problem(5, 0, 5, 1, 0, 2);
    passes("right: N=0, padding untouched");
    set_problem(5, 6, 0, 1, 1, 2);
    passes("right: K=0");
    set_problem(65, 33, 129, 1, 0, 0);
    opt.data = DATA_INTEGERS;
    passes("right: integers");
    opt.data = DATA_NONFINITE;
    passes("right: NaN in A, Inf in B");
    opt.data = DATA_ZEROS;
    passes("right: zeros");
    set_problem(40, 40, 40, 1e30f, 1e38f, 0);
    passes("right: near overflow");
    set_problem(40, 40, 40, 3e38f, 0, 0);
    passes("right: overflow to infinity");
    set_problem(40, 40, 40, 1e-44f, 0, 0);
    passes("right: underflow");
}

static void test_wrong(void)
{
    set_problem(20, 30, 10, 1, 0, 2);
    fails(SWAPPED_INDEX, EXIT_WRONG, "99_test: C[0][0] is ", "swapped indices");
    fails(MISSING_COLUMN, EXIT_WRONG, "C[0][29] still has its value", "a missing column");
    fails(MISSING_COLUMN, EXIT_WRONG, "20 of 600 elements", "and how many are wrong");
    fails(ONE_NAN, EXIT_WRONG, "C[10][0] is nan", "one NaN");
    fails(NOTHING_WRITTEN, EXIT_WRONG, "C[0][0] still has its value", "nothing written");
    fails(PADDING_WRITTEN, EXIT_WRONG, "C[0][30] is padding", "padding overwritten");
    fails(READS_C_AT_BETA_0, EXIT_WRONG, "C was read although beta is 0", "C read at beta 0");
    fails(LAST_ELEMENT, EXIT_WRONG, "C[19][29] is ", "the last element");
    fails(LAST_ELEMENT, EXIT_WRONG,
          "try: ./99_test --m 20 --n 30 --k 10 --lda 12 --ldb 32 --ldc 32 --offset 1 --check",
          "and the command to repeat it");
    fails(LAUNCH_FAILS, EXIT_DEVICE, "cudaErrorInvalidConfiguration", "a launch that fails");
    fails(RUN_FAILS, EXIT_DEVICE, "cudaErrorIllegalAddress", "a run that fails");
    fails(HANGS, EXIT_DEVICE, "99_test: after 1 s sgemm() still runs", "a run that hangs");
    set_problem(20, 30, 10, 1, 1, 0);
    fails(BETA_IGNORED, EXIT_WRONG, "C[0][0]", "beta ignored");
    set_problem(64, 64, 1, 1, 0, 0);
    fails(TF32_INPUTS, EXIT_WRONG, "C[0]", "TF32 inputs, K=1");
    set_problem(16, 16, 8192, 1, 0, 0);
    fails(TF32_INPUTS, EXIT_WRONG, "C[", "TF32 inputs, K=8192");
    opt.data = DATA_NONFINITE;
    fails(NOTHING_WRITTEN, EXIT_WRONG, "still has its value",
          "nothing written where NaN is expected");
    set_problem(16, 16, 8, 1, 0, 0);
    outcome_is(run_child(create_body, NULL), EXIT_DEVICE, "of device memory", "too little memory");
}

/* C of more elements than one panel of the reference. */
static void test_panels(void)
{
    set_problem(9, 5000000, 1, 1, 0, 0);
    passes("right: several panels");
    fails(LAST_ELEMENT, EXIT_WRONG, "C[8][4999999] is ", "wrong in the last panel");
}

int main(void)
{
    test_right();
    test_wrong();
    test_panels();
    return tap_done();
}
