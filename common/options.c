/* The command line. */
#include "backend.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const data_names[] = {"random", "integers", "zeros", "nonfinite"};

static struct shape given = {-1, -1, -1}; /* --m, --n, --k */

const char *data_name(enum data_kind data)
{
    return data_names[data];
}

bool parse_int(const char *text, int min, int max, int *out)
{
    if (!isdigit((unsigned char)text[*text == '-']))
        return false; /* strtol would skip blanks and take a plus sign */
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (*end || errno || value < min || value > max)
        return false;
    *out = (int)value;
    return true;
}

static bool parse_float(const char *text, float *out)
{
    if (!*text || isspace((unsigned char)*text))
        return false;
    char *end;
    *out = strtof(text, &end);
    return !*end && isfinite(*out);
}

static void add_shape(struct options *opt, struct shape shape)
{
    if (opt->num_shapes == MAX_SIZES)
        die(EXIT_USAGE, "more than %d sizes; split them over several runs", MAX_SIZES);
    opt->shapes[opt->num_shapes++] = shape;
}

static bool set_size(struct options *opt, const char *value)
{
    char text[16];
    for (;;) {
        const size_t length = strcspn(value, ",");
        int size;
        if (length >= sizeof text)
            return false;
        memcpy(text, value, length);
        text[length] = '\0';
        if (!parse_int(text, 0, SGEMM_MAX_DIM, &size))
            return false;
        add_shape(opt, (struct shape){size, size, size});
        if (!value[length])
            return true;
        value += length + 1;
    }
}

static bool set_m(struct options *opt, const char *value)
{
    (void)opt;
    return parse_int(value, 0, SGEMM_MAX_DIM, &given.M);
}

static bool set_n(struct options *opt, const char *value)
{
    (void)opt;
    return parse_int(value, 0, SGEMM_MAX_DIM, &given.N);
}

static bool set_k(struct options *opt, const char *value)
{
    (void)opt;
    return parse_int(value, 0, SGEMM_MAX_DIM, &given.K);
}

static bool set_alpha(struct options *opt, const char *value)
{
    return parse_float(value, &opt->alpha);
}

static bool set_beta(struct options *opt, const char *value)
{
    return parse_float(value, &opt->beta);
}

static bool set_lda(struct options *opt, const char *value)
{
    return parse_int(value, 1, INT_MAX, &opt->lda);
}

static bool set_ldb(struct options *opt, const char *value)
{
    return parse_int(value, 1, INT_MAX, &opt->ldb);
}

static bool set_ldc(struct options *opt, const char *value)
{
    return parse_int(value, 1, INT_MAX, &opt->ldc);
}

static bool set_offset(struct options *opt, const char *value)
{
    return parse_int(value, 0, 63, &opt->offset);
}

static bool set_rounds(struct options *opt, const char *value)
{
    return parse_int(value, 1, 100000, &opt->rounds);
}

static bool set_seed(struct options *opt, const char *value)
{
    if (!isdigit((unsigned char)*value))
        return false;
    char *end;
    errno = 0;
    opt->seed = strtoull(value, &end, 10);
    return !*end && !errno;
}

static bool set_data(struct options *opt, const char *value)
{
    for (int i = 0; i <= DATA_NONFINITE; i++)
        if (strcmp(value, data_names[i]) == 0) {
            opt->data = (enum data_kind)i;
            return true;
        }
    return false;
}

static bool set_device(struct options *opt, const char *value)
{
    return parse_int(value, 0, INT_MAX, &opt->device);
}

static bool set_check(struct options *opt, const char *value)
{
    (void)value;
    return opt->check_only = true;
}

static bool set_csv(struct options *opt, const char *value)
{
    opt->csv = value;
    return *value != '\0';
}

static const struct option_spec common_options[] = {
    {"--size", "N[,N...], each 0 to 2147482623", "square problems, M = N = K", set_size},
    {"--m", "an integer from 0 to 2147482623", "one problem: rows of A and C; with --n, --k",
     set_m},
    {"--n", "an integer from 0 to 2147482623", "columns of B and C", set_n},
    {"--k", "an integer from 0 to 2147482623", "columns of A, rows of B", set_k},
    {"--alpha", "a finite number", "C = alpha*A*B + beta*C (1)", set_alpha},
    {"--beta", "a finite number", "the same; at 0, C is not read (0)", set_beta},
    {"--lda", "an integer >= K", "elements from a row of A to the next (K)", set_lda},
    {"--ldb", "an integer >= N", "the same for B (N)", set_ldb},
    {"--ldc", "an integer >= N", "the same for C (N)", set_ldc},
    {"--offset", "elements, 0 to 63", "shift of A, B and C from 256-byte alignment (0)",
     set_offset},
    {"--rounds", "an integer from 1 to 100000",
     "timed rounds; the median is shown (up to 20 in a second)", set_rounds},
    {"--seed", "an integer from 0 to 18446744073709551615", "of the inputs (1)", set_seed},
    {"--data", "random, integers, zeros or nonfinite",
     "in [-1, 1); in -4 to 4; all 0; random with one NaN in A and one Inf in B", set_data},
    {"--device", "an integer >= 0", "which GPU, as CUDA numbers them (0)", set_device},
    {"--check", NULL, "check the result, time nothing", set_check},
    {"--csv", "a file name", "append the results to this file", set_csv},
    {0},
};

