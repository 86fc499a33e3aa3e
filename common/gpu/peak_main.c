/* `make peak`: the card's measured and theoretical rates, and where its roofline bends. */
#include "../backend.h"
#include "gpu.h"
#include "peak.h"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int device = 0;
    error_program("peak");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            printf("usage: %s [--device I]\nMeasures the FP32 FMA rate and the device-memory "
                   "rate.\n",
                   argv[0]);
            return EXIT_PASS;
        }
        if (strcmp(argv[i], "--device") != 0)
            die(EXIT_USAGE, "unknown option '%s'; --help lists the options", argv[i]);
        if (i + 1 == argc || !parse_int(argv[++i], 0, 1 << 20, &device))
            die(EXIT_USAGE, "--device takes an integer >= 0; see --help");
    }
    gpu_open(device);

    const double flops = peak_measure_flops(), bandwidth = peak_measure_bandwidth();
    const double flops_max = gpu_theoretical_flops(), bandwidth_max = gpu_theoretical_bandwidth();
    peak_store(argv[0], flops);

    static const struct column columns[] = {
        {"", -22}, {"measured", 10}, {"theory", 10}, {"%", 6}, {0}};
    struct table t = {columns, 0};
    table_header(&t);
    table_text(&t, "FP32 FMA, TFLOP/s");
    table_figure(&t, flops / 1e12);
    table_figure(&t, flops_max / 1e12);
    table_number(&t, 100 * flops / flops_max, 1);
    table_text(&t, "device memory, TB/s");
    table_figure(&t, bandwidth / 1e12);
    table_figure(&t, bandwidth_max / 1e12);
    table_number(&t, 100 * bandwidth / bandwidth_max, 1);
    table_text(&t, "ridge, F/byte");
    table_figure(&t, flops / bandwidth);
    table_figure(&t, flops_max / bandwidth_max);
    table_rest(&t);
    printf("A kernel with fewer F/byte than the ridge is bound by device memory.\n");
    return EXIT_PASS;
}
