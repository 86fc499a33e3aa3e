/* The emulator as a backend of the harness: options, the device's line, the launch table, and for
 * each problem the counts beside the step's prediction. */
#include "emu.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct device devices[] = {
    /* cc, such a card, major, minor, SMs, an SM: threads, blocks, shared memory; a block */
    {"7.5", "T4", 7, 5, 40, 1024, 16, 64 << 10, 64 << 10, 0},
    {"8.0", "A100", 8, 0, 108, 2048, 32, 164 << 10, 163 << 10, 1024},
    {"8.6", "RTX 3090", 8, 6, 82, 1536, 16, 100 << 10, 99 << 10, 1024},
    {"8.9", "RTX 4090", 8, 9, 128, 1536, 24, 100 << 10, 99 << 10, 1024},
    {"9.0", "H100", 9, 0, 132, 2048, 32, 228 << 10, 227 << 10, 1024},
    {"10.0", "B200", 10, 0, 148, 2048, 32, 228 << 10, 227 << 10, 1024},
    {"12.0", "RTX 5090", 12, 0, 170, 1536, 24, 100 << 10, 99 << 10, 1024},
};
enum { NUM_DEVICES = sizeof devices / sizeof *devices };

const struct device *device = &devices[4];
int num_workers;
bool want_lines;
const char *trace_file;
static const char *counts_file;

/* ---- Options ---- */

static bool set_cc(struct options *opt, const char *value)
{
    (void)opt;
    for (int i = 0; i < NUM_DEVICES; i++)
        if (strcmp(devices[i].cc, value) == 0) {
            device = &devices[i];
            return true;
        }
    return false;
}

static bool set_threads(struct options *opt, const char *value)
{
    (void)opt;
    return parse_int(value, 1, MAX_WORKERS, &num_workers);
}

static bool set_lines(struct options *opt, const char *value)
{
    (void)opt;
    (void)value;
    return want_lines = true;
}

static bool set_counts(struct options *opt, const char *value)
{
    (void)opt;
    counts_file = value;
    return *value != '\0';
}

static bool set_trace(struct options *opt, const char *value)
{
    (void)opt;
    trace_file = value;
    return *value != '\0';
}

static bool refuse_rounds(struct options *opt, const char *value)
{
    (void)opt;
    (void)value;
    die(EXIT_USAGE, "--rounds asks for timing, and the CPU emulator measures no time, only counts; "
                    "leave it out, or run on a GPU with BACKEND=gpu");
}

static const struct option_spec emu_options[] = {
    {"--cc", "7.5, 8.0, 8.6, 8.9, 9.0, 10.0 or 12.0", "the GPU that is emulated (9.0)", set_cc},
    {"--threads", "an integer from 1 to 256", "OS threads (as many as there are CPUs)",
     set_threads},
    {"--lines", NULL, "a table of what each source line costs", set_lines},
    {"--counts", "a file name", "append what was predicted and counted to this file, as CSV",
     set_counts},
    {"--trace", "a file name", "write the memory requests of block 0 to it, as CSV", set_trace},
    {"--rounds", "nothing: there is no timing here", "refused: nothing is timed", refuse_rounds},
    {0},
};

const struct backend backend = {.default_sizes = "256", .options = emu_options};

static void counts_open(void);

void device_open(const struct options *opt)
{
    if (opt->device != 0)
        die(EXIT_DEVICE, "--device %d: the emulator is one device, number 0", opt->device);
    if (num_workers == 0) {
        const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
        num_workers = cpus < 1 ? 1 : cpus > MAX_WORKERS ? MAX_WORKERS : (int)cpus;
    }
    static bool open; /* a test runs a program several times in one process */
    if (!open) {
        symbols_open();
        runtime_open();
        open = true;
    }
    trace_open();
    counts_open();
    printf("CPU emulator of compute capability %s (as %s, %d SMs), %d OS thread%s; counts, no "
           "speed\n",
           device->cc, device->name, device->sms, num_workers, num_workers == 1 ? "" : "s");
    if (opt->data != DATA_RANDOM)
        printf("inputs: --data %s\n", data_name(opt->data));
    putchar('\n');
}

