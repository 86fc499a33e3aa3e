/* Reports: what was found, where on both sides, and what to do. */
#include "emu.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SHOWN = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t found;
static struct {
    uint32_t first, second;
    char title[64];
} shown[MAX_SHOWN];
static int num_shown;

struct party party_of(const struct thread *t, const char *what, uint32_t pc)
{
    return (struct party){what, t->block->number, t->number, pc, NULL, 0};
}

struct party party_waiting(const struct thread *t, const char *what)
{
    return (struct party){what, t->block->number, t->number, 0, t->file, t->line};
}

static void print_party(const struct party *p)
{
    const unsigned i = (unsigned)p->thread, x = launch.block.x, y = launch.block.y;
    struct source s = {p->file, p->line};
    char where[32], text[200];
    if (p->pc)
        source_lines(&p->pc, 1, &s);
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
    const size_t at = place_name(shared ? offset : address, shared ? SPACE_SHARED : SPACE_GLOBAL,
                                 name, sizeof name);
    const long long bytes = (long long)at;
    fprintf(stderr, "  %-8s %s", "array", name);
    if (strcmp(name, "no array") == 0)
        fprintf(stderr, " at address 0x%llx", (unsigned long long)address);
    else if (bytes % 4 == 0)
        fprintf(stderr, ", element %lld (of 4 bytes)", bytes / 4);
    else
        fprintf(stderr, ", byte %lld", bytes);
    const struct allocation *m = shared ? NULL : allocation_near(address);
    if (m)
        fprintf(stderr, " of %lld",
                (long long)(m->size - (m->name[0] ? m->named - m->base : 0)) / (bytes % 4 ? 1 : 4));
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

void report(const char *title, uintptr_t address, const struct party *a, const struct party *b,
            const char *advice)
{
    const uint32_t first = a->pc, second = b ? b->pc : 0;
    pthread_mutex_lock(&lock);
    bool new = num_shown < MAX_SHOWN;
    for (int i = 0; i < num_shown; i++)
        new &= strcmp(shown[i].title, title) != 0 || shown[i].first != first ||
               shown[i].second != second;
    if (new) {
        shown[num_shown].first = first;
        shown[num_shown].second = second;
        snprintf(shown[num_shown++].title, sizeof shown->title, "%s", title);
        print(title, address, a, b, advice);
    }
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
