/* The harness: what a step's main.c calls, in the order in which it calls it.
 *
 * options -> device -> launch table -> for each size: problem, reference, check, measure, report.
 * The same calls run on a GPU (common/gpu/) and on the CPU emulator (common/emu/); the rest of
 * common/ serves both.  Errors print what, where, what was expected and what to do, and exit:
 * 1 wrong result, 2 usage, 3 no usable device or CUDA error. */
#ifndef HARNESS_H
#define HARNESS_H

#include "sgemm.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exit_code { EXIT_PASS = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_DEVICE = 3 };
enum data_kind { DATA_RANDOM, DATA_INTEGERS, DATA_ZEROS, DATA_NONFINITE };
enum { MAX_SIZES = 4096 };

struct shape {
    int M, N, K;
};

/* The command line, parsed.  A leading dimension of 0 means "tight": lda = K, ldb = ldc = N. */
struct options {
    const char *step;    /* "05_regtile_2d" */
    const char *program; /* argv[0]: for the command that repeats a failure */
    struct shape shapes[MAX_SIZES];
    int num_shapes;
    float alpha, beta;
    int lda, ldb, ldc;
    int offset; /* elements by which the base pointers of A, B and C miss 256-byte alignment */
    int rounds; /* 0: as many as fit a bounded time */
    uint64_t seed;
    enum data_kind data;
    int device;
    bool check_only;
    const char *csv; /* NULL: none */
};

/* One product: C = alpha*A*B + beta*C, its device buffers and its reference.  The reference is kept
 * for a panel of rows at a time, so that a C of more than 2^31 elements fits the host. */
struct problem {
    struct shape shape;
    float alpha, beta;
    int lda, ldb, ldc;
    float *A, *B, *C;             /* device; A is M x lda, B is K x ldb, C is M x ldc */
    float *host_A, *host_B;       /* the same on the host */
    int panel_row, panel_rows;    /* the rows of C that the reference holds now */
    double *expected, *magnitude; /* panel_rows x N: the result; sum of |alpha*a*b| + |beta*c| */
    const struct options *opt;
};

/* What a step says of itself before it runs, for one problem.  NAN: no prediction. */
struct prediction {
    const struct kernel_info *kernel; /* the row of sgemm_kernels[] that this problem takes */
    double blocks;                    /* thread blocks of this kernel */
    double more_blocks;               /* thread blocks of others beside it */
    double global_floats;             /* floats read and written in global memory an output */
    double shared_loads;              /* shared-memory load instructions an FMA, of a thread */
    double shared_stores;             /* shared-memory store instructions an FMA, of a thread */
    double load_sectors;              /* 32-byte sectors a warp's load request, mean over A and B */
    double store_sectors;             /* 32-byte sectors a warp's store request to C */
    double load_passes;               /* bank passes a warp's shared load, mean */
    double store_passes;              /* bank passes a warp's shared store, mean */
    double conflicts;                 /* bank passes beyond the least, whole launch */
    double barriers;                  /* __syncthreads() a thread */
    bool cp_async;                    /* slices come by cp.async, where the card has it */
    double fma; /* executed, padding included; 0: blocks * bm * bn * (K rounded up to bk) */
};
typedef void predict_fn(const struct problem *p, struct prediction *out);

/* Whether 16-byte loads are legal for every row of A and B: N, K, lda and ldb are multiples of
 * 4 and the pointers of 16 bytes.  The rule by which steps 06 to 10 choose their path. */
bool problem_allows_float4(const struct problem *p);

/* ceil(a / b) for a >= 0, b > 0, as a double: predictions are formulas in doubles. */
static inline double ceil_div(int a, int b)
{
    return (double)(((int64_t)a + b - 1) / b);
}

/* One option of the command line; lists of them end with a NULL name. */
struct option_spec {
    const char *name;  /* "--size" */
    const char *takes; /* "N[,N...], each 0 to 100"; NULL: the option takes no value */
    const char *help;
    bool (*set)(struct options *opt, const char *value); /* false: a bad value */
};

/* Before options_parse(): options that this step alone has. */
void options_add(const struct option_spec *list);

/* Parses the command line; prints help or a usage error and exits. */
void options_parse(struct options *opt, const char *step, int argc, char **argv);

/* Opens the device (or the emulated one) and prints its line; exits 3 if there is none. */
void device_open(const struct options *opt);

/* Prints, for every kernel of the step: registers, spills, shared memory, threads, resident blocks
 * an SM and what limits them, occupancy, and blocks and waves at each size. */
void launch_table(const struct options *opt, predict_fn *predict);

/* The shape, leading dimensions and pointer alignment of the i-th problem, without buffers. */
void problem_describe(struct problem *p, const struct options *opt, int i);

/* Makes the i-th problem of the command line: inputs from the seed, buffers on the device. */
void problem_create(struct problem *p, const struct options *opt, int i);

/* Double-precision result and magnitude for every element of the first panel; check() goes on to
 * the next panels by itself. */
void reference_compute(struct problem *p);

/* Runs sgemm() once on a poisoned C and compares every element and the padding with the reference;
 * prints the first wrong one.  True if all agree. */
bool check(struct problem *p);

/* On a GPU: checks cuBLAS, then times sgemm() and cuBLAS round by round.  On the emulator: counts.
 * Prints the row of the result table and appends the CSV row.  A problem that failed its check is
 * reported as FAIL without any figure. */
void measure_and_report(struct problem *p, predict_fn *predict, bool passed);

void problem_destroy(struct problem *p);

/* Closes the tables; returns the exit code: the worst of all sizes. */
int finish(const struct options *opt);

#endif