/* ---- The launch table ---- */

/* Resident blocks an SM; 0 where the device cannot hold one. */
static int residency(const struct kernel_info *k, const char **limiter)
{
    const size_t smem = shared_static_size(k->func) + (size_t)k->smem;
    *limiter = "shared memory";
    return smem > (size_t)device->smem_block ? 0 : blocks_per_sm(k->threads, smem, limiter);
}

static void print_kernels(void)
{
    static const struct column columns[] = {
        {"kernel", -28},  {"static", 6},    {"dynamic", 7},   {"threads", 7},
        {"blocks/SM", 9}, {"limiter", -13}, {"occupancy", 9}, {0}};
    struct table t = {columns, 0};
    table_header(&t);
    for (const struct kernel_info *k = sgemm_kernels; k->name; k++) {
        const char *limiter;
        const int blocks = residency(k, &limiter);
        table_text(&t, "%s", k->name);
        table_text(&t, "%zu", shared_static_size(k->func));
        table_text(&t, "%d", k->smem);
        table_text(&t, "%d", k->threads);
        table_text(&t, "%d", blocks);
        table_text(&t, "%s", limiter);
        table_text(&t, "%.0f%%", 100.0 * blocks * k->threads / device->threads_sm);
    }
    printf("static, dynamic: shared memory a block, bytes; registers, which only nvcc knows, may "
           "limit further\n\n");
}

static int resident_blocks(const struct kernel_info *k)
{
    const char *limiter;
    return residency(k, &limiter);
}

void launch_table(const struct options *opt, predict_fn *predict)
{
    print_kernels();
    table_sizes(opt, predict, resident_blocks, device->sms, device->major * 10 + device->minor);
}

/* ---- Counts ---- */

struct quantity {
    const char *name, *key; /* key: a column of --counts */
    double predicted, counted;
};
enum { NUM_QUANTITIES = 12 };

static double ratio(double a, double b)
{
    return b == 0 ? NAN : a / b;
}

/* The table's rows: what main.c predicted beside what the run counted. */
static void compare(const struct problem *p, const struct prediction *e, const struct totals *t,
                    double findings, struct quantity *out)
{
    const double outputs = (double)p->shape.M * p->shape.N;
    const int K = p->alpha == 0.0f ? 0 : p->shape.K;
    const double fma = e->fma ? e->fma
                              : e->blocks * e->kernel->bm * e->kernel->bn *
                                    ceil_div(K, e->kernel->bk) * e->kernel->bk;
    const double floats = t->floats / outputs, flop = problem_flop(p) / outputs;
    const struct quantity rows[NUM_QUANTITIES] = {
        {"sectors a global load request", "ld_sectors", e->load_sectors,
         ratio(t->passes[0][0], t->requests[0][0])},
        {"sectors a global store request", "st_sectors", e->store_sectors,
         ratio(t->passes[0][1], t->requests[0][1])},
        {"shared loads an FMA", "lds_fma", e->shared_loads, ratio(t->accesses[1][0], fma)},
        {"shared stores an FMA", "sts_fma", e->shared_stores, ratio(t->accesses[1][1], fma)},
        {"bank passes a shared load request", "ld_passes", e->load_passes,
         ratio(t->passes[1][0], t->requests[1][0])},
        {"bank passes a shared store request", "st_passes", e->store_passes,
         ratio(t->passes[1][1], t->requests[1][1])},
        {"bank conflicts (passes too many)", "conflicts", e->conflicts, t->conflicts},
        {"global floats an output", "gf_out", e->global_floats, floats},
        {"FLOP a byte of global memory", "flop_byte", ratio(flop, 4 * e->global_floats),
         ratio(flop, 4 * floats)},
        {"blocks", "blocks", e->blocks + e->more_blocks, t->blocks},
        {"barriers a thread", "barriers", e->barriers, ratio(t->barriers, t->blocks)},
        {"races and other findings", "findings", 0, findings},
    };
    memcpy(out, rows, sizeof rows);
}

