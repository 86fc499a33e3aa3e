/* What the instrumented kernel calls: the hooks of -fsanitize=thread before each access, and the
 * device functions of cuda_runtime.h and cuda_pipeline.h.  The thread sanitizer itself is not
 * linked. */
#include "emu.h"
#include <stdlib.h>
#include <string.h>

static struct thread host = {.stack = 0}; /* see on_stack() */
_Thread_local struct thread *emu_thread = &host;

/* Not zero, so that they do not lie among the shared memory (.tbss). */
_Thread_local struct uint3 emu_threadIdx = {1, 1, 1}, emu_blockIdx = {1, 1, 1},
                           emu_blockDim = {1, 1, 1}, emu_gridDim = {1, 1, 1};
_Thread_local char emu_dynamic_shared[MAX_DYNAMIC] __attribute__((aligned(1024)));

/* ---- The log ---- */

enum { FIRST_CAPACITY = 256 };

struct log *log_take(void)
{
    struct log *log = worker->free_logs;
    if (log) {
        worker->free_logs = log->next_free;
        return log;
    }
    log = host_alloc(1, sizeof *log, "a log");
    log_grow(log);
    return log;
}

void log_give(struct log *log)
{
    log->next_free = worker->free_logs;
    worker->free_logs = log;
}

void log_grow(struct log *log)
{
    log->capacity = log->capacity ? log->capacity * 2 : FIRST_CAPACITY;
    for (int i = 0; i < WARP; i++) {
        /* Room for a few entries more, different for each lane: see fiber_init(). */
        void *p =
            realloc(log->lane[i], (log->capacity + 8 + (size_t)i * 4) * sizeof(struct access));
        if (!p)
            die(EXIT_DEVICE, "the log of a warp needs %.3g GB, which there is not; try a smaller K",
                (double)(log->capacity * WARP * sizeof(struct access)) / 1e9);
        log->lane[i] = p;
    }
}

/* Out of the way, so that the hook itself saves no registers. */
static __attribute__((noinline, cold)) void append_full(struct thread *t, struct access a)
{
    thread_wait(t, LOG_FULL, NULL, 0);
    *t->next++ = a;
}

static inline void append(struct thread *t, uintptr_t address, int size, enum access_kind kind,
                          bool strong, uint32_t pc)
{
    const struct access a = {address, pc, (uint8_t)size, (uint8_t)kind, strong, SPACE_NONE};
    if (t->next == t->end)
        append_full(t, a);
    else
        *t->next++ = a;
}

/* The thread's own variables are registers or local memory, no business of ours.  Outside kernels
 * everything is. */
static inline bool on_stack(const struct thread *t, uintptr_t address)
{
    return t == &host || address - t->stack < STACK_SIZE;
}

#define PC ((uint32_t)(uintptr_t)__builtin_return_address(0))

