/* The scheduler: OS threads that take blocks, warps that are run lane by lane, barriers, and blocks
 * that wait for one another. */
#include "emu.h"
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct launch launch;
static struct worker workers[MAX_WORKERS];
/* Not zero: out of the shared memory, which is all that lies in .tbss. */
_Thread_local struct worker *worker = &workers[0];
extern _Thread_local struct uint3 emu_threadIdx, emu_blockIdx, emu_blockDim, emu_gridDim;

enum { SIGNAL_STACK = 1 << 17 }; /* reports are printed on it */

static struct block *free_blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- A thread ---- */

void thread_wait(struct thread *t, enum state state, const char *file, int line)
{
    race_check(t);
    t->state = state;
    t->file = file;
    t->line = line;
    fiber_yield(t);
}

static void thread_main(void)
{
    struct thread *t = emu_thread;
    launch.body(launch.closure);
    race_check(t);
    if (!fiber_stack_ok(t)) {
        const struct party me = party_of(t, "overflow", 0);
        report_fatal("a thread's local variables do not fit its stack of 64 KB", 0, &me, NULL,
                     "make the local arrays smaller");
    }
    t->state = EXITED;
    t->block->live--;
    fiber_yield(t);
}

static void thread_resume(struct thread *t)
{
    struct thread *host = emu_thread;
    emu_thread = t;
    emu_threadIdx = t->index;
    t->state = RUNNABLE;
    fiber_resume(t);
    emu_thread = host;
}

/* ---- A warp ---- */

static int lanes_of(int warp)
{
    const int rest = launch.threads - warp * WARP;
    return rest < WARP ? rest : WARP;
}

static void log_attach(struct block *b, int warp)
{
    struct log *log = b->warps[warp].log = log_take();
    for (int i = 0; i < lanes_of(warp); i++) {
        struct thread *t = &b->threads[warp * WARP + i];
        t->begin = t->next = t->checked = log->lane[i];
        t->end = t->begin + log->capacity;
    }
}

static void log_enlarge(struct block *b, int warp)
{
    struct log *log = b->warps[warp].log;
    log_grow(log);
    for (int i = 0; i < lanes_of(warp); i++) {
        struct thread *t = &b->threads[warp * WARP + i];
        const ptrdiff_t next = t->next - t->begin, checked = t->checked - t->begin,
                        spin_at = t->spin_at - t->begin;
        t->begin = log->lane[i];
        t->next = t->begin + next;
        t->checked = t->begin + checked;
        t->spin_at = t->begin + spin_at;
        t->end = t->begin + log->capacity;
    }
}

static void divergent(const struct thread *a, const struct thread *b)
{
    static const char *const names[] = {[AT_SYNCWARP] = "warp sync",
                                        [AT_SHUFFLE] = "warp sync",
                                        [AT_BARRIER] = "barrier",
                                        [AT_NAMED] = "named barrier",
                                        [EXITED] = "returned"};
    const struct party first = party_waiting(a, names[a->state]);
    const struct party second = party_waiting(b, names[b->state]);
    report_fatal(b->state == EXITED ? "a barrier that some threads never reach: they have returned"
                                    : "threads wait at different barriers",
                 0, &first, &second,
                 a->state == AT_BARRIER
                     ? "every thread of the block must reach the same __syncthreads()"
                 : a->state == AT_NAMED
                     ? "as many threads as its count says must reach the barrier of this id"
                     : "every lane named in the mask must reach the same call");
}

static bool at_barrier(const struct thread *t)
{
    return t->state == AT_BARRIER || t->state == AT_NAMED;
}

