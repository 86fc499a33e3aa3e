/* `make power`: one path runs on and on, and the card's sensors are read meanwhile. */
#include "../gpu/cublas.h"
#include "../gpu/gpu.h"
#include "../gpu/nvml.h"
#include "../gpu/on_card.h"
#include "paths.h"

static int seconds = 1;

static bool set_seconds(struct options *opt, const char *value)
{
    (void)opt;
    return parse_int(value, 1, 100000, &seconds);
}

static const struct option_spec power_options[] = {
    {"--step", "numbers or names of steps, or cuBLAS, as in 05,cuBLAS", "what runs (cuBLAS)",
     paths_set_list},
    {"--seconds", "an integer from 1 to 100000", "how long each runs at each size (1)",
     set_seconds},
    {0},
};

static FILE *csv;

static void open_csv(const struct options *opt)
{
    if (!opt->csv)
        return;
    csv = file_open("--csv", opt->csv, "w");
    fprintf(csv, "device,driver,cuda,cublas,step,size,data,second,tflops,mhz,watts,celsius,"
                 "throttled\n");
}

static const struct column columns[] = {
    {"step", -20}, {"size", 6}, {"data", -8}, {"second", 6},      {"TFLOP/s", 7},
    {"MHz", 6},    {"W", 6},    {"deg C", 5}, {"throttled", -20}, {0}};

/* About a second of launches and one row; returns what a launch took, as did `once` before. */
static double run_second(const struct problem *p, const struct path *path, int second, double once)
{
    static struct table table = {columns, 0};
    char throttled[64];
    const char *data = data_name(p->opt->data);
    const int launches = once < 1000 ? (int)(1000 / once) : 1;
    nvml_begin();
    const double ms = paths_time(p, path, launches) / launches;
    const struct sensors s = nvml_end();
    const double tflops = problem_flop(p) / ms / 1e9;
    nvml_throttle_text(s.throttled, throttled, sizeof throttled);
    table_text(&table, "%s", path->name);
    table_text(&table, "%d", p->shape.M);
    table_text(&table, "%s", data);
    table_text(&table, "%d", second);
    table_number(&table, tflops, 2);
    table_number(&table, s.mhz, 0);
    table_number(&table, s.watts, 0);
    table_number(&table, s.celsius, 0);
    table_text(&table, "%s", throttled);
    if (csv)
        fprintf(csv, "%s,%s,%s,%s,%s,%d,%s,%d,%.2f,%.0f,%.0f,%.0f,%s\n", gpu.name, gpu.driver,
                gpu.cuda, cublas_version(), path->name, p->shape.M, data, second, tflops, s.mhz,
                s.watts, s.celsius, throttled);
    return ms;
}

int main(int argc, char **argv)
{
    static struct options opt;
    const struct path *chosen[MAX_PATHS];
    paths_list = "cuBLAS";
    options_add(power_options);
    options_parse(&opt, "power", argc, argv);
    paths_require_plain(&opt);
    const int n = paths_choose(chosen);
    gpu_open(opt.device);
    cublas_open();
    const char *blind = nvml_open();
    if (blind)
        die(EXIT_DEVICE, "no power can be read: %s", blind);
    open_csv(&opt);
    struct table header = {columns, 0};
    table_header(&header);
    for (int i = 0; i < opt.num_shapes; i++) {
        struct problem p;
        problem_create(&p, &opt, i);
        on_card_reference(&p);
        for (int path = 0; path < n; path++) {
            double once;
            if (!on_card_check(&p, chosen[path]->name, chosen[path]->run, 0, &once))
                continue;
            const double start = paths_now();
            for (int second = 1; paths_now() - start < seconds; second++)
                once = run_second(&p, chosen[path], second, once);
        }
        problem_destroy(&p);
    }
    if (csv)
        file_close("--csv", opt.csv, csv);
    return exit_code_worst();
}
