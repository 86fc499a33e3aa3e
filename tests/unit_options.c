/* The command line: what is taken, what is refused and how. */
#include "../common/backend.h"
#include "tap.h"

static const struct option_spec own_options[] = {{0}};
const struct backend backend = {.default_sizes = "16,32", .options = own_options};

static bool planned;

static bool set_plan(struct options *opt, const char *value)
{
    (void)opt;
    (void)value;
    return planned = true;
}

static const struct option_spec step_options[] = {{"--plan", NULL, "who does what", set_plan}, {0}};

enum { MAX_WORDS = 16 };

/* Splits a command line at its blanks and parses it. */
static void parse_words(struct options *opt, const char *line)
{
    static char copy[65536];
    static char *argv[MAX_WORDS + 1];
    int argc = 0;
    snprintf(copy, sizeof copy, "prog %s", line);
    for (char *word = strtok(copy, " "); word && argc < MAX_WORDS; word = strtok(NULL, " "))
        argv[argc++] = word;
    options_parse(opt, "99_test", argc, argv);
}

static int parse_body(void *line)
{
    static struct options opt;
    parse_words(&opt, line);
    return 77; /* came back: nothing was refused */
}

static void refused(const char *line, const char *part)
{
    char name[128];
    snprintf(name, sizeof name, "refused: %.100s", line);
    outcome_is(run_child(parse_body, (void *)line), EXIT_USAGE, part, name);
}

static void test_accepted(void)
{
    static struct options opt;
    parse_words(&opt, "");
    ok(opt.num_shapes == 2 && opt.shapes[1].K == 32 && opt.alpha == 1 && opt.beta == 0,
       "defaults: the backend's sizes, alpha 1, beta 0");
    parse_words(&opt, "--size 512,1025 --size=7 --beta -0.5 --alpha 1e-3");
    ok(opt.num_shapes == 3 && opt.shapes[0].M == 512 && opt.shapes[1].N == 1025 &&
           opt.shapes[2].K == 7,
       "--size takes a list, and again");
    ok(opt.beta == -0.5f && opt.alpha == 1e-3f, "--alpha and --beta");
    parse_words(&opt, "--m 3 --n 0 --k 5 --lda 9 --ldb 1 --ldc 4 --offset 1");
    ok(opt.num_shapes == 1 && opt.shapes[0].M == 3 && opt.shapes[0].N == 0 &&
           opt.shapes[0].K == 5 && opt.lda == 9 && opt.ldc == 4 && opt.offset == 1,
       "--m --n --k, leading dimensions, --offset");
    parse_words(&opt, "--size 1 --data integers --seed 18446744073709551615 --device 2 --check");
    ok(opt.data == DATA_INTEGERS && opt.seed == UINT64_MAX && opt.device == 2 && opt.check_only,
       "--data, --seed, --device, --check");
    outcome_is(run_child(parse_body, "--help"), EXIT_PASS, "--size", "--help lists the options");
    refused("--plan", "unknown option '--plan'");
    options_add(step_options);
    outcome_is(run_child(parse_body, "--help"), EXIT_PASS, "--plan    who does what",
               "--help lists the step's own");
    parse_words(&opt, "--plan --size 3");
    ok(planned && opt.num_shapes == 1, "--plan is taken");
}

static void test_command(void)
{
    static struct options opt;
    struct problem p;
    char command[256];
    parse_words(&opt, "--m 3 --n 4 --k 5 --beta 0.5 --ldc 9 --seed 7 --data nonfinite");
    problem_describe(&p, &opt, 0);
    options_command(&p, command, sizeof command);
    ok(strcmp(command, "prog --m 3 --n 4 --k 5 --beta 0.5 --ldc 9 --seed 7 --data nonfinite") == 0,
       "the command that repeats a failure: %s", command);
    options_command(&p, command, 20);
    ok(strlen(command) == 19, "a short buffer cuts the command off");
}

int main(void)
{
    static char many[8 * (MAX_SIZES + 1)] = "--size 1";
    for (int i = 0; i < MAX_SIZES; i++)
        strcat(many, ",1");

    test_accepted();
    test_command();
    refused("--size", "--size takes N[,N...]");
    refused("--size x", "not 'x'");
    refused("--size 12x", "not '12x'");
    refused("--size 0x10", "--size takes");
    refused("--size +5", "--size takes");
    refused("--size -1", "--size takes");
    refused("--size 1.5", "--size takes");
    refused("--size 1,,2", "--size takes");
    refused("--size 1,", "--size takes");
    refused("--size=", "--size takes");
    refused("--size 2147482624", "--size takes");
    refused("--size 99999999999999999999", "--size takes");
    outcome_is(run_child(parse_body, many), EXIT_USAGE, "more than 4096 sizes", "4097 sizes");
    refused("--m 3", "--n is missing");
    refused("--m 3 --n 4", "--k is missing");
    refused("--m 4 --n 4 --k 4 --lda 3", "--lda is 3, expected at least K = 4");
    refused("--size 4,9 --ldb 8", "--ldb is 8, expected at least N = 9");
    refused("--ldc 0", "--ldc takes");
    refused("--alpha nan", "--alpha takes a finite number");
    refused("--alpha 1e999", "--alpha takes");
    refused("--beta 1x", "--beta takes");
    refused("--seed -1", "--seed takes");
    refused("--seed 18446744073709551616", "--seed takes");
    refused("--rounds 0", "--rounds takes");
    refused("--data ones", "random, integers, zeros");
    refused("--device -1", "--device takes");
    refused("--offset 64", "--offset takes");
    refused("--check=1", "--check takes no value");
    refused("--csv /nonexistent/x.csv", "--csv /nonexistent/x.csv");
    refused("--bogus", "unknown option '--bogus'");
    refused("512", "unknown option '512'");
    return tap_done();
}
