/* Races, by happens-before.
 *
 * Each block counts ticks: a barrier, a __syncwarp() and a fence begin a new one.  For every four
 * bytes of memory a word keeps the last writer and two readers, each with its tick.  An access is
 * in order after another one of the same thread, the same block, if a barrier came between (a named
 * one: of two threads that meet at it; in the same warp also a __syncwarp()), another block, if
 * this thread knows of it: a flag was written behind a fence after the one, and read before a fence
 * in front of the other. What a fence covers: what the thread itself did before; what its whole
 * block did before the last barrier; and, at a barrier, everything if no thread has an unfenced
 * write. */
#include "emu.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct word {
    uint64_t write, read[2]; /* who << 32 | tick */
    uint32_t write_pc, read_pc[2];
    uint32_t in_flight; /* number + 1 of the thread whose asynchronous copy will land here */
};

/* who: block << 11 | thread; the thread's highest value stands for the whole block. */
enum { THREAD_BITS = 11, WHOLE_BLOCK = (1 << THREAD_BITS) - 1 };
#define STRONG 0x80000000u /* in a pc: volatile or atomic */

static uint32_t who_of(const struct block *b, int thread)
{
    return (uint32_t)b->number << THREAD_BITS | (uint32_t)thread;
}

#define COLD __attribute__((noinline, cold)) /* keeps the checks short */

/* ---- Clocks and flags ---- */

static void clock_add(struct clock *c, struct stamp s)
{
    for (int i = 0; i < c->count; i++)
        if (c->stamps[i].who == s.who) {
            if (c->stamps[i].tick < s.tick)
                c->stamps[i].tick = s.tick;
            return;
        }
    if (c->count == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 8;
        c->stamps = realloc(c->stamps, (size_t)c->capacity * sizeof *c->stamps);
        if (!c->stamps)
            die(EXIT_DEVICE, "no memory left for the race checks; try a smaller --size");
    }
    c->stamps[c->count++] = s;
}

static void clock_join(struct clock *into, const struct clock *from)
{
    for (int i = 0; i < from->count; i++)
        clock_add(into, from->stamps[i]);
}

static bool clock_knows(const struct clock *c, uint32_t who, uint32_t tick)
{
    for (int i = 0; i < c->count; i++)
        if ((c->stamps[i].who == who || c->stamps[i].who == (who | WHOLE_BLOCK)) &&
            tick < c->stamps[i].tick)
            return true;
    return false;
}

/* What the writers of a flag have released, by its address. */
struct flag {
    uintptr_t address;
    struct clock released;
    struct flag *next;
};
static struct flag *flags[1024];
static pthread_mutex_t flags_lock = PTHREAD_MUTEX_INITIALIZER;

static struct flag *flag_at(uintptr_t address)
{
    struct flag **head = &flags[address / 4 % 1024];
    for (struct flag *f = *head; f; f = f->next)
        if (f->address == address)
            return f;
    struct flag *f = host_alloc(1, sizeof *f, "a flag");
    *f = (struct flag){.address = address, .next = *head};
    return *head = f;
}

void race_launch(void)
{
    for (int i = 0; i < 1024; i++)
        while (flags[i]) {
            struct flag *f = flags[i];
            flags[i] = f->next;
            free(f->released.stamps);
            free(f);
        }
}

void race_block(struct block *b)
{
    b->start = b->tick < launch.base ? launch.base : b->tick + 1;
    b->tick = b->epoch = b->clean = b->start;
    b->known.count = b->num_early = 0;
    for (int w = 0; w < launch.warps; w++)
        b->warps[w].sync_tick = b->start;
    for (int i = 0; i < launch.threads; i++) {
        struct thread *t = &b->threads[i];
        t->dirty = false;
        t->named = 0;
        t->fence_tick = t->fence_epoch = b->start;
        t->known.count = t->num_acquired = 0;
        t->num_copies = t->groups = 0;
    }
}

