/* `make peak`: the card's measured and theoretical rates, and where its roofline bends. */
#include "../backend.h"
#include "gpu.h"
#include "peak.h"
#include <stdlib.h>
#include <string.h>

struct rate {
    const char *name, *unit, *method;
    double measured, theory; /* units of 10^12; theory NaN: not published */
};

static void print_table(const struct rate *rates)
{
    static const struct column columns[] = {{"", -14}, {"unit", -7}, {"measured", 8}, {"theory", 8},
                                            {"%", 5},  {"ridge", 6}, {"how", -52},    {0}};
    struct table t = {columns, 0};
    const double flops = rates->measured;
    table_header(&t);
    for (const struct rate *r = rates; r->name; r++) {
        table_text(&t, "%s", r->name);
        table_text(&t, "%s", r->unit);
        table_figure(&t, r->measured);
        table_figure(&t, r->theory);
        table_number(&t, 100 * r->measured / r->theory, 1);
        table_figure(&t, r == rates ? NAN : flops / r->measured);
        table_text(&t, "%s", r->method);
    }
    printf("ridge: FLOP for each byte of this memory; a kernel with fewer is bound by it\n");
}

static void write_csv(const char *name, const struct rate *rates)
{
    FILE *file = file_open("--csv", name, "w");
    fprintf(file, "device,driver,cuda,sms,what,unit,measured,theory,method\n");
    for (const struct rate *r = rates; r->name; r++) {
        fprintf(file, "%s,%s,%s,%d,%s,%s,%.4g,", gpu.name, gpu.driver, gpu.cuda, gpu.sms, r->name,
                r->unit, r->measured);
        fprintf(file, isnan(r->theory) ? "," : "%.4g,", r->theory);
        fprintf(file, "%s\n", r->method);
    }
    file_close("--csv", name, file);
}

int main(int argc, char **argv)
{
    int device = 0;
    const char *csv = NULL;
    error_program("peak");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            printf("usage: %s [--device I] [--csv FILE]\nMeasures the FP32 FMA rate and the rates "
                   "of device memory, L2 and shared memory.\n",
                   argv[0]);
            return EXIT_PASS;
        }
        const bool is_csv = strcmp(argv[i], "--csv") == 0;
        if (!is_csv && strcmp(argv[i], "--device") != 0)
            die(EXIT_USAGE, "unknown option '%s'; --help lists the options", argv[i]);
        if (is_csv && !(csv = argv[++i]))
            die(EXIT_USAGE, "--csv takes a file name; see --help");
        if (!is_csv && (i + 1 == argc || !parse_int(argv[++i], 0, 1 << 20, &device)))
            die(EXIT_USAGE, "--device takes an integer >= 0; see --help");
    }
    gpu_open(device);

    const double flops = peak_measure_flops();
    peak_store(argv[0], flops);
    const struct rate rates[] = {
        {"FP32 FMA", "TFLOP/s", "chains of FMAs in registers", flops / 1e12,
         gpu_theoretical_flops() / 1e12},
        {"device memory", "TB/s", "copy of 16 times L2, bytes read and written",
         peak_measure_bandwidth() / 1e12, gpu_theoretical_bandwidth() / 1e12},
        {"L2", "TB/s", "reads past L1 of a buffer of a quarter of L2", peak_measure_l2() / 1e12,
         NAN},
        {"shared memory", "TB/s", "16-byte reads without bank conflicts",
         peak_measure_shared() / 1e12, gpu_theoretical_shared() / 1e12},
        {0}};
    print_table(rates);
    if (csv)
        write_csv(csv, rates);
    return EXIT_PASS;
}