/* Lets the lanes go on that have met in a __syncwarp() or a shuffle. */
static bool release_warp(struct block *b, int warp, bool may_flush)
{
    struct thread *lanes = &b->threads[warp * WARP];
    const int count = lanes_of(warp);
    bool released = false;
    for (int first = 0; first < count; first++) {
        const struct thread *t = &lanes[first];
        if (t->state != AT_SYNCWARP && t->state != AT_SHUFFLE)
            continue;
        const enum state state = t->state;
        const unsigned mask = t->mask;
        bool complete = true;
        for (int i = 0; i < count; i++) {
            const struct thread *other = &lanes[i];
            if (!(mask >> i & 1) || other->state == EXITED) {
                may_flush = may_flush && (other->state == EXITED || at_barrier(other));
                continue;
            }
            if (at_barrier(other) ||
                ((other->state == AT_SYNCWARP || other->state == AT_SHUFFLE) &&
                 (other->state != state || other->line != t->line || other->mask != mask)))
                divergent(t, other);
            complete = complete && other->state == state;
        }
        if (!complete)
            continue;
        if (state == AT_SYNCWARP) {
            if (may_flush)
                cost_flush(b, warp);
            b->warps[warp].sync_tick = ++b->tick;
        }
        for (int i = 0; i < count; i++)
            if (mask >> i & 1 && lanes[i].state == state)
                lanes[i].state = RUNNABLE;
        released = true;
    }
    return released;
}

/* Whether a thread would see what it saw the last time.  Remembers what is there now, before the
 * thread looks: a change between the two wakes it once too often, never too late. */
static bool spins_in_vain(struct thread *t)
{
    const void *p = (const void *)t->spin_address;
    if (t->spin_seen && memcmp(p, t->spin_value, t->spin_size) == 0)
        return true;
    memcpy(t->spin_value, p, t->spin_size);
    t->spin_seen = true;
    return false;
}

/* Runs the lanes until all have stopped for good: at a barrier, spinning or at the end.  True if
 * any got further. */
static bool run_warp(struct block *b, int warp)
{
    struct thread *lanes = &b->threads[warp * WARP];
    const int count = lanes_of(warp);
    bool progress = false;
    if (!b->warps[warp].log)
        log_attach(b, warp);
    for (;;) {
        bool spinning = false, full = false;
        for (int i = 0; i < count; i++) {
            struct thread *t = &lanes[i];
            if (t->state == RUNNABLE || (t->state == SPINNING && !spins_in_vain(t))) {
                const struct access *before = t->next;
                const bool spun = t->state == SPINNING;
                thread_resume(t);
                progress |= !spun || t->state != SPINNING || t->next != before;
            }
            spinning |= t->state == SPINNING;
            full |= t->state == LOG_FULL;
        }
        if (full) {
            if (!spinning && cost_convergent(b, warp))
                cost_flush(b, warp);
            else
                log_enlarge(b, warp);
            for (int i = 0; i < count; i++)
                if (lanes[i].state == LOG_FULL)
                    lanes[i].state = RUNNABLE;
        } else if (!release_warp(b, warp, !spinning)) {
            if (spinning)
                return progress;
            break;
        }
    }
    cost_flush(b, warp);
    log_give(b->warps[warp].log);
    b->warps[warp].log = NULL;
    return progress;
}

/* ---- A block ---- */

/* Puts the block's shared memory in place of another's. */
static void activate(struct block *b)
{
    char *shared = (char *)shared_base() + shared_low;
    struct block *old = worker->current;
    const size_t size = dynamic_offset - shared_low + launch.smem; /* the dynamic part lies last */
    if (old == b)
        return;
    if (old) {
        if (!old->saved)
            old->saved = host_alloc(shared_high - shared_low, 1, "shared memory");
        memcpy(old->saved, shared, size);
    }
    if (b->saved)
        memcpy(shared, b->saved, size);
    worker->current = b;
    emu_blockIdx = b->index;
}

static struct block *block_take(void)
{
    pthread_mutex_lock(&blocks_lock);
    struct block *b = free_blocks;
    if (b)
        free_blocks = b->next;
    pthread_mutex_unlock(&blocks_lock);
    if (b)
        return b;
    b = host_alloc(1, sizeof *b, "a block");
    b->stacks = mmap(NULL, (size_t)MAX_THREADS * STACK_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->stacks == MAP_FAILED)
        die(EXIT_DEVICE, "no address space left for a block's stacks; try --cc 7.5, which keeps "
                         "fewer blocks resident");
    b->shadow = race_shadow(shared_high - shared_low);
    for (int i = 0; i < MAX_THREADS; i++) {
        b->threads[i].stack = (uintptr_t)b->stacks + (uintptr_t)i * STACK_SIZE;
        b->threads[i].number = i;
        b->threads[i].block = b;
    }
    return b;
}