static bool differs(const struct quantity *q)
{
    return !isnan(q->predicted) && !isnan(q->counted) &&
           fabs(q->predicted - q->counted) > 1e-6 * fabs(q->counted);
}

static void print_counts(const struct problem *p, const struct prediction *e,
                         const struct quantity *rows, bool passed)
{
    static const struct column columns[] = {
        {"quantity", -36}, {"predicted", 12}, {"counted", 12}, {"", -8}, {0}};
    struct table t = {columns, 0};
    printf("%s, M=%d N=%d K=%d: %s\n", e->kernel->name, p->shape.M, p->shape.N, p->shape.K,
           passed ? "pass" : "FAIL");
    table_header(&t);
    for (int i = 0; i < NUM_QUANTITIES; i++) {
        table_text(&t, "%s", rows[i].name);
        table_figure(&t, rows[i].predicted);
        table_figure(&t, rows[i].counted);
        table_text(&t, "%s", differs(&rows[i]) ? "differs" : "");
    }
    putchar('\n');
}

/* ---- --lines ---- */

struct line_cost {
    struct source source;
    struct site site;
};

static int compare_lines(const void *a, const void *b)
{
    const struct line_cost *x = a, *y = b;
    const int file =
        strcmp(x->source.file ? x->source.file : "", y->source.file ? y->source.file : "");
    return file                               ? file
           : x->source.line != y->source.line ? x->source.line - y->source.line
           : x->site.space != y->site.space   ? x->site.space - y->site.space
           : x->site.kind != y->site.kind     ? x->site.kind - y->site.kind
                                              : x->site.size - y->site.size;
}

/* One row for all instructions of a line with the same kind of access. */
static void print_lines(void)
{
    static const struct column columns[] = {{"line", -28}, {"memory", -6},  {"access", -6},
                                            {"bytes", 5},  {"requests", 9}, {"each costs", 10},
                                            {"excess", 9}, {"source", -40}, {0}};
    const struct sites *sites = cost_sites();
    struct line_cost *rows = host_alloc(sites->count, sizeof *rows, "--lines");
    uint32_t *pcs = host_alloc(sites->count, sizeof *pcs, "--lines");
    struct source *sources = host_alloc(sites->count, sizeof *sources, "--lines");
    size_t n = 0;
    for (size_t i = 0; i < sites->capacity; i++)
        if (sites->table[i].used) {
            pcs[n] = sites->table[i].pc;
            rows[n++].site = sites->table[i];
        }
    source_lines(pcs, n, sources);
    for (size_t i = 0; i < n; i++)
        rows[i].source = sources[i];
    qsort(rows, n, sizeof *rows, compare_lines);

    struct table t = {columns, 0};
    table_header(&t);
    for (size_t i = 0; i < n;) {
        struct site sum = rows[i].site;
        const struct line_cost *first = &rows[i];
        char text[48], place[300];
        for (i++; i < n && compare_lines(first, &rows[i]) == 0; i++) {
            sum.requests += rows[i].site.requests;
            sum.passes += rows[i].site.passes;
            sum.least += rows[i].site.least;
        }
        snprintf(place, sizeof place, "%s:%d",
                 first->source.file ? first->source.file : "(addr2line is missing)",
                 first->source.line);
        source_text(&first->source, text, sizeof text);
        table_text(&t, "%s", place);
        table_text(&t, "%s", sum.space == SPACE_SHARED ? "shared" : "global");
        table_text(&t, "%s", sum.kind == LOAD ? "load" : sum.kind == STORE ? "store" : "atomic");
        table_text(&t, "%d", sum.size);
        table_text(&t, "%llu", (unsigned long long)sum.requests);
        table_figure(&t, (double)sum.passes / (double)sum.requests);
        table_number(&t, sum.space == SPACE_SHARED ? (double)(sum.passes - sum.least) : NAN, 0);
        table_text(&t, "%s", text);
    }
    printf("bytes: a lane; requests: of warps; each costs: sectors of 32 bytes (global), passes "
           "through the banks (shared); excess: bank conflicts\n\n");
    free(rows);
    free(pcs);
    free(sources);
}

