/* The GPU backend: measures each problem, prints its rows, and counts the failures. */
#include "../backend.h"
#include "cublas.h"
#include "gpu.h"
#include "nvml.h"
#include "peak.h"
#include "timing.h"

/* Sizes from here on keep the host ahead of the card; below, graph replay is shown as well. */
#define GRAPH_BELOW 1024

static struct column time_columns[] = {{"size", -14},    {"kernel", -24},
                                       {"ms", 8},        {"spread", 6},
                                       {"GFLOP/s", 7},   {"% cuBLAS", 8},
                                       {"% peak", 6},    {"gf/out", 7},
                                       {"F/byte", 6},    {"smem/FMA", 8},
                                       {"MHz", 5},       {"W", 5},
                                       {"throttled", 9}, {0}};
static const struct column check_columns[] = {{"size", -14}, {"kernel", -24}, {"result", 6}, {0}};

enum { WATCH_COLUMN = 10 }; /* the first of those that --watch adds */

static struct table table;
static double peak; /* FLOP/s */
static bool above_peak;
/* While the last rounds ran, of both paths. */
static struct sensors sensors;
static char throttled[64];

void device_open(const struct options *opt)
{
    gpu_open(opt->device);
    if (opt->data != DATA_RANDOM)
        printf("inputs: --data %s%s\n", data_name(opt->data),
               opt->data == DATA_ZEROS ? "; they draw less power: no speed to quote" : "");
    gpu.watch &= !opt->check_only;
    const char *blind = gpu.watch ? nvml_open() : NULL;
    if (blind) {
        printf("--watch shows nothing: %s\n", blind);
        gpu.watch = false;
    }
    if (!gpu.watch)
        time_columns[WATCH_COLUMN] = (struct column){0};
    if (!opt->check_only) {
        cublas_open();
        peak = peak_flops(opt->program);
        printf("FP32 peak: %.1f TFLOP/s measured, %.1f in theory\n", peak / 1e12,
               gpu_theoretical_flops() / 1e12);
    }
    printf("\n");
}

static void begin_row(const struct problem *p, const char *kernel)
{
    if (p->shape.M == p->shape.N && p->shape.N == p->shape.K)
        table_text(&table, "%d", p->shape.M);
    else
        table_text(&table, "%dx%dx%d", p->shape.M, p->shape.N, p->shape.K);
    table_text(&table, "%s", kernel);
}

/* One timed row; `ratio` and the prediction's figures are NaN where there are none. */
static void time_row(const struct problem *p, const char *kernel, struct timing t, double ratio,
                     const struct prediction *expected)
{
    const double flops = problem_flop(p) / (t.ms * 1e-3);
    const double gf = expected ? expected->global_floats : NAN;
    begin_row(p, kernel);
    table_figure(&table, t.ms);
    if (isnan(t.spread))
        table_text(&table, "-");
    else
        table_text(&table, "%.1f%%", 100 * t.spread);
    table_number(&table, flops / 1e9, 0);
    table_number(&table, 100 * ratio, 1);
    above_peak |= flops > peak;
    table_text(&table, "%.1f%s", 100 * flops / peak, flops > peak ? "!" : "");
    table_figure(&table, gf);
    table_figure(&table, 2.0 * p->shape.K / (4 * gf));
    table_figure(&table, expected ? expected->shared_loads : NAN);
    if (!gpu.watch)
        return;
    table_number(&table, sensors.mhz, 0);
    table_number(&table, sensors.watts, 0);
    table_text(&table, "%s", throttled);
}

/* Checks cuBLAS like any other path; a baseline that is wrong is none. */
static bool cublas_passes(struct problem *p)
{
    if (check_path(p, "cuBLAS: ", run_cublas) == CHECK_PASS)
        return true;
    complain("cuBLAS failed its check at M=%d N=%d K=%d: no ratio is shown", p->shape.M, p->shape.N,
             p->shape.K);
    return false;
}

