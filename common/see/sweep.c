/* `make sweep`: every step and cuBLAS over many sizes, each checked before it is timed. */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "../gpu/cublas.h"
#include "../gpu/gpu.h"
#include "../gpu/on_card.h"
#include "../gpu/timing.h"
#include "paths.h"
#include <unistd.h>

/* A launch this long is measured once, by the run that is checked; the others in rounds. */
#define LONG_MS 50.0
#define ROUND_MS 4.0
enum { ROUNDS = 3, MAX_LAUNCHES = 2000, SECONDS = 180 };

static int limit = SECONDS;
static bool mark;
static const char *launches_csv;
static const struct path *chosen[MAX_PATHS];
static int num_chosen;

/* ---- Options ---- */

static bool set_seconds(struct options *opt, const char *value)
{
    (void)opt;
    return parse_int(value, 1, 1000000, &limit);
}

static bool set_mark(struct options *opt, const char *value)
{
    (void)opt;
    (void)value;
    return mark = true;
}

static bool set_launches(struct options *opt, const char *value)
{
    (void)opt;
    launches_csv = value;
    return *value != '\0';
}

static const struct option_spec sweep_options[] = {
    {"--step", "numbers or names of steps, or cuBLAS, as in 05,cuBLAS", "what runs (all)",
     paths_set_list},
    {"--seconds", "an integer from 1 to 1000000", "after which no other point is begun (180)",
     set_seconds},
    {"--mark", NULL,
     "for a profiler: before each launch that is checked, an empty kernel of 1, 2, ... blocks",
     set_mark},
    {"--launches", "a file name", "write tile, registers and resident blocks of every kernel",
     set_launches},
    {0},
};

/* ---- Progress ---- */

/* Seconds per FLOP of a launch, as last seen of each path; 0: not yet.  A product of fewer FLOP
 * than 1024^3 takes tells nothing: starting it takes as long. */
#define TELLING_FLOP 2.1e9
static double pace[MAX_PATHS];
static double pace_problem; /* of inputs and reference, for each element of C */

static double point_seconds(int path, double flop)
{
    const double launch = pace[path] * flop;
    if (launch >= LONG_MS * 1e-3)
        return launch;
    return fmax(launch * (ROUNDS + 1), launch + ROUNDS * ROUND_MS * 1e-3);
}

static double flop_of(const struct options *opt, int size)
{
    return 2.0 * opt->shapes[size].M * opt->shapes[size].N * opt->shapes[size].K;
}

static double elements_of(const struct options *opt, int size)
{
    return (double)opt->shapes[size].M * opt->shapes[size].N;
}