/* ---- The report ---- */

/* Opened early, so that a bad name is refused before anything is run. */
static void counts_open(void)
{
    if (!counts_file)
        return;
    struct quantity rows[NUM_QUANTITIES];
    const struct kernel_info none = {.bk = 1};
    FILE *file = file_open("--counts", counts_file, "a");
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0) {
        compare(&(struct problem){0}, &(struct prediction){.kernel = &none}, &(struct totals){0}, 0,
                rows);
        fprintf(file, "step,M,N,K,result");
        for (int i = 0; i < NUM_QUANTITIES; i++)
            fprintf(file, ",%s,%s_predicted", rows[i].key, rows[i].key);
        fprintf(file, ",global_load_requests,global_load_sectors,global_store_requests,"
                      "global_store_sectors,shared_load_requests,shared_load_passes,"
                      "shared_store_requests,shared_store_passes,shared_loads,shared_stores\n");
    }
    file_close("--counts", counts_file, file);
}

/* NaN becomes an empty field. */
static void put_field(FILE *file, double value)
{
    if (isnan(value))
        fputc(',', file);
    else
        fprintf(file, ",%.9g", value);
}

static void counts_append(const struct problem *p, const struct quantity *rows,
                          const struct totals *t, bool passed)
{
    if (!counts_file)
        return;
    FILE *file = file_open("--counts", counts_file, "a");
    fprintf(file, "%s,%d,%d,%d,%s", p->opt->step, p->shape.M, p->shape.N, p->shape.K,
            passed ? "pass" : "fail");
    for (int i = 0; i < NUM_QUANTITIES; i++) {
        put_field(file, rows[i].counted);
        put_field(file, rows[i].predicted);
    }
    for (int space = 0; space < 2; space++)
        for (int store = 0; store < 2; store++)
            fprintf(file, ",%.0f,%.0f", t->requests[space][store], t->passes[space][store]);
    fprintf(file, ",%.0f,%.0f", t->accesses[1][0], t->accesses[1][1]);
    fputc('\n', file);
    file_close("--counts", counts_file, file);
}

static void append_csv(const struct problem *p, const char *kernel, bool passed)
{
    csv_append(p->opt, &(struct csv_row){.device = "CPU emulator",
                                         .kernel = kernel,
                                         .shape = p->shape,
                                         .ms = NAN,
                                         .spread = NAN,
                                         .gflops = NAN,
                                         .ratio = NAN,
                                         .graph_ms = NAN,
                                         .graph_ratio = NAN,
                                         .result = passed ? "pass" : "fail"});
}

void measure_and_report(struct problem *p, predict_fn *predict, bool passed)
{
    struct prediction expected = {0};
    struct quantity rows[NUM_QUANTITIES];
    struct totals totals;
    const uint64_t findings = report_count();
    passed = passed && findings == 0;
    if (p->shape.M == 0 || p->shape.N == 0) {
        printf("M=%d N=%d K=%d: %s, C is empty\n\n", p->shape.M, p->shape.N, p->shape.K,
               passed ? "pass" : "FAIL");
        append_csv(p, NULL, passed);
        return;
    }
    predict(p, &expected);
    cost_totals(&totals);
    compare(p, &expected, &totals, (double)findings, rows);
    if (p->opt->check_only)
        printf("%s, M=%d N=%d K=%d: %s\n", expected.kernel->name, p->shape.M, p->shape.N,
               p->shape.K, passed ? "pass" : "FAIL");
    else
        print_counts(p, &expected, rows, passed);
    if (want_lines)
        print_lines();
    counts_append(p, rows, &totals, passed);
    append_csv(p, expected.kernel->name, passed);
    cost_reset();
}

int finish(const struct options *opt)
{
    trace_write();
    printf("%s: %s\n", opt->step, exit_code_worst() == EXIT_PASS ? "all sizes pass" : "FAILED");
    return exit_code_worst();
}