/* Times the paths, and reads the sensors meanwhile. */
static void time_watched(void (*time)(const struct problem *, path_fn *const[], int,
                                      struct timing[]),
                         const struct problem *p, path_fn *const paths[], int n, struct timing t[])
{
    if (gpu.watch)
        nvml_begin();
    time(p, paths, n, t);
    if (!gpu.watch)
        return;
    sensors = nvml_end();
    nvml_throttle_text(sensors.throttled, throttled, sizeof throttled);
}

static void measure(struct problem *p, const struct prediction *expected, struct csv_row *csv)
{
    path_fn *const paths[] = {run_sgemm, run_cublas};
    const int n = cublas_passes(p) ? 2 : 1;
    struct timing t[2] = {{NAN, NAN}, {NAN, NAN}}, g[2] = {{NAN, NAN}, {NAN, NAN}};

    time_watched(time_paths, p, paths, n, t);
    if (gpu.watch) {
        csv->mhz = sensors.mhz;
        csv->watts = sensors.watts;
        csv->throttled = throttled;
    }
    csv->ms = t[0].ms;
    csv->spread = t[0].spread;
    csv->gflops = problem_flop(p) / (t[0].ms * 1e6);
    csv->ratio = t[1].ms / t[0].ms;
    time_row(p, expected->kernel->name, t[0], csv->ratio, expected);
    if (n == 2)
        time_row(p, "cuBLAS", t[1], 1, NULL);

    if (p->shape.M >= GRAPH_BELOW || p->shape.N >= GRAPH_BELOW || p->shape.K >= GRAPH_BELOW)
        return;
    time_watched(time_graphs, p, paths, n, g);
    csv->graph_ms = g[0].ms;
    csv->graph_ratio = g[1].ms / g[0].ms;
    time_row(p, "  by graph replay", g[0], csv->graph_ratio, expected);
    if (n == 2)
        time_row(p, "  cuBLAS by graph replay", g[1], 1, NULL);
}

void measure_and_report(struct problem *p, predict_fn *predict, bool passed)
{
    const struct options *opt = p->opt;
    struct prediction expected = {0};
    struct csv_row csv = {.device = gpu.name,
                          .driver = gpu.driver,
                          .cuda = gpu.cuda,
                          .cublas = cublas_version(),
                          .shape = p->shape,
                          .ms = NAN,
                          .spread = NAN,
                          .gflops = NAN,
                          .ratio = NAN,
                          .graph_ms = NAN,
                          .graph_ratio = NAN,
                          .result = passed ? "pass" : "fail"};
    if (!table.columns) {
        table.columns = opt->check_only ? check_columns : time_columns;
        table_header(&table);
    }
    if (p->shape.M > 0 && p->shape.N > 0) {
        predict(p, &expected);
        csv.kernel = expected.kernel->name;
    }
    if (passed && !opt->check_only && problem_flop(p) > 0) {
        measure(p, &expected, &csv);
    } else {
        begin_row(p, csv.kernel ? csv.kernel : "none: C is empty");
        table_text(&table, passed ? "pass" : "FAIL");
        if (table.at)
            table_rest(&table);
    }
    csv_append(opt, &csv);

    const cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess)
        die(EXIT_DEVICE,
            "%s (%s) ended this program's use of the device: the sizes after M=%d N=%d K=%d were "
            "not run; run them alone with --size",
            cudaGetErrorName(status), cudaGetErrorString(status), p->shape.M, p->shape.N,
            p->shape.K);
}

int finish(const struct options *opt)
{
    if (!opt->check_only)
        printf("ms: median of the rounds; spread: (90th - 10th percentile) / median%s\n",
               opt->data == DATA_ZEROS ? "; all inputs are zero" : "");
    if (gpu.watch)
        printf("MHz, W: mean while the rounds ran, of this kernel and of cuBLAS; throttled: what "
               "held the clock down\n");
    if (above_peak)
        printf("!: faster than the measured peak; `make peak` measures it again, and a clock that "
               "moves explains a few percent\n");
    printf("%s: %s\n", opt->step, exit_code_worst() == EXIT_PASS ? "all sizes pass" : "FAILED");
    return exit_code_worst();
}