static void block_start(uint64_t number)
{
    struct block *b = block_take();
    b->number = number;
    b->index = (struct uint3){(unsigned)(number % launch.grid.x),
                              (unsigned)(number / launch.grid.x % launch.grid.y),
                              (unsigned)(number / launch.grid.x / launch.grid.y)};
    b->live = launch.threads;
    race_block(b);
    for (int i = 0; i < launch.threads; i++) {
        struct thread *t = &b->threads[i];
        t->index = (struct uint3){(unsigned)i % launch.block.x,
                                  (unsigned)i / launch.block.x % launch.block.y,
                                  (unsigned)i / launch.block.x / launch.block.y};
        t->state = RUNNABLE;
        t->spin_at = NULL;
        t->shuffles = 0;
        fiber_init(t, thread_main);
    }
    free(b->saved);
    b->saved = NULL;
    b->next = worker->resident;
    worker->resident = b;
    activate(b);
    /* NaN, so that a value which was never stored is seen in the result, too. */
    memset((char *)shared_base() + shared_low, 0xff, dynamic_offset - shared_low + launch.smem);
}

static void block_end(struct block *b)
{
    struct block **link = &worker->resident;
    while (*link != b)
        link = &(*link)->next;
    *link = b->next;
    race_barrier(b);
    worker->current = NULL;
    worker->blocks++;
    __atomic_fetch_sub(&launch.resident, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&blocks_lock);
    if (launch.last_tick < b->tick)
        launch.last_tick = b->tick;
    b->next = free_blocks;
    free_blocks = b;
    pthread_mutex_unlock(&blocks_lock);
}

/* Lets the threads go on that have met at a named barrier.  True if there are such. */
static bool release_named(struct block *b)
{
    bool released = false;
    for (int i = 0; i < launch.threads; i++) {
        const struct thread *first = &b->threads[i];
        if (first->state != AT_NAMED)
            continue;
        unsigned waiting = 0;
        for (int j = i; j < launch.threads; j++)
            waiting += b->threads[j].state == AT_NAMED && b->threads[j].named == first->named;
        if (waiting != first->named_count)
            continue;
        const unsigned id = first->named;
        for (int j = 0; j < launch.threads; j++) {
            struct thread *t = &b->threads[j];
            if (t->named != id)
                continue;
            if (t->state != AT_NAMED) /* had met others there before */
                divergent(first, t);
            t->state = RUNNABLE;
        }
        race_named(b, id);
        worker->barriers += (double)waiting / launch.threads;
        released = true;
    }
    return released;
}

static void release_barrier(struct block *b)
{
    const struct thread *first = NULL;
    for (int i = 0; i < launch.threads && !first; i++)
        if (at_barrier(&b->threads[i]))
            first = &b->threads[i];
    for (int i = 0; i < launch.threads; i++) {
        const struct thread *t = &b->threads[i];
        const bool same = t->state == AT_NAMED
                              ? t->named == first->named
                              : t->line == first->line && strcmp(t->file, first->file) == 0;
        if (t->state != first->state || !same)
            divergent(first, t);
    }
    if (first->state == AT_NAMED)
        divergent(first, first);
    for (int i = 0; i < launch.threads; i++)
        b->threads[i].state = RUNNABLE;
    race_barrier(b);
    worker->barriers++;
}

/* Runs the block until it ends or waits for another one.  True if it got further. */
static bool run_block(struct block *b)
{
    bool any = false;
    activate(b);
    for (;;) {
        bool progress = false, spinning = false;
        for (int w = 0; w < launch.warps; w++) {
            const struct thread *lanes = &b->threads[w * WARP];
            bool runs = false;
            for (int i = 0; i < lanes_of(w); i++)
                runs |= lanes[i].state == RUNNABLE || lanes[i].state == SPINNING;
            if (runs)
                progress |= run_warp(b, w);
            spinning |= b->warps[w].log != NULL;
        }
        any |= progress;
        if (b->live == 0) {
            block_end(b);
            return true;
        }
        if (release_named(b))
            any = true;
        else if (!spinning)
            release_barrier(b);
        else if (!progress)
            return any;
    }
}