#define HOOKS(size)                                                                                \
    void __tsan_read##size(void *p);                                                               \
    void __tsan_read##size(void *p)                                                                \
    {                                                                                              \
        if (!on_stack(emu_thread, (uintptr_t)p))                                                   \
            append(emu_thread, (uintptr_t)p, size, LOAD, false, PC);                               \
    }                                                                                              \
    void __tsan_write##size(void *p);                                                              \
    void __tsan_write##size(void *p)                                                               \
    {                                                                                              \
        if (!on_stack(emu_thread, (uintptr_t)p))                                                   \
            append(emu_thread, (uintptr_t)p, size, STORE, false, PC);                              \
    }                                                                                              \
    void __tsan_unaligned_read##size(void *p) __attribute__((alias("__tsan_read" #size)));         \
    void __tsan_unaligned_write##size(void *p) __attribute__((alias("__tsan_write" #size)));       \
    void __tsan_volatile_read##size(void *p);                                                      \
    void __tsan_volatile_read##size(void *p)                                                       \
    {                                                                                              \
        if (!on_stack(emu_thread, (uintptr_t)p))                                                   \
            strong_access(emu_thread, (uintptr_t)p, size, LOAD, PC);                               \
    }                                                                                              \
    void __tsan_volatile_write##size(void *p);                                                     \
    void __tsan_volatile_write##size(void *p)                                                      \
    {                                                                                              \
        if (!on_stack(emu_thread, (uintptr_t)p))                                                   \
            strong_access(emu_thread, (uintptr_t)p, size, STORE, PC);                              \
    }                                                                                              \
    void __tsan_unaligned_volatile_read##size(void *p)                                             \
        __attribute__((alias("__tsan_volatile_read" #size)));                                      \
    void __tsan_unaligned_volatile_write##size(void *p)                                            \
        __attribute__((alias("__tsan_volatile_write" #size)))

/* A flag or an atomic.  The hook comes before the access: what this thread did so far must be
 * checked before another thread can see the flag, and a flag is acquired at the next fence.
 *
 * The same address twice with nothing between is a spin: let the others run, and count one access,
 * for the number of turns is an accident. */
static void strong_access(struct thread *t, uintptr_t address, int size, enum access_kind kind,
                          uint32_t pc)
{
    if (kind != STORE && t->spin_address == address && t->spin_at == t->next) {
        thread_wait(t, SPINNING, NULL, 0);
        return;
    }
    append(t, address, size, kind, true, pc);
    race_check(t);
    if (kind != LOAD)
        race_release(t, address);
    if (kind != STORE) {
        race_acquire(t, address);
        t->spin_address = address;
        t->spin_at = t->next;
        t->spin_size = (uint8_t)size;
        t->spin_seen = false;
    }
}

HOOKS(1);
HOOKS(2);
HOOKS(4);
HOOKS(8);
HOOKS(16);

void __tsan_read_range(void *p, size_t size);
void __tsan_read_range(void *p, size_t size)
{
    if (!on_stack(emu_thread, (uintptr_t)p))
        for (size_t i = 0; i < size; i += 4)
            append(emu_thread, (uintptr_t)p + i, 4, LOAD, false, PC);
}

void __tsan_write_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size)
{
    if (!on_stack(emu_thread, (uintptr_t)p))
        for (size_t i = 0; i < size; i += 4)
            append(emu_thread, (uintptr_t)p + i, 4, STORE, false, PC);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
    (void)pc;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

/* ---- The device functions ---- */

void emu_syncthreads(const char *file, int line);
void emu_syncthreads(const char *file, int line)
{
    thread_wait(emu_thread, AT_BARRIER, file, line);
}

void emu_barrier_sync(unsigned id, unsigned count, const char *file, int line);
void emu_barrier_sync(unsigned id, unsigned count, const char *file, int line)
{
    struct thread *t = emu_thread;
    const struct party me = {"waits", t->block->number, t->number, 0, file, line};
    if (id < 1 || id > 15 || count % WARP != 0 || count == 0 || (int)count > launch.threads)
        report_fatal(
            "a named barrier that does not exist", 0, &me, NULL,
            "__barrier_sync_count(id, count): 1 to 15 (0 is __syncthreads()), and a number "
            "of threads of the block that is a multiple of 32");
    if (t->named != 0 && (t->named != id || t->named_count != count))
        report_fatal("a thread that changes its named barrier", 0, &me, NULL,
                     "the emulator follows one id and one count a thread; with more, run on a GPU");
    t->named = id;
    t->named_count = count;
    thread_wait(t, AT_NAMED, file, line);
}

void emu_syncwarp(unsigned mask, const char *file, int line);
void emu_syncwarp(unsigned mask, const char *file, int line)
{
    emu_thread->mask = mask;
    thread_wait(emu_thread, AT_SYNCWARP, file, line);
}

uint64_t emu_shuffle(unsigned mask, uint64_t value, int source, const char *file, int line);
uint64_t emu_shuffle(unsigned mask, uint64_t value, int source, const char *file, int line)
{
    struct thread *t = emu_thread;
    /* Two slots in turn: another lane may be one shuffle ahead, never two. */
    const unsigned slot = t->shuffles++ % 2;
    t->shuffle[slot] = value;
    t->mask = mask;
    thread_wait(t, AT_SHUFFLE, file, line);
    return t->block->threads[t->number / WARP * WARP + source].shuffle[slot];
}

void emu_fence(void);
void emu_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    race_fence(emu_thread);
}

void emu_atomic(const void *p, int size, void *pc);
void emu_atomic(const void *p, int size, void *pc)
{
    strong_access(emu_thread, (uintptr_t)p, size, ATOMIC, (uint32_t)(uintptr_t)pc);
}

/* ---- cp.async: queued, and performed as late as the program allows ---- */

void emu_copy_async(void *dst, const void *src, size_t size, size_t zfill, void *pc);
void emu_copy_async(void *dst, const void *src, size_t size, size_t zfill, void *pc)
{
    struct thread *t = emu_thread;
    const struct async_copy copy = {
        dst, src, (uint32_t)size, (uint32_t)zfill, (uint32_t)(uintptr_t)pc, t->groups};
    const struct party here = party_of(t, "copy", copy.pc);
    if ((size != 4 && size != 8 && size != 16) || zfill > size)
        report_fatal("an asynchronous copy of a size that does not exist", (uintptr_t)dst, &here,
                     NULL, "copy 4, 8 or 16 bytes, and fill no more than these with zeros");
    if (((uintptr_t)dst | (zfill < size ? (uintptr_t)src : 0)) % size)
        report_fatal("a misaligned asynchronous copy", (uintptr_t)dst, &here, NULL,
                     "source and destination must be multiples of the size that is copied");
    if (zfill < size)
        append(t, (uintptr_t)src, (int)(size - zfill), LOAD, false, copy.pc);
    append(t, (uintptr_t)dst, (int)size, STORE, false, copy.pc);
    race_check(t);
    if (device->major < 8) { /* no cp.async there: plain loads and stores */
        memcpy(dst, src, size - zfill);
        memset((char *)dst + size - zfill, 0, zfill);
        return;
    }
    race_copy_start(t, &copy);
    if (t->num_copies == t->copies_capacity) {
        t->copies_capacity = t->copies_capacity ? 2 * t->copies_capacity : 16;
        t->copies = realloc(t->copies, (size_t)t->copies_capacity * sizeof *t->copies);
        if (!t->copies)
            die(EXIT_DEVICE, "no memory left for asynchronous copies; try a smaller --size");
    }
    t->copies[t->num_copies++] = copy;
}

void emu_copy_commit(void);
void emu_copy_commit(void)
{
    emu_thread->groups++;
}

void emu_copy_wait(unsigned prior);
void emu_copy_wait(unsigned prior)
{
    struct thread *t = emu_thread;
    int done = 0;
    race_check(t); /* what came before still sees the bytes in flight */
    for (; done < t->num_copies && t->copies[done].group < t->groups - (int)prior; done++) {
        const struct async_copy *copy = &t->copies[done];
        memcpy(copy->dst, copy->src, copy->size - copy->zfill);
        memset((char *)copy->dst + copy->size - copy->zfill, 0, copy->zfill);
        race_copy_end(t, copy);
    }
    t->num_copies -= done;
    memmove(t->copies, t->copies + done, (size_t)t->num_copies * sizeof *t->copies);
}