static const struct option_spec no_options[] = {{0}};
static const struct option_spec *step_options = no_options;

void options_add(const struct option_spec *list)
{
    step_options = list;
}

static const struct option_spec *find_in(const struct option_spec *list, const char *name,
                                         size_t length)
{
    for (; list->name; list++)
        if (strlen(list->name) == length && strncmp(list->name, name, length) == 0)
            return list;
    return NULL;
}

static const struct option_spec *find_option(const char *name, size_t length)
{
    const struct option_spec *spec = find_in(step_options, name, length);
    if (!spec)
        spec = find_in(backend.options, name, length);
    return spec ? spec : find_in(common_options, name, length);
}

static void print_options(const struct option_spec *list)
{
    for (; list->name; list++)
        if (find_option(list->name, strlen(list->name)) == list) /* not replaced by another */
            printf("  %-9s %s\n%s%s%s", list->name, list->help,
                   list->takes ? "            takes " : "", list->takes ? list->takes : "",
                   list->takes ? "\n" : "");
}

static void print_help(const struct options *opt)
{
    printf("%s: checks and measures this step's sgemm(), C = alpha*A*B + beta*C in FP32.\n"
           "usage: %s [option ...]\n\n",
           opt->step, opt->program);
    print_options(common_options);
    print_options(backend.options);
    print_options(step_options);
    printf("  --help    this text\n\n"
           "Without --size or --m, --n, --k the sizes are %s.\n"
           "Exit codes: 0 pass, 1 wrong result, 2 usage, 3 no usable device or CUDA error.\n",
           backend.default_sizes);
}

/* Every leading dimension must hold a row of every shape. */
static void check_leading(const char *name, int ld, const char *row_name, int row)
{
    if (ld && ld < row)
        die(EXIT_USAGE, "%s is %d, expected at least %s = %d, or leave it out; see --help", name,
            ld, row_name, row);
}

static void finish_shapes(struct options *opt)
{
    if (given.M >= 0 || given.N >= 0 || given.K >= 0) {
        if (given.M < 0 || given.N < 0 || given.K < 0)
            die(EXIT_USAGE, "%s is missing: --m, --n and --k go together; see --help",
                given.M < 0   ? "--m"
                : given.N < 0 ? "--n"
                              : "--k");
        add_shape(opt, given);
    }
    if (opt->num_shapes == 0)
        set_size(opt, backend.default_sizes);
    for (int i = 0; i < opt->num_shapes; i++) {
        check_leading("--lda", opt->lda, "K", opt->shapes[i].K);
        check_leading("--ldb", opt->ldb, "N", opt->shapes[i].N);
        check_leading("--ldc", opt->ldc, "N", opt->shapes[i].N);
    }
}

void options_parse(struct options *opt, const char *step, int argc, char **argv)
{
    *opt = (struct options){
        .step = step, .program = argc > 0 ? argv[0] : step, .alpha = 1.0f, .rounds = 0, .seed = 1};
    given = (struct shape){-1, -1, -1};
    error_program(step);

    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = NULL;
        const char *equals = strchr(name, '='); /* --size=512 is --size 512 */
        const size_t length = equals ? (size_t)(equals - name) : strlen(name);
        if (strcmp(name, "--help") == 0) {
            print_help(opt);
            exit(EXIT_PASS);
        }
        const struct option_spec *spec = find_option(name, length);
        if (!spec)
            die(EXIT_USAGE, "unknown option '%.100s'; --help lists the options", name);
        if (spec->takes) {
            value = equals ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
            if (!value)
                die(EXIT_USAGE, "%s takes %s, but nothing follows it; see --help", spec->name,
                    spec->takes);
        } else if (equals) {
            die(EXIT_USAGE, "%s takes no value, not '%s'; see --help", spec->name, equals + 1);
        }
        if (!spec->set(opt, value))
            die(EXIT_USAGE, "%s takes %s, not '%.100s'; see --help", spec->name, spec->takes,
                value);
    }
    finish_shapes(opt);
    csv_open(opt);
}

void options_command(const struct problem *p, char *out, size_t size)
{
    const struct options *opt = p->opt;
    int at = snprintf(out, size, "%s --m %d --n %d --k %d", opt->program, p->shape.M, p->shape.N,
                      p->shape.K);
/* A part that is not the default; what does not fit is cut off by snprintf. */
#define ADD(condition, ...)                                                                        \
    if ((condition) && at >= 0 && (size_t)at < size)                                               \
    at += snprintf(out + at, size - (size_t)at, __VA_ARGS__)
    ADD(opt->alpha != 1.0f, " --alpha %.9g", (double)opt->alpha);
    ADD(opt->beta != 0.0f, " --beta %.9g", (double)opt->beta);
    ADD(opt->lda, " --lda %d", opt->lda);
    ADD(opt->ldb, " --ldb %d", opt->ldb);
    ADD(opt->ldc, " --ldc %d", opt->ldc);
    ADD(opt->offset, " --offset %d", opt->offset);
    ADD(opt->seed != 1, " --seed %llu", (unsigned long long)opt->seed);
    ADD(opt->data != DATA_RANDOM, " --data %s", data_name(opt->data));
    ADD(opt->device, " --device %d", opt->device);
#undef ADD
}
