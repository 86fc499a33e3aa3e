/* Between the harness and its two backends, common/gpu/ and common/emu/: what a backend supplies
 * besides device_open(), launch_table(), measure_and_report() and finish(), and the parts of the
 * harness that it may use.  A step's main.c needs harness.h alone. */
#ifndef BACKEND_H
#define BACKEND_H

#include "harness.h"
#include <stdio.h>

/* ---- What a backend supplies -------------------------------------------------------------- */

/* Fills the reference of rows row..row+rows-1: sum of a*b and sum of |a*b|, without alpha or beta.
 * Compact: rows x N. */
typedef void reference_fn(const struct problem *p, int row, int rows, double *sum,
                          double *magnitude);

struct backend {
    const char *default_sizes;         /* as --size takes them */
    const struct option_spec *options; /* its own, looked up first */
    reference_fn *reference;           /* for what is too large for the CPU; NULL: always the CPU */
    /* Seconds after which so many launches of the problem count as hanging; NULL: they never do. */
    double (*patience)(const struct problem *p, double launches);
};
extern const struct backend backend;

/* ---- error.c ------------------------------------------------------------------------------ */

/* Starts a program: the name that begins every message, the step's; nothing has failed yet. */
void error_program(const char *name);
const char *error_name(void);

/* Prints "NAME: message" on stderr, after what stdout still holds. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* complain(), then exit(code). */
void die(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Opens the file `name` that an option names, "w" or "a"; ends the program (exit 2) where that
 * cannot be. */
FILE *file_open(const char *option, const char *name, const char *mode);
/* Closes it; ends the program (exit 3) where not all of it could be written. */
void file_close(const char *option, const char *name, FILE *file);

/* What to do about a CUDA status, for the end of a message. */
const char *cuda_advice(cudaError_t status);

/* Ends the program with the expression, its place, the status by name and what to do. */
#define CUDA_CHECK(expression) cuda_check((expression), #expression, __FILE__, __LINE__)
void cuda_check(cudaError_t status, const char *expression, const char *file, int line);

/* malloc() that ends the program where memory runs out. */
void *host_alloc(size_t count, size_t size, const char *what);

/* The exit code so far: the worst of all that was raised. */
void exit_code_raise(int code);
int exit_code_worst(void);

/* ---- options.c ---------------------------------------------------------------------------- */

/* Decimal integer in [min, max] and nothing else. */
bool parse_int(const char *text, int min, int max, int *out);

const char *data_name(enum data_kind data);

/* Writes the command that repeats problem p alone: "./01_naive --m 3 --n 5 --k 7". */
void options_command(const struct problem *p, char *out, size_t size);

/* ---- problem.c ---------------------------------------------------------------------------- */

/* A NaN that no arithmetic makes: stands where nothing was written yet. */
#define POISON_BITS 0x7fedfaceu

/* C as it is before a checked run, rows row..row+rows-1 of it: rows x ldc. */
void problem_fill_c(const struct problem *p, int row, int rows, float *c);

/* One element of C before a checked run; only where beta != 0. */
float problem_c_value(const struct problem *p, int row, int col);

/* Rows of C that one panel covers. */
int problem_panel_rows(const struct problem *p);

/* 2*M*N*K */
double problem_flop(const struct problem *p);

/* ---- reference.c -------------------------------------------------------------------------- */

/* Brings the reference to the panel that begins with this row. */
void reference_panel(struct problem *p, int row);

/* Compares one element of a device's reference with the CPU; ends the program (exit 3) where they
 * differ. */
void reference_verify(const struct problem *p, int row, int col, double sum, double magnitude);

/* ---- bound.c ------------------------------------------------------------------------------ */

/* By how much an FP32 result of this problem may differ from the reference. */
double error_bound(const struct problem *p, double magnitude);

/* Whether an FP32 result agrees with the reference, NaN and infinities included. */
bool agrees(float got, double expected, double magnitude, double bound);

/* ---- check.c ------------------------------------------------------------------------------ */

/* A way to compute the problem: launches it on `stream`. */
typedef cudaError_t path_fn(const struct problem *p, cudaStream_t stream);

enum check_result { CHECK_PASS, CHECK_WRONG, CHECK_FAILED };

/* Runs the path on a poisoned C and compares every element and the padding; says what is wrong.
 * `who` names the path in messages.  Raises no exit code: that is check()'s. */
enum check_result check_path(struct problem *p, const char *who, path_fn *run);

/* sgemm() as a path. */
cudaError_t run_sgemm(const struct problem *p, cudaStream_t stream);

/* ---- watch.c ------------------------------------------------------------------------------ */

/* Prints "NAME: after S s MESSAGE" and ends the program (exit 3), unless watch_stop() comes within
 * the seconds.  One watch at a time. */
void watch_start(double seconds, const char *format, ...) __attribute__((format(printf, 2, 3)));
void watch_stop(void);

/* The same for so many launches of a problem, as long as the backend's patience lasts.  `what`
 * names what runs; `option` belongs to the command that repeats it: " --check". */
void watch_problem(const struct problem *p, const char *what, double launches, const char *option);

/* ---- table.c ------------------------------------------------------------------------------ */

struct column {
    const char *title;
    int width; /* negative: to the left, as in printf */
};

/* A table that prints cell by cell; begin with `at` 0.  The columns end with a NULL title. */
struct table {
    const struct column *columns;
    int at;
};

void table_header(struct table *t);
void table_text(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number with so many decimals; "-" for NaN. */
void table_number(struct table *t, double value, int decimals);
/* Four significant digits, never an exponent. */
void table_figure(struct table *t, double value);
/* "-" in every cell that is left of this row. */
void table_rest(struct table *t);

/* The launch table's second half: blocks and waves of each size, and what a card of compute
 * capability cc (90 for 9.0) lacks.  resident(kernel): blocks an SM. */
void table_sizes(const struct options *opt, predict_fn *predict,
                 int (*resident)(const struct kernel_info *), int sms, int cc);

/* ---- csv.c -------------------------------------------------------------------------------- */

/* One row of --csv; NULL and NaN become empty fields. */
struct csv_row {
    const char *device, *driver, *cuda, *cublas;
    double mhz, watts; /* by --watch; 0: unknown */
    const char *throttled;
    const char *kernel; /* the row of sgemm_kernels[] */
    struct shape shape;
    double ms, spread, gflops, ratio; /* ratio: speed / cuBLAS's */
    double graph_ms, graph_ratio;     /* the same by graph replay */
    const char *result;               /* "pass" or "fail" */
};

/* Ends the program (exit 2) where the file cannot be written; before anything is run. */
void csv_open(const struct options *opt);
/* Appends a row, below a header where the file is new; nothing without --csv. */
void csv_append(const struct options *opt, const struct csv_row *row);

#endif
