/* Tables with columns of fixed width, printed cell by cell so that a slow row shows as it comes. */
#include "backend.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void put_cell(struct table *t, const char *text)
{
    const int width = t->columns[t->at].width;
    printf("%s%*s", t->at ? "  " : "", width, text);
    if (!t->columns[++t->at].title) {
        putchar('\n');
        t->at = 0;
    }
    fflush(stdout);
}

void table_header(struct table *t)
{
    t->at = 0;
    do
        put_cell(t, t->columns[t->at].title);
    while (t->at);
    do {
        char dashes[64] = {0};
        memset(dashes, '-', (size_t)abs(t->columns[t->at].width) % sizeof dashes);
        put_cell(t, dashes);
    } while (t->at);
}

void table_text(struct table *t, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_cell(t, text);
}

void table_number(struct table *t, double value, int decimals)
{
    if (isnan(value))
        put_cell(t, "-");
    else
        table_text(t, "%.*f", decimals, value);
}

void table_figure(struct table *t, double value)
{
    const double size = fabs(value);
    table_number(t, value,
                 size >= 1000 || value == 0 ? 0
                 : size >= 100              ? 1
                 : size >= 10               ? 2
                 : size >= 1                ? 3
                                            : 4);
}

void table_rest(struct table *t)
{
    while (t->at)
        put_cell(t, "-");
}

void table_sizes(const struct options *opt, predict_fn *predict,
                 int (*resident)(const struct kernel_info *), int sms, int cc)
{
    static const struct column columns[] = {{"M", 6},      {"N", 6},     {"K", 6}, {"kernel", -24},
                                            {"blocks", 8}, {"waves", 7}, {0}};
    struct table t = {columns, 0};
    bool cp_async = false;
    table_header(&t);
    for (int i = 0; i < opt->num_shapes; i++) {
        struct problem p;
        struct prediction expected;
        problem_describe(&p, opt, i);
        table_text(&t, "%d", p.shape.M);
        table_text(&t, "%d", p.shape.N);
        table_text(&t, "%d", p.shape.K);
        if (p.shape.M == 0 || p.shape.N == 0) {
            table_rest(&t);
            continue;
        }
        predict(&p, &expected);
        cp_async |= expected.cp_async;
        const int blocks = resident(expected.kernel);
        table_text(&t, "%s", expected.kernel->name);
        table_number(&t, expected.blocks, 0);
        table_number(&t, blocks ? expected.blocks / blocks / sms : NAN, 2);
    }
    printf("waves: blocks / (blocks an SM x %d SMs)\n", sms);
    if (cc < 80 && cp_async)
        printf("sm_%d has no cp.async: __pipeline_memcpy_async is a load and a store here\n", cc);
    printf("\n");
}