/* A word that was read too early and that another thread wrote since was reported as a race, which
 * says more.  The rest was read without having been written. */
static void report_early_reads(struct block *b)
{
    for (int i = 0; i < b->num_early; i++) {
        const struct early_read *e = &b->early[i];
        const struct word *w = &b->shadow[(e->address - shared_base() - shared_low) / 4];
        if ((uint32_t)w->write < b->start || w->write >> 32 == who_of(b, e->thread)) {
            const struct party me = party_of(&b->threads[e->thread], "read", e->pc);
            report("shared memory is read before anything was written there", e->address, &me, NULL,
                   "store to it first, in every block: it does not start as zeros");
        }
    }
    b->num_early = 0;
}

void race_barrier(struct block *b)
{
    bool dirty = false;
    report_early_reads(b);
    b->epoch = ++b->tick;
    for (int i = 0; i < launch.threads; i++) {
        struct thread *t = &b->threads[i];
        dirty |= t->dirty;
        clock_join(&b->known, &t->known);
        t->known.count = 0;
    }
    if (!dirty)
        b->clean = b->epoch;
}

void race_named(struct block *b, unsigned id)
{
    b->tick++;
    for (int i = 0; i < launch.threads; i++)
        if (b->threads[i].named == id)
            b->threads[i].named_tick = b->tick;
}

void race_acquire(struct thread *t, uintptr_t address)
{
    t->acquired[t->num_acquired++ % 8] = address;
}

void race_release(struct thread *t, uintptr_t address)
{
    const struct block *b = t->block;
    const uint32_t fenced = b->clean > t->fence_epoch ? b->clean : t->fence_epoch;
    pthread_mutex_lock(&flags_lock);
    struct flag *f = flag_at(address);
    clock_add(&f->released, (struct stamp){who_of(b, t->number), t->fence_tick});
    clock_add(&f->released, (struct stamp){who_of(b, WHOLE_BLOCK), fenced});
    if (t->fence_tick > b->start) {
        clock_join(&f->released, &b->known);
        clock_join(&f->released, &t->known);
    }
    pthread_mutex_unlock(&flags_lock);
}

void race_fence(struct thread *t)
{
    race_check(t);
    t->fence_tick = ++t->block->tick;
    t->fence_epoch = t->block->epoch;
    t->dirty = false;
    if (t->num_acquired) {
        pthread_mutex_lock(&flags_lock);
        for (int i = 0; i < 8 && i < t->num_acquired; i++)
            clock_join(&t->known, &flag_at(t->acquired[i])->released);
        pthread_mutex_unlock(&flags_lock);
    }
    t->num_acquired = 0;
}

/* ---- Words ---- */

/* Untouched words cost no memory: pages come zeroed, when first used. */
struct word *race_shadow(size_t bytes)
{
    const size_t size = (bytes / 4 + 2) * sizeof(struct word);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        die(EXIT_DEVICE,
            "no address space left for the race checks (%.3g GB); try a smaller --size",
            (double)size / 1e9);
    return p;
}

void race_shadow_free(struct word *shadow, size_t bytes)
{
    munmap(shadow, (bytes / 4 + 2) * sizeof(struct word));
}

static COLD bool released(const struct thread *t, uint32_t who, uint32_t tick)
{
    return clock_knows(&t->known, who, tick) || clock_knows(&t->block->known, who, tick);
}

static inline bool ordered(const struct thread *t, uint64_t stamp, uint32_t floor)
{
    const struct block *b = t->block;
    const uint32_t who = (uint32_t)(stamp >> 32), tick = (uint32_t)stamp;
    if (tick < floor)
        return true;
    const int thread = (int)(who & WHOLE_BLOCK);
    if ((who ^ who_of(b, thread)) == 0)
        return tick < b->epoch || thread == t->number ||
               (thread / WARP == t->number / WARP && tick < b->warps[thread / WARP].sync_tick) ||
               (t->named != 0 && b->threads[thread].named == t->named && tick < t->named_tick);
    return (t->known.count || b->known.count) && released(t, who, tick);
}

