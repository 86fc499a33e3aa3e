/* Reports: what was found, where on both sides, and what to do. */
#include "emu.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reports printed, each another pair of lines; and pairs of instructions looked up for that. */
enum { MAX_SHOWN = 4, MAX_SEEN = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t found;
static int num_shown, num_seen;
static struct {
    const char *title;
    uint32_t pc[2];
    struct source line[2];
} seen[MAX_SEEN];

struct party party_of(const struct thread *t, const char *what, uint32_t pc)
{
    return (struct party){what, t->block->number, t->number, pc, NULL, 0};
}

struct party party_waiting(const struct thread *t, const char *what)
{
    return (struct party){what, t->block->number, t->number, 0, t->file, t->line};
}

static struct source line_of(const struct party *p)
{
    struct source s = {NULL, 0};
    if (p && p->pc)
        source_lines(&p->pc, 1, &s);
    else if (p)
        s = (struct source){p->file, p->line};
    return s;
}

static void print_party(const struct party *p)
{
    const unsigned i = (unsigned)p->thread, x = launch.block.x, y = launch.block.y;
    const struct source s = line_of(p);
    char where[32], text[200];
    snprintf(where, sizeof where, "(%u,%u,%u)", i % x, i / x % y, i / x / y);
    fprintf(stderr, "  %-8s thread %-10s ", p->what, where);
    if (s.file) {
        source_text(&s, text, sizeof text);
        fprintf(stderr, "%s:%d%s%s\n", s.file, s.line, *text ? ": " : "", text);
    } else if (p->pc) {
        fprintf(stderr, "at 0x%x (install addr2line, of binutils, for the line)\n", p->pc);
    } else {
        fputc('\n', stderr);
    }
}

static void print_block(const char *title, const struct party *p)
{
    const uint64_t n = p->block, x = launch.grid.x, y = launch.grid.y;
    fprintf(stderr, "  %-8s (%llu,%llu,%llu) of %s\n", title, (unsigned long long)(n % x),
            (unsigned long long)(n / x % y), (unsigned long long)(n / x / y), launch.kernel);
}

static void print_place(uintptr_t address)
{
    const uintptr_t offset = address - shared_base();
    const bool shared = offset - shared_low < shared_high - shared_low;
    char name[96];
    size_t size;
    const size_t at = place_name(shared ? offset : address, shared ? SPACE_SHARED : SPACE_GLOBAL,
                                 name, sizeof name, &size);
    const long long bytes = (long long)at;
    fprintf(stderr, "  %-8s %s", "array", name);
    if (size == 0)
        fprintf(stderr, " at address 0x%llx", (unsigned long long)address);
    else if (bytes % 4 == 0)
        fprintf(stderr, ", float %lld of %zu", bytes / 4, size / 4);
    else
        fprintf(stderr, ", byte %lld of %zu", bytes, size);
    fputc('\n', stderr);
}

static void print(const char *title, uintptr_t address, const struct party *a,
                  const struct party *b, const char *advice)
{
    complain("emulator: %s", title);
    print_block("block", a);
    if (b && b->block != a->block)
        print_block("and", b);
    if (address)
        print_place(address);
    print_party(a);
    if (b)
        print_party(b);
    fprintf(stderr, "  %-8s %s\n", "to do", advice);
}

static bool same_line(const struct source *a, const struct source *b)
{
    return a->line == b->line &&
           (a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0));
}

/* Whether these two lines were not reported yet; remembers them. */
static bool is_new(const char *title, const struct party *a, const struct party *b)
{
    const uint32_t pc[2] = {a->pc, b ? b->pc : 0};
    if (num_shown == MAX_SHOWN || num_seen == MAX_SEEN)
        return false;
    for (int i = 0; i < num_seen; i++)
        if (seen[i].title == title && seen[i].pc[0] == pc[0] && seen[i].pc[1] == pc[1])
            return false;
    const struct source line[2] = {line_of(a), line_of(b)};
    bool new = true;
    for (int i = 0; i < num_seen; i++)
        if (seen[i].title == title)
            for (int k = 0; k < 2; k++) /* in either order */
                new &= !same_line(&seen[i].line[k], &line[0]) ||
                       !same_line(&seen[i].line[!k], &line[1]);
    seen[num_seen].title = title;
    memcpy(seen[num_seen].pc, pc, sizeof pc);
    memcpy(seen[num_seen++].line, line, sizeof line);
    num_shown += new;
    return new;
}

void report(const char *title, uintptr_t address, const struct party *a, const struct party *b,
            const char *advice)
{
    pthread_mutex_lock(&lock);
    if (is_new(title, a, b))
        print(title, address, a, b, advice);
    found++;
    pthread_mutex_unlock(&lock);
    exit_code_raise(EXIT_WRONG);
}

void report_fatal(const char *title, uintptr_t address, const struct party *a,
                  const struct party *b, const char *advice)
{
    pthread_mutex_lock(&lock); /* never given back: the first one speaks */
    print(title, address, a, b, advice);
    fflush(NULL);
    _exit(EXIT_WRONG);
}

uint64_t report_count(void)
{
    const uint64_t count = found;
    found = 0;
    return count;
}