/* Says nothing of the time left before each path has been seen. */
static void progress(const struct options *opt, int size, int path)
{
    bool known = true;
    double left = 0;
    if (!isatty(STDERR_FILENO))
        return;
    for (int s = size; s < opt->num_shapes; s++) {
        left += s > size ? pace_problem * elements_of(opt, s) : 0;
        for (int i = s == size ? path : 0; i < num_chosen; i++) {
            left += point_seconds(i, flop_of(opt, s));
            known = known && pace[i] > 0;
        }
    }
    fprintf(stderr, "\r%d/%d  %-20s %5d", size * num_chosen + path, opt->num_shapes * num_chosen,
            chosen[path]->name, opt->shapes[size].M);
    if (known)
        fprintf(stderr, "  about %.0f s left", left);
    fprintf(stderr, " \033[K");
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

/* ---- Measuring ---- */

/* `once`: what the checked launch took, which may have had the kernel to load if it is the first.
 */
static void measure(const struct problem *p, const struct path *path, double once, bool first,
                    struct csv_row *row)
{
    double ms[ROUNDS];
    if (first)
        once = paths_time(p, path, 1);
    row->ms = once;
    if (once >= LONG_MS)
        return;
    const double wanted = ROUND_MS / once;
    const int launches = wanted > MAX_LAUNCHES ? MAX_LAUNCHES : wanted < 1 ? 1 : (int)wanted;
    for (int r = 0; r < ROUNDS; r++)
        ms[r] = paths_time(p, path, launches) / launches;
    row->ms = median(ms, ROUNDS);
    row->spread = (ms[ROUNDS - 1] - ms[0]) / row->ms;
}

/* One path at one size; returns its milliseconds, NaN where it failed. */
static double point(struct options *opt, struct problem *p, int index, double cublas_ms)
{
    const struct path *path = chosen[index];
    struct prediction expected = {0};
    struct csv_row row = {.device = gpu.name,
                          .driver = gpu.driver,
                          .cuda = gpu.cuda,
                          .cublas = cublas_version(),
                          .kernel = "cublasGemmEx",
                          .shape = p->shape,
                          .ms = NAN,
                          .spread = NAN,
                          .graph_ms = NAN,
                          .graph_ratio = NAN,
                          .result = "fail"};
    double once;
    if (path->predict) {
        path->predict(p, &expected);
        row.kernel = expected.kernel->name;
    }
    if (on_card_check(p, path->name, path->run, mark ? index + 1 : 0, &once)) {
        row.result = "pass";
        if (!opt->check_only)
            measure(p, path, once, pace[index] == 0, &row);
    }
    if (problem_flop(p) > TELLING_FLOP)
        pace[index] = (row.ms > 0 ? row.ms : once) * 1e-3 / problem_flop(p);
    row.gflops = problem_flop(p) / (row.ms * 1e6);
    row.ratio = (path->predict ? cublas_ms : row.ms) / row.ms;
    opt->step = path->name;
    csv_append(opt, &row);
    opt->step = "sweep";
    return row.ms;
}

/* How many points were measured before the time was over. */
static int sweep(struct options *opt)
{
    const double start = paths_now();
    int done = 0;
    for (int s = 0; s < opt->num_shapes; s++) {
        struct problem p;
        double cublas_ms = NAN;
        if (opt->shapes[s].M == 0 || opt->shapes[s].N == 0 || opt->shapes[s].K == 0)
            die(EXIT_USAGE, "a size of 0 has no speed; leave it out of --size");
        const double before = paths_now();
        problem_create(&p, opt, s);
        on_card_reference(&p);
        pace_problem = (paths_now() - before) / elements_of(opt, s);
        for (int i = 0; i < num_chosen; i++, done++) {
            if (paths_now() - start > limit)
                return done;
            progress(opt, s, i);
            const double ms = point(opt, &p, i, cublas_ms);
            if (!chosen[i]->predict)
                cublas_ms = ms;
        }
        problem_destroy(&p);
    }
    return done;
}

/* ---- Launches ---- */

static void write_launches(void)
{
    FILE *file = file_open("--launches", launches_csv, "w");
    fprintf(file, "device,sms,step,kernel,threads,registers,smem,bm,bn,bk,tm,tn,resident\n");
    for (int i = 0; i < num_chosen; i++)
        for (const struct kernel_info *k = chosen[i]->kernels; k && k->name; k++) {
            struct cudaFuncAttributes a;
            const int resident = gpu_resident_blocks(k);
            CUDA_CHECK(cudaFuncGetAttributes(&a, k->func));
            fprintf(file, "%s,%d,%s,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", gpu.name, gpu.sms,
                    chosen[i]->name, k->name, k->threads, a.numRegs,
                    (int)a.sharedSizeBytes + k->smem, k->bm, k->bn, k->bk, k->tm, k->tn, resident);
        }
    file_close("--launches", launches_csv, file);
}

int main(int argc, char **argv)
{
    static struct options opt;
    const double start = paths_now();
    options_add(sweep_options);
    options_parse(&opt, "sweep", argc, argv);
    paths_require_plain(&opt);
    num_chosen = paths_choose(chosen);
    gpu_open(opt.device);
    cublas_open();
    if (launches_csv)
        write_launches();
    const int all = opt.num_shapes * num_chosen, done = sweep(&opt);
    end_progress();
    printf("sweep: %d of %d points in %.0f s%s%s\n", done, all, paths_now() - start,
           exit_code_worst() == EXIT_PASS ? ", all results pass" : ", SOME FAILED",
           done < all ? "; the time was over, --seconds gives more" : "");
    return exit_code_worst();
}