static COLD void report_race(const struct thread *t, const struct access *a, uint64_t stamp,
                             uint32_t pc, bool other_writes)
{
    /* The block's number is cut to 21 bits; nearest to this thread's is the likely one. */
    const uint64_t high = t->block->number >> (32 - THREAD_BITS) << (32 - THREAD_BITS);
    const struct party me = party_of(t, a->kind == LOAD ? "read" : "write", a->pc);
    const struct party other = {other_writes ? "write" : "read",
                                high | (stamp >> 32) >> THREAD_BITS,
                                (int)(stamp >> 32 & WHOLE_BLOCK),
                                pc & ~STRONG,
                                NULL,
                                0};
    const bool same_block = other.block == t->block->number;
    report(a->space == SPACE_SHARED ? "race on shared memory" : "race on global memory", a->address,
           &other, &me,
           !same_block
               ? "between blocks: after the first, a __threadfence() and then a volatile or "
                 "atomic flag; before the second, read the flag, then a __threadfence(), "
                 "and a __syncthreads() where other threads follow"
           : me.thread / WARP == other.thread / WARP
               ? "put a __syncthreads(), or within the warp a __syncwarp(), between the two lines"
               : "put a __syncthreads() between the two lines");
}

static COLD void report_in_flight(const struct thread *t, const struct access *a,
                                  const struct word *w)
{
    const struct thread *owner = &t->block->threads[w->in_flight - 1];
    bool committed = false;
    for (int i = 0; i < owner->num_copies; i++)
        if (a->address - (uintptr_t)owner->copies[i].dst < owner->copies[i].size)
            committed = owner->copies[i].group < owner->groups;
    const struct party me = party_of(t, a->kind == LOAD ? "read" : "write", a->pc);
    const struct party copy = party_of(owner, "copy", w->write_pc & ~STRONG);
    report("an asynchronous copy is still in flight", a->address, &copy, &me,
           committed
               ? "no __pipeline_wait_prior() of the copying thread has covered it: wait, then "
                 "__syncthreads(); count the groups that were committed since"
               : "the copy was never committed: __pipeline_commit() is missing behind it");
}

/* One word of one access. */
static inline void check_word(const struct thread *t, struct word *w, const struct access *a,
                              uint32_t floor)
{
    const uint32_t who = who_of(t->block, t->number);
    const uint64_t me = (uint64_t)who << 32 | t->block->tick;
    const uint32_t pc = a->strong ? a->pc | STRONG : a->pc;
    /* A copy that was in flight when its block ended is of no concern to the next one. */
    if (w->in_flight && (uint32_t)w->write >= t->block->start)
        report_in_flight(t, a, w);
    else if (!ordered(t, w->write, floor) && !(pc & w->write_pc & STRONG))
        report_race(t, a, w->write, w->write_pc, true);
    if (a->kind == LOAD) {
        /* Of the readers not in order with each other two are kept, of different warps where there
         * are such: a later writer is then not in order with one of them. */
        const uint32_t first = (uint32_t)(w->read[0] >> 32), second = (uint32_t)(w->read[1] >> 32);
        if (first == who || ordered(t, w->read[0], floor)) {
            w->read[0] = me;
            w->read_pc[0] = pc;
        } else if (second == who || ordered(t, w->read[1], floor) ||
                   (first / WARP == second / WARP && first / WARP != who / WARP)) {
            w->read[1] = me;
            w->read_pc[1] = pc;
        }
    } else {
        for (int i = 0; i < 2; i++)
            if (!ordered(t, w->read[i], floor) && !(pc & w->read_pc[i] & STRONG))
                report_race(t, a, w->read[i], w->read_pc[i], false);
        w->write = me;
        w->write_pc = pc;
    }
}

