/* The cost model: puts the accesses of a warp's 32 lanes side by side and counts what a request of
 * the hardware would cost.  Accesses belong to one request if they come from the same instruction
 * for the same time since the last barrier.
 *
 * Global memory: a request costs as many sectors as it touches distinct 32-byte pieces.
 * Shared memory: 32 banks of 4 bytes.  A request of 4 bytes a lane is served as a whole, one of 8
 * by halves of the warp, one of 16 by quarters; two neighbouring parts are served as one, if
 * that is faster, where all lanes have the same address as lane ^ 1, or all the same as lane ^ 2.
 * Each part takes as many passes as the busiest bank has distinct words.  Passes beyond one a part
 * are conflicts.  README.md compares this with a card. */
#include "emu.h"
#include <stdlib.h>
#include <string.h>

static struct sites problem_sites;
static uint64_t problem_blocks;
static double problem_barriers;

/* ---- The table of instructions ---- */

static struct site *site_slot(const struct sites *s, const struct site *key)
{
    size_t i = (key->pc * 2654435761u >> 7) % s->capacity;
    while (s->table[i].used && (s->table[i].pc != key->pc || s->table[i].kind != key->kind ||
                                s->table[i].space != key->space || s->table[i].size != key->size))
        i = (i + 1) % s->capacity;
    return &s->table[i];
}

static struct site *site_find(struct sites *s, const struct site *key)
{
    if (2 * s->count >= s->capacity) {
        struct sites larger = {0, s->capacity ? 2 * s->capacity : 256, NULL};
        larger.table = host_alloc(larger.capacity, sizeof *larger.table, "the counts");
        for (size_t i = 0; i < s->capacity; i++)
            if (s->table[i].used)
                *site_slot(&larger, &s->table[i]) = s->table[i];
        larger.count = s->count;
        free(s->table);
        *s = larger;
    }
    struct site *site = site_slot(s, key);
    if (!site->used) {
        *site = (struct site){key->pc, key->size, key->kind, key->space, 1, 0, 0, 0, 0};
        s->count++;
    }
    return site;
}

void cost_merge(struct worker *w)
{
    for (size_t i = 0; i < w->sites.capacity; i++) {
        const struct site *from = &w->sites.table[i];
        if (!from->used)
            continue;
        struct site *into = site_find(&problem_sites, from);
        into->requests += from->requests;
        into->accesses += from->accesses;
        into->passes += from->passes;
        into->least += from->least;
    }
    free(w->sites.table);
    w->sites = (struct sites){0};
    problem_barriers += w->barriers;
    problem_blocks += w->blocks;
    w->barriers = 0;
    w->blocks = 0;
}

void cost_reset(void)
{
    free(problem_sites.table);
    problem_sites = (struct sites){0};
    problem_blocks = 0;
    problem_barriers = 0;
}

const struct sites *cost_sites(void)
{
    return &problem_sites;
}

void cost_totals(struct totals *out)
{
    *out = (struct totals){.blocks = (double)problem_blocks, .barriers = problem_barriers};
    for (size_t i = 0; i < problem_sites.capacity; i++) {
        const struct site *s = &problem_sites.table[i];
        if (!s->used)
            continue;
        const int space = s->space - 1, store = s->kind != LOAD;
        out->requests[space][store] += (double)s->requests;
        out->accesses[space][store] += (double)s->accesses;
        out->passes[space][store] += (double)s->passes;
        if (s->space == SPACE_SHARED)
            out->conflicts += (double)(s->passes - s->least);
        else
            out->floats += (double)s->accesses * s->size / sizeof(float);
    }
}

/* ---- A request ---- */

struct request {
    uint32_t pc;
    uint8_t size, kind, space;
    uint32_t lanes; /* a bit each */
    uintptr_t address[WARP];
};

