/* Tables and CSV rows as text. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "../common/backend.h"
#include "tap.h"

static const struct option_spec own_options[] = {{0}};
const struct backend backend = {.default_sizes = "16", .options = own_options};

static int table_body(void *unused)
{
    static const struct column columns[] = {{"name", -6}, {"ms", 7}, {"note", 4}, {0}};
    struct table t = {columns, 0};
    (void)unused;
    table_header(&t);
    table_text(&t, "a");
    table_number(&t, 1.25, 1);
    table_number(&t, NAN, 1);
    table_text(&t, "b");
    table_figure(&t, 12345.6);
    table_rest(&t);
    table_text(&t, "toolong");
    table_figure(&t, 0.0625);
    table_figure(&t, 3);
    return 0;
}

static void test_table(void)
{
    outcome_is(run_child(table_body, NULL), 0,
               "name         ms  note\n"
               "------  -------  ----\n"
               "a           1.2     -\n"
               "b         12346     -\n"
               "toolong   0.0625  3.000\n",
               "a table: columns, numbers, blanks, a cell that is too long");
}

static int csv_body(void *name)
{
    const struct options opt = {.step = "99_test", .csv = name};
    const struct csv_row passed = {.device = "a \"b\", c",
                                   .driver = "1.2",
                                   .kernel = "k",
                                   .shape = {3, 4, 5},
                                   .ms = 0.5,
                                   .spread = NAN,
                                   .gflops = 2,
                                   .ratio = INFINITY,
                                   .graph_ms = NAN,
                                   .graph_ratio = NAN,
                                   .result = "pass"};
    csv_open(&opt);
    csv_append(&opt, &passed);
    csv_open(&opt);
    csv_append(&opt, &passed);
    return 0;
}

static void test_csv(void)
{
    char name[] = "/tmp/unit_table_XXXXXX", text[2048] = "";
    const int fd = mkstemp(name);
    ok(fd >= 0 && run_child(csv_body, name).code == 0, "two rows are appended");
    FILE *file = fopen(name, "r");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    const char *row = ",\"a \"\"b\"\", c\",1.2,,,,,,99_test,k,3,4,5,random,0.5,,2,,,,pass\n";
    const char *first = strstr(text, row);
    ok(strncmp(text, "date,device,driver,cuda,cublas,mhz,watts,throttled,step,", 56) == 0 &&
           !strstr(text + 1, "\ndate,"),
       "one header, at the top");
    ok(first && strstr(first + 1, row), "both rows, quoted, NaN left empty");
    if (file)
        fclose(file);
    close(fd);
    unlink(name);

    struct outcome o = run_child(csv_body, "/dev/full");
    ok(o.code == EXIT_DEVICE && strstr(o.text, "--csv /dev/full cannot be written"),
       "a full disk is no success");
}

int main(void)
{
    test_table();
    test_csv();
    return tap_done();
}