/* ---- Accesses ---- */

static COLD void out_of_bounds(const struct thread *t, const struct access *a, const char *advice)
{
    const struct party me = party_of(t, a->kind == LOAD ? "read" : "write", a->pc);
    report_fatal("access out of bounds", a->address, &me, NULL, advice);
}

static COLD void misaligned(const struct thread *t, const struct access *a)
{
    const struct party me = party_of(t, a->kind == LOAD ? "read" : "write", a->pc);
    report_fatal("misaligned access", a->address, &me, NULL,
                 "an access of 8 or 16 bytes needs an address that is a multiple of it; check the "
                 "leading dimension and the base pointer");
}

static void check_shared(const struct thread *t, struct access *a, size_t offset)
{
    struct block *b = t->block;
    struct word *w = &b->shadow[(offset - shared_low) / 4];
    a->space = SPACE_SHARED;
    if (offset - dynamic_offset < MAX_DYNAMIC && offset - dynamic_offset + a->size > launch.smem)
        out_of_bounds(t, a,
                      "the launch asked for less dynamic shared memory: compare its third "
                      "configuration argument with the offset");
    for (int i = 0; i < a->size; i += 4, w++) {
        if (a->kind == LOAD && (uint32_t)w->write < b->start && b->num_early < 64)
            b->early[b->num_early++] =
                (struct early_read){a->address + (uintptr_t)i, a->pc, t->number};
        check_word(t, w, a, b->start);
    }
}

static void check_global(struct thread *t, struct access *a)
{
    const struct allocation *m = allocation_of(a->address);
    a->space = SPACE_GLOBAL;
    if (!m || a->address + a->size > m->base + m->size)
        out_of_bounds(t, a,
                      m || allocation_near(a->address)
                          ? "compare the index with the size of the array"
                          : "no device memory lies there: is it a host pointer, or a wild one?");
    if (a->kind == STORE && !a->strong)
        t->dirty = true;
    struct word *w = &m->shadow[(a->address - m->base) / 4];
    for (int i = 0; i < a->size; i += 4)
        check_word(t, w++, a, launch.base);
}

void race_check(struct thread *t)
{
    const uintptr_t base = shared_base();
    for (struct access *a = t->checked; a < t->next; a = t->checked) {
        t->checked++; /* now: a report may fault, and the handler comes here again */
        const size_t offset = a->address - base;
        if (offset - shared_low < shared_high - shared_low)
            check_shared(t, a, offset);
        else if (offset >= shared_low) /* threadIdx and its like lie below */
            check_global(t, a);
        if (a->address & (a->size - 1u)) /* sizes are powers of two */
            misaligned(t, a);
    }
}

/* ---- cp.async ---- */

static struct word *copy_words(const struct thread *t, const struct async_copy *copy)
{
    return &t->block->shadow[((uintptr_t)copy->dst - shared_base() - shared_low) / 4];
}

void race_copy_start(struct thread *t, const struct async_copy *copy)
{
    if ((uintptr_t)copy->dst - shared_base() - shared_low >= shared_high - shared_low) {
        const struct party me = party_of(t, "copy", copy->pc);
        report_fatal("an asynchronous copy to where no shared memory is", (uintptr_t)copy->dst, &me,
                     NULL, "the first argument is the destination and lies in shared memory");
    }
    struct word *w = copy_words(t, copy);
    for (uint32_t i = 0; i < copy->size / 4; i++)
        w[i].in_flight = (uint32_t)t->number + 1;
}

/* The bytes arrive: a write by this thread, now. */
void race_copy_end(struct thread *t, const struct async_copy *copy)
{
    struct word *w = copy_words(t, copy);
    for (uint32_t i = 0; i < copy->size / 4; i++) {
        w[i].in_flight = 0;
        w[i].write = (uint64_t)who_of(t->block, t->number) << 32 | t->block->tick;
        w[i].write_pc = copy->pc;
    }
}