/* Distinct values among n; sorts them where they do not ascend. */
static unsigned distinct(uintptr_t *v, int n)
{
    unsigned count = n > 0;
    bool ascends = true;
    for (int i = 1; i < n; i++) {
        count += v[i] != v[i - 1];
        ascends &= v[i] >= v[i - 1];
    }
    if (ascends)
        return count;
    for (int i = 1; i < n; i++) {
        const uintptr_t x = v[i];
        int j = i;
        for (; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
    count = 1;
    for (int i = 1; i < n; i++)
        count += v[i] != v[i - 1];
    return count;
}

static unsigned sectors(const struct request *r)
{
    uintptr_t v[WARP];
    int n = 0;
    for (int i = 0; i < WARP; i++)
        if (r->lanes >> i & 1)
            v[n++] = r->address[i] / 32;
    return distinct(v, n);
}

/* The busiest bank's distinct words. */
static unsigned bank_passes(const uintptr_t *words, int n)
{
    uintptr_t low = words[0], high = words[0];
    for (int i = 1; i < n; i++) {
        low = words[i] < low ? words[i] : low;
        high = words[i] > high ? words[i] : high;
    }
    if (high - low < 32)
        return 1; /* distinct words, distinct banks */
    uintptr_t seen[WARP][2 * WARP];
    uint8_t count[WARP] = {0};
    unsigned most = 0;
    for (int i = 0; i < n; i++) {
        const unsigned bank = words[i] % 32;
        int k = 0;
        while (k < count[bank] && seen[bank][k] != words[i])
            k++;
        if (k == count[bank]) {
            seen[bank][count[bank]++] = words[i];
            most = count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

/* Whether the lanes from first on read in pairs, each the same address: with the lane whose number
 * differs in this bit. */
static bool in_pairs(const struct request *r, int first, int lanes, int bit)
{
    for (int i = first; i < first + lanes; i++)
        if (r->lanes >> i & r->lanes >> (i ^ bit) & 1 && r->address[i] != r->address[i ^ bit])
            return false;
    return true;
}

/* Passes for the lanes from first on. */
static unsigned part_passes(const struct request *r, int first, int lanes)
{
    const int words = r->size <= 4 ? 1 : r->size / 4;
    uintptr_t v[2 * WARP];
    int n = 0;
    for (int i = first; i < first + lanes; i++)
        for (int k = 0; r->lanes >> i & 1 && k < words; k++)
            v[n++] = r->address[i] / 4 + (uintptr_t)k;
    return n ? bank_passes(v, n) : 0;
}

static unsigned passes(const struct request *r, unsigned *least)
{
    const int part = r->size <= 4 ? WARP : WARP / (r->size / 4);
    unsigned sum = 0;
    *least = 0;
    if (part == WARP) {
        *least = 1;
        return part_passes(r, 0, WARP);
    }
    for (int first = 0; first < WARP; first += 2 * part) {
        const unsigned a = part_passes(r, first, part), b = part_passes(r, first + part, part);
        const unsigned both = in_pairs(r, first, 2 * part, 1) || in_pairs(r, first, 2 * part, 2)
                                  ? part_passes(r, first, 2 * part)
                                  : a + b;
        *least += both < a + b ? 1 : (a > 0) + (b > 0);
        sum += both < a + b ? both : a + b;
    }
    return sum;
}

/* ---- The trace: the requests of one block ---- */

static struct traced {
    int warp;
    unsigned passes;
    struct request request;
} * trace;
static size_t trace_count, trace_capacity;
static FILE *trace_out;

void trace_open(void)
{
    if (!trace_file)
        return;
    trace_out = file_open("--trace", trace_file, "w");
    fprintf(trace_out, "warp,request,file,line,array,kind,bytes,passes");
    for (int i = 0; i < WARP; i++)
        fprintf(trace_out, ",lane%d", i);
    fputc('\n', trace_out);
}

static void trace_add(int warp, const struct request *r, unsigned cost)
{
    if (trace_count == trace_capacity) {
        trace_capacity = trace_capacity ? 2 * trace_capacity : 1024;
        trace = realloc(trace, trace_capacity * sizeof *trace);
        if (!trace)
            die(EXIT_DEVICE, "no memory left for --trace; try a smaller --size");
    }
    trace[trace_count] = (struct traced){warp, cost, *r};
    if (r->space == SPACE_SHARED)
        for (int i = 0; i < WARP; i++)
            trace[trace_count].request.address[i] -= shared_base();
    trace_count++;
}

void trace_write(void)
{
    if (!trace_out)
        return;
    uint32_t *pcs = host_alloc(trace_count, sizeof *pcs, "the trace");
    struct source *lines = host_alloc(trace_count, sizeof *lines, "the trace");
    for (size_t i = 0; i < trace_count; i++)
        pcs[i] = trace[i].request.pc;
    source_lines(pcs, trace_count, lines);
    for (size_t i = 0; i < trace_count; i++) {
        const struct request *r = &trace[i].request;
        const int first = __builtin_ctz(r->lanes);
        char name[96];
        size_t extent;
        const size_t at = place_name(r->address[first], r->space, name, sizeof name, &extent);
        fprintf(trace_out, "%d,%zu,%s,%d,%s,%s,%d,%u", trace[i].warp, i,
                lines[i].file ? lines[i].file : "", lines[i].line, name,
                r->kind == LOAD    ? "load"
                : r->kind == STORE ? "store"
                                   : "atomic",
                r->size, trace[i].passes);
        for (int lane = 0; lane < WARP; lane++) {
            fputc(',', trace_out);
            if (r->lanes >> lane & 1) /* bytes from the array's start */
                fprintf(trace_out, "%lld", (long long)(at + r->address[lane] - r->address[first]));
        }
        fputc('\n', trace_out);
    }
    file_close("--trace", trace_file, trace_out);
    trace_out = NULL;
    free(pcs);
    free(lines);
    free(trace);
}

static void count(struct block *b, int warp, const struct request *r)
{
    const struct site key = {r->pc, r->size, r->kind, r->space, 1, 0, 0, 0, 0};
    struct site *site = site_find(&worker->sites, &key);
    unsigned least;
    unsigned cost;
    if (r->space == SPACE_SHARED) {
        cost = passes(r, &least);
    } else {
        cost = least = sectors(r);
    }
    site->requests++;
    site->accesses += (unsigned)__builtin_popcount(r->lanes);
    site->passes += cost;
    site->least += least;
    if (trace_out && b->number == 0)
        trace_add(warp, r, cost);
}

/* ---- Matching ---- */

static int lanes_of(int warp)
{
    const int rest = launch.threads - warp * WARP;
    return rest < WARP ? rest : WARP;
}

static ptrdiff_t logged(const struct thread *t)
{
    return t->next - t->begin;
}

static const struct thread *longest(const struct block *b, int warp)
{
    const struct thread *lanes = &b->threads[warp * WARP], *most = lanes;
    for (int i = 1; i < lanes_of(warp); i++)
        if (logged(&lanes[i]) > logged(most))
            most = &lanes[i];
    return most;
}

static bool same_instruction(const struct access *a, const struct access *b)
{
    return a->pc == b->pc && a->kind == b->kind && a->space == b->space && a->size == b->size;
}

bool cost_convergent(struct block *b, int warp)
{
    const struct thread *lanes = &b->threads[warp * WARP], *most = longest(b, warp);
    for (int i = 0; i < lanes_of(warp); i++)
        for (ptrdiff_t k = 0; k < logged(&lanes[i]); k++)
            if (!same_instruction(&lanes[i].begin[k], &most->begin[k]))
                return false;
    return true;
}

static void flush_convergent(struct block *b, int warp)
{
    const struct thread *lanes = &b->threads[warp * WARP], *most = longest(b, warp);
    const int n = lanes_of(warp);
    for (ptrdiff_t k = 0; k < logged(most); k++) {
        const struct access *a = &most->begin[k];
        struct request r = {a->pc, a->size, a->kind, a->space, 0, {0}};
        if (a->space == SPACE_NONE)
            continue;
        for (int i = 0; i < n; i++)
            if (k < logged(&lanes[i])) {
                r.address[i] = lanes[i].begin[k].address;
                r.lanes |= 1u << i;
            }
        count(b, warp, &r);
    }
}

/* An instruction of a divergent warp: its requests, by how many times a lane has executed it. */
struct instruction {
    struct access key;
    bool used;
    int times[WARP];
    int count, capacity;
    struct request *requests;
};

static struct instruction *instruction_find(struct instruction *table, size_t capacity,
                                            const struct access *a)
{
    size_t i = (a->pc * 2654435761u >> 7) % capacity;
    while (table[i].used && !same_instruction(&table[i].key, a))
        i = (i + 1) % capacity;
    return &table[i];
}

static void flush_divergent(struct block *b, int warp)
{
    const struct thread *lanes = &b->threads[warp * WARP];
    size_t accesses = 0;
    for (int i = 0; i < lanes_of(warp); i++)
        accesses += (size_t)logged(&lanes[i]);
    /* As many instructions as there can be; a kernel of thousands of loads in a row is no kernel.
     */
    const size_t capacity = 2 * accesses < 16384 ? 2 * accesses : 16384;
    struct instruction *table = host_alloc(capacity, sizeof *table, "the counts");
    for (int i = 0; i < lanes_of(warp); i++)
        for (const struct access *a = lanes[i].begin; a < lanes[i].next; a++) {
            if (a->space == SPACE_NONE)
                continue;
            struct instruction *in = instruction_find(table, capacity, a);
            in->key = *a;
            in->used = true;
            const int time = in->times[i]++;
            if (time == in->capacity) {
                in->capacity = in->capacity ? 2 * in->capacity : 8;
                in->requests = realloc(in->requests, (size_t)in->capacity * sizeof *in->requests);
                if (!in->requests)
                    die(EXIT_DEVICE, "no memory left for the counts; try a smaller --size");
            }
            if (time == in->count)
                in->requests[in->count++] =
                    (struct request){a->pc, a->size, a->kind, a->space, 0, {0}};
            in->requests[time].address[i] = a->address;
            in->requests[time].lanes |= 1u << i;
        }
    for (size_t i = 0; i < capacity; i++) {
        for (int k = 0; k < table[i].count; k++)
            count(b, warp, &table[i].requests[k]);
        free(table[i].requests);
    }
    free(table);
}

void cost_flush(struct block *b, int warp)
{
    struct thread *lanes = &b->threads[warp * WARP];
    if (cost_convergent(b, warp))
        flush_convergent(b, warp);
    else
        flush_divergent(b, warp);
    for (int i = 0; i < lanes_of(warp); i++)
        lanes[i].next = lanes[i].checked = lanes[i].begin;
}