/* ---- OS threads ---- */

static void deadlock(void)
{
    for (const struct block *b = worker->resident; b; b = b->next)
        for (int i = 0; i < launch.threads; i++) {
            const struct thread *t = &b->threads[i];
            if (t->state != SPINNING)
                continue;
            char advice[256];
            snprintf(advice, sizeof advice,
                     "nobody will change this value any more: %llu blocks are resident, %llu of "
                     "%llu were started, all wait; a block may wait only for blocks that can run",
                     (unsigned long long)launch.resident,
                     (unsigned long long)(launch.next_block < launch.blocks ? launch.next_block
                                                                            : launch.blocks),
                     (unsigned long long)launch.blocks);
            const struct party me = party_of(t, "waits", t->next[-1].pc);
            report_fatal("deadlock", t->spin_address, &me, NULL, advice);
        }
}

/* All OS threads have looked at all their blocks since the last progress, and none can go on. */
static bool all_idle(uint64_t progress)
{
    for (int i = 0; i < num_workers; i++)
        if (__atomic_load_n(&workers[i].idle_since, __ATOMIC_ACQUIRE) < progress)
            return false;
    return true;
}

/* Takes the next block, if there is one and room for it on the device. */
static bool start_next(void)
{
    if (__atomic_fetch_add(&launch.resident, 1, __ATOMIC_RELAXED) >= launch.limit) {
        __atomic_fetch_sub(&launch.resident, 1, __ATOMIC_RELAXED);
        return false;
    }
    const uint64_t number = __atomic_fetch_add(&launch.next_block, 1, __ATOMIC_RELAXED);
    if (number >= launch.blocks) {
        __atomic_fetch_sub(&launch.resident, 1, __ATOMIC_RELAXED);
        return false;
    }
    block_start(number);
    return true;
}

static void *worker_main(void *argument)
{
    worker = argument;
    if (!worker->signal_stack)
        worker->signal_stack = host_alloc(SIGNAL_STACK, 1, "a signal stack");
    const stack_t stack = {.ss_sp = worker->signal_stack, .ss_size = SIGNAL_STACK};
    sigaltstack(&stack, NULL);
    emu_blockDim = launch.block;
    emu_gridDim = launch.grid;
    for (;;) {
        const uint64_t progress = __atomic_load_n(&launch.progress, __ATOMIC_ACQUIRE);
        bool any = false;
        for (struct block *b = worker->resident, *next; b; b = next) {
            next = b->next;
            any |= run_block(b);
        }
        if (any)
            __atomic_fetch_add(&launch.progress, 1, __ATOMIC_RELEASE);
        else if (start_next())
            __atomic_fetch_add(&launch.progress, 1, __ATOMIC_RELEASE);
        else if (!worker->resident &&
                 __atomic_load_n(&launch.next_block, __ATOMIC_RELAXED) >= launch.blocks)
            break;
        else {
            __atomic_store_n(&worker->idle_since, progress, __ATOMIC_RELEASE);
            if (worker->resident && all_idle(progress) &&
                progress == __atomic_load_n(&launch.progress, __ATOMIC_ACQUIRE))
                deadlock();
            sched_yield();
        }
    }
    __atomic_store_n(&worker->idle_since, UINT64_MAX, __ATOMIC_RELEASE);
    return NULL;
}

void run_launch(void)
{
    pthread_t threads[MAX_WORKERS];
    launch.next_block = launch.resident = 0;
    launch.progress = 1;
    launch.base = launch.last_tick + 1;
    race_launch();
    for (int i = 0; i < num_workers; i++)
        workers[i].idle_since = 0;
    for (int i = 1; i < num_workers; i++) {
        const int err = pthread_create(&threads[i], NULL, worker_main, &workers[i]);
        if (err)
            die(EXIT_DEVICE, "cannot start OS thread %d of %d: %s; try --threads 1", i + 1,
                num_workers, strerror(err));
    }
    worker_main(&workers[0]);
    for (int i = 1; i < num_workers; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < num_workers; i++)
        cost_merge(&workers[i]);
}
